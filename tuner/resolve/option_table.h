#pragma once
// Which compiler options there are: how each is spelled, what it takes, and to which compilers it
// means something.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tuner {

enum class OptionTakes : std::uint8_t {
  kNothing,
  kText,  // whatever stands there, blanks included: a definition, a file, a folder
  kWord,  // letters, digits and signs that no shell obeys
  kList,  // a word that may have brackets and quotes: only options that reach no compiler do
  kMaybeWord,
  kWarning,  // the rest of its name
  kNumber,
  kSwitch,  // true or false
  kPtxas,   // options of a program behind the compiler, separated by commas
  kFrontEnd,
  kOptimizer,
  kHost
};

// kCuda: all but OpenCL's. kDevice: NVRTC and nvcc. kLauncher: those
// that make launchers. kHostCode: the host's compiler, and nvcc for launchers.
enum class MeansTo : std::uint8_t {
  kAll,
  kCuda,
  kDevice,
  kNvrtc,
  kNvcc,
  kHostCompiler,
  kHostCode,
  kLauncher,
  kOpenCl,
  kNobody
};

struct OptionRow {
  // Separated by blanks. What its value may follow without a sign between ends in '*'.
  std::string_view names;
  OptionTakes takes;
  MeansTo means_to;
};

// Options of a study, and those that one of them may pass on to another program.
extern const std::span<const OptionRow> kStudyOptions;
std::span<const OptionRow> passed_on_options(OptionTakes to);

// A row whose name an option begins with, and how long that is.
struct FoundOption {
  const OptionRow* row = nullptr;  // null: there is none
  std::size_t length = 0;
  bool joins = false;  // its value may follow at once
};
FoundOption find_option(std::span<const OptionRow> rows, std::string_view text);

}  // namespace tuner
