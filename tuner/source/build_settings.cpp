// Reads build files as words.

#include "tuner/source/build_settings.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>

#include "tuner/base/text.h"
#include "tuner/source/text_file.h"
#include "tuner/source/tokens.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using BuildWords = std::vector<std::string>;

constexpr std::uintmax_t kLargestBuildFile = std::uintmax_t{4} << 20;
constexpr std::size_t kMostFolders = 64, kLongestWord = 256, kLongestCall = 1 << 14;

BuildWords build_words(std::string_view text, std::string_view separators) {
  BuildWords out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (end > at) out.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Splits a call's text at blanks; what stands in quotes is one word, with its backslashes.
BuildWords quoted_words(std::string_view text) {
  BuildWords out(1);
  bool is_quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) {
      out.back() += text.substr(at++, 2);
    } else if (text[at] == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && std::string_view(" \t(;").find(text[at]) != std::string_view::npos) {
      out.emplace_back();
    } else {
      out.back() += text[at];
    }
  }
  std::erase(out, "");
  return out;
}

class BuildFileReader {
 public:
  explicit BuildFileReader(fs::path folder) : folder_(std::move(folder)) {
    for (const char* name : {"CMAKE_CURRENT_SOURCE_DIR", "PROJECT_SOURCE_DIR", "CMAKE_SOURCE_DIR",
                             "CMAKE_CURRENT_LIST_DIR", "CURDIR", "PWD"}) {
      variables_[name] = folder_.string();
    }
  }

  // Takes the words of one command line: "-I dir", "-DX=1", "-std=c++17".
  void take_options(const BuildWords& words, bool folders_only = false) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::string_view word = words[i];
      const auto follows = [&](std::string_view option) {
        if (!word.starts_with(option)) return false;
        word.remove_prefix(option.size());
        if (word.empty() && i + 1 < words.size()) word = words[++i];
        return true;
      };
      if (follows("-I") || follows("-isystem") || follows("--include-path=")) {
        add_folder(std::string(word));
      } else if (!folders_only && follows("-D")) {
        define(std::string(word));
      } else if (!folders_only && (follows("--std=") || follows("-std="))) {
        if (out_.standard.empty() && word.starts_with("c++")) out_.standard = word;
      }
    }
  }

  // Takes the lines of a Makefile, or the calls of a CMakeLists.txt.
  void take_build_file(const std::string& text, bool has_calls) {
    int depth = 0;  // of conditions
    for (const std::string& code : lines_of(text, has_calls)) {
      if (is_one_of("ifeq ifneq ifdef ifndef if", code.substr(0, code.find_first_of(" \t("))))
        ++depth;
      if (code.starts_with("endif")) depth = std::max(depth - 1, 0);
      if (depth == 0) note_variable(code);
      take_line(expanded(code), depth > 0);
    }
  }

  BuildSettings settings() && { return std::move(out_); }

 private:
  // Without comments; lines that go on are one.
  static BuildWords lines_of(const std::string& text, bool has_calls) {
    BuildWords out;
    bool goes_on = false;
    for (const std::string& line : build_words(text, "\r\n")) {
      std::string code(trimmed(std::string_view(line).substr(0, line.find('#'))));
      const bool has_end = !code.ends_with('\\');
      if (!has_end) code.back() = ' ';
      if (goes_on) out.back() += " " + code;
      if (!goes_on) out.push_back(code);
      const std::string& all = out.back();
      const bool is_open = has_calls && std::ranges::count(all, '(') > std::ranges::count(all, ')');
      goes_on = !has_end || (is_open && all.size() < kLongestCall);
    }
    return out;
  }

  // "NAME = value", "NAME := value", "set(NAME value)".
  void note_variable(const std::string& line) {
    const BuildWords words = build_words(line, " \t=()\"");
    if (words.size() < 2) return;
    if (words[0] == "set") {
      variables_.try_emplace(words[1], words.size() > 2 ? words[2] : "");
      return;
    }
    const std::size_t sign = line.find('=');
    std::string name = words[0];
    while (!name.empty() && is_one_of(": ? +", std::string(1, name.back()))) name.pop_back();
    if (sign != line.npos && line.find_first_of(" \t:?+=") <= sign && line.find('(') > sign) {
      variables_.try_emplace(name, trimmed(std::string_view(line).substr(sign + 1)));
    }
  }

  // "$(NAME)" and "${NAME}" as far as they are known.
  std::string expanded(std::string text, int depth = 0) const {
    constexpr int kMostSteps = 8;
    for (std::size_t at = 0; depth < kMostSteps && (at = text.find('$', at)) != text.npos; ++at) {
      const char open = at + 1 < text.size() ? text[at + 1] : ' ';
      const std::size_t end = text.find(open == '{' ? '}' : ')', at);
      if ((open != '{' && open != '(') || end == text.npos) continue;
      const auto known = variables_.find(text.substr(at + 2, end - at - 2));
      if (known == variables_.end()) continue;
      const std::string value = expanded(known->second, depth + 1);
      text = text.substr(0, at) + value + text.substr(end + 1);
      at += value.size();
    }
    return text;
  }

  void take_line(const std::string& line, bool is_conditional) {
    const BuildWords words = build_words(line, " \t\"'();,=");
    for (std::string word : words) {  // all words that are a folder
      if (word.starts_with("-I")) word.erase(0, 2);
      add_folder(word);
    }
    if (is_conditional) return;
    take_options(build_words(line, " \t\"'();"));
    for (const std::string& word : words) {
      if (word.starts_with("cuda_std_")) set_standard(word.substr(9));
    }
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i].ends_with("CUDA_STANDARD")) set_standard(words[i + 1]);
    }
    const std::size_t call = line.find("compile_definitions");
    if (call == line.npos) return;
    const bool has_target = line.find("target_compile_definitions") != line.npos;
    const std::size_t end = std::min(line.find(')', call), line.size());
    const BuildWords given = quoted_words(std::string_view(line).substr(call, end - call));
    for (std::size_t i = has_target ? 2 : 1; i < given.size(); ++i) {
      if (!is_one_of("PUBLIC PRIVATE INTERFACE", given[i])) define(given[i]);
    }
  }

  void set_standard(const std::string& year) {
    const bool is_year = year.size() == 2 && year.find_first_not_of("0123456789") == year.npos;
    if (is_year && out_.standard.empty()) out_.standard = "c++" + year;
  }

  // "X=1"; what is not known wholly is left out.
  void define(const std::string& text) {
    const std::size_t sign = std::min(text.find('='), text.size());
    const std::string name = text.substr(0, sign);
    const bool is_name = !name.empty() && std::ranges::all_of(name, is_word_part);
    if (!is_name || text.find_first_of("$<>\\ ") != text.npos) return;
    out_.definitions.try_emplace(name, sign < text.size() ? text.substr(sign + 1) : "1");
  }

  void add_folder(const std::string& word) {
    if (word.size() >= kLongestWord || out_.include_dirs.size() >= kMostFolders) return;
    if (word.find_first_not_of("./") == word.npos) return;
    std::error_code failed;
    const fs::path named = fs::weakly_canonical(folder_ / word, failed);
    if (failed || !fs::is_directory(named, failed) || named.string().starts_with("/usr/")) return;
    if (std::ranges::find(out_.include_dirs, named) == out_.include_dirs.end()) {
      out_.include_dirs.push_back(named);
    }
  }

  fs::path folder_;
  std::map<std::string, std::string> variables_;
  BuildSettings out_;
};

