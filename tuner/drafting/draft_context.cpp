// Names of the source in the words of the study.

#include "tuner/drafting/draft_context.h"

#include <algorithm>

#include "tuner/drafting/study_text.h"
#include "tuner/expression/expression.h"

namespace tuner {
namespace {

constexpr int kMostSteps = 10;  // from a name to its numbers

}  // namespace

std::optional<std::string> DraftContext::host_number(const std::string& name, std::size_t frame,
                                                     int depth) const {
  if (name.starts_with("sizeof ")) return size_of(name.substr(7));
  const HostText set = what_is_set(name, frame);
  if (set.tokens.empty() || depth > kMostSteps) {
    const auto found = source.numbers.find(name);
    return found == source.numbers.end() ? std::nullopt
                                         : std::optional(std::to_string(found->second));
  }
  return study_expression(expanded(set.tokens, source.callables), [&](const std::string& inner) {
    return host_number(inner, set.frame, depth + 1);
  });
}

DraftContext::HostText DraftContext::what_is_set(const std::string& name, std::size_t frame) const {
  if (hint && frame < hint->frames.size()) {
    const HostFrame& now = hint->frames[frame];
    if (const Tokens set = initialiser_of(now.body, name); !set.empty()) return {set, frame};
    const auto parameter = std::ranges::find(now.parameters, name);
    const auto place = static_cast<std::size_t>(parameter - now.parameters.begin());
    if (place < now.arguments.size()) return {now.arguments[place], frame + 1};
  }
  const auto found = source.computed.find(name);
  return found == source.computed.end() ? HostText() : HostText{found->second, frame};
}

Tokens DraftContext::passed_for(const std::string& argument) const {
  for (std::size_t i = 0; hint && i < std::min(kernel.arguments.size(), hint->arguments.size());
       ++i) {
    if (kernel.arguments[i].name == argument) return hint->arguments[i];
  }
  return {};
}

std::optional<std::string> DraftContext::host_expression_of(const std::string& argument) const {
  const Tokens passed = passed_for(argument);
  if (passed.empty()) return std::nullopt;
  return study_expression(expanded(passed, source.callables),
                          [this](const std::string& name) { return host_number(name, 0, 0); });
}

std::optional<std::string> DraftContext::meaning(const std::string& name, std::size_t frame,
                                                 int depth) const {
  if (plan.parameter(name) != nullptr) return name;
  if (const auto found = renamed.find(name); found != renamed.end()) return found->second;
  if (const auto found = template_values.find(name); found != template_values.end()) {
    return found->second;
  }
  if (name.starts_with("sizeof ")) return size_of(name.substr(7));
  if (const auto found = host_names.find({frame, name}); found != host_names.end()) {
    return found->second;
  }
  const HostText set = what_is_set(name, frame);
  if (!set.tokens.empty() && depth <= kMostSteps) {
    if (auto said = in_study(set.tokens, set.frame, depth + 1)) return said;
  }
  const auto found = source.numbers.find(name);
  return found == source.numbers.end() ? std::nullopt
                                       : std::optional(std::to_string(found->second));
}

std::optional<double> DraftContext::value_of(const std::string& expression) const {
  const auto parsed = Expression::parse(expression, Position{});
  if (!parsed) return std::nullopt;
  Bindings names{{"device.max_threads_per_block", std::int64_t{1024}}};
  for (const auto& [name, extent] : plan.extents) names[name] = extent;
  for (const DraftedParameter& one : plan.parameters) names[one.name] = one.present;
  const auto value = parsed->evaluate(names);
  if (!value) return std::nullopt;
  if (const auto* whole = std::get_if<std::int64_t>(&*value)) return static_cast<double>(*whole);
  if (const auto* flag = std::get_if<bool>(&*value)) return *flag ? 1 : 0;
  if (const auto* real = std::get_if<double>(&*value)) return *real;
  return std::nullopt;
}

std::optional<std::string> DraftContext::size_of(const std::string& type) const {
  const auto alias = types.find(type);
  const std::string name = alias == types.end() ? seen_through(type) : alias->second;
  if (const auto element = element_type(name)) return std::to_string(bytes_of(*element));
  const auto found = source.structs.find(name);
  return found == source.structs.end() ? std::nullopt
                                       : std::optional(std::to_string(bytes_of(found->second)));
}

std::optional<std::string> DraftContext::in_study(Tokens tokens, std::size_t frame,
                                                  int depth) const {
  std::vector<Token> text = expanded(tokens, source.callables);
  if (frame == 0) text = with_own_names(std::move(text));
  return study_expression(text,
                          [&](const std::string& name) { return meaning(name, frame, depth); });
}

std::vector<Token> DraftContext::with_own_names(std::vector<Token> tokens) const {
  for (std::size_t i = 0; hint && i < hint->arguments.size() && i < kernel.arguments.size(); ++i) {
    const Tokens spelled = hint->arguments[i];
    if (spelled.size() < 2 || !extent_arguments.contains(kernel.arguments[i].name)) continue;
    const auto same = [](const Token& a, const Token& b) { return a.text == b.text; };
    for (auto at = tokens.begin();; ++at) {
      at = std::search(at, tokens.end(), spelled.begin(), spelled.end(), same);
      if (at == tokens.end()) break;
      *at = {Token::Kind::kWord, kernel.arguments[i].name, at->at, false};
      tokens.erase(at + 1, at + static_cast<std::ptrdiff_t>(spelled.size()));
    }
  }
  return tokens;
}

std::string DraftContext::new_name(std::string name) const {
  while (words.contains(name) || plan.parameter(name) != nullptr) name += "_";
  return name;
}

std::string DraftContext::seen_through(std::string type) const {
  for (int depth = 0; depth < 8 && source.aliases.contains(type); ++depth) {
    type = source.aliases.at(type);
  }
  return type;
}

}  // namespace tuner
