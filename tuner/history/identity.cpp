// Spells out everything that can change a trial, so that a changed study never reuses an old one.

#include "tuner/history/identity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "tuner/resolve/captured_plans.h"
#include "tuner/resolve/objective.h"
#include "tuner/resolve/reference_plan.h"
#include "tuner/resolve/resolve.h"

namespace tuner {
namespace {

constexpr const char* kFromGraph = ", from a graph";
constexpr const char* kFreshInputs = ", on fresh inputs";

// Each behind this.
std::string behind(const char* mark, const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += mark + word;
  return text;
}

std::string behind(const char* mark, const std::vector<Expression>& expressions) {
  std::string text;
  for (const Expression& one : expressions) text += mark + one.text();
  return text;
}

std::string text_of(const LaunchSpec& launch) {
  std::string text;
  for (const auto* extents : {&launch.grid, &launch.block}) {
    for (const Expression& extent : *extents) text += extent.text() + ';';
  }
  text += launch.dynamic_shared_bytes.text();
  const LaunchAttributesSpec& more = launch.attributes;
  const auto add = [&](const char* name, const Expression& value) {
    if (!value.empty()) text += fmt::format(";{} {}", name, value.text());
  };
  for (const Expression& extent : more.cluster) add("cluster", extent);
  add("cooperative", more.cooperative);
  add("carveout", more.carveout);
  add("scheduling", more.scheduling);
  add("programmatic", more.programmatic);
  return text;
}

std::string digest(std::string_view text) { return to_hex(hash_of(text)); }

// The contents of a data file, or nothing where it cannot be read. {NAME} in its name is a part of
// the size, or of the answer: then there are several.
std::string contents_of(const std::filesystem::path& file, const std::vector<Bindings>& cases,
                        const MeasuredWith& with) {
  std::string text;
  for (const Bindings& names : cases) {
    const auto path = substitute(file.string(), names);
    if (path && with.data) text += ";contents " + with.data->text_of(*path);
  }
  return text;
}

// Says where in its file a fill begins.
std::string part_of(const FillSpec& fill) {
  return fill.offset == 0 ? std::string() : fmt::format(" from {}", fill.offset);
}

// Writes what follows the numbers of a fill.
std::string rest_of(const FillSpec& fill) {
  std::string text;
  if (fill.sorted) text += ":sorted";
  for (const double value : fill.values) text += fmt::format(":{}", value);
  if (!fill.rule.empty()) text += ":rule " + fill.rule.text();
  return text;
}

std::string text_of(const ArgumentSpec& a, const Bindings& names, const MeasuredWith& with) {
  std::string text = fmt::format("{}:{}:{}:{}:{}:{}:{}:{}", a.name,
                                 a.choice ? a.type_name : std::string(name_of(a.type)), a.is_scalar,
                                 a.value.text(), static_cast<int>(a.role),
                                 static_cast<int>(a.fill.kind), a.fill.a, a.fill.b);
  text += behind(";", a.shape);
  if (a.role == Role::kWorkspace) text += fmt::format(":zero {}", static_cast<int>(a.zero));
  if (a.map) {
    text += ":map of " + a.map->of + ':' + a.map->swizzle.text() + behind(";", a.map->box);
  }
  if (a.lanes > 1 && !a.choice) text += fmt::format(":{} lanes", a.lanes);
  if (a.is_beside) text += ":beside";
  for (const MemberSpec& m : a.record ? a.record->members : std::vector<MemberSpec>()) {
    text += fmt::format(":{} at {} {} {}{} {} {} {}", m.path, m.offset, name_of(m.type), m.of,
                        m.value.text(), static_cast<int>(m.fill.kind), m.fill.a, m.fill.b) +
            rest_of(m.fill);
    if (!m.texture) continue;
    text += fmt::format(":texture {} {} {} {} {}", static_cast<int>(m.texture->kind),
                        static_cast<int>(m.texture->filter), static_cast<int>(m.texture->outside),
                        m.texture->normalized, m.texture->as_floats);
  }
  if (!a.fill.same_as.empty()) text += ":same as " + a.fill.same_as;
  text += rest_of(a.fill);
  if (a.fill.kind == FillSpec::Kind::kFile) {
    text += contents_of(a.fill.file, {names}, with) + part_of(a.fill);
  }
  if (a.is_captured)
    text += ":bytes " +
            digest(std::string_view(reinterpret_cast<const char*>(a.bytes.data()), a.bytes.size()));
  return text;
}

// Writes all memory that the launch had, whether the study names it or not.
std::string memory_text(const Study& study, const ProblemSize& size, const MeasuredWith& with) {
  std::string text = "memory";
  const CapturedLaunch* launch = captured_at(study, size);
  if (launch == nullptr) return text;
  for (const CapturedMemory& one : launch->memory) {
    text += fmt::format(" {:#x}", one.address) + contents_of(launch->folder / one.file, {{}}, with);
  }
  return text;
}

std::string text_of(const OptionList& options) {
  std::string text;
  for (const OptionValue& one : options) text += ':' + one.name + '=' + one.value;
  return text;
}

// Writes what observers add to a trial: an earlier trial measured without them lacks it.
std::string observing(const Study& study) {
  std::string text;
  for (const ObserverSpec& one : study.observers) {
    text += fmt::format("{}{} = {} of {}{}", text.empty() ? ", observed: " : "; ", one.metric,
                        one.value.empty() ? one.metric : one.value, one.name, text_of(one.options));
  }
  return text;
}

// Variables that say which libraries are loaded and how they compute, as they are now.
std::string environment_of_libraries() {
  std::vector<std::string> found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    for (const std::string_view head : {"LD_LIBRARY_PATH=", "LD_PRELOAD=", "OMP_", "GOMP_", "MKL_",
                                        "OPENBLAS_", "CUBLAS", "CUDNN_", "NVIDIA_TF32_OVERRIDE="}) {
      if (variable.starts_with(head)) found.emplace_back(variable);
    }
  }
  std::ranges::sort(found);
  return behind("\n", found);
}

// Whether a launcher calls code that is not in its sources.
bool has_libraries(const Study& study) {
  return std::ranges::any_of(study.kernel.options, [](const std::string& option) {
    return option == "-fopenmp" || option.starts_with("--library") ||
           (option.starts_with("-l") && option != "-lineinfo");
  });
}

// Writes the launches that follow the first one, and how all are repeated. Empty where there are
// none.
std::string sequence_text(const std::vector<NextLaunchSpec>& then, const RoundsSpec& rounds) {
  std::string text;
  for (const NextLaunchSpec& next : then) {
    text += "\nthen " + next.entry + '|' + text_of(next.launch) + '|' + next.when.text() +
            behind("|", next.arguments);
  }
  if (!rounds.repeat.empty()) text += "\nrepeat " + rounds.repeat.text();
  for (const auto& [one, other] : rounds.swap) text += "\nswap " + one + '|' + other;
  return text;
}

// Whether an output is judged by tolerances that are this program's, not the study's.
bool has_usual_tolerance(const Study& study) {
  return std::ranges::any_of(study.arguments, [&study](const ArgumentSpec& argument) {
    const auto named = std::ranges::find_if(
        study.verify, [&](const auto& one) { return one.first == argument.name; });
    const bool is_named = named != study.verify.end();
    return is_named ? named->second.is_usual : is_output(argument.role);
  });
}

// Writes what kernels get at a size.
std::string inputs_text(const Study& study, const ProblemSize& size, const Bindings& names,
                        const MeasuredWith& with) {
  std::string inputs;
  for (const auto* list : {&study.arguments, &study.constants}) {
    std::string before;  // of one with a type for each value of a parameter: it is said once
    for (const ArgumentSpec& argument : *list) {
      std::string text = text_of(argument, names, with) + '\n';
      if (!argument.choice || text != before) inputs += text;
      before = std::move(text);
    }
    inputs += "--\n";
  }
  if (study.memory_is_captured) inputs += memory_text(study, size, with);
  if (study.problem) inputs += study.problem->name + text_of(study.problem->options);
  return inputs;
}

std::string verification(const Study& study, const Bindings& names, const MeasuredWith& with) {
  std::string verify;
  if (study.reference && has_usual_tolerance(study)) verify += "usual: atol by size\n";
  for (const auto& [name, tolerance] : study.verify) {
    verify += name + ':' + tolerance.rtol.text() + ':' + tolerance.atol.text();
    const CompareRule& how = tolerance.how;
    if (!how.is_usual()) {
      verify += fmt::format(":norm {}:order {}:largest {}:nan {}", static_cast<int>(how.norm),
                            how.any_order, how.to_largest, how.equal_nan);
    }
    verify += tolerance.by_problem ? ":by the problem\n" : "\n";
  }
  for (const Expression& rule : study.compiled) verify += "compiled " + rule.text() + '\n';
  if (!study.reference) return verify;
  const ReferenceSpec& reference = *study.reference;
  verify += reference.entry + '|' + text_of(reference.launch) + behind("|", reference.arguments) +
            sequence_text(reference.then, reference.rounds);
  for (const auto& [name, value] : reference.configuration) {
    verify += '|' + name + '=' + to_text(value);
  }
  verify += fmt::format("|{} sets of inputs", reference.seeds);
  if (reference.from == AnswerSource::kProblem) verify += "|by the problem";
  verify += behind("|per ", reference.per);
  for (const ExtremeInputs fill : reference.fills) {
    // The special ones have more values than the trials know that were made before this word.
    const char* which = fill == ExtremeInputs::kSpecial ? " with subnormals" : "";
    verify += fmt::format("|fill {}{}", static_cast<int>(fill), which);
  }
  for (const auto& [name, file] : reference.files) {
    verify += '|' + name + contents_of(file.file, answer_cases(study, names), with) + part_of(file);
  }
  return verify;
}

}  // namespace