// The words of an entry's command. Quotes are dropped: a word with a blank in it is no option that
// counts here.
BuildWords entry_words(const nlohmann::json& entry) {
  const auto arguments = entry.find("arguments");
  BuildWords out;
  if (arguments != entry.end() && arguments->is_array()) {
    for (const auto& one : *arguments) {
      if (one.is_string()) out.push_back(one.get<std::string>());
    }
    return out;
  }
  return build_words(entry.value("command", ""), " \t\"'");
}

BuildSettings of_compile_commands(const fs::path& file, const fs::path& source) {
  const auto commands =
      nlohmann::json::parse(readable_text(file, kLargestBuildFile).value_or(""), nullptr, false);
  BuildSettings all;
  if (!commands.is_array()) return all;
  for (const auto& entry : commands) {
    if (!entry.is_object()) continue;
    try {
      const fs::path folder = file.parent_path() / entry.value("directory", ".");
      std::error_code ignored;
      const bool is_its = fs::equivalent(folder / entry.value("file", ""), source, ignored);
      BuildFileReader reader(folder);
      reader.take_options(entry_words(entry), !is_its);
      BuildSettings one = std::move(reader).settings();
      if (is_its) return one;
      add_settings(all, one);
    } catch (const nlohmann::json::exception&) {
      continue;  // somebody's file: an entry of another form says nothing
    }
  }
  return all;
}

}  // namespace

void add_settings(BuildSettings& settings, const BuildSettings& more) {
  for (const fs::path& one : more.include_dirs) {
    if (std::ranges::find(settings.include_dirs, one) == settings.include_dirs.end()) {
      settings.include_dirs.push_back(one);
    }
  }
  settings.definitions.insert(more.definitions.begin(), more.definitions.end());
  if (settings.standard.empty()) settings.standard = more.standard;
}

std::vector<fs::path> build_files_of(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const char* name : {"compile_commands.json", "build/compile_commands.json", "Makefile",
                           "makefile", "GNUmakefile", "CMakeLists.txt"}) {
    std::error_code failed;
    if (fs::is_regular_file(folder / name, failed)) out.push_back(folder / name);
  }
  return out;
}

BuildSettings build_settings(const fs::path& file, const fs::path& source) {
  if (file.extension() == ".json") return of_compile_commands(file, source);
  BuildFileReader reader(file.parent_path());
  reader.take_build_file(readable_text(file, kLargestBuildFile).value_or(""),
                         file.extension() == ".txt");
  return std::move(reader).settings();
}

}  // namespace tuner
