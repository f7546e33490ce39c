// Right and wrong answers, buffers and constants. Timing is in measuring_test.cpp.

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/unit/measure/evaluation_fixture.h"

namespace tuner {
namespace {

using test::EvaluationTest;
using Call = FakeBackend::Call;

TEST_F(EvaluationTest, AcceptsTheRightAnswer) {
  const Verdict verdict = evaluate("good");
  EXPECT_EQ(verdict.state, TrialState::kOk) << verdict.message;
  EXPECT_EQ(verdict.max_error, 0);
  EXPECT_DOUBLE_EQ(verdict.timing.median, 1.0);
  EXPECT_TRUE(verdict.message.empty());
  EXPECT_FALSE(verdict.context_dead);
}

TEST_F(EvaluationTest, AnnouncesEachPhaseBeforeItBegins) {
  evaluate(not_better("good"));
  EXPECT_EQ(phases_, (std::vector<Phase>{Phase::kLoad, Phase::kVerify, Phase::kProbe,
                                         Phase::kEstimate, Phase::kVerify}));
}

TEST_F(EvaluationTest, RunsTheReferenceOnceAndTimesItOnce) {
  backend_.kernels.at("reference").milliseconds = [](int) { return 2.5; };
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_EQ(backend_.kernels.at("reference").timed, 5);
  EXPECT_EQ(backend_.kernels.at("reference").launches, 1 + 5);
  EXPECT_EQ(evaluation().reference_ms(), 2.5);
}

TEST_F(EvaluationTest, AReferenceThatCountsOnZeroedScratchIsNotTimed) {
  plan_.arguments.push_back(argument("counter", Role::kScratch));
  plan_.reference->arguments = {0, 1, 2, 3};
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_EQ(backend_.kernels.at("reference").launches, 1);
  EXPECT_EQ(evaluation().reference_ms(), 0);
}

TEST_F(EvaluationTest, AReferenceThatCannotBeTimedHasNoTimeAndItsAnswerStands) {
  FakeBackend::Kernel& reference = backend_.kernels.at("reference");
  reference.time_failure = DeviceFailure{DeviceError::kUnsupported, "no events"};
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_EQ(evaluation().reference_ms(), 0);
  EXPECT_EQ(reference.launches, 2) << "timing may have taken back what it leaves in place";
}

TEST_F(EvaluationTest, AReferenceThatFailsWhenItIsTimedAndFromThenOnEndsThePreparation) {
  FakeBackend::Kernel& reference =
      add_kernel("reference", doubled_then([this](const Call&) {
                   backend_.kernels.at("reference").launch_failure =
                       DeviceFailure{DeviceError::kRuntime, "no context any more"};
                 }));
  reference.time_failure = DeviceFailure{DeviceError::kRuntime, "illegal access"};
  EXPECT_EQ(failure_of_prepare(), "the reference: illegal access");
}

TEST_F(EvaluationTest, ArgumentsThatTheReferenceDoesNotTakeAreNamed) {
  FakeBackend::Kernel& reference = backend_.kernels.at("reference");
  reference.launch_failure =
      DeviceFailure{DeviceError::kInvalid, "argument 3 has 4 bytes; the kernel takes 8"};
  EXPECT_EQ(
      failure_of_prepare(),
      "the reference, which is given all arguments like the kernel: argument 'n' has 4 bytes; "
      "the kernel takes 8");
  plan_.reference->arguments = {1, 0};
  reference.launch_failure =
      DeviceFailure{DeviceError::kInvalid, "the kernel takes 5 arguments, not 2"};
  EXPECT_EQ(failure_of_prepare(), "the reference: the kernel takes 5 arguments, not 2 (y, x)");
}

TEST_F(EvaluationTest, ASlowReferenceIsNotTimed) {
  add_kernel("reference", doubled_then([](const Call&) { ::usleep(120000); }));
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_EQ(backend_.kernels.at("reference").launches, 1);
}

TEST_F(EvaluationTest, ReportsTheFirstWrongElementAndHowManyThereAre) {
  add_kernel("wrong", doubled_then([](const Call& call) {
               call.buffer<float>(kY)[7] += 0.5F;
               call.buffer<float>(kY)[9] += 1.0F;
             }));
  const Verdict verdict = evaluate("wrong");
  EXPECT_EQ(verdict.state, TrialState::kCorrectness);
  EXPECT_EQ(verdict.message, "y[7] = 16.5, expected 16 (2 of 100 elements differ, max error 1)");
  EXPECT_DOUBLE_EQ(verdict.max_error, 1);
  EXPECT_TRUE(verdict.timing.samples.empty()) << "wrong answers are never timed";
  EXPECT_TRUE(backend_.timings.empty());
}

TEST_F(EvaluationTest, ShowsAllDigitsWhereAFewWouldLookTheSame) {
  plan_.checks = {{kY, 0, 0}};
  add_kernel("off", doubled_then([](const Call& call) {
               call.buffer<float>(kY)[0] = std::nextafter(2.0F, 3.0F);
             }));
  EXPECT_EQ(evaluate("off").message,
            "y[0] = 2.0000002384185791, expected 2 (1 of 100 elements differ, max error "
            "2.38419e-07; allowed 0 (rtol 0, atol 0); atol: 2.5e-07 would pass: rounding?)");
}

TEST_F(EvaluationTest, NeverAcceptsNan) {
  add_kernel("nan",
             doubled_then([](const Call& call) { call.buffer<float>(kY)[99] = std::nanf(""); }));
  const Verdict verdict = evaluate("nan");
  EXPECT_EQ(verdict.state, TrialState::kCorrectness);
  EXPECT_EQ(verdict.message,
            "y[99] = nan, expected 200 (1 of 100 elements differ, max error inf; nan is "
            "what outputs start as: it was not written, or is one)");
  EXPECT_TRUE(std::isinf(verdict.max_error));
}

// The output holds the right answer of the variant before it, unless it is poisoned.
TEST_F(EvaluationTest, SeesWhatWasNotWritten) {
  add_kernel("lazy", [](const Call&) {});
  evaluate("good");
  EXPECT_EQ(
      wrong("lazy"),
      "y[0] = nan, expected 2 (100 of 100 elements differ, max error inf; nan is what outputs "
      "start as: all were not written, or are nan)");
}

TEST_F(EvaluationTest, SaysThatAKernelAddsToAnOutputOnlyWhereItDoes) {
  add_kernel("adding", [](const Call& call) {
    for (int i = 0; i < kElements; ++i) call.buffer<float>(kY)[i] += 2 * call.buffer<float>(kX)[i];
  });
  EXPECT_EQ(wrong("adding"),
            "y[0] = nan, expected 2 (100 of 100 elements differ, max error inf; nan is what "
            "outputs start as: all were not written, or are nan); right where outputs start as "
            "zeros (role: inout, fill: zeros)");
  int launches = 0;
  add_kernel("now_and_then", [&launches](const Call& call) {
    if (++launches % 2 == 0) doubled(call);
  });
  EXPECT_EQ(wrong("now_and_then").find("zeros"), std::string::npos);
}

TEST_F(EvaluationTest, TellsElementsThatWereNotWrittenFromNan) {
  add_kernel("half", [](const Call& call) {
    for (int i = 0; i < kElements / 2; ++i)
      call.buffer<float>(kY)[i] = 2 * call.buffer<float>(kX)[i];
  });
  EXPECT_EQ(wrong("half"),
            "y[50] = nan, expected 102 (50 of 100 elements differ, max error inf; 50 elements were "
            "not written)");
}

TEST_F(EvaluationTest, SeesWhatWasNotWrittenOfIntegersThatAreMinusOne) {
  plan_.arguments[kY].type = DataType::kInt32;
  const auto minus_one = [](const Call& call) {
    std::fill_n(call.buffer<std::int32_t>(kY), kElements, -1);
  };
  add_kernel("reference", minus_one);
  add_kernel("good", minus_one);
  add_kernel("lazy", [](const Call&) {});
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_EQ(evaluate("lazy").state, TrialState::kCorrectness);
}

TEST_F(EvaluationTest, AllowsWhatTheToleranceAllowsAndReportsTheError) {
  plan_.checks = {{kY, 0, 0.25}};
  add_kernel("near", doubled_then([](const Call& call) { call.buffer<float>(kY)[3] += 0.25F; }));
  add_kernel("far", doubled_then([](const Call& call) { call.buffer<float>(kY)[3] += 0.5F; }));
  const Verdict near = evaluate("near");
  EXPECT_EQ(near.state, TrialState::kOk);
  EXPECT_DOUBLE_EQ(near.max_error, 0.25);
  EXPECT_EQ(evaluate("far").state, TrialState::kCorrectness);
}

TEST_F(EvaluationTest, SeesOneElementPastTheEnd) {
  add_kernel("overrun", doubled_then([](const Call& call) { call.buffer<float>(kY)[100] = 0; }));
  EXPECT_EQ(wrong("overrun"), "write past the end of y: element 100 of 100, counted from 0");
  EXPECT_EQ(evaluate("good").state, TrialState::kOk) << "the guard words are restored";
}

TEST_F(EvaluationTest, SeesAWritePastTheEndOfAnInput) {
  add_kernel("overrun", doubled_then([](const Call& call) { call.buffer<float>(kX)[101] = 0; }));
  EXPECT_EQ(evaluate("overrun").message,
            "write past the end of x: element 101 of 100, counted from 0");
}

TEST_F(EvaluationTest, NamesTheInputThatAVariantChanges) {
  add_kernel("spoiler", doubled_then([](const Call& call) {
               call.buffer<float>(kX)[5] = 0;
               call.buffer<float>(kY)[5] = 0;
             }));
  EXPECT_EQ(wrong("spoiler"),
            "changes its input x; y[5] = 0, expected 12 (1 of 100 elements differ, max error 12)");
}

TEST_F(EvaluationTest, DoesNotBlameAVariantForAnInputThatAnotherChanged) {
  add_kernel("spoiler", doubled_then([](const Call& call) { call.buffer<float>(kX)[5] = 0; }));
  evaluate("spoiler");
  const Verdict verdict = evaluate("good");
  EXPECT_EQ(verdict.state, TrialState::kOk) << verdict.message;
  EXPECT_EQ(verdict.max_error, 0);
}

TEST_F(EvaluationTest, SeesAnAnswerThatIsWrongOnlyNowAndThen) {
  auto& racy = add_kernel("racy", {});
  racy.body = [&racy](const Call& call) {
    doubled(call);
    if (racy.launches > 5) call.buffer<float>(kY)[0] = 0;
  };
  const Verdict verdict = evaluate("racy");
  EXPECT_EQ(verdict.state, TrialState::kCorrectness);
  EXPECT_NE(verdict.message.find(", after repeated launches"), std::string::npos);
  EXPECT_TRUE(verdict.timing.samples.empty());
}

TEST_F(EvaluationTest, RestoresInPlaceArgumentsBeforeEveryLaunch) {
  plan_.arguments[kY].role = Role::kInOut;
  plan_.arguments[kY].fill = {FillSpec::Kind::kConstant, 10, 0, {}};
  const auto add = [](const Call& call) {
    for (int i = 0; i < kElements; ++i) call.buffer<float>(kY)[i] += call.buffer<float>(kX)[i];
  };
  add_kernel("reference", add);
  add_kernel("good", add);
  // Checked after the last timed launch as well: had one begun with another's result, it would
  // show.
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
  EXPECT_GT(backend_.kernels.at("good").launches, 10);
}

TEST_F(EvaluationTest, ZeroesScratchBeforeEveryLaunchAndGuardsIt) {
  plan_.arguments.push_back(argument("counter", Role::kScratch));
  constexpr std::size_t kCounter = 3;
  const auto counts = doubled_then([](const Call& call) {
    if (call.buffer<float>(kCounter)[99]++ != 0) call.buffer<float>(kY)[0] = -1;
  });
  add_kernel("counts", counts);
  add_kernel("overrun",
             doubled_then([](const Call& call) { call.buffer<float>(kCounter)[100] = 1; }));
  EXPECT_EQ(evaluate("counts").state, TrialState::kOk);
  EXPECT_EQ(evaluate("counts").state, TrialState::kOk);
  EXPECT_EQ(evaluate("overrun").message,
            "write past the end of counter: element 100 of 100, counted from 0");
}

TEST_F(EvaluationTest, GivesEachVariantScratchAndScalarsOfItsOwnSize) {
  ArgumentPlan scratch = argument("work", Role::kScratch);
  scratch.elements = 0;  // a placeholder: the configuration decides
  plan_.arguments.push_back(scratch);
  constexpr std::size_t kWork = 3;
  add_kernel("uses", doubled_then([](const Call& call) {
               const int last = call.scalar<std::int32_t>(kN) - 1;
               call.buffer<float>(kWork)[last] = 1;
             }));
  const auto with = [&](std::int64_t elements, std::int64_t n) {
    VariantPlan plan = variant("uses");
    scratch.elements = static_cast<std::uint64_t>(elements);
    ArgumentPlan count = plan_.arguments[kN];
    count.scalar = scalar_bytes(DataType::kInt32, n);
    plan.overrides = {{kWork, scratch}, {kN, count}};
    return evaluate(plan);
  };
  EXPECT_EQ(with(100, 100).state, TrialState::kOk);
  EXPECT_EQ(with(5000, 100).state, TrialState::kOk);
  EXPECT_EQ(with(99, 100).message, "write past the end of work: element 99 of 99, counted from 0");
  EXPECT_EQ(with(100, 99).message,
            "y[99] = nan, expected 200 (1 of 100 elements differ, max error inf; 1 element was not "
            "written)");
}

TEST_F(EvaluationTest, SetsConstantsOfEveryVariant) {
  ArgumentPlan factor;
  factor.name = "factor";
  factor.is_scalar = true;
  factor.scalar = scalar_bytes(DataType::kFloat32, 2.0);
  ArgumentPlan table = argument("table", Role::kIn);
  table.elements = 4;
  table.fill = {FillSpec::Kind::kSequence, 0, 1, {}};
  plan_.constants = {factor, table};
  add_kernel("constant", [](const Call& call) {
    const auto parts = call.symbol<std::array<float, 4>>("_Z5table");
    for (int i = 0; i < kElements; ++i) {
      call.buffer<float>(kY)[i] =
          call.symbol<float>("_Z6factor") * call.buffer<float>(kX)[i] * (parts[3] - parts[2]);
    }
  });
  VariantPlan plan = variant("constant");
  plan.artifact.symbols = {{"table", "_Z5table"}, {"factor", "_Z6factor"}};
  EXPECT_EQ(evaluate(plan).state, TrialState::kOk);
  // Overrides count constants after arguments.
  factor.scalar = scalar_bytes(DataType::kFloat32, 3.0);
  plan.overrides = {{static_cast<std::uint32_t>(plan_.arguments.size()), factor}};
  EXPECT_EQ(evaluate(plan).state, TrialState::kCorrectness);
  EXPECT_EQ(evaluate("good").state, TrialState::kOk) << "a variant need not have the symbol";
}

TEST_F(EvaluationTest, ReadsInputsFromFiles) {
  const std::string path = testing::TempDir() + "evaluation_test" + std::to_string(::getpid());
  std::vector<float> values(kElements, 3.0F);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()), kElements * sizeof(float));
  plan_.arguments[kX].fill = {FillSpec::Kind::kFile, 0, 0, path};
  add_kernel("sixes",
             [](const Call& call) { std::fill_n(call.buffer<float>(kY), kElements, 6.0F); });
  EXPECT_EQ(evaluate("sixes").state, TrialState::kOk);

