// `tuner judge`: one verdict on a kernel that nobody trusts, by a server that has everything ready.

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <semaphore>

#include "tuner/base/atomic_file.h"
#include "tuner/base/child_process.h"
#include "tuner/base/hash.h"
#include "tuner/base/interrupt.h"
#include "tuner/base/stopwatch.h"
#include "tuner/base/temporary_folder.h"
#include "tuner/base/trust.h"
#include "tuner/base/worker_threads.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/one_try.h"
#include "tuner/commands/verdict_text.h"
#include "tuner/model/json_text.h"
#include "tuner/plugin/loader.h"
#include "tuner/resolve/study_sources.h"
#include "tuner/study/unverified.h"
#include "tuner/trust/judged_source.h"
#include "tuner/worker/artifact_shelf.h"
#include "tuner/worker/local_server.h"
#include "tuner/worker/plugins.h"

extern char** environ;

namespace tuner {
namespace {

namespace fs = std::filesystem;

struct JudgeOptions : DeviceOptions {
  Strings kernels;
  std::string kernel;  // of these, the one that is judged
  Strings configuration;
  bool json = false;
  double server = 300;  // seconds; 0: none
  bool no_sanitizer = false;
  std::string color = "auto";
};

JudgeOptions parse_judge(const Strings& words) {
  JudgeOptions o;
  std::string configuration;
  OptionTable add;
  add("study", o.study, "the study with the sizes, inputs and reference");
  add("configuration", configuration,
      "NAME=VALUE,... instead of the study's baseline or first valid one");
  add.sizes(o);
  add.device(o);
  o.settings.timeout = 10;
  add.timeout(o.settings.timeout, "seconds for one size");
  add("counters", o.settings.counters, "read hardware counters, and say what limits it");
  add("json", o.json, "the verdict as JSON; of several kernels each in a line");
  add("server", o.server,
      "keep a process for this many seconds, which makes the next verdict faster; 0: none");
  add("no-sanitizer", o.no_sanitizer, "no memory and race checks by compute-sanitizer");
  add.plugin_dirs(o.plugin_dirs);
  add.color(o.color);
  const auto values = add.parse(words, "tuner judge KERNEL... --study STUDY [options]");
  o.kernels = inputs(values);
  if (o.kernels.empty()) wrong_usage("which kernel? Give the path of its source (see --help)");
  o.kernel = o.kernels.front();
  if (o.study.empty()) wrong_usage("which study? Give --study");
  if (!configuration.empty()) o.configuration = {configuration};
  if (!(o.server >= 0)) wrong_usage("--server must be a number of seconds, or 0");
  return o;
}

JudgeTask task_of(const JudgeOptions& options, const Study& study) {
  if (study.kernel.runs_on_host()) {
    reject(study.file, study.kernel.subject == Subject::kCommand
                           ? "a 'command' is a program, which is not judged"
                           : "a 'launcher' is a function of the host, which is not judged");
  }
  const std::string unverified = unverified_text(study);
  if (!unverified.empty()) {
    reject(study.file, "a verdict needs right answers: " + unverified);
  }
  const Assignments assigned = assignments_of(options.configuration);
  JudgeTask task;
  task.own = study;
  task.judged = with_source(study, std::filesystem::absolute(options.kernel).lexically_normal());
  task.counters = options.settings.counters || !study.counters.empty();
  task.secret = drawn_secret();
  task.configuration = [study, assigned](const ProblemSize& size, const DeviceFacts& device) {
    return chosen_configuration(study, assigned, size, device);
  };
  return task;
}

fs::path sanitizer_of(const JudgeOptions& options, const PluginItem& backend, const Note& note) {
  if (options.no_sanitizer || backend.backend.is_sanitized == 0) return {};
  fs::path found = find_sanitizer();
  if (found.empty()) {
    note("note: compute-sanitizer was not found: memory accesses and races are not checked");
  }
  return found;
}

struct Printed {
  std::string out;
  bool accepted = false;
};

Printed printed(const JudgeOptions& options, const Study& study, const Judged& judged,
                const KernelVerdict& verdict, double seconds) {
  return {options.json ? judged_json(options.kernel, judged, verdict, study, seconds)
                       : judged_text(options.kernel, judged, verdict, study, seconds,
                                     Colours(options.color, stdout)),
          judged.accepted};
}

// Nothing: it is judged.
std::optional<Printed> refused_by_text(const JudgeOptions& options, const JudgeTask& task,
                                       const Stopwatch& since) {
  Judged judged;
  judged.refused = JudgedSource(task.own, task.judged).refusal();
  if (judged.refused.empty()) return std::nullopt;
  return printed(options, task.judged, judged, verdict_on(judged), since.seconds());
}

// ---- verdicts, and the server that gives them ---------------------------------------------------

class NeverStops final : public StopRequest {
 public:
  int count() const override { return 0; }
  int fd() const override { return -1; }
};

// Whether no tool of compute-sanitizer found anything, or was kept from looking.
bool tools_are_clean(const Judged& judged) {
  return std::ranges::all_of(judged.checks, [](const JudgeCheck& check) {
    return check.tool.empty() || (check.counts && is_valid(check.trial));
  });
}

// Keeps what one verdict leaves for the next. As a server it also opens the next one's devices
// while this one still looks at answers, when nothing is timed any more. Studies and sources are
// read anew each time.
class Judges {
 public:
  Judges(const Catalogue& catalogue, Strings plugin_dirs)
      : catalogue_(catalogue), plugin_dirs_(std::move(plugin_dirs)) {}

