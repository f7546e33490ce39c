// Serves compile and run requests in a child process.

#include "tuner/worker/child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/base/process_snapshot.h"
#include "tuner/base/process_state.h"
#include "tuner/measure/evaluation.h"
#include "tuner/measure/verdict.h"
#include "tuner/resolve/compiler_options.h"
#include "tuner/source/known_sources.h"
#include "tuner/worker/artifact_cache.h"
#include "tuner/worker/memory_limits.h"
#include "tuner/worker/messages.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

using nlohmann::json;

// The worker's end of the wire: receives until the coordinator is gone.
struct Wire {
  int socket = kChildSocket;
  FrameReader reader{};
  std::optional<json> receive() { return tuner::receive(socket, reader); }
  bool send(const json& message) { return tuner::send(socket, message); }
};

// ---- the roles ---------------------------------------------------------------------------------

// The output of a worker lies in memory (base/child_process.h), and a kernel may print for ever.
// Compiled artifacts are far smaller.
void limit_file_size() {
  constexpr rlim_t kLargestFile = rlim_t{256} << 20;
  const rlimit limit{kLargestFile, kLargestFile};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ::signal(SIGXFSZ, SIG_IGN);  // the write fails instead
}

// A run may crash hundreds of times, and each core would be hundreds of MiB in the user's folder.
void make_no_core_files() {
  const rlimit none{};
  ::setrlimit(RLIMIT_CORE, &none);
}

int unavailable(Wire& wire, const std::string& reason) {
  wire.send({{"type", "unavailable"}, {"reason", reason}});
  return 1;
}

// Another program may be holding the device, or its memory.
json unavailable_message(const DeviceFailure& failure) {
  const bool is_lost = failure.error == DeviceError::kDeviceLost;
  return {{"type", "unavailable"},
          {"reason", failure.message},
          {"retryable", is_lost || failure.error == DeviceError::kOutOfMemory},
          {"refused", is_lost}};
}

void serve_compiler(Wire& wire, Compiler& compiler, std::uint32_t dialect, ArtifactCache& cache) {
  while (const auto message = wire.receive()) {
    auto request = message->at("request").get<CompileRequest>();
    request.options = meant_options(std::move(request.options), dialect, request.is_host_function);
    const auto made = compiler.compile(request);
    if (!made) {
      json failed = made.error();
      failed["type"] = "failed";
      wire.send(failed);
      continue;
    }
    wire.send({{"type", "compiled"}, {"artifact", *made}});
    // After the answer: the device does not wait for the disk.
    const std::string name =
        cache_name(message->at("key").get<std::string>(), made->opened.has_value());
    if (!name.empty()) cache.put(name, *made);
  }
}

OptionList option_list(const std::vector<std::pair<std::string, std::string>>& options) {
  OptionList out;
  for (const auto& [name, value] : options) out.push_back({name, value});
  return out;
}

OptionList options_of(const json& open) {
  return option_list(open.at("options").get<std::vector<std::pair<std::string, std::string>>>());
}

int compile_worker(Wire& wire, const Catalogue& catalogue, const json& open) {
  keep_freed_memory();                      // each compilation takes and frees tens of MiB
  limit_address_space(memory_allowance());  // who eats all memory must not take the machine along
  const auto name = open.at("backend").get<std::string>();
  std::unique_ptr<Compiler> compiler;
  try {
    compiler = catalogue.make_compiler(name, options_of(open));
  } catch (const UnavailableError& error) {
    return unavailable(wire, error.what());
  }
  // A cache that cannot be written is only slower.
  ArtifactCache cache(open.at("cache_dir").get<std::string>(), ArtifactCache::kDefaultLimit,
                      [&wire](const std::string& text) {
                        wire.send({{"type", "warning"}, {"text", text}});
                      });
  wire.send({{"type", "ready"}, {"identity", compiler->identity()}});
  try {
    serve_compiler(wire, *compiler, catalogue.find(PluginKind::kCompiler, name)->compiler.options,
                   cache);
  } catch (const UnavailableError& error) {
    return unavailable(wire, error.what());
  }
  return 0;
}

// The process in which requests are served. An application changes its own as it likes; of a worker
// nothing but variants does.
enum class Host { kApplication, kWorker, kWorkerWithKernels };

class RunServer {
 public:
  RunServer(Wire& wire, const Catalogue& catalogue, std::unique_ptr<Backend> backend, Host host)
      : wire_(wire),
        catalogue_(catalogue),
        backend_(std::move(backend)),
        host_(host),
        memory_(host == Host::kWorkerWithKernels) {}

