// Workers of other ranks as the coordinator sees them. Ranks are threads; workers are scripts.

#include "tuner/remote/job.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/unit/remote/rank_fixture.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

using nlohmann::json;

TEST_F(Ranks, AWorkerOfAnotherRankIsTalkedToLikeAChild) {
  start(3, "exec cat <&3 >&3");  // an echo
  const LentHosts lent = hosts();
  ASSERT_EQ(lent.hosts.size(), 2U);
  EXPECT_EQ(lent.node, "node0");
  EXPECT_EQ(lent.hosts[1].name(), "rank 2 on node2");
  EXPECT_EQ(lent.hosts[1].jobs, 6U) << "each is alone on its node";
  const auto first = lent.hosts[0].start("compile");
  const auto second = lent.hosts[1].start("run");
  const json large{{"type", "large"}, {"text", std::string(4 << 20, 'x')}};
  first->send(large);
  second->send({{"type", "small"}});
  EXPECT_EQ(first->wait(late())->at("type"), "start");
  EXPECT_EQ(*first->wait(late()), large);
  EXPECT_EQ(second->wait(late())->at("type"), "start");
  EXPECT_EQ(second->wait(late())->at("type"), "small");
}

TEST_F(Ranks, LeaveTogetherOnceTheFirstIsDone) {
  start(3, "exec sleep 600");
  const LentHosts lent = hosts();
  lent.hosts[0].start("run").reset();  // none outlives the job
  EXPECT_EQ(end(), (Texts{"served", "served"}));
  EXPECT_EQ(fake_->left(), 3U);
}

TEST_F(Ranks, TheEndOfAWorkerIsToldWithItsLastWordsAndWhoEndedIt) {
  start(2, "cat " + script_.write_message("will", {{"type", "will"}}) +
               " >&3; echo broken heart >&2; exit 4");
  const LentHosts lent = hosts();
  const auto worker = lent.hosts[0].start("compile");
  EXPECT_EQ(worker->wait(late())->at("type"), "will");
  EXPECT_FALSE(worker->wait(late()));
  EXPECT_EQ(worker->exit_reason(), "ended with status 4 on rank 1; its last output: broken heart");
  EXPECT_FALSE(worker->killed_from_outside());
}

TEST_F(Ranks, AKilledWorkerIsNotToBlame) {
  start(2, "kill -s KILL $$");
  const LentHosts lent = hosts();
  const auto worker = lent.hosts[0].start("compile");
  EXPECT_FALSE(worker->wait(late()));
  EXPECT_EQ(worker->exit_reason(), "killed by signal 9 (Killed) on rank 1");
  EXPECT_TRUE(worker->killed_from_outside());
}

TEST_F(Ranks, WithARankThatIsGoneItsWorkersEndAndNobodyWaitsForIt) {
  start(3, "exec sleep 600", {0.05, 1});
  const LentHosts lent = hosts();
  auto worker = lent.hosts[0].start("run");
  fake_->cut_off(1);
  EXPECT_FALSE(worker->wait(late()));
  EXPECT_EQ(worker->exit_reason(), "gone on rank 1");
  EXPECT_TRUE(worker->killed_from_outside());
  EXPECT_THROW(lent.hosts[0].start("run"), UnavailableError);
  worker.reset();
  EXPECT_EQ(end(), (Texts{"abandoned", "served"}));
  EXPECT_EQ(fake_->left(), 0U) << "who leaves in order waits for all";
}

TEST_F(Ranks, AWorkerOfARankThatFallsSilentIsNotBlamedForHanging) {
  start(2, "exec sleep 600", {0.05, 600});
  const LentHosts lent = hosts();
  auto hangs = lent.hosts[0].start("run");
  // The script stands for the keeper as well, which is told to end.
  EXPECT_EQ(hangs->exit_reason(), "killed by signal 15 (Terminated) on rank 1");
  EXPECT_FALSE(hangs->killed_from_outside()) << "it is this side that kills it";
  auto silent = lent.hosts[0].start("run");
  fake_->cut_off(1);
  EXPECT_EQ(silent->exit_reason(), "ended on rank 1");
  EXPECT_TRUE(silent->killed_from_outside());
  hangs.reset();
  silent.reset();
  fake_->connect(1);
}

TEST_F(Ranks, OneThatDoesNotBelongToThemIsLeftOutInASentence) {
  odd_ = 2;
  start(3, "exec sleep 600");
  const LentHosts lent = hosts();
  ASSERT_EQ(lent.hosts.size(), 1U);
  EXPECT_EQ(lent.hosts[0].rank, 1U);
  EXPECT_EQ(notes_,
            Texts{"rank 2 on node2 is left out: it runs tuner 0.0.9 (build abcdefgh), rank 0 "
                  "1.0 (build abcdefgh): start the same program on all ranks"});
}

TEST(LaunchedJob, IsWhatALauncherSaysInTheEnvironment) {
  const auto count_of = [](const std::map<std::string, std::string>& variables) {
    const auto found = launched_job([&](const char* name) {
      const auto at = variables.find(name);
      return at == variables.end() ? nullptr : at->second.c_str();
    });
    return found ? std::to_string(found->rank) + " of " + std::to_string(found->count) : "alone";
  };
  EXPECT_EQ(count_of({}), "alone");
  EXPECT_EQ(count_of({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}), "3 of 4");
  EXPECT_EQ(count_of({{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}}), "0 of 2");
  EXPECT_EQ(count_of({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "7"}}), "7 of 8");
  EXPECT_EQ(count_of({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}}), "alone") << "a batch script";
  EXPECT_EQ(count_of({{"OMPI_COMM_WORLD_SIZE", "1"}}), "alone");
  EXPECT_EQ(count_of({{"PMI_SIZE", "many"}}), "alone");
}

}  // namespace
}  // namespace tuner
