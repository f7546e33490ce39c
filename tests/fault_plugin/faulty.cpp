// A backend for tests: its "kernels" double numbers on the host, and the text parameter FAULT says
// how they, or their compilation, go wrong. TUNER_FAULTY_TIMES makes all take so many times as
// long. TUNER_FAULTY_STATE names a folder where it counts across processes; TUNER_FAULTY_OPEN says
// what opening the device does. A problem and an observer go wrong as their options say.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <new>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "tuner/plugin/sdk.h"

namespace {

using namespace tuner;  // NOLINT(google-build-using-namespace)

constexpr int kSocket = 3;  // on which a worker talks to the coordinator

[[noreturn]] void hang() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

void say(const std::string& bytes) {
  if (::write(kSocket, bytes.data(), bytes.size()) < 0) std::_Exit(9);
}

// A frame of the protocol around any bytes.
std::string framed(const std::string& body) {
  std::string frame = "TNRF";
  for (unsigned shift = 0; shift < 32; shift += 8) frame += static_cast<char>(body.size() >> shift);
  return frame + body;
}

std::string repeated(const std::string& piece, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += piece;
  return all;
}

// How often this was called with this name, by any process.
std::uintmax_t count(const std::string& name) {
  const char* folder = std::getenv("TUNER_FAULTY_STATE");
  if (folder == nullptr) return 1;
  const std::filesystem::path file = std::filesystem::path(folder) / name;
  std::ofstream(file, std::ios::app) << 'x';
  return std::filesystem::file_size(file);
}

// Does nothing more afterwards: a worker that went on might finish its work before it is killed.
void talk_nonsense(const std::string& bytes) {
  say(bytes);
  hang();
}

// Deaths and nonsense: of a run worker, or of a compile worker when the name has that prefix.
void misbehave(const std::string& fault) {
  if (fault == "crash") std::raise(SIGSEGV);
  if (fault == "abort") std::abort();
  if (fault == "exit") std::_Exit(0);
  if (fault == "hang") {
    count(fault);  // a test may wait for it
    hang();
  }
  if (fault == "killed") std::raise(SIGKILL);
  if (fault == "killed_once" && count(fault) == 1) std::raise(SIGKILL);
  if (fault == "close") {
    ::close(kSocket);
    hang();
  }
  if (fault == "garbage") talk_nonsense("this is not the protocol");
  if (fault == "nested") talk_nonsense(framed(repeated("\xA1\x61x", 100000)));
  if (fault == "huge") talk_nonsense("TNRF\xFF\xFF\xFF\xFF");
  // {"type": "verdict", "id": "x"}
  if (fault == "wrong_types") talk_nonsense(framed("\xA2\x64type\x67verdict\x62id\x61x"));
  if (fault == "no_memory") throw sdk::Error(TUNER_OUT_OF_MEMORY, "there is no memory");
  if (fault == "no_memory_at_first" && count(fault) <= 2) {
    throw sdk::Error(TUNER_OUT_OF_MEMORY, "there is no memory yet");
  }
  if (fault == "lost") throw sdk::Error(TUNER_DEVICE_LOST, "it has fallen off the bus");
}

class FaultyCompiler : public sdk::Compiler {
 public:
  static constexpr const char* kName = "faulty";
  static constexpr const char* kSummary = "for tests";
  std::string identity() override { return "faulty 1"; }
  sdk::CompileResult compile(const sdk::CompileRequest& request) override {
    std::string fault = "ok";
    const std::string prefix = "TUNE_FAULT_IS_";
    for (const auto& [name, value] : request.defines) {
      const bool lower = std::none_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()),
                                      name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
      if (name.rfind(prefix, 0) == 0 && lower && value == "1") fault = name.substr(prefix.size());
    }
    const std::string compile = "compile_";
    if (request.entry == "reference") fault = "ok";
    if (fault.rfind(compile, 0) == 0) misbehave(fault.substr(compile.size()));
    sdk::CompileResult result;
    if (fault == "compile_error") {
      result.log = "error: as asked";
      return result;
    }
    if (fault == "compile_eat") throw std::bad_alloc();
    result.compiled = true;
    result.image = fault;
    result.entry = request.entry;
    return result;
  }
};

