// `tuner compare`: pairs the best of two sets of results, and prints their ratios.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <optional>

#include "tuner/commands/commands.h"
#include "tuner/commands/comparison.h"
#include "tuner/commands/result_sets.h"
#include "tuner/files/ranked_table.h"
#include "tuner/files/results_json.h"
#include "tuner/model/json_text.h"

namespace tuner {

namespace {

const RankedResults& ranked(const StoredResults& set) { return set.ranked; }

std::string place_of(const StoredResults& set) {
  return set.kernel + " on " + ranked(set).device.name + ", " + ranked(set).size.label();
}

bool same_place(const StoredResults& a, const StoredResults& b) {
  return a.kernel == b.kernel && ranked(a).size == ranked(b).size;
}

bool same_device(const StoredResults& a, const StoredResults& b) {
  return ranked(a).device.name == ranked(b).device.name;
}

BestOf best_of(const StoredResults& set) {
  BestOf best{ranked(set).device.name, std::nullopt, set.parameters, {}};
  if (ranked(set).ranked > 0) best.configuration = ranked(set).trials.front().configuration;
  return best;
}

// "NAME: value -> value"; what only one side has is "(none)" on the other.
std::vector<std::string> changes(const BestOf& a, const BestOf& b) {
  const auto text = [](const BestOf& side, const std::string& name) {
    const auto at = std::ranges::find(side.parameters, name);
    if (at == side.parameters.end()) return std::string("(none)");
    return to_text(side.configuration[static_cast<std::size_t>(at - side.parameters.begin())]);
  };
  std::vector<std::string> names = a.parameters;
  for (const std::string& name : b.parameters) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  std::vector<std::string> out;
  for (const std::string& name : names) {
    const std::string before = text(a, name);
    const std::string after = text(b, name);
    if (before != after) out.push_back(name + ": " + before + " -> " + after);
  }
  return out;
}

// Lists differences of two contexts; CSV files have only the device.
std::vector<std::string> context_changes(const StoredResults& a, const StoredResults& b) {
  if (a.has_store && b.has_store) return differences(a.of.key, b.of.key);
  ContextKey before;
  ContextKey after;
  before.device = ranked(a).device;
  after.device = ranked(b).device;
  return differences(before, after);
}

void take_figures(const StoredResults& a, const StoredResults& b, BestPair& out) {
  const ObjectiveSpec& objective = out.objective;
  const Trial& first = ranked(a).trials.front();
  const Trial& second = ranked(b).trials.front();
  const Figures figures_a = figures_of(first, objective);
  const Figures figures_b = figures_of(second, objective);
  if (figures_a.final_round && figures_b.final_round) {
    out.basis = Basis::kFinal;
    out.a.figure = figures_a.final_round;
    out.b.figure = figures_b.final_round;
  } else if (figures_a.search && figures_b.search) {
    out.basis = Basis::kSearch;
    out.a.figure = figures_a.search;
    out.b.figure = figures_b.search;
  } else {
    out.basis = Basis::kUnlike;
    out.a.figure = ranking_figure(first, objective);
    out.b.figure = ranking_figure(second, objective);
  }
}

BestPair compared(const StoredResults& a, const StoredResults& b) {
  BestPair out;
  out.kernel = a.kernel;
  out.size = ranked(a).size;
  out.objective = a.objective;
  out.a = best_of(a);
  out.b = best_of(b);
  out.context = context_changes(a, b);
  const bool same_aim =
      a.objective.name == b.objective.name && a.objective.maximize == b.objective.maximize;
  if (!same_aim) {
    out.context.push_back("objective: " + a.objective.name + " -> " + b.objective.name);
  }
  if (ranked(a).ranked == 0 || ranked(b).ranked == 0) return out;
  out.configuration = changes(out.a, out.b);
  take_figures(a, b, out);
  const bool positive =
      out.a.figure && out.b.figure && out.a.figure->value > 0 && out.b.figure->value > 0;
  if (positive && same_aim && out.basis != Basis::kUnlike) {
    out.b_over_a = speed_up(*out.a.figure, *out.b.figure, out.objective.maximize);
  }
  return out;
}

}  // namespace

Speedup speed_up(const MeasuredFigure& a, const MeasuredFigure& b, bool maximize) {
  const double middle = std::log(a.value / b.value);
  const auto far = [](double part, double value) {
    return part > 0 ? std::abs(std::log(part / value)) : 0.0;
  };
  // The ratio is low when a is low and b is high.
  const double down = std::hypot(far(a.low, a.value), far(b.high, b.value));
  const double up = std::hypot(far(a.high, a.value), far(b.low, b.value));
  Speedup out{std::exp(middle), std::exp(middle - down), std::exp(middle + up)};
  if (!maximize) return out;
  return {1 / out.ratio, 1 / out.high, 1 / out.low};
}

Compared compare(const std::vector<StoredResults>& a, const std::vector<StoredResults>& b) {
  Compared out;
  std::vector<bool> used(b.size());
  for (const StoredResults& one : a) {
    const bool shared = std::ranges::any_of(b, [&](const StoredResults& other) {
      return same_place(one, other) && same_device(one, other);
    });
    bool found = false;
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (!same_place(one, b[i]) || (shared && !same_device(one, b[i]))) continue;
      // Another device of b that a has, too, is compared with itself.
      const bool taken = !shared && std::ranges::any_of(a, [&](const StoredResults& other) {
        return same_place(other, b[i]) && same_device(other, b[i]);
      });
      if (taken) continue;
      out.common.push_back(compared(one, b[i]));
      used[i] = found = true;
    }
    if (!found) out.only_a.push_back(place_of(one));
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!used[i]) out.only_b.push_back(place_of(b[i]));
  }
  return out;
}

