// `tuner capture`: starts a program, and watches its kernels or captures launches of one. The work
// in the program is done by an object that the driver loads (plugins/cuda/capture).

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <csignal>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/interrupt.h"
#include "tuner/base/temporary_folder.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/commands/started_program.h"
#include "tuner/files/capture_pack.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Geometry = std::array<std::uint64_t, 7>;

struct CaptureOptions {
  std::string kernel;
  std::uint64_t launch = 1;
  unsigned sizes = 0;
  std::string memory = "reachable";
  std::string output = "captured";
  double limit = 16;  // GiB
  bool json = false;
  Strings program;
};

const Strings kMemory{"arguments", "reachable", "all"};  // in the order of capture::Request::Memory

CaptureOptions parse_capture(const Strings& words) {
  CaptureOptions o;
  OptionTable add;
  add("kernel", o.kernel,
      "capture launches of the kernel whose demangled name has this in it ('*': any text); "
      "without it, list all kernels");
  add("launch", o.launch, "which of its launches, counted from 1");
  add("sizes", o.sizes,
      "the first launch of each of so many geometries, those that cost most; runs the program "
      "twice");
  add("memory", o.memory,
      "arguments (what they point to), reachable (and what that points to), all (that is "
      "allocated)");
  add("output,o", o.output, "folder of the captures");
  add("limit", o.limit, "GiB of memory of a launch; one that reaches more is not captured");
  add("json", o.json, "as JSON");
  o.program = inputs(add.parse(words, "tuner capture [options] -- PROGRAM ARGUMENTS..."));
  if (o.program.empty()) wrong_usage("which program? Give it behind '--' (see --help)");
  must_be_one_of("--memory", o.memory, kMemory);
  if (o.kernel.empty() && o.sizes > 0) wrong_usage("--sizes goes with --kernel");
  if (o.launch == 0) wrong_usage("--launch counts from 1");
  if (!(o.limit > 0) || !std::isfinite(o.limit)) wrong_usage("--limit must be more than 0");
  return o;
}

// ---- the program --------------------------------------------------------------------------------

// A signal of the terminal is the program's alone while one of these lives.
class LeavesSignals {
 public:
  LeavesSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      before_.at(i) = std::signal(kSignals.at(i), SIG_IGN);
    }
  }
  ~LeavesSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) std::signal(kSignals.at(i), before_.at(i));
  }
  LeavesSignals(const LeavesSignals&) = delete;
  LeavesSignals& operator=(const LeavesSignals&) = delete;

  static constexpr std::array kSignals{SIGINT, SIGQUIT};

 private:
  std::array<void (*)(int), kSignals.size()> before_{};
};

// Runs it with what the driver needs to load the object. Returns its exit status as a shell does.
int run_watched(const Strings& words, const fs::path& request) {
  const fs::path object = object_in_library(
      "tuner-capture.so", "this build has no capture, since there was no cupti.h");
  const LeavesSignals left;
  return run_to_end(
      {words, {"CUDA_INJECTION64_PATH=" + object.string(), "TUNER_CAPTURE=" + request.string()}});
}

// The user's folder for captures; gone at the end if it was made here and nothing is in it.
class OutputFolder {
 public:
  explicit OutputFolder(const fs::path& path) : path_(fs::absolute(path)) {
    std::error_code failed;
    is_new_ = fs::create_directories(path_, failed);
    if (failed) throw FatalError(path.string() + ": cannot be made: " + failed.message());
  }
  ~OutputFolder() {
    std::error_code ignored;
    if (is_new_) fs::remove(path_, ignored);
  }
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  bool is_new_ = false;
};

// Files that the object in the program, or in each of its processes, leaves: in a folder within the
// user's, since there may be little room elsewhere.
class Traces {
 public:
  explicit Traces(const fs::path& output) : output_(output), raw_(".capturing", output_.path()) {}

