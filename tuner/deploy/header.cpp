// Fills the exported header (cpp/header.hpp): its description, types, tables, rules and
// selection.

#include "tuner/deploy/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "tuner/base/hash.h"
#include "tuner/base/terminal_text.h"
#include "tuner/base/text.h"
#include "tuner/deploy/cpp_text.h"
#include "tuner/deploy/embedded_text.h"
#include "tuner/deploy/selection.h"
#include "tuner/deploy/table_text.h"
#include "tuner/model/fields.h"
#include "tuner/model/size_sampler.h"

namespace tuner {
namespace {

// For a comment: no line break, no backslash that continues it, and nothing that turns the
// direction of the text, by which a comment could look like code.
std::string one_line(const std::string& text) {
  std::string line = for_terminal(text);
  std::ranges::replace(line, '\\', ' ');
  return line;
}

// The numbers of struct device, which expressions can name, in the order of the list. Name,
// architecture and compute capability stand before them.
template <typename Visit>
void for_each_number(const DeviceFacts& facts, const Visit& visit) {
  for_each_field(facts, [&](const char* name, const auto& fact) {
    if constexpr (std::is_same_v<decltype(fact), const std::int64_t&>) {
      if (is_in_expressions(name)) visit(name, fact);
    }
  });
}

std::string device_literal(const DeviceFacts& facts) {
  std::string out = fmt::format("{{{}, {}, {}", cpp_string(facts.name), cpp_string(facts.arch),
                                facts.compute_capability);
  for_each_number(facts, [&](const char*, std::int64_t fact) { out += fmt::format(", {}", fact); });
  return out + "}";
}

// Fills in the comments in which the header describes itself.
void fill_comments(const HeaderModel& model, const HeaderOptions& options, Filling& out) {
  const Study& study = *model.study;
  const TunedTable& table = *model.table;
  const auto imported = [](const std::string& one) { return one.starts_with("imported from"); };
  const bool is_timed = std::ranges::none_of(table.compilers, imported);
  std::string weights;
  for (std::size_t d = 0; d < table.weights.size(); ++d) {
    weights += fmt::format(" {} {}", model.dims[d].name, table.weights[d]);
  }
  out.words.insert({{"KERNEL_NAME", one_line(study.kernel.name)},
                    {"GENERATOR", options.generator},
                    {"SOURCE", one_line(study.kernel.source.filename().string())},
                    {"OBJECTIVE", (study.objective.maximize ? "maximize " : "minimize ") +
                                      one_line(study.objective.name)},
                    {"TIMED", is_timed ? timing_text(study.measure) : ""},
                    {"UNVERIFIED", one_line(table.unverified)},
                    {"DOMAIN", ranges_text(table.domain)},
                    {"RULE", table.rule.substr(0, table.rule.find(':'))},
                    {"WHOLE_RULE", table.rule},
                    {"WEIGHTS", weights},
                    {"HASH", source_hash(options)},
                    {"COVERAGE", std::to_string(table.default_coverage)},
                    {"SLOWDOWN", fmt::format("{:.1f}", 100 * (table.default_slowdown - 1))}});
}

// The parameters, and the configurations as they are instantiated ahead of time.
void fill_parameters(const HeaderModel& model, Filling& out) {
  const std::vector<Configuration>& configurations = model.table->configurations;
  for (std::size_t p = 0; p < model.parameters.size(); ++p) {
    const HeaderField& field = model.parameters[p];
    Filling one{{{"NAME", field.name},
                 {"TYPE", field.type},
                 {"USUAL", model.literal(p, configurations.front()[p])},
                 {"ENUMERATORS", joined(field.enumerators, std::identity())}}};
    for (std::size_t i = 0; i < field.enumerators.size(); ++i) {
      one.lists["VALUES"].push_back(
          {{{"ENUMERATOR", field.enumerators[i]}, {"VALUE", cpp_literal(field.values[i])}}});
    }
    out.lists["PARAMETERS"].push_back(std::move(one));
  }
  out.words["PARAMETER_NAMES"] = joined(model.parameters, std::mem_fn(&HeaderField::name));
  std::string& each = out.words["EACH_CONFIG"];
  for (std::size_t c = 0; c < configurations.size(); ++c) {
    out.lists["CONFIGS"].push_back({{{"LITERAL", model.literal(configurations[c])},
                                     {"JSON", cpp_string(values_json(configurations[c]))}}});
    each += fmt::format(" \\\n  X({}", c);
    for (std::size_t p = 0; p < model.parameters.size(); ++p) {
      each += (model.parameters[p].is_choice ? ", ::" + model.space + "::" : ", ") +
              model.literal(p, configurations[c][p]);
    }
    each += ")";
  }
}

// A program may have macros of the study's names: its own, or those of standard headers, such as
// errno and M_PI. They are set aside while the header is read. NVRTC, which has neither those
// headers nor the pragma, does without.
void fill_macros(const HeaderModel& model, const HeaderText& text, Filling& out) {
  std::set<std::string> names(text.names.begin(), text.names.end());
  for (const auto* list : {&model.parameters, &model.dims}) {
    for (const HeaderField& field : *list) {
      names.insert(field.name);
      names.insert(field.enumerators.begin(), field.enumerators.end());
    }
  }
  for (const std::string& name : names) out.lists["MACROS"].push_back({{{"NAME", name}}});
}

void fill_devices(const HeaderModel& model, Filling& out) {
  // Members of cudaDeviceProp that hold the numbers of struct device.
  static const std::map<std::string_view, std::string> kProperties{
      {"multiprocessors", "multiProcessorCount"},
      {"warp_size", "warpSize"},
      {"max_threads_per_block", "maxThreadsPerBlock"},
      {"max_threads_per_multiprocessor", "maxThreadsPerMultiProcessor"},
      {"max_blocks_per_multiprocessor", "maxBlocksPerMultiProcessor"},
      {"registers_per_block", "regsPerBlock"},
      {"registers_per_multiprocessor", "regsPerMultiprocessor"},
      {"max_shared_memory_per_block", "sharedMemPerBlock"},
      {"max_shared_memory_per_block_optin", "sharedMemPerBlockOptin"},
      {"shared_memory_per_multiprocessor", "sharedMemPerMultiprocessor"},
      {"l2_bytes", "l2CacheSize"},
      {"memory_bytes", "totalGlobalMem"}};
  for_each_number({}, [&](const char* name, std::int64_t usual) {
    out.lists["FACTS"].push_back(
        {{{"NAME", name}, {"USUAL", std::to_string(usual)}, {"PROPERTY", kProperties.at(name)}}});
  });
  const TunedTable& table = *model.table;
  for (std::size_t i = 0; i < table.devices.size(); ++i) {
    const DeviceFacts& device = table.devices[i];
    const std::string said =
        fmt::format("{}, {}, driver {}, compiler {}", one_line(device.name), one_line(device.arch),
                    one_line(device.driver), one_line(table.compilers[i]));
    out.lists["DEVICES"].push_back(
        {{{"I", std::to_string(i)}, {"SAID", said}, {"LITERAL", device_literal(device)}}});
  }
  // Their own limits, for best<> and device_of() on devices that were never tuned.
  for (const char* arch : {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_100", "sm_103",
                           "sm_110", "sm_120", "sm_121"}) {
    DeviceFacts facts = nominal_facts(arch);
    facts.name = "";
    out.lists["ARCHITECTURES"].push_back({{{"LITERAL", device_literal(facts)}}});
  }
}

void fill_entries(const HeaderModel& model, Filling& out) {
  for (const TunedEntry& entry : model.table->entries) {
    const auto& dims = entry.size.dims;
    const auto extent = [](const auto& dim) { return std::to_string(dim.second); };
    const auto log = [](const auto& dim) { return std::to_string(lg256(dim.second)); };
    out.lists["ENTRIES"].push_back({{{"DEVICE", std::to_string(entry.device)},
                                     {"CONFIG", std::to_string(entry.configuration)},
                                     {"EXTENTS", joined(dims, extent)},
                                     {"LOGS", dims.empty() ? "0" : joined(dims, log)}}});
  }
  out.words["CONFIG_COUNT"] = std::to_string(model.table->configurations.size());
  out.words["DEVICE_COUNT"] = std::to_string(model.table->devices.size());
  out.words["ENTRY_COUNT"] = std::to_string(model.table->entries.size());
}

// ---- the study's expressions: cpp/rules.hpp

// Text of the study as a line comment: a backslash at its end would continue the comment.
std::string remark(const std::string& text) {
  std::string out = "// ";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += c == '\\' ? '/' : byte < 32 ? ' ' : c;
  }
  return out;
}

void fill_names(const HeaderModel& model, Filling& out) {
  std::vector<Filling>& members = out.lists["MEMBERS"];
  std::string& initial = out.words["INITIAL"];
  const auto add = [&](const std::string& type, const std::string& name, const std::string& value) {
    const std::string& member = model.members.at(name);
    members.push_back({{{"TYPE", type}, {"MEMBER", member}}});
    initial += (initial.empty() ? "" : ",\n        ") + member + "(" + value + ")";
  };
  for (std::size_t p = 0; p < model.parameters.size(); ++p) {
    const HeaderField& field = model.parameters[p];
    add(field.type, model.study->parameters[p].name, "c." + field.name);
  }
  const auto& dims = model.table->entries.front().size.dims;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    add("long long", dims[d].first, "d." + model.dims[d].name);
  }
  for (const std::string& fact : model.device_facts) {
    add("decltype(device::" + fact + ")", "device." + fact, "v." + fact);
  }
  for (const NamedExpression& one : model.study->derived) {
    out.lists["DERIVED"].push_back({{{"MEMBER", model.members.at(one.name)},
                                     {"REMARK", remark(one.name + ": " + one.expression.text())},
                                     {"VALUE", model.expression(one.expression)}}});
  }
}