  Printed verdict(const JudgeOptions& options, const Settings& settings, const JudgeTask& task,
                  const StopRequest& stop, const Note& note, const Stopwatch& since) {
    if (auto refused = refused_by_text(options, task, since)) return std::move(*refused);
    const Caller asking = caller(stop, note);
    std::optional<Ready> ready = std::exchange(ready_, std::nullopt);
    if (ready) std::ranges::for_each(*ready->notes, note);
    Devices devices = ready ? std::move(*ready->devices) : open_devices(settings, asking, {});
    if (tools_.empty()) {
      const PluginItem& backend = *catalogue_.find(PluginKind::kBackend, devices.backend);
      tools_ = sanitized_workers(sanitizer_of(options, backend, note), settings, backend.name,
                                 asking.program);
    }
    Bench bench(std::move(devices), settings, asking);
    const Judged judged = judge(task, bench, tools_, asking);
    if (!tools_are_clean(judged)) tools_.clear();
    return printed(options, task.judged, judged, verdict_on(judged), since.seconds());
  }

  void answer(const nlohmann::json& request, const StopRequest& gone, const TellClient& tell) {
    const Stopwatch since;
    JudgeOptions options = parse_judge(request.at("words").get<Strings>());
    options.color = request.at("color").get<std::string>();
    const Study study = study_of(options, [](const std::string&) {});
    JudgeTask task = task_of(options, study);
    const Settings settings = settings_with(options, task.judged);
    const std::string kind = kind_of(options, settings);
    if (std::exchange(kind_, kind) != kind) {
      ready_.reset();
      tools_.clear();
    }
    const Note note = [&tell](const std::string& text) { tell({{"note", text}}); };
    std::counting_semaphore<2> timed{0};
    task.timed = [&timed] { timed.release(); };
    std::optional<Ready> next;
    threads_.run({[&] {
                    try {
                      const auto [out, accepted] =
                          verdict(options, settings, task, gone, note, since);
                      tell({{"type", "answer"}, {"out", out}, {"accepted", accepted}});
                    } catch (const InputError&) {  // who asked finds the same, and says it
                      tell({{"type", "answer"}});
                    } catch (const UnavailableError&) {
                      tell({{"type", "answer"}});
                    } catch (const std::exception&) {  // who asked does it itself
                    }
                    timed.release();
                  },
                  [&] {
                    timed.acquire();
                    next = opened(settings);
                  }});
    ready_ = std::move(next);
  }