  // Until the coordinator closes, or the context cannot be used any more.
  void serve() {
    // The facts are known before the device can be used; the coordinator has work to do with them
    // while the driver makes its context, which happens when memory is first asked for.
    wire_.send({{"type", "ready"}, {"facts", backend_->facts()}});
    const auto first = backend_->memory().allocate(1);
    if (!first) {
      wire_.send(unavailable_message(first.error()));
      return;
    }
    backend_->memory().release(*first);
    while (const auto message = wire_.receive()) {
      const auto type = message->at("type").get<std::string>();
      bool usable = true;
      if (type == "prepare") {
        const bool is_again = flag_in(*message, "again");
        usable = prepare(message->at("plan").get<SizePlan>(),
                         is_again ? Doubts::kKnown : Doubts::kSought);
      } else if (type == "evaluate" && evaluation_) {
        usable = evaluate(*message);
      } else if (type == "remeasure" && evaluation_) {
        usable = remeasure(*message);
      }
      if (!usable) return;
    }
  }

 private:
  bool prepare(SizePlan plan, Doubts doubts) {
    memory_.lift();
    evaluation_.reset();  // its buffers make room first
    untouched_.reset();
    has_host_code_ = host_ == Host::kWorkerWithKernels || plan.has_host_code;
    auto plugins = plugins_for(plan);
    if (!plugins) {
      wire_.send({{"type", "failed"}, {"message", plugins.error()}, {"retryable", false}});
      return false;
    }
    evaluation_ = std::make_unique<Evaluation>(*backend_, std::move(plan), std::move(*plugins));
    const auto done = evaluation_->prepare(doubts);
    if (done) {
      std::vector<std::string> warnings = evaluation_->warnings();
      const std::string remark = backend_->remark();
      if (std::exchange(remark_, remark) != remark) warnings.push_back(remark);
      wire_.send({{"type", "prepared"},
                  {"warnings", warnings},
                  {"reference_ms", evaluation_->reference_ms()}});
      return true;
    }
    const bool retryable = done.error().error == DeviceError::kOutOfMemory;
    wire_.send({{"type", "failed"},
                {"message", done.error().message},
                {"retryable", retryable},
                {"constant", evaluation_->wrong_constant()}});
    return false;
  }

  Expected<StudyPlugins, std::string> plugins_for(const SizePlan& plan) const {
    StudyPlugins plugins;
    if (plan.problem) {
      auto problem = catalogue_.make_problem(plan.problem->name, option_list(plan.problem->options),
                                             plan.extents);
      if (!problem) return Unexpected{problem.error()};
      plugins.problem = std::move(*problem);
    }
    for (const ObserverPlan& one : plan.observers) {
      auto observer =
          catalogue_.make_observer(one.plugin.name, option_list(one.plugin.options), one.metrics);
      if (!observer) return Unexpected{observer.error()};
      plugins.observers.push_back(std::move(*observer));
    }
    return plugins;
  }

  PhaseSink phases() {
    return [this](Phase phase) {
      memory_.enforce();  // the first phase comes when all buffers are there
      wire_.send({{"type", "phase"}, {"phase", kPhaseNames.at(static_cast<std::size_t>(phase))}});
    };
  }

  // Whether what ran here has left the process as it was; adds to the verdict what it has changed.
  // Where the clock is another one, no time counts.
  bool is_untouched(Verdict& verdict) {
    if (!untouched_) return true;
    if (!is_clock_honest()) {
      verdict = verdict_of(TrialState::kRuntime, "changes the clock by which it is timed");
      verdict.context_dead = true;
    }
    const std::string changed = changed_since(*untouched_, process_snapshot());
    if (changed.empty()) return true;
    verdict.message +=
        (verdict.message.empty() ? "" : "; ") + ("changes the process that it runs in: " + changed);
    return false;
  }

  // Before the first variant runs.
  void look_at_process() {
    if (host_ != Host::kApplication && has_host_code_ && !untouched_) {
      ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // orphans are seen, too
      untouched_ = process_snapshot();
    }
  }

