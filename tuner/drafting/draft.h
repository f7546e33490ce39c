#pragma once
// A first study for a kernel that somebody has: drafted from a source and the host code beside it,
// and from guesses where they do not suffice.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/drafting/tuner_script.h"
#include "tuner/model/captured_launch.h"
#include "tuner/source/project_files.h"

namespace tuner {

inline constexpr const char* kEvery = "*";  // buffer, output
// Said of a draft without a knob.
inline constexpr const char* kNothingToTune =
    "nothing to tune was found: a knob is a #define, a constant, or a template parameter";

// A variant's launches, with another order of threads, may be farther from the captured answer than
// the farthest of ten: so many times as far is allowed.
inline constexpr double kTimesFarther = 4;

// How far an output of ten launches of a captured kernel is from what it wrote in its program.
struct DraftedDistance {
  double largest = 0;
  bool has_room = false;  // the usual tolerance allows kTimesFarther as much
};

struct DraftRequest {
  std::string source;         // its text
  std::string source_name;    // for messages
  std::string relative_name;  // as the study names it
  std::string kernel;         // empty: the first that is not a reference
  ProjectFiles project{};
  std::vector<std::string> include_dirs{};    // those of the project, as the study names them
  std::vector<TunerScript> scripts{};         // calls of a tuner in the project
  std::optional<TunerScript> script{};        // of these the first that tunes the kernel
  std::vector<CapturedLaunch> captured{};     // of the kernel, one for each size
  std::vector<CapturedLaunch> as_large{};     // with other blocks: what the grid follows
  std::set<std::size_t> changed{};            // parameters to what these change
  std::vector<std::string> units{};           // further sources of device code, like the name
  std::vector<std::string> captured_names{};  // their folders, as the study names them
  // By output, of those of floats that differ in ten launches of the captured kernel.
  std::map<std::string, DraftedDistance> distances{};
  std::string differs{};     // what else differs in them, from what the study asks
  std::size_t compared = 0;  // captured launches for which there were such launches
  std::string not_compared = "nothing was tried";  // why there were none; empty: there were

  std::string launcher_name{};    // the file of the launcher to be drafted; empty: none is
  std::set<std::string> knobs{};  // that are asked for, whatever they look like

  // Lessons of an earlier draft.
  bool without_host = false;  // a launch of the host code that makes no study
  // By buffer or kEvery: it is this many times as large as it seems to be.
  std::map<std::string, std::int64_t> room{};
  bool keeps_numbers = false;   // of the host code: they are no extents
  bool odd = false;             // guessed extents are odd
  std::int64_t smaller = 1;     // extents are this many times as small
  std::int64_t shared = 0;      // dynamic bytes, where it is not seen how many the host code has
  bool whole = false;           // extents are the host code's, however long a CPU takes
  std::int64_t fewer = 1;       // a guessed block has this many times fewer threads along each axis
  std::set<std::string> per{};  // parameters that the right answer depends on
  std::set<std::string> follow{};  // extents of blocks that the grid has to follow
  // Values that failed when they were tried, by parameter, and how.
  std::map<std::string, std::map<std::int64_t, std::string>> refused{};
  // Values that only a trial speaks for (DraftedParameter::open): whether the draft has them all,
  // to be tried, and those that were right.
  bool asks = false;
  std::map<std::string, std::set<std::int64_t>> proven{};
  std::set<std::string> unwritten{};  // outputs of which not every element is written, or kEvery
  std::set<std::string> any_order{};  // outputs whose elements are compared in any order
  std::set<std::string> unsteady{};   // outputs that no two launches write alike
  std::map<std::string, std::string> atol{};  // by output: what its rounding differs by
  bool positive = false;                      // numbers below zero make NaNs
  bool small = false;                         // whole numbers of inputs are 0 or 1
  bool distinct = false;                      // whole numbers that are places are all different
  std::set<std::string> undefined{};          // macros that a build defines
  std::int64_t registers = 0;                 // of the kernel, which may have fewer; 0: no knob
  std::vector<std::string> remarks{};         // what is to be said at the top

  std::int64_t room_of(const std::string& buffer) const {
    const auto own = room.find(buffer), all = room.find(kEvery);
    return own != room.end() ? own->second : all != room.end() ? all->second : 1;
  }
};

struct DraftedKnob {
  std::string name;
  std::vector<std::int64_t> values;
  std::int64_t present = 0;
  bool is_untied = false;            // an extent of the block that the grid does not follow
  bool is_given = false;             // by a script, and of no extent of the launch
  std::vector<std::int64_t> open{};  // those of `values` that only a trial speaks for
};

struct DraftedStudy {
  std::string yaml;
  std::string launcher;  // the text of its file; empty: there is none
  std::string kernel;
  std::vector<std::string> found;    // what the source says
  std::vector<std::string> guessed;  // what the user should look at
  std::vector<DraftedKnob> knobs{};
  bool has_knobs = false;    // besides extents of the block
  bool has_extents = false;  // else it cannot be made smaller
  bool has_numbers = false;  // of the host code, as extents
  bool has_guessed_extents = false;
  bool has_guessed_shared = false;  // bytes of dynamic shared memory
  bool has_whole_inputs = false;    // buffers that are filled with whole numbers
  bool reads_clock = false;         // of which no two answers are alike
  std::size_t outputs = 0;          // that are verified
  std::int64_t smaller = 1;         // extents are this many times as small, asked for or not
};

// The name of the kernel that draft_study() would choose.
std::string kernel_to_draft(const DraftRequest& request);

// Throws InputError for a source without a kernel, and for one that takes what no study can give.
DraftedStudy draft_study(const DraftRequest& request);

}  // namespace tuner
