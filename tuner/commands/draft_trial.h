#pragma once
// What becomes of a drafted study: whether `check` takes it, and one trial of it on the CPU.

#include <filesystem>
#include <string>

#include "tuner/commands/options.h"

namespace tuner {

// What `check` says against it; empty: nothing.
std::string why_refused(const std::filesystem::path& study);

struct DraftTrial {
  enum class End {
    kRight,
    kUnwritten,  // an output of which not every element is written
    kCrash,
    kWrong,    // it answers otherwise when it is called again
    kSlow,     // or too large
    kCompile,  // it does not compile
    kOther
  };
  End end = End::kOther;
  bool is_verified = false;  // also of kSlow: what is slow is the timing
  std::string name;          // of kUnwritten the output, of kCompile a macro that nobody defines
  std::string message;       // the first line that says why
};

// Tries the present configuration with the backend cpu. Takes some seconds at most, where the host
// compiler does.
DraftTrial try_draft(const std::filesystem::path& study, const Words& plugin_dirs);

}  // namespace tuner
