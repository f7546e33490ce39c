// Runs walks: hands out their questions, wakes them with the answers, starts new ones (walker.h).

#include "tuner/plugins/strategies/classic/walker.h"

#include <algorithm>
#include <cmath>

namespace tuner::strategies {

// Walks are started suspended and run only from here, so an exception reaches ask() or tell(), not
// the coroutine's machinery.
void Walk::resume() {
  handle_.resume();
  if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
}

const Space& Guide::space() const { return owner_->history_.space(); }
const History& Guide::history() const { return owner_->history_; }

Guide::Measured Guide::measure(Index index) { return {this, index}; }

Guide::MeasuredAll Guide::measure_all(std::vector<Index> indices) {
  return {this, std::move(indices)};
}

Member Guide::measured(Index index) const {
  return {index, space().positions(index), history().find(index)->value};
}

Population Guide::MeasuredAll::await_resume() const {
  Population members;
  for (const Index index : indices_) members.push_back(guide_->measured(index));
  return members;
}

// They are asked for in any case, whether the walk waits for them or not.
std::vector<Index> Guide::fresh(std::size_t count) {
  std::vector<Index> out = owner_->history_.claim_fresh(count);
  questions_.insert(questions_.end(), out.begin(), out.end());
  if (!out.empty()) revisits_ = 0;
  return out;
}

std::vector<Index> Guide::sensible(std::size_t count) {
  std::vector<Index> out;
  while (out.size() < count) {
    const auto index = sensible_start(owner_->moves_, history(), owner_->source_, out);
    if (!index) break;
    owner_->history_.claim(*index);
    questions_.push_back(*index);
    revisits_ = 0;
    out.push_back(*index);
  }
  return out;
}

bool Guide::accepts(double worse, double temperature) {
  const double scale = temperature * history().spread();
  return !(worse > 0) || (scale > 0 && rng_.chance(std::exp(-worse / scale)));
}

// Waits for answers that another walk has asked for, instead of asking again. A walk for which
// everything is known could go on for ever without a question: it is left suspended, and thereby
// ended.
bool Guide::request(std::span<const Index> indices) {
  revisits_ += indices.size();
  for (const Index index : indices) {
    if (history().find(index) != nullptr) continue;
    if (owner_->history_.claim(index)) {
      questions_.push_back(index);
      revisits_ = 0;
    }
    owner_->waiting_.emplace(index, this);
    ++missing_;
  }
  stalled_ = missing_ == 0 && revisits_ > Walkers::kRevisitLimit;
  return missing_ == 0 && !stalled_;
}

// First the questions of the walks that run, in the order of their start; then new walks, until
// there are enough questions or the space is exhausted.
std::vector<Index> Walkers::ask(std::size_t count) {
  std::vector<Index> out;
  while (out.size() < count) {
    for (const auto& walker : walkers_) {
      auto& questions = walker->guide.questions_;
      while (!questions.empty() && out.size() < count) {
        out.push_back(questions.front());
        questions.pop_front();
      }
    }
    if (out.size() == count || !history_.fresh()) break;
    start_walk();
  }
  return out;
}

void Walkers::start_walk() {
  walkers_.push_back(std::make_unique<Walker>(*this, seed_, ++started_));
  Walker& walker = *walkers_.back();
  walker.walk.resume();
  // Each start brings a question, or ask() would not end.
  if (walker.guide.questions_.empty()) walker.guide.fresh(1);
  remove_finished();
}

void Walkers::tell(const Observation& observation) {
  history_.record(observation);
  const auto [first, last] = waiting_.equal_range(observation.index);
  std::vector<Guide*> ready;
  for (auto it = first; it != last; ++it) {
    if (--it->second->missing_ == 0) ready.push_back(it->second);
  }
  waiting_.erase(first, last);
  for (const auto& walker : walkers_) {  // in their own order: that of the table is not portable
    if (std::ranges::find(ready, &walker->guide) != ready.end()) walker->walk.resume();
  }
  remove_finished();
}

// A walk that ended with questions left is kept until they are handed out.
void Walkers::remove_finished() {
  std::erase_if(walkers_, [](const auto& walker) {
    const Guide& guide = walker->guide;
    return (walker->walk.done() || guide.stalled_) && guide.questions_.empty();
  });
}

}  // namespace tuner::strategies
