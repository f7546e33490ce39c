// Weighs each configuration by what it loses on the machine that it suits least.

#include "tuner/deploy/worst_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "tuner/deploy/tuned_table.h"
#include "tuner/search/ranking.h"

namespace tuner {
namespace {

constexpr double kWorthMoving = 0.001;

using LossOf = std::map<Configuration, double>;

LossOf losses_in(const Study& study, const RankedResults& results) {
  LossOf losses;
  for (std::size_t i = 0; i < results.ranked; ++i) {
    const Trial& trial = results.trials[i];
    if (trial.state != TrialState::kOk) continue;
    losses.emplace(trial.configuration, loss_of(study, results, trial));
  }
  return losses;
}

bool same_place(const RankedResults& a, const RankedResults& b) {
  return is_one_model(a.device, b.device) && a.size == b.size;
}

struct AtWorst {
  double loss = 0;       // over the machines that know it
  bool is_known = true;  // on all of them
};

AtWorst at_worst(const Configuration& one, const std::vector<LossOf>& machines) {
  AtWorst out;
  for (const LossOf& losses : machines) {
    const auto found = losses.find(one);
    if (found == losses.end()) {
      out.is_known = false;
    } else {
      out.loss = std::max(out.loss, found->second);
    }
  }
  return out;
}

template <typename T>
void to_front(std::vector<T>& items, std::size_t at) {
  if (at >= items.size()) return;
  const auto middle = items.begin() + static_cast<std::ptrdiff_t>(at);
  std::rotate(items.begin(), middle, middle + 1);
}

void rank_first(RankedResults& results, std::size_t at) {
  to_front(results.trials, at);
  to_front(results.tied, at);
  to_front(results.front, at);
  if (!results.baseline) return;
  to_front(results.baseline->speedups, at);
  if (auto& place = results.baseline->at; place && *place <= at) {
    place = *place == at ? 0 : *place + 1;
  }
}

WorstCase prefer(const std::vector<LossOf>& machines, RankedResults& results) {
  const Configuration winner = results.trials.front().configuration;
  const AtWorst stays = at_worst(winner, machines);
  WorstCase out{results.device.name, results.size, machines.size(), winner};
  out.winner_is_known = stays.is_known;
  out.loss = out.loss_of_winner = stays.loss;
  std::optional<std::size_t> best;
  double least = stays.is_known ? stays.loss - kWorthMoving : INFINITY;
  for (std::size_t i = 0; i < results.ranked; ++i) {
    const Trial& trial = results.trials[i];
    if (trial.state != TrialState::kOk) continue;
    const bool below_baseline = results.baseline && i < results.baseline->speedups.size() &&
                                results.baseline->speedups[i].high < 1;
    const AtWorst worst = at_worst(trial.configuration, machines);
    if (below_baseline || !worst.is_known || worst.loss >= least) continue;
    least = worst.loss;
    best = i;
  }
  if (!best || *best == 0) return out;
  out.chosen = results.trials[*best].configuration;
  out.loss = least;
  out.moved = true;
  rank_first(results, *best);
  return out;
}

}  // namespace

std::vector<WorstCase> prefer_worst_case(const Study& study,
                                         const std::vector<RankedResults>& others,
                                         std::vector<RankedResults>& results) {
  std::vector<WorstCase> cases;
  for (RankedResults& here : results) {
    if (here.ranked == 0) continue;
    std::vector<LossOf> machines{losses_in(study, here)};
    for (const RankedResults& other : others) {
      if (other.ranked > 0 && same_place(here, other)) machines.push_back(losses_in(study, other));
    }
    if (machines.size() > 1) cases.push_back(prefer(machines, here));
  }
  return cases;
}

std::string worst_case_report(const Study& study, const std::vector<WorstCase>& cases) {
  std::string out;
  for (const WorstCase& one : cases) {
    out += fmt::format("{} {}, {} machines: ", one.device, one.size.label(), one.machines);
    if (one.moved) {
      out += fmt::format("{} loses {:.2f} % at worst, this machine's winner {}\n",
                         configuration_text(study.parameters, one.chosen), 100 * one.loss,
                         one.winner_is_known ? fmt::format("{:.2f} %", 100 * one.loss_of_winner)
                                             : "is not known on all of them");
    } else if (one.winner_is_known) {
      out += fmt::format("this machine's winner loses {:.2f} % at worst\n", 100 * one.loss);
    } else {
      out += "no configuration ran on all of them; this machine's winner stays\n";
    }
  }
  return out;
}

}  // namespace tuner
