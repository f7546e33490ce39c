#include "tuner/compile/include_line.h"

#include <cctype>
#include <system_error>

namespace tuner {
namespace {

namespace fs = std::filesystem;

fs::path existing(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  const fs::path clean = fs::canonical(path, ignored);
  return ignored ? path : clean;
}

}  // namespace

std::string spliced(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && text.compare(i + 1, 1, "\n") == 0) {
      i += 1;
    } else if (text[i] == '\\' && text.compare(i + 1, 2, "\r\n") == 0) {
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::optional<Include> include_of(const std::string& line) {
  std::size_t at = 0;
  const auto skip_blanks = [&] {
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
  };
  skip_blanks();
  if (at >= line.size() || line[at++] != '#') return std::nullopt;
  skip_blanks();
  if (line.compare(at, 7, "include") != 0) return std::nullopt;
  at += 7;
  skip_blanks();
  if (at >= line.size()) return std::nullopt;
  const char open = line[at];
  if (std::isalpha(static_cast<unsigned char>(open)) != 0 || open == '_') return Include{};
  if (open != '"' && open != '<') return std::nullopt;
  const auto end = line.find(open == '"' ? '"' : '>', at + 1);
  if (end == std::string::npos) return std::nullopt;
  return Include{line.substr(at + 1, end - at - 1), open == '"'};
}

fs::path find_include(const Include& include, const fs::path& folder,
                      const std::vector<std::string>& include_dirs) {
  if (include.quoted && !folder.empty()) {
    fs::path beside = existing(folder / include.name);
    if (!beside.empty()) return beside;
  }
  for (const std::string& directory : include_dirs) {
    fs::path there = existing(fs::path(directory) / include.name);
    if (!there.empty()) return there;
  }
  return {};
}

}  // namespace tuner
