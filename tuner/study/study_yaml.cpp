// Writes a study as YAML.

#include "tuner/study/study_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "tuner/base/text.h"
#include "tuner/study/arguments_yaml.h"
#include "tuner/study/yaml_text.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

std::string axes(const std::array<Expression, 3>& extents) {
  std::size_t count = 3;
  while (count > 1 && extents[count - 1].empty()) --count;
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    out += (i == 0 ? "" : ", ") + quoted(extents[i].empty() ? "1" : extents[i].text());
  }
  return "[" + out + "]";
}

std::string launch_lines(const LaunchSpec& launch) {
  std::string out = fmt::format("  block: {}\n  grid: {}\n", axes(launch.block), axes(launch.grid));
  if (!launch.dynamic_shared_bytes.empty()) {
    out += fmt::format("  dynamic_shared_bytes: {}\n", quoted(launch.dynamic_shared_bytes.text()));
  }
  return out;
}

// Each of a launch's attributes in its own form: "  cooperative: True" and a line's end, or ",
// ...".
std::string attributes_text(const LaunchAttributesSpec& attributes, const std::string& before,
                            const std::string& after) {
  std::string out;
  if (!attributes.cluster[0].empty())
    out += before + "cluster: " + axes(attributes.cluster) + after;
  const auto add = [&](const char* name, const Expression& value) {
    if (!value.empty()) out += fmt::format("{}{}: {}{}", before, name, quoted(value.text()), after);
  };
  add("cooperative", attributes.cooperative);
  add("carveout", attributes.carveout);
  add("scheduling", attributes.scheduling);
  add("programmatic", attributes.programmatic);
  return out;
}

std::string sequence_lines(const std::vector<NextLaunchSpec>& then, const RoundsSpec& rounds) {
  std::string out;
  if (!rounds.repeat.empty()) out += "  repeat: " + quoted(rounds.repeat.text()) + "\n";
  std::string pairs;
  for (const auto& [one, other] : rounds.swap) {
    pairs += fmt::format("{}[{}, {}]", pairs.empty() ? "" : ", ", quoted(one), quoted(other));
  }
  if (!pairs.empty()) out += "  swap: [" + pairs + "]\n";
  if (!then.empty()) out += "  then:\n";
  for (const NextLaunchSpec& next : then) {
    out += fmt::format("    - {{entry: {}, block: {}, grid: {}", quoted(next.entry),
                       axes(next.launch.block), axes(next.launch.grid));
    if (!next.launch.dynamic_shared_bytes.empty()) {
      out += ", dynamic_shared_bytes: " + quoted(next.launch.dynamic_shared_bytes.text());
    }
    out += attributes_text(next.launch.attributes, ", ", "");
    if (!next.arguments.empty()) out += ", arguments: " + list_of(next.arguments);
    if (!next.when.empty()) out += ", when: " + quoted(next.when.text());
    out += "}\n";
  }
  return out;
}

std::string fills_text(const std::vector<ExtremeInputs>& fills) {
  std::string out;
  for (const ExtremeInputs fill : fills) {
    out +=
        (out.empty() ? "" : ", ") + std::string(kExtremeInputs.at(static_cast<std::size_t>(fill)));
  }
  return out;
}

std::string file_reference_of(const Study& study, const fs::path& folder) {
  const ReferenceSpec& reference = *study.reference;
  std::string out = "reference:\n";
  if (!reference.per.empty()) out += "  per: " + list_of(reference.per) + "\n";
  out += "  file:\n";
  for (const auto& [name, file] : reference.files) {
    out += fmt::format("    {}: {}\n", quoted(name), path_text(file, folder));
  }
  return out;
}

std::string sets_of(const ReferenceSpec& reference) {
  std::string out;
  if (reference.seeds != ReferenceSpec{}.seeds)
    out += fmt::format("  seeds: {}\n", reference.seeds);
  if (!reference.fills.empty()) out += "  fills: [" + fills_text(reference.fills) + "]\n";
  return out;
}

