// One of each kind, written with the SDK: what it answers lets a test see what crossed.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "tuner/plugin/sdk.h"

namespace {

using namespace tuner;  // NOLINT(google-build-using-namespace)

// Proposes `start`, start+1, ...; an observation with state 4 makes tell() throw. A prior moves the
// start to its best result; one without results makes learn() throw. What is compiled is measured
// from the last one to the first, but it loses one that is alone.
class Sequence : public sdk::Strategy {
 public:
  static constexpr const char* kName = "sequence";
  static constexpr const char* kSummary = "configurations in order";
  static constexpr tuner_option_info kOptions[] = {
      {"start", "0", "first index", "integer 0..1000"},
      {"step", "1", "distance", "integer 1..10"},
      {"scale", "0.5", "from 0 to 1", "number 0..1"},
      {"order", "up", "up or down", "one of up, down"},
      {"eager", "false", "whether to hurry", "flag"},
  };
  explicit Sequence(const sdk::StrategySetup& setup)
      : space_(setup.space),
        next_(static_cast<sdk::Index>(setup.options.integer("start", 0, 1000))),
        step_(static_cast<sdk::Index>(setup.options.integer("step", 1, 10))) {
    setup.options.number("scale", 0, 1);
    setup.options.choice("order", {"up", "down"});
    setup.options.flag("eager");
  }

  std::vector<sdk::Index> ask(std::size_t count) override {
    std::vector<sdk::Index> out;
    for (; out.size() < count && next_ < space_.size(); next_ += step_) out.push_back(next_);
    return out;
  }
  void tell(const sdk::Observation& seen) override {
    if (seen.state == 4) throw std::runtime_error("told of a crash");
    if (!seen.objectives.empty() && seen.objectives[0] < 0) next_ = space_.size();
  }

  void learn(const sdk::Prior& prior) override {
    const auto best = std::min_element(prior.results.begin(), prior.results.end(),
                                       [](auto& a, auto& b) { return a.loss < b.loss; });
    if (best == prior.results.end()) throw std::runtime_error("an empty prior");
    if (prior.likeness > 0.5) next_ = best->index;
  }

  std::vector<sdk::Index> order(std::vector<sdk::Index> compiled) override {
    if (compiled.size() == 1) return {};
    std::sort(compiled.rbegin(), compiled.rend());
    return compiled;
  }

 private:
  sdk::Space space_;
  sdk::Index next_, step_;
};

class ToyCompiler : public sdk::Compiler {
 public:
  static constexpr const char* kName = "toy";
  static constexpr const char* kSummary = "writes the request into the image";
  static constexpr const char* kSecondFor = "other";
  static constexpr tuner_option_info kOptions[] = {{"level", "1", "of care", "integer 0..3"}};
  explicit ToyCompiler(const sdk::Options& options) : level_(options.text_of("level")) {}
  std::string identity() override { return "toy 1"; }
  sdk::CompileResult compile(const sdk::CompileRequest& request) override {
    sdk::CompileResult result;
    if (request.source.find("opens ") == 0) {
      result.opened.emplace();
      std::istringstream words(request.source.substr(6));
      for (std::string path; words >> path;) result.opened->push_back(path);
    }
    if (request.source.find("error") != std::string::npos) {
      result.log = request.source_name + ": error: as asked";
      return result;
    }
    result.compiled = true;
    result.entry = "lowered_" + request.entry;
    result.image = request.source + "|" + request.arch;
    if (level_ != "1") result.image += "|level " + level_;
    for (const auto& one : request.include_dirs) result.image += "|I" + one;
    for (const auto& one : request.options) result.image += "|" + one;
    for (const auto& [name, value] : request.defines) result.image += "|D" + name + "=" + value;
    for (const auto& one : request.symbols) result.symbols.emplace_back(one, "lowered_" + one);
    result.resources.registers = 17;
    result.resources.spill_bytes = 8;
    for (const auto& one : request.next_entries) {
      result.next.push_back({"lowered_" + one, {5, 0, 0, 0, 4, -1}});
    }
    result.log = "a warning";
    return result;
  }

 private:
  std::string level_;
};

// Buffers are host memory; "launching" writes the first scalar into the first buffer, and so does
// each launch that follows.
class ToyBackend : public sdk::Backend, public sdk::SetsLaunchAttributes {
 public:
  static constexpr const char* kName = "toy";
  static constexpr const char* kSummary = "host memory";
  static constexpr bool kRunsOnHost = true;
  static constexpr tuner_option_info kOptions[] = {
      {"order", "fixed", "fixed or random", "one of fixed, random"}};
  static int device_count() { return 2; }

