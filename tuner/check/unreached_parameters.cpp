// Finds parameters whose values the sources replace by what they define themselves.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tuner/base/error.h"
#include "tuner/check/checked_study.h"
#include "tuner/resolve/resolve.h"
#include "tuner/resolve/study_sources.h"
#include "tuner/source/own_names.h"
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
    if (!study.kernel.is_launcher) launched_ = read_sources(study).kernel;
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
    const std::string declared = is_text(parameter) ? "" : place_of_declaration(macro, false);
    if (!declared.empty()) {
      return fmt::format(
          "{} declares {} itself: the macro of the parameter takes the name's place, and nothing "
          "compiles (put #ifndef {} around it, or choose another 'define_prefix')",
          declared, macro, macro);
    }
    if (is_only_of_others(parameter.name, macro)) {
      return fmt::format("{}: no kernel that is launched reads {}, only others do",
                         study_.kernel.source.string(), macro);
    }
    if (macro == parameter.name || bundle_.mentions(macro) || has_placeholders()) return {};
    std::string place = definition_of(parameter.name, true);
    if (place.empty()) place = place_of_declaration(parameter.name, true);
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
        "itself)",
        study_.kernel.source.string(), name, name, name);
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
    const auto has = [&](const Expression& one) {
      return !one.empty() && std::ranges::count(one.names(), name) > 0;
    };
    const auto has_launch = [&](const LaunchSpec& one) {
      return std::ranges::any_of(one.grid, has) || std::ranges::any_of(one.block, has) ||
             has(one.dynamic_shared_bytes);
    };
    const auto in_elsewhere = [&](const SourceFile& file) {
      return file.path != study_.kernel.source.string() && file.text.find(macro) != file.text.npos;
    };
    const bool is_mentioned = !launched_.empty() && bundle_.mentions(macro);
    return is_mentioned && launched_.find(macro) == launched_.npos && study_.kernel.units.empty() &&
           !has_placeholders() && !has_launch(study_.launch) &&
           std::ranges::none_of(study_.then, has_launch, &NextLaunchSpec::launch) &&
           std::ranges::none_of(study_.derived, has, &NamedExpression::expression) &&
           std::ranges::none_of(files_, in_elsewhere);
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

  const Study& study_;
  std::string launched_;  // the source without kernels that no variant launches
  std::vector<SourceFile> files_;
  SourceBundle bundle_;
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
