// Reads kernels, macros and constants out of a source's tokens.

#include "tuner/drafting/found_source.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "tuner/source/own_names.h"

namespace tuner {
namespace {

std::string_view without_parentheses(std::string_view text) {
  while (text.size() > 2 && text.front() == '(' && text.back() == ')') {
    text = text.substr(1, text.size() - 2);
  }
  return text;
}

std::string without_std(std::string type) {
  if (type.starts_with("std :: ")) type.erase(0, 7);
  return type;
}

}  // namespace

std::optional<std::int64_t> whole_number(std::string_view text) {
  text = without_parentheses(text);
  std::string digits;
  for (const char c : text) {
    if (c != '\'') digits += c;
  }
  while (!digits.empty() &&
         std::string_view("uUlL").find(digits.back()) != std::string_view::npos) {
    digits.pop_back();
  }
  if (digits == "true" || digits == "false") return digits == "true" ? 1 : 0;
  if (const auto shift = digits.find("<<"); shift != std::string::npos) {
    const auto left = whole_number(
        std::string_view(digits).substr(0, digits.find_last_not_of(' ', shift - 1) + 1));
    const auto first = digits.find_first_not_of(' ', shift + 2);
    const auto right = first == std::string::npos
                           ? std::nullopt
                           : whole_number(std::string_view(digits).substr(first));
    if (left && right && *right >= 0 && *right < 60) return *left << *right;
    return std::nullopt;
  }
  const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  std::int64_t value = 0;
  const char* from = digits.data() + (hexadecimal ? 2 : 0);
  const char* to = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(from, to, value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != to || from == to) return std::nullopt;
  return value;
}

namespace {

// Sees through class templates of libraries: "thrust::complex<float>" is two numbers,
// "thrust::device_ptr<int>" an address.
void see_through_class(FoundArgument& one) {
  constexpr std::string_view kAddress = "device_ptr<";
  const std::string& type = one.c_type;
  if (type.ends_with("complex<float>")) one.c_type = "cuFloatComplex";
  if (type.ends_with("complex<double>")) one.c_type = "cuDoubleComplex";
  const std::size_t open = type.find(kAddress);
  if (open == type.npos || !type.starts_with("thrust")) return;
  ++one.pointers;
  one.c_type = type.substr(open + kAddress.size(), type.rfind('>') - open - kAddress.size());
}

}  // namespace

FoundArgument argument_of(Tokens parameter, const std::map<std::string, std::string>& aliases) {
  FoundArgument out{parameter_of(parameter)};
  for (int depth = 0; depth < 8; ++depth) {
    const auto alias = aliases.find(out.c_type);
    if (alias == aliases.end()) break;
    out.c_type = alias->second;
  }
  see_through_class(out);
  if (const auto type = element_type(out.c_type)) {
    out.type = type->name;
    out.lanes = type->lanes;
  }
  return out;
}

// ---- the source ---------------------------------------------------------------------------------

FoundSource::FoundSource(const std::string& source, const std::vector<SourceText>& others) {
  add_text("", source);
  for (const SourceText& one : others) add_text(one.name, one.text);
  callables = macros_with_parameters(tokens);
  const Callables stand = index_macros(callables);
  std::vector<std::size_t> ends;  // in `code`, of the texts: braces of one are no other's business
  auto from = tokens.begin();
  for (const Text& one : texts_) {
    const auto to =
        std::find_if(from, tokens.end(), [&](const Token& token) { return token.at >= one.end; });
    const std::vector<Token> part = expanded(code_of({from, to}), stand);
    code.insert(code.end(), part.begin(), part.end());
    ends.push_back(code.size());
    from = to;
  }
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    const auto more = declarations_of(Tokens(code).subspan(begin, end - begin));
    declarations.insert(declarations.end(), more.begin(), more.end());
    if (begin == 0) own_declarations_ = declarations.size();
    begin = end;
  }
  for (std::size_t i = 0; i < own_declarations_; ++i) {
    own_names_.merge(names_declared_by(declarations[i]));
  }
  read_macros();
  for (std::size_t i = 0; i < declarations.size(); ++i) {
    const auto names = names_declared_by(declarations[i]);
    const bool is_own = i < own_declarations_ || std::ranges::none_of(names, [&](const auto& name) {
                          return own_names_.contains(name);
                        });
    if (is_own) read_declaration(declarations[i]);
  }
  for (const UnsetConstant& one : unset_constants(code)) {
    constants.push_back({argument_of(one.declared, aliases), one.extents});
  }
  std::erase_if(callables, [](const auto& one) { return has_study_function(one.first); });
  for (const Declaration& one : declarations) read_kernel(one);
}