class FaultyBackend : public sdk::Backend {
 public:
  static constexpr const char* kName = "faulty";
  static constexpr const char* kSummary = "for tests";
  static int device_count() { return 1; }

  FaultyBackend(std::uint32_t, const sdk::Options&) {
    const char* how = std::getenv("TUNER_FAULTY_OPEN");
    const std::string fault = how == nullptr ? "" : how;
    if (fault == "busy_at_first" && count(fault) <= 2) {
      throw sdk::Error(TUNER_DEVICE_LOST, "another program has it");
    }
    if (fault == "not_again" && count(fault) > 1) {
      throw sdk::Error(TUNER_DEVICE_LOST, "it has fallen off the bus");
    }
    misbehave(fault);
  }

  tuner_device_facts facts() override {
    tuner_device_facts facts{};
    facts.struct_size = sizeof facts;
    std::strcpy(facts.name, "Faulty");
    facts.max_threads_per_block = 1024;
    std::fill(std::begin(facts.max_block), std::end(facts.max_block), 1024);
    std::fill(std::begin(facts.max_grid), std::end(facts.max_grid), 1 << 20);
    return facts;
  }
  std::uint64_t allocate(std::uint64_t bytes) override {
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
    if (how.kind == TUNER_FILL_BYTES) {
      const std::uint64_t width = how.type == TUNER_UINT8 ? 1 : 4;
      std::memset(at(to, elements * width), static_cast<int>(how.a), elements * width);
      return;
    }
    auto* numbers = reinterpret_cast<float*>(at(to, elements * sizeof(float)));
    std::iota(numbers, numbers + elements, 1.0F);
  }
  void copy(tuner_range to, tuner_range from, std::uint64_t bytes) override {
    std::memcpy(at(to, bytes), at(from, bytes), bytes);
  }
  tuner_comparison compare(tuner_range actual, tuner_range expected, tuner_type,
                           std::uint64_t elements, double, double) override {
    if (fault_ == "lies") return {~0ULL, ~0ULL, -1, 0, 0};  // about sizes
    tuner_comparison found{};
    const auto* a = reinterpret_cast<const float*>(at(actual, 4 * elements));
    const auto* b = reinterpret_cast<const float*>(at(expected, 4 * elements));
    for (std::uint64_t i = elements; i-- > 0;) {
      if (a[i] == b[i]) continue;
      found = {found.mismatches + 1, i, 1, a[i], b[i]};
    }
    return found;
  }
  sdk::LoadedKernel load(std::string_view image, std::string_view) override {
    kernels_[++last_] = image;
    sdk::LoadedKernel loaded{last_, sdk::kUnknownResources};
    if (image == "absurd") {
      loaded.resources.max_threads = std::numeric_limits<std::int64_t>::min();
      loaded.resources.static_shared_bytes = std::numeric_limits<std::int64_t>::max();
    }
    return loaded;
  }
  void unload(std::uint64_t kernel) override { kernels_.erase(kernel); }
  void set_symbol(std::uint64_t, std::string_view, const void*, std::uint64_t) override {}
  void launch(std::uint64_t kernel, const tuner_launch& launch) override {
    fault_ = kernels_.at(kernel);
    if (fault_ == "chatty") std::printf("%s", repeated("chatter\n", 100000).c_str());
    if (fault_ == "chatty") std::raise(SIGSEGV);
    misbehave(fault_);
    std::int32_t n = 0;
    std::memcpy(&n, launch.arguments[2].scalar, sizeof n);
    const auto bytes = static_cast<std::uint64_t>(n) * sizeof(float);
    const auto* x = reinterpret_cast<const float*>(at(launch.arguments[0].buffer, bytes));
    auto* y = reinterpret_cast<float*>(at(launch.arguments[1].buffer, bytes));
    for (std::int32_t i = 0; i < n; ++i) y[i] = 2 * x[i];
  }
  void time(std::uint64_t kernel, const tuner_launch& one, const tuner_timing&,
            std::span<double> milliseconds) override {
    launch(kernel, one);
    // Never in a search, which is content with fewer; always in the final.
    if (fault_ == "hang_late" && ++timings_[kernel] > 20) hang();
    double each = 1;
    if (fault_ == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (fault_ == "slow") each = 300;
    if (fault_ == "not_a_time") each = std::numeric_limits<double>::quiet_NaN();
    if (fault_ == "negative_time") each = -1;
    if (fault_ == "longer") each = 1.5;
    if (fault_ == "longest") each = 1.9;
    if (const char* factor = std::getenv("TUNER_FAULTY_TIMES")) each *= std::atof(factor);
    std::fill(milliseconds.begin(), milliseconds.end(), each);
  }

 private:
  char* at(tuner_range range, std::uint64_t bytes) {
    const auto found = buffers_.find(range.buffer);
    if (found == buffers_.end() || range.offset + bytes > found->second.size()) {
      throw sdk::Error(TUNER_INVALID, "outside the buffer");
    }
    return found->second.data() + range.offset;
  }

  std::uint64_t last_ = 0;
  std::string fault_;
  std::map<std::uint64_t, std::vector<char>> buffers_;
  std::map<std::uint64_t, std::string> kernels_;
  std::map<std::uint64_t, int> timings_;
};

// Fills with ones, doubles, and finds everything right, until it does what its option says.
class FaultyProblem : public sdk::Problem {
 public:
  static constexpr const char* kName = "faulty";
  static constexpr const char* kSummary = "goes wrong as asked";
  static constexpr tuner_option_info kOptions[] = {
      {"fault", "none", "what goes wrong",
       "one of none, fill_abort, fill_throw, answer_throw, judge_abort, judge_throw"}};
  explicit FaultyProblem(const sdk::ProblemSetup& setup) : fault_(setup.options.text_of("fault")) {}