namespace {

using Json = nlohmann::ordered_json;

struct BasisText {
  const char* name;       // in JSON
  const char* explained;  // for people
};

BasisText text_of(Basis basis) {
  constexpr std::array<BasisText, 3> kTexts{{{"final", "both measured in finals"},
                                             {"search", "both measured in searches"},
                                             {"unlike", "a final and a search: not comparable"}}};
  return kTexts.at(static_cast<std::size_t>(basis));
}

// Even at the good end of the interval.
bool is_worse_by(const BestPair& pair, double share) {
  return pair.b_over_a && 1 / pair.b_over_a->high - 1 > share;
}

bool is_slower(const BestPair& one) { return one.b_over_a && one.b_over_a->high < 1; }
bool is_faster(const BestPair& one) { return one.b_over_a && one.b_over_a->low > 1; }

std::string figure_text(const BestPair& one, const BestOf& side) {
  if (!side.figure) return "nothing valid";
  const MeasuredFigure& figure = *side.figure;
  const std::string unit = one.objective.name == "time" ? " ms" : " " + one.objective.name;
  const std::string low = fmt::format("{:.5g}", figure.low);
  const std::string high = fmt::format("{:.5g}", figure.high);
  return fmt::format("{:.5g}{}{}", figure.value, unit,
                     low == high ? "" : " (" + low + " to " + high + ")");
}

const char* direction(const ObjectiveSpec& objective, bool better) {
  if (objective.name == "time") return better ? "faster" : "slower";
  return better ? "better" : "worse";
}

std::string ratio_text(const BestPair& one) {
  if (!one.b_over_a) {
    const bool both = one.a.figure && one.b.figure;
    return both ? std::string("not compared: ") + text_of(one.basis).explained : "not compared";
  }
  const Speedup& ratio = *one.b_over_a;
  const bool better = ratio.ratio >= 1;
  const auto times = [&](double value) { return better ? value : 1 / value; };
  const auto ends = std::minmax({times(ratio.low), times(ratio.high)});
  const std::string low = fmt::format("{:.4f}", ends.first);
  const std::string high = fmt::format("{:.4f}", ends.second);
  const std::string interval = low == high ? "" : low + " to " + high + ", ";
  const bool apart = is_faster(one) || is_slower(one);
  return fmt::format("B is {:.4f}x {} ({}{}){}", times(ratio.ratio),
                     direction(one.objective, better), interval, text_of(one.basis).explained,
                     apart ? "" : ": no significant difference");
}

std::string text_of(const BestPair& one) {
  const bool same = one.a.device == one.b.device;
  std::string text = for_terminal(fmt::format("{}, {}{}", one.kernel, one.size.label(),
                                              same ? ", " + one.a.device : "")) +
                     "\n";
  for (const auto& [letter, side] : {std::pair{'A', &one.a}, std::pair{'B', &one.b}}) {
    text += for_terminal(fmt::format("  {}  {}{}", letter, figure_text(one, *side),
                                     same ? "" : "  " + side->device)) +
            "\n";
  }
  text += "  " + ratio_text(one) + "\n";
  const auto list = [&](const char* what, const std::vector<std::string>& parts) {
    if (parts.empty()) return;
    text +=
        fmt::format("  {}: {}\n", what, for_terminal(fmt::format("{}", fmt::join(parts, ", "))));
  };
  if (one.a.figure && one.b.figure && one.configuration.empty()) {
    text += "  the same configuration\n";
  }
  list("configuration", one.configuration);
  list("measured with", one.context);
  return text;
}

// Returns the geometric mean of the ratios, over the pairs that have one; 1 if none has.
double geometric_mean(const std::vector<BestPair>& all) {
  double sum = 0;
  double n = 0;
  for (const BestPair& one : all) {
    if (!one.b_over_a) continue;
    sum += std::log(one.b_over_a->ratio);
    ++n;
  }
  return n > 0 ? std::exp(sum / n) : 1;
}

Json json_of(const BestOf& side) {
  Json out{{"device", side.device}, {"value", nullptr}, {"low", nullptr}, {"high", nullptr}};
  if (side.figure) {
    out["value"] = side.figure->value;
    out["low"] = side.figure->low;
    out["high"] = side.figure->high;
  }
  out["configuration"] = Json::object();
  for (std::size_t i = 0; i < side.configuration.size() && i < side.parameters.size(); ++i) {
    out["configuration"][side.parameters[i]] = value_to_json(side.configuration[i]);
  }
  return out;
}

Json json_of(const BestPair& one) {
  Json out{{"kernel", one.kernel},
           {"size", json_of(one.size)},
           {"objective", one.objective.name},
           {"unit", one.objective.name == "time" ? Json("ms") : Json(nullptr)},
           {"basis", text_of(one.basis).name},
           {"a", json_of(one.a)},
           {"b", json_of(one.b)},
           {"b_over_a", nullptr}};
  if (one.b_over_a) {
    out["b_over_a"] = {
        {"ratio", one.b_over_a->ratio}, {"low", one.b_over_a->low}, {"high", one.b_over_a->high}};
  }
  out["configuration"] = one.configuration;
  out["context"] = one.context;
  return out;
}

}  // namespace