void FoundSource::add_text(const std::string& name, const std::string& text) {
  Text one{name, texts_.empty() ? 0 : texts_.back().end, 0, {}};
  one.end = one.begin + text.size() + 1;
  one.line_begins.push_back(one.begin);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') one.line_begins.push_back(one.begin + at + 1);
  }
  for (Token token : tokens_of(text, Comments::kLeaveOut, own_macros_)) {
    const auto macro = definition_in(token);
    if (texts_.empty() && macro && !token.other_branch) own_macros_.insert(macro->name);
    token.at += one.begin;
    tokens.push_back(token);
  }
  texts_.push_back(std::move(one));
}

void FoundSource::read_kernel(const Declaration& one) {
  if (one.kind != Declaration::Kind::kFunction || !mentions(one.head, "__global__")) return;
  FoundKernel kernel{one.name,
                     line_of(one.all.front()),
                     template_parameters(one.head),
                     {},
                     one.head,
                     one.parameters,
                     one.body,
                     holds(one.all.front())};
  for (const Tokens parameter : pieces_between_commas(one.parameters)) {
    if (joined(parameter) == "void") continue;
    FoundArgument& found = kernel.arguments.emplace_back(argument(parameter));
    if (found.name.empty()) found.name = "argument" + std::to_string(kernel.arguments.size());
  }
  kernel.body = body_of(kernel);
  kernels.push_back(std::move(kernel));
}

// Returns a kernel's body; if the kernel only passes its arguments on, under the same names, the
// body of the function that it calls.
Tokens FoundSource::body_of(const FoundKernel& kernel) const {
  if (mentions(kernel.body, "threadIdx") || mentions(kernel.body, "blockIdx")) return kernel.body;
  for (const Declaration& one : declarations) {
    if (!mentions(one.body, "threadIdx") || !mentions(kernel.body, last_name(one.name))) continue;
    const auto parameters = pieces_between_commas(one.parameters);
    const bool has_names = std::ranges::all_of(parameters, [&](Tokens parameter) {
      const std::string name = parameter_of(parameter).name;
      return std::ranges::find(kernel.arguments, name, &FoundArgument::name) !=
             kernel.arguments.end();
    });
    if (has_names && !parameters.empty()) return one.body;
  }
  return kernel.body;
}

FoundArgument FoundSource::argument(Tokens parameter) const {
  FoundArgument out = argument_of(parameter, aliases);
  const auto made_of = numbers_of(out.c_type);
  if (out.is_pointer() && out.type.empty() && made_of) {
    out.type = made_of->name;
    out.lanes = made_of->lanes;
  }
  if (out.c_type.starts_with("struct ")) out.c_type.erase(0, 7);
  return out;
}

std::optional<ElementType> FoundSource::numbers_of(const std::string& type) const {
  const auto record = records.find(type);
  return record == records.end() ? std::nullopt : numbers_in(record->second);
}

std::optional<ElementType> numbers_in(const FoundRecord& record) {
  ElementType out{"", 0};
  for (const FoundMember& one : record) {
    const auto element = one.is_number ? element_type(one.type) : std::nullopt;
    const std::string name = element ? element->name : one.is_number ? one.type : "";
    if (name.empty() || (!out.name.empty() && out.name != name)) return std::nullopt;
    out.name = name;
    out.lanes += one.lanes * static_cast<int>(one.count);
  }
  return out;
}

const FoundMacro* FoundSource::macro(const std::string& name) const {
  const auto found = macro_indices_.find(name);
  return found == macro_indices_.end() ? nullptr : &macros[found->second];
}

