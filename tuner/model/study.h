#pragma once
// The contents of a validated study file. Plain data; the reader has checked names, types and
// ranges.

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tuner/model/captured_launch.h"
#include "tuner/model/data_type.h"
#include "tuner/model/launch.h"
#include "tuner/model/problem_size.h"
#include "tuner/space/search_space.h"

namespace tuner {

// The compiler that takes the sources; on backends with one compiler it has no effect.
enum class KernelCompiler { kAuto, kNvrtc, kNvcc };
inline std::string_view name_of(KernelCompiler compiler) {
  constexpr std::array kNames{"auto", "nvrtc", "nvcc"};
  return kNames.at(static_cast<std::size_t>(compiler));
}

// The section of a study that says what a configuration becomes.
enum class Subject {
  kNone,      // no section: the study is checked, and ranks what others measured
  kKernel,    // with the launches of its sequence
  kLauncher,  // a function of the host, which launches kernels by itself
  kCommand,   // a program
};
inline std::string_view name_of(Subject subject) {
  constexpr std::array kNames{"", "kernel", "launcher", "command"};
  return kNames.at(static_cast<std::size_t>(subject));
}

// The language of a command: only the backend for programs takes it.
inline constexpr std::string_view kCommandLanguage = "program";

// The subject of a study, whichever it is.
struct KernelSpec {
  Subject subject = Subject::kNone;
  std::string name;
  std::filesystem::path source;  // absolute; resolved against the study file
  std::string entry;             // function name or name expression; may contain {PARAM}
  std::string define_prefix = "TUNE_";
  std::vector<std::string> options;  // may contain {PARAM}
  Position where;
  std::vector<std::filesystem::path> include_dirs{};  // absolute, like `source`
  KernelCompiler compiler = KernelCompiler::kAuto;
  std::vector<std::filesystem::path> units{};  // further sources, linked with it; absolute
  std::string language = "cuda";               // or "opencl", or kCommandLanguage
  std::string text{};                          // the source itself, where it stands in the study
  // Parameters of which the source has the value itself: "#define X 4", "const int X = 4;". It is
  // replaced by the parameter's macro.
  std::vector<std::string> replaced{};
  // The macro by which a parameter's value gets into the source.
  std::string macro_of(const std::string& parameter) const {
    const bool needs_another = define_prefix.empty() && std::find(replaced.begin(), replaced.end(),
                                                                  parameter) != replaced.end();
    return (needs_another ? "TUNE_" : define_prefix) + parameter;
  }
  bool is_opencl() const { return language == "opencl"; }
  bool runs_on_host() const {
    return subject == Subject::kLauncher || subject == Subject::kCommand;
  }
};

// Returns the usual name of a kernel's language.
inline std::string language_name(const std::string& language) {
  if (language == kCommandLanguage) return "no language of kernels, but a command";
  return language == "opencl" ? "OpenCL" : language == "cuda" ? "CUDA C++" : language;
}

// LaunchAttributes as expressions; an empty one requests nothing.
struct LaunchAttributesSpec {
  std::array<Expression, 3> cluster;
  Expression cooperative;   // true or false
  Expression carveout;      // percent, or -1
  Expression scheduling;    // 'default', 'spread' or 'load_balancing'
  Expression programmatic;  // true or false; of launches that follow another
};

struct LaunchSpec {
  std::array<Expression, 3> grid;   // empty expression = 1
  std::array<Expression, 3> block;  // empty expression = 1
  Expression dynamic_shared_bytes;  // empty = 0
  LaunchAttributesSpec attributes{};
};

// A launch that follows the main one in the same stream.
struct NextLaunchSpec {
  std::string entry;  // another kernel of the same source; may contain {PARAM}
  LaunchSpec launch;
  std::vector<std::string> arguments;  // names; empty = all of the kernel's, in order
  Expression when;                     // empty = always
};

// All launches of a sequence are made `repeat` times; after each time buffers change places.
struct RoundsSpec {
  Expression repeat;                                        // empty = 1
  std::vector<std::pair<std::string, std::string>> swap{};  // names of arguments
};

// How a buffer's elements are made; the formulas are in plugin/abi.h, equal on every backend.
struct FillSpec {
  enum class Kind {
    kZeros,
    kConstant,
    kUniform,
    kNormal,
    kIntegers,
    kSequence,
    kFile,
    kProblem,
    kPermutation,  // this and the next ones are made on the host: measure/host_fills
    kChoice,
    kFormula,
    kRagged,
    kZipf,      // drawn by the device
    kCaptured,  // what a captured launch found; for each size a file: resolve/captured_plans
  };
  Kind kind = Kind::kZeros;
  double a = 0;  // constant | low | mean | lowest | start; of kRagged: mean; of kZipf: alpha
  double b = 0;  // high | standard deviation | highest | step; of kRagged: total; of kZipf: of
  // Absolute; {NAME} in it stands for an extent of the problem size. A .npy file of NumPy, else raw
  // bytes.
  std::filesystem::path file;
  std::uint64_t offset = 0;   // bytes of a raw file in front of the elements
  std::uint64_t address = 0;  // where these were when they were captured; 0: they were not
  // For kCaptured: an argument of the captured launch, a variable of its module, or an address.
  std::string captured{};
  // The argument or constant whose elements these are, from the first on; its fill stands here,
  // too. Empty: the argument's own.
  std::string same_as{};
  bool sorted = false;           // ascending, whatever makes the elements
  std::vector<double> values{};  // of kChoice
  // Element i of kFormula, the last of kRagged's offsets, or how many kZipf draws from. Of a plan
  // only its text is left, and what it may name.
  Expression rule{};
  std::string formula{};
  std::vector<std::pair<std::string, std::int64_t>> names{};

