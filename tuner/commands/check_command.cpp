// `tuner check`: counts a study's configurations and how many each rule removes; compiles them for
// architectures that need not be here.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "tuner/bench/bench.h"
#include "tuner/check/checked_study.h"
#include "tuner/check/geometry_check.h"
#include "tuner/check/size_check.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/space_text.h"
#include "tuner/files/ranked_csv.h"
#include "tuner/model/artifact.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/launch.h"
#include "tuner/model/limits.h"
#include "tuner/model/study.h"
#include "tuner/resolve/objective.h"
#include "tuner/resolve/resolve.h"
#include "tuner/run/advice.h"
#include "tuner/run/output_guard.h"
#include "tuner/space/sampling.h"
#include "tuner/study/schema.h"
#include "tuner/study/t1_reader.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/worker/artifact_shelf.h"
#include "tuner/worker/channel.h"
#include "tuner/worker/compile_pool.h"

namespace tuner {

namespace {

struct CheckOptions : StudyOptions {
  bool json = false;
  bool schema = false;
  bool list = false;
  std::uint64_t sample = 0;
  bool compile = false;
  Strings archs;
  std::uint64_t seed = 1;
  unsigned jobs = 1;
  double timeout = 120;
  std::uint64_t limit = 0;  // compile at most this many configurations; 0 = all
  std::string color = "auto";
  Strings plugin_dirs;
};

// Returns the architecture that a study is checked for if none is asked for.
std::string usual_arch(const Study& study) {
  const std::string& language = study.kernel.language;
  return language == KernelSpec{}.language ? "sm_90" : language;
}

// The device that a study is checked for.
DeviceFacts facts_of(const CheckOptions& options, const Study& study) {
  return nominal_facts(options.archs.empty() ? usual_arch(study) : options.archs.front());
}

// ---- compiling variants for architectures that need not be here ---------------------------------

std::string number(std::int64_t value) { return value < 0 ? "" : std::to_string(value); }

// Hands out requests; prints a line for each variant when its answer comes.
class CompileCheck {
 public:
  CompileCheck(const Study& study, const SearchSpace& space, const DeviceFacts& facts,
               const StudyCompilers& with, const ArtifactLibrary& library, const std::string& arch)
      : study_(study), space_(space), facts_(facts), with_(with), library_(library), arch_(arch) {}

  void add(ConfigIndex index) {
    const Configuration configuration = space_.configuration(index);
    auto plan = variant_plan(study_, space_, configuration);
    if (!plan) return row(configuration, "constraints", {}, {}, plan.error(), 0);
    if (auto reason = over_limits(*plan, facts_)) {
      return row(configuration, "constraints", plan->geometry, {}, *reason, 0);
    }
    auto request =
        compile_request(study_, space_, configuration, plan->then, facts_, with_.sources.kernel);
    if (!request) return row(configuration, "compile", plan->geometry, {}, request.error(), 0);
    const std::string key = library_.key(*request);
    programs_.insert(key);
    if (!with_.pool->is_under_way(key)) {
      if (const auto cached = library_.find(key)) return compiled(configuration, *plan, *cached);
    }
    const std::uint64_t id = with_.pool->submit(key, std::move(*request));
    compiling_.emplace(id, Variant{configuration, std::move(*plan)});
  }

  // Waits until fewer than `most` compilations are under way.
  void drain(std::size_t most, const Interrupt& interrupt) {
    while (with_.pool->outstanding() >= most && !compiling_.empty() && interrupt.count() == 0) {
      for (const CompileResult& result : wait_for_results(*with_.pool, interrupt)) finish(result);
    }
  }

  // Says what came of it; whether anything was compiled.
  bool sum_up() const {
    std::cerr << fmt::format("{}: {} compiled, {} did not; {} different programs\n", arch_,
                             compiled_, failed_, programs_.size());
    if (compiled_ == 0) std::cerr << "  " << lines_for_terminal(first_failure_) << "\n";
    return compiled_ > 0;
  }

 private:
  struct Variant {
    Configuration configuration;
    VariantPlan plan;
  };

