// `tuner compare`: the best of two sets of results, side by side.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "tuner/app/commands.h"
#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/codec/json_text.h"
#include "tuner/run/comparison.h"

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

bool is_slower(const Comparison& one) { return one.b_over_a && one.b_over_a->high < 1; }
bool is_faster(const Comparison& one) { return one.b_over_a && one.b_over_a->low > 1; }

std::string figure_text(const Comparison& one, const BestOf& side) {
  if (!side.figure) return "nothing valid";
  const Figure& figure = *side.figure;
  const std::string unit = one.objective.name == "time" ? " ms" : " " + one.objective.name;
  std::string text = fmt::format("{:.5g}{}", figure.value, unit);
  if (figure.high > figure.low) text += fmt::format(" ({:.5g} to {:.5g})", figure.low, figure.high);
  return text;
}

std::string ratio_text(const Comparison& one) {
  if (!one.b_over_a) {
    const bool both = one.a.figure && one.b.figure;
    return both ? std::string("not compared: ") + explained(one.basis) : "not compared";
  }
  const SpeedUp& ratio = *one.b_over_a;
  const std::string interval =
      ratio.high > ratio.low ? fmt::format("{:.4f} to {:.4f}, ", ratio.low, ratio.high) : "";
  const char* verdict = is_faster(one)   ? "B is better"
                        : is_slower(one) ? "B is worse"
                                         : "not to be told apart";
  return fmt::format("B over A: {:.4f} times ({}{}): {}", ratio.ratio, interval,
                     explained(one.basis), verdict);
}

void print(const Comparison& one) {
  const bool same = one.a.device == one.b.device;
  std::cout << for_terminal(fmt::format("{}, {}{}", one.kernel, one.size.label(),
                                        same ? ", " + one.a.device : ""))
            << "\n";
  for (const auto& [letter, side] : {std::pair{'A', &one.a}, std::pair{'B', &one.b}}) {
    std::cout << for_terminal(fmt::format("  {}  {}{}", letter, figure_text(one, *side),
                                          same ? "" : "  " + side->device))
              << "\n";
  }
  std::cout << "  " << ratio_text(one) << "\n";
  const auto list = [](const char* what, const std::vector<std::string>& parts) {
    if (parts.empty()) return;
    std::cout << "  " << what << ": " << for_terminal(fmt::format("{}", fmt::join(parts, ", ")))
              << "\n";
  };
  if (one.a.figure && one.b.figure && one.configuration.empty()) {
    std::cout << "  the same configuration\n";
  }
  list("configuration", one.configuration);
  list("measured with", one.context);
}

// Of those that have a ratio.
double geometric_mean(const std::vector<Comparison>& all) {
  double sum = 0;
  double n = 0;
  for (const Comparison& one : all) {
    if (!one.b_over_a) continue;
    sum += std::log(one.b_over_a->ratio);
    ++n;
  }
  return n > 0 ? std::exp(sum / n) : 1;
}

void print(const Compared& compared, const CompareOptions& options) {
  std::cout << for_terminal("A: " + options.a) << "\n" << for_terminal("B: " + options.b) << "\n\n";
  for (const Comparison& one : compared.common) {
    print(one);
    std::cout << "\n";
  }
  for (const std::string& place : compared.only_a) {
    std::cout << "only in A: " << for_terminal(place) << "\n";
  }
  for (const std::string& place : compared.only_b) {
    std::cout << "only in B: " << for_terminal(place) << "\n";
  }
  const auto faster = std::ranges::count_if(compared.common, is_faster);
  const auto slower = std::ranges::count_if(compared.common, is_slower);
  std::cout << fmt::format(
      "{} compared: B is better in {}, worse in {}; geometric mean of B over A {:.4f}\n",
      compared.common.size(), faster, slower, geometric_mean(compared.common));
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

Json json_of(const Comparison& one) {
  Json size = Json::object();
  for (const auto& [name, extent] : one.size.dims) size[name] = extent;
  Json out{{"kernel", one.kernel},
           {"size", size},
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

Json json_of(const Compared& compared, const CompareOptions& options) {
  Json all = Json::array();
  for (const Comparison& one : compared.common) all.push_back(json_of(one));
  return {{"a", options.a},
          {"b", options.b},
          {"comparisons", all},
          {"only_a", compared.only_a},
          {"only_b", compared.only_b},
          {"geometric_mean", geometric_mean(compared.common)}};
}

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
  if (options.json) {
    std::cout << dump(json_of(compared, options), 2) << "\n";
  } else {
    print(compared, options);
  }
  const bool any = std::ranges::any_of(
      compared.common, [](const Comparison& one) { return one.b_over_a.has_value(); });
  const bool failed =
      options.fail_above && std::ranges::any_of(compared.common, [&](const Comparison& one) {
        return one.b_over_a && 1 / one.b_over_a->high - 1 > *options.fail_above;
      });
  return any && !failed ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
