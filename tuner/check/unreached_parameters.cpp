// Finds parameters whose values the sources replace by what they define themselves.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "tuner/base/error.h"
#include "tuner/check/checked_study.h"
#include "tuner/resolve/resolve.h"
#include "tuner/resolve/study_sources.h"
#include "tuner/source/own_names.h"
#include "tuner/source/signature.h"
#include "tuner/source/source_bundle.h"

namespace tuner {
namespace {

struct SourceFile {
  std::string path;
  std::string text;
  std::vector<Token> tokens{};
};

bool asks(const Token& directive, std::string_view name) {
  return std::ranges::any_of(tokens_of(directive_rest(directive)),
                             [&](const Token& token) { return token.is_word() && token.is(name); });
}

bool has_word(std::string_view text, std::string_view name) {
  const auto is_of_word = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    if (!is_of_word(at + name.size()) && (at == 0 || !is_of_word(at - 1))) return true;
  }
  return false;
}

class Search {
 public:
  explicit Search(const Study& study) : study_(study) {
    const std::filesystem::path& source = study.kernel.source;
    const std::string text = device_text(study, source);
    bundle_ = SourceBundle::read(text, source.string(), include_dirs_for(study, source));
    for (const BundledFile& file : bundle_.files()) {
      files_.push_back({file.path.empty() ? source.string() : file.path, file.text});
    }
    for (SourceFile& file : files_) file.tokens = tokens_of(file.text);
    if (!study.kernel.runs_on_host()) launched_ = read_sources(study).kernel;
    std::vector<SourceText> sources;
    for (const SourceFile& file : files_) sources.push_back({file.path, file.text});
    signatures_ = SignatureReader(std::move(sources)).of(study.kernel.entry, {});
    for (const Parameter& one : study.parameters) given_.insert(study.kernel.macro_of(one.name));
    for (const std::string& option : study.kernel.options) {
      if (option.starts_with("-D")) given_.insert(option.substr(2, option.find('=') - 2));
    }
  }

  // Returns a warning about the parameter; empty if its values reach the kernel.
  std::string about(const Parameter& parameter) const {
    const auto& replaced = study_.kernel.replaced;
    if (std::ranges::find(replaced, parameter.name) != replaced.end())
      return about_replaced(parameter.name);
    const std::string macro = study_.kernel.macro_of(parameter.name);
    if (const std::string place = definition_of(macro, false); !place.empty()) {
      return fmt::format(
          "{} defines {} itself: the values of the parameter do not reach the kernel (put #ifndef "
          "{} around it)",
          place, macro, macro);
    }
    if (is_of_the_language(macro)) {
      return fmt::format(
          "{} is a word of C++ or CUDA, whose place the macro of the parameter takes: nothing "
          "compiles (another name, or a 'define_prefix')",
          macro);
    }
    const std::string declared = is_text(parameter) ? "" : place_of_declaration(macro, false);
    if (!declared.empty()) {
      return fmt::format(
          "{} declares {} itself: the macro of the parameter takes the name's place, and nothing "
          "compiles (put #ifndef {} around it, or choose another 'define_prefix')",
          declared, macro, macro);
    }
    if (const std::string place = is_text(parameter) ? "" : place_in_signature(macro);
        !place.empty()) {
      return fmt::format(
          "{}: the kernel takes an argument {}, whose place the macro of the parameter takes: "
          "nothing compiles (another name, or a 'define_prefix')",
          place, macro);
    }
    if (is_of_nobody(parameter.name, macro)) {
      return fmt::format(
          "nothing reads {}: it is neither in the launch nor, as {}, in {}, so all of its values "
          "are "
          "one program",
          parameter.name, macro, study_.kernel.source.string());
    }
    if (is_only_of_others(parameter.name, macro)) {
      return fmt::format("{}: no kernel that is launched reads {}, only others do",
                         study_.kernel.source.string(), macro);
    }
    if (macro == parameter.name || bundle_.mentions(macro) || has_placeholders()) return {};
    const std::string place = place_of_any(parameter.name);
    if (place.empty()) return {};
    const bool is_own = place.starts_with(study_.kernel.source.string() + ":");
    return fmt::format(
        "{} defines {} itself: the values of the parameter do not reach the kernel (their macro is "
        "{}{})",
        place, parameter.name, macro,
        is_own ? "; 'replace: [" + parameter.name + "]' puts it there" : "");
  }

 private:
  std::string about_replaced(const std::string& name) const {
    if (bundle_.mentions(study_.kernel.macro_of(name))) return {};
    return fmt::format(
        "{} gives {} no value ('replace' needs #define {} 4 or const int {} = 4 in the file "
        "or in a header that it includes)",
        study_.kernel.source.string(), name, name, name);
  }

  static bool is_of_the_language(std::string_view name) {
    static const std::set<std::string_view> kWords{
        "auto",     "bool",     "break",   "case",    "char",     "class",    "const",  "continue",
        "default",  "do",       "double",  "else",    "enum",     "extern",   "false",  "float",
        "for",      "half",     "if",      "inline",  "int",      "long",     "return", "short",
        "signed",   "sizeof",   "static",  "struct",  "switch",   "template", "true",   "typedef",
        "typename", "unsigned", "using",   "void",    "volatile", "while",    "dim3",   "threadIdx",
        "blockIdx", "blockDim", "gridDim", "warpSize"};
    return kWords.contains(name);
  }

  static bool is_text(const Parameter& parameter) {
    return std::ranges::any_of(parameter.values, [](const Value& value) {
      return std::holds_alternative<std::string>(value);
    });
  }