  bool evaluate(const json& message) {
    Verdict verdict;
    memory_.lift();
    look_at_process();
    try {
      verdict = evaluation_->evaluate(message.at("variant").get<VariantPlan>(), phases());
    } catch (const std::bad_alloc&) {
      verdict.state = TrialState::kRuntime;
      verdict.message = "out of host memory";
      verdict.retryable = verdict.context_dead = true;
    }
    if (const std::uint64_t bytes = memory_.excess(); bytes > 0 && !verdict.context_dead) {
      verdict = {};
      verdict.state = TrialState::kRuntime;
      verdict.message =
          "took " + std::to_string(bytes >> 20) + " MiB of memory and did not give them back";
      verdict.context_dead = true;
    }
    // A device keeps what its kernels do out of this process.
    verdict.is_own = verdict.is_own || (verdict.context_dead && !has_host_code_);
    verdict.is_last = !is_untouched(verdict) || memory_.is_used_up();
    wire_.send({{"type", "verdict"}, {"id", message.at("id")}, {"verdict", verdict}});
    return !verdict.context_dead && !verdict.device_lost && !verdict.is_last;
  }

  bool remeasure(const json& message) {
    memory_.lift();
    look_at_process();
    const auto samples =
        evaluation_->remeasure(message.at("variants").get<std::vector<VariantPlan>>(),
                               message.at("plan").get<FinalPlan>(), phases());
    if (!samples) {
      wire_.send({{"type", "verdict"},
                  {"id", message.at("id")},
                  {"plan", samples.error().plan},
                  {"verdict", samples.error().verdict}});
      return !samples.error().verdict.context_dead;
    }
    memory_.lift();  // its own limit is none that a variant has changed
    Verdict verdict;
    const bool is_last = !is_untouched(verdict);
    wire_.send({{"type", "remeasured"},
                {"id", message.at("id")},
                {"samples", *samples},
                {"is_last", is_last}});
    return !is_last;
  }

  Wire& wire_;
  const Catalogue& catalogue_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Evaluation> evaluation_;
  Host host_;
  KernelMemory memory_;
  bool has_host_code_ = false;  // variants, or some of their code, run in this process
  std::optional<ProcessSnapshot> untouched_;  // before the first variant of the size
  std::string remark_;                        // as last told
};

int run_worker(Wire& wire, const Catalogue& catalogue, const json& open) {
  const auto name = open.at("backend").get<std::string>();
  auto backend = catalogue.open_backend(name, open.at("device").get<unsigned>(), options_of(open));
  if (!backend) {
    wire.send(unavailable_message(backend.error()));
    return 1;
  }
  const bool runs_kernels = catalogue.find(PluginKind::kBackend, name)->backend.runs_on_host != 0;
  const Host host = runs_kernels ? Host::kWorkerWithKernels : Host::kWorker;
  RunServer(wire, catalogue, std::move(*backend), host).serve();
  return 0;
}

// Options may make more devices than a backend counts without them: these are there as long as they
// open.
int probe_worker(Wire& wire, const Catalogue& catalogue, const json& open) {
  constexpr unsigned kMostDevices = 1024;
  const auto name = open.at("backend").get<std::string>();
  const OptionList options = options_of(open);
  const auto count = catalogue.device_count(name);
  if (!count) {
    wire.send(unavailable_message(count.error()));
    return 1;
  }
  if (*count == 0) return unavailable(wire, "it finds no device");
  std::vector<DeviceFacts> facts;
  for (unsigned device = 0; device < (options.empty() ? *count : kMostDevices); ++device) {
    auto backend = catalogue.open_backend(name, device, options);
    if (!backend && device >= *count) break;
    if (!backend) {
      wire.send(unavailable_message(backend.error()));
      return 1;
    }
    facts.push_back((*backend)->facts());
  }
  wire.send({{"type", "devices"}, {"facts", facts}});
  return 0;
}

}  // namespace

void serve_device(int socket, const Catalogue& catalogue, std::unique_ptr<Backend> backend) {
  Wire wire{socket};
  RunServer(wire, catalogue, std::move(backend), Host::kApplication).serve();
}

int run_worker_main(const std::string& role) {
  die_with_parent(SIGKILL);
  ::signal(SIGHUP, SIG_IGN);  // where a session's end reaches all, the coordinator decides
  limit_file_size();
  make_no_core_files();
  Wire wire;
  try {
    const auto start = wire.receive();
    const auto open = start ? wire.receive() : std::nullopt;
    if (!open) return 0;
    const Catalogue catalogue =
        load_plugins(start->at("plugin_dirs").get<std::vector<std::string>>());
    if (role == "compile") return compile_worker(wire, catalogue, *open);
    if (role == "run") return run_worker(wire, catalogue, *open);
    if (role == "probe") return probe_worker(wire, catalogue, *open);
    std::fprintf(stderr, "tuner worker: no role '%s'\n", role.c_str());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());  // kept by the coordinator as our last words
    return 1;
  }
}

}  // namespace tuner
