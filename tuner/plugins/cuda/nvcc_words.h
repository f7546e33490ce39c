#pragma once
// The words of an nvcc command. nvcc writes the commands of its own programs as text and gives them
// to a shell, in double quotes at best: "-I`touch x`" runs touch. So a word of ours has harmless
// characters only, and a folder with others in its name goes by a symbolic link.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/programs/child_process.h"

namespace tuner::cuda {

// Letters, digits and "_-./+", of which no shell and no list of nvcc's makes more than it is.
bool is_harmless_path(std::string_view path);

// Throws sdk::Error (TUNER_UNSUPPORTED) for a path that is not. `what` begins the sentence.
void require_harmless(const std::string& what, const std::string& path);

// Folders by names that a shell takes as they are: their own, or that of a link in `scratch`.
class HarmlessFolders {
 public:
  explicit HarmlessFolders(const programs::ScratchDirectory& scratch) : scratch_(scratch) {}
  std::string name_of(const std::string& folder);
  // The text with the folders' own names in place of the links.
  std::string undone(std::string text) const;

 private:
  const programs::ScratchDirectory& scratch_;
  std::vector<std::pair<std::string, std::string>> links_;  // the link, its folder
};

// A request's options, as nvcc gets them.
struct NvccOptions {
  std::vector<std::string> folders;    // to look for headers in, the source's first
  std::vector<std::string> arguments;  // what is neither of the others
  std::string definitions;  // lines before the source: NVRTC, too, knows macros before headers
  std::string arch;         // the options' own ("sm_90a"), or the device's
  std::vector<std::string> libraries;        // of host functions: "-lcublas"
  std::vector<std::string> library_folders;  // and where the linker looks for them
  bool links = false;  // device code of several files, or of the device's runtime library
};

NvccOptions nvcc_options(const sdk::CompileRequest& request);

// Runs nvcc with the environment of a compiler less the variables that it makes commands of.
// `log` is a file in `scratch`, which holds a refusal where a word is not harmless.
int run_nvcc(const std::vector<std::string>& command, const programs::ScratchDirectory& scratch,
             const std::string& log);

}  // namespace tuner::cuda