std::string reference_of(const Study& study, const fs::path& folder) {
  if (study.verify_nothing) return "verify: none\n";
  if (!study.reference) return {};
  const ReferenceSpec& reference = *study.reference;
  if (!reference.files.empty()) return file_reference_of(study, folder);
  if (reference.by_problem) return "reference:\n  by: problem\n" + sets_of(reference);
  std::string out = fmt::format("reference:\n  entry: {}\n", quoted(reference.entry));
  if (reference.source) out += "  source: " + path_text(*reference.source, folder) + "\n";
  std::string values;
  for (const auto& [name, value] : reference.configuration) {
    values += fmt::format("{}{}: {}", values.empty() ? "" : ", ", name, value_text(value));
  }
  if (!values.empty()) out += "  configuration: {" + values + "}\n";
  if (!reference.per.empty()) out += "  per: " + list_of(reference.per) + "\n";
  out += sets_of(reference);
  if (!reference.is_launcher) out += launch_lines(reference.launch);
  if (!reference.arguments.empty()) {
    out += "  arguments: " + list_of(reference.arguments) + "\n";
  }
  return out + sequence_lines(reference.then, reference.rounds);
}

std::string verify_of(const Study& study) {
  if (study.verify.empty() && !study.deterministic) return {};
  std::string out = "verify:\n";
  if (study.deterministic) out += "  deterministic: true\n";
  for (const auto& [name, tolerance] : study.verify) {
    if (tolerance.by_problem) {
      out += fmt::format("  {}: problem\n", quoted(name));
      continue;
    }
    std::vector<std::string> limits;
    if (!tolerance.rtol.empty()) limits.push_back("rtol: " + quoted(tolerance.rtol.text()));
    if (!tolerance.atol.empty()) limits.push_back("atol: " + quoted(tolerance.atol.text()));
    const CompareRule& how = tolerance.how;
    if (how.norm != CompareRule::Norm::kNone) {
      limits.push_back(fmt::format("norm: {}", kNormNames.at(static_cast<std::size_t>(how.norm))));
    }
    if (how.any_order) limits.emplace_back("order: any");
    if (how.to_largest) limits.emplace_back("relative_to: largest");
    if (how.equal_nan) limits.emplace_back("equal_nan: true");
    out += fmt::format("  {}: {{{}}}\n", quoted(name), fmt::join(limits, ", "));
  }
  return out;
}

std::string kernel_of(const Study& study, const fs::path& folder) {
  const KernelSpec& kernel = study.kernel;
  const auto listed_paths = [&folder](std::string out, const std::vector<fs::path>& paths) {
    for (const fs::path& one : paths) out += (out.empty() ? "" : ", ") + path_text(one, folder);
    return out;
  };
  std::string source = listed_paths(path_text(kernel.source, folder), kernel.units);
  source = kernel.units.empty() ? "source: " + source : "sources: [" + source + "]";
  std::string out = fmt::format("{}:\n  name: {}\n  {}\n  entry: {}\n  define_prefix: {}\n",
                                kernel.is_launcher ? "launcher" : "kernel", quoted(kernel.name),
                                source, quoted(kernel.entry), quoted(kernel.define_prefix));
  if (kernel.language != KernelSpec{}.language) {
    out += fmt::format("  language: {}\n", kernel.language);
  }
  if (kernel.compiler == KernelCompiler::kNvcc) out += "  compiler: nvcc\n";
  if (kernel.compiler == KernelCompiler::kNvrtc) out += "  compiler: nvrtc\n";
  const std::string dirs = listed_paths("", kernel.include_dirs);
  if (!dirs.empty()) out += "  include_dirs: [" + dirs + "]\n";
  std::string options;
  for (const std::string& option : kernel.options) {
    options += (options.empty() ? "" : ", ") + quoted(option);
  }
  return out + (options.empty() ? "" : "  options: [" + options + "]\n");
}