  const fs::path& folder() const { return raw_.path(); }
  // Names of files that begin and end so.
  Strings files(std::string_view begin, std::string_view end) const {
    Strings out;
    for (const auto& one : fs::directory_iterator(folder())) {
      const std::string name = one.path().filename();
      if (name.starts_with(begin) && name.ends_with(end)) out.push_back(name);
    }
    std::ranges::sort(out);
    return out;
  }
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const auto& one : fs::directory_iterator(folder())) sum += one.file_size();
    return sum;
  }
  std::vector<json> documents(std::string_view begin) const {
    std::vector<json> out;
    for (const std::string& name : files(begin, ".json")) {
      out.push_back(json::parse(read_file(folder() / name)));
    }
    return out;
  }
  bool is_attached() const { return !files("attached-", "").empty(); }

 private:
  OutputFolder output_;
  TemporaryFolder raw_;
};

int run_with(const CaptureOptions& options, const fs::path& folder, bool watches,
             const std::vector<Geometry>& geometries = {}) {
  const auto memory = std::ranges::find(kMemory, options.memory) - kMemory.begin();
  const json request{{"folder", folder.string()},
                     {"kernel", options.kernel},
                     {"watches", watches},
                     {"launch", options.launch},
                     {"geometries", geometries},
                     {"memory", memory},
                     {"limit", static_cast<std::uint64_t>(options.limit * 1073741824.0)}};
  const fs::path file = folder / "request";
  write_file_atomically(file, request.dump());
  return run_watched(options.program, file);
}

[[noreturn]] void not_attached(const CaptureOptions& options) {
  throw FatalError(
      fmt::format("'{}' has not used CUDA: no driver loaded what watches it (it may be linked "
                  "statically with a "
                  "driver of its own, or clear its environment)",
                  options.program[0]));
}

// ---- the table of kernels -----------------------------------------------------------------------

struct WatchedKernel {
  std::string name, mangled;
  std::uint64_t registers = 0;
  std::map<Geometry, std::pair<std::uint64_t, double>> geometries;  // launches, milliseconds
  std::uint64_t launches() const {
    std::uint64_t sum = 0;
    for (const auto& [geometry, one] : geometries) sum += one.first;
    return sum;
  }
  double ms() const {
    double sum = 0;
    for (const auto& [geometry, one] : geometries) sum += one.second;
    return sum;
  }
  // Those that cost most, first.
  std::vector<Geometry> costly(std::size_t most) const {
    std::vector<std::pair<double, Geometry>> all;
    for (const auto& [geometry, one] : geometries) all.emplace_back(-one.second, geometry);
    std::ranges::sort(all);
    std::vector<Geometry> out;
    for (const auto& one : all) {
      if (out.size() < most) out.push_back(one.second);
    }
    return out;
  }
};

// Sums up the tables of all processes, the kernels that cost most first. `share` becomes the least
// part of the time during which one of the processes was watched.
std::vector<WatchedKernel> watched(const Traces& traces, double& share) {
  std::map<std::string, WatchedKernel> by_name;
  for (const json& table : traces.documents("watched-")) {
    share = std::min(share, table.at("watched_share").get<double>());
    for (const json& one : table.at("kernels")) {
      WatchedKernel& kernel = by_name[one.at("mangled")];
      one.at("mangled").get_to(kernel.mangled);
      one.at("name").get_to(kernel.name);
      one.at("registers").get_to(kernel.registers);
      for (const json& row : one.at("geometries")) {
        auto& sum = kernel.geometries[row.at("geometry").get<Geometry>()];
        sum.first += row.at("launches").get<std::uint64_t>();
        sum.second += row.at("ms").get<double>();
      }
    }
  }
  std::vector<WatchedKernel> out;
  for (auto& [name, kernel] : by_name) out.push_back(std::move(kernel));
  std::ranges::stable_sort(out, std::greater<>(), &WatchedKernel::ms);
  return out;
}

// The name of the function alone: without what it returns, its template arguments and parameters.
std::string plain_name(const std::string& demangled) {
  std::string out;
  int depth = 0;
  for (const char c : demangled.substr(0, demangled.rfind('('))) {
    if (c == '<' || c == '(') ++depth;
    if (depth == 0) out += c;
    if (c == '>' || c == ')') --depth;
  }
  out.erase(0, out.rfind(' ') + 1);
  out.erase(0, out.rfind(':') + 1);
  return out.empty() ? demangled : out;
}

