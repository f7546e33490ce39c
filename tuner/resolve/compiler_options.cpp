// Takes texts of options apart, and compares each option with the tables.

#include "tuner/resolve/compiler_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "tuner/base/expected.h"
#include "tuner/base/text.h"
#include "tuner/plugin/abi.h"
#include "tuner/resolve/argument_plans.h"
#include "tuner/resolve/option_table.h"

namespace tuner {
namespace {

constexpr const char* kAllowedOptions =
    "allowed are definitions, include folders and nvcc's options for code and warnings: see "
    "'Compiler options' in docs/study-kernel.md";

bool is_passed_on(OptionTakes takes) {
  return takes == OptionTakes::kPtxas || takes == OptionTakes::kFrontEnd ||
         takes == OptionTakes::kOptimizer || takes == OptionTakes::kHost;
}

bool may_be_empty(OptionTakes takes) {
  return takes == OptionTakes::kMaybeWord || takes == OptionTakes::kWarning;
}

bool has_only(std::string_view text, std::string_view signs) {
  return std::ranges::all_of(
      text, [&](char c) { return is_word_part(c) || signs.find(c) != std::string_view::npos; });
}

// Describes what the value has to be; nothing where it is that.
std::optional<std::string> misfit(OptionTakes takes, std::string_view value) {
  if (value.empty()) return may_be_empty(takes) ? std::nullopt : std::optional("not missing");
  switch (takes) {
    case OptionTakes::kWord:
    case OptionTakes::kMaybeWord:
      if (!has_only(value, ".,=+:-")) return "a word of letters, digits and '_.,=+:-'";
      return std::nullopt;
    case OptionTakes::kList:
      if (!has_only(value, ".,=+:[]-\"'")) return "a word";
      return std::nullopt;
    case OptionTakes::kWarning:
      if (!has_only(value, "=+-")) return "a warning's name";
      return std::nullopt;
    case OptionTakes::kNumber:
      if (value.find_first_not_of("0123456789.,") != std::string_view::npos) return "a number";
      return std::nullopt;
    case OptionTakes::kSwitch:
      if (value != "true" && value != "false") return "true or false";
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// All white space is a blank: a compiler's command line has no lines.
std::string in_one_line(std::string text) {
  for (char& c : text) {
    if (c == '\t' || (c >= '\n' && c <= '\r')) c = ' ';
  }
  return std::string(trimmed(text));
}

bool has_control_character(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7F'; });
}

// Reads texts from left to right. A fault ends it.
class OptionReader {
 public:
  OptionReader(const std::vector<std::string>& texts, bool resolved) : resolved_(resolved) {
    for (const std::string& text : texts) texts_.push_back(in_one_line(text));
  }

  CompilerOptions read() && {
    for (; text_ < texts_.size() && !fault_; ++text_) {
      if (has_control_character(texts_[text_])) {
        begin_ = text_;
        complain("a compiler option holds a control character", "");
        break;
      }
      std::string_view rest = texts_[text_];
      while (!rest.empty() && !fault_) rest = trimmed(take(rest));
    }
    if (fault_) return Unexpected{std::move(*fault_)};
    return std::move(words_);
  }

 private:
  void complain(std::string message, std::string allowed) {
    fault_ = OptionFault{begin_, std::move(message), std::move(allowed)};
  }

  void complain_of(std::string_view word) {
    complain(fmt::format("'{}' is no compiler option that a study may name", word),
             kAllowedOptions);
  }

  bool is_open(std::string_view text) const {
    return !resolved_ && text.find('{') != std::string_view::npos;
  }

  // Takes the option that `rest` begins with; returns what follows it.
  std::string_view take(std::string_view rest) {
    begin_ = text_;
    const FoundOption found = find_option(kStudyOptions, rest);
    if (found.row == nullptr) return take_unknown(rest);
    const OptionTakes takes = found.row->takes;
    const std::string name(rest.substr(0, found.length));
    rest.remove_prefix(found.length);
    if (takes == OptionTakes::kNothing) {
      if (rest.starts_with('=')) complain(fmt::format("the option '{}' has no value", name), "");
      words_.push_back(name);
      return rest;
    }
    const bool is_joined = !rest.empty() && rest.front() != ' ';
    const bool has_sign = rest.starts_with('=');
    if (has_sign) rest.remove_prefix(1);
    const auto [value, behind] = is_joined ? value_in(rest, takes) : next_value(rest, takes);
    if (is_passed_on(takes)) {
      pass_on(name, value, takes);
      return behind;
    }
    judge(name, value, takes);
    const bool needs_sign = has_sign || (!found.joins && !value.empty());
    words_.push_back(name + (needs_sign ? "=" : "") + std::string(value));
    return behind;
  }

  std::string_view take_unknown(std::string_view rest) {
    const std::string_view word = rest.substr(0, std::min(rest.find(" -"), rest.size()));
    if (is_open(word)) {
      words_.emplace_back(word);
    } else {
      complain_of(word);
    }
    return rest.substr(word.size());
  }

  using ValueAndRest = std::pair<std::string_view, std::string_view>;

  ValueAndRest value_in(std::string_view rest, OptionTakes takes) const {
    std::size_t end = 0;
    if (takes == OptionTakes::kText) {
      end = end_of_text(rest);
    } else if (!rest.empty() && (rest.front() == '"' || rest.front() == '\'')) {
      const std::size_t quote = std::min(rest.find(rest.front(), 1), rest.size() - 1);
      return {rest.substr(1, quote - 1), rest.substr(quote + 1)};
    } else {
      end = std::min(rest.find(' '), rest.size());
    }
    return {trimmed(rest.substr(0, end)), rest.substr(end)};
  }

  // Takes a value behind a blank, or from the text that follows.
  ValueAndRest next_value(std::string_view rest, OptionTakes takes) {
    rest = trimmed(rest);
    const bool may_lack = may_be_empty(takes);
    if (!rest.empty()) {
      if (takes == OptionTakes::kWarning || (may_lack && rest.front() == '-')) return {{}, rest};
      return value_in(rest, takes);
    }
    if (takes == OptionTakes::kWarning || text_ + 1 >= texts_.size()) return {};
    const std::string_view next = texts_[text_ + 1];
    if (may_lack && next.starts_with('-')) return {};
    ++text_;
    return {next, {}};
  }

  // A definition or a folder may hold blanks: it ends before what is an option without doubt.
  static std::size_t end_of_text(std::string_view text) {
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (quote != 0 || text[i] == '"' || text[i] == '\'') {
        if (quote == 0) {
          quote = text[i];
        } else if (text[i] == quote) {
          quote = 0;
        }
        continue;
      }
      if (text[i] != ' ' || i + 1 == text.size() || text[i + 1] != '-') continue;
      const std::string_view rest = text.substr(i + 1);
      const FoundOption next = find_option(kStudyOptions, rest);
      if (next.length > 2 || (next.length == 2 && next.row->takes == OptionTakes::kText &&
                              rest.size() > 2 && rest[2] != ' ')) {
        return i;
      }
    }
    return text.size();
  }

  void judge(const std::string& name, std::string_view value, OptionTakes takes) {
    if (is_open(value)) return;
    if (value.empty() && !may_be_empty(takes)) {
      complain(fmt::format("the option '{}' needs a value", name), "");
    } else if (const auto needed = misfit(takes, value); needed && takes == OptionTakes::kWarning) {
      complain_of(name + std::string(value));  // not a warning: -Wl, -Wa and -Wp pass options on
    } else if (needed) {
      complain(fmt::format("the value of '{}' is '{}'", name, value), "it must be " + *needed);
    }
  }

  // Options for a program behind the compiler: each becomes a word of its own.
  void pass_on(const std::string& name, std::string_view value, OptionTakes to) {
    if (value.empty()) return judge(name, value, to);
    if (is_open(value)) return words_.push_back(name + "=" + std::string(value));
    for (const std::string& piece : pieces_of(value)) {
      const FoundOption found = find_option(passed_on_options(to), piece);
      if (found.row == nullptr || is_passed_on(found.row->takes)) {
        return complain(
            fmt::format("'{}' is no option that a study may pass on with '{}'", piece, name),
            kAllowedOptions);
      }
      std::string_view own = std::string_view(piece).substr(found.length);
      if (own.starts_with('=')) own.remove_prefix(1);
      if (found.row->takes == OptionTakes::kNothing && !own.empty()) {
        return complain(fmt::format("the option '{}' has no value", piece), "");
      }
      if (found.row->takes != OptionTakes::kNothing) judge(piece, own, found.row->takes);
      words_.push_back(name + "=" + piece);
    }
  }

  // "-O,3 -v" is "-O=3" and "-v".
  static std::vector<std::string> pieces_of(std::string_view value) {
    std::vector<std::string> pieces;
    while (!value.empty()) {
      const std::size_t end = std::min(value.find_first_of(", "), value.size());
      const std::string_view piece = value.substr(0, end);
      if (piece.starts_with('-') || pieces.empty()) {
        pieces.emplace_back(piece);
      } else if (!piece.empty()) {
        std::string& last = pieces.back();
        last += (last.find('=') == std::string::npos ? "=" : ",") + std::string(piece);
      }
      value.remove_prefix(std::min(end + 1, value.size()));
    }
    return pieces;
  }

  bool resolved_;
  std::vector<std::string> texts_;
  std::size_t text_ = 0;
  std::size_t begin_ = 0;  // the text in which the option stands that is read
  std::vector<std::string> words_;
  std::optional<OptionFault> fault_;
};

bool means_something(const std::string& word, std::uint32_t dialect, bool is_launcher) {
  const FoundOption found = find_option(kStudyOptions, word);
  if (found.row == nullptr || dialect == TUNER_OPTIONS_OWN) return true;
  switch (found.row->means_to) {
    case MeansTo::kAll:
      return true;
    case MeansTo::kCuda:
      return dialect != TUNER_OPTIONS_OPENCL;
    case MeansTo::kDevice:
      return dialect == TUNER_OPTIONS_NVRTC || dialect == TUNER_OPTIONS_NVCC;
    case MeansTo::kNvrtc:
      return dialect == TUNER_OPTIONS_NVRTC;
    case MeansTo::kNvcc:
      return dialect == TUNER_OPTIONS_NVCC;
    case MeansTo::kHostCompiler:
      return dialect == TUNER_OPTIONS_HOST;
    case MeansTo::kHostCode:
      return dialect == TUNER_OPTIONS_HOST || (is_launcher && dialect == TUNER_OPTIONS_NVCC);
    case MeansTo::kLauncher:
      return is_launcher;
    case MeansTo::kOpenCl:
      return dialect == TUNER_OPTIONS_OPENCL;
    case MeansTo::kNobody:
      return false;
  }
  return true;
}

// Lists the options by which a program learns of the files that hold the study's arguments:
// "argument=2:y.npy:float32:64x64:out", position, file, type, shape and role
// (tuner/plugins/program).
Expected<std::vector<std::string>, std::string> file_options(const Study& study,
                                                             const Bindings& names) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  std::vector<std::string> options;
  for (std::size_t i = 0; i < study.arguments.size(); ++i) {
    const ArgumentSpec& argument = study.arguments[i];
    std::vector<std::uint64_t> shape;
    for (const Expression& extent : argument.shape) {
      shape.push_back(
          TUNER_TRY(whole(extent, names, "the shape of '" + argument.name + "'", {1, 1, kMost})));
    }
    if (argument.lanes > 1) shape.push_back(static_cast<std::uint64_t>(argument.lanes));
    const char* role = argument.role == Role::kIn    ? "in"
                       : argument.role == Role::kOut ? "out"
                                                     : "inout";
    options.push_back(fmt::format("argument={}:{}:{}:{}:{}", i, argument.file,
                                  name_of(argument.type), fmt::join(shape, "x"), role));
  }
  return options;
}

}  // namespace

std::string to_text(const OptionFault& fault) {
  return fault.message + (fault.allowed.empty() ? "" : ": ") + fault.allowed;
}

CompilerOptions compiler_options(const std::vector<std::string>& texts) {
  return OptionReader(texts, true).read();
}

Expected<std::vector<std::string>, std::string> resolved_options(const Study& study,
                                                                 const Bindings& names) {
  std::vector<std::string> options;
  for (const std::string& option : study.kernel.options) {
    options.push_back(TUNER_TRY(substitute(option, names)));
  }
  if (study.kernel.subject == Subject::kCommand) {  // whose words are no compiler's
    auto files = TUNER_TRY(file_options(study, names));
    std::ranges::move(files, std::back_inserter(options));
    return options;
  }
  auto words = compiler_options(options);
  if (!words) return Unexpected{to_text(words.error())};
  return std::move(*words);
}

CompilerOptions unresolved_options(const std::vector<std::string>& texts) {
  return OptionReader(texts, false).read();
}

std::vector<std::string> meant_options(std::vector<std::string> words, std::uint32_t dialect,
                                       bool is_launcher) {
  std::erase_if(
      words, [&](const std::string& word) { return !means_something(word, dialect, is_launcher); });
  return words;
}

std::vector<std::string> idle_options(std::vector<std::string> words, std::uint32_t dialect,
                                      bool is_launcher) {
  std::erase_if(
      words, [&](const std::string& word) { return means_something(word, dialect, is_launcher); });
  return words;
}

}  // namespace tuner
