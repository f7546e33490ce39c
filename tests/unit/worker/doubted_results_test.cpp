// What a device says after something that it keeps was damaged: who is judged again, and whose
// results stand. The device is a script that answers with verdicts.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/fakes/device_thread.h"
#include "tests/fakes/fake_stop.h"
#include "tests/unit/resolve/studies.h"
#include "tuner/worker/compile_pool.h"
#include "tuner/worker/messages.h"
#include "tuner/worker/pool_evaluator.h"

namespace tuner::test {
namespace {

using nlohmann::json;
// What a worker does when it is asked for a variant.
using Answer = std::function<void(int socket, const json& question)>;

class ScriptedDevice final : public ThreadPeer {
 public:
  ScriptedDevice(const DeviceFacts& facts, Answer answer)
      : ThreadPeer([facts, answer = std::move(answer)](int socket) {
          FrameReader reader;
          while (const auto message = receive(socket, reader)) {
            const std::string type = message->at("type");
            if (type == "open") tuner::send(socket, {{"type", "ready"}, {"facts", facts}});
            if (type == "prepare") tuner::send(socket, {{"type", "prepared"}});
            if (type != "evaluate" && type != "remeasure") continue;
            tuner::send(socket, {{"type", "phase"}, {"phase", "load"}});
            answer(socket, *message);
          }
        }) {}
};

class DoubtedResults : public testing::Test {
 protected:
  DoubtedResults() {
    study.reference.reset();
    study.parameters = {{"VEC", {}, {}}};
    for (std::int64_t i = 1; i <= 4; ++i) study.parameters[0].values.emplace_back(i);
    study.derived.clear();
    study.launch.block[0] = expr("32");
    study.launch.grid[0] = expr("VEC");
    space.emplace(SearchSpace::build(space_definition(study, study.sizes.front(), facts)));
    library.key = [](const CompileRequest& request) { return request.defines.front().second; };
    library.find = [](const std::string& key) {
      Artifact artifact;
      artifact.image = key;
      artifact.entry = "k";
      return std::optional(artifact);
    };
    worker.emplace(
        [this] {
          ++workers;
          return std::make_unique<Channel>(std::make_unique<ScriptedDevice>(
              facts, [this](int socket, const json& question) { answer(socket, question); }));
        },
        "fake", DeviceId{0}, std::vector<std::pair<std::string, std::string>>{}, RunLimits{});
    device.push_back({&*worker});
    SizeTask task{study, *space, study.sizes.front(), facts};
    task.plan = *size_plan(study, task.size, facts, {});
    evaluator.emplace(std::move(task), Toolchain{"", library, pool}, device, nobody);
  }

  // Asked for one after the other. What came, as "VEC state", in that order.
  std::vector<std::string> search() {
    std::vector<std::string> came;
    for (const Trial& trial : trials()) {
      came.push_back(to_text(trial.configuration[0]) + " " + std::string(name_of(trial.state)));
    }
    return came;
  }
  // The same, as trials.
  std::vector<Trial> trials() {
    std::vector<Trial> came;
    for (ConfigIndex i = 0; i < space->size(); ++i) {
      evaluator->submit(i);
      while (auto trial = evaluator->next(kNoEnd)) came.push_back(std::move(*trial));
    }
    return came;
  }
  static void say(int socket, const json& question, const Verdict& verdict) {
    tuner::send(socket, {{"type", "verdict"}, {"id", question.at("id")}, {"verdict", verdict}});
  }
  static Verdict good(Kept kept) {
    Verdict verdict;
    verdict.timing = {{1, 1, 1}, 1, 1, 1, 1};
    verdict.kept = kept;
    return verdict;
  }
  static Verdict failed(TrialState state, Kept kept) {
    Verdict verdict;
    verdict.state = state;
    verdict.kept = kept;
    verdict.context_dead = true;
    verdict.retryable = kept == Kept::kDamaged;
    return verdict;
  }

