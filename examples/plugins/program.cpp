// A complete backend: it tunes a program of the host. The "kernel" of the study is a text file with
// a command line in which {NAME} stands for a parameter, or for what an option -DNAME=VALUE says;
// the program prints what it measured.

#include <sys/wait.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "tuner/plugin/sdk.h"

namespace {

using namespace tuner::sdk;

// "Compiling" puts the values into the command line.
class ProgramCompiler : public Compiler {
 public:
  static constexpr const char* kName = "program";
  static constexpr const char* kSummary = "puts the parameters into a command line";

  std::string identity() override { return "program 1"; }

  CompileResult compile(const CompileRequest& request) override {
    CompileResult result;
    result.entry = request.entry;
    result.opened.emplace();  // it has read nothing but the source
    const auto values = values_of(request);
    const std::string& text = request.source;
    std::string& out = result.image;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text[at] == '{' ? text.find('}', at) : std::string::npos;
      const auto value =
          end == std::string::npos ? values.end() : values.find(text.substr(at + 1, end - at - 1));
      if (value == values.end()) {
        out += text[at++];
      } else {
        out += quoted(value->second);
        at = end + 1;
      }
    }
    result.compiled = out.find_first_not_of(" \t\n") != std::string::npos;
    if (!result.compiled) result.log = request.source_name + ": there is no command line in it";
    return result;
  }

 private:
  static std::map<std::string, std::string> values_of(const CompileRequest& request) {
    std::map<std::string, std::string> values(request.defines.begin(), request.defines.end());
    for (const std::string& option : request.options) {
      const std::size_t equals = option.find('=');
      if (option.rfind("-D", 0) != 0 || equals == std::string::npos) continue;
      values[option.substr(2, equals - 2)] = option.substr(equals + 1);
    }
    return values;
  }

  // As one word of the shell.
  static std::string quoted(const std::string& value) {
    std::string out = "'";
    for (const char c : value) out += c == '\'' ? "'\\''" : std::string(1, c);
    return out + "'";
  }
};

// A measured program has no memory of a device: a study for it has no buffers. The host takes one
// byte to see whether the device is there.
class ProgramBackend : public Backend {
 public:
  static constexpr const char* kName = "program";
  static constexpr const char* kSummary = "runs a command line and reads what it measured";
  static constexpr tuner_option_info kOptions[] = {
      {"read", "json", "how the time is found in what the program prints", "one of json, pattern"},
      {"key", "time_ms", "json: the key of the time in ms, in an object on a line of its own",
       nullptr},
      {"pattern", "([0-9.]+) ms", "pattern: a regular expression whose first group is the time",
       nullptr}};
  static int device_count() { return 1; }

  ProgramBackend(std::uint32_t, const Options& options)
      : is_json_(options.choice("read", {"json", "pattern"}) == "json"),
        key_(options.text_of("key")),
        pattern_(options.text_of("pattern")) {}

  tuner_device_facts facts() override {
    tuner_device_facts facts{};
    facts.struct_size = sizeof facts;
    std::snprintf(facts.name, sizeof facts.name, "host programs");
    facts.max_threads_per_block = 1;
    std::fill(std::begin(facts.max_block), std::end(facts.max_block), 1);
    std::fill(std::begin(facts.max_grid), std::end(facts.max_grid), 1);
    return facts;
  }

  std::uint64_t allocate(std::uint64_t bytes) override {
    if (bytes > 1) no_buffers();
    return 1;
  }
  void release(std::uint64_t) override {}
  void upload(tuner_range, const void*, std::uint64_t) override { no_buffers(); }
  void download(tuner_range, void*, std::uint64_t) override { no_buffers(); }
  void fill(tuner_range, std::uint64_t, const tuner_fill&) override { no_buffers(); }
  void copy(tuner_range, tuner_range, std::uint64_t) override { no_buffers(); }
  tuner_comparison compare(tuner_range, tuner_range, tuner_type, std::uint64_t, double,
                           double) override {
    no_buffers();
  }

  LoadedKernel load(std::string_view image, std::string_view) override {
    commands_[++last_] = image;
    return {last_, kUnknownResources};
  }
  void unload(std::uint64_t kernel) override { commands_.erase(kernel); }
  void set_symbol(std::uint64_t, std::string_view, const void*, std::uint64_t) override {
    throw Error(TUNER_UNSUPPORTED, "a program has no symbols");
  }

  void launch(std::uint64_t kernel, const tuner_launch&) override { run(commands_.at(kernel)); }

  void time(std::uint64_t kernel, const tuner_launch&, const tuner_timing&,
            std::span<double> milliseconds) override {
    for (double& one : milliseconds) one = time_in(run(commands_.at(kernel)));
  }

 private:
  [[noreturn]] static void no_buffers() {
    throw Error(TUNER_UNSUPPORTED, "programs have no device memory: use a study without buffers");
  }

  // What the command prints. Its failure is the configuration's.
  static std::string run(const std::string& command) {
    FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) throw Error(TUNER_OUT_OF_MEMORY, "no process can be started");
    std::string printed;
    char part[4096];
    while (const std::size_t size = std::fread(part, 1, sizeof part, pipe)) {
      printed.append(part, size);
    }
    const int status = ::pclose(pipe);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return printed;
    throw Error(TUNER_RUNTIME_FAULT, "the program ended with status " +
                                         std::to_string(WEXITSTATUS(status)) + ": " + command);
  }

  double time_in(const std::string& printed) const {
    const double time = is_json_ ? json_time(printed) : pattern_time(printed);
    if (time > 0) return time;
    throw Error(TUNER_RUNTIME_FAULT,
                "no time in what the program printed: " + printed.substr(0, 200));
  }

  double pattern_time(const std::string& printed) const {
    std::smatch found;
    if (!std::regex_search(printed, found, pattern_) || found.size() < 2) return 0;
    return std::strtod(found[1].str().c_str(), nullptr);
  }

  double json_time(const std::string& printed) const {
    for (std::size_t at = 0; at < printed.size();) {
      const std::size_t end = std::min(printed.find('\n', at), printed.size());
      const auto line =
          nlohmann::json::parse(printed.begin() + static_cast<std::ptrdiff_t>(at),
                                printed.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
      if (line.is_object() && line.contains(key_) && line[key_].is_number()) {
        return line[key_].get<double>();
      }
      at = end + 1;
    }
    return 0;
  }

  bool is_json_;
  std::string key_;
  std::regex pattern_;
  std::map<std::uint64_t, std::string> commands_;
  std::uint64_t last_ = 0;
};

}  // namespace

TUNER_PLUGIN("program", "1.0", tuner::sdk::Backends<ProgramBackend>,
             tuner::sdk::Compilers<ProgramCompiler>);