 private:
  // Devices that have run nothing yet, and what was noted when they were opened.
  struct Ready {
    std::shared_ptr<Strings> notes = std::make_shared<Strings>();
    std::optional<Devices> devices{};
  };

  Caller caller(const StopRequest& stop, const Note& note) const {
    return {{executable_path(), plugin_dirs_}, catalogue_, stop, note};
  }

  static std::string kind_of(const JudgeOptions& options, const Settings& settings) {
    const BackendSpec& backend = settings.study.backend;
    std::string kind =
        fmt::format("{}|{}|{}|{}|{}", backend.name, options.device, settings.study.kernel.language,
                    settings.timeout, options.no_sanitizer);
    for (const OptionValue& one : backend.options) kind += one.name + "=" + one.value;
    return kind;
  }

  // Opens the devices; nothing where they do not open: the next verdict gives the reason.
  std::optional<Ready> opened(const Settings& settings) const {
    try {
      Ready next;
      const auto keep = [notes = next.notes](const std::string& text) { notes->push_back(text); };
      next.devices = open_devices(settings, caller(nobody_, keep), {});
      RunWorker& worker = *next.devices->models.front().front();
      worker.start_preparing({});  // until all is there that the device makes at first use
      worker.wait_until_prepared();
      return next;
    } catch (const std::exception&) {
      return std::nullopt;
    }
  }

  const Catalogue& catalogue_;
  Strings plugin_dirs_;
  NeverStops nobody_;
  WorkerThreads threads_;  // which outlive what they open
  std::string kind_;
  std::optional<Ready> ready_;
  SanitizedWorkers tools_;
};

// Hashes everything that a server is started with (program, plugins, folder, environment), so that
// a verdict would be the same without the server. Each device has one, so that verdicts on several
// devices do not wait for each other.
std::string identity_of_server(const Strings& plugin_dirs, const std::string& device) {
  Hasher hasher;
  hasher.add(device);
  const auto add_file = [&hasher](const fs::path& file) {
    struct stat facts {};
    ::stat(file.c_str(), &facts);
    hasher.add(file.string()).add(std::uint64_t{facts.st_ino});
    hasher.add(static_cast<std::uint64_t>(facts.st_size));
    hasher.add(static_cast<std::uint64_t>(facts.st_ctim.tv_sec));
    hasher.add(static_cast<std::uint64_t>(facts.st_ctim.tv_nsec));
  };
  add_file(executable_path());
  for (const fs::path& folder : plugin_folders(plugin_dirs)) {
    for (const fs::path& file : plugin_files(folder)) add_file(file);
  }
  std::error_code error;
  hasher.add(fs::current_path(error).string());
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view variable = *one;
    const bool is_of_shell = variable.starts_with("_=") || variable.starts_with("OLDPWD=") ||
                             variable.starts_with("SHLVL=");
    if (!is_of_shell) hasher.add(variable);
  }
  return to_hex(hasher.digest()).substr(0, 16);
}

// Empty where there is no folder that is this user's alone.
fs::path socket_path(const Strings& plugin_dirs, const std::string& device) {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  const bool has_runtime = runtime != nullptr && fs::path(runtime).is_absolute();
  const fs::path above = has_runtime ? fs::path(runtime) : user_cache_directory();
  if (above.empty()) return {};
  const fs::path folder = above / (has_runtime ? "tuner-judge" : "judge");
  std::error_code error;
  fs::create_directories(above, error);
  ::mkdir(folder.c_str(), 0700);
  struct stat facts {};
  const bool is_alone = ::lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
                        facts.st_uid == ::geteuid() && (facts.st_mode & 0077) == 0;
  return is_alone ? folder / identity_of_server(plugin_dirs, device) : fs::path();
}

// Nothing: it has to be done without one.
std::optional<Printed> ask_server(const JudgeOptions& options, const Strings& words,
                                  const StopRequest& stop, const Note& note) {
  const fs::path path = socket_path(options.plugin_dirs, options.device);
  if (path.empty()) return std::nullopt;
  Strings start{executable_path(), "worker", "judge", path.string(),
                fmt::format("{}", options.server)};
  start.insert(start.end(), options.plugin_dirs.begin(), options.plugin_dirs.end());
  const bool coloured = Colours(options.color, stdout).good("x") != "x";
  const auto answer =
      ask_locally(path, start, {{"words", words}, {"color", coloured ? "always" : "never"}}, stop,
                  [&note](const nlohmann::json& message) { note(message.value("note", "")); });
  if (!answer) note("note: the server did not answer; the kernel is judged without it");
  if (!answer || !answer->contains("out")) return std::nullopt;
  return Printed{answer->at("out").get<std::string>(), answer->value("accepted", false)};
}

// Reads a kernel from standard input into a file: the server reads it anew.
std::string from_standard_input(const TemporaryFolder& folder) {
  constexpr std::size_t kMost = 16 << 20;
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  if (text.empty()) wrong_usage("there is no kernel on standard input");
  if (text.size() > kMost) wrong_usage("the kernel on standard input is longer than 16 MiB");
  std::string file = (fs::path(folder.path()) / "standard_input.cu").string();
  write_file_atomically(file, text);
  return file;
}

// The words without kernels.
Strings words_of_options(const Strings& words, const Strings& kernels) {
  Strings out;
  std::ranges::copy_if(words, std::back_inserter(out), [&](const std::string& word) {
    return std::ranges::find(kernels, word) == kernels.end();
  });
  return out;
}

// Judges options.kernel. `words`: the options, for the server.
Printed judged_alone(const JudgeOptions& options, Strings words, const JudgeTask& task,
                     const StopRequest& stop, const Note& note) {
  const Stopwatch since;
  words.push_back(options.kernel);
  std::optional<Printed> done = refused_by_text(options, task, since);
  if (!done && options.server > 0) done = ask_server(options, words, stop, note);
  if (done) return *done;
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  return Judges(catalogue, options.plugin_dirs)
      .verdict(options, settings_with(options, task.judged), task, stop, note, since);
}

}  // namespace

