// Finds a kernel's declarations and what the words of its parameters mean.

#include "tuner/source/signature.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <utility>

#include "tuner/source/own_names.h"
#include "tuner/source/parameters.h"

namespace tuner {
namespace {

// "n::k" of "::n::k<float>".
std::string_view plain_name(std::string_view entry) {
  entry = entry.substr(0, entry.find_first_of("< "));
  return entry.starts_with("::") ? entry.substr(2) : entry;
}

std::string spelled(const std::string& text, Tokens parameter) {
  parameter = part_before(parameter, "=");
  if (parameter.empty()) return {};
  const std::size_t from = parameter.front().at;
  std::string out;
  for (const char c :
       text.substr(from, parameter.back().at + parameter.back().text.size() - from)) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank || (!out.empty() && out.back() != ' ')) out += blank ? ' ' : c;
  }
  return out;
}

// A parameter without the word of OpenCL C that says where its memory is.
Tokens without_address_space(Tokens parameter) {
  const bool has_one =
      parameter.size() > 2 && is_one_of("global local constant private", parameter.front().text);
  return has_one ? parameter.subspan(1) : parameter;
}

// Lists the parameters that a study has arguments for. Memory of a group (OpenCL) is none of them:
// it has the size that a launch sets.
std::vector<Tokens> parameters_in(Tokens list) {
  if (list.size() == 1 && list.front().is("void")) return {};
  std::vector<Tokens> out;
  for (const Tokens piece : pieces_between_commas(list)) {
    const bool is_local = mentions(piece, "*") && (mentions(piece, "__local") ||
                                                   (!piece.empty() && piece.front().is("local")));
    if (!is_local) out.push_back(without_address_space(piece));
  }
  return out;
}

// Arguments of "k<float, 4>".
std::vector<std::string> template_arguments(std::string_view entry) {
  const std::size_t open = entry.find('<'), close = entry.rfind('>');
  std::vector<std::string> out;
  if (open == entry.npos || close == entry.npos || close < open) return out;
  const std::vector<Token> inner = tokens_of(entry.substr(open + 1, close - open - 1));
  for (const Tokens piece : pieces_between_commas(inner)) out.push_back(joined(piece));
  return out;
}

bool has_directive_in(const std::vector<Token>& tokens, Tokens part) {
  return !part.empty() && std::ranges::any_of(tokens, [&](const Token& token) {
    return token.kind == Token::Kind::kDirective && token.at > part.front().at &&
           token.at < part.back().at;
  });
}

}  // namespace

// ---- what the files say -------------------------------------------------------------------------

SignatureReader::SignatureReader(std::vector<SourceText> files) {
  for (SourceText& one : files) {
    File& file = files_.emplace_back(File{std::move(one), {}, {}, {}});
    file.tokens = tokens_of(file.source.text);
    file.code = code_of(file.tokens);
    file.declarations = declarations_of(file.code);
    read_macros(file);
    read_types(file);
  }
}

void SignatureReader::read_macros(const File& file) {
  for (const MacroDefinition& macro : macro_definitions(file.tokens)) {
    const std::string name(macro.name);
    if (macro.takes_arguments) {
      callable_.insert(name);
      continue;
    }
    if (!macro.is_guarded) unguarded_.insert(name);
    macros_[name].push_back(macro.tokens());
  }
}

// Reads all branches: which of them is compiled is not known here.
void SignatureReader::read_types(const File& file) {
  const std::vector<Token> code = code_of(file.tokens, Branches::kAll);
  const Tokens all(code);
  for (std::size_t at = 0; at + 3 < all.size(); ++at) {
    const bool aliases = all[at].is("using") && all[at + 2].is("=");
    if (all[at].is("struct") || all[at].is("class") || all[at].is("union")) read_struct(all, at);
    if (!all[at].is("typedef") && !aliases) continue;
    std::size_t end = at;
    while (end < all.size() && !all[end].is(";")) {
      end = all[end].is("{") ? behind_closing(all, end) : end + 1;
    }
    if (end >= all.size()) return;
    if (!aliases) {
      read_typedef(all.subspan(at + 1, end - at - 1));
    } else if (at == 0 || !all[at - 1].is(">")) {
      const Tokens meaning = all.subspan(at + 3, end - at - 3);
      types_[std::string(all[at + 1].text)].emplace_back(meaning.begin(), meaning.end());
    }
  }
}