  plan_.arguments[kX].elements = kElements + 1;
  EXPECT_EQ(failure_of_prepare(), "x: " + path + " holds 400 bytes; 'x' needs 404");
  plan_.arguments[kX].fill.file = "/nowhere/x.bin";
  EXPECT_NE(failure_of_prepare().find("/nowhere/x.bin"), std::string::npos);
  std::filesystem::remove(path);
}

TEST_F(EvaluationTest, ReleasesEverything) {
  evaluate("good");
  EXPECT_EQ(backend_.loaded_kernels(), 0U);
  evaluation_.reset();
  EXPECT_EQ(backend_.live_buffers(), 0U);
}

TEST_F(EvaluationTest, CannotBePreparedWithAReferenceThatIsWrongItself) {
  add_kernel("reference", [](const Call& call) { call.buffer<float>(kY)[0] = 1; });
  EXPECT_EQ(failure_of_prepare(),
            "the reference: leaves 99 of 100 elements of y as NaN, the first at 1: they are not "
            "written (then the role is inout) or wrong");
  add_kernel("reference", doubled_then([](const Call& call) { call.buffer<float>(kY)[100] = 1; }));
  EXPECT_EQ(failure_of_prepare(), "the reference: writes past the end of y");
  add_kernel("reference", doubled_then([](const Call& call) { call.buffer<float>(kY)[-1] = 1; }));
  EXPECT_EQ(failure_of_prepare(), "the reference: writes in front of y");
  backend_.kernels.erase("reference");
  EXPECT_EQ(failure_of_prepare(), "the reference: no kernel 'reference' in the image");
}

