#pragma once
// A study with all expressions evaluated: what a run worker needs, and nothing else. These are the
// nouns that cross the wire from the coordinator.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/artifact.h"
#include "tuner/model/launch.h"
#include "tuner/model/study.h"
#include "tuner/model/trial.h"

namespace tuner {

struct TensorMapPlan {
  std::uint32_t of = 0;  // index into SizePlan::arguments
  TensorMap map;
};

// Byte `place` of an argument begins the address of byte `offset` of another one's buffer.
struct AddressPlan {
  std::uint64_t place = 0;
  std::uint32_t of = 0;  // index into SizePlan::arguments
  std::uint64_t offset = 0;
  std::optional<TextureView> texture{};  // then it is an object over that buffer
};

// A number that each struct of a buffer holds, or several in a row.
struct MemberPlan {
  std::string path;  // for messages
  std::uint64_t offset = 0;
  DataType type = DataType::kFloat32;
  FillSpec fill;
  std::uint64_t seed = 0;  // added to the argument's
  std::uint64_t count = 1;
  bool is_poisoned = false;  // in front of each launch, which has to write all of it
};

struct ArgumentPlan {
  std::string name;  // for constants: the symbol as the study writes it
  DataType type = DataType::kFloat32;
  bool is_scalar = false;                // no buffer of its own
  std::vector<std::byte> scalar;         // value of a scalar; bytes of a table of addresses
  std::vector<AddressPlan> addresses{};  // that stand in them
  std::vector<MemberPlan> members{};     // of a buffer of structs, whose elements are bytes
  std::uint64_t elements = 0;            // of a buffer
  std::vector<std::uint64_t> extents{};  // of a buffer; `elements` is their product
  Role role = Role::kIn;
  FillSpec fill;
  Zero zero = Zero::kOnce;  // of a workspace
  std::uint64_t seed = 0;
  std::uint32_t set = 0;            // of inputs, for a problem that fills it
  bool varies = false;              // with the configuration, which decides what it is
  bool has_special_values = false;  // zeros, ones, the smallest numbers: here and there among these
  std::optional<TensorMapPlan> map{};
  std::uint64_t address = 0;  // where kernels expect its contents; 0: anywhere
};

// How far a number may be from the right one.
struct Closeness {
  double rtol = 0;
  double atol = 0;
  bool atol_is_share = false;  // of the size of the answer's numbers
};

struct CheckPlan {
  std::uint32_t argument = 0;  // index into SizePlan::arguments
  double rtol = 0;
  double atol = 0;
  bool by_problem = false;           // instead: the problem judges
  std::vector<Closeness> members{};  // of ArgumentPlan::members
  CompareRule how{};
  bool atol_is_share = false;  // as Closeness has it
};

// A launch that follows the main one.
struct NextLaunchPlan {
  std::string name;  // the entry as the study writes it
  LaunchGeometry geometry;
  std::vector<std::uint32_t> arguments;  // indices into SizePlan::arguments
};

// Launches in their order: the main one and those that follow it, `rounds` times. After each round
// buffers change places: each of a pair is passed where the other one was.
struct SequencePlan {
  LaunchGeometry geometry;  // of the main launch
  // The arguments that it takes, as NextLaunchPlan::arguments; nothing: all that there are, in
  // their order.
  std::optional<std::vector<std::uint32_t>> arguments{};
  std::vector<NextLaunchPlan> then{};  // one for each of the artifact's
  std::uint32_t rounds = 1;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> swaps{};
};

// One right answer. There are several where it depends on parameters, one for each of their values.
struct AnswerPlan : SequencePlan {
  std::uint32_t key = 0;  // of these values, as VariantPlan::answer
  std::string values;     // for messages: "STEPS=4"; empty where there is one answer only
  Artifact artifact;
  // Arguments whose value or size depends on these parameters, by index into SizePlan::arguments.
  std::vector<std::pair<std::uint32_t, ArgumentPlan>> overrides{};
  bool by_problem = false;  // instead of a kernel, the problem knows the answer
  // Outputs whose files hold the answer.
  std::vector<std::pair<std::uint32_t, ArgumentPlan>> files{};
};

struct ReferencePlan {
  std::vector<std::uint32_t> arguments;  // of any of its launches; as NextLaunchPlan::arguments
  std::vector<AnswerPlan> answers;
  std::uint32_t seeds = 1;             // sets of inputs that answers are compared on
  std::vector<ExtremeInputs> fills{};  // and further ones
};

// A plugin's item to be made in the run worker.
struct PluginPlan {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;
};

struct ObserverPlan {
  PluginPlan plugin;
  // Metrics that it has values of, and which of its values; empty as in ObserverSpec.
  std::vector<std::pair<std::string, std::string>> metrics;
};

// One problem size: buffers, reference, tolerances. Prepared once, used by every variant.
struct SizePlan {
  std::vector<ArgumentPlan> arguments;
  std::vector<ArgumentPlan> constants;
  std::optional<ReferencePlan> reference;
  std::vector<CheckPlan> checks;
  bool deterministic = false;
  MeasureSpec measure;
  std::optional<PluginPlan> problem{};
  std::vector<std::pair<std::string, std::int64_t>> extents{};  // of the size, for the problem
  std::vector<ObserverPlan> observers{};
  bool has_host_code = false;  // variants are functions of the host, which run in the worker itself
  KernelLimits limits{};
};

// One configuration of a problem size.
struct VariantPlan : SequencePlan {
  Artifact artifact;
  // Arguments whose scalar value or size depends on the configuration, by index.
  std::vector<std::pair<std::uint32_t, ArgumentPlan>> overrides;
  std::uint32_t answer = 0;  // which of the right answers is this one's: AnswerPlan::key
  // Median of the best valid configuration so far, milliseconds; 0 = none yet.
  double best_ms = 0;
  // A finalist's median in its search, milliseconds; 0 = not known.
  double searched_ms = 0;
  bool looks_at_kept = false;  // afterwards, whatever its outcome: measure/watches
};

// How finalists are measured in turns.
struct FinalPlan {
  int rounds = 0;
  std::uint64_t seed = 1;  // of the order in each round
  // Time for the rounds and all around them; what does not fit is left out, but for the fewest
  // rounds.
  double seconds = std::numeric_limits<double>::infinity();
  int fewest = 7;  // so that the median's interval is more than its range
  // Looks at what is kept after each finalist, so that who damages it is known, not once at the
  // end.
  bool looks_at_each = false;
  // Instead of being timed, each is launched under the device's profiler: these are counted.
  std::vector<std::string> counters{};
};

// Whether what is kept for comparing answers and restoring inputs was seen to be whole afterwards.
// Damaged: by this variant or one before it, so that nothing is known of this one.
enum class Kept : std::uint32_t { kNotSeen, kWhole, kDamaged };

// A run worker's findings about one configuration.
struct Verdict : Measured {
  // Time of the sentinel, a variant measured again every few seconds, over its first time: how the
  // device itself got slower or faster. 0 = not measured with this variant.
  double drift = 0;
  Kept kept = Kept::kNotSeen;
  bool context_dead = false;  // the worker must be replaced
  bool device_lost = false;   // the run must stop
  bool retryable = false;     // the cause may lie outside the variant: it may try again
  bool is_own = false;        // nothing that ran before it in the worker can be the cause
  bool is_last = false;       // the worker ends behind it: it is not as it was when it began
};

}  // namespace tuner
