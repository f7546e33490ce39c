// Names of the source in the words of the study.

#include "tuner/drafting/draft_context.h"

#include <algorithm>

#include "tuner/drafting/captured_launches.h"
#include "tuner/expression/expression.h"

namespace tuner {
namespace {

constexpr int kMostSteps = 10;  // from a name to its numbers

// "a.n", "a->n", "a::n" and "a.b.n" as one word each.
std::vector<Token> with_members_as_words(std::vector<Token> tokens) {
  for (std::size_t next = 0; next + 2 < tokens.size();) {
    const std::size_t at = next++;
    const Token &of = tokens[at], &sign = tokens[at + 1], &member = tokens[at + 2];
    const bool is_call = at + 3 < tokens.size() && tokens[at + 3].is("(");
    if (!of.is_word() || !member.is_word() || is_call) continue;
    if (!sign.is(".") && !sign.is("->") && !sign.is("::")) continue;
    const char* const end = member.text.data() + member.text.size();
    const auto length = end - of.text.data();
    if (length !=
        static_cast<std::ptrdiff_t>(of.text.size() + sign.text.size() + member.text.size())) {
      continue;
    }
    tokens[at].text = {of.text.data(), static_cast<std::size_t>(length)};
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                 tokens.begin() + static_cast<std::ptrdiff_t>(at) + 3);
    next = at;  // it may have a member itself
  }
  return tokens;
}

bool is_of_the_command_line(Tokens set) { return mentions(set, "argv") || mentions(set, "argc"); }

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
  const std::vector<Token> text = host_words(set.tokens);
  const Meaning inner = [&](const std::string& of) {
    return host_number(of, set.frame, depth + 1);
  };
  return increased(study_expression(text, inner), name, when_increased(name, frame), inner);
}

Tokens DraftContext::when_increased(const std::string& name, std::size_t frame) const {
  return hint && frame < hint->frames.size() ? increased_if(hint->frames[frame].before, name)
                                             : Tokens();
}

std::optional<std::string> DraftContext::increased(std::optional<std::string> text,
                                                   const std::string& name, Tokens condition,
                                                   const Meaning& meaning) {
  if (!text || condition.empty()) return text;
  const Meaning before = [&](const std::string& of) { return of == name ? text : meaning(of); };
  const auto when =
      study_expression(with_members_as_words({condition.begin(), condition.end()}), before);
  return when ? rounded_up(*text + " + (1 if " + *when + " else 0)") : text;
}

std::vector<Token> DraftContext::host_words(Tokens tokens) const {
  return with_members_as_words(expanded(tokens, source.callables));
}

DraftContext::HostText DraftContext::what_is_set(const std::string& name, std::size_t frame,
                                                 int depth) const {
  if (hint && frame < hint->frames.size()) {
    const HostFrame& now = hint->frames[frame];
    const Tokens set = set_above(now, name);
    const std::size_t dot = name.find_first_of(".-");
    const auto parameter = std::ranges::find(now.parameters, name.substr(0, dot));
    const auto place = static_cast<std::size_t>(parameter - now.parameters.begin());
    if (dot != name.npos && (set.empty() || is_of_the_command_line(set))) {
      HostText member = member_of(name, frame, place);
      if (member.tokens.empty()) member = member_of_whole(name, frame, depth);
      if (!member.tokens.empty()) return member;
    }
    if (!set.empty()) return {set, frame};
    if (place < now.arguments.size()) return {now.arguments[place], frame + 1};
    const auto which =
        static_cast<std::size_t>(std::ranges::find(now.templates, name) - now.templates.begin());
    if (which < now.template_arguments.size()) return {now.template_arguments[which], frame + 1};
    if (which < now.templates.size()) {
      HostText type = deduced_type_of_frame(name, frame);
      if (!type.tokens.empty()) return type;
    }
  }
  const auto found = source.computed.find(name);
  return found == source.computed.end() ? HostText() : HostText{found->second, frame};
}

std::string DraftContext::type_said(Tokens tokens, std::size_t frame, int depth) const {
  std::string out;
  for (const Token& token : tokens) {
    const bool may_stand = token.is_word() && depth < kMostSteps;
    const HostText set = may_stand ? what_is_set(std::string(token.text), frame) : HostText();
    out += out.empty() ? "" : " ";
    out += set.tokens.empty() ? token.text : type_said(set.tokens, set.frame, depth + 1);
  }
  return out;
}

// "threads.x" of "dim3 threads(16, 8)", also where a caller passes it.
DraftContext::HostText DraftContext::member_of(const std::string& name, std::size_t frame,
                                               std::size_t parameter) const {
  const HostFrame& now = hint->frames[frame];
  const char axis = name.back();
  const std::string of = name.substr(0, name.find_first_of(".-"));
  if (parameter < now.arguments.size() && frame + 1 < hint->frames.size()) {
    const Tokens passed = now.arguments[parameter];
    if (passed.empty() || !passed.back().is_word() || passed.size() > 2) return {};
    const std::string outer(passed.back().text);
    return what_is_set(outer + name.substr(of.size()), frame + 1);
  }
  if (axis < 'x' || name.size() != of.size() + 2) return {};
  const Token word{Token::Kind::kWord, of, 0, false};
  const std::vector<Tokens> axes = axes_of({&word, 1}, now.body);
  const auto place = static_cast<std::size_t>(axis - 'x');
  if (place < axes.size() && axes.front().data() != &word) return {axes[place], frame};
  return {};
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
  return study_expression(host_words(passed),
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
    const Meaning inner = [&](const std::string& of) { return meaning(of, frame, depth + 1); };
    const auto said = in_study(set.tokens, set.frame, depth + 1);
    if (said) return increased(said, name, when_increased(name, frame), inner);
    if (is_of_the_command_line(set.tokens)) return of_the_command_line(name);
  }
  const auto found = source.numbers.find(name);
  return found == source.numbers.end() ? std::nullopt
                                       : std::optional(std::to_string(found->second));
}

