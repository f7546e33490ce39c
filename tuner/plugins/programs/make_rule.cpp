// Reads the make rules in which compilers list the files that they have read, and writes lines of
// C.

#include "tuner/plugins/programs/make_rule.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

namespace tuner::programs {
namespace {

namespace fs = std::filesystem;

// Reads names of a make rule, in which blanks, '#' and '$' are escaped.
class RuleReader {
 public:
  explicit RuleReader(const std::string& rule) : rule_(rule) {}

  std::vector<std::string> names() {
    while (at_ < rule_.size()) {
      if (rule_[at_] == '\\') {
        take_backslashes();
      } else if (is_blank(rule_[at_])) {
        end_name();
        ++at_;
      } else {
        if (rule_.compare(at_, 2, "$$") == 0) ++at_;
        name_ += rule_[at_++];
      }
    }
    end_name();
    return std::move(names_);
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

  // They mean themselves, except before a blank, a '#' and the end of the line.
  void take_backslashes() {
    std::size_t count = 0;
    for (; at_ < rule_.size() && rule_[at_] == '\\'; ++at_) ++count;
    const char next = at_ < rule_.size() ? rule_[at_] : '\n';
    if (next == '\n') --count;
    if (next == '#') --count;
    if (next == ' ' || next == '\t') {
      const bool escaped = count % 2 == 1;
      name_.append(count / 2, '\\');
      if (escaped) name_ += rule_[at_++];
      return;
    }
    name_.append(count, '\\');
    if (next == '#') name_ += rule_[at_++];
  }

  void end_name() {
    if (!name_.empty()) names_.push_back(std::move(name_));
    name_.clear();
  }

  const std::string& rule_;
  std::size_t at_ = 0;
  std::string name_;
  std::vector<std::string> names_;
};

}  // namespace

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

std::vector<std::string> dependencies_in(const std::string& rule) {
  const std::size_t colon = rule.find(": ");
  if (colon == std::string::npos) return {};
  const std::string names = rule.substr(colon + 2);
  return RuleReader(names).names();
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  std::error_code failed;
  const fs::path inner = fs::canonical(file, failed);
  const fs::path outer = failed ? fs::path() : fs::canonical(folder, failed);
  if (failed) return false;
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

// ---- lines in front of a source -----------------------------------------------------------------

std::string line_directive(const std::string& name, std::size_t line) {
  std::string out = "\n#line " + std::to_string(line) + " \"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= ' ') out += c;
  }
  return out + "\"\n";
}

std::string definition(const std::string& name, std::string replacement) {
  std::replace(replacement.begin(), replacement.end(), '\n', ' ');
  return "#define " + name + " " + replacement + "\n";
}

}  // namespace tuner::programs