// One launch; `mark` ends the names of its functions.
Filling launch_filling(const HeaderModel& model, const LaunchSpec& launch,
                       const std::string& mark) {
  const auto text = [&](const Expression& one, const char* usual) {
    return one.empty() ? std::string(usual) : model.expression(one);
  };
  const auto axis = [&](const Expression& one) {
    return "extent_from(" + text(one, "num(1)") + ")";
  };
  const LaunchAttributesSpec& asked = launch.attributes;
  return {{{"MARK", mark},
           {"GRID", joined(launch.grid, axis, ",\n          ")},
           {"BLOCK", joined(launch.block, axis, ",\n          ")},
           {"SHARED", text(launch.dynamic_shared_bytes, "num(0)")},
           {"CLUSTER", joined(asked.cluster, axis)},
           {"COOPERATIVE", text(asked.cooperative, "num(false)")},
           {"PROGRAMMATIC", text(asked.programmatic, "num(false)")},
           {"CARVEOUT", text(asked.carveout, "num(-1)")},
           {"SCHEDULING", text(asked.scheduling, "num(\"default\")")}}};
}

void fill_launches(const HeaderModel& model, Filling& out) {
  if (asks_for_attributes(*model.study)) out.words["ATTRIBUTES"] = "yes";
  out.lists["LAUNCHES"].push_back(launch_filling(model, model.study->launch, ""));
  for (const NextLaunchSpec& next : model.study->then) {
    std::vector<Filling>& all = out.lists["NEXT"];
    const std::string number = std::to_string(all.size());
    Filling one = launch_filling(model, next.launch, "_then_" + number);
    one.words.insert({{"I", number},
                      {"ENTRY", cpp_string(next.entry)},
                      {"REMARK", remark("then " + next.entry)},
                      {"WHEN", next.when.empty() ? "num(true)" : model.expression(next.when)}});
    all.push_back(one);
    out.lists["LAUNCHES"].push_back(std::move(one));
  }
  out.words["NEXT_COUNT"] = std::to_string(model.study->then.size());
}

