#pragma once
// The ranks of a job as threads, each with a link to the others. Their workers are scripts.

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/fakes/fake_job.h"
#include "tests/fakes/fake_stop.h"
#include "tests/fakes/script_worker.h"
#include "tuner/remote/job.h"

namespace tuner {

using Texts = std::vector<std::string>;

class Ranks : public testing::Test {
 protected:
  ~Ranks() override { end(); }

  // So many, whose workers do this.
  void start(unsigned count, const std::string& commands, RankTimes times = {}) {
    fake_.emplace(count);
    for (unsigned rank = 0; rank < count; ++rank) {
      const RankProgram program{script_.program(commands).executable, [this, rank](const Texts&) {
                                  RankFacts facts = facts_;
                                  if (rank == odd_) facts.version = "0.0.9";
                                  return facts;
                                }};
      jobs_.push_back(
          std::make_unique<RankJob>([this, rank] { return fake_->link(rank); }, program, times));
    }
  }
  LentHosts hosts(const Texts& files = {}) {
    return jobs_.front()->hosts({{}, {}, files, std::nullopt},
                                [this](const std::string& text) { notes_.push_back(text); });
  }
  // Rank 0 first: it lets the others go. Whether each of these was served to its end.
  Texts end() {
    Texts out;
    if (!jobs_.empty()) jobs_.front().reset();
    for (std::size_t i = 1; i < jobs_.size(); ++i) {
      out.emplace_back(jobs_[i]->serve(nobody_) ? "served" : "abandoned");
    }
    jobs_.clear();
    return out;
  }
  static TimePoint late() { return Clock::now() + std::chrono::seconds(60); }

  ScriptWorker script_;
  RankFacts facts_{"1.0", "abcdefghij", "", 6, "0,1", {}, ""};
  unsigned odd_ = 99;  // the rank that runs another program
  FakeStop nobody_;
  std::optional<FakeJob> fake_;
  std::vector<std::unique_ptr<RankJob>> jobs_;
  Texts notes_;
};

}  // namespace tuner