  static FillSpec of_file(std::filesystem::path path) {
    FillSpec out;
    out.kind = Kind::kFile;
    out.file = std::move(path);
    return out;
  }
  // Whether each set of inputs has elements of its own.
  bool is_random() const {
    return kind == Kind::kUniform || kind == Kind::kNormal || kind == Kind::kIntegers ||
           kind == Kind::kProblem || kind == Kind::kPermutation || kind == Kind::kChoice ||
           kind == Kind::kRagged || kind == Kind::kZipf;
  }
  // Whether a formula of the device makes the elements: plugin/abi.h.
  bool is_made_by_device() const { return kind < Kind::kFile || kind == Kind::kZipf; }
  // Whether these are drawn so quickly that each sample can have its own: by the device, without
  // numbers that the host makes or sorts.
  bool is_drawn_by_device() const { return is_random() && is_made_by_device() && !sorted; }
};

// Values that replace random inputs: kernels that are right for ordinary numbers may go wrong on
// them.
enum class ExtremeInputs { kLarge, kTiny, kEqual, kSpecial };
inline constexpr std::array kExtremeInputs{"large", "tiny", "equal", "special"};  // their names

// When a workspace is zeroed: when it is made, and every launch leaves it as it found it; before
// every launch, as part of it; or not at all, since the kernel expects nothing of it.
enum class Zero { kOnce, kEach, kNever };

// A map of another argument's buffer, for the device's copy engine (model/launch.h).
struct TensorMapSpec {
  std::string of;
  std::vector<Expression> extents;  // that buffer's shape
  std::vector<Expression> box;      // one for each of them
  Expression swizzle;               // empty = 0
  Position where;                   // of 'of'
};

// How a texture reads its buffer, or that it is a surface.
struct TextureSpec {
  TextureView::Kind kind = TextureView::Kind::kOverMemory;
  TextureView::Filter filter = TextureView::Filter::kPoint;
  TextureView::Outside outside = TextureView::Outside::kClamp;
  bool normalized = false;
  bool as_floats = false;
};

// A number or an address in the bytes of an argument, such as a member of a struct.
struct MemberSpec {
  std::string path;          // "width", "inner.x", "weights[2]"; empty: it is all that there is
  std::uint64_t offset = 0;  // bytes
  DataType type = DataType::kFloat32;
  bool is_address = false;
  // The number; with an address, how many elements behind the beginning of the buffer (empty = 0).
  Expression value;
  std::string of{};  // whose address it is; empty: null
  FillSpec fill{};   // in a buffer
  Position where{};
  std::optional<TextureSpec> texture{};  // in place of the address, an object over the buffer
};

// An argument that is several values: a struct, a vector, an address. By value, or the elements of
// a buffer.
struct RecordSpec {
  std::string type;  // of `types`, or of C; empty: addresses without a type
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 1;
  std::vector<MemberSpec> members;
};

// The value of a text parameter that names an argument's type. The argument has one ArgumentSpec
// for each value of the parameter; this one belongs to configurations with this value.
struct TypeChoice {
  std::string parameter;
  Value value;
};

struct ArgumentSpec {
  std::string name;
  DataType type = DataType::kFloat32;
  int lanes = 1;                  // numbers of that type in one element: 4 of a float4
  std::string type_name{};        // as the study writes it
  bool is_scalar = false;         // no buffer: a value or a map
  Expression value;               // scalars
  std::vector<Expression> shape;  // buffers; element count is the product
  Role role = Role::kIn;
  FillSpec fill;
  Zero zero = Zero::kOnce;  // of a workspace
  std::optional<TensorMapSpec> map{};
  std::optional<RecordSpec> record{};
  bool is_beside = false;  // memory that no parameter of the kernel names itself
  std::string file{};      // of a program, which reads it there or writes it
  // A scalar whose bytes a captured launch passed; they are here once the size is known.
  bool is_captured = false;
  std::vector<std::byte> bytes{};
  std::optional<TypeChoice> choice{};
  // Parameters that decide which buffers those are whose addresses it holds.
  std::vector<std::string> chosen_by{};
  Position where;
};

// Whether it is a buffer of addresses of other ones.
inline bool is_table(const ArgumentSpec& argument) {
  return argument.record && !argument.is_scalar && argument.record->type.empty();
}

// Whether it is a texture or a surface object.
inline bool is_texture(const ArgumentSpec& argument) {
  return argument.record && !argument.record->members.empty() &&
         argument.record->members.front().texture.has_value();
}

// The source of right answers.
enum class AnswerSource {
  kKernel,    // launched on the device
  kLauncher,  // a function of the host, or the command itself
  kFiles,
  kCaptured,  // as captured launches wrote them
  kProblem,   // of the study
};

struct ReferenceSpec {
  AnswerSource from = AnswerSource::kKernel;
  std::string entry;
  std::optional<std::filesystem::path> source;  // default: the kernel's own source
  bool shares_source = false;                   // it was the kernel's, which has another one now
  LaunchSpec launch;
  std::vector<std::string> arguments;  // names; empty = all of the kernel's, in order
  Position where;
  std::vector<NextLaunchSpec> then{};
  RoundsSpec rounds{};
  // Its definitions are those of the space's first configuration with these values instead.
  std::vector<std::pair<std::string, Value>> configuration{};
  // On how many sets of inputs answers are compared, where random numbers fill any of them.
  int seeds = 2;
  // Parameters that the right answer depends on: there is one answer for each of their values.
  std::vector<std::string> per{};
  // Further sets of inputs that answers are compared on.
  std::vector<ExtremeInputs> fills{};
  // Files of given answers, or what a captured launch wrote, by output; {NAME} in one may be a
  // parameter of `per`, too.
  std::vector<std::pair<std::string, FillSpec>> files{};

