// Reads an export's table again, and draws sizes to try it on.

#include "tuner/commands/export_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/choice/size_sampler.h"
#include "tuner/study/size_check.h"

namespace tuner {
namespace {

// From a quarter of the smallest extents that were tuned to the largest. Half of the sizes are
// multiples of 32: vector accesses serve those and not the others.
SizeDomain around(const TunedTable& table, std::int64_t largest) {
  SizeDomain domain;
  std::string even;
  for (const auto& [name, extent] : table.entries.front().size.dims) {
    ExtentRange range{name, extent, extent};
    const std::size_t d = domain.extents.size();
    for (const TunedEntry& entry : table.entries) {
      range.low = std::min(range.low, entry.size.dims[d].second);
      range.high = std::max(range.high, entry.size.dims[d].second);
    }
    if (largest > 0) range.low = std::min(range.low, largest);
    range.low = std::max<std::int64_t>(1, range.low / 4);
    domain.extents.push_back(range);
    even += (even.empty() ? "" : " and ") + name + " % 32 == 0";
  }
  domain.kinds = {{Expression(), 1}, {*Expression::parse(even, {}), 1}};
  return domain;
}

std::vector<ProblemSize> drawn_sizes(const CheckedSizes& wanted, const Study& study,
                                     const TunedTable& table) {
  if (wanted.random == 0 || table.entries.empty()) return {};
  SizeDomain domain = study.domain ? *study.domain : around(table, wanted.largest);
  for (ExtentRange& range : domain.extents) {
    if (wanted.largest > 0) range.high = std::clamp(wanted.largest, range.low, range.high);
  }
  return distinct_sizes(domain, wanted.random, wanted.seed);
}

// A file that is not there is a mistake of whoever named it.
std::string text_of_export(const std::filesystem::path& file) {
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown)) reject(file, "there is no such file");
  if (std::filesystem::is_directory(file, unknown)) reject(file, "is a folder, not an export");
  return read_file(file);
}

}  // namespace

ExportedTable read_exported(const std::filesystem::path& file, const Study& study) {
  ExportedTable exported = read_table_comment(text_of_export(file), file.string());
  if (exported.kernel != study.kernel.name) {
    reject(file, fmt::format("is about the kernel '{}', the study about '{}'", exported.kernel,
                             study.kernel.name));
  }
  std::vector<std::string> dimensions;
  if (!study.sizes.empty()) {
    for (const auto& [name, extent] : study.sizes.front().dims) dimensions.push_back(name);
  }
  if (exported.parameters != parameter_names(study.parameters) ||
      exported.dimensions != dimensions) {
    reject(file,
           "has other parameters or dimensions than the study, which must have changed since");
  }
  return exported;
}

std::vector<ProblemSize> sizes_to_check(const CheckedSizes& wanted, const Study& study,
                                        const TunedTable& table) {
  std::vector<ProblemSize> sizes;
  for (const std::string& text : wanted.named) sizes.push_back(parse_size_option(text, study));
  for (ProblemSize& size : drawn_sizes(wanted, study, table)) sizes.push_back(std::move(size));
  if (!sizes.empty()) return sizes;
  for (const TunedEntry& entry : table.entries) {
    if (std::ranges::find(sizes, entry.size) == sizes.end()) sizes.push_back(entry.size);
  }
  return sizes;
}

}  // namespace tuner