std::string DraftContext::of_the_command_line(const std::string& name) const {
  std::string value = may_be_extent(name) ? "256" : "2";
  assumed.insert(name + " is " + value + ": the command line says what it is");
  return value;
}

std::optional<std::string> DraftContext::folded(Tokens tokens, std::size_t frame) const {
  auto text = in_study(tokens, frame);
  const auto value = text ? constant_value(*text) : std::nullopt;
  return value ? std::to_string(*value) : text;
}

std::optional<std::string> DraftContext::in_parameters(Tokens text, Tokens body, int depth) const {
  const auto meaning_here = [&](const std::string& name) -> std::optional<std::string> {
    if (plan.parameter(name) != nullptr) return name;
    if (name.starts_with("sizeof ")) return meaning(name);
    if (const auto axis = static_cast<std::size_t>(name.back() - 'x');
        name.starts_with("blockDim.") && axis < plan.block.size())
      return plan.block[axis];
    const Tokens set = initialiser_of(body, name);
    if (!set.empty() && depth < kMostSteps) return in_parameters(set, body, depth + 1);
    const auto number = source.numbers.find(name);
    return number == source.numbers.end() ? std::nullopt
                                          : std::optional(std::to_string(number->second));
  };
  return study_expression(host_words(text), meaning_here);
}

std::optional<double> DraftContext::value_of(const std::string& expression) const {
  const auto parsed = Expression::parse(expression, Position{});
  if (!parsed) return std::nullopt;
  Bindings names{{"device.max_threads_per_block", std::int64_t{1024}},
                 {"device.multiprocessors", std::int64_t{132}}};
  for (const auto& [name, extent] : plan.extents) names[name] = extent;
  for (const DraftedParameter& one : plan.parameters) names[one.name] = one.present;
  const auto value = parsed->evaluate(names);
  if (!value || std::holds_alternative<std::string>(*value)) return std::nullopt;
  return to_number(*value);
}

std::optional<std::string> DraftContext::size_of(const std::string& type) const {
  const auto alias = types.find(type);
  const std::string name = alias == types.end() ? seen_through(type) : alias->second;
  if (const auto element = element_type(name)) return std::to_string(bytes_of(*element));
  const auto numbers = source.numbers_of(name);
  return numbers ? std::optional(std::to_string(bytes_of(*numbers))) : std::nullopt;
}

std::optional<std::string> DraftContext::in_study(Tokens tokens, std::size_t frame,
                                                  int depth) const {
  std::vector<Token> text = expanded(with_parameters(tokens), source.callables);
  if (frame == 0) text = with_own_names(std::move(text));
  text = with_members_as_words(std::move(text));
  return study_expression(text,
                          [&](const std::string& name) { return meaning(name, frame, depth); });
}

std::vector<Token> DraftContext::with_parameters(Tokens tokens) const {
  std::vector<Token> out(tokens.begin(), tokens.end());
  for (const auto& [spelled, parameter] : stands_for) {
    const bool is_number = spelled.size() == 1;  // which may stand there for something else
    const auto same = [&](const Token& a, const Token& b) {
      return a.text == b.text && (!is_number || a.at == b.at);
    };
    for (auto at = out.begin();; ++at) {
      at = std::search(at, out.end(), spelled.begin(), spelled.end(), same);
      if (at == out.end()) break;
      *at = {Token::Kind::kWord, parameter, at->at, false};
      at = out.erase(at + 1, at + static_cast<std::ptrdiff_t>(spelled.size())) - 1;
    }
  }
  return out;
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

FoundArgument DraftContext::with_type(FoundArgument one) const {
  if (!request.captured.empty()) {
    const auto place = std::ranges::find(kernel.arguments, one.name, &FoundArgument::name);
    const auto type = element_type(parameter_type(
        request.captured.front(), static_cast<std::size_t>(place - kernel.arguments.begin())));
    if (type) {
      one.type = type->name;
      one.lanes = type->lanes;
    }
  }
  if (const auto type = types.find(one.c_type); type != types.end()) {
    const auto element = element_type(type->second);
    if (element) one.type = element->name;
    if (!element) one.c_type = type->second;
  }
  if (one.type.empty() && one.c_type == "void" && one.pointers == 1) one.type = "uint8";
  return one;
}

std::string DraftContext::seen_through(std::string type) const {
  for (int depth = 0; depth < 8 && source.aliases.contains(type); ++depth) {
    type = source.aliases.at(type);
  }
  return type;
}

}  // namespace tuner
