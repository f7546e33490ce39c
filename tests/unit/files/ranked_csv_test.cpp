// Ranked CSV files: what is written, and what is read back.

#include "tuner/files/ranked_csv.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/fakes/scratch_folder.h"
#include "tests/unit/deploy/ranked_rows.h"
#include "tests/unit/deploy/sample_study.h"
#include "tuner/base/atomic_file.h"
#include "tuner/files/ranked_files.h"

namespace tuner {
namespace {

TEST(RankedCsv, HasEveryColumnInItsPlace) {
  EXPECT_EQ(ranked_csv(ranked_rows(), kNames),
            "rank,state,BM,SHARED,M,N,time_ms,ci_low_ms,ci_high_ms,min_ms,samples,basis,search_ms,"
            "final_ms,final_ci_low_ms,final_ci_high_ms,gflops,tie,registers,static_shared_bytes,"
            "dynamic_shared_bytes,spill_bytes,occupancy,compile_ms,"
            "cache_hit,max_error,message,verified\n"
            "1,ok,64,static,10,20,0.5,0.495,0.505,0.49,2,search,0.5,,,,4,true,40,0,512,4,0.5,80,"
            "true,0,,\n"
            "2,ok,32,static,10,20,0.50125,0.4962375,0.5062625,0.491225,2,search,0.50125,,,,3."
            "990025,true,,,512,,,80,"
            "false,,,\n"
            ",compile,128,\"a, \"\"b\"\"\",10,20,,,,,,,,,,,,,,,0,,,0,false,,\"line 1\nsaid "
            "\"\"no\"\"\",\n");
}

TEST(RankedCsv, HasTheFiguresOfSearchAndFinalApart) {
  const std::string csv = ranked_csv(with_final(), kNames);
  EXPECT_NE(
      csv.find("\n1,ok,64,static,10,20,0.55,0.495,0.505,0.49,2,final,0.5,0.55,0.54,0.56,3.6,"),
      std::string::npos)
      << csv;
  EXPECT_NE(csv.find("\n2,ok,32,static,10,20,0.50125,0.4962375,0.5062625,0.491225,2,search,0.50125,"
                     ",,,3.990025,"),
            std::string::npos)
      << csv;
}

TEST(RankedCsv, SaysOfRankedRowsWhetherTheyWereVerified) {
  RankedResults results = ranked_rows();
  results.unverified = "";
  EXPECT_NE(ranked_csv(results, kNames).find(",80,true,0,,true\n"), std::string::npos);
  results.unverified = "nothing verifies 'y'";
  const std::string csv = ranked_csv(results, kNames);
  EXPECT_NE(csv.find(",80,true,0,,false\n"), std::string::npos) << csv;
  EXPECT_EQ(csv.substr(csv.size() - 3), "\",\n") << "a failure is neither";
}

TEST(RankedCsv, SharesOfTheLimitStandAtTheEndWhereOneIsKnown) {
  RankedResults results = ranked_rows();
  results.trials[0].limit = DeviceLimit{0.25, "memory"};
  const std::string csv = ranked_csv(results, kNames);
  EXPECT_NE(csv.find(",message,verified,limit_ms,limit,share_of_limit\n"), std::string::npos)
      << csv;
  EXPECT_NE(csv.find(",80,true,0,,,0.25,memory,0.5\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",80,false,,,,,,\n"), std::string::npos) << csv;
}

TEST(RankedCsv, DroppedTrialsKeepTheirEstimate) {
  RankedResults results = ranked_rows();
  results.trials[1].state = TrialState::kDropped;
  EXPECT_NE(ranked_csv(results, kNames).find("\n2,dropped,32,static,10,20,0.50125,"),
            std::string::npos);
}

TEST(RankedCsv, LongLogsAreCutBetweenCharacters) {
  RankedResults results = ranked_rows();
  results.trials[2].message = std::string(999, 'x') + "é" + std::string(5000, 'y');
  const std::string csv = ranked_csv(results, kNames);
  EXPECT_NE(csv.find(std::string(999, 'x') + " ...,\n"), std::string::npos);
}

TEST(RankedCsv, EveryLineHasAsManyFieldsAsTheHeader) {
  RankedResults results = ranked_rows();
  results.trials[2].configuration = {std::int64_t{128}, "plain"};
  results.trials[2].message = "plain";
  const std::string csv = ranked_csv(results, kNames);
  std::vector<std::ptrdiff_t> commas{0};
  for (const char c : csv) {
    if (c == ',') ++commas.back();
    if (c == '\n') commas.push_back(0);
  }
  ASSERT_EQ(commas.size(), 5U);
  EXPECT_EQ(commas, (std::vector<std::ptrdiff_t>{commas[0], commas[0], commas[0], commas[0], 0}));
}

TEST(RankedCsv, ThePathIsKernelDeviceSize) {
  const RankedResults results = ranked_rows();
  EXPECT_EQ(ranked_csv_path("results", "matmul", results.device, results.size),
            "results/matmul/nvidia-h200/M10_N20.csv");
  EXPECT_EQ(ranked_csv_path("r", "../../etc", results.device, {}),
            "r/-.-..-etc/nvidia-h200/default.csv");
}

TEST(RankedCsv, ALongNameIsShortenedSoThatOtherSizesHaveOtherNames) {
  ProblemSize size;
  for (int i = 0; i < 30; ++i) size.dims.emplace_back("a_long_name" + std::to_string(i), i);
  ProblemSize other = size;
  other.dims.back().second = 31;
  const auto path = ranked_csv_path("r", std::string(300, 'k'), DeviceFacts{}, size);
  for (const auto& part : path) EXPECT_LT(part.string().size(), 143U);
  EXPECT_EQ(path, ranked_csv_path("r", std::string(300, 'k'), DeviceFacts{}, size));
  EXPECT_NE(path, ranked_csv_path("r", std::string(300, 'k'), DeviceFacts{}, other));
  EXPECT_NE(path.parent_path(), ranked_csv_path("r", std::string(301, 'k'), DeviceFacts{}, size));
}

TEST(RankedCsv, IsWrittenWhole) {
  const ScratchFolder folder;
  const auto path = write_ranked_csv(folder.path(), "matmul", ranked_rows(), kNames);
  EXPECT_EQ(read_file(path), ranked_csv(ranked_rows(), kNames));
  EXPECT_EQ(path, folder.path() / "matmul/nvidia-h200/M10_N20.csv");
}

Study study_of_these() {
  Study study;
  study.kernel.name = "matmul";
  study.parameters = {{"BM", {std::int64_t{32}, std::int64_t{64}, std::int64_t{128}}, {}},
                      {"SHARED", {"static", "a, \"b\""}, {}}};
  study.sizes = {{{{"M", 10}, {"N", 20}}}};
  study.metrics = {{"gflops", Expression::parse_or_throw("1 / time")}};
  return study;
}

RankedResults read_back(const std::string& csv, const Study& study = study_of_these()) {
  std::vector<std::string> notes;
  return read_ranked_csv(CsvTable("x.csv", csv), study, {}, notes);
}

std::string complaint(const std::string& csv, const Study& study = study_of_these()) {
  try {
    read_back(csv, study);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RankedCsv, ReadsBackWithoutRowsThatAreNotTheStudys) {
  Study study = study_of_these();
  std::vector<std::string> notes;
  const std::string csv = ranked_csv(ranked_rows(), kNames);
  const RankedResults back = read_ranked_csv(CsvTable("x.csv", csv), study, {}, notes);
  EXPECT_EQ(notes, std::vector<std::string>());
  EXPECT_EQ(back.size, ranked_rows().size);
  EXPECT_EQ(back.ranked, 2U);
  EXPECT_EQ(back.tied, (std::vector<bool>{true, true}));
  EXPECT_EQ(back.unverified, "");
  ASSERT_EQ(back.trials.size(), 3U);
  EXPECT_EQ(back.trials[1].timing.median, 0.50125);
  EXPECT_EQ(sample_count(back.trials[1].timing), 2U);
  EXPECT_EQ(back.trials[2].configuration, ranked_rows().trials[2].configuration);
  EXPECT_EQ(back.trials[2].message, "line 1\nsaid \"no\"");
  study.parameters[0].values = {std::int64_t{64}, std::int64_t{128}};
  EXPECT_EQ(read_ranked_csv(CsvTable("x.csv", csv), study, {}, notes).trials.size(), 2U);
  EXPECT_EQ(
      notes,
      (std::vector<std::string>{
          "x.csv: 1 rows left out, the study does not have their configurations (any more)"}));
}

TEST(RankedCsv, RowsThatANewConstraintForbidsAreLeftOut) {
  Study study = study_of_these();
  study.constraints = {Expression::parse_or_throw("BM * N <= device.max_threads_per_block")};
  DeviceFacts device;
  device.max_threads_per_block = 64 * 20;
  std::vector<std::string> notes;
  const CsvTable table("x.csv", ranked_csv(ranked_rows(), kNames));
  const RankedResults back = read_ranked_csv(table, study, device, notes);
  for (const Trial& trial : back.trials)
    EXPECT_NE(trial.configuration[0], Value(std::int64_t{128}));
  EXPECT_EQ(back.outside + back.trials.size(), ranked_rows().trials.size());
  EXPECT_GT(back.outside, 0U);
}

TEST(RankedCsv, ReadsTheFiguresOfSearchAndFinalBack) {
  const std::string csv = ranked_csv(with_final(), kNames);
  const RankedResults back = read_back(csv);
  const Trial& best = back.trials[0];
  ASSERT_TRUE(best.final);
  EXPECT_EQ(best.final->median_ms, FinalFigure(0.55));
  EXPECT_EQ(best.final->metrics, (Metrics{{"gflops", 3.6}}));
  EXPECT_EQ(best.timing.median, 0.5);
  EXPECT_EQ(best.objective, SearchFigure(0.0005));
  EXPECT_FALSE(back.trials[1].final);
  EXPECT_EQ(back.trials[1].timing.median, 0.50125);
}

TEST(RankedCsv, OfAFinalistWhoseSearchNobodyKeptTheFinalIsRead) {
  std::string csv = ranked_csv(with_final(), kNames);
  const std::string searched = "0.55,0.495,0.505,0.49,2,final,0.5,";
  csv.replace(csv.find(searched), searched.size(), "0.55,,,,,final,,");
  const RankedResults back = read_back(csv);
  EXPECT_EQ(back.trials[0].timing.median, 0);
  EXPECT_EQ(back.trials[0].final->median_ms, FinalFigure(0.55));
  std::string again = ranked_csv(back, kNames);
  EXPECT_TRUE(has(again, ",0.55,,,,,final,,0.55,")) << again;
}

// ---- how it was timed ---------------------------------------------------------------------------

TEST(RankedCsv, SaysHowLaunchesWereTimedWhereThatIsNotTheUsualWay) {
  RankedResults results = ranked_rows();
  results.timed = TimedHow{};
  EXPECT_EQ(ranked_csv(results, kNames), ranked_csv(ranked_rows(), kNames));
  results.timed = TimedHow{LaunchMode::kGraph, CacheState::kCold};
  const std::string csv = ranked_csv(results, kNames);
  EXPECT_TRUE(has(csv, ",mode,cache,tie,")) << csv;
  EXPECT_TRUE(has(csv, ",graph,cold,")) << csv;
  Study study = study_of_these();
  study.measure.mode = LaunchMode::kGraph;
  EXPECT_EQ(read_back(csv, study).timed, results.timed);
}

TEST(RankedCsv, SaysThatInputsWereFreshAndIsReadSo) {
  RankedResults results = ranked_rows();
  results.timed = TimedHow{LaunchMode::kStream, CacheState::kCold, TimedInputs::kFresh};
  const std::string csv = ranked_csv(results, kNames);
  EXPECT_TRUE(has(csv, ",mode,cache,inputs,tie,")) << csv;
  Study study = study_of_these();
  study.measure.inputs = TimedInputs::kFresh;
  EXPECT_EQ(read_back(csv, study).timed, results.timed);
}

TEST(RankedCsv, AParameterMayBeCalledLikeAColumnOfTiming) {
  Study study = study_of_these();
  study.parameters[0].name = "mode";
  const std::string csv = ranked_csv(ranked_rows(), std::vector<std::string>{"mode", kNames[1]});
  EXPECT_EQ(read_back(csv, study).timed, std::nullopt);
}

TEST(RankedCsv, FiguresOfAnotherWayAreRefused) {
  RankedResults results = ranked_rows();
  results.timed = TimedHow{LaunchMode::kGraph, CacheState::kHot};
  const auto refused = [](const RankedResults& from, const TimedHow& asked) {
    Study study = study_of_these();
    study.measure.mode = asked.mode;
    study.measure.cache = asked.cache;
    study.measure.inputs = asked.inputs;
    return complaint(ranked_csv(from, kNames), study);
  };
  EXPECT_TRUE(has(refused(results, {}),
                  "x.csv:2:1: measured with 'mode: graph' and 'cache: hot', the study has 'mode: "
                  "stream' and 'cache: cold': these do not compare"));
  const RankedResults usual = ranked_rows();
  EXPECT_NE(refused(usual, {LaunchMode::kGraph, CacheState::kCold}), "none");
  EXPECT_NE(refused(usual, {LaunchMode::kStream, CacheState::kRotate}), "none");
  const std::string fresh =
      refused(usual, {LaunchMode::kStream, CacheState::kCold, TimedInputs::kFresh});
  EXPECT_TRUE(has(fresh, "'mode: stream' and 'inputs: same', the study has"));
  EXPECT_EQ(refused(usual, {LaunchMode::kStream, CacheState::kHot}), "none") << "nobody knows how";
}

TEST(RankedCsv, ARowKnowsTheClockThatItWasMeasuredAt) {
  RankedResults results = ranked_rows();
  EXPECT_FALSE(has(ranked_csv(results, kNames), "clock_mhz"));
  results.trials[1].conditions = {1754.6, 0};
  const std::string csv = ranked_csv(results, kNames);
  EXPECT_TRUE(has(csv, ",clock_mhz,tie,")) << "no column of what nobody knows";
  const RankedResults back = read_back(csv);
  EXPECT_EQ(back.trials[0].conditions, Conditions{});
  EXPECT_EQ(back.trials[1].conditions, (Conditions{1755, 0}));
}

TEST(RankedCsv, WhereSeveralDevicesMeasuredEachRowNamesItsOwn) {
  RankedResults results = ranked_rows();
  for (Trial& trial : results.trials) trial.device_uuid = "GPU-1";
  EXPECT_FALSE(has(ranked_csv(results, kNames), "device_"))
      << "all of one device, which device.json describes";
  results.trials[1].device_uuid = "GPU-2";
  results.trials[1].device_scale = 0.98;
  const std::string csv = ranked_csv(results, kNames);
  EXPECT_TRUE(has(csv, ",device_uuid,device_scale,tie,")) << csv;
  const RankedResults back = read_back(csv);
  EXPECT_EQ(back.trials[0].device_uuid, "GPU-1");
  EXPECT_EQ(back.trials[0].device_scale, 0);
  EXPECT_EQ(back.trials[1].device_uuid, "GPU-2");
  EXPECT_EQ(back.trials[1].device_scale, 0.98);
}

TEST(RankedCsv, AFieldThatMakesNoSenseIsNamedWithItsPlace) {
  std::string csv = ranked_csv(ranked_rows(), kNames);
  EXPECT_TRUE(has(complaint(""), "x.csv: is empty"));
  EXPECT_TRUE(has(complaint("rank\n1\n"), "has no column 'BM': it is not a ranking of matmul"));
  csv.replace(csv.find("0.50125"), 7, "soon");
  EXPECT_TRUE(has(complaint(csv), "x.csv:3:22: 'soon' is no number")) << complaint(csv);
}

TEST(RankedFiles, ReadBackWithTheDeviceThatLiesBesideThem) {
  const ScratchFolder folder;
  const auto path = write_ranked_csv(folder.path(), "matmul", ranked_rows(), kNames);
  std::vector<std::string> notes;
  EXPECT_THROW(read_ranked_files(folder.path(), study_of_these(), notes), InputError);
  write_device_file(path.parent_path(), ranked_rows().device);
  const auto all = read_ranked_files(folder.path(), study_of_these(), notes);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].device.name, "NVIDIA H200");
  EXPECT_EQ(all[0].date, "from M10_N20.csv");
}

TEST(RankedFiles, ADevicesFactsReadBack) {
  DeviceFacts device = sample_device("NVIDIA H200", 90);
  device.uuid = "GPU-1";
  device.reserved_shared_memory_per_block = 1024;
  device.clock_khz = 1980000;
  device.max_block = {1024, 1024, 63};
  device.max_grid = {2147483647, 65535, 65534};
  const std::string text = device_json(device);
  const DeviceFacts got = device_from_json(text, "device.json");
  EXPECT_EQ(device_json(got), text);
  EXPECT_EQ(got.uuid, device.uuid);
  EXPECT_EQ(got.max_grid, device.max_grid);
  EXPECT_EQ(got.bindings(), device.bindings());
  EXPECT_EQ(device_from_json(R"({"name": "X", "compute_capability": 90})", "device.json").warp_size,
            32);
  EXPECT_THROW(device_from_json("{\"name\": 3}", "device.json"), InputError);
}

}  // namespace
}  // namespace tuner
