// Compares the problem size of a recording with those of a study.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/check/size_check.h"
#include "tuner/commands/imports.h"
#include "tuner/history/stored_results.h"
#include "tuner/study/extents.h"

namespace tuner {
namespace {

struct Extent {
  std::string name;  // empty: along x, y or z
  std::string text;
  std::optional<std::int64_t> value;  // empty: it depends on the configuration
};

Extent extent_of(const std::string& name, const Value& value) {
  const std::string text = to_text(value);
  return {name, text, extent_from(text)};
}

// Also of a text such as "[4096, 4096]", which Python makes of a list.
std::vector<Extent> extents_of(const Recording& recording) {
  std::vector<Extent> extents;
  for (const auto& [name, value] : recording.problem_size) {
    const auto* text = std::get_if<std::string>(&value);
    const bool is_list = text != nullptr && text->size() > 2 &&
                         (text->front() == '[' || text->front() == '(') &&
                         text->find_first_of("[(", 1) == text->npos;
    if (!is_list) {
      extents.push_back(extent_of(name, value));
      continue;
    }
    std::istringstream pieces(text->substr(1, text->size() - 2));
    for (std::string piece; std::getline(pieces >> std::ws, piece, ',');) {
      extents.push_back(extent_of(name, piece));
    }
  }
  const auto is_one = [](const Extent& extent) { return extent.name.empty() && extent.value == 1; };
  while (extents.size() > 1 && is_one(extents.back())) extents.pop_back();
  return extents;
}

std::string shown(const std::vector<Extent>& extents) {
  std::string text;
  for (const Extent& extent : extents) {
    text +=
        (text.empty() ? "" : ", ") + (extent.name.empty() ? "" : extent.name + "=") + extent.text;
  }
  return "[" + text + "]";
}

std::string shown(const ProblemSize& size) {
  std::string text;
  for (const auto& [name, extent] : size.dims) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, extent);
  }
  return text;
}

std::int64_t* extent_named(ProblemSize& size, const std::string& name) {
  const auto at = std::ranges::find(size.dims, name, &std::pair<std::string, std::int64_t>::first);
  return at == size.dims.end() ? nullptr : &at->second;
}

// The dimensions of `size` that an expression depends on, through derived names, too.
void add_dimensions(const Study& study, const ProblemSize& size, const Expression& expression,
                    std::set<std::string>& seen, std::vector<std::string>& found) {
  for (const std::string& name : expression.names()) {
    if (!seen.insert(name).second) continue;
    const auto derived = std::ranges::find(study.derived, name, &NamedExpression::name);
    if (derived != study.derived.end()) {
      add_dimensions(study, size, derived->expression, seen, found);
    } else if (std::ranges::find(size.dims, name, &std::pair<std::string, std::int64_t>::first) !=
               size.dims.end()) {
      found.push_back(name);
    }
  }
}

// A comparison of the size in a recording with a size of the study.
class SizeComparison {
 public:
  enum class Outcome { kAgrees, kDiffers, kUnknown };

  SizeComparison(const std::vector<Extent>& recorded, const ProblemSize& size, const Study* study)
      : size_(size), proposal_(size) {
    if (size.dims.empty()) return;  // it claims nothing
    std::vector<std::int64_t> loose;
    bool grid_tells = false;
    for (std::size_t i = 0; i < recorded.size(); ++i) {
      const Extent& extent = recorded[i];
      const std::string name = extent.name.empty() ? dimension_along(study, i) : extent.name;
      grid_tells = grid_tells || !name.empty();
      if (!extent.value || (!name.empty() && extent_named(proposal_, name) == nullptr)) {
        is_known_ = false;
      } else if (!name.empty()) {
        compare(name, *extent.value);
      } else if (*extent.value != 1) {
        loose.push_back(*extent.value);
      }
    }
    place(loose, grid_tells);
  }

  Outcome outcome() const {
    if (differs_) return Outcome::kDiffers;
    return is_known_ ? Outcome::kAgrees : Outcome::kUnknown;
  }

  // Dimensions that the recording does not speak of.
  std::vector<std::string> unsaid() const {
    std::vector<std::string> names;
    for (const auto& [name, extent] : size_.dims) {
      if (!said_.contains(name)) names.push_back(name);
    }
    return names;
  }

  // Proposes the --size that would agree with the recording; only "--size" where that is not known.
  std::string proposal() const {
    return is_known_ && unsaid().empty() ? "--size " + shown(proposal_) : "--size";
  }

