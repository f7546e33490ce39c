// Writes out what a source includes, file by file.

#include "tuner/source/inlined_source.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string_view>

#include "tuner/source/directives.h"
#include "tuner/source/text_file.h"
#include "tuner/source/tokens.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestText = std::size_t{4}
                                     << 20;  // compilers and readers take seconds then
constexpr std::uintmax_t kLargestInlined = std::uintmax_t{1} << 20;

// Makes the directive that says where the next line comes from.
std::string line_directive(std::size_t line, const std::string& file) {
  std::string out = "#line " + std::to_string(line) + " \"";
  for (const char c : file) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= ' ') out += c;
  }
  return out + "\"";
}

class Inliner {
 public:
  explicit Inliner(const std::vector<std::string>& include_dirs) : include_dirs_(include_dirs) {}

  void walk(const std::string& text, const fs::path& file) {
    open_.push_back(file);
    std::size_t at = 0;
    for (const Token& token : tokens_of(text)) {
      if (token.kind != Token::Kind::kDirective || out_.size() > kLargestText) continue;
      const fs::path there = included(token, file);
      const bool is_once = directive_name(token) == "pragma" && directive_rest(token) == "once";
      if (there.empty() && !is_once) continue;
      out_.append(text, at, token.at - at);
      at = token.at + token.text.size();
      if (is_once || !write_out(there)) continue;
      const auto lines = std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
      out_ += line_directive(static_cast<std::size_t>(lines) + 2, file.string());
    }
    out_.append(text, at);
    open_.pop_back();
  }

  std::optional<std::string> take() {
    if (out_.size() > kLargestText) return std::nullopt;
    return std::move(out_);
  }

 private:
  // The file of the user's that a directive includes; empty: none.
  fs::path included(const Token& directive, const fs::path& from) const {
    if (directive_name(directive) != "include") return {};
    const auto read = directive_at(spliced(std::string(directive.text)), 0);
    const auto include = read ? include_of(*read) : std::nullopt;
    if (!include || include->name.empty()) return {};
    return find_include(*include, from.parent_path(), include_dirs_);
  }

  // Writes a file, behind a guard where it wants to be there once; false: it stays out.
  bool write_out(const fs::path& file) {
    if (std::ranges::find(open_, file) != open_.end()) return true;
    const auto text = readable_text(file, kLargestInlined);
    if (!text) return false;
    const bool is_once = std::ranges::any_of(tokens_of(*text), [](const Token& token) {
      return token.kind == Token::Kind::kDirective && directive_name(token) == "pragma" &&
             directive_rest(token) == "once";
    });
    const auto number = guards_.emplace(file, guards_.size()).first->second;
    const std::string guard = "TUNER_INLINED_" + std::to_string(number);
    if (is_once) out_ += "#ifndef " + guard + "\n#define " + guard + "\n";
    out_ += line_directive(1, file.string()) + "\n";
    walk(*text, file);
    out_ += is_once ? "\n#endif\n" : "\n";
    return true;
  }

  const std::vector<std::string>& include_dirs_;
  std::string out_;
  std::vector<fs::path> open_;  // files that are being written
  std::map<fs::path, std::size_t> guards_;
};

}  // namespace

std::optional<std::string> inlined_source(const std::string& source, const std::string& source_name,
                                          const std::vector<std::string>& include_dirs) {
  Inliner inliner(include_dirs);
  inliner.walk(source, source_name);
  return inliner.take();
}

}  // namespace tuner
