// `tuner compare`: the best of two sets of results, side by side.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/comparison.h"

namespace tuner {
namespace {

struct CompareOptions {
  std::string a, b;  // results folders, databases, ranked CSV files, or folders of these
  std::string size;
  std::string device;
  bool json = false;
  std::optional<double> fail_above;  // 0.03: fails where b is more than 3 % slower
};

CompareOptions parse_compare(const Words& words) {
  CompareOptions o;
  std::string fail_above;
  OptionTable add;
  add("size", po::value(&o.size), "only this problem size, such as M=1024,N=1024");
  add("device", po::value(&o.device), "only this device (part of its name)");
  add("fail-above", po::value(&fail_above),
      "exit with status 1 where B is slower than A by more than this, such as 3%, even at the good "
      "end of its interval, and name the sizes");
  add("json", po::bool_switch(&o.json), "the comparison as JSON");
  const auto values = add.parse(words, "tuner compare A B [options]");
  const Words given = inputs(values);
  if (given.size() != 2) {
    wrong_usage("compare what with what? Give two results folders, databases or ranked CSV files");
  }
  o.a = given[0];
  o.b = given[1];
  if (!fail_above.empty()) o.fail_above = parse_share("--fail-above", fail_above);
  return o;
}

std::vector<StoredResults> read(const std::string& from, const CompareOptions& options) {
  if (!std::filesystem::exists(from)) {
    reject(from, "there is no such file or folder");
  }
  std::vector<std::string> notes;
  auto sets = result_sets(from, nullptr, {options.device, options.size, {}}, notes);
  for (const std::string& note : notes) tell(note);
  return sets;
}

}  // namespace

int compare_command(const Words& words) {
  const CompareOptions options = parse_compare(words);
  const Compared compared = compare(read(options.a, options), read(options.b, options));
  std::cout << (options.json ? comparison_json(compared, options.a, options.b)
                             : comparison_text(compared, options.a, options.b));
  const bool any = std::ranges::any_of(
      compared.common, [](const BestPair& one) { return one.b_over_a.has_value(); });
  const std::string over = options.fail_above ? over_limit_text(compared, *options.fail_above) : "";
  // Beside JSON, which stays one document.
  (options.json ? std::cerr : std::cout) << over;
  return any && over.empty() ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
