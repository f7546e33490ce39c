// Writes the exported header: types, tables and selection; the rules between them come from
// header_rules.

#include "tuner/codegen/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "tuner/base/hash.h"
#include "tuner/base/terminal_text.h"
#include "tuner/base/text.h"
#include "tuner/choice/domain_table.h"
#include "tuner/choice/selection.h"
#include "tuner/choice/size_sampler.h"
#include "tuner/codegen/cpp_text.h"
#include "tuner/codegen/embedded_text.h"
#include "tuner/codegen/header_predictors.h"
#include "tuner/codegen/header_rules.h"
#include "tuner/model/fields.h"
#include "tuner/results/table_text.h"

namespace tuner {
namespace {

// For a comment: no line break, no backslash that continues it, and nothing that turns the
// direction of the text, by which a comment could look like code.
std::string one_line(const std::string& text) {
  std::string line = for_terminal(text);
  std::ranges::replace(line, '\\', ' ');
  return line;
}

std::string preamble(const HeaderModel& model, const HeaderOptions& options,
                     const std::string& title) {
  const Study& study = *model.study;
  const TunedTable& table = *model.table;
  std::string out =
      fmt::format("// Tuned configurations of the kernel {}. Made by {}; do not edit.\n",
                  one_line(study.kernel.name), options.generator);
  out += title;
  out += fmt::format(
      "// source {}, objective {} {}\n", one_line(study.kernel.source.filename().string()),
      study.objective.maximize ? "maximize" : "minimize", one_line(study.objective.name));
  for (std::size_t i = 0; i < table.devices.size(); ++i) {
    const DeviceFacts& device = table.devices[i];
    out +=
        fmt::format("// device {}: {}, {}, driver {}, compiler {}\n", i, one_line(device.name),
                    one_line(device.arch), one_line(device.driver), one_line(table.compilers[i]));
  }
  out += fmt::format("// {} sizes, {} configurations\n", table.entries.size(),
                     table.configurations.size());
  const auto imported = [](const std::string& one) { return one.starts_with("imported from"); };
  if (std::ranges::none_of(table.compilers, imported))
    out += "// timed: " + timing_text(study.measure) + "\n";
  if (!table.unverified.empty()) {
    out += "// WARNING, not verified: " + one_line(table.unverified) +
           "; configurations that give wrong answers may be among these.\n";
  }
  if (!table.rule.empty()) {
    out += "// domain " + ranges_text(table.domain) +
           "\n// other sizes: " + table.rule.substr(0, table.rule.find(':')) + "\n";
  }
  if (!table.weights.empty()) {
    out += "// weights of the dimensions, for what is near:";
    for (std::size_t d = 0; d < table.weights.size(); ++d) {
      out += fmt::format(" {} {}", model.dims[d].name, table.weights[d]);
    }
    out += "\n";
  }
  return out;
}

std::string macros(const HeaderModel& model, const HeaderOptions& options) {
  // Not #pragma once: compilers warn of that in a header that is checked by itself.
  std::string out = fmt::format("#ifndef {}_H\n#define {}_H\n", model.prefix, model.prefix);
  out +=
      "#if __cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L)\n"
      "#error \"this header needs C++17: compile with -std=c++17 or later\"\n#else\n";
  out += fmt::format("#define {}_SCHEMA 1\n#define {}_SOURCE_HASH 0x{}ull\n", model.prefix,
                     model.prefix, source_hash(options));
  out += R"txt(#ifdef __CUDACC_RTC__
#define TUNER_FN __device__ constexpr
#define TUNER_TABLE static __device__ constexpr
#else
#define TUNER_FN constexpr
#define TUNER_TABLE inline constexpr
#endif
)txt";
  return out;
}

// A program may have macros of the study's names: its own, or those of standard headers, such as
// errno and M_PI. They are set aside while the header is read. NVRTC, which has neither those
// headers nor the pragma, does without.
std::string macros_aside(const HeaderModel& model, const HeaderText& text, bool aside) {
  std::set<std::string> names(text.names.begin(), text.names.end());
  for (const auto* list : {&model.parameters, &model.dims}) {
    for (const HeaderField& field : *list) {
      names.insert(field.name);
      names.insert(field.enumerators.begin(), field.enumerators.end());
    }
  }
  std::string out = "#ifndef __CUDACC_RTC__\n";
  for (const std::string& name : names) {
    out += aside ? fmt::format("#pragma push_macro(\"{0}\")\n#undef {0}\n", name)
                 : fmt::format("#pragma pop_macro(\"{}\")\n", name);
  }
  return out + "#endif\n";
}

// X(id, value of each parameter) for each configuration: to instantiate them ahead of time.
std::string for_each(const HeaderModel& model) {
  std::string out = "// X(id, ";
  for (std::size_t p = 0; p < model.parameters.size(); ++p) {
    out += (p > 0 ? ", " : "") + model.parameters[p].name;
  }
  out += ") for each configuration; id is selection::config_id.\n";
  out += fmt::format("#define {}_FOR_EACH_CONFIG(X)", model.prefix);
  for (std::size_t c = 0; c < model.table->configurations.size(); ++c) {
    out += fmt::format(" \\\n  X({}", c);
    for (std::size_t p = 0; p < model.parameters.size(); ++p) {
      const bool choice = model.parameters[p].is_choice;
      out += (choice ? ", ::" + model.space + "::" : ", ") +
             model.literal(p, model.table->configurations[c][p]);
    }
    out += ")";
  }
  return out + "\n";
}

std::string usage(const HeaderModel& model) {
  std::string dims;
  for (const HeaderField& dim : model.dims) dims += (dims.empty() ? "" : ", ") + dim.name;
  return fmt::format(
      "// C++17, no includes; for g++, clang, nvcc and NVRTC.\n//\n"
      "//   const auto s = {0}::select({0}::device_from(properties), {{{1}}});\n"
      "//   // s.cfg is the configuration, s.how says how it was found.\n//\n",
      model.space, dims);
}

// Where cudaDeviceProp has the numbers of struct device.
std::string_view property_of(std::string_view fact) {
  static const std::map<std::string_view, std::string_view> kProperties{
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
  return kProperties.at(fact);
}

// The members of struct device: the numbers that expressions can name, in the order of the list.
// Name, architecture and compute capability stand before them.
template <typename Visit>
void for_each_number(const DeviceFacts& facts, const Visit& visit) {
  for_each_field(facts, [&](const char* name, const auto& fact) {
    if constexpr (std::is_same_v<decltype(fact), const std::int64_t&>) {
      if (is_in_expressions(name)) visit(name, fact);
    }
  });
}

std::string choices(const HeaderField& field) {
  std::string out = "enum class " + field.type + " : unsigned char {";
  for (std::size_t i = 0; i < field.enumerators.size(); ++i) {
    out += (i > 0 ? ", " : " ") + field.enumerators[i];
  }
  return out + " };\n";
}

std::string device_struct() {
  std::string out =
      "// Facts of a device, as the study's expressions see them. The defaults are what every "
      "device "
      "has.\n"
      "struct device {\n"
      "  const char* name = \"\";\n"
      "  const char* arch = \"\";\n"
      "  long long compute_capability = 0;  // 90 for 9.0\n";
  for_each_number({}, [&](std::string_view name, std::int64_t usual) {
    out += fmt::format("  long long {} = {};\n", name, usual);
  });
  return out + "};\n";
}

std::string device_literal(const DeviceFacts& facts) {
  std::string out = fmt::format("{{{}, {}, {}", cpp_string(facts.name), cpp_string(facts.arch),
                                facts.compute_capability);
  for_each_number(facts, [&](const char*, std::int64_t fact) { out += fmt::format(", {}", fact); });
  return out + "}";
}

// The architectures' own limits, for best<> and device_of() on devices that were never tuned.
std::vector<DeviceFacts> architectures() {
  std::vector<DeviceFacts> all;
  for (const char* arch : {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_100", "sm_103",
                           "sm_110", "sm_120", "sm_121"}) {
    DeviceFacts facts = nominal_facts(arch);
    facts.name = "";
    all.push_back(std::move(facts));
  }
  return all;
}

std::string entry_lines(const HeaderModel& model) {
  std::string out;
  for (const TunedEntry& entry : model.table->entries) {
    std::string dims;
    std::string logs;
    for (const auto& [name, extent] : entry.size.dims) {
      dims += fmt::format("{}{}", dims.empty() ? "" : ", ", extent);
      logs += fmt::format("{}{}", logs.empty() ? "" : ", ", lg256(extent));
    }
    if (entry.size.dims.empty()) logs = "0";
    out += fmt::format("    {{{}, {}, {{{}}}, {{{}}}}},\n", entry.device, entry.configuration, dims,
                       logs);
  }
  return out;
}

constexpr const char* kMatchListed =
    "enum class match : unsigned char { exact, near_size, near_device, fallback, unsupported };";
constexpr const char* kMatchPredicted =
    "enum class match : unsigned char {\n  exact, near_size, near_device, fallback, unsupported, "
    "predicted\n};";
constexpr const char* kPredictedInWords =
    "    case match::predicted: return \"predicted from the sizes that were tuned on this "
    "device\";\n";

std::string types(const HeaderModel& model) {
  std::string out;
  for (const HeaderField& field : model.parameters) {
    if (field.is_choice) out += choices(field);
  }
  out +=
      "// What the kernel is compiled with. The defaults are the default configuration.\n"
      "struct config {\n";
  const Configuration& fallback = model.table->configurations.front();
  for (std::size_t p = 0; p < model.parameters.size(); ++p) {
    const HeaderField& field = model.parameters[p];
    out += fmt::format("  {} {} = {};\n", field.type, field.name, model.literal(p, fallback[p]));
  }
  out += "};\n// The size of a problem.\nstruct dims {\n";
  for (const HeaderField& dim : model.dims) out += "  long long " + dim.name + " = 0;\n";
  out += "};\n" + device_struct();
  out += fmt::format(
      "// dev, cfg: places in devices[] and configs[]; lg: 256 * log2 of the size.\n"
      "struct entry {{\n  int dev;\n  int cfg;\n  dims size;\n  int lg[{}];\n}};\n",
      std::max<std::size_t>(1, model.dims.size()));
  out += R"txt(// How a selection came about; in_words() says what each means.
TUNER_MATCH
struct selection {
  config cfg;
  match how;
  int config_id;    // place in configs[]
  int entry_index;  // place in entries[]; -1: none
  int tier;         // 0 same device, 1 same compute capability, 2 same major, 3 older, 4 none
  double log2_distance_sq;  // squared log2 of the ratio, weighted, summed over the dimensions
};
struct extent {
  unsigned x, y, z;  // 0: the study's expression has no value here
};
)txt";
  return replaced(std::move(out), "TUNER_MATCH",
                  model.table->learned ? kMatchPredicted : kMatchListed);
}

std::string tables(const HeaderModel& model) {
  std::string out = "TUNER_TABLE config configs[] = {\n";
  for (const Configuration& one : model.table->configurations) {
    out += "    " + model.literal(one) + ",\n";
  }
  out += "};\nTUNER_TABLE device devices[] = {\n";
  for (const DeviceFacts& one : model.table->devices) out += "    " + device_literal(one) + ",\n";
  out += "};\nTUNER_TABLE entry entries[] = {\n" + entry_lines(model) + "};\n";
  out +=
      "// Limits of architectures, for devices that were never tuned.\n"
      "TUNER_TABLE device architectures[] = {\n";
  for (const DeviceFacts& one : architectures()) out += "    " + device_literal(one) + ",\n";
  out += fmt::format(
      "}};\nTUNER_TABLE int config_count = {};\nTUNER_TABLE int device_count = {};\n"
      "TUNER_TABLE int entry_count = {};\n",
      model.table->configurations.size(), model.table->devices.size(), model.table->entries.size());
  out +=
      "#ifndef __CUDACC_RTC__\n"
      "// From a cudaDeviceProp; its name must live as long as the result.\n"
      "template <class Properties>\nconstexpr device device_from(const Properties& p) {\n"
      "  device v;\n  v.name = p.name;\n  v.compute_capability = p.major * 10 + p.minor;\n";
  for_each_number({}, [&](std::string_view name, std::int64_t) {
    out += fmt::format("  v.{} = static_cast<long long>(p.{});\n", name, property_of(name));
  });
  return out + "  return v;\n}\n#endif\n";
}

constexpr const char* kAskSizeRules =
    "  if (!detail::rules_of_the_size(detail::names(configs[0], d, v))) {\n"
    "    return {configs[0], match::unsupported, 0, -1, 4, 0.0};\n"
    "  }\n";
constexpr const char* kAskLearned =
    "  const auto learned =\n"
    "      detail::in_domain(d) ? detail::predicted(q, detail::expected_costs(d, "
    "v.multiprocessors))\n"
    "                           : detail::none<match>();\n"
    "  const auto found = learned.how != match::unsupported ? learned : detail::nearest(q);\n";
constexpr const char* kAskNearest = "  const auto found = detail::nearest(q);\n";

std::string selection(const HeaderModel& model) {
  std::string positive;
  std::string same;
  std::string logs;
  std::string distance;
  std::string example = "90";
  const SizeDistance weighted(model.table->weights);
  for (std::size_t d = 0; d < model.dims.size(); ++d) {
    const std::string& name = model.dims[d].name;
    positive += fmt::format("{}d.{} > 0", d > 0 ? " && " : "", name);
    same += fmt::format("{0}size.{1} == d.{1}", d > 0 ? " && " : "", name);
    logs += fmt::format("{}lg256(d.{})", d > 0 ? ", " : "", name);
    example += ", 1024";
    const std::int64_t factor = weighted.factor(d);
    if (factor == 0) continue;
    distance += fmt::format("{0}{1}square(logs[{2}] - lg[{2}])", distance.empty() ? "" : " + ",
                            factor == 1 ? "" : fmt::format("{} * ", factor), d);
  }
  const bool learned = model.table->learned.has_value();
  std::string out = learned ? header_predictors(model) : "";
  out += kSelectionText;
  out = replaced(std::move(out), "  TUNER_FOUND;\n", learned ? kAskLearned : kAskNearest);
  out = replaced(std::move(out), "    TUNER_PREDICTED;\n", learned ? kPredictedInWords : "");
  const bool rules = std::ranges::find(model.scopes, RuleScope::kSize) != model.scopes.end();
  out = replaced(std::move(out), "  TUNER_SIZE_RULES;\n", rules ? kAskSizeRules : "");
  out = replaced(std::move(out), "TUNER_POSITIVE", positive.empty() ? "true" : positive);
  out = replaced(std::move(out), "TUNER_DIMENSIONS",
                 std::to_string(std::max<std::size_t>(1, model.dims.size())));
  out = replaced(std::move(out), "TUNER_LOGS", logs.empty() ? "0" : logs);
  out = replaced(std::move(out), "TUNER_DISTANCE", distance.empty() ? "0" : distance);
  out = replaced(std::move(out), "TUNER_UNIT", fmt::format("{:.17g}", weighted.unit()));
  out = replaced(std::move(out), "TUNER_SAME", same.empty() ? "true" : same);
  out = replaced(std::move(out), "TUNER_EXAMPLE", example);
  return out;
}

// Figures stand in one place: a second run of an unchanged kernel changes little else.
std::string measured(const TunedTable& table) {
  std::string out = fmt::format(
      "// What was measured. The default configuration was valid for {} of the sizes and loses "
      "there "
      "at most {:.1f} %.\n",
      table.default_coverage, 100 * (table.default_slowdown - 1));
  return table.rule.empty() ? out : out + "// other sizes: " + table.rule + "\n";
}

}  // namespace