std::string text_of(const Geometry& geometry) {
  const auto extents = [&](std::size_t at) {
    std::string out = std::to_string(geometry.at(at));
    const bool is_flat = geometry.at(at + 1) == 1 && geometry.at(at + 2) == 1;
    if (!is_flat) out += "x" + std::to_string(geometry.at(at + 1));
    if (geometry.at(at + 2) != 1) out += "x" + std::to_string(geometry.at(at + 2));
    return out;
  };
  return extents(0) + " of " + extents(3);
}

void print_table(const std::vector<WatchedKernel>& kernels, const CaptureOptions& options) {
  double all = 0;
  for (const WatchedKernel& one : kernels) all += one.ms();
  std::cout << fmt::format("{:>6} {:>10} {:>9} {:>9} {:>4}  {:<20} {}\n", "share", "ms", "launches",
                           "mean, ms", "regs", "blocks of threads", "kernel");
  constexpr std::size_t kMost = 30;
  for (std::size_t i = 0; i < kernels.size() && i < kMost; ++i) {
    const WatchedKernel& one = kernels[i];
    std::string shape = text_of(one.costly(1).front());
    if (one.geometries.size() > 1) shape += fmt::format(" +{}", one.geometries.size() - 1);
    std::string name = for_terminal(one.name);
    constexpr std::size_t kWidth = 100;
    if (name.size() > kWidth) name = name.substr(0, kWidth) + "...";
    std::cout << fmt::format("{:>5.1f}% {:>10.3f} {:>9} {:>9.4g} {:>4}  {:<20} {}\n",
                             100 * one.ms() / std::max(all, 1e-12), one.ms(), one.launches(),
                             one.ms() / static_cast<double>(one.launches()), one.registers, shape,
                             name);
  }
  if (kernels.size() > kMost) std::cout << "and " << kernels.size() - kMost << " more: --json\n";
  std::cout << fmt::format("\nnext: tuner capture --kernel {} -- {}\n",
                           plain_name(kernels.front().name), fmt::join(options.program, " "));
}

void print_json(const std::vector<WatchedKernel>& kernels) {
  json out = json::array();
  for (const WatchedKernel& one : kernels) {
    json rows = json::array();
    for (const auto& [geometry, sum] : one.geometries) {
      rows.push_back({{"geometry", geometry}, {"launches", sum.first}, {"ms", sum.second}});
    }
    out.push_back({{"name", one.name},
                   {"mangled", one.mangled},
                   {"launches", one.launches()},
                   {"ms", one.ms()},
                   {"registers", one.registers},
                   {"geometries", std::move(rows)}});
  }
  std::cout << json{{"kernels", std::move(out)}}.dump(1) << "\n";
}

void watch(const CaptureOptions& options, int& status) {
  const Traces traces(options.output);
  status = run_with(options, traces.folder(), true);
  if (!traces.is_attached()) not_attached(options);
  for (const json& one : traces.documents("failed-")) {
    throw FatalError("nothing was watched: " + one.at("why").get<std::string>());
  }
  double share = 1;
  const std::vector<WatchedKernel> kernels = watched(traces, share);
  if (share < 0.99) {
    tell(
        fmt::format("launches follow each other so quickly that {:.0f} % of the time was watched: "
                    "times and launches are of that",
                    100 * share));
  }
  if (options.json) {
    print_json(kernels);
  } else if (kernels.empty()) {
    tell("the program has launched no kernel");
  } else {
    print_table(kernels, options);
  }
}

// ---- captures -----------------------------------------------------------------------------------

// FOLDER/NAME-K with the lowest K that is free.
fs::path free_folder(const fs::path& output, const std::string& kernel) {
  std::string name = plain_name(kernel);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') c = '_';
  }
  constexpr std::size_t kLongest = 80;
  name.resize(std::min(name.size(), kLongest));
  for (int number = 1;; ++number) {
    fs::path folder = output / fmt::format("{}-{}", name, number);
    std::error_code failed;
    if (!fs::exists(folder, failed)) return folder;
  }
}

