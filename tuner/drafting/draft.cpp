// Drafts a study, section by section.

#include "tuner/drafting/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/drafting/captured_launches.h"
#include "tuner/drafting/draft_context.h"

namespace tuner {
namespace {

[[noreturn]] void refuse(const DraftRequest& request, int line, const std::string& what,
                         const std::string& suggestion = {}) {
  throw InputError(Complaint{{request.source_name, line, line > 0 ? 1 : 0}, what, suggestion});
}

bool looks_like_a_reference(const FoundKernel& kernel) {
  const std::string name = lower(last_name(kernel.name));
  return name.find("ref") != name.npos || name.find("naive") != name.npos ||
         name.find("init") != name.npos || name.find("gold") != name.npos;
}

const FoundKernel& choose_kernel(const FoundSource& source, const DraftRequest& request) {
  if (source.kernels.empty()) {
    refuse(request, 0, "there is no __global__ function",
           "kernels that macros make are not seen, nor those in files that were not found");
  }
  std::vector<std::string> names;
  for (const FoundKernel& kernel : source.kernels) {
    if (kernel.name == request.kernel || last_name(kernel.name) == request.kernel) return kernel;
    names.push_back(kernel.name);
  }
  if (!request.kernel.empty()) {
    refuse(request, 0, "there is no kernel '" + request.kernel + "'",
           did_you_mean(request.kernel, names));
  }
  const bool has_own = source.kernels.front().is_own;
  const auto first = std::ranges::find_if(source.kernels, [&](const FoundKernel& one) {
    return one.is_own == has_own && !looks_like_a_reference(one);
  });
  return first == source.kernels.end() ? source.kernels.front() : *first;
}

// Those of the host code that speak of `name`, or that include the source.
void add_hosts(const DraftRequest& request, std::string_view name, std::vector<SourceText>& texts) {
  for (const SourceText& host : request.project.hosts) {
    const bool speaks = mentions(tokens_of(host.text), name);
    const bool is_new =
        std::ranges::none_of(texts, [&](const SourceText& one) { return one.name == host.name; });
    if (speaks && is_new) texts.push_back(host);
  }
}

// Macros that only the project's build defines, and of these those that a text of it uses.
std::map<std::string, std::string> definitions_for(const DraftRequest& request) {
  std::map<std::string, std::string> out;
  for (const auto& one : request.project.definitions) {
    const auto uses = [&](const std::string& text) { return text.find(one.first) != text.npos; };
    const bool is_used = uses(request.source) ||
                         std::ranges::any_of(request.project.headers, uses, &SourceText::text);
    if (is_used) out.insert(one);
  }
  return out;
}

// Writes them as a header.
SourceText build_text(const DraftRequest& request) {
  SourceText out{"the build", {}};
  for (const auto& [name, value] : definitions_for(request)) {
    out.text += fmt::format("#ifndef {0}\n#define {0} {1}\n#endif\n", name, value);
  }
  return out;
}

// The options of the build that change what the kernel is: its macros, but for those that are
// parameters now, and a standard that is no compiler's own.
std::vector<std::string> options_for(const DraftRequest& request, const DraftPlan& plan) {
  std::vector<std::string> out;
  for (const auto& [name, value] : definitions_for(request)) {
    if (plan.parameter(name) == nullptr) out.push_back("-D" + name + "=" + value);
  }
  const std::string& standard = request.project.standard;
  if (standard > "c++17" && standard < "c++9") out.push_back("-std=" + standard);
  return out;
}

// The source with its headers; host code of other files only where the source does not show how its
// kernel is launched, or who calls the function that does.
std::vector<SourceText> texts_for(const DraftRequest& request) {
  std::vector<SourceText> texts = request.project.headers;
  if (!request.project.definitions.empty()) texts.push_back(build_text(request));
  if (!request.captured.empty()) {
    const FoundSource source(request.source, texts);
    texts.push_back({request.captured.front().folder.string(),
                     captured_code(choose_kernel(source, request), request)});
    return texts;
  }
  if (request.without_host) return texts;
  if (request.script) texts.push_back(request.script->host);
  if (request.script || request.project.hosts.empty()) return texts;
  const FoundSource source(request.source, texts);
  const FoundKernel& kernel = choose_kernel(source, request);
  std::optional<LaunchHint> hint = launch_of(source, kernel);
  if (!hint) {
    add_hosts(request, last_name(kernel.name), texts);
    const FoundSource with_hosts(request.source, texts);
    hint = launch_of(with_hosts, choose_kernel(with_hosts, request));
  }
  if (!hint || hint->function == "main" || hint->frames.size() > 1) return texts;
  add_hosts(request, hint->function, texts);
  return texts;
}

std::set<std::string> words_of(const FoundSource& source) {
  std::set<std::string> words;
  for (const Token& token : source.code) {
    if (token.is_word() && source.holds(token)) words.emplace(token.text);
  }
  for (const Token& token : source.tokens) {
    if (token.kind != Token::Kind::kDirective || !source.holds(token)) continue;
    const std::string_view name = directive_name(token);
    if (name != "pragma" && name != "if" && name != "define") continue;
    const std::vector<Token> inside = tokens_of(directive_rest(token));
    const std::size_t from = name == "define" ? 1 : 0;  // a macro's own name does not use it
    for (std::size_t i = from; i < inside.size(); ++i) words.emplace(inside[i].text);
  }
  return words;
}

// The words of a kernel's head and body, of the functions that it calls, and of what macros and
// constants among them stand for.
std::set<std::string> words_reached(const FoundSource& source, const FoundKernel& kernel) {
  std::set<std::string> words;
  std::vector<std::string> open;
  const auto take = [&](Tokens tokens) {
    for (const Token& token : tokens) {
      if (token.is_word() && words.emplace(token.text).second) open.emplace_back(token.text);
    }
  };
  std::multimap<std::string_view, Tokens> meanings;
  for (const Declaration& one : source.declarations) {
    if (!one.body.empty()) meanings.emplace(last_name(one.name), one.all);
  }
  for (const auto& [name, callable] : source.callables) meanings.emplace(name, callable.text);
  for (const auto& [name, text] : source.computed) meanings.emplace(name, text);
  take(kernel.body);
  open.emplace_back(last_name(kernel.name));
  for (const Token& token : source.tokens) {  // "#pragma unroll UNROLL" names no function
    const bool is_pragma = token.kind == Token::Kind::kDirective && source.holds(token) &&
                           is_one_of("pragma if elif ifdef", directive_name(token));
    if (is_pragma) take(tokens_of(directive_rest(token)));
  }
  while (!open.empty()) {
    const std::string word = std::move(open.back());
    open.pop_back();
    const auto [from, to] = meanings.equal_range(word);
    for (auto it = from; it != to; ++it) take(it->second);
  }
  return words;
}

void say_kernel(DraftContext& context, bool asked_for) {
  context.plan.found.push_back(
      fmt::format("kernel {} (line {})", context.kernel.name, context.kernel.line));
  constexpr std::size_t kMostNames = 10;
  std::string others;
  std::size_t count = 0;
  for (const FoundKernel& one : context.source.kernels) {
    if (!one.is_own || one.name == context.kernel.name || ++count > kMostNames) continue;
    others += (others.empty() ? "" : ", ") + one.name;
  }
  if (count > kMostNames) others += fmt::format(" and {} more", count - kMostNames);
  if (!others.empty() && !asked_for) {
    context.plan.guessed.push_back("there are other kernels: " + others +
                                   " (--kernel NAME drafts for one)");
  }
  if (context.hint) context.plan.found.push_back("its launch in " + context.hint->place);
}

void nothing_to_tune(DraftContext& context) {
  const std::string name = context.new_name("NOTHING");
  context.plan.parameters.push_back(
      {name, {0}, 0, false, "a study needs a parameter; this one does nothing"});
  context.plan.guessed.emplace_back(kNothingToTune);
}

// Fixes the block's extents at their present values if the grid was guessed and does not follow
// them: with another block, the kernel would do another amount of work and give another answer,
// unless a trial shows that it does not.
void hold_blocks_of_a_guessed_grid(const DraftRequest& request, DraftPlan& plan) {
  if (!plan.remarks.contains("grid")) return;
  const auto is_in = [](const std::vector<std::string>& extents, const std::string& name) {
    return std::ranges::any_of(
        extents, [&](const std::string& extent) { return extent.find(name) != std::string::npos; });
  };
  for (DraftedParameter& one : plan.parameters) {
    if (!one.is_guess || !is_in(plan.block, one.name) || is_in(plan.grid, one.name)) continue;
    one.open = std::exchange(one.values, {one.present});
    if (!request.proven.contains(one.name)) one.from += "; others need a grid that follows";
  }
}

}  // namespace

std::string kernel_to_draft(const DraftRequest& request) {
  const FoundSource source(request.source, request.project.headers);
  return choose_kernel(source, request).name;
}

namespace {

// Whether a first run on a CPU would be long: to fill and compare the buffers, or to run the
// threads.
bool is_much_for_a_cpu(const DraftContext& context) {
  constexpr double kBytes = 64 << 20, kThreads = 1 << 22, kThreadsThatWait = 1 << 18;
  const DraftPlan& plan = context.plan;
  double threads = 1;
  for (const auto* extents : {&plan.block, &plan.grid}) {
    for (const std::string& one : *extents) threads *= context.value_of(one).value_or(1);
  }
  const bool waits = mentions(context.kernel.body, "__syncthreads");
  return !plan.extents.empty() &&
         (plan.bytes > kBytes || threads > (waits ? kThreadsThatWait : kThreads));
}

// Takes away the values that failed when they were tried.
void drop_refused_values(const DraftRequest& request, DraftPlan& plan) {
  for (DraftedParameter& one : plan.parameters) {
    const auto refused = request.refused.find(one.name);
    if (refused == request.refused.end()) continue;
    std::map<std::string, std::string> by_end;
    for (const auto& [value, end] : refused->second) {
      if (std::erase(one.values, value) == 0) continue;
      by_end[end] += (by_end[end].empty() ? "" : ", ") + std::to_string(value);
    }
    for (const auto& [end, values] : by_end) one.from += "; " + values + " " + end;
  }
}

// Makes the most registers that the compiler may give a thread a parameter: with fewer, more
// threads have room at once, and with 32 as many as a multiprocessor can run.
void limit_registers(DraftContext& context) {
  constexpr std::size_t kMostLimits = 3;
  constexpr std::int64_t kLimits[] = {128, 96, 64, 48, 40, 32}, kAll = 255;
  std::vector<std::int64_t> values{kAll};
  for (const std::int64_t limit : kLimits) {
    const bool is_less = limit < context.request.registers;
    if (is_less && values.size() <= kMostLimits) values.push_back(limit);
  }
  if (values.size() == 1) return;
  const std::string name = context.new_name("REGISTERS");
  context.plan.options.push_back("-maxrregcount={" + name + "}");
  std::ranges::reverse(values);
  context.plan.parameters.push_back(
      {.name = name,
       .values = values,
       .present = kAll,
       .from =
           fmt::format("limit for each thread; without one it takes {}", context.request.registers),
       .is_safe = true});
}

// Whether one of these expressions names a parameter.
bool is_named_by(const DraftPlan& plan, const std::vector<std::string>& expressions,
                 const std::string& parameter) {
  return std::ranges::any_of(expressions, [&](const std::string& one) {
    return with_present_values(plan, one) != with_present_values(plan, one, {parameter});
  });
}

// Whether there is something to tune besides the block.
bool has_knobs(const DraftPlan& plan) {
  return std::ranges::any_of(plan.parameters, [&](const DraftedParameter& one) {
    return one.values.size() > 1 && !is_named_by(plan, plan.block, one.name);
  });
}

// Adds the values that trials have shown to be right, or are to.
void add_open_values(const DraftRequest& request, DraftPlan& plan) {
  for (DraftedParameter& one : plan.parameters) {
    if (one.open.empty()) continue;
    const auto proven = request.proven.find(one.name);
    std::set<std::int64_t> more;
    if (proven != request.proven.end()) more = proven->second;
    if (!more.empty()) one.from += fmt::format("; {} by trials", fmt::join(more, ", "));
    if (request.asks) more.insert(one.open.begin(), one.open.end());
    more.insert(one.values.begin(), one.values.end());
    one.values.assign(more.begin(), more.end());
  }
}

std::vector<DraftedKnob> knobs_of(const DraftPlan& plan) {
  std::vector<DraftedKnob> out;
  const bool is_grid_guessed = plan.remarks.contains("grid");
  for (const DraftedParameter& one : plan.parameters) {
    if (one.values.size() < 2 || one.is_safe) continue;
    bool is_untied = false;
    for (std::size_t axis = 0; axis < plan.block.size() && axis < plan.grid.size(); ++axis) {
      const std::vector<std::string> choices = choices_in(plan, plan.grid[axis]);
      const bool follows = std::ranges::any_of(choices, [&](const std::string& name) {
        return name == one.name || plan.parameter(name)->open.empty();
      });
      is_untied = is_untied || (plan.block[axis] == one.name && !follows &&
                                (is_grid_guessed || plan.grid[axis] != "1"));
    }
    const bool is_of_launch =
        is_named_by(plan, plan.block, one.name) || is_named_by(plan, plan.grid, one.name);
    out.push_back(
        {one.name, one.values, one.present, is_untied, one.is_given && !is_of_launch, one.open});
  }
  return out;
}

// Leaves values out of the parameters that the right answer depends on, the last of the longest
// list first, until there are not too many answers.
void fit_answers(DraftPlan& plan) {
  std::vector<DraftedParameter*> all;
  for (const std::string& name : plan.per) {
    const auto one = std::ranges::find(plan.parameters, name, &DraftedParameter::name);
    if (one != plan.parameters.end()) all.push_back(&*one);
  }
  const auto answers = [&] {
    return std::accumulate(all.begin(), all.end(), std::size_t{1},
                           [](std::size_t product, const DraftedParameter* one) {
                             return product * std::max<std::size_t>(1, one->values.size());
                           });
  };
  constexpr const char* kRemark = "; more values give too many right answers";
  while (answers() > kMostRightAnswers) {
    DraftedParameter& longest = **std::ranges::max_element(
        all, {}, [](const DraftedParameter* one) { return one->values.size(); });
    const bool is_present = longest.values.back() == longest.present;
    longest.values.erase(longest.values.end() - (is_present ? 2 : 1));
    if (longest.from.find(kRemark) == longest.from.npos) longest.from += kRemark;
  }
}

void draft_kernel(DraftContext& context) {
  const DraftRequest& request = context.request;
  const bool is_captured = !request.captured.empty();
  if (is_captured) {
    context.hint = launch_of(context.source, context.kernel, kCapturedLaunch);
  } else if (!request.without_host) {
    context.hint = launch_of(context.source, context.kernel);
  }
  context.words = words_of(context.source);
  context.records = context.source.records;
  context.reached = words_reached(context.source, context.kernel);
  context.plan.kernel = last_name(context.kernel.name);
  context.plan.relative_name = request.relative_name;
  context.plan.include_dirs = request.include_dirs;
  context.plan.units = request.units;
  context.plan.launcher_name = request.launcher_name;
  context.plan.per.assign(request.per.begin(), request.per.end());
  context.plan.head = request.remarks;
  context.plan.atol = request.atol;
  context.plan.is_cooperative =
      mentions(context.kernel.body, "this_grid") && mentions(context.kernel.body, "sync");
  say_kernel(context, !request.kernel.empty());
  draft_knobs(context);
  fit_answers(context.plan);
  draft_extents(context);
  draft_launch(context);
  drop_impossible_values(context);
  hold_blocks_of_a_guessed_grid(request, context.plan);
  context.plan.memory_is_captured = is_captured && needs_captured_memory(context);
  // Captured memory is compared number by number.
  if (!context.plan.memory_is_captured) context.plan.any_order = request.any_order;
  draft_arguments(context, request.source_name);
  if (is_captured) draft_captured(context);
}

bool reads_clock(const DraftContext& context) {
  return std::ranges::any_of(
      std::initializer_list<const char*>{"clock", "clock64", "__globaltimer"},
      [&](const char* clock) { return context.reached.contains(clock); });
}

DraftedStudy drafted_once(const DraftRequest& request, bool& is_large) {
  const std::vector<SourceText> texts = texts_for(request);
  const FoundSource source(request.source, texts);
  FoundKernel kernel = choose_kernel(source, request);
  for (const std::size_t at : request.script ? request.script->inputs : std::set<std::size_t>()) {
    if (at < kernel.arguments.size()) kernel.arguments[at].is_const = true;
  }
  DraftContext context{source, kernel, std::nullopt, request};
  draft_kernel(context);
  DraftRequest of_other = request;  // it follows this kernel's parameters and has none of its own
  of_other.asks = false;
  of_other.proven.clear();
  const auto draft_other = [&](const FoundKernel& other) {
    DraftContext alone{source, other, std::nullopt, of_other};
    draft_kernel(alone);
    return alone.plan;
  };
  const bool is_launcher = !request.launcher_name.empty();
  if (request.captured.empty() && !is_launcher) draft_sequence(context, draft_other);
  if (is_launcher) draft_launcher(context);
  add_open_values(request, context.plan);
  drop_refused_values(request, context.plan);
  std::ranges::move(options_for(request, context.plan), std::back_inserter(context.plan.options));
  if (request.registers > 0) limit_registers(context);
  if (context.plan.parameters.empty()) nothing_to_tune(context);
  context.plan.guessed.insert(context.plan.guessed.end(), context.assumed.begin(),
                              context.assumed.end());
  const bool has_clock = reads_clock(context);
  if (has_clock) {
    context.plan.guessed.emplace_back(
        "the kernel reads a clock: what it writes of that differs from launch to launch");
  }
  const DraftPlan& plan = context.plan;
  is_large = request.captured.empty() && is_much_for_a_cpu(context);
  return {draft_yaml(plan),
          plan.launcher_code,
          plan.kernel,
          plan.found,
          plan.guessed,
          knobs_of(plan),
          has_knobs(plan),
          !plan.extents.empty(),
          plan.has_numbers,
          plan.remarks.contains("problem_sizes"),
          plan.remarks.contains("dynamic_shared_bytes"),
          std::ranges::any_of(plan.arguments,
                              [](const DraftedArgument& one) {
                                return one.fill.find("integers") != one.fill.npos ||
                                       one.fill == kPermutation;
                              }),
          has_clock,
          plan.outputs.size()};
}

}  // namespace

DraftedStudy draft_study(const DraftRequest& request) {
  constexpr std::int64_t kSmallest = 4096;
  DraftRequest asked = request;
  std::vector<std::string> kernels{request.kernel};
  if (request.kernel.empty()) {
    kernels.clear();
    for (const FoundKernel& one : FoundSource(request.source, request.project.headers).kernels) {
      kernels.push_back(one.name);
    }
  }
  const auto script = std::ranges::find_if(request.scripts, [&](const TunerScript& one) {
    return std::ranges::find(kernels, one.kernel) != kernels.end();
  });
  if (script != request.scripts.end()) asked.script = *script;
  if (asked.script) asked.kernel = asked.script->kernel;
  for (;; asked.smaller *= 4) {
    bool is_large = false;
    DraftedStudy draft = drafted_once(asked, is_large);
    draft.smaller = asked.smaller;
    if (asked.whole || !is_large || asked.smaller >= kSmallest) return draft;
  }
}

}  // namespace tuner