  void fill(std::uint32_t, const sdk::ArrayToWrite& input) override {
    go_wrong("fill");
    std::ranges::fill(input.as<float>(), 1.0F);
  }
  void answer(std::uint32_t, const sdk::Inputs& inputs, const sdk::ArrayToWrite& output) override {
    go_wrong("answer");
    const auto twice = [](float x) { return 2 * x; };
    std::ranges::transform(inputs["x"].as<float>(), output.as<float>().begin(), twice);
  }
  // Its own answer passes once for each of two sets.
  sdk::Judgement judge(std::uint32_t, const sdk::Array&, const sdk::Array&) override {
    if (++judged_ > 2) go_wrong("judge");
    return {true, 0, {}};
  }

 private:
  void go_wrong(const std::string& where) const {
    if (fault_ == where + "_abort") std::abort();
    if (fault_ == where + "_throw") throw std::runtime_error("as asked");
  }
  std::string fault_;
  int judged_ = 0;
};

class FaultyObserver : public sdk::Observer {
 public:
  static constexpr const char* kName = "faulty";
  static constexpr const char* kSummary = "goes wrong as asked";
  static constexpr tuner_option_info kOptions[] = {
      {"fault", "none", "what goes wrong", "one of none, abort, throw"}};
  static constexpr tuner_value_info kValues[] = {{"seven", "", "always 7"}};
  explicit FaultyObserver(const sdk::Options& options) : fault_(options.text_of("fault")) {}
  std::vector<double> end(const tuner_observed&) override {
    if (fault_ == "abort") std::abort();
    if (fault_ == "throw") throw std::runtime_error("as asked");
    return {7};
  }

 private:
  std::string fault_;
};

}  // namespace

TUNER_PLUGIN("faulty", "1", sdk::Compilers<FaultyCompiler>, sdk::Backends<FaultyBackend>,
             sdk::Problems<FaultyProblem>, sdk::Observers<FaultyObserver>);
