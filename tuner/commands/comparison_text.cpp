// Says how the best of two sets of results compare: as text for people, as JSON for programs.

#include "tuner/commands/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tuner/base/terminal_text.h"
#include "tuner/codec/json_text.h"
#include "tuner/results/results_json.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(Basis basis) {
  switch (basis) {
    case Basis::kFinal:
      return "final";
    case Basis::kSearch:
      return "search";
    case Basis::kFileOnly:
      return "not recorded";
    case Basis::kUnlike:
      return "unlike";
  }
  return "";
}

const char* explained(Basis basis) {
  switch (basis) {
    case Basis::kFinal:
      return "both in their finals";
    case Basis::kSearch:
      return "both in their searches";
    case Basis::kFileOnly:
      return "a file does not say whether in a final or in a search";
    case Basis::kUnlike:
      return "a final and a search: not comparable";
  }
  return "";
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
    return both ? std::string("not compared: ") + explained(one.basis) : "not compared";
  }
  const SpeedUp& ratio = *one.b_over_a;
  const bool better = ratio.ratio >= 1;
  const auto times = [&](double value) { return better ? value : 1 / value; };
  const auto ends = std::minmax({times(ratio.low), times(ratio.high)});
  const std::string low = fmt::format("{:.4f}", ends.first);
  const std::string high = fmt::format("{:.4f}", ends.second);
  const std::string interval = low == high ? "" : low + " to " + high + ", ";
  const bool apart = is_faster(one) || is_slower(one);
  return fmt::format("B is {:.4f}x {} ({}{}){}", times(ratio.ratio),
                     direction(one.objective, better), interval, explained(one.basis),
                     apart ? "" : ": not to be told apart");
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

// Of those that have a ratio.
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
           {"basis", name_of(one.basis)},
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
    const SpeedUp& ratio = *one.b_over_a;
    text += fmt::format("\n  {}, {} on {}: B is {:.4f}x {}, at least {:.4f}x", one.kernel,
                        one.size.label(), one.b.device, 1 / ratio.ratio,
                        direction(one.objective, false), 1 / ratio.high);
  }
  return text.empty() ? text
                      : fmt::format("over the limit of {:.4g} %:{}\n", 100 * limit,
                                    lines_for_terminal(text));
}

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

}  // namespace tuner