std::vector<Token> FoundSource::tokens_with(const std::vector<SourceText>& files) const {
  std::vector<Token> out;
  for (const Text& one : texts_) {
    const bool is_named =
        one.name.empty() || std::ranges::find(files, one.name, &SourceText::name) != files.end();
    if (!is_named) continue;
    std::copy(std::ranges::lower_bound(tokens, one.begin, {}, &Token::at),
              std::ranges::lower_bound(tokens, one.end, {}, &Token::at), std::back_inserter(out));
  }
  return out;
}

const FoundSource::Text& FoundSource::text_of(const Token& token) const {
  return *std::ranges::find_if(texts_, [&](const Text& one) { return token.at < one.end; });
}

int FoundSource::line_of(const Token& token) const {
  const std::vector<std::size_t>& begins = text_of(token).line_begins;
  return static_cast<int>(std::ranges::upper_bound(begins, token.at) - begins.begin());
}

std::string FoundSource::place_of(const Token& token) const {
  const std::string line = std::to_string(line_of(token)), &file = text_of(token).name;
  return file.empty() ? "line " + line : file.substr(file.rfind('/') + 1) + ":" + line;
}

void FoundSource::read_macros() {
  const std::vector<MacroDefinition> definitions = macro_definitions(tokens);
  auto next = definitions.begin();
  std::string_view asked;                          // of the #ifdef above, on the line before
  std::map<std::string, std::string_view> set_by;  // "#ifdef A", "#define B A": -DA says what B is
  for (const Token& token : tokens) {
    if (token.kind != Token::Kind::kDirective) continue;
    const std::string_view before = std::exchange(
        asked, directive_name(token) == "ifdef" ? directive_rest(token) : std::string_view());
    if (directive_name(token) != "define") continue;
    const MacroDefinition& macro = *next++;
    const std::string name(macro.name);
    const std::string_view text = macro.text;
    if (macro.takes_arguments || text.empty()) continue;
    if (!holds(token) && own_names_.contains(name)) continue;
    if (!before.empty() && text == before) set_by[name] = text;
    if (token.other_branch) continue;
    const auto outer = set_by.find(name);
    if (outer == set_by.end() || !whole_number(text)) {
      read_macro(name, text, macro.is_guarded, place_of(token));
    } else {
      read_macro(std::string(outer->second), text, true, place_of(token));
      computed.try_emplace(name, tokens_of(outer->second));
    }
  }
}

void FoundSource::read_macro(const std::string& name, std::string_view text, bool is_guarded,
                             const std::string& place) {
  if (numbers.contains(name) || aliases.contains(name) || computed.contains(name)) return;
  if (const auto value = whole_number(text)) {
    macro_indices_.emplace(name, macros.size());
    macros.push_back({name, *value, is_guarded, place});
    numbers[name] = *value;
  } else if (element_type(std::string(text))) {
    if (!element_type(name)) aliases[name] = text;  // "#define bool char" was for another compiler
  } else {
    computed[name] = tokens_of(text);
  }
}

// Lists the names that a declaration gives to types and constants. Functions are left out: they may
// have several declarations.
std::set<std::string> FoundSource::names_declared_by(const Declaration& one) {
  if (one.kind == Declaration::Kind::kType && !one.body.empty()) {
    const std::vector<std::string> names = names_of_struct(one);
    return {names.begin(), names.end()};
  }
  const Tokens all = one.all;
  if (one.kind != Declaration::Kind::kOther || all.size() < 3) return {};
  if (all[0].is("typedef")) return {std::string(all[all.size() - 2].text)};
  if (all[0].is("using") && all[2].is("=")) return {std::string(all[1].text)};
  const std::size_t at = index_of(all, "=");
  const bool is_constant = mentions(all, "constexpr") || mentions(all, "const");
  if (!is_constant || at == all.size() || at == 0) return {};
  return {std::string(all[at - 1].text)};
}

