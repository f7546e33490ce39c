// `tuner results`: prints the rankings that the store holds.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "tuner/base/atomic_file.h"
#include "tuner/base/child_process.h"
#include "tuner/base/text.h"
#include "tuner/bench/devices.h"
#include "tuner/check/checked_study.h"
#include "tuner/commands/asked_results.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/first_results.h"
#include "tuner/commands/result_sets.h"
#include "tuner/files/failure_report.h"
#include "tuner/files/ranked_csv.h"
#include "tuner/files/ranked_table.h"
#include "tuner/files/results_json.h"
#include "tuner/model/json_text.h"
#include "tuner/run/output_guard.h"
#include "tuner/study/yaml_reader.h"

namespace tuner {

std::string results_call(const StudyOptions& named, const std::string& results,
                         const ResultFilter& filter) {
  std::string text = "tuner results";
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += name + shell_word(value);
  };
  add(" ", named.study);
  if (named.no_verify) text += " --no-verify";
  for (const std::string& name : named.per) add(" --per ", name);
  if (results != Settings().results) add(" --results ", results);
  add(" --size ", filter.size);
  add(" --device ", filter.device);
  return text;
}

std::string failures_command(const StudyOptions& named, const std::string& results,
                             const ResultFilter& filter) {
  return results_call(named, results, filter) + " --failures";
}