  Study study = scale_study();
  DeviceFacts facts = h200();
  std::optional<SearchSpace> space;
  ArtifactLibrary library;
  CompilePool pool{{"/does/not/exist", {}}, {"fake", 1, 100, ""}};
  FakeStop nobody;
  Answer answer;
  int workers = 0;
  std::optional<RunWorker> worker;
  std::vector<WorkingDevice> device;
  std::optional<PoolEvaluator> evaluator;
};

std::string vec_of(const json& question) {
  return question.at("variant").get<VariantPlan>().artifact.image;
}

// The second writes into what is kept, which nobody looks at until the third is wrong.
TEST_F(DoubtedResults, EverythingSinceTheLastGoodLookIsJudgedAgainAndTheWriterIsFound) {
  std::vector<std::string> asked;
  answer = [&](int socket, const json& question) {
    const std::string vec = vec_of(question);
    const bool looks = question.at("variant").at("looks_at_kept");
    asked.push_back(vec + (looks ? " looked at" : ""));
    const bool is_first_worker = workers == 1;
    if (looks && vec == "2") return say(socket, question, failed(TrialState::kCorrectness, {}));
    if (vec == "3" && is_first_worker) {
      return say(socket, question, failed(TrialState::kRuntime, Kept::kDamaged));
    }
    say(socket, question, good(looks ? Kept::kWhole : Kept::kNotSeen));
  };
  EXPECT_EQ(search(), (std::vector<std::string>{"1 ok", "2 ok", "2 correctness", "3 ok", "4 ok"}));
  EXPECT_EQ(asked,
            (std::vector<std::string>{"1", "2", "3", "1 looked at", "2 looked at", "3", "4"}));
  EXPECT_EQ(workers, 3);
}

TEST_F(DoubtedResults, AFaultAfterResultsThatNobodyLookedBehindIsFinalWhenItComesAgain) {
  int faults = 0;
  answer = [&](int socket, const json& question) {
    const std::string vec = vec_of(question);
    if (vec == "2" && ++faults <= 2) {
      return say(socket, question, failed(TrialState::kRuntime, Kept::kNotSeen));
    }
    say(socket, question,
        good(question.at("variant").at("looks_at_kept") ? Kept::kWhole : Kept::kNotSeen));
  };
  EXPECT_EQ(search(), (std::vector<std::string>{"1 ok", "2 runtime", "3 ok", "4 ok"}));
  EXPECT_EQ(faults, 2);
}

TEST_F(DoubtedResults, AFaultOfADeviceWhereAllWasSeenToBeWholeIsFinalAtOnce) {
  int faults = 0;
  answer = [&](int socket, const json& question) {
    if (vec_of(question) == "2") {
      ++faults;
      Verdict fault = failed(TrialState::kRuntime, Kept::kNotSeen);
      fault.is_own = true;
      return say(socket, question, fault);
    }
    say(socket, question, good(Kept::kWhole));
  };
  EXPECT_EQ(search(), (std::vector<std::string>{"1 ok", "2 runtime", "3 ok", "4 ok"}));
  EXPECT_EQ(faults, 1);
}

// ---- a worker that others have left unfit ----------------------------------------------------

// The first leaves its files open, so that nothing loads behind it.
TEST_F(DoubtedResults, WhatFailsBehindAnotherVariantIsTriedInANewWorkerBeforeItCounts) {
  std::vector<std::string> asked;
  int had_first = 0;
  answer = [&](int socket, const json& question) {
    const std::string vec = vec_of(question);
    asked.push_back(vec);
    if (vec == "1") had_first = workers;
    if (vec == "1" || had_first != workers) return say(socket, question, good(Kept::kWhole));
    Verdict unfit;
    unfit.state = TrialState::kLaunch;
    say(socket, question, unfit);
  };
  EXPECT_EQ(search(), (std::vector<std::string>{"1 ok", "2 ok", "3 ok", "4 ok"}));
  EXPECT_EQ(asked, (std::vector<std::string>{"1", "2", "2", "3", "4"}));
  EXPECT_EQ(workers, 2);
}

TEST_F(DoubtedResults, WhatFailsInANewWorkerIsNotTriedAgain) {
  int asked = 0;
  answer = [&](int socket, const json& question) {
    ++asked;
    Verdict verdict = vec_of(question) == "1" ? good(Kept::kWhole) : Verdict{};
    if (vec_of(question) != "1") verdict.state = TrialState::kLaunch;
    say(socket, question, verdict);
  };
  EXPECT_EQ(search(), (std::vector<std::string>{"1 ok", "2 launch", "3 launch", "4 launch"}));
  EXPECT_EQ(asked, 5);    // the second alone was behind one that had run
  EXPECT_EQ(workers, 2);  // the third and the fourth are behind those that never ran
}

TEST_F(DoubtedResults, CrashesOneAfterTheOtherAreNotTriedAgain) {
  int asked = 0;
  answer = [&](int socket, const json& question) {
    ++asked;
    say(socket, question, failed(TrialState::kRuntime, Kept::kNotSeen));
  };
  EXPECT_EQ(search(),
            (std::vector<std::string>{"1 runtime", "2 runtime", "3 runtime", "4 runtime"}));
  EXPECT_EQ(asked, 4);
}

TEST_F(DoubtedResults, ALaunchThatIsRefusedCountsAtOnce) {
  int asked = 0;
  answer = [&](int socket, const json& question) {
    ++asked;
    Verdict verdict = good(Kept::kWhole);
    if (vec_of(question) == "2") verdict.state = TrialState::kLaunch;
    verdict.is_own = vec_of(question) == "2";
    say(socket, question, verdict);
  };
  EXPECT_EQ(search(), (std::vector<std::string>{"1 ok", "2 launch", "3 ok", "4 ok"}));
  EXPECT_EQ(asked, 4);
  EXPECT_EQ(workers, 1);
}

TEST_F(DoubtedResults, AWorkerThatSaysItIsChangedIsReplaced) {
  answer = [&](int socket, const json& question) {
    Verdict verdict = good(Kept::kWhole);
    verdict.is_last = vec_of(question) == "2";
    say(socket, question, verdict);
  };
  EXPECT_EQ(search(), (std::vector<std::string>{"1 ok", "2 ok", "3 ok", "4 ok"}));
  EXPECT_EQ(workers, 2);
}

// ---- a final ------------------------------------------------------------------------------------

// A final in which "2" fails as `fails` says of those that take part, in that order.
struct ScriptedFinal {
  std::function<bool(const std::string& together)> fails;
  std::vector<std::string> asked{};  // "1 2 3 4", each time

