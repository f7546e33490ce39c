// Studies, where the installation is, and searches for those who measure themselves.

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "tuner/check/checked_study.h"
#include "tuner/check/size_check.h"
#include "tuner/library/state.h"
#include "tuner/plugin/loader.h"
#include "tuner/plugin/space_table.h"
#include "tuner/resolve/resolve.h"
#include "tuner/study/yaml_reader.h"

namespace libtuner {

namespace fs = std::filesystem;

namespace {

std::string prefix_of(const Installation& installation) {
  if (!installation.prefix.empty()) return installation.prefix;
  return tuner::module_file().parent_path().parent_path().string();
}

}  // namespace

Study Study::load(const std::string& path) {
  return guarded([&] {
    auto file = tuner::read_study_file(path);
    Study out;
    out.state_ = std::make_unique<State>();
    out.state_->study = std::move(file.study);
    for (const tuner::Complaint& warning : file.warnings) {
      out.state_->warnings.push_back(warning.message);
    }
    return out;
  });
}
Study::Study() = default;
Study::~Study() = default;
Study::Study(Study&&) noexcept = default;
Study& Study::operator=(Study&&) noexcept = default;

std::vector<std::string> Study::sizes() const {
  std::vector<std::string> out;
  for (const tuner::ProblemSize& size : state_->study.sizes) out.push_back(text_of(size));
  return out;
}

std::vector<std::string> Study::warnings() const { return state_->warnings; }

std::string text_of(const tuner::ProblemSize& size) {
  std::string out;
  for (const auto& [name, extent] : size.dims) {
    out += (out.empty() ? "" : ",") + name + "=" + std::to_string(extent);
  }
  return out;
}

std::string program_of(const Installation& installation) {
  return (fs::path(prefix_of(installation)) / "bin" / "tuner").string();
}

tuner::Catalogue load_catalogue(const Installation& installation) {
  return tuner::Catalogue::load(
      tuner::plugin_search(fs::path(prefix_of(installation)) / "bin", "",
                           {installation.plugin_dirs.begin(), installation.plugin_dirs.end()}));
}

std::uint64_t count_of(std::uint64_t evaluations) {
  const auto as_signed = static_cast<std::int64_t>(evaluations);
  if (as_signed < 0) throw Error(fmt::format("evaluations is {}: at least 0 is needed", as_signed));
  return evaluations;
}

unsigned workers_of(unsigned jobs) {
  constexpr unsigned kMostJobs = 4096;
  const auto as_signed = static_cast<int>(jobs);
  if (jobs > kMostJobs)
    throw Error(fmt::format("jobs is {}: 0 to {} is allowed", as_signed, kMostJobs));
  return jobs;
}

double seconds_of(double seconds) {
  if (!(seconds >= 0)) throw Error(fmt::format("seconds is {}: at least 0 is needed", seconds));
  return seconds;
}

tuner::OptionList option_list(const Options& options) {
  tuner::OptionList out;
  for (const auto& [name, value] : options) out.push_back({name, value});
  return out;
}

tuner::SearchSpec search_of(const tuner::Study& study, const std::string& strategy,
                            const Options& options) {
  if (strategy.empty()) return study.search;
  tuner::SearchSpec search = study.search;
  search.strategy = strategy;
  search.options = option_list(options);
  search.where = {};
  return search;
}

Configuration with_names(const std::vector<tuner::Parameter>& parameters,
                         const tuner::Configuration& values) {
  Configuration out;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    out.emplace_back(parameters[i].name, values[i]);
  }
  return out;
}

using tuner::ConfigIndex;

struct Search::State {
  State(const tuner::Study& study, const tuner::ProblemSize& size, const SearchSettings& settings)
      : space(tuner::SearchSpace::build(tuner::space_definition(study, size, {}))),
        catalogue(load_catalogue(settings.installation)) {
    tuner::SearchSpec search = search_of(study, settings.strategy, settings.options);
    if (settings.evaluations > 0) search.budget.evaluations = count_of(settings.evaluations);
    strategy = catalogue.make_strategy(search.strategy, tuner::space_table(space), settings.seed,
                                       search.budget, search.options, search.where);
  }

  Configuration configuration(ConfigIndex index) const {
    return with_names(space.parameters(), space.configuration(index));
  }

  // The index behind a number that is open.
  ConfigIndex taken(std::uint64_t question) {
    const auto found = open.find(question);
    if (found == open.end()) {
      throw Error("question " + std::to_string(question) + " is not open");
    }
    const ConfigIndex index = found->second;
    open.erase(found);
    return index;
  }

  tuner::SearchSpace space;
  tuner::Catalogue catalogue;
  std::unique_ptr<tuner::Strategy> strategy;
  std::map<std::uint64_t, ConfigIndex> open;
  std::uint64_t last = 0;
  std::optional<std::pair<ConfigIndex, double>> best;
};

Search::Search(const Study& study, const SearchSettings& settings) {
  guarded([&] {
    const tuner::Study& plain = study.state_->study;
    const tuner::ProblemSize size = settings.size.empty()
                                        ? plain.sizes.front()
                                        : tuner::parse_size_option(settings.size, plain);
    state_ = std::make_unique<State>(plain, size, settings);
  });
}
Search::~Search() = default;
Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;

std::uint64_t Search::size() const { return state_->space.size(); }

std::vector<Search::Question> Search::ask(std::size_t count) {
  return guarded([&] {
    std::vector<Question> out;
    for (const ConfigIndex index : state_->strategy->ask(count)) {
      state_->open.emplace(++state_->last, index);
      out.push_back({state_->last, state_->configuration(index)});
    }
    return out;
  });
}

void Search::tell(std::uint64_t question, double value, double seconds) {
  if (!std::isfinite(value)) return fail(question);
  guarded([&] {
    seconds_of(seconds);
    const ConfigIndex index = state_->taken(question);
    if (!state_->best || value < state_->best->second) state_->best.emplace(index, value);
    state_->strategy->tell({index, tuner::state_number(tuner::TrialState::kOk), {value}, seconds});
  });
}

void Search::fail(std::uint64_t question) {
  guarded([&] {
    state_->strategy->tell(
        {state_->taken(question), tuner::state_number(tuner::TrialState::kRuntime), {}, 0});
  });
}

std::optional<Search::Answer> Search::best() const {
  if (!state_->best) return std::nullopt;
  return Answer{state_->configuration(state_->best->first), state_->best->second};
}

}  // namespace libtuner