std::string domain_of(const SizeDomain& domain) {
  std::string ranges;
  for (const auto& [name, low, high] : domain.extents) {
    ranges += fmt::format("{}{}: [{}, {}]", ranges.empty() ? "" : ", ", name, low, high);
  }
  std::string kinds;
  std::string weights;
  for (const SizeKind& kind : domain.kinds) {
    const std::string separator = kinds.empty() ? "" : ", ";
    kinds += separator + quoted(kind.rule.empty() ? "true" : kind.rule.text());
    weights += fmt::format("{}{}", separator, kind.weight);
  }
  return fmt::format("problem_sizes:\n  domain: {{{}}}\n  kinds: [{}]\n  weights: [{}]\n", ranges,
                     kinds, weights);
}

std::string space_of(const Study& study) {
  std::string out = study.domain ? domain_of(*study.domain) : "";
  for (const ProblemSize& size : study.sizes) {
    if (size.dims.empty() || study.domain) continue;
    out += out.empty() ? "problem_sizes:\n" : "";
    std::string dims;
    for (const auto& [name, extent] : size.dims) {
      dims += fmt::format("{}{}: {}", dims.empty() ? "" : ", ", name, extent);
    }
    out += "  - {" + dims + "}\n";
  }
  out += "parameters:\n";
  for (const Parameter& parameter : study.parameters) {
    out += fmt::format("  {}: {}\n", parameter.name, list_of(parameter.values));
  }
  if (!study.derived.empty()) out += "derived:\n";
  for (const NamedExpression& derived : study.derived) {
    out += fmt::format("  {}: {}\n", derived.name, quoted(derived.expression.text()));
  }
  if (!study.compiled.empty()) out += "compiled:\n";
  for (const Expression& rule : study.compiled) out += "  - " + quoted(rule.text()) + "\n";
  if (!study.constraints.empty()) out += "constraints:\n";
  for (const Expression& rule : study.constraints) out += "  - " + quoted(rule.text()) + "\n";
  if (!study.baseline) return out;
  std::string values;
  for (std::size_t p = 0; p < study.parameters.size(); ++p) {
    values += fmt::format("{}{}: {}", values.empty() ? "" : ", ", study.parameters[p].name,
                          value_text(study.baseline->configuration[p]));
  }
  return out + "baseline: {" + values + "}\n";
}

std::string options_text(const OptionList& options) {
  std::string out;
  for (const OptionValue& one : options) {
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", one.name, quoted(one.value));
  }
  return out;
}

// A section that names something of a plugin.
std::string plugin_of(const char* section, const std::string& name, const OptionList& options) {
  if (name.empty()) return "";
  if (options.empty()) return fmt::format("{}: {}\n", section, name);
  return fmt::format("{}: {{name: {}, options: {{{}}}}}\n", section, name, options_text(options));
}

std::string metric_line(const Study& study, const NamedExpression& metric) {
  const auto counter = std::ranges::find(study.counters, metric.name, &OptionValue::name);
  if (counter != study.counters.end()) {
    return fmt::format("  {}: {{counter: {}}}\n", metric.name, quoted(counter->value));
  }
  const auto observer = std::ranges::find(study.observers, metric.name, &ObserverSpec::metric);
  if (observer == study.observers.end()) {
    return fmt::format("  {}: {}\n", metric.name, quoted(metric.expression.text()));
  }
  std::string parts = "observer: " + quoted(observer->name);
  if (!observer->value.empty()) parts += ", value: " + quoted(observer->value);
  if (!observer->options.empty()) parts += ", options: {" + options_text(observer->options) + "}";
  return fmt::format("  {}: {{{}}}\n", metric.name, parts);
}

std::string work_of(const Study& study) {
  if (!study.least_work) return {};
  const LeastWork& work = *study.least_work;
  std::string parts;
  if (!work.bytes.empty()) parts = "bytes: " + quoted(work.bytes.text());
  if (!work.flops.empty()) {
    parts += fmt::format("{}flops: {}, type: {}", parts.empty() ? "" : ", ",
                         quoted(work.flops.text()), quoted(work.type));
  }
  return "work: {" + parts + "}\n";
}