  static std::string place(const SourceFile& file, const Token& token) {
    return fmt::format("{}:{}", file.path, line_in(file.text, token));
  }

  // Whether the source's kernels that the study does not launch are all that a parameter is for.
  bool is_only_of_others(const std::string& name, const std::string& macro) const {
    const auto in_elsewhere = [&](const SourceFile& file) {
      return file.path != study_.kernel.source.string() && file.text.find(macro) != file.text.npos;
    };
    const bool is_mentioned = !launched_.empty() && bundle_.mentions(macro);
    return is_mentioned && launched_.find(macro) == launched_.npos && is_whole() &&
           std::ranges::none_of(files_, in_elsewhere) && !is_in_text(name);
  }

  // Whether all that may read a parameter is in one study file and one source.
  bool is_whole() const {
    return !study_.text.empty() && study_.kernel.units.empty() && !study_.kernel.runs_on_host();
  }

  // Whether the study's text names a parameter where it may reach a variant: not among the
  // parameters, their constraints, and what is said of results.
  bool is_in_text(const std::string& name) const {
    static const std::set<std::string_view> kOthers{"parameters", "constraints", "baseline",
                                                    "metrics",    "objective",   "search"};
    bool is_other = false;
    std::istringstream text(study_.text);
    for (std::string line; std::getline(text, line);) {
      const bool is_section =
          !line.empty() && std::isalpha(static_cast<unsigned char>(line[0])) != 0;
      if (is_section) is_other = kOthers.contains(line.substr(0, line.find(':')));
      const bool lists_all = line.find("configuration:") != line.npos;  // of the reference
      if (!is_other && !lists_all && has_word(line, name)) return true;
    }
    return false;
  }

  // Whether a parameter of a study that is one file is nowhere but in the lists of values. Texts
  // have macros that begin with theirs, "TUNE_FORM_IS_tiled".
  bool is_of_nobody(const std::string& name, const std::string& macro) const {
    const auto begins_with_it = [&](const SourceFile& file) {
      return file.text.find(macro) != file.text.npos;
    };
    return is_whole() && !bundle_.mentions(macro) && std::ranges::none_of(files_, begins_with_it) &&
           !is_in_text(name) && has_word(study_.text, name) && place_of_any(name).empty();
  }

  std::string place_of_any(const std::string& name) const {
    const std::string defined = definition_of(name, true);
    return defined.empty() ? place_of_declaration(name, true) : defined;
  }

  // With names that may be put into these, values have another way to the kernel.
  bool has_placeholders() const {
    const auto has = [](const std::string& text) { return text.find('{') != text.npos; };
    return has(study_.kernel.entry) || std::ranges::any_of(study_.kernel.options, has);
  }

  bool is_used(std::string_view name) const {
    return std::ranges::any_of(files_, [&](const SourceFile& file) {
      return std::ranges::any_of(file.tokens, [&](const Token& token) {
        if (token.kind != Token::Kind::kDirective) return token.is_word() && token.is(name);
        const std::string_view rest = directive_rest(token);
        return !rest.starts_with(name) && asks(token, name);
      });
    });
  }

  // Finds where the sources define a macro that they use. With `any`, also a definition that gives
  // way to the compiler's.
  std::string definition_of(std::string_view name, bool any) const {
    for (const SourceFile& file : files_) {
      if (file.text.find(name) == file.text.npos) continue;
      for (const MacroDefinition& one : macro_definitions(file.tokens, given_)) {
        const bool holds = (any || !one.is_guarded) && !one.directive->other_branch;
        if (one.name == name && holds && is_used(name)) return place(file, *one.directive);
      }
    }
    return {};
  }

  // "= 16": the value of "= blockDim.x" may come from a launch.
  static bool is_number_behind(const SourceFile& file, const Token& name) {
    const auto at = static_cast<std::size_t>(&name - file.tokens.data()) + 2;
    return at < file.tokens.size() && file.tokens[at].kind == Token::Kind::kNumber;
  }

  // With `fixed`, only where it gets a number.
  std::string place_of_declaration(std::string_view name, bool fixed) const {
    for (const SourceFile& file : files_) {
      if (file.text.find(name) == file.text.npos) continue;
      const Token* found = declaration_of(file.tokens, name);
      if (found != nullptr && (!fixed || is_number_behind(file, *found)))
        return place(file, *found);
    }
    return {};
  }

  // Finds the kernel's own declaration, if an argument of it has that name.
  std::string place_in_signature(std::string_view name) const {
    for (const Signature& one : signatures_) {
      if (std::ranges::count(one.parameters, name, &SignatureParameter::name) > 0)
        return fmt::format("{}:{}", one.file, one.line);
    }
    return {};
  }

  const Study& study_;
  std::string launched_;  // the source without kernels that no variant launches
  std::vector<SourceFile> files_;
  SourceBundle bundle_;
  std::vector<Signature> signatures_;  // that the entry may mean
  std::set<std::string, std::less<>> given_;
};

}  // namespace

std::vector<std::string> unreached_parameters(const Study& study) {
  std::vector<std::string> out;
  if (!study.kernel.text.empty()) return out;  // no macros are defined
  try {
    const Search search(study);
    for (const Parameter& parameter : study.parameters) {
      if (std::string said = search.about(parameter); !said.empty()) out.push_back(std::move(said));
    }
  } catch (const FatalError&) {
    return {};  // whoever needs the source will say so
  }
  return out;
}

}  // namespace tuner
