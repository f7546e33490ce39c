// Names of the source in the words of the study.

#include "tuner/drafting/draft_context.h"

#include <algorithm>

#include "tuner/drafting/study_text.h"

namespace tuner {

std::optional<std::string> DraftContext::host_number(const std::string& name, int depth) const {
  if (const auto found = source.numbers.find(name); found != source.numbers.end()) {
    return std::to_string(found->second);
  }
  const Tokens set = what_is_set(name);
  if (set.empty() || depth > 6) return std::nullopt;
  return study_expression(expanded(set, source.callables), [this, depth](const std::string& inner) {
    return host_number(inner, depth + 1);
  });
}

Tokens DraftContext::what_is_set(const std::string& name) const {
  if (hint) {
    if (const Tokens set = initialiser_of(hint->function, name); !set.empty()) return set;
  }
  const auto found = source.computed.find(name);
  return found == source.computed.end() ? Tokens() : Tokens(found->second);
}

std::optional<std::string> DraftContext::host_expression_of(const std::string& argument) const {
  if (!hint) return std::nullopt;
  for (std::size_t i = 0; i < kernel.arguments.size() && i < hint->arguments.size(); ++i) {
    if (kernel.arguments[i].name != argument) continue;
    return study_expression(expanded(hint->arguments[i], source.callables),
                            [this](const std::string& name) { return host_number(name, 0); });
  }
  return std::nullopt;
}

std::optional<std::string> DraftContext::meaning(const std::string& name, int depth) const {
  if (plan.parameter(name) != nullptr) return name;
  if (const auto found = renamed.find(name); found != renamed.end()) return found->second;
  if (const auto found = template_values.find(name); found != template_values.end()) {
    return found->second;
  }
  if (name.starts_with("sizeof ")) return size_of(name.substr(7));
  if (const auto found = host_names.find(name); found != host_names.end()) return found->second;
  if (const auto found = source.numbers.find(name); found != source.numbers.end()) {
    return std::to_string(found->second);
  }
  const Tokens set = what_is_set(name);
  return set.empty() || depth > 6 ? std::nullopt : in_study(set, depth + 1);
}

std::optional<std::string> DraftContext::size_of(const std::string& type) const {
  const auto alias = types.find(type);
  const std::string name = alias == types.end() ? seen_through(type) : alias->second;
  if (name == "float") return "4";
  if (name == "double") return "8";
  return std::nullopt;
}

std::optional<std::string> DraftContext::in_study(Tokens tokens, int depth) const {
  return study_expression(with_own_names(expanded(tokens, source.callables)),
                          [this, depth](const std::string& name) { return meaning(name, depth); });
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
