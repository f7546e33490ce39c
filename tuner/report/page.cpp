// Puts the page together: each set as columns of JSON, and how much each parameter matters.

#include "tuner/report/page.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tuner/base/text.h"
#include "tuner/model/bound.h"
#include "tuner/model/figures.h"
#include "tuner/model/file_marks.h"
#include "tuner/model/json_text.h"
#include "tuner/model/trial_figures.h"
#include "tuner/report/columns.h"
#include "tuner/report/forest.h"

namespace tuner {

// The parts of the page that are the same for every report: the files of the folder page, embedded
// when the program is built. In page.html, words that begin with TUNER_ stand for the other parts.
extern const std::string_view kPageText;    // page.html
extern const std::string_view kStyleText;   // style.css
extern const std::string_view kScriptText;  // all .js files, in the order in which they run

namespace {

using Json = nlohmann::ordered_json;

// How much each parameter of a set matters for what was measured: one number for each parameter, 0
// where it has one value. Of the logarithms of the figures, where all are positive: of the
// search's, and of the final's where those are not known.
Importance importance_of(const ReportSet& set) {
  std::vector<const Trial*> measured;
  Observations data;
  for (const Trial& trial : set.ranked.trials) {
    const Figures figures = figures_of(trial, set.objective);
    const auto& figure = figures.search ? figures.search : figures.final_round;
    if (!figure || !std::isfinite(figure->value) || trial.outdated) continue;
    if (trial.configuration.size() != set.parameters.size()) continue;
    measured.push_back(&trial);
    data.y.push_back(figure->value);
  }
  if (std::ranges::all_of(data.y, [](double y) { return y > 0; })) {
    for (double& y : data.y) y = std::log(y);
  }
  std::vector<std::size_t> places;  // of the parameters that have features
  for (std::size_t p = 0; p < set.parameters.size(); ++p) {
    std::vector<std::string> texts;
    texts.reserve(measured.size());
    for (const Trial* trial : measured) texts.push_back(to_text(trial->configuration[p]));
    std::vector<std::string> values;
    const std::vector<std::uint32_t> codes = codes_of(texts, values);
    if (values.size() < 2 || values.size() > 65535) continue;
    data.codes.emplace_back(codes.begin(), codes.end());
    places.push_back(p);
  }
  Importance found = permutation_importance(data);
  Importance out{std::vector<double>(set.parameters.size()), found.explained, found.rows};
  for (std::size_t i = 0; i < places.size(); ++i) out.features[places[i]] = found.features[i];
  return out;
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMessageBytes = 4000;

template <typename Text>
Json coded(const std::vector<Trial>& trials, const Text& text) {
  std::vector<std::string> rows;
  rows.reserve(trials.size());
  for (const Trial& trial : trials) rows.push_back(text(trial));
  return coded_column(rows);
}

template <typename Number>
Json numbers(const std::vector<Trial>& trials, int digits, const Number& number) {
  std::vector<double> rows;
  rows.reserve(trials.size());
  for (const Trial& trial : trials) rows.push_back(number(trial));
  return number_column(rows, digits);
}

std::string known(std::int64_t value) { return value < 0 ? "" : std::to_string(value); }

// How far an end of an interval is from its middle, in hundredths of a percent.
double distance(double end, double middle) {
  const double off = std::abs(end - middle) / std::abs(middle) * 1e4;
  return std::isfinite(off) ? std::round(off) : kUnknown;
}

Json searches_of(const ReportSet& set) {
  std::vector<double> value, low, high;
  for (const Trial& trial : set.ranked.trials) {
    const auto figure = figures_of(trial, set.objective).search;
    value.push_back(figure ? figure->value : kUnknown);
    low.push_back(figure ? distance(figure->low, figure->value) : kUnknown);
    high.push_back(figure ? distance(figure->high, figure->value) : kUnknown);
  }
  return {{"value", number_column(value, 6)},
          {"low", number_column(low, 6)},
          {"high", number_column(high, 6)}};
}

// One list for each metric of these rows.
Json metrics_of(const std::vector<const Metrics*>& all) {
  std::vector<std::string> names;
  for (const Metrics* one : all) {
    for (const auto& [name, value] : *one) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  Json out = Json::array();
  for (const std::string& name : names) {
    std::vector<double> rows;
    for (const Metrics* one : all) {
      const auto found = std::ranges::find(*one, name, [](const auto& m) { return m.first; });
      rows.push_back(found == one->end() ? kUnknown : found->second);
    }
    out.push_back({{"name", name}, {"rows", number_column(rows, 5)}});
  }
  return out;
}

Json finals_of(const ReportSet& set) {
  std::vector<double> row, value, low, high;
  std::vector<const Metrics*> metrics;
  for (std::size_t i = 0; i < set.ranked.trials.size(); ++i) {
    const auto figure = figures_of(set.ranked.trials[i], set.objective).final_round;
    if (!figure) continue;
    metrics.push_back(&set.ranked.trials[i].final->metrics);
    row.push_back(static_cast<double>(i));
    value.push_back(figure->value);
    low.push_back(distance(figure->low, figure->value));
    high.push_back(distance(figure->high, figure->value));
  }
  return {{"row", number_column(row, 9)},
          {"value", number_column(value, 6)},
          {"low", number_column(low, 6)},
          {"high", number_column(high, 6)},
          {"metrics", metrics_of(metrics)}};
}

Json parameters_of(const ReportSet& set) {
  Json out = Json::array();
  for (std::size_t p = 0; p < set.parameters.size(); ++p) {
    Json one = coded(set.ranked.trials, [&](const Trial& trial) {
      return p < trial.configuration.size() ? to_text(trial.configuration[p]) : std::string();
    });
    one["name"] = set.parameters[p];
    out.push_back(std::move(one));
  }
  return out;
}

// Returns the marks of a row in a ranking: "=" tied with the best, "*" on the front, "d" dropped.
std::string marks(const RankedResults& ranked, std::size_t row) {
  std::string text = row < ranked.tied.size() && ranked.tied[row] ? "=" : "";
  if (row < ranked.front.size() && ranked.front[row]) text += "*";
  return ranked.trials[row].state == TrialState::kDropped ? text + "d" : text;
}

// The figures that only some rankings have.
std::vector<const TrialFigure*> further_figures(const ReportSet& set) {
  std::vector<const TrialFigure*> found;
  for (const TrialFigure& one : trial_figures()) {
    if (one.json == TrialFigure::Json::kIfKnown && is_known(one, set.ranked.trials))
      found.push_back(&one);
  }
  return found;
}

Json columns_of(const ReportSet& set) {
  const std::vector<Trial>& trials = set.ranked.trials;
  std::vector<std::string> marked;
  for (std::size_t i = 0; i < trials.size(); ++i) marked.push_back(marks(set.ranked, i));
  Json out{{"marks", coded_column(marked)}};
  out["state"] = coded(trials, [](const Trial& t) { return std::string(name_of(t.state)); });
  out["message"] = coded(trials, [](const Trial& t) { return t.message.substr(0, kMessageBytes); });
  out["samples"] = coded(trials, [](const Trial& t) {
    return is_time(t.timing.median) ? std::to_string(sample_count(t.timing)) : std::string();
  });
  out["registers"] = coded(trials, [](const Trial& t) { return known(t.resources.registers); });
  out["shared"] = coded(trials, [](const Trial& t) {
    const std::int64_t fixed = std::max<std::int64_t>(t.resources.static_shared_bytes, 0);
    return t.resources.registers < 0
               ? std::string()
               : std::to_string(fixed + static_cast<std::int64_t>(t.geometry.dynamic_shared_bytes));
  });
  out["spills"] = coded(trials, [](const Trial& t) { return known(t.resources.spill_bytes); });
  out["occupancy"] = coded(trials, [](const Trial& t) {
    return t.occupancy < 0 ? std::string() : to_text(t.occupancy);
  });
  if (std::ranges::any_of(trials, [](const Trial& t) { return share_of_limit(t).has_value(); })) {
    out["limit"] = coded(trials, share_text);
  }
  if (std::ranges::any_of(trials,
                          [](const Trial& t) { return bound_of(t.counters).has_value(); })) {
    out["bound"] = coded(trials, [](const Trial& t) {
      const auto bound = bound_of(t.counters);
      return bound ? bound->text : std::string();
    });
  }
  for (const TrialFigure* one : further_figures(set)) {
    out[one->name] = coded(trials, [&](const Trial& t) { return figure_text(*one, t); });
  }
  out["compile_ms"] = numbers(trials, 3, [](const Trial& t) { return t.compile_ms; });
  out["error"] =
      numbers(trials, 2, [](const Trial& t) { return t.max_error < 0 ? kUnknown : t.max_error; });
  return out;
}

// How many times as good the best is as what the study calls its baseline.
Json baseline_of(const ReportSet& set) {
  const auto& baseline = set.ranked.baseline;
  if (!baseline || !baseline->at || baseline->speedups.empty()) return nullptr;
  const Speedup& best = baseline->speedups.front();
  Json configuration = Json::object();
  for (std::size_t p = 0; p < set.parameters.size() && p < baseline->configuration.size(); ++p) {
    configuration[set.parameters[p]] = value_to_json(baseline->configuration[p]);
  }
  return {{"ratio", best.ratio},
          {"low", best.low},
          {"high", best.high},
          {"by_final", best.by_final},
          {"configuration", configuration}};
}

// How many times as fast the best was as the reference in the run that measured it: the time of a
// reference is like one of the search.
Json reference_of(const ReportSet& set) {
  if (set.ranked.ranked == 0) return nullptr;
  const Trial& best = set.ranked.trials.front();
  if (!best.reference_ms || !(best.timing.median > 0)) return nullptr;
  return {{"ms", *best.reference_ms}, {"ratio", *best.reference_ms / best.timing.median}};
}

Json verified(const RankedResults& ranked) {
  if (!ranked.unverified) return nullptr;
  return ranked.unverified->empty() ? Json(true) : Json(*ranked.unverified);
}

// When what came, and what it took.
Json course_of(const ReportSet& set) {
  if (set.seconds.empty()) return nullptr;
  return {{"seconds", number_column(set.seconds, 7)},
          {"order", numbers(set.ranked.trials, 9,
                            [](const Trial& t) { return static_cast<double>(t.index); })},
          {"cost_s", numbers(set.ranked.trials, 3, [](const Trial& t) { return t.cost_seconds; })}};
}

// Encodes one set for the page, as columns.
Json json_of(const ReportSet& set) {
  const Importance importance = importance_of(set);
  std::vector<const Metrics*> metrics;
  for (const Trial& trial : set.ranked.trials) metrics.push_back(&trial.metrics);
  Json dims = Json::object();
  for (const auto& [name, extent] : set.ranked.size.dims) dims[name] = extent;
  Json further = Json::array();
  for (const TrialFigure* one : further_figures(set)) further.push_back(one->name);
  return {{"kernel", set.kernel},
          {"device", set.ranked.device.name},
          {"size", set.ranked.size.label()},
          {"dims", dims},
          {"date", set.ranked.date},
          {"rows", set.ranked.trials.size()},
          {"ranked", set.ranked.ranked},
          {"objective", {{"name", set.objective.name}, {"maximize", set.objective.maximize}}},
          {"verified", verified(set.ranked)},
          {"provenance", set.provenance},
          {"remarks", set.remarks},
          {"stale", set.stale},
          {"next", set.next},
          {"parameters", parameters_of(set)},
          {"importance",
           {{"shares", number_column(importance.features, 4)},
            {"explained", importance.explained},
            {"rows", importance.rows}}},
          {"baseline", baseline_of(set)},
          {"reference", reference_of(set)},
          {"search", searches_of(set)},
          {"final", finals_of(set)},
          {"metrics", metrics_of(metrics)},
          {"columns", columns_of(set)},
          {"further", further},
          {"course", course_of(set)}};
}

std::string html_of(std::string_view text) {
  std::string out(text);
  const std::pair<const char*, const char*> kMarks[] = {
      {"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}};
  for (const auto& [mark, name] : kMarks) out = replaced(std::move(out), mark, name);
  return out;
}

// JSON that may stand in a script element: nothing in it ends the element or begins a comment.
std::string inert(const std::string& json) {
  std::string out;
  for (const char c : json) out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return out;
}

// Each word once, left to right: what is put in is not looked at again.
std::string filled(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string>>& words) {
  std::string out;
  while (!text.empty()) {
    std::size_t first = std::string_view::npos;
    const std::pair<std::string_view, std::string>* found = nullptr;
    for (const auto& word : words) {
      const std::size_t at = text.find(word.first);
      if (at < first) {
        first = at;
        found = &word;
      }
    }
    out += text.substr(0, first);
    if (found == nullptr) break;
    out += found->second;
    text.remove_prefix(first + found->first.size());
  }
  return out;
}

Json json_of(const ReportData& data) {
  Json sets = Json::array();
  for (const ReportSet& set : data.sets) sets.push_back(json_of(set));
  Json limits = Json::object();
  for (const MetricLimit& limit : data.limits) limits[limit.metric] = limit.value;
  return {{"tuner", data.version}, {"title", data.title}, {"limits", limits}, {"sets", sets}};
}

}  // namespace

std::string report_page(const ReportData& data) {
  return kReportMark + html_of(data.version) + "; do not edit. -->\n" +
         filled(kPageText, {{"TUNER_TITLE", html_of(data.title)},
                            {"TUNER_STYLE", std::string(kStyleText)},
                            {"TUNER_DATA", inert(dump(json_of(data)))},
                            {"TUNER_SCRIPT", std::string(kScriptText)}});
}

}  // namespace tuner