void FoundSource::read_declaration(const Declaration& one) {
  if (one.kind == Declaration::Kind::kFunction) add_function(one, callables);
  if (one.kind == Declaration::Kind::kType) read_record(one);
  if (one.kind == Declaration::Kind::kPrototype && is_value(one)) {
    return read_constant(one.name, one.parameters);
  }
  if (one.kind != Declaration::Kind::kOther || one.all.size() < 3) return;
  const Tokens all = one.all;
  const auto name_type = [&](const Token& name, Tokens type) {
    types.emplace(name.text);
    aliases.try_emplace(std::string(name.text), without_std(joined(type)));
    callables.try_emplace(std::string(name.text),
                          CallableText{{}, {type.begin(), type.end()}, false, true});
  };
  if (all[0].is("typedef")) {
    name_type(all[all.size() - 2], all.subspan(1, all.size() - 3));
  } else if (all[0].is("using") && all[2].is("=")) {
    name_type(all[1], all.subspan(3, all.size() - 4));
  } else if (mentions(all, "constexpr") || mentions(all, "const")) {
    const std::size_t at = index_of(all, "=");
    if (at == all.size() || at == 0) return;
    read_constant(std::string(all[at - 1].text), all.subspan(at + 1, all.size() - at - 2));
  }
}

void FoundSource::read_constant(const std::string& name, Tokens text) {
  if (const auto value = whole_number(joined(text))) {
    numbers.try_emplace(name, *value);
  } else {
    computed.try_emplace(name, text.begin(), text.end());
  }
}

// Whether "constexpr int ITEMS(4);", which is written like a function's declaration, is none.
bool FoundSource::is_value(const Declaration& one) {
  if (!mentions(one.head, "constexpr") && !mentions(one.head, "const")) return false;
  const Tokens all = one.parameters;
  for (std::size_t at = 0; at < all.size(); ++at) {
    const bool is_parameter = at + 1 < all.size() && all[at].is_word() && all[at + 1].is_word();
    if (is_parameter || is_one_of("& , ...", all[at].text)) return false;
    if (element_type(std::string(all[at].text))) return false;
  }
  return !all.empty();
}

void FoundSource::read_record(const Declaration& one) {
  if (one.body.empty()) return;
  const auto open = static_cast<std::size_t>(one.body.data() - one.all.data());
  if (mentions(one.all.first(open), "enum")) return read_enumeration(one, open);
  for (const std::string& name : names_of_struct(one)) {
    types.insert(name);
    add_members(one, name, callables);
  }
  const bool has_a_base = mentions(one.head, ":") || mentions(one.all, "union");
  if (has_a_base || mentions(one.all.first(open), ":")) return;
  if (mentions(one.all.first(open), "template")) {
    for (const std::string& name : names_of_struct(one)) class_templates.try_emplace(name, one);
    return;
  }
  const auto record = record_of(one.body, {aliases, numbers, computed, records});
  for (const std::string& name : names_of_struct(one)) {
    if (record && record->empty()) empty_records.insert(name);
    if (record && !record->empty()) records.try_emplace(name, *record);
  }
}

// An enumeration's values are known by its name, too: "Pool::MAX".
void FoundSource::read_enumeration(const Declaration& one, std::size_t open) {
  const Tokens head = one.all.first(open - 1), base = part_behind(head, ":");
  const bool is_scoped = mentions(head, "class") || mentions(head, "struct");
  std::vector<std::string> names = names_of_struct(one);
  if (!base.empty()) names = {std::string(part_before(head, ":").back().text)};
  for (const std::string& name : names) {
    enumerations.insert(name);
    aliases.try_emplace(name, base.empty() ? "int" : joined(base));
  }
  for (const Enumerator& value : enumerators_of(one.body, {aliases, numbers, computed, records})) {
    if (!is_scoped) numbers.try_emplace(value.name, value.value);
    for (const std::string& name : names)
      numbers.try_emplace(name + "::" + value.name, value.value);
  }
}

// "typedef struct Tag {...} Name;": both.
std::vector<std::string> FoundSource::names_of_struct(const Declaration& one) {
  std::vector<std::string> out;
  const auto open = static_cast<std::size_t>(one.body.data() - one.all.data());
  if (open > 1 && one.all[open - 2].is_word() &&
      !is_one_of("struct class enum", one.all[open - 2].text)) {
    out.emplace_back(one.all[open - 2].text);
  }
  const Token& last = one.all[one.all.size() - 2];
  if (one.all.front().is("typedef") && last.is_word()) out.emplace_back(last.text);
  return out;
}

}  // namespace tuner