namespace {

constexpr std::size_t kMostOfMessage = 2000;  // bytes of a failure's message in JSON

struct ResultsOptions : StudyOptions {  // `study` may also be where results are, or empty
  std::string results = "results";
  ResultFilter filter;
  std::size_t top = 10;
  std::string csv;
  bool force = false;
  bool here = false;
  bool all = false;                  // also what a plain run would not go on with
  bool failures = false;             // why variants failed, instead of the ranking
  Strings asked;                     // files of what applications asked for; instead of the ranking
  std::vector<std::size_t> first{};  // questions after which one looks, instead of the ranking
  bool json = false;
  std::string color = "auto";
};

ResultsOptions parse_results(const Strings& words) {
  ResultsOptions o;
  std::string first;
  OptionTable add;
  add.results(o.results);
  add.filter(o.filter);
  add("top", o.top, "how many to show");
  add("csv", o.csv, "write the ranked CSV to this file ('-' for standard output)");
  add.force(o.force);
  add("here", o.here,
      "with a STUDY: also show which results this machine's compiler and driver make stale");
  add("all", o.all,
      "also show results that a plain 'tuner run' would not continue: those of --random-order, and "
      "stale ones");
  add.t1(o);
  add("failures", o.failures,
      "why variants failed, by cause, with an example of each, instead of the ranking");
  add.asked(o.asked,
            "files of an application that was built with TUNER_COUNT_ASKED: how its sizes were "
            "answered, and what that loses against the best known now");
  add("first", first,
      "how far one was from the best after so many questions (1,8,32), instead of the ranking");
  add("json", o.json, "whatever is shown, as JSON");
  add.color(o.color);
  const auto values = add.parse(words, "tuner results [STUDY|DIR|FILE] [options]");
  if (o.json && !o.csv.empty()) wrong_usage("--json and --csv exclude each other");
  o.study = one_input(values, "study, folder or file of results", false);
  if (values.contains("first")) o.first = question_counts(first);
  if (!o.first.empty() && (o.failures || !o.csv.empty())) {
    wrong_usage("--first is instead of the ranking; it does not go with --failures or --csv");
  }
  return o;
}

namespace fs = std::filesystem;

void write_csv(const ResultsOptions& options, const std::vector<StoredResults>& all,
               const OutputGuard& guard) {
  const std::string& path = options.csv;
  if (all.size() != 1) {
    std::string which;
    for (const StoredResults& r : all) {
      which +=
          fmt::format("\n  {} on {}, {}", r.kernel, r.ranked.device.name, r.ranked.size.label());
    }
    wrong_usage("--csv takes one ranking; choose with --device and --size:" + which);
  }
  const std::string text = ranked_csv(all.front().ranked, all.front().parameters);
  if (path == "-") {
    std::cout << text;
  } else {
    guard.write(path, text);
  }
}

// Rankings of files have nothing beside them, and nothing that could be stale.
std::vector<StoredResults> in_files(const ResultsOptions& options) {
  std::vector<StoredResults> all = result_sets(options.study, nullptr, options.filter, tell);
  for (const StoredResults& set : all) {
    if (!set.has_store && !options.csv.empty()) {
      reject(options.study, "its rankings are CSV files already; --csv is for those of a database");
    }
  }
  return all;
}

std::vector<StoredResults> in_store(const ResultsOptions& options, const fs::path& directory,
                                    const Study* study) {
  if (!fs::exists(directory / "tuner.sqlite")) {
    wrong_usage("there are no results in '" + directory.string() +
                "': run 'tuner run' first, or name their folder with "
                "--results");
  }
  if (!holds_trials(directory, study != nullptr ? study->kernel.name : "")) {
    const std::string of = study != nullptr ? " of '" + study->kernel.name + "'" : "";
    wrong_usage("there are no results" + of + " in '" + directory.string() +
                "': run 'tuner run' first");
  }
  Store store = Store::open(directory, Store::Access::kRead);
  for (const std::string& note : store.notes()) tell(note);
  ResultFilter filter = options.filter;
  if (options.here) {
    filter.machine = [](const std::string& backend) {
      const Catalogue catalogue = load_plugins({});
      return machine_here({executable_path(), {}}, catalogue, backend, [](const std::string& why) {
        std::cerr << lines_for_terminal(why) << "\n";
      });
    };
  }
  auto all = stored_results(store, study, filter);
  return options.all ? all : newest_of_each(std::move(all));
}

// `more` shows all failures.
std::string stored_text(const StoredResults& results, const ResultsOptions& options,
                        const std::string& more, const Colours& colours) {
  const std::string& date = results.ranked.date;  // files do not tell it
  std::string text =
      for_terminal(fmt::format("{} on {}, {}{}", results.kernel, results.ranked.device.name,
                               results.ranked.size.label(),
                               date.empty() ? "" : fmt::format("  ({})", date))) +
      "\n";
  if (!results.imported.empty()) {
    text += "  imported from " + for_terminal(results.imported) + "\n";
  }
  if (const Hosts& hosts = results.of.hosts; !hosts.imported.empty()) {
    text += "  measured on " + for_terminal(listed(hosts.imported)) +
            (hosts.own.empty() ? "" : ", and in this folder") + "\n";
  }
  for (const std::string& reason : results.stale) {
    text += "  " + colours.doubtful("stale") + ", will be measured anew: " + for_terminal(reason) +
            "\n";
  }
  if (!results.options.empty()) text += "  measured with " + results.options + "\n";
  for (const std::string& other : results.others) {
    text += "  not shown (--all shows it): " + other + "\n";
  }
  if (options.failures) {
    return text + failure_report(results.ranked, results.parameters, colours) + "\n";
  }
  return text + ranked_table(results.ranked, results.parameters, options.top, colours) +
         colours.lines(failure_summary(results.ranked, results.parameters, more, colours)) + "\n";
}

// ---- as JSON ------------------------------------------------------------------------------------

using Json = nlohmann::ordered_json;

Json values_json(const StoredResults& of, const Trial& trial) {
  Json out = Json::object();
  for (std::size_t i = 0; i < of.parameters.size() && i < trial.configuration.size(); ++i) {
    out[of.parameters[i]] = value_to_json(trial.configuration[i]);
  }
  return out;
}

Json ranked_json(const StoredResults& of, std::size_t top) {
  Json out = Json::array();
  for (std::size_t i = 0; i < std::min(of.ranked.ranked, top); ++i) {
    const Trial& trial = of.ranked.trials[i];
    const Shown figures = shown(trial);
    Json metrics = Json::object();
    for (const auto& [name, value] : figures.metrics) metrics[name] = value;
    Json row{{"rank", i + 1},
             {"configuration", values_json(of, trial)},
             {"time_ms", figures.median_ms},
             {"ci_low_ms", figures.ci_low_ms},
             {"ci_high_ms", figures.ci_high_ms},
             {"basis", trial.final ? "final" : "search"},
             {"tie", i < of.ranked.tied.size() && of.ranked.tied[i]},
             {"metrics", std::move(metrics)},
             {"speedup", nullptr}};
    if (of.ranked.baseline && i < of.ranked.baseline->speedups.size()) {
      row["speedup"] = of.ranked.baseline->speedups[i].ratio;
    }
    out.push_back(std::move(row));
  }
  return out;
}

Json failures_json(const StoredResults& of) {
  Json out = Json::array();
  for (const FailureGroup& group : failure_groups(of.ranked)) {
    const Trial& trial = of.ranked.trials[group.example];
    out.push_back({{"state", name_of(group.state)},
                   {"count", group.count},
                   {"cause", group.cause},
                   {"configuration", values_json(of, trial)},
                   {"message", shortened(trial.message, kMostOfMessage)}});
  }
  return out;
}

// One device and size; the form is in docs/contract.md.
Json stored_json(const StoredResults& of, const ResultsOptions& options) {
  Json states = Json::object();
  for (const Trial& trial : of.ranked.trials) {
    Json& count = states[std::string(name_of(trial.state))];
    count = count.is_null() ? 1 : count.get<std::size_t>() + 1;
  }
  const std::string hint = about_wrong_answers(of.ranked, of.parameters);
  Json out{{"kernel", of.kernel},
           {"device", of.ranked.device.name},
           {"size", json_of(of.ranked.size)},
           {"date", of.ranked.date},
           {"stale", of.stale},
           {"states", std::move(states)},
           {"outside", of.ranked.outside},
           {"warnings", of.ranked.warnings},
           {"hint", hint.empty() ? Json(nullptr) : Json(hint)}};
  if (options.failures) {
    out["failures"] = failures_json(of);
  } else {
    out["ranked"] = ranked_json(of, options.top);
  }
  return out;
}

void print_json(const std::vector<StoredResults>& all, const ResultsOptions& options) {
  Json listed = Json::array();
  for (const StoredResults& one : all) listed.push_back(stored_json(one, options));
  std::cout << dump(Json{{"results", std::move(listed)}}, 2) << "\n";
}

// Shows what was asked for, with what is known now; nothing need have been measured.
int show_asked(const ResultsOptions& options) {
  if (options.study.empty() || holds_results(options.study)) {
    wrong_usage("--asked needs the study: tuner results STUDY --asked FILE...");
  }
  const Study study = with_t1_options(read_study(options.study), options);
  std::vector<AskedSize> asked = read_asked(options.asked, study);
  std::erase_if(asked, [&](const AskedSize& one) {
    DeviceFacts device;
    device.name = one.device;
    return !fits(device, one.size, options.filter);
  });
  std::vector<StoredResults> all;
  if (fs::exists(fs::path(options.results) / "tuner.sqlite")) {
    Store store = Store::open(options.results, Store::Access::kRead);
    all = newest_of_each(stored_results(store, &study, options.filter));
    std::erase_if(all, [](const StoredResults& one) { return !one.stale.empty(); });
  }
  std::cout << (options.json ? asked_json(study, asked, all)
                             : asked_table(study, asked, all, options.top));
  return kExitDone;
}

}  // namespace

