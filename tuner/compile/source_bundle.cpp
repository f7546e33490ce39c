#include "tuner/compile/source_bundle.h"

#include <cctype>
#include <filesystem>
#include <sstream>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/compile/include_line.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

bool is_word_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

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
      const fs::path found = find_include(*include, folder, include_dirs_);
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