std::string source_hash(const HeaderOptions& options) {
  return fmt::format("{:016x}", hash_of(options.source_text).high);
}

std::string header_document(const HeaderModel& model, const HeaderOptions& options,
                            const HeaderText& text) {
  std::string out = preamble(model, options, text.title) + macros(model, options) + text.includes;
  out += macros_aside(model, text, true);
  out += "namespace " + model.space + " {\n" + types(model) + tables(model) +
         "\nnamespace detail {\n" + std::string(kNumbersText) + "\n" + std::string(kChoiceText) +
         "}  // namespace detail\n\n" + header_rules(model) + selection(model) + text.more +
         "}  // namespace " + model.space + "\n";
  out += for_each(model) + macros_aside(model, text, false);
  out += "#undef TUNER_FN\n#undef TUNER_TABLE\n#endif  // of C++17\n#endif\n";
  out = replaced(std::move(out), "TUNER_FN", model.prefix + "_FN");
  out = replaced(std::move(out), "TUNER_TABLE", model.prefix + "_TABLE");
  return out + measured(*model.table) +
         table_comment(*model.study, *model.table, source_hash(options));
}

std::string export_header(const Study& study, const std::vector<RankedResults>& results,
                          const HeaderOptions& options) {
  const TunedTable table = exported_table(study, results, options.table);
  const HeaderModel model = header_model(study, table, "_tuned");
  return header_document(model, options, {usage(model), "", ""});
}

}  // namespace tuner