  // Reports variants that are one program one by one: each is launched in its own way.
  void finish(const CompileResult& result) {
    const auto asked = compiling_.extract(result.id);
    const auto& [configuration, plan] = asked.mapped();
    if (result.outcome) return compiled(configuration, plan, **result.outcome);
    row(configuration, "compile", plan.geometry, {}, result.outcome.error().log, 0);
  }

  void compiled(const Configuration& configuration, const VariantPlan& plan, const Artifact& a) {
    Trial trial;
    trial.resources = a.resources;
    trial.geometry = plan.geometry;
    trial.image_bytes = static_cast<std::int64_t>(a.image.size());
    auto reason = over_limits(plan, kernels_of(a), facts_);
    if (!reason) reason = broken_by_compiled(study_, space_.bindings(configuration), trial, facts_);
    row(configuration, reason ? "constraints" : "ok", plan.geometry, a.resources,
        reason.value_or(""), a.milliseconds);
  }

  // `resources` are unknown where nothing was compiled.
  void row(const Configuration& configuration, std::string_view state,
           const LaunchGeometry& geometry, const Resources& resources, const std::string& message,
           double milliseconds) {
    if (state == "compile") {
      ++failed_;
      if (first_failure_.empty()) first_failure_ = message;
    } else if (resources.registers >= 0 || state == "ok") {
      ++compiled_;
    }
    const double share = occupancy(facts_, resources, geometry);
    std::cout << fmt::format(
        "{},{},{},{},{},{},{},{},{:.1f},{}\n", arch_, csv_row(configuration), state,
        number(resources.registers), number(resources.static_shared_bytes),
        geometry.dynamic_shared_bytes, number(resources.spill_bytes),
        share < 0 ? "" : fmt::format("{:.3f}", share), milliseconds, csv_field(message));
  }

