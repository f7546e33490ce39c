// Gathers a source and everything of the user's that it can include.

#include "tuner/source/source_bundle.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/file_digest.h"
#include "tuner/base/text.h"
#include "tuner/source/directives.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestHeader = std::uintmax_t{16} << 20;

BundledFile bundled(const std::string& name, const fs::path& file) {
  std::error_code ignored;
  BundledFile out{name, "", file.string(), ""};
  if (fs::file_size(file, ignored) <= kLargestHeader) {
    out.text = read_file(file);
    out.digest = file_digest_of(out.text);
    out.text = without_byte_order_mark(std::move(out.text));
  } else {
    out.digest = FileDigests().text_of(file);
    out.text = "digest " + out.digest;
  }
  return out;
}

// Lower case, and string literals that follow each other as one.
std::string as_assembled(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      const std::size_t next = text.find_first_not_of(" \t\r\n\\", i + 1);
      if (next != std::string::npos && text[next] == '"') {
        i = next;
        continue;
      }
    }
    out += text[i];
  }
  return lower(out);
}

// .incbin and .include in a text for the assembler. What macros make of a text only the compiler
// can say.
bool assembler_may_read(const std::string& source) {
  const std::string text = as_assembled(source);
  return text.find(".incbin") != std::string::npos || text.find(".include ") != std::string::npos ||
         text.find(".include\\") != std::string::npos ||
         text.find(".include\t") != std::string::npos;
}

}  // namespace

// Walks the includes depth first; every file is read once, and walked once for each folder that it
// is found in, so circles end.
class SourceBundle::Reader {
 public:
  Reader(const std::vector<std::string>& include_dirs, SourceBundle& out)
      : include_dirs_(include_dirs), out_(out) {}

  void walk(const std::string& text, const fs::path& file) {
    if (assembler_may_read(text)) {
      out_.assembler_reads_ = true;
      note_gap(file, "may have the assembler read a file (.incbin, .include)");
    }
    for (const Directive& directive : possible_directives(text)) {
      const auto include = include_of(directive);
      if (include && include->name.empty()) {
        note_gap(file, "names an #" + directive.name + " through a macro");
      }
      if (asks_by_macro(directive)) note_gap(file, "asks __has_include through a macro");
      for (const Include& name : names_in(directive)) follow(name, file.parent_path());
    }
  }

 private:
  void follow(const Include& include, const fs::path& folder) {
    const auto found = find_includes(include, folder, include_dirs_);
    if (found.empty()) out_.missing_.insert((include.quoted ? '"' : '<') + include.name);
    for (const auto& [file, place] : found) {
      const std::string* text = text_of(include.name, file);
      if (text == nullptr) continue;  // the compiler will say so
      // Where it is a link, compilers look beside the link for what it includes.
      std::error_code ignored;
      const fs::path folder_of_link = fs::canonical(fs::absolute(place).parent_path(), ignored);
      const fs::path link = ignored ? file : folder_of_link / file.filename();
      for (const fs::path& one : {file, link}) {
        if (walked_.insert(one).second) walk(*text, one);
      }
    }
  }

  // Read once; null when it cannot be read.
  const std::string* text_of(const std::string& name, const fs::path& file) {
    const auto known = texts_.find(file);
    if (known != texts_.end()) return known->second ? &*known->second : nullptr;
    auto& text = texts_[file];
    try {
      out_.files_.push_back(bundled(name, file));
      text = out_.files_.back().text;
    } catch (const FatalError&) {
      out_.missing_.insert("unreadable " + name);
    }
    return text ? &*text : nullptr;
  }

  void note_gap(const fs::path& file, const std::string& what) {
    if (out_.gap_.empty()) out_.gap_ = file.filename().string() + " " + what;
  }

  const std::vector<std::string>& include_dirs_;
  SourceBundle& out_;
  std::map<fs::path, std::optional<std::string>> texts_;
  std::set<fs::path> walked_;
};

std::set<std::string, std::less<>> words_of(std::string_view text) {
  std::set<std::string, std::less<>> out;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view word = word_at(text, i);
    if (!word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) == 0) {
      out.emplace(word);
    }
    i += std::max<std::size_t>(1, word.size());
  }
  return out;
}

SourceBundle SourceBundle::read(const std::string& source, const std::string& source_name,
                                const std::vector<std::string>& include_dirs) {
  SourceBundle out;
  out.files_.push_back({"", source});
  Reader(include_dirs, out).walk(source, source_name);
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
  for (const std::string& name : missing_) hasher.add("missing").add(name);
  if (!gap_.empty()) hasher.add("gap").add(gap_);
  return hasher.digest();
}

bool SourceBundle::mentions(std::string_view identifier) const {
  return pastes_ || words_.find(identifier) != words_.end();
}

}  // namespace tuner