void print_capture(const CapturedLaunch& launch, bool as_json) {
  std::uint64_t on_disk = 0;
  for (const auto& one : fs::directory_iterator(launch.folder)) on_disk += one.file_size();
  if (as_json) {
    std::cout << json{{"folder", launch.folder.string()},
                      {"kernel", launch.name},
                      {"bytes", launch.bytes()},
                      {"bytes_on_disk", on_disk}}
                     .dump()
              << "\n";
    return;
  }
  const auto written = std::ranges::count_if(
      launch.memory, [](const CapturedMemory& one) { return !one.written.empty(); });
  std::cout << fmt::format(
      "{}: {}\n  {} MiB of memory in {} pieces, {} of them written; {:.1f} MiB on disk, with the "
      "program's data in it\n  next: tuner replay {}\n",
      launch.folder.string(), for_terminal(launch.name), launch.bytes() >> 20U,
      launch.memory.size(), written, static_cast<double>(on_disk) / 1048576.0,
      launch.folder.string());
}

// The geometries of the kernel that cost most, as a run of the program shows them.
std::vector<Geometry> geometries_of(const CaptureOptions& options) {
  const Traces traces(options.output);
  run_with(options, traces.folder(), true);
  if (!traces.is_attached()) not_attached(options);
  for (const json& one : traces.documents("failed-")) {
    throw FatalError("nothing was watched: " + one.at("why").get<std::string>());
  }
  double share = 1;
  const std::vector<WatchedKernel> kernels = watched(traces, share);
  if (!kernels.empty()) return kernels.front().costly(options.sizes);
  throw FatalError("the program launches no kernel whose name has '" + options.kernel + "' in it");
}

void capture(const CaptureOptions& options, int& status) {
  const std::vector<Geometry> geometries =
      options.sizes > 0 ? geometries_of(options) : std::vector<Geometry>();
  const Traces traces(options.output);
  tell(fmt::format("memory that the launch reaches is copied to {}, at most {:g} GiB of it",
                   options.output, options.limit));
  status = run_with(options, traces.folder(), false, geometries);
  const Interrupt interrupt;  // the program has ended: a signal is meant for this one
  if (!traces.is_attached()) not_attached(options);
  const Strings launches = traces.files("launch-", "capture.json");
  for (const std::string& name : launches) {
    const json described = json::parse(read_file(traces.folder() / name));
    const fs::path folder =
        free_folder(options.output, described.at("kernel").at("name").get<std::string>());
    print_capture(pack_capture(traces.folder(), name, folder), options.json);
  }
  for (const json& one : traces.documents("failed-")) {
    const std::string text =
        fmt::format("a launch of {} was not captured: {}", one.at("kernel").get<std::string>(),
                    one.at("why").get<std::string>());
    if (launches.empty()) throw FatalError(text);
    tell(text);
  }
  if (launches.empty() && !traces.files("launch-", ".raw").empty()) {
    throw FatalError(fmt::format(
        "the launch was seen, and could not be written whole: {} MiB are free in {} ({} MiB are "
        "written so far)",
        fs::space(traces.folder()).available >> 20U, options.output, traces.bytes() >> 20U));
  }
  if (launches.empty()) {
    throw FatalError(fmt::format(
        "no launch {} of a kernel whose name has '{}' in it was seen; 'tuner capture -- {}' lists "
        "what is launched",
        options.launch, options.kernel, fmt::join(options.program, " ")));
  }
}

}  // namespace

int capture_command(const Strings& words) {
  const CaptureOptions options = parse_capture(words);
  int status = 0;
  try {
    options.kernel.empty() ? watch(options, status) : capture(options, status);
  } catch (const FatalError& error) {
    if (status == 0) throw;
    tell(error.what());  // the program has failed, too, and its status says more
  }
  return status;
}

}  // namespace tuner
