#pragma once
// Which buffers of a kernel hold indices, and of what: follows numbers from where they are loaded
// to the subscripts that they end in, by the kernel's text alone.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tuner/source/declarations.h"

namespace tuner {

// A subscript that an element of a buffer goes into: "dst[(b * rows + at[i]) * 4 + c]".
struct Indexing {
  std::string index;   // the buffer whose element it is: "at"
  std::string target;  // the buffer, or the kernel's own array, that has the subscript: "dst"
  std::vector<Tokens> times;                   // what the element is multiplied with: "4"
  std::vector<std::vector<Tokens>> strides{};  // of other terms all factors: "b", "rows", "4"
  bool has_more = false;                       // a term without factors is added: "c"
  std::int64_t plus = 0;                       // numbers that are added: of "at[i] + 1" 1
};

// `buffers` are the kernel's pointers. An element that is the end of a loop counts as one that the
// loop's variable is set to: "j < ends[i]".
std::vector<Indexing> indexings_in(Tokens body, const std::set<std::string>& buffers);

// Whether a kernel changes a variable besides setting it: "j++", "--j", "j += 4".
bool is_changed(Tokens body, const std::string& name);

}  // namespace tuner