void fill_rules(const HeaderModel& model, Filling& out) {
  fill_names(model, out);
  fill_launches(model, out);
  constexpr std::array kScopes{std::pair(RuleScope::kChoice, "rules_of_the_choice"),
                               std::pair(RuleScope::kSize, "rules_of_the_size"),
                               std::pair(RuleScope::kBoth, "rules_here")};
  for (const auto& [scope, name] : kScopes) {
    Filling one{{{"SCOPE", name}}};
    for (std::size_t i = 0; i < model.scopes.size(); ++i) {
      if (model.scopes[i] != scope) continue;
      const Expression& rule = model.study->constraints[i];
      one.lists["RULES"].push_back(
          {{{"REMARK", remark(rule.text())}, {"VALUE", model.expression(rule)}}});
      if (scope == RuleScope::kSize) out.words["SIZE_RULES"] = "yes";
    }
    out.lists["SCOPES"].push_back(std::move(one));
  }
}

// ---- which configuration: cpp/selection.hpp, cpp/predictors.hpp

void fill_selection(const HeaderModel& model, Filling& out) {
  const auto of_dims = [&](const std::string& pattern, const char* between, const char* none) {
    const std::string all = joined(
        model.dims, [&](const HeaderField& dim) { return replaced(pattern, "@", dim.name); },
        between);
    return all.empty() ? none : all;
  };
  for (const HeaderField& dim : model.dims) out.lists["DIMS"].push_back({{{"NAME", dim.name}}});
  const SizeDistance weighted(model.table->weights);
  std::string distance;
  std::string example = "90";
  for (std::size_t d = 0; d < model.dims.size(); ++d) {
    example += ", 1024";
    const std::int64_t factor = weighted.factor(d);
    if (factor == 0) continue;
    distance += fmt::format("{0}{1}square(logs[{2}] - lg[{2}])", distance.empty() ? "" : " + ",
                            factor == 1 ? "" : fmt::format("{} * ", factor), d);
  }
  out.words.insert({{"DIMENSIONS", std::to_string(std::max<std::size_t>(1, model.dims.size()))},
                    {"POSITIVE", of_dims("d.@ > 0", " && ", "true")},
                    {"SAME", of_dims("size.@ == d.@", " && ", "true")},
                    {"LOGS", of_dims("lg256(d.@)", ", ", "0")},
                    {"SIZE", of_dims("d.@", ", ", "")},
                    {"DISTANCE", distance.empty() ? "0" : distance},
                    {"UNIT", fmt::format("{:.17g}", weighted.unit())},
                    {"EXAMPLE", example}});
}