  ToyBackend(std::uint32_t device, const sdk::Options& options) : device_(device) {
    options.choice("order", {"fixed", "random"});
    if (device >= 2) throw sdk::Error(TUNER_INVALID, "there are 2 devices");
  }

  tuner_device_facts facts() override {
    tuner_device_facts facts{};
    facts.struct_size = sizeof facts;
    facts.compute_capability = 90;
    std::strcpy(facts.name, device_ == 0 ? "Toy Zero" : "Toy One");
    std::memset(facts.arch, 'x', sizeof facts.arch);  // not terminated: the host must cope
    std::strcpy(facts.uuid, "TOY-1");
    std::strcpy(facts.driver, "toys 1.0");
    // Every number another one: 26, 25, ... 7.
    constexpr std::size_t kFirst = offsetof(tuner_device_facts, multiprocessors);
    std::array<std::int64_t, (sizeof facts - kFirst) / sizeof(std::int64_t)> numbers{};
    std::iota(numbers.rbegin(), numbers.rend(), 7);
    std::memcpy(reinterpret_cast<char*>(&facts) + kFirst, numbers.data(), sizeof numbers);
    return facts;
  }
  std::uint64_t allocate(std::uint64_t bytes) override {
    if (bytes > 1 << 20) throw sdk::Error(TUNER_OUT_OF_MEMORY, "a toy has one megabyte");
    buffers_[++last_].resize(bytes);
    return last_;
  }
  void release(std::uint64_t buffer) override { buffers_.erase(buffer); }
  void upload(tuner_range to, const void* data, std::uint64_t bytes) override {
    std::memcpy(at(to, bytes), data, bytes);
  }
  void download(tuner_range from, void* data, std::uint64_t bytes) override {
    std::memcpy(data, at(from, bytes), bytes);
  }
  void fill(tuner_range to, std::uint64_t elements, const tuner_fill& how) override {
    std::memset(at(to, elements), static_cast<int>(how.a), elements);
  }
  void copy(tuner_range to, tuner_range from, std::uint64_t bytes) override {
    std::memcpy(at(to, bytes), at(from, bytes), bytes);
  }
  tuner_comparison compare(tuner_range actual, tuner_range expected, tuner_type,
                           std::uint64_t elements, double, double) override {
    tuner_comparison found{};
    const auto* a = reinterpret_cast<const unsigned char*>(at(actual, elements));
    const auto* b = reinterpret_cast<const unsigned char*>(at(expected, elements));
    for (std::uint64_t i = elements; i-- > 0;) {
      if (a[i] == b[i]) continue;
      found = {found.mismatches + 1, i, 1.5, double(a[i]), double(b[i])};
    }
    return found;
  }
  sdk::LoadedKernel load(std::string_view image, std::string_view entry) override {
    if (image.empty()) throw sdk::Error(TUNER_INVALID, "an empty image");
    sdk::LoadedKernel loaded{entry.size(), sdk::kUnknownResources};
    loaded.resources.registers = 42;
    return loaded;
  }
  void unload(std::uint64_t) override { throw std::runtime_error("must stay inside"); }
  void set_symbol(std::uint64_t, std::string_view name, const void*, std::uint64_t) override {
    throw sdk::Error(TUNER_UNSUPPORTED, "no symbol " + std::string(name));
  }
  sdk::LoadedKernel load_next(std::uint64_t kernel, std::string_view entry) override {
    if (entry.empty()) throw sdk::Error(TUNER_INVALID, "no such kernel");
    return {kernel + entry.size(), {7, -1, -1, -1, -1, -1}};
  }
  void launch(std::uint64_t kernel, const tuner_launch& first) override {
    for (const sdk::Step& step : sdk::steps_of(kernel, first)) launch_one(*step.launch);
  }
  void time(std::uint64_t, const tuner_launch&, const tuner_timing& timing,
            std::span<double> milliseconds) override {
    std::iota(milliseconds.begin(), milliseconds.end(), timing.flush_cache != 0 ? 1.0 : 0.5);
    for (const auto& one : std::span(timing.restores, timing.restore_count)) {
      copy({one.to, 0}, {one.from, 0}, one.bytes);
    }
  }