int judge_server(const Strings& words) {
  const Strings plugin_dirs(words.begin() + 2, words.end());
  const Catalogue catalogue = load_plugins(plugin_dirs);
  Judges judges(catalogue, plugin_dirs);
  serve_locally(words.at(0), std::stod(words.at(1)),
                [&](const nlohmann::json& request, const StopRequest& gone,
                    const TellClient& tell) { judges.answer(request, gone, tell); });
  return kExitDone;
}

int judge_command(const Strings& words) {
  JudgeOptions options = parse_judge(words);
  const Strings of_options = words_of_options(words, options.kernels);
  std::optional<TemporaryFolder> read;
  for (std::string& kernel : options.kernels) {
    std::error_code error;
    if (kernel == "-") kernel = from_standard_input(read.emplace("tuner-judge"));
    if (!fs::is_regular_file(kernel, error)) reject(kernel, "there is no such file");
  }
  const auto note = noted(options.color);
  const Study study = study_of(options, note);
  const Interrupt interrupt;
  bool accepted = true;
  for (const std::string& kernel : options.kernels) {
    options.kernel = kernel;
    const Printed done =
        judged_alone(options, of_options, task_of(options, study), interrupt, note);
    if (interrupt.count() > 0 && options.kernels.size() > 1) break;
    const bool one_line = options.json && options.kernels.size() > 1;
    std::cout << (one_line       ? dump(parse_json(done.out)) + "\n"
                  : options.json ? done.out
                                 : Colours(options.color, stdout).lines(done.out))
              << std::flush;
    accepted = accepted && done.accepted;
  }
  if (interrupt.count() > 0) return kExitInterrupted;
  return accepted ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
