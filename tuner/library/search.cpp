// Space and strategy for those who measure themselves.

#include <algorithm>
#include <cmath>
#include <map>

#include "tuner/library/guarded.h"
#include "tuner/library/state.h"
#include "tuner/plugin/space_table.h"
#include "tuner/resolve/resolve.h"
#include "tuner/study/size_check.h"

namespace libtuner {

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
    state_->strategy->tell({index, tuner::TrialState::kOk, {value}, seconds});
  });
}

void Search::fail(std::uint64_t question) {
  guarded([&] {
    state_->strategy->tell({state_->taken(question), tuner::TrialState::kRuntime, {}, 0});
  });
}

std::optional<Search::Answer> Search::best() const {
  if (!state_->best) return std::nullopt;
  return Answer{state_->configuration(state_->best->first), state_->best->second};
}

}  // namespace libtuner