std::string comparison_text(const Compared& compared, const std::string& a, const std::string& b) {
  std::string text = fmt::format("A: {}\nB: {}\n\n", for_terminal(a), for_terminal(b));
  for (const BestPair& one : compared.common) text += text_of(one) + "\n";
  for (const std::string& place : compared.only_a) {
    text += "only in A: " + for_terminal(place) + "\n";
  }
  for (const std::string& place : compared.only_b) {
    text += "only in B: " + for_terminal(place) + "\n";
  }
  const auto faster = std::ranges::count_if(compared.common, is_faster);
  const auto slower = std::ranges::count_if(compared.common, is_slower);
  const double mean = geometric_mean(compared.common);
  return text + fmt::format(
                    "{} compared: B is better in {}, worse in {}; in the geometric mean it is "
                    "{:.4f}x {}\n",
                    compared.common.size(), faster, slower, std::max(mean, 1 / mean),
                    mean >= 1 ? "better" : "worse");
}

std::string over_limit_text(const Compared& compared, double limit) {
  std::string text;
  for (const BestPair& one : compared.common) {
    if (!is_worse_by(one, limit)) continue;
    const Speedup& ratio = *one.b_over_a;
    text += fmt::format("\n  {}, {} on {}: B is {:.3g}x {} (at least {:.3g}x)", one.kernel,
                        one.size.label(), one.b.device, 1 / ratio.ratio,
                        direction(one.objective, false), 1 / ratio.high);
  }
  return text.empty() ? text
                      : fmt::format("over the limit of {:.4g} %:{}\n", 100 * limit,
                                    lines_for_terminal(text));
}

namespace {

// The form is in docs/contract.md.
std::string comparison_json(const Compared& compared, const std::string& a, const std::string& b) {
  Json all = Json::array();
  for (const BestPair& one : compared.common) all.push_back(json_of(one));
  const Json out{{"a", a},
                 {"b", b},
                 {"comparisons", all},
                 {"only_a", compared.only_a},
                 {"only_b", compared.only_b},
                 {"geometric_mean", geometric_mean(compared.common)}};
  return dump(out, 2) + "\n";
}

struct CompareOptions {
  std::string a, b;  // results folders, databases, ranked CSV files, or folders of these
  ResultFilter filter;
  bool json = false;
  std::optional<double> fail_above;  // 0.03: fails where b is more than 3 % slower
};

CompareOptions parse_compare(const Strings& words) {
  CompareOptions o;
  std::string fail_above;
  OptionTable add;
  add.filter(o.filter);
  add("fail-above", fail_above,
      "exit with status 1 where B is slower than A by more than this, such as 3%, even at the good "
      "end of its interval, and name the sizes");
  add("json", o.json, "the comparison as JSON");
  const auto values = add.parse(words, "tuner compare A B [options]");
  const Strings given = inputs(values);
  if (given.size() != 2) {
    wrong_usage("compare takes two results folders, databases or ranked CSV files");
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
  std::vector<StoredResults> all = result_sets(from, nullptr, options.filter, tell);
  for (const StoredResults& one : all) {
    if (one.ranked.outside == 0) continue;
    tell(fmt::format("{}, {} on {}: {}", from, one.ranked.size.label(), one.ranked.device.name,
                     outside_text(one.ranked)));
  }
  return all;
}

}  // namespace

int compare_command(const Strings& words) {
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