// The lists of values and the constraints are not here: they say which configurations exist, not
// what one of them does, and extending a list must not throw away what was measured.
ContextKey context_key(const Study& of_all_sizes, const DeviceFacts& device,
                       const ProblemSize& size, const MeasuredWith& with) {
  const auto at_size = with_captured(of_all_sizes, size);
  const Study& study = at_size ? *at_size : of_all_sizes;
  const std::string definitions = study.kernel.entry + '|' + study.kernel.define_prefix +
                                  behind("|", parameter_names(study.parameters)) +
                                  behind("=", study.kernel.replaced);
  std::string options;
  for (const std::string& option : study.kernel.options) options += option + '\n';
  const Bindings names = facts_of(size, device);
  const std::string inputs = inputs_text(study, size, names, with);
  std::string launch = text_of(study.launch) + behind("|", study.launch_arguments) +
                       sequence_text(study.then, study.rounds);
  if (study.limits.any()) {
    launch += fmt::format("\nlimits {} {} {}", study.limits.heap, study.limits.stack,
                          study.limits.printf);
  }
  for (const NamedExpression& derived : study.derived) {
    launch += '\n' + derived.name + '=' + derived.expression.text();
  }
  const std::string verify = verification(study, names, with);
  const MeasureSpec& m = study.measure;
  ContextKey key;
  key.kernel = study.kernel.name;
  key.device = device;
  key.size = size;
  key.parameters = parameter_names(study.parameters);
  key.identity = {
      {"source", with.source_digest},
      {"definitions", digest(definitions)},
      {"options", digest(options)},
      {"launch", digest(launch)},
      {"inputs", digest(inputs)},
      {"verify", digest(verify)},
      // Trials from before answers were checked after the timing prove less, and are made again.
      {"measuring",
       fmt::format("{} {}-{} samples, {} ms, {} +- {}, drop {}{}, checked after timing{}{}{}{}",
                   name_of(m.cache), m.min_samples, m.max_samples, m.max_milliseconds, m.confidence,
                   m.precision, slow_may_be_best(study, size, device) ? 0 : m.drop_above,
                   needs_power(study) ? ", with power" : "",
                   study.deterministic ? ", same bits in every launch" : "",
                   m.mode == LaunchMode::kGraph ? kFromGraph : "",
                   m.inputs == TimedInputs::kFresh ? kFreshInputs : "", observing(study))},
      {"compiler", with.compiler},
      {"backend options", with.backend_options},
  };
  if (study.kernel.runs_on_host()) key.identity.emplace_back("form", name_of(study.kernel.subject));
  if (study.kernel.runs_on_host() && has_libraries(study)) {
    key.identity.emplace_back("environment of libraries", digest(environment_of_libraries()));
  }
  if (!with.plugins.empty()) key.identity.emplace_back("plugins", with.plugins);
  return key;
}

std::string identity_part(const ContextKey& key, const std::string& component) {
  for (const auto& [name, text] : key.identity) {
    if (name == component) return text;
  }
  return {};
}

std::optional<TimedHow> timed_how(const ContextKey& key) {
  const std::string text = identity_part(key, "measuring");
  const bool graph = text.find(kFromGraph) != std::string::npos;
  const bool fresh = text.find(kFreshInputs) != std::string::npos;
  for (const CacheState cache : {CacheState::kCold, CacheState::kHot, CacheState::kRotate}) {
    if (!text.starts_with(name_of(cache))) continue;
    return TimedHow{graph ? LaunchMode::kGraph : LaunchMode::kStream, cache,
                    fresh ? TimedInputs::kFresh : TimedInputs::kSame};
  }
  return std::nullopt;
}

bool has_no_reference(const ContextKey& key) { return identity_part(key, "verify") == digest(""); }

}  // namespace tuner
