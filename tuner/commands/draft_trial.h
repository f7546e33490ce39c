#pragma once
// Checks a drafted study as `check` does, and runs one trial of it on the CPU or a GPU.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/commands/one_try.h"
#include "tuner/commands/options.h"
#include "tuner/model/study.h"
#include "tuner/plugin/catalogue.h"

namespace tuner {

// The text of a study, and the file that it is for, which need not be there.
struct DraftText {
  std::filesystem::path file;
  std::string yaml;
};

// Returns the reason why `check` refuses a draft; empty: it does not.
std::string why_refused(const DraftText& draft);

struct DraftTrial {
  enum class End {
    kRight,
    kUnwritten,  // an output of which not every element is written
    kCrash,
    kShared,    // a crash, since more threads write to shared memory than there is room for
    kRounding,  // it answers a little otherwise in another order
    kWrong,     // it answers otherwise when it is called again
    kSlow,      // or too large
    kCompile,   // it does not compile
    kRefused,   // a constraint does not hold
    kNoDevice,  // there is no GPU
    kOther
  };
  End end = End::kOther;
  bool is_verified = false;  // also of kSlow: what is slow is the timing
  // The output (for kUnwritten, kRounding and kWrong), the buffer that is too small (kCrash; empty:
  // not known), or a macro that nobody defines (kCompile).
  std::string name{};
  std::int64_t times = 1;             // of kCrash: as large as this the buffer should be
  std::string atol{};                 // of kRounding
  std::string function{};             // of kCompile: one that another file defines
  bool is_race = false;               // of kWrong: the order of threads decides
  std::string message{};              // the first line that says why
  std::vector<std::string> doubts{};  // about the right answers, of one that has some
};

// Finds out from the message of a failed trial how it ended; `arguments` are the kernel's.
DraftTrial judged(const std::string& message, const Strings& arguments);

struct TrialSetup {
  const Strings& plugin_dirs;
  const Catalogue& catalogue;
  double timeout = 8;  // seconds for one configuration
  bool on_gpu = false;
};

// Returns the kernel's present configuration, which the draft gives to its reference, and to the
// baseline where no value is a guess; with `other` values in it.
Assignments present_configuration(const Study& study, const Assignments& other = {});

// Tries the present configuration, with `other` values. Takes twice the timeout at most.
DraftTrial try_draft(const DraftText& draft, const TrialSetup& setup,
                     const Assignments& other = {});

// Says of a trial how it ended, as part of a sentence: "gives another answer".
std::string shown_end(DraftTrial::End end);

}  // namespace tuner