 private:
  void launch_one(const tuner_launch& launch) {
    if (launch.dynamic_shared_bytes > 100) throw sdk::Error(TUNER_LAUNCH_REFUSED, "too much");
    const tuner_launch_attributes* asked = launch.attributes;
    if (asked != nullptr && asked->cooperative != 0) {
      throw sdk::Error(TUNER_LAUNCH_REFUSED, "too many blocks at once");
    }
    if (launch.grid[2] == 9) throw sdk::Error(TUNER_RUNTIME_FAULT, "illegal access");
    const tuner_argument& buffer = launch.arguments[0];
    const tuner_argument& scalar = launch.arguments[1];
    std::memcpy(at(buffer.buffer, scalar.scalar_size), scalar.scalar, scalar.scalar_size);
  }

  char* at(tuner_range range, std::uint64_t bytes) {
    const auto found = buffers_.find(range.buffer);
    if (found == buffers_.end() || range.offset + bytes > found->second.size()) {
      throw sdk::Error(TUNER_INVALID, "outside the buffer");
    }
    return found->second.data() + range.offset;
  }

  std::uint32_t device_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::vector<char>> buffers_;
};

// x[i] = base + i + 10 * set, and y is twice that; anything within `slack` in all is right.
class Ramp : public sdk::Problem {
 public:
  static constexpr const char* kName = "ramp";
  static constexpr const char* kSummary = "a ramp";
  static constexpr tuner_option_info kOptions[] = {
      {"base", "1", "first element", "integer 0..1000"},
      {"slack", "0.5", "allowed in all", "number 0..10"}};

  explicit Ramp(const sdk::ProblemSetup& setup)
      : base_(setup.options.integer("base", 0, 1000)),
        slack_(setup.options.number("slack", 0, 10)) {
    if (setup.extent("N") > 1000) throw std::runtime_error("N is above 1000");
  }
  void fill(std::uint32_t set, const sdk::ArrayToWrite& input) override {
    if (input.name() != "x") refuse("fill", input.name());
    const auto x = input.as<float>();
    std::iota(x.begin(), x.end(), static_cast<float>(base_ + 10 * set));
  }
  void answer(std::uint32_t, const sdk::Inputs& inputs, const sdk::ArrayToWrite& output) override {
    const auto x = inputs["x"].as<float>();
    const auto y = output.as<float>();
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = 2 * x[i];
  }
  sdk::Judgement judge(std::uint32_t, const sdk::Array& actual,
                       const sdk::Array& expected) override {
    double error = 0;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      error += std::abs(actual.as<float>()[i] - expected.as<float>()[i]);
    }
    return {error <= slack_, error, "off by " + std::to_string(error) + " in all"};
  }

 private:
  std::int64_t base_;
  double slack_;
};

// Gives what it is shown.
class Mirror : public sdk::Observer {
 public:
  static constexpr const char* kName = "mirror";
  static constexpr const char* kSummary = "what it is shown";
  static constexpr tuner_option_info kOptions[] = {{"launches", "2", "wanted", "integer 0..9"}};
  static constexpr tuner_value_info kValues[] = {{"image", "bytes", "size of the image"},
                                                 {"threads", "", "of a block"},
                                                 {"begun", "", "how often"},
                                                 {"never", "", "has no value"}};
  explicit Mirror(const sdk::Options& options)
      : launches_(static_cast<std::uint32_t>(options.integer("launches", 0, 9))) {}
  std::uint32_t launches() const override { return launches_; }
  void begin(const tuner_observed& variant) override {
    if (variant.sample_count == 0) throw std::runtime_error("nothing was timed");
    ++begun_;
  }
  std::vector<double> end(const tuner_observed& variant) override {
    return {static_cast<double>(variant.image.size), static_cast<double>(variant.block[0]), begun_,
            std::numeric_limits<double>::quiet_NaN()};
  }

 private:
  std::uint32_t launches_;
  double begun_ = 0;
};

struct Echo {
  static constexpr const char* kName = "echo";
  static constexpr const char* kSummary = "the document itself";
  static constexpr tuner_option_info kOptions[] = {{"times", "1", "how often", "integer 1..9"}};
  static std::string write(std::string_view results, const sdk::Options& options) {
    if (results.find("forbidden") != std::string_view::npos) throw std::runtime_error("no");
    std::string out;
    for (auto i = options.integer("times", 1, 9); i > 0; --i) out += results;
    return out;
  }
};

}  // namespace

TUNER_PLUGIN("toy", "1.2.3", sdk::Strategies<Sequence>, sdk::Compilers<ToyCompiler>,
             sdk::Backends<ToyBackend>, sdk::Exporters<Echo>, sdk::Problems<Ramp>,
             sdk::Observers<Mirror>);