  void answer(int socket, const json& question) {
    std::string together;
    for (const json& one : question.at("variants")) {
      together += (together.empty() ? "" : " ") + one.get<VariantPlan>().artifact.image;
    }
    asked.push_back(together);
    json message{{"type", "remeasured"}, {"id", question.at("id")}};
    if (fails(together)) {
      Verdict unfit;
      unfit.state = TrialState::kLaunch;
      unfit.message = "behind " + together;
      message["type"] = "verdict";
      message["plan"] = together.find('2') / 2;
      message["verdict"] = unfit;
    } else {
      message["samples"] = std::vector(question.at("variants").size(), std::vector<double>{1});
    }
    tuner::send(socket, message);
  }
};

// The first takes all descriptors, and nothing loads behind it.
TEST_F(DoubtedResults, AFinalistThatFailsBesideOthersOnlyIsNotCondemned) {
  ScriptedFinal final{[](const std::string& together) { return together.starts_with("1 2"); }};
  answer = [&](int socket, const json& question) {
    if (question.at("type") == "remeasure") return final.answer(socket, question);
    say(socket, question, good(Kept::kWhole));
  };
  std::vector<Trial> best = trials();
  EXPECT_EQ(evaluator->remeasure(best, {.rounds = 1}), std::vector<std::vector<double>>{});
  for (const Trial& trial : best) EXPECT_EQ(trial.state, TrialState::kOk) << trial.message;
  EXPECT_EQ(final.asked, (std::vector<std::string>{"1 2 3 4", "1 2 3 4", "2"}));
  EXPECT_EQ(workers, 3);
}

TEST_F(DoubtedResults, AFinalistThatFailsAloneTooIsCondemnedAndTheOthersGoOn) {
  ScriptedFinal final{[](const std::string& together) { return together.find('2') < 8; }};
  answer = [&](int socket, const json& question) {
    if (question.at("type") == "remeasure") return final.answer(socket, question);
    say(socket, question, good(Kept::kWhole));
  };
  std::vector<Trial> best = trials();
  EXPECT_EQ(evaluator->remeasure(best, {.rounds = 1}),
            (std::vector<std::vector<double>>{{1}, {}, {1}, {1}}));
  EXPECT_EQ(best[1].state, TrialState::kLaunch);
  EXPECT_EQ(best[1].message, "in the final: behind 2");
  EXPECT_EQ(final.asked, (std::vector<std::string>{"1 2 3 4", "1 2 3 4", "2", "1 3 4"}));
}

// Somebody has changed what is kept: who it was, a final with a look after each one shows.
TEST_F(DoubtedResults, AFinalInWhichSomethingWasDamagedIsRepeatedWithALookAfterEach) {
  std::vector<bool> looks;
  answer = [&](int socket, const json& question) {
    if (question.at("type") != "remeasure") return say(socket, question, good(Kept::kWhole));
    looks.push_back(question.at("plan").at("looks_at_each"));
    json message{{"type", "remeasured"}, {"id", question.at("id")}};
    const std::size_t finalists = question.at("variants").size();
    if (finalists == 4) {
      message["type"] = "verdict";
      message["plan"] = looks.back() ? 2 : 3;
      message["verdict"] = looks.back() ? failed(TrialState::kCorrectness, Kept::kNotSeen)
                                        : failed(TrialState::kRuntime, Kept::kDamaged);
    } else {
      message["samples"] = std::vector(finalists, std::vector<double>{1});
    }
    tuner::send(socket, message);
  };
  std::vector<Trial> best = trials();
  EXPECT_EQ(evaluator->remeasure(best, {.rounds = 1}),
            (std::vector<std::vector<double>>{{1}, {1}, {}, {1}}));
  EXPECT_EQ(best[2].state, TrialState::kCorrectness);
  EXPECT_EQ(best[3].state, TrialState::kOk) << "it was only the last one";
  EXPECT_EQ(looks.front(), false);
  EXPECT_EQ(looks.at(1), true);
}

// ---- answers that are not the worker's ----------------------------------------------------------

TEST_F(DoubtedResults, AnAnswerToAQuestionThatNobodyAskedIsABreach) {
  answer = [&](int socket, const json& question) {
    if (vec_of(question) == "2") {
      json forged = question;
      forged["id"] = 1;
      say(socket, forged, good(Kept::kWhole));
    }
    say(socket, question, good(Kept::kWhole));
  };
  EXPECT_EQ(search(), (std::vector<std::string>{"1 ok", "2 runtime", "3 ok", "4 ok"}));
  EXPECT_EQ(workers, 3);  // it was tried in one where nobody had run before
}

TEST_F(DoubtedResults, ASecondAnswerTakesTheFirstOneBackAndBlamesNobodyElse) {
  answer = [&](int socket, const json& question) {
    say(socket, question, good(Kept::kWhole));
    if (vec_of(question) == "2") say(socket, question, good(Kept::kWhole));
  };
  EXPECT_EQ(search(), (std::vector<std::string>{"1 ok", "2 ok", "2 runtime", "3 ok", "4 ok"}));
  EXPECT_EQ(workers, 2);
}

TEST_F(DoubtedResults, FiguresThatCannotBeAreABreach) {
  std::map<std::string, Verdict> absurd;
  for (const std::string vec : {"1", "2", "3", "4"}) absurd[vec] = good(Kept::kWhole);
  absurd["1"].timing = {{-5, -5, -5}, -5, -5, -5, -5};
  absurd["2"].timing.median = std::nan("");
  absurd["3"].timing = {{0, 0, 0}, 0, 0, 0, 0};
  absurd["4"].resources.registers = 1 << 30;
  answer = [&](int socket, const json& question) {
    say(socket, question, absurd[vec_of(question)]);
  };
  EXPECT_EQ(search(),
            (std::vector<std::string>{"1 runtime", "2 runtime", "3 runtime", "4 runtime"}));
}

TEST(FinalSamples, AreAsManyTimesOfEachFinalistAsThereWereRoundsAtMost) {
  EXPECT_TRUE(is_plausible({{1, 2}, {3, 4}}, 2, {.rounds = 2}));
  EXPECT_TRUE(is_plausible({{1}, {3}}, 2, {.rounds = 7}));
  EXPECT_FALSE(is_plausible({{1, 2}}, 2, {.rounds = 2}));
  EXPECT_FALSE(is_plausible({{1, 2}, {3}}, 2, {.rounds = 2}));
  EXPECT_FALSE(is_plausible({{1, 2, 3}, {3, 4, 5}}, 2, {.rounds = 2}));
  EXPECT_FALSE(is_plausible({{1, 0}, {3, 4}}, 2, {.rounds = 2}));
  EXPECT_FALSE(is_plausible({{1, std::nan("")}, {3, 4}}, 2, {.rounds = 2}));
}

}  // namespace
}  // namespace tuner::test