void SignatureReader::read_typedef(Tokens declared) {
  const bool is_plain = declared.size() > 1 && declared.back().is_word() &&
                        !mentions(declared, "(") && !mentions(declared, "[");
  const std::size_t open = index_of(declared, "{");
  if (open < declared.size() && declared.back().is_word() && !declared.front().is("enum")) {
    structs_[std::string(declared.back().text)] =
        struct_bytes(inside(declared, open), declared.front().is("union"));
  } else if (is_plain && open == declared.size()) {
    const Tokens meaning = declared.first(declared.size() - 1);
    if (meaning.size() == 2 && meaning.back().is(declared.back().text)) return;  // struct S S
    types_[std::string(declared.back().text)].emplace_back(meaning.begin(), meaning.end());
  }
}

// "struct __align__(16) S : B {", at its first word.
void SignatureReader::read_struct(Tokens tokens, std::size_t keyword) {
  if (keyword > 0 && tokens[keyword - 1].is("enum")) return;
  std::size_t at = keyword + 1;
  while (at + 1 < tokens.size() && tokens[at].is_word() && tokens[at + 1].is("(")) {
    at = behind_closing(tokens, at + 1);
  }
  if (at >= tokens.size() || !tokens[at].is_word()) return;
  const std::string name(tokens[at].text);
  while (at < tokens.size() && (tokens[at].is_word() || tokens[at].is(":"))) ++at;
  if (at >= tokens.size() || !tokens[at].is("{")) return;
  const std::size_t bytes = struct_bytes(inside(tokens, at), tokens[keyword].is("union"));
  const auto [known, is_new] = structs_.emplace(name, bytes);
  known->second = std::min(known->second, bytes);
}

// ---- kernels ------------------------------------------------------------------------------------

bool SignatureReader::is_kernel(const Declaration& one) const {
  const bool is_function =
      one.kind == Declaration::Kind::kFunction || one.kind == Declaration::Kind::kPrototype;
  return is_function && std::ranges::any_of(one.head, [&](const Token& token) {
           if (is_one_of("__global__ __kernel kernel", token.text)) return true;
           const auto macro = token.is_word() ? macros_.find(token.text) : macros_.end();
           return macro != macros_.end() &&
                  std::ranges::any_of(macro->second, [](const std::vector<Token>& text) {
                    return mentions(text, "__global__");
                  });
         });
}

// Whether a kernel may be another than it seems: a macro, or one in a branch that is not looked at.
bool SignatureReader::is_hidden(std::string_view name) const {
  return macros_.contains(name) || callable_.contains(name) ||
         std::ranges::any_of(files_, [name](const File& file) {
           return std::ranges::any_of(file.tokens, [name](const Token& token) {
             return token.other_branch && token.is(name);
           });
         });
}

std::vector<Signature> SignatureReader::of(std::string_view entry,
                                           const DefinedNames& defined) const {
  const std::string_view name = plain_name(entry);
  if (is_hidden(last_name(name)) || defined.contains(last_name(name))) return {};
  std::vector<std::pair<const File*, const Declaration*>> found;
  for (const File& file : files_) {
    for (const Declaration& one : file.declarations) {
      if (last_name(one.name) == last_name(name) && is_kernel(one)) found.emplace_back(&file, &one);
    }
  }
  const auto keep = [&found](const auto& these) {
    if (std::ranges::any_of(found, these)) std::erase_if(found, std::not_fn(these));
  };
  keep([name](const auto& one) { return one.second->name == name; });
  keep([](const auto& one) { return one.second->kind == Declaration::Kind::kFunction; });
  const std::vector<std::string> given = template_arguments(entry);
  std::vector<Signature> out;
  for (const auto& [file, one] : found) {
    auto signature = signature_of(*file, *one, given, defined);
    if (!signature) return {};
    out.push_back(std::move(*signature));
  }
  return out;
}

std::optional<Meanings> SignatureReader::meanings_for(const Declaration& kernel,
                                                      const std::vector<std::string>& given,
                                                      const DefinedNames& defined) const {
  Meanings meanings = types_;
  for (const auto& [name, texts] : macros_) meanings[name] = texts;
  for (const auto& [name, text] : defined) {
    auto& texts = meanings[name];
    if (!unguarded_.contains(name)) texts.clear();
    texts.push_back(tokens_of(text));
  }
  const std::vector<TemplateParameter> templates = template_parameters(kernel.head);
  for (std::size_t i = 0; i < templates.size(); ++i) {
    const TemplateParameter& one = templates[i];
    if (one.kind.find('.') != std::string::npos) return std::nullopt;  // a pack
    meanings.erase(one.name);
    if (!one.is_type()) continue;
    if (i < given.size()) {
      meanings[one.name] = {tokens_of(given[i])};
    } else if (!one.default_value.empty()) {
      meanings[one.name].emplace_back(one.default_value.begin(), one.default_value.end());
    }
  }
  return meanings;
}

