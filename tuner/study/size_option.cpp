// Parses the option `--size`.

#include <algorithm>
#include <charconv>
#include <map>

#include "tuner/study/diagnostics.h"
#include "tuner/study/size_check.h"

namespace tuner {
namespace {

class SizeOption {
 public:
  explicit SizeOption(const std::string& text) : prefix_("--size " + text + ": ") {}

  void complain(const std::string& message, std::string suggestion = {}) {
    complaints_.push_back({{}, prefix_ + message, std::move(suggestion)});
  }

  void read(const std::string& piece, const std::vector<std::string>& known) {
    const std::size_t equals = piece.find('=');
    if (equals == std::string::npos) {
      complain("'" + piece + "' is not NAME=EXTENT");
      return;
    }
    const std::string name = piece.substr(0, equals);
    const std::string digits = piece.substr(equals + 1);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      complain("the study has no dimension '" + name + "'", suggestion_for(name, known));
      return;
    }
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), extent);
    if (error != std::errc() || end != digits.data() + digits.size() || extent <= 0) {
      complain("'" + digits + "' is not a positive whole number");
    }
    if (!extents_.emplace(name, extent).second) complain("'" + name + "' is given twice");
  }

  ProblemSize finish(const std::vector<std::string>& names) {
    ProblemSize size;
    for (const std::string& name : names) {
      const auto found = extents_.find(name);
      if (found == extents_.end()) {
        if (complaints_.empty()) complain("'" + name + "' is missing");
        continue;
      }
      size.dims.emplace_back(name, found->second);
    }
    if (!complaints_.empty()) throw InputError(complaints_, {});
    return size;
  }

 private:
  std::string prefix_;
  std::map<std::string, std::int64_t> extents_;
  std::vector<Complaint> complaints_;
};

}  // namespace

ProblemSize parse_size_option(const std::string& text, const Study& study) {
  std::vector<std::string> names;
  if (!study.sizes.empty()) {
    for (const auto& [name, extent] : study.sizes.front().dims) names.push_back(name);
  }
  SizeOption option(text);
  if (names.empty()) {
    option.complain("the study has no problem sizes to choose from");
    return option.finish({});
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    option.read(text.substr(begin, comma - begin), names);
    begin = comma + 1;
  }
  ProblemSize size = option.finish(names);
  std::vector<Complaint> complaints = check_size(study, size);
  if (!complaints.empty()) throw InputError(std::move(complaints), study.text);
  return size;
}

}  // namespace tuner
