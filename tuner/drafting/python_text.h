#pragma once
// Python as far as scripts of tuners need it: statements, names that are set, lists, numbers.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tuner {

struct Piece {
  enum class Kind { kWord, kText, kNumber, kSign };
  Kind kind;
  std::string text;
  int line = 0;

  bool is(std::string_view sign) const { return kind != Kind::kText && text == sign; }
};

using Pieces = std::vector<Piece>;

// Without comments; a statement may go on over several lines within brackets.
std::vector<Pieces> python_statements(const std::string& text);

// What stands between the bracket at `open` and its partner, split at commas.
std::vector<Pieces> python_items(const Pieces& pieces, std::size_t open);

class PythonNames {
 public:
  // "NAME = ..." and "NAME['KEY'] = ..."; all else sets nothing.
  void take(const Pieces& statement);

  // What a name is set to; of all else itself.
  Pieces resolved(Pieces pieces) const;
  // Also numpy.int32(8), and names of numbers.
  std::optional<std::int64_t> number(const Pieces& pieces, int depth = 0) const;
  // [1, 2], range(4), [2**i for i in range(5)], a tuple; of one number that.
  std::optional<std::vector<std::int64_t>> numbers(const Pieces& pieces) const;
  // ["a", "b"] or "a".
  std::optional<std::vector<std::string>> texts(const Pieces& pieces) const;
  // A dictionary, and what is set in it later.
  std::vector<std::pair<std::string, Pieces>> entries(const Pieces& pieces) const;

  const std::map<std::string, Pieces>& all() const { return names_; }

 private:
  std::map<std::string, Pieces> names_;
  std::map<std::string, std::vector<std::pair<std::string, Pieces>>> set_in_;  // by dictionary
};

}  // namespace tuner