  // Whether something is launched that computes them.
  bool is_launched() const {
    return from == AnswerSource::kKernel || from == AnswerSource::kLauncher;
  }
  // Whether they are known beforehand, for one set of inputs.
  bool is_given() const { return from == AnswerSource::kFiles || from == AnswerSource::kCaptured; }
};

// The configuration that the user has now: measured first and in the final, and never beaten by
// anything slower.
struct BaselineSpec {
  Configuration configuration;  // one value for each parameter
  Position where;
};

// How outputs are compared that are not compared element by element (measure/difference).
struct CompareRule {
  enum class Norm { kNone, kL1, kL2, kMax };
  Norm norm = Norm::kNone;  // of the error and of the right answer, in place of single elements
  bool any_order = false;   // the same values, wherever they stand
  bool to_largest = false;  // rtol is of the largest right value
  bool equal_nan = false;   // NaN passes where NaN is right
  bool is_usual() const { return *this == CompareRule{}; }
  friend bool operator==(const CompareRule&, const CompareRule&) = default;
};
inline std::string_view name_of(CompareRule::Norm norm) {
  constexpr std::array kNames{"none", "l1", "l2", "max"};
  return kNames.at(static_cast<std::size_t>(norm));
}

// An element passes when |value - expected| <= atol + rtol * |expected|. NaN never passes.
struct Tolerance {
  Expression rtol;  // may use the problem size; empty = 0
  Expression atol;
  bool by_problem = false;  // instead: the study's problem judges
  bool is_usual = false;    // instead: those of outputs of which the study says nothing
  CompareRule how{};
};

struct ObjectiveSpec {
  std::string name = "time";  // "time" (seconds) or a metric
  bool maximize = false;
  std::vector<ObjectiveSpec> beside{};  // weighed beside it; they have none of their own
};

struct Budget {
  std::optional<std::uint64_t> evaluations;
  std::optional<double> seconds;
  std::optional<double> target{};           // stop once the objective is as good as this
  std::optional<std::uint64_t> patience{};  // stop after so many evaluations without a better one
};

// An option of something that a plugin offers, as it was given.
struct OptionValue {
  std::string name, value;
  Position where{};
  friend bool operator==(const OptionValue&, const OptionValue&) = default;
};
using OptionList = std::vector<OptionValue>;

struct BackendSpec {
  std::string name = "auto";  // the first that works, the cpu last
  OptionList options{};       // which auto has none of
  Position where{};
  std::string text{};  // that has the positions; empty = the study's
};

// The plugin that fills inputs, knows right answers and judges, where the study leaves that to one.
struct ProblemSpec {
  std::string name;
  OptionList options;
  Position where;
};

// A metric whose value an observer of a plugin gives.
struct ObserverSpec {
  std::string metric;
  std::string name;   // of the observer
  std::string value;  // which of its values; empty = that with the metric's name, or its only one
  OptionList options;
  Position where;        // of the observer's name
  Position value_where;  // of the value's
};

// Something outside of the search that proposes configurations, which are measured first.
struct AdviceSource {
  enum class Kind { kFile, kCommand, kPlugin, kNvMatmul };
  Kind kind = Kind::kFile;
  std::string name{};                // that results keep, and messages say
  std::vector<std::string> words{};  // the file, the command line, or the plugin's advisor
  std::filesystem::path folder{};    // in which a command works
  // For nvMatmulHeuristics: parameters, and the fields that they are given.
  std::vector<std::pair<std::string, std::string>> fields{};
  OptionList options{};  // of an advisor
  Position where{};
};

struct SearchSpec {
  std::string strategy = "default";
  OptionList options;
  Budget budget;
  // The search of a domain ends once the expected loss of what was tuned is below this.
  double until_loss = 0.03;
  std::vector<AdviceSource> advice{};
  Position where;
  std::string text{};  // that has the positions; empty = the study's
};

// Contents of the last-level cache when a timed launch begins: nothing of its data, what the launch
// before it left, or what as many launches on other copies of the buffers have left as fill the
// cache twice.
enum class CacheState { kCold, kHot, kRotate };

// How timed launches come to the device: one by one in a stream, or from a graph that holds them.
enum class LaunchMode { kStream, kGraph };

// Inputs of a timed launch: the same in all samples, or other numbers in each.
enum class TimedInputs { kSame, kFresh };

struct MeasureSpec {
  CacheState cache = CacheState::kCold;
  LaunchMode mode = LaunchMode::kStream;
  TimedInputs inputs = TimedInputs::kSame;
  int min_samples = 7;  // of a configuration that is not dropped
  int max_samples = 50;
  double max_milliseconds = 200;  // of kernel time for one configuration's samples
  double confidence = 0.95;
  double precision = 0.015;  // half width of the interval of the median, relative
  double drop_above = 2.0;   // a probe slower than this times the best is dropped; 0 = never
  int finalists = 16;        // re-measured interleaved at the end; 0 = none
  // The simplest wins of those less than this behind the fastest. The usual half a hundredth leaves
  // the winner's true time within a hundredth of the best's when the measurement errs by as much.
  double simpler_within = 0.005;
  bool power = false;  // a metric asks for power or energy: that takes a second more
  // A variant reports its own time: how long a launch lasts does not follow from it.
  bool by_variant = false;
  Position cache_where{};
  Position mode_where{};
  Position inputs_where{};
};

// The work that the kernel has to do at least, whatever the configuration does besides. Enters no
// measurement.
struct LeastWork {
  Expression bytes;              // read and written; empty: not said
  Expression flops;              // a multiplication and an addition are two; empty: not said
  std::string type = "float32";  // of these; may contain {PARAM}
};

// How an export answers for sizes that were not tuned. Enters no measurement.
struct ExportSpec {
  // By dimension: how much a ratio in it counts against another size. Dimensions that are not here
  // count 1.
  std::vector<std::pair<std::string, double>> weights;
};

// A launch of the application that a study is about.
struct CapturedSize {
  ProblemSize size;
  CapturedLaunch launch;
};

struct Study {
  std::filesystem::path file;
  std::string text;  // of the file, for messages; empty where another file has a part in it
  KernelSpec kernel;
  std::vector<ProblemSize> sizes;  // with a domain: an example of each of its kinds
  std::optional<SizeDomain> domain{};
  std::vector<Parameter> parameters;
  std::vector<NamedExpression> derived;
  std::vector<Expression> constraints;
  // Conditions of a run (--where): it measures only where they hold. What they leave out is no less
  // a part of the study, and ranked where it is known.
  std::vector<Expression> only{};
  std::optional<BaselineSpec> baseline{};
  // Conditions on what compilers report: a variant for which one is false is not run.
  std::vector<Expression> compiled{};
  LaunchSpec launch;
  std::vector<std::string> launch_arguments{};  // of the main launch: names; empty = all, in order
  KernelLimits limits{};
  // Pieces of work that blocks share evenly; empty: each block is one. No launch depends on it.
  Expression work{};
  std::vector<NextLaunchSpec> then{};
  RoundsSpec rounds{};
  std::vector<ArgumentSpec> arguments;
  std::vector<ArgumentSpec> constants;   // __constant__ symbols
  std::vector<CapturedSize> captured{};  // one for each size, or none at all
  // All memory of the captured launches is put where it was, and buffers are parts of it.
  bool memory_is_captured = false;
  std::optional<ProblemSpec> problem{};
  std::optional<ReferenceSpec> reference;
  std::vector<std::pair<std::string, Tolerance>> verify;  // by argument name
  bool verify_nothing = false;            // the user says that no answer is to be compared
  bool deterministic = false;             // each launch has to leave the same bits in the outputs
  std::optional<LeastWork> least_work{};  // the section 'work'
  std::vector<NamedExpression> metrics;
  std::vector<ObserverSpec> observers{};  // of metrics that are there with their name as expression
  OptionList counters{};  // as well: metrics by name that are "dram__bytes.sum" of the device
  ObjectiveSpec objective;
  BackendSpec backend;
  SearchSpec search;
  MeasureSpec measure;
  ExportSpec exports;

  // Whether there is something to run, and not only what `check` needs.
  bool is_runnable() const { return kernel.subject != Subject::kNone; }
};

}  // namespace tuner
