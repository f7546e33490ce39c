// Writes a drafted study as YAML, with a remark at everything that was guessed.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tuner/base/text.h"
#include "tuner/drafting/plan.h"
#include "tuner/expression/expression.h"
#include "tuner/model/data_type.h"

namespace tuner {
namespace {

bool is_in(const std::vector<std::string>& all, const std::string& name) {
  return std::ranges::find(all, name) != all.end();
}

bool is_word(const std::string& text) { return std::ranges::all_of(text, is_word_part); }

std::string list_of(const std::vector<std::string>& expressions) {
  const auto text = [](const std::string& one) { return is_word(one) ? one : "\"" + one + "\""; };
  return "[" + with_commas(expressions, text) + "]";
}

std::vector<std::string> with_present_values(const DraftPlan& plan,
                                             const std::vector<std::string>& expressions) {
  std::vector<std::string> out;
  for (const std::string& one : expressions) {
    out.push_back(with_present_values(plan, one, plan.per));
  }
  return out;
}

std::string argument_text(const DraftedArgument& one) {
  const std::pair<const char*, const std::string&> keys[] = {
      {"name", one.name},       {"type", one.type},       {"shape", one.shape},
      {"role", one.role},       {"fill", one.fill},       {"value", one.value},
      {"texture", one.texture}, {"surface", one.surface}, {"pointers", one.pointers}};
  std::string out;
  for (const auto& [key, said] : keys) {
    if (!said.empty()) out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", key, said);
  }
  return out;
}

std::string arguments_text(const char* key, const std::vector<DraftedArgument>& arguments) {
  std::string out = arguments.empty() ? "" : fmt::format("{}:\n", key);
  for (const DraftedArgument& one : arguments) {
    out += fmt::format("  - {{{}}}{}\n", argument_text(one),
                       one.remark.empty() ? "" : "  # " + one.remark);
  }
  return out;
}

// Behind the line of a key.
std::string remark(const DraftPlan& plan, const std::string& key) {
  const auto found = plan.remarks.find(key);
  return found == plan.remarks.end() ? "" : "  # a guess: " + found->second;
}

std::string size_text(const std::vector<std::pair<std::string, std::int64_t>>& extents) {
  return "{" +
         with_commas(extents,
                     [](const auto& one) { return fmt::format("{}: {}", one.first, one.second); }) +
         "}";
}

std::string parameters_text(const DraftPlan& plan) {
  std::string out = "parameters:\n";
  for (const DraftedParameter& one : plan.parameters) {
    const std::string now = !one.is_guess  ? fmt::format("now {}; ", one.present)
                            : one.is_given ? ""
                                           : "a guess; ";
    out +=
        fmt::format("  {}: [{}]  # {}{}\n", one.name, fmt::join(one.values, ", "), now, one.from);
  }
  return out;
}

std::string constraints_text(const DraftPlan& plan) {
  const std::string threads = product(plan.block);
  const bool varies = std::ranges::any_of(
      plan.parameters, [&](const auto& one) { return threads.find(one.name) != threads.npos; });
  std::string out;
  if (varies) out += "  - " + threads + " <= device.max_threads_per_block\n";
  for (const std::string& one : plan.constraints) out += "  - " + quoted(one) + "\n";
  if (!out.empty()) out.insert(0, "constraints:\n");
  for (const std::string& one : plan.not_taken) out += "  # not taken: " + one + "\n";
  return out;
}

// "k<float, 16>" for "k<float, {TILE}>".
std::string present_entry(const DraftPlan& plan, std::string out) {
  for (const DraftedParameter& one : plan.parameters) {
    if (is_in(plan.per, one.name)) continue;
    out = replaced(std::move(out), "{" + one.name + "}", std::to_string(one.present));
  }
  return out;
}

// Writes the launches that follow the kernel's own, and how often the whole sequence is repeated;
// with the parameters' present values for the reference.
std::string sequence_text(const DraftPlan& plan, bool is_reference) {
  std::string out;
  const auto inner = [](const std::string& list) { return list.substr(1, list.size() - 2); };
  const auto said = [&](const std::vector<std::string>& axes) {
    return list_of(is_reference ? with_present_values(plan, axes) : axes);
  };
  if (!plan.launch_arguments.empty()) {
    out += "  arguments: [" + listed(plan.launch_arguments) + "]\n";
  }
  if (!plan.then.empty()) out += "  then:\n";
  for (const DraftedLaunch& one : plan.then) {
    const std::string entry = is_reference ? present_entry(plan, one.entry) : one.entry;
    const std::string shared =
        one.shared.empty() ? "" : ", dynamic_shared_bytes: " + inner(said({one.shared}));
    out += fmt::format("    - {{entry: \"{}\", block: {}, grid: {}, arguments: [{}]{}}}\n", entry,
                       said(one.block), said(one.grid), listed(one.arguments), shared);
  }
  if (plan.repeat.empty()) return out;
  const std::string where = is_reference ? "" : "  # " + plan.remarks.at("repeat");
  const auto pair = [](const auto& one) { return fmt::format("[{}, {}]", one.first, one.second); };
  return out + "  repeat: " + plan.repeat + where + "\n  swap: [" + with_commas(plan.swap, pair) +
         "]\n";
}

std::string launch_text(const DraftPlan& plan) {
  std::string out = fmt::format("launch:\n  block: {}{}\n  grid: {}{}\n", list_of(plan.block),
                                remark(plan, "block"), list_of(plan.grid), remark(plan, "grid"));
  if (plan.is_cooperative) out += "  cooperative: true\n";
  out += sequence_text(plan, false);
  for (const std::string& one : plan.seen) out += "  # seen and not taken: " + one + "\n";
  const std::string shared = plan.shared.empty() ? "0" : plan.shared;
  const std::string guess = remark(plan, "dynamic_shared_bytes");
  if (shared == "0" && guess.empty()) return out;
  return out + fmt::format("  dynamic_shared_bytes: {}{}\n", shared, guess);
}

std::string present_values(const DraftPlan& plan, const std::vector<std::string>& but = {}) {
  std::vector<DraftedParameter> listed = plan.parameters;
  std::erase_if(listed, [&](const DraftedParameter& one) { return is_in(but, one.name); });
  return with_commas(listed, [](const DraftedParameter& one) {
    return fmt::format("{}: {}", one.name, one.present);
  });
}

// Nothing of what is guessed is what somebody has.
std::string baseline_text(const DraftPlan& plan) {
  std::vector<std::string> guesses;
  for (const DraftedParameter& one : plan.parameters) {
    if (one.is_guess) guesses.push_back(one.name);
  }
  if (!guesses.empty()) {
    return "# baseline: what you use now, to show speed-ups over it; your present value was not "
           "found for " +
           listed(guesses) + "\n";
  }
  return "baseline: {" + present_values(plan) +
         "}  # what you use now; results show the speed-up over it\n";
}

std::string in_a_remark(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

// Leaves a name unquoted if YAML can read it only as a text: '.' and '/' within a word do not
// change that.
std::string name_text(const std::string& name) {
  const bool is_plain = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
                        name.find('.') != std::string::npos &&
                        std::ranges::all_of(name, [](char c) {
                          return is_word_part(c) || c == '.' || c == '/' || c == '-';
                        });
  return is_plain ? name : quoted(name);
}

std::string sources_text(const DraftPlan& plan) {
  if (plan.units.empty()) return "source: " + name_text(plan.relative_name);
  return "sources: [" + name_text(plan.relative_name) + ", " + with_commas(plan.units, name_text) +
         "]  # the others define functions that the first one calls";
}

// The file of a launcher, or the kernel's.
std::string tuned_text(const DraftPlan& plan) {
  if (!plan.launcher_entry.empty()) {
    return fmt::format("launcher:\n  name: {}\n  source: {}\n  entry: {}\n", plan.kernel,
                       name_text(plan.launcher_name), plan.launcher_entry);
  }
  return fmt::format("kernel:\n  name: {}\n  {}\n  entry: \"{}\"{}\n", plan.kernel,
                     sources_text(plan), plan.entry, remark(plan, "entry"));
}

std::string reference_text(const DraftPlan& plan) {
  if (plan.arguments.empty()) return {};
  if (!plan.captured.empty()) return "reference: captured  # what the program's own launch wrote\n";
  std::string out =
      "# The right answer is that of this kernel in the configuration below. So variants that "
      "change the\n# answer are found, but not a kernel that is wrong in all of them: better name "
      "a simple kernel.\n";
  const std::string fixed = present_values(plan, plan.per);
  if (!plan.launcher_entry.empty()) {
    return out + fmt::format("reference:\n  entry: {}\n  configuration: {{{}}}\n",
                             plan.launcher_entry, fixed);
  }
  out += fmt::format("reference:\n  entry: {}\n", "\"" + present_entry(plan, plan.entry) + "\"");
  if (!plan.per.empty()) {
    out += "  per: [" + listed(plan.per) + "]  # the answer depends on it\n";
  }
  if (!fixed.empty()) out += "  configuration: {" + fixed + "}\n";
  out += fmt::format("  block: {}\n  grid: {}\n", list_of(with_present_values(plan, plan.block)),
                     list_of(with_present_values(plan, plan.grid)));
  if (plan.is_cooperative) out += "  cooperative: true\n";
  if (!plan.shared.empty()) {
    out += fmt::format("  dynamic_shared_bytes: {}\n",
                       with_present_values(plan, plan.shared, plan.per));
  }
  return out + sequence_text(plan, true);
}

std::string head_text(const DraftPlan& plan) {
  std::string out;
  for (const std::string& one : plan.head) out += "# " + in_a_remark(one) + "\n";
  return out;
}

std::string verify_text(const DraftPlan& plan) {
  if (plan.outputs.empty() && plan.memory_is_captured) {
    return "# All memory that the launch wrote is compared, bit by bit.\n";
  }
  if (plan.outputs.empty()) return "# No output was found, so nothing is verified.\n";
  std::string out;
  for (const auto& [name, type] : plan.outputs) {
    if (type.empty()) continue;  // structs have the usual tolerances
    const auto known = data_type_named(type);
    const std::string_view usual = known ? facts_of(*known).as_float.drafted_rtol : "0";
    const auto seen = plan.atol.find(name), captured = plan.closeness.find(name);
    if (plan.any_order.contains(name)) {
      out += fmt::format(
          "  {}: {{tolerance: usual, order: any}}  # only the order of its elements differs\n",
          name);
    } else if (captured != plan.closeness.end()) {
      out += fmt::format("  {}: {}\n", name, captured->second);
    } else if (seen != plan.atol.end()) {
      out += fmt::format(
          "  {}: {{rtol: {}, atol: {}}}  # sums in another order differ by as much when tried\n",
          name, usual, seen->second);
    } else if (!plan.tolerance.empty() && usual != "0") {
      out += fmt::format("  {}: {}\n", name, plan.tolerance);
    } else {
      out += fmt::format("  {}: {{tolerance: usual}}  # that of {}\n", name, type);
    }
  }
  if (out.empty()) return "# Members of structs are compared with the usual tolerances.\n";
  return "verify:\n" + out;
}

// Bytes of all buffers that are read or written, each once; empty where one of them is a guess.
std::string bytes_of(const std::vector<DraftedArgument>& arguments) {
  std::string sum;
  for (const DraftedArgument& one : arguments) {
    if (one.is_number()) continue;
    const auto type = data_type_named(one.type);
    const bool is_plain = type && one.is_buffer() && one.remark.empty() &&
                          one.shape.find('(') == std::string::npos && one.role != "scratch";
    if (!is_plain) return {};
    std::string product = std::to_string(size_of(*type) * (one.role == "inout" ? 2 : 1));
    for (const std::string& extent : one.extents()) {
      product += " * " + (is_word(extent) ? extent : "(" + extent + ")");
    }
    sum += (sum.empty() ? "" : " + ") + product;
  }
  return sum;
}

// Proposes the kernel's work in a remark only: a kernel that touches a part of a buffer would seem
// to be too fast.
std::string work_text(const DraftPlan& plan) {
  const std::string bytes = plan.buffers.empty() ? bytes_of(plan.arguments) : "";
  if (bytes.empty()) return {};
  return "# To see the share of the device's limit that is reached (bytes if each element is moved "
         "once):\n# work: {bytes: \"" +
         bytes + "\"}\n";
}

}  // namespace

std::string product(const std::vector<std::string>& extents) {
  std::string out;
  for (const std::string& one : extents) {
    out += (out.empty() ? "" : " * ") + (is_word(one) ? one : "(" + one + ")");
  }
  return out;
}

const DraftedParameter* DraftPlan::parameter(const std::string& name) const {
  const auto one = std::ranges::find(parameters, name, &DraftedParameter::name);
  return one == parameters.end() ? nullptr : &*one;
}

void DraftPlan::guess(const std::string& key, const std::string& what) {
  guessed.push_back(what);
  std::string& all = remarks[key];
  all += (all.empty() ? "" : "; ") + what;
}

std::vector<std::string> DraftedArgument::extents() const {
  std::vector<std::string> out(1);
  bool is_quoted = false;
  for (const char c : shape.substr(1, shape.size() - 2)) {
    if (c == '"') is_quoted = !is_quoted;
    if (c == ',' && !is_quoted) out.emplace_back();
    const bool is_blank = c == ' ' && out.back().empty();
    if (c != '"' && !is_blank && (c != ',' || is_quoted)) out.back() += c;
  }
  return out;
}

std::vector<std::string> choices_in(const DraftPlan& plan, const std::string& expression) {
  const auto parsed = Expression::parse(expression, Position{});
  std::vector<std::string> out;
  for (const DraftedParameter& one : plan.parameters) {
    const bool is_choice = parsed && one.values.size() > 1;
    if (is_choice && std::ranges::count(parsed->names(), one.name) > 0) out.push_back(one.name);
  }
  return out;
}

std::string with_present_values(const DraftPlan& plan, const std::string& expression,
                                const std::vector<std::string>& but) {
  std::string out;
  for (std::size_t at = 0; at < expression.size();) {
    if (!is_word_part(expression[at])) {
      out += expression[at++];
      continue;
    }
    std::size_t end = at;
    while (end < expression.size() && is_word_part(expression[end])) ++end;
    const std::string word = expression.substr(at, end - at);
    const DraftedParameter* parameter = is_in(but, word) ? nullptr : plan.parameter(word);
    out += parameter == nullptr ? word : std::to_string(parameter->present);
    at = end;
  }
  return out;
}

std::string draft_yaml(const DraftPlan& plan) {
  std::string out = fmt::format(
      "# Made by tuner init from {}: a first draft. Look at what is marked with #, then: tuner "
      "check,\n"
      "# tuner run. All keys: docs/study-file.md.\n"
      "{}schema: 1\n{}",
      in_a_remark(plan.relative_name), head_text(plan), tuned_text(plan));
  if (!plan.include_dirs.empty())
    out += "  include_dirs: [" + with_commas(plan.include_dirs, quoted) + "]\n";
  if (!plan.options.empty()) {
    // One that has a parameter is a knob.
    const bool is_of_build = plan.options.front().find('{') == std::string::npos;
    out += "  options: [" + with_commas(plan.options, quoted) + "]" +
           (is_of_build ? "  # of the build\n" : "\n");
  }
  if (!plan.replaced.empty()) {
    out += "  replace: [" + listed(plan.replaced) + "]  # the values that the source has itself\n";
  }
  if (plan.has_macros) out += "  define_prefix: \"\"  # the source's own macros, by -D\n";
  if (!plan.extents.empty()) {
    out += "problem_sizes:  # the sizes that matter to you, one a line\n  - " +
           size_text(plan.extents) + remark(plan, "problem_sizes") + "\n";
    for (const auto& one : plan.more_sizes) out += "  - " + size_text(one) + "\n";
    if (plan.size_of_host != plan.extents && !plan.remarks.contains("problem_sizes")) {
      out += "  # - " + size_text(plan.size_of_host) +
             "  # the host code's value; a first run needs less\n";
    }
  }
  if (!plan.captured.empty()) {
    out += "captured:  # the launch of each size, with its memory and what it wrote\n";
    for (const std::string& one : plan.captured) out += "  - " + name_text(one) + "\n";
  }
  if (plan.memory_is_captured) out += "memory: captured  # all of it where it was\n";
  out += parameters_text(plan) + baseline_text(plan);
  out += constraints_text(plan);
  if (plan.launcher_entry.empty()) out += launch_text(plan);
  if (!plan.types.empty()) out += "types:\n";
  for (const auto& [name, members] : plan.types) out += fmt::format("  {}: {}\n", name, members);
  out += arguments_text("arguments", plan.arguments) + arguments_text("buffers", plan.buffers) +
         arguments_text("constants", plan.constants);
  return out + reference_text(plan) + verify_text(plan) + work_text(plan);
}

}  // namespace tuner
