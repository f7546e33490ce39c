#include "tuner/compile/source_bundle.h"

#include <cctype>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

bool is_word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Lines continued by a backslash are one line to the preprocessor.
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

struct Include {
  std::string name;  // empty: named by a macro
  bool quoted = false;
};

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
  if (is_word_start(open)) return Include{};
  if (open != '"' && open != '<') return std::nullopt;
  const auto end = line.find(open == '"' ? '"' : '>', at + 1);
  if (end == std::string::npos) return std::nullopt;
  return Include{line.substr(at + 1, end - at - 1), open == '"'};
}

// Walks the includes depth first; every file is read once, so circles end.
class Reader {
 public:
  Reader(const std::vector<std::string>& include_dirs, std::vector<BundledFile>& files)
      : include_dirs_(include_dirs), files_(files) {}

  void walk(const std::string& text, const fs::path& folder, bool& complete) {
    std::istringstream lines(spliced(text));
    for (std::string line; std::getline(lines, line);) {
      const auto include = include_of(line);
      if (!include) continue;
      if (include->name.empty()) {
        complete = false;
        continue;
      }
      const fs::path found = find(*include, folder);
      if (found.empty() || !seen_.insert(found).second) continue;
      std::string body;
      try {
        body = read_file(found);
      } catch (const FatalError&) {
        continue;  // unreadable: the compiler will say so
      }
      files_.push_back({include->name, body});
      walk(body, found.parent_path(), complete);
    }
  }

 private:
  fs::path find(const Include& include, const fs::path& folder) const {
    if (include.quoted && !folder.empty()) {
      fs::path beside = existing(folder / include.name);
      if (!beside.empty()) return beside;
    }
    for (const std::string& directory : include_dirs_) {
      fs::path there = existing(fs::path(directory) / include.name);
      if (!there.empty()) return there;
    }
    return {};
  }

  static fs::path existing(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) return {};
    const fs::path clean = fs::canonical(path, ignored);
    return ignored ? path : clean;
  }

  const std::vector<std::string>& include_dirs_;
  std::vector<BundledFile>& files_;
  std::set<fs::path> seen_;
};

}  // namespace

std::set<std::string, std::less<>> words_of(std::string_view text) {
  std::set<std::string, std::less<>> out;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word_part(text[i])) {
      ++i;
      continue;
    }
    const std::size_t start = i;
    while (i < text.size() && is_word_part(text[i])) ++i;
    if (is_word_start(text[start])) out.emplace(text.substr(start, i - start));
  }
  return out;
}

SourceBundle SourceBundle::read(const std::string& source, const std::string& source_name,
                                const std::vector<std::string>& include_dirs) {
  SourceBundle out;
  out.files_.push_back({"", source});
  Reader(include_dirs, out.files_).walk(source, fs::path(source_name).parent_path(), out.complete_);
  for (const BundledFile& file : out.files_) out.scan(file.text);
  return out;
}

void SourceBundle::scan(const std::string& text) {
  const std::string whole = spliced(text);
  words_.merge(words_of(whole));
  pastes_ = pastes_ || whole.find("##") != std::string::npos;
}

Digest SourceBundle::digest() const {
  Hasher hasher;
  for (const BundledFile& file : files_) hasher.add(file.name).add(file.text);
  return hasher.digest();
}

bool SourceBundle::mentions(std::string_view identifier) const {
  return pastes_ || words_.find(identifier) != words_.end();
}

}  // namespace tuner