std::optional<Signature> SignatureReader::signature_of(const File& file, const Declaration& kernel,
                                                       const std::vector<std::string>& given,
                                                       const DefinedNames& defined) const {
  const auto meanings = meanings_for(kernel, given, defined);
  const bool calls = std::ranges::any_of(kernel.parameters, [&](const Token& token) {
    return token.is_word() && callable_.contains(token.text);
  });
  if (!meanings || calls || has_directive_in(file.tokens, kernel.parameters)) return std::nullopt;
  const auto readings = readings_of(kernel.parameters, *meanings);
  if (!readings) return std::nullopt;
  const std::string& text = file.source.text;
  Signature out{file.source.name, line_in(text, kernel.all.front()), {}};
  const std::vector<Tokens> written = parameters_in(kernel.parameters);
  out.parameters.resize(parameters_in(readings->front()).size());
  for (const auto& reading : *readings) {
    const std::vector<Tokens> pieces = parameters_in(reading);
    if (pieces.size() != out.parameters.size()) return std::nullopt;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const ParameterType type = type_of(pieces[i]);
      const bool may_be_macro = pieces[i].size() == 1 && type.kind == ParameterType::Kind::kUnknown;
      if (may_be_macro || mentions(pieces[i], ".")) return std::nullopt;
      SignatureParameter& one = out.parameters[i];
      one.text = written.size() == pieces.size() ? spelled(text, written[i]) : joined(pieces[i]);
      one.name = parameter_of(pieces[i]).name;
      one.types.push_back(type);
    }
  }
  return out;
}

ParameterType SignatureReader::type_of(Tokens parameter) const {
  constexpr std::string_view kHandles =
      "cudaTextureObject_t CUtexObject cudaSurfaceObject_t CUsurfObject";
  using Kind = ParameterType::Kind;
  const KernelParameter one = parameter_of(parameter);
  ParameterType out{Kind::kUnknown, one.c_type, {}, one.pointers, 0};
  if (!one.is_plain) return out;
  if (const auto element = element_type(one.c_type)) {
    out.element = *element;
    const bool is_byte = bytes_of(*element) == 1 && one.is_pointer() && one.c_type != "bool";
    out.kind = is_byte ? Kind::kBytes : Kind::kNumbers;
  } else if (one.c_type == "void" && one.is_pointer()) {
    out.kind = Kind::kBytes;
  } else if (is_one_of(kHandles, one.c_type)) {
    out.kind = Kind::kHandle;
  } else if (const auto known = structs_.find(one.c_type); known != structs_.end()) {
    out.kind = Kind::kStruct;
    out.bytes = known->second;
  }
  return out;
}

std::string SignatureReader::texture_reference() const {
  for (const File& file : files_) {
    for (std::size_t i = 0; i + 1 < file.code.size(); ++i) {
      const bool is_template = file.code[i].is("texture") && file.code[i + 1].is("<");
      const bool is_member = i > 0 && (file.code[i - 1].is(".") || file.code[i - 1].is("::"));
      if (!is_template || is_member) continue;
      return std::filesystem::path(file.source.name).filename().string() + ":" +
             std::to_string(line_in(file.source.text, file.code[i]));
    }
  }
  return "";
}

bool SignatureReader::reinterprets_as(const std::string& element) const {
  const auto looks_through = [&](const File& file) {
    for (std::size_t i = 0; i < file.tokens.size(); ++i) {
      const Token& token = file.tokens[i];
      if (token.kind == Token::Kind::kDirective || token.is("bit_cast") || token.is("memcpy")) {
        if (token.kind != Token::Kind::kDirective) return true;
        continue;
      }
      if (token.is_word() && token.text.starts_with("__") &&
          token.text.find("_as_") != token.text.npos) {
        return true;
      }
      const bool casts = i + 2 < file.tokens.size() && token.is_word() &&
                         file.tokens[i + 1].is("*") &&
                         (file.tokens[i + 2].is(">") || file.tokens[i + 2].is(")"));
      if (!casts) continue;
      const auto type = element_type(std::string(token.text));
      if (token.is("void") || token.is("char")) continue;
      if (!type || type->name == element) return true;
    }
    return false;
  };
  return std::ranges::any_of(files_, looks_through);
}

}  // namespace tuner
