// Gathers a source and everything of the user's that it can include, or writes that out in place.

#include "tuner/source/source_bundle.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/base/text.h"
#include "tuner/source/directives.h"
#include "tuner/source/tokens.h"

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
      // Walks both a link and its target: compilers look beside the link for what it includes.
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

// ---- written out --------------------------------------------------------------------------------

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDeepestInclude = 100;

std::string first_word(const std::string& text) { return std::string(word_at(trimmed(text))); }

// Finds the beginnings of lines that are not code: inside of a comment or of a raw string.
std::set<std::size_t> begins_of_other_lines(const std::string& text) {
  std::set<std::size_t> out;
  for (const Token& token : tokens_of(text, Comments::kKeep)) {
    for (auto at = token.text.find('\n'); at != token.text.npos;
         at = token.text.find('\n', at + 1)) {
      out.insert(token.at + at + 1);
    }
  }
  return out;
}

// `extern "C"` -> `extern "C++"`: allowed wherever the other is, blocks included.
std::string with_cpp_linkage(std::string text) {
  static const std::string kC = "\"C\"";
  for (auto at = text.find("extern"); at != std::string::npos; at = text.find("extern", at + 6)) {
    const auto next = text.find_first_not_of(" \t\n", at + 6);
    if (next != std::string::npos && text.compare(next, kC.size(), kC) == 0) {
      text.replace(next, kC.size(), "\"C++\"");
    }
  }
  return text;
}

class Flattener {
 public:
  explicit Flattener(const std::vector<std::string>& include_dirs) : include_dirs_(include_dirs) {}

  void walk(const std::string& text, const fs::path& file) {
    if (stack_.size() > kDeepestInclude) reject(file.string(), "includes itself without end");
    stack_.push_back(file);
    const std::string whole = spliced(text);
    const std::set<std::size_t> others = begins_of_other_lines(whole);
    std::istringstream lines(whole);
    std::size_t at = 0;
    for (std::string line; std::getline(lines, line);) {
      const bool code = !others.contains(at);
      at += line.size() + 1;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (!code) refuse_hidden_directive(line, file);
      if (!code || !directive(line, !others.contains(at), file)) out_.text += line + "\n";
    }
    stack_.pop_back();
  }

  FlatSource take() {
    out_.text = with_cpp_linkage(std::move(out_.text));
    return std::move(out_);
  }

 private:
  // True when the line is dealt with and must not be copied. `ends_in_code`: no comment that begins
  // in it goes on in the next one.
  bool directive(const std::string& line, bool ends_in_code, const fs::path& file) {
    const auto found = directive_at(line, 0);
    if (!found) return false;
    if (found->name.starts_with("if")) ++conditions_;
    if (found->name == "endif") --conditions_;
    if (found->name == "define") add_macro(first_word(found->rest));
    if (found->name == "pragma" && first_word(found->rest) == "once") return true;
    if (found->name == "line") return true;  // it may name a file of this machine
    refuse_what_asks_for_files(*found, line, file);
    const auto include = include_of(*found);
    if (!include && (ends_in_code || !found->name.empty())) return false;
    if (!ends_in_code) refuse(file, "has a comment that begins in this line and goes on", line);
    if (found->name != "include") refuse(file, "has a directive other than #include", line);
    if (include->name.empty()) refuse(file, "names an #include through a macro", line);
    const fs::path there = find_include(*include, file.parent_path(), include_dirs_);
    if (there.empty()) {
      add_header(*include);
    } else {
      write_out(there);
    }
    return true;
  }

  // __has_include may answer differently where the flat text is compiled, without the kernel's
  // files.
  void refuse_what_asks_for_files(const Directive& directive, const std::string& line,
                                  const fs::path& file) const {
    if (directive.rest.find("__has_include") == std::string::npos) return;
    if (asks_by_macro(directive)) refuse(file, "asks __has_include through a macro", line);
    for (const Include& name : names_in(directive)) {
      if (find_include(name, file.parent_path(), include_dirs_).empty()) continue;
      refuse(file, "asks __has_include for a file of the kernel's own", line);
    }
  }

  // Refuses an #include behind the end of a comment that began on another line.
  static void refuse_hidden_directive(const std::string& line, const fs::path& file) {
    for (auto at = line.find("*/"); at != std::string::npos; at = line.find("*/", at + 2)) {
      const auto found = directive_at(line, at + 2);
      if (found && include_of(*found)) {
        refuse(file, "has an #include behind a comment that began on another line", line);
      }
    }
  }

  void write_out(const fs::path& file) {
    const std::string text = without_byte_order_mark(read_file(file));
    if (!says_once(text)) {
      walk(text, file);
      return;
    }
    if (std::ranges::find(stack_, file) != stack_.end()) return;
    // Guarded by a macro, not left out the second time: the first one may stand behind an #if that
    // does not hold.
    const auto number = once_.emplace(file, once_.size()).first->second;
    const std::string guard = "TUNER_ONCE_" + std::to_string(number);
    add_macro(guard);
    out_.text += "#ifndef " + guard + "\n#define " + guard + "\n";
    walk(text, file);
    out_.text += "#endif\n";
  }

  static bool says_once(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const auto found = directive_at(line, 0);
      if (found && found->name == "pragma" && first_word(found->rest) == "once") {
        return true;
      }
    }
    return false;
  }

  void add_header(const Include& include) {
    const std::string name = include.quoted ? '"' + include.name + '"' : '<' + include.name + '>';
    std::string line = "#include " + name;
    if (conditions_ > 0) line = "#if __has_include(" + name + ")\n" + line + "\n#endif";
    if (std::ranges::find(out_.headers, line) == out_.headers.end()) {
      out_.headers.push_back(std::move(line));
    }
  }

  void add_macro(const std::string& name) {
    if (!name.empty() && std::ranges::find(out_.macros, name) == out_.macros.end()) {
      out_.macros.push_back(name);
    }
  }

  [[noreturn]] static void refuse(const fs::path& file, const std::string& reason,
                                  const std::string& line) {
    reject(file.string(), reason + ", which cannot be written out: " + line);
  }

  const std::vector<std::string>& include_dirs_;
  FlatSource out_;
  std::vector<fs::path> stack_;
  std::map<fs::path, std::size_t> once_;
  int conditions_ = 0;
};

}  // namespace

FlatSource flat_source(const std::string& source, const std::string& source_name,
                       const std::vector<std::string>& include_dirs) {
  Flattener flattener(include_dirs);
  flattener.walk(source, source_name);
  return flattener.take();
}

}  // namespace tuner
