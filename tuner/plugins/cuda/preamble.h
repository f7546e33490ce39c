#pragma once
// The headers that a source includes first, compiled once for all of its variants: which they are,
// and what a variant's source becomes behind them.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/plugin/sdk.h"

namespace tuner::cuda {

// A source cut behind the last of the includes that do not depend on a definition of the request.
struct SplitSource {
  std::string head;
  std::string rest;
  std::size_t lines = 0;  // of the head
};

// `opened`: what a compilation of the request has opened, in order. Nothing where a preamble would
// not pay, as of few headers, or could change what the variant is.
std::optional<SplitSource> split_for_preamble(const sdk::CompileRequest& request,
                                              const std::vector<std::string>& opened);

// Whether the head, a header that it has opened or a stand-in for one, whose texts are given with
// their names, has a word that the request defines.
bool depends_on_definitions(const sdk::CompileRequest& request, const SplitSource& split,
                            const std::vector<std::string>& opened,
                            const std::vector<std::pair<std::string, std::string>>& stand_ins);

// Whether so many headers are worth a preamble.
bool is_worth_a_preamble(const std::vector<std::string>& opened);

// The request that compiles the head alone into `file`.
sdk::CompileRequest preamble_request(sdk::CompileRequest request, const SplitSource& split,
                                     const std::string& file);

// The request with its definitions behind the head, which is in `file`.
sdk::CompileRequest behind_preamble(sdk::CompileRequest request, const std::string& file,
                                    const SplitSource& split);

// All of a request that its preamble depends on: everything but the values of definitions and the
// names of kernels.
std::string preamble_key(const sdk::CompileRequest& request);

// A file without a name, so that it is gone when the process is, however that ends.
class NamelessFile {
 public:
  // Takes over the file; throws std::system_error.
  explicit NamelessFile(const std::string& path);
  ~NamelessFile();
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  std::string path() const;  // by which this process can read it

 private:
  int descriptor_;
};

}  // namespace tuner::cuda
