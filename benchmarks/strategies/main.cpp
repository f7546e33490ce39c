// Scores strategies on recorded spaces.

#include <fmt/ostream.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "benchmarks/strategies/first.h"
#include "benchmarks/strategies/study.h"
#include "benchmarks/strategies/table.h"
#include "benchmarks/strategies/within.h"
#include "tuner/history/stored_results.h"

namespace {

namespace options = boost::program_options;
using tuner::bench::Arena;
using tuner::bench::Row;
using tuner::bench::Run;

constexpr const char* kUsage =
    "bench_strategies [options] RECORDING...\n\n"
    "Replays recorded spaces (Kernel Tuner cache or T4, also .gz) and prints the community's "
    "score\n"
    "of each strategy: 0 is random search, 1 is at the optimum at once. With --within, instead: "
    "how "
    "soon\nit comes near the best; with --first, how far it is from it after so many answers.\n\n"
    "  bench_strategies --strategy default --strategy genetic:population=30 *.json.gz\n\n"
    "Options";

void write_trace(const std::filesystem::path& path, const std::vector<Run>& runs) {
  std::ofstream out(path);
  fmt::print(out, "run,eval,time_s,objective\n");
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (std::size_t i = 0; i < runs[r].seconds.size(); ++i) {
      const double objective = runs[r].objective[i];
      fmt::print(out, "{},{},{},{}\n", r, i + 1, runs[r].seconds[i],
                 std::isnan(objective) ? "" : fmt::format("{}", objective));
    }
  }
}

void print_budgets(const std::vector<std::unique_ptr<Arena>>& arenas) {
  fmt::print(std::cout, "recording,configurations,cutoff_evaluations,budget_seconds\n");
  for (const auto& arena : arenas) {
    const auto& parallel = arena->parallel_scale();
    fmt::print(std::cout, "{},{},{},{:.1f}\n", arena->recording().name,
               arena->recording().entries.size(), arena->scale().budget_evaluations(),
               parallel ? parallel->budget_seconds() : arena->scale().budget_seconds());
  }
}

// "1,8,32"
std::vector<std::size_t> counts_of(const std::string& text) {
  std::vector<std::size_t> counts;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    const auto [end, error] =
        std::from_chars(item.data(), item.data() + item.size(), counts.emplace_back());
    if (error != std::errc() || end != item.data() + item.size() || counts.back() == 0) {
      throw std::invalid_argument("--first is a list of whole numbers, such as 1,8,32, not '" +
                                  text + "'");
    }
  }
  return counts;
}

// The first of `words` in the recording's name, else the kernel's name: recordings of one kernel.
std::string group_of(const Arena& arena, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (arena.recording().name.find(word) != std::string::npos) return word;
  }
  return arena.recording().kernel;
}

tuner::bench::StudySetup setup_of(const options::variables_map& given) {
  tuner::bench::StudySetup setup;
  setup.seed = given["seed"].as<std::uint64_t>();
  setup.repeats = given["repeats"].as<std::size_t>();
  setup.small_repeats = std::max(setup.repeats, given["small-repeats"].as<std::size_t>());
  setup.jobs = given["jobs"].as<std::size_t>();
  setup.compile_workers = given["compile-workers"].as<unsigned>();
  setup.evaluations = given["evaluations"].as<std::size_t>();
  setup.bags = given["bags"].as<int>();
  setup.threads = given["threads"].as<unsigned>();
  setup.within = given["within"].as<double>();
  setup.warm.evaluations = given["warm-evaluations"].as<std::size_t>();
  return setup;
}