std::string search_of(const Study& study) {
  std::string metrics;
  for (const NamedExpression& metric : study.metrics) {
    metrics += metrics.empty() ? "metrics:\n" : "";
    metrics += metric_line(study, metric);
  }
  std::string out = work_of(study) + metrics;
  const auto goal = [](const ObjectiveSpec& objective) {
    return fmt::format("{}: {}", objective.maximize ? "maximize" : "minimize", objective.name);
  };
  if (study.objective.name != "time" || !study.objective.beside.empty()) {
    std::string beside;
    for (const ObjectiveSpec& other : study.objective.beside) {
      beside += fmt::format("{}{{{}}}", beside.empty() ? "" : ", ", goal(other));
    }
    out += fmt::format("objective: {{{}{}}}\n", goal(study.objective),
                       beside.empty() ? "" : ", beside: [" + beside + "]");
  }
  out += plugin_of("backend", study.backend.name, study.backend.options);
  const SearchSpec& search = study.search;
  std::string parts;
  if (search.strategy != "default") parts += fmt::format("  strategy: {}\n", search.strategy);
  std::string limits;
  const auto limit = [&](const char* name, const auto& value) {
    if (value) limits += fmt::format("{}{}: {}", limits.empty() ? "" : ", ", name, *value);
  };
  limit("evaluations", search.budget.evaluations);
  limit("seconds", search.budget.seconds);
  limit("target", search.budget.target);
  limit("patience", search.budget.patience);
  const std::string options = options_text(search.options);
  if (!options.empty()) parts += "  options: {" + options + "}\n";
  if (!limits.empty()) parts += "  budget: {" + limits + "}\n";
  if (search.until_loss != SearchSpec{}.until_loss) {
    parts += fmt::format("  until_loss: {}\n", search.until_loss);
  }
  return parts.empty() ? out : out + "search:\n" + parts;
}

// What differs from the defaults.
std::string measure_of(const Study& study) {
  const MeasureSpec usual;
  const MeasureSpec& m = study.measure;
  std::string out;
  const auto add = [&](const char* name, const auto& value, const auto& other) {
    if (value != other) out += fmt::format("  {}: {}\n", name, value);
  };
  if (m.mode == LaunchMode::kGraph) out += "  mode: graph\n";
  if (m.cache != CacheState::kCold) {
    out += fmt::format("  cache: {}\n", m.cache == CacheState::kHot ? "hot" : "rotate");
  }
  if (m.inputs == TimedInputs::kFresh) out += "  inputs: fresh\n";
  add("min_samples", m.min_samples, usual.min_samples);
  add("max_samples", m.max_samples, usual.max_samples);
  add("max_milliseconds", m.max_milliseconds, usual.max_milliseconds);
  add("confidence", m.confidence, usual.confidence);
  add("precision", m.precision, usual.precision);
  add("drop_above", m.drop_above, usual.drop_above);
  add("finalists", m.finalists, usual.finalists);
  add("simpler_within", m.simpler_within, usual.simpler_within);
  return out.empty() ? out : "measure:\n" + out;
}

std::string launch_section(const Study& study) {
  return "launch:\n" + launch_lines(study.launch) +
         attributes_text(study.launch.attributes, "  ", "\n") +
         (study.work.empty() ? "" : "  work: " + quoted(study.work.text()) + "\n") +
         (study.launch_arguments.empty()
              ? ""
              : "  arguments: " + list_of(study.launch_arguments) + "\n") +
         sequence_lines(study.then, study.rounds);
}

}  // namespace

std::string study_yaml(const Study& study, const fs::path& folder, const std::string& remark) {
  std::string out;
  for (std::size_t at = 0; at < remark.size();) {
    const std::size_t end = std::min(remark.find('\n', at), remark.size());
    out += "# " + remark.substr(at, end - at) + "\n";
    at = end + 1;
  }
  out += "schema: 1\n";
  if (study.runnable) out += kernel_of(study, folder);
  out += space_of(study);
  if (study.runnable) {
    if (study.problem) out += plugin_of("problem", study.problem->name, study.problem->options);
    if (!study.kernel.is_launcher) out += launch_section(study);
    out += arguments_yaml(study, folder) + reference_of(study, folder) + verify_of(study);
  }
  return out + search_of(study) + measure_of(study);
}

}  // namespace tuner