int results_command(const Strings& words) {
  const ResultsOptions options = parse_results(words);
  if (!options.asked.empty()) return show_asked(options);
  const bool place = holds_results(options.study);
  const bool folder = place && fs::exists(fs::path(options.study) / "tuner.sqlite");
  const fs::path directory = folder ? options.study : options.results;
  std::optional<Study> study;
  if (!options.study.empty() && !place) study = with_t1_options(read_study(options.study), options);
  const std::vector<StoredResults> all =
      place && !folder ? in_files(options)
                       : in_store(options, directory, study ? &*study : nullptr);
  if (all.empty()) {
    if (options.json) print_json(all, options);
    std::cerr << "nothing has been measured that fits\n";
    return kExitNothingValid;
  }
  if (!options.first.empty()) {
    if (!all.front().has_store) {
      reject(options.study, "--first needs a database: a CSV file has no order of questions");
    }
    print_first(all, options.first, options.json);
  } else if (!options.csv.empty()) {
    OutputGuard guard(options.force);
    if (study) guard.protect(*study);
    guard.protect_store(directory);
    write_csv(options, all, guard);
  } else if (options.json) {
    print_json(all, options);
  } else {
    const std::string more = failures_command(options, options.results, options.filter);
    for (const StoredResults& results : all) {
      std::cout << stored_text(results, options, more, Colours(options.color, stdout));
    }
  }
  const bool any =
      std::ranges::any_of(all, [](const StoredResults& one) { return one.ranked.ranked > 0; });
  return any ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