// The predictors, and their tilings, each once, as rows of tilings[].
void fill_predictors(const HeaderModel& model, Filling& out) {
  if (!model.table->learned) return;
  const LearnedSelector& learned = *model.table->learned;
  std::vector<std::pair<std::size_t, std::int64_t>> rows;  // dimension, extent
  const auto places = [&](const Tiling& tiling) {
    std::size_t d = 0;
    return joined(tiling.tiles, [&](std::int64_t tile) {
      const auto one = std::pair(d++, tile);
      const auto at = std::ranges::find(rows, one);
      const auto place = at - rows.begin();
      if (at == rows.end()) rows.push_back(one);
      return std::to_string(place);
    });
  };
  for (const Predictor& one : learned.predictors) {
    const auto number = [](double value) { return fmt::format("{}", value); };
    out.lists["PREDICTORS"].push_back({{{"DEVICE", std::to_string(one.device)},
                                        {"CONFIG", std::to_string(one.configuration)},
                                        {"PIECES", std::to_string(one.pieces.count)},
                                        {"BLOCKS", std::to_string(one.blocks.count)},
                                        {"PIECE_TILINGS", places(one.pieces)},
                                        {"BLOCK_TILINGS", places(one.blocks)},
                                        {"RESIDENT", std::to_string(one.resident)},
                                        {"PARTS", joined(one.coefficients, number)}}});
  }
  for (const auto& [dimension, tile] : rows) {
    out.lists["TILINGS"].push_back(
        {{{"DIMENSION", std::to_string(dimension)}, {"TILE", std::to_string(tile)}}});
  }
  std::string inside;
  for (std::size_t d = 0; d < learned.domain.size(); ++d) {
    inside += fmt::format("{0}d.{1} >= {2} && d.{1} <= {3}ll", d > 0 ? " && " : "",
                          model.dims[d].name, learned.domain[d].low, learned.domain[d].high);
  }
  out.words.insert({{"LEARNED", "yes"},
                    {"TILING_COUNT", std::to_string(rows.size())},
                    {"PREDICTOR_COUNT", std::to_string(learned.predictors.size())},
                    {"IN_DOMAIN", inside}});
}

}  // namespace

std::string source_hash(const HeaderOptions& options) {
  return fmt::format("{:016x}", hash_of(options.source_text).high);
}

std::string header_document(const HeaderModel& model, const HeaderOptions& options,
                            const HeaderText& text) {
  Filling filling{
      {{"FN", model.prefix + "_FN"},
       {"TABLE", model.prefix + "_TABLE"},
       {"PREFIX", model.prefix},
       {"SWITCH", "TUNER_COUNT_ASKED"},
       {"ASKED_HEAD", cpp_string(asked_head(*model.study, *model.table, source_hash(options)))},
       {"EXTENT_COUNT", std::to_string(model.dims.size())},
       {"SPACE", model.space},
       {"TITLE", text.title},
       {"INCLUDES", text.includes},
       {"MORE", text.more}}};
  fill_comments(model, options, filling);
  fill_macros(model, text, filling);
  fill_parameters(model, filling);
  fill_devices(model, filling);
  fill_entries(model, filling);
  fill_rules(model, filling);
  fill_selection(model, filling);
  fill_predictors(model, filling);
  return filled(embedded_text("header.hpp"), filling) +
         table_comment(*model.study, *model.table, source_hash(options));
}

std::string export_header(const Study& study, const TunedTable& table,
                          const HeaderOptions& options) {
  const HeaderModel model = header_model(study, table, "_tuned");
  const std::string usage = fmt::format(
      "// C++17, no includes; for g++, clang, nvcc and NVRTC.\n//\n"
      "//   const auto s = {0}::select({0}::device_from(properties), {{{1}}});\n"
      "//   // s.cfg is the configuration, s.how says how it was found.\n//\n",
      model.space, joined(model.dims, std::mem_fn(&HeaderField::name)));
  return header_document(model, options, {usage, "", ""});
}

}  // namespace tuner
