// `tuner compare`: the best of two sets of results, side by side.

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "tuner/app/commands.h"
#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/run/comparison.h"
#include "tuner/terminal/comparison_text.h"

namespace tuner {
namespace {

std::vector<ResultSet> read(const std::string& from, const CompareOptions& options) {
  if (!std::filesystem::exists(from)) {
    throw InputError(Complaint{{from, 0, 0}, "there is no such file or folder", ""});
  }
  std::vector<std::string> notes;
  auto sets = result_sets(from, nullptr, {options.device, options.size, {}}, notes);
  for (const std::string& note : notes) std::cerr << for_terminal(note) << "\n";
  return sets;
}

}  // namespace

int compare_command(const CompareOptions& options) {
  const Compared compared = compare(read(options.a, options), read(options.b, options));
  std::cout << (options.json ? comparison_json(compared, options.a, options.b)
                             : comparison_text(compared, options.a, options.b));
  const bool any = std::ranges::any_of(
      compared.common, [](const BestPair& one) { return one.b_over_a.has_value(); });
  const bool failed =
      options.fail_above && std::ranges::any_of(compared.common, [&](const BestPair& one) {
        return one.b_over_a && 1 / one.b_over_a->high - 1 > *options.fail_above;
      });
  return any && !failed ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