TEST_F(EvaluationTest, CannotBePreparedWithoutTheMemory) {
  backend_.memory_limit = 1000;
  EXPECT_EQ(failure_of_prepare(), "x: out of memory");
}

TEST_F(EvaluationTest, WorksWithoutAReferenceAndThenSaysThatNothingWasCompared) {
  plan_.reference.reset();
  plan_.checks.clear();
  add_kernel("anything", [](const Call&) {});
  const Verdict verdict = evaluate("anything");
  EXPECT_EQ(verdict.state, TrialState::kOk);
  EXPECT_EQ(verdict.max_error, -1);
}

// ---- states of failed launches ------------------------------------------------------------------

TEST_F(EvaluationTest, ImageThatDoesNotLoadIsALaunchFailure) {
  const Verdict verdict = evaluate("absent");
  EXPECT_EQ(verdict.state, TrialState::kLaunch);
  EXPECT_EQ(verdict.message, "no kernel 'absent' in the image");
  EXPECT_FALSE(verdict.context_dead);
}

TEST_F(EvaluationTest, OverALimitIsNeverLaunched) {
  add_kernel("big", doubled).resources.static_shared_bytes = 50000;
  const Verdict verdict = evaluate("big");
  EXPECT_EQ(verdict.state, TrialState::kConstraints);
  EXPECT_EQ(verdict.message, "needs 50000 bytes of static shared memory, the device has 49152");
  EXPECT_EQ(verdict.resources.static_shared_bytes, 50000);
  EXPECT_EQ(backend_.kernels.at("big").launches, 0);
  EXPECT_EQ(backend_.loaded_kernels(), 0U);

  VariantPlan plan = variant("good");
  plan.geometry.block = {64, 64, 1};
  EXPECT_EQ(evaluate(plan).message, "4096 threads per block, the device allows 1024");
}