int run(const options::variables_map& given) {
  tuner::bench::StudySetup setup = setup_of(given);
  tuner::Recording earlier;
  if (given.contains("warm-start")) {
    earlier = tuner::read_any_recording(given["warm-start"].as<std::string>());
    setup.warm.recording = &earlier;
  }
  std::vector<std::unique_ptr<Arena>> arenas;
  std::vector<std::string> names;
  std::vector<std::string> groups;
  for (const auto& file : given["recording"].as<std::vector<std::string>>()) {
    arenas.push_back(
        std::make_unique<Arena>(tuner::read_any_recording(file), setup.compile_workers));
    names.push_back(arenas.back()->recording().name);
    groups.push_back(group_of(*arenas.back(), given["group"].as<std::vector<std::string>>()));
  }
  if (given.contains("info")) {
    print_budgets(arenas);
    return 0;
  }

  auto strategies = given["strategy"].as<std::vector<std::string>>();
  if (strategies.empty()) strategies = tuner::bench::strategy_names();
  std::vector<Row> rows;
  std::vector<tuner::bench::WithinRow> near_best;
  const auto counts = counts_of(given["first"].as<std::string>());
  std::vector<tuner::bench::FirstRow> first;
  for (const std::string& text : strategies) {
    const auto choice = tuner::bench::parse_choice(text);
    Row row{choice.label, {}, {}, 0};
    for (std::size_t a = 0; a < arenas.size(); ++a) {
      const auto& arena = arenas[a];
      const auto scored = arena->play(choice, setup);
      row.scores.push_back(scored.score);
      if (setup.compile_workers > 0) row.least_eighths.push_back(scored.least_eighth);
      row.milliseconds = std::max(row.milliseconds, scored.milliseconds_per_proposal);
      near_best.push_back({arena->recording().name, choice.label,
                           tuner::bench::within(arena->recording(), scored.runs, setup.within)});
      first.push_back(tuner::bench::first_answers(arena->recording(), groups[a], choice.label,
                                                  scored.runs, counts));
      if (given.contains("traces")) {
        write_trace(std::filesystem::path(given["traces"].as<std::string>()) /
                        (arena->recording().name + "__" + choice.name + ".csv"),
                    scored.runs);
      }
    }
    if (setup.within <= 0 && counts.empty())
      fmt::print(std::cerr, "{}: {:.3f}\n", row.label, row.mean());
    rows.push_back(std::move(row));
  }
  if (!counts.empty()) {
    std::ranges::stable_sort(first, {}, &tuner::bench::FirstRow::recording);
    tuner::bench::print_first(std::cout, first, counts);
    return 0;
  }
  if (setup.within > 0) {
    std::ranges::stable_sort(near_best, {}, &tuner::bench::WithinRow::recording);
    tuner::bench::print_within(std::cout, near_best, setup.within);
    return 0;
  }
  tuner::bench::print_table(std::cout, rows, names);
  if (given.contains("nested")) {
    fmt::print(std::cout, "\n");
    tuner::bench::print_nested(std::cout, rows, groups);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  options::options_description visible(kUsage);
  const std::vector<std::string> none;
  visible.add_options()("help", "this text")(
      "strategy", options::value<std::vector<std::string>>()->default_value(none, "all"),
      "name:option=value,... (repeatable)")(
      "repeats", options::value<std::size_t>()->default_value(25), "runs, seeds seed..seed+N-1")(
      "small-repeats", options::value<std::size_t>()->default_value(25),
      "at least so many where the score's budget is below 100 evaluations")(
      "within", options::value<double>()->default_value(0),
      "0.01: print evaluations and seconds until within 1 % of the best")(
      "first", options::value<std::string>()->default_value(""),
      "1,8,32: print how much of the best there is after so many answers")(
      "warm-start", options::value<std::string>(), "recording of which strategies are told before")(
      "warm-evaluations", options::value<std::size_t>()->default_value(0),
      "tell only what 'default' measures of it with so many evaluations; 0: all")(
      "seed", options::value<std::uint64_t>()->default_value(1), "of the first run")(
      "jobs", options::value<std::size_t>()->default_value(1), "questions open at the same time")(
      "compile-workers", options::value<unsigned>()->default_value(0),
      "by the clock of so many compile workers and one device, strategies' computing included; 0: "
      "one configuration after the other")(
      "evaluations", options::value<std::size_t>()->default_value(0),
      "budget; 0: 1.1 times the score's own, with --within none")(
      "bags", options::value<int>()->default_value(100), "bootstrap samples of the score")(
      "threads", options::value<unsigned>()->default_value(std::thread::hardware_concurrency()),
      "runs at the same time")("traces", options::value<std::string>(), "write traces there")(
      "info", "only print sizes and budgets")(
      "nested", "also: choose among the strategies on all kernels but one, judge on that one")(
      "group", options::value<std::vector<std::string>>()->default_value(none, "by kernel"),
      "recordings whose name holds this word are one kernel (repeatable)");
  options::options_description all;
  all.add(visible).add_options()("recording", options::value<std::vector<std::string>>());
  options::positional_options_description positional;
  positional.add("recording", -1);
  options::variables_map given;
  options::store(options::command_line_parser(argc, argv).options(all).positional(positional).run(),
                 given);
  options::notify(given);
  if (given.contains("help") || !given.contains("recording")) {
    std::cout << visible << "\n";
    return given.contains("help") ? 0 : 2;
  }
  return run(given);
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 2;
}