 private:
  // Kernel Tuner makes the grid's extents of the problem's, so an axis whose grid depends on one
  // dimension is that dimension.
  std::string dimension_along(const Study* study, std::size_t axis) const {
    if (study == nullptr || axis >= study->launch.grid.size()) return {};
    std::set<std::string> seen;
    std::vector<std::string> found;
    add_dimensions(*study, size_, study->launch.grid[axis], seen, found);
    return found.size() == 1 ? found.front() : std::string();
  }

  void compare(const std::string& name, std::int64_t extent) {
    said_.insert(name);
    std::int64_t& own = *extent_named(proposal_, name);
    differs_ = differs_ || own != extent;
    own = extent;
  }

  // Places extents whose dimension no axis of the grid gives: each has to be some dimension's, or
  // all of them together all dimensions', as where a matrix is passed as a vector.
  void place(const std::vector<std::int64_t>& loose, bool grid_tells) {
    const bool all_equal = std::ranges::adjacent_find(loose, std::not_equal_to()) == loose.end();
    if (size_.dims.size() == 1 && all_equal && !grid_tells) {
      for (const std::int64_t extent : loose) compare(size_.dims[0].first, extent);
      return;
    }
    bool placed = true;
    for (const std::int64_t extent : loose) {
      const auto is_it = [&](const auto& dim) { return dim.second == extent; };
      const auto is_free = [&](const auto& dim) {
        return is_it(dim) && !said_.contains(dim.first);
      };
      const auto free = std::ranges::find_if(size_.dims, is_free);
      placed = placed && std::ranges::any_of(size_.dims, is_it);
      if (free != size_.dims.end()) said_.insert(free->first);
    }
    if (placed) return;
    double product = 1;
    double own = 1;
    for (const std::int64_t extent : loose) product *= static_cast<double>(extent);
    for (const auto& [name, extent] : size_.dims) own *= static_cast<double>(extent);
    if (product == own) {
      for (const auto& [name, extent] : size_.dims) said_.insert(name);
    } else {
      is_known_ = false;
      differs_ = differs_ || !grid_tells;
    }
  }

  const ProblemSize& size_;
  ProblemSize proposal_;
  std::set<std::string> said_;
  bool differs_ = false;
  bool is_known_ = true;
};

ProblemSize only_size(const Recording& recording, const Study& study) {
  if (study.sizes.empty()) return {};
  if (study.sizes.size() > 1 || study.domain) {
    reject(recording.name, "the file names no problem size, and the study has several", "--size");
  }
  return study.sizes.front();
}

// The one of the study's sizes that the recording agrees with.
ProblemSize chosen_size(const Recording& recording, const std::vector<Extent>& recorded,
                        const Study& study, const Note& tell) {
  std::vector<ProblemSize> agreeing;
  bool is_known = true;
  std::string own;
  for (const ProblemSize& size : study.sizes) {
    const auto outcome = SizeComparison(recorded, size, &study).outcome();
    if (outcome == SizeComparison::Outcome::kAgrees) agreeing.push_back(size);
    is_known = is_known && outcome != SizeComparison::Outcome::kUnknown;
    own += (own.empty() ? "" : " or ") + shown(size);
  }
  const std::string of = "the recording's problem size is " + shown(recorded);
  if (agreeing.size() > 1) {
    reject(recording.name, of + ", and several sizes of the study agree with it", "--size");
  }
  if (agreeing.empty() && !is_known) {
    reject(recording.name, of + ", which cannot be compared with the study's " + own,
           "--size says which size of the study it is");
  }
  if (agreeing.empty()) {
    reject(recording.name, of + ", not the study's " + own,
           SizeComparison(recorded, study.sizes.front(), &study).proposal());
  }
  const std::vector<std::string> unsaid =
      SizeComparison(recorded, agreeing.front(), &study).unsaid();
  if (!unsaid.empty()) {
    tell(fmt::format("{}: {}; it says nothing of {}, which is taken from the study's {}",
                     recording.name, of, fmt::join(unsaid, " and "), shown(agreeing.front())));
  }
  return agreeing.front();
}

}  // namespace

ProblemSize size_of(const Recording& recording, const std::string& named, const Study* study,
                    const Note& tell) {
  const std::vector<Extent> recorded = extents_of(recording);
  if (!named.empty()) {
    ProblemSize size = study != nullptr ? parse_size_option(named, *study, DataFiles::kIgnored)
                                        : parse_dims(named);
    const SizeComparison comparison(recorded, size, study);
    if (comparison.outcome() == SizeComparison::Outcome::kDiffers) {
      reject(
          recording.name,
          fmt::format("the recording's problem size is {}, not {}", shown(recorded), shown(size)),
          comparison.proposal());
    }
    return size;
  }
  if (study == nullptr) return {};
  if (recorded.empty() || study->sizes.empty()) return only_size(recording, *study);
  return chosen_size(recording, recorded, *study, tell);
}

}  // namespace tuner