  const Study& study_;
  const SearchSpace& space_;
  const DeviceFacts& facts_;
  const StudyCompilers& with_;
  const ArtifactLibrary& library_;
  const std::string& arch_;
  std::unordered_map<std::uint64_t, Variant> compiling_;  // by the pool's id
  std::unordered_set<std::string> programs_;              // different ones
  std::uint64_t compiled_ = 0;
  std::uint64_t failed_ = 0;
  std::string first_failure_;
};

void require_language(const Study& study, const Catalogue& catalogue, const DeviceFacts& facts,
                      const std::string& arch) {
  const PluginItem* backend = catalogue.find(PluginKind::kBackend, facts.backend);
  if (backend == nullptr || backend->language() == study.kernel.language) return;
  throw InputError(Complaint{study.kernel.where,
                             fmt::format("the kernel is written in {}, which is not compiled for "
                                         "{}",
                                         language_name(study.kernel.language), arch),
                             fmt::format("--arch {}", usual_arch(study))});
}

// Compiles every variant (or a random --limit of them) for each architecture, without a device, and
// prints registers, shared memory, spills and occupancy as CSV. Returns the exit status.
int check_compile(const Study& study, const ProblemSize& size, const CheckOptions& options) {
  if (!study.is_runnable()) {
    reject(study.file, "there is nothing to compile: 'kernel' and 'launch' are needed");
  }
  if (study.kernel.subject == Subject::kCommand) {
    std::cerr << "the study's 'build' is run for each variant, as a command of yours\n";
  }
  const Interrupt interrupt;
  const WorkerProgram program{executable_path(), options.plugin_dirs};
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  const ArtifactShelf shelf;
  if (!shelf.trouble().empty()) std::cerr << shelf.trouble() << "\n";
  Strings archs = options.archs;
  if (archs.empty()) archs.emplace_back(usual_arch(study));
  std::set<std::string> told;
  std::cout << "arch," << csv_header(study.parameters)
            << ",state,registers,static_shared_bytes,dynamic_shared_bytes,spill_bytes,occupancy,"
               "compile_ms,message\n";
  bool all_good = true;
  for (const std::string& arch : archs) {
    const DeviceFacts facts = nominal_facts(arch);
    require_language(study, catalogue, facts, arch);
    const SearchSpace space = SearchSpace::build(space_definition(study, size, facts));
    const auto open = [&](const std::string& compiler) {
      return std::make_unique<CompilePool>(
          program, CompilePoolOptions{compiler, options.jobs, options.timeout, shelf.dir()});
    };
    const StudyCompilers with = compilers_for(
        study, catalogue, facts.backend, shelf, interrupt, [&] { return DeviceFacts(facts); },
        open(facts.backend), open);
    for (const std::string& note : with.notes) {
      if (told.insert(note).second) std::cerr << lines_for_terminal(note) << "\n";
    }
    const ArtifactLibrary library = shelf.library(with.pool->identity(), with.sources);
    CompileCheck check(study, space, facts, with, library, arch);
    const bool some = options.limit > 0 && options.limit < space.size();
    const IndexPermutation drawn(std::max<ConfigIndex>(1, space.size()), options.seed);
    for (ConfigIndex i = 0; i < (some ? options.limit : space.size()); ++i) {
      if (interrupt.count() > 0) break;
      check.add(some ? drawn(i) : i);
      check.drain(4 * std::size_t{options.jobs}, interrupt);
    }
    check.drain(0, interrupt);
    if (interrupt.count() > 0) return kExitInterrupted;
    all_good = check.sum_up() && all_good;
  }
  return all_good ? kExitDone : kExitNothingValid;
}

// ---- the space ----------------------------------------------------------------------------------

CheckOptions parse_check(const Strings& words) {
  CheckOptions o;
  std::string archs;
  OptionTable add;
  add("json", o.json, "the report as JSON");
  add("schema", o.schema, "the JSON schema of studies, for editors; without STUDY");
  add("list", o.list, "all valid configurations as CSV");
  add("sample", o.sample, "this many random ones as CSV");
  add("compile", o.compile,
      "compile the variants (no GPU needed; a 'command' is built, by its own program); registers, "
      "shared memory, spills, occupancy as CSV");
  add("arch", archs, "architectures to compile for, such as sm_80,sm_90, or cpu");
  add("limit", o.limit, "compile at most this many, chosen at random");
  add("size", o.sizes, "problem size instead of the study's first");
  add.t1(o, false);
  add("seed", o.seed, "of --sample and --limit");
  add.timeout(o.timeout, "with --compile: seconds for one compilation");
  add.jobs(o.jobs);
  add.plugin_dirs(o.plugin_dirs);
  add.color(o.color);
  const auto values = add.parse(words, "tuner check STUDY [options]");
  o.study = one_input(values, "study", !o.schema);
  if (o.schema && !o.study.empty()) wrong_usage("--schema is of every study, not of one");
  if (!archs.empty()) o.archs = split(archs, ',');
  if (!archs.empty() && !o.compile) wrong_usage("--arch goes with --compile");
  if (o.compile && o.limit == 0) o.limit = o.sample;  // compile a sample
  return o;
}

void print_rows(const SearchSpace& space, const CheckOptions& options) {
  std::cout << csv_header(space.parameters()) << "\n";
  if (options.list) {
    for (ConfigIndex i = 0; i < space.size(); ++i) {
      std::cout << csv_row(space.configuration(i)) << "\n";
    }
    return;
  }
  if (space.size() == 0) return;
  const IndexPermutation drawn(space.size(), options.seed);
  for (ConfigIndex i = 0; i < std::min<ConfigIndex>(options.sample, space.size()); ++i) {
    std::cout << csv_row(space.configuration(drawn(i))) << "\n";
  }
}

// Prints the configurations, or a summary, in the same way for every kind of file. `why_empty` is
// the reason for the user when there are none.
int report_space(const SearchSpace& space, const CheckOptions& options,
                 const std::string& why_empty, const nlohmann::json& of_study = {}) {
  if (options.list || options.sample > 0) {
    print_rows(space, options);
  } else if (options.json) {
    nlohmann::json out = space_json(space);
    if (of_study.is_object()) out.update(of_study);
    std::cout << out.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  } else {
    std::cout << space_text(space);
  }
  if (space.size() == 0) {
    std::cerr << why_empty << "\n";
    return kExitBadInput;
  }
  return kExitDone;
}

// Says whose code a study runs, and which files it reads: what a server for agents asks before it
// lets one of them run it.
nlohmann::json json_of_study(const Study& study, const StudyFile& file) {
  OutputGuard guard(false);
  guard.protect(study);
  for (const std::filesystem::path& other : file.extends) guard.protect(other, "");
  std::set<std::string> reads;
  const std::filesystem::path here = std::filesystem::current_path();
  for (const auto& [name, what] : guard.protects()) {
    const auto path = std::filesystem::absolute(name).lexically_normal();
    const std::string below = path.lexically_relative(here).string();
    reads.insert(below.empty() || below.starts_with("..") ? path.string() : below);
  }
  const KernelSpec& kernel = study.kernel;
  const bool has_advice_of_command = std::ranges::any_of(study.search.advice, [](const auto& one) {
    return one.kind == AdviceSource::Kind::kCommand;
  });
  const bool has_answers_of_python = study.problem && study.problem->name == "python";
  return {{"form", name_of(kernel.subject)},
          {"host_code", kernel.runs_on_host() || has_answers_of_python || has_advice_of_command},
          {"reads", reads}};
}

int check_study(const CheckOptions& options) {
  const StudyFile file = read_study_file(options.study);
  const Study study = with_t1_options(file.study, options);
  const Colours colours(options.color, stderr);
  const auto note = [&](const std::string& text) { std::cerr << colours.note(text) << "\n"; };
  for (const Complaint& warning : file.warnings) note("warning: " + render(warning, study.text));
  for (const Complaint& one : advice_file_faults(study)) {
    note("warning: " + render(one, study.text));
  }
  const auto is_of_plugin = [](const AdviceSource& one) {
    return one.kind == AdviceSource::Kind::kPlugin;
  };
  if (study.problem || !study.observers.empty() ||
      std::ranges::any_of(study.search.advice, is_of_plugin)) {
    load_plugins(options.plugin_dirs).check_study(study);
  }
  check_sources(study, note);
  const ProblemSize size = !options.sizes.empty() ? parse_size_option(options.sizes.front(), study)
                           : study.sizes.empty()  ? ProblemSize{}
                                                  : study.sizes.front();
  if (options.compile) return check_compile(study, size, options);
  const DeviceFacts facts = facts_of(options, study);
  const SearchSpace space = SearchSpace::build(space_definition(study, size, facts));
  if (study.is_runnable() && space.size() > 0) {
    for (const GeometryReport& report :
         {check_geometry(study, space, size, facts), check_options(study, space, size, facts)}) {
      if (!report.complaints.empty()) throw InputError(report.complaints, study.text);
      for (const Complaint& warning : report.warnings) {
        note("warning: " + render(warning, study.text));
      }
    }
  }
  if (!options.json && !options.list && options.sample == 0 && space.size() > 0) {
    std::cout << fmt::format("{}: no mistake found\nproblem size       {}\nfor a device like  {}\n",
                             options.study, size.label(), facts.name);
    if (study.domain && options.sizes.empty()) std::cout << domain_text(*study.domain);
  }
  std::string why_empty;
  for (const Complaint& complaint : check_not_empty(study, space)) {
    why_empty += render(complaint, study.text);
  }
  return report_space(space, options, why_empty,
                      options.json ? json_of_study(study, file) : nullptr);
}

}  // namespace

int check_command(const Strings& words) {
  const CheckOptions options = parse_check(words);
  if (options.schema) {
    std::cout << study_schema();
    return kExitDone;
  }
  const std::filesystem::path path = options.study;
  if (path.extension() != ".json" || is_t1(study_text(path))) return check_study(options);
  if (options.compile) {
    wrong_usage("--compile needs a study: " + options.study + " describes a space only");
  }
  const SearchSpace space = SearchSpace::build(read_space_json(options.study));
  return report_space(space, options, options.study + ": " + space.why_empty());
}

}  // namespace tuner