TEST_F(EvaluationTest, RefusedLaunchKeepsTheContext) {
  add_kernel("refused", doubled).launch_failure =
      DeviceFailure{DeviceError::kLaunch, "too many resources requested"};
  const Verdict verdict = evaluate("refused");
  EXPECT_EQ(verdict.state, TrialState::kLaunch);
  EXPECT_EQ(verdict.message, "too many resources requested");
  EXPECT_FALSE(verdict.context_dead);
  EXPECT_EQ(evaluate("good").state, TrialState::kOk);
}

TEST_F(EvaluationTest, RuntimeFaultKillsTheContext) {
  add_kernel("trap", doubled).launch_failure = DeviceFailure{DeviceError::kRuntime, "trap"};
  const Verdict verdict = evaluate("trap");
  EXPECT_EQ(verdict.state, TrialState::kRuntime);
  EXPECT_TRUE(verdict.context_dead);
  EXPECT_FALSE(verdict.device_lost);
}

TEST_F(EvaluationTest, FaultWhileTimingCountsToo) {
  add_kernel("late", doubled).time_failure = DeviceFailure{DeviceError::kRuntime, "illegal access"};
  const Verdict verdict = evaluate("late");
  EXPECT_EQ(verdict.state, TrialState::kRuntime);
  EXPECT_TRUE(verdict.context_dead);
  EXPECT_EQ(verdict.max_error, 0) << "it was right before";
}

TEST_F(EvaluationTest, LostDeviceStopsTheRun) {
  add_kernel("lost", doubled).launch_failure = DeviceFailure{DeviceError::kDeviceLost, "gone"};
  const Verdict verdict = evaluate("lost");
  EXPECT_EQ(verdict.state, TrialState::kRuntime);
  EXPECT_TRUE(verdict.device_lost);
  EXPECT_TRUE(verdict.context_dead);
}

}  // namespace
}  // namespace tuner
