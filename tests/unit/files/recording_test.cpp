#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <fstream>

#include "tuner/base/archives.h"
#include "tuner/base/error.h"
#include "tuner/files/recording_reader.h"

namespace tuner {
namespace {

constexpr const char* kConvolution =
    R"({"device_name": "GPU X", "kernel_name": "conv", "problem_size": [8],
"tune_params_keys": ["bx", "mode"], "tune_params": {"bx": [16, 32], "mode": ["a", "b"]},
"objective": "time", "cache": {
"16,a": {"bx": 16, "mode": "a", "times": [1.5, 2.5], "time": 2.0, "compile_time": 100, "benchmark_time": 50.5, "GFLOP/s": 7.0},
"32,a": {"bx": 32, "mode": "a", "time": "CompilationFailedConfig", "compile_time": 30},
"16,b": {"bx": 16, "mode": "b", "time": 1e20},
"32,b": {"bx": 32, "mode": "b", "times": [3], "time": 3}}})";

constexpr const char* kT4 =
    R"({"metadata": {"timeunit": "miliseconds"}, "schema_version": "1.0.0", "results": [
{"timestamp": "t", "configuration": {"bx": 32, "pad": true}, "times": {"compilation": 1000, "framework": 9,
 "runtimes": [6.5, 6.25]}, "invalidity": "correct", "correctness": 1,
 "measurements": [{"name": "power", "value": 300, "unit": "W"}, {"name": "time", "value": 6.375, "unit": ""}], "objectives": ["time"]},
{"configuration": {"bx": 16, "pad": false}, "times": {"compilation": 10}, "invalidity": "constraints", "measurements": []},
{"configuration": {"bx": 16, "pad": true}, "times": {}, "invalidity": "correctness", "measurements": [{"name": "time", "value": 1.0}]}]})";

std::string message_of(const std::string& text) {
  try {
    parse_recording(text, "rec.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Recording, ReadsAKernelTunerCache) {
  const Recording rec = parse_recording(kConvolution, "rec");
  EXPECT_EQ(rec.device, "GPU X");
  EXPECT_EQ(rec.kernel, "conv");
  ASSERT_EQ(rec.parameters.size(), 2U);
  EXPECT_EQ(rec.parameters[0].name, "bx");
  EXPECT_EQ(rec.parameters[1].values, (std::vector<Value>{"a", "b"}));
  ASSERT_EQ(rec.entries.size(), 4U);
  EXPECT_EQ(rec.entries[0].objective, 2.0);
  EXPECT_DOUBLE_EQ(rec.entries[0].cost_seconds, 0.1505);
  EXPECT_EQ(rec.samples_of(0).size(), 2U);
  EXPECT_EQ(rec.samples_of(0)[1], 2.5);
  EXPECT_EQ(rec.configuration(1), (Configuration{std::int64_t{32}, "a"}));
  EXPECT_TRUE(rec.notes.empty());
}

TEST(Recording, FailuresHaveAStateNoObjectiveAndTheirCost) {
  const Recording rec = parse_recording(kConvolution, "rec");
  EXPECT_EQ(rec.entries[1].state, TrialState::kCompile);
  EXPECT_TRUE(std::isnan(rec.entries[1].objective));
  EXPECT_DOUBLE_EQ(rec.entries[1].cost_seconds, 0.03);
  EXPECT_EQ(rec.entries[2].state, TrialState::kRuntime);
  EXPECT_TRUE(std::isnan(rec.entries[2].cost_seconds));
}

// The cost, which the community's score counts, leaves verification out.
TEST(Recording, CompileAndDeviceTimeAreToldApart) {
  const Recording cache = parse_recording(
      R"({"tune_params_keys": ["x"], "tune_params": {"x": [1, 2]}, "cache": {
"1": {"x": 1, "time": 2.0, "compile_time": 100, "verification_time": 30, "benchmark_time": 50},
"2": {"x": 2, "time": 2.0, "benchmark_time": 50}}})",
      "rec");
  EXPECT_DOUBLE_EQ(cache.entries[0].cost_seconds, 0.15);
  EXPECT_DOUBLE_EQ(cache.entries[0].compile_seconds, 0.1);
  EXPECT_DOUBLE_EQ(cache.entries[0].device_seconds, 0.08);
  EXPECT_TRUE(std::isnan(cache.entries[1].compile_seconds));
  const Recording t4 = parse_recording(
      R"({"metadata": {"timeunit": "seconds"}, "results": [{"configuration": {"x": 1},
"times": {"compilation_time": 4, "validation": 2, "benchmark": 1, "runtimes": [1]},
"invalidity": "correct", "measurements": [{"name": "time", "value": 1}]}]})",
      "rec");
  EXPECT_DOUBLE_EQ(t4.entries[0].cost_seconds, 5);
  EXPECT_DOUBLE_EQ(t4.entries[0].compile_seconds, 4);
  EXPECT_DOUBLE_EQ(t4.entries[0].device_seconds, 3);
}

TEST(Recording, AnotherObjectiveThanTimeCanBeRead) {
  const Recording rec = parse_recording(kConvolution, "rec", "GFLOP/s");
  EXPECT_EQ(rec.entries[0].objective, 7.0);
  EXPECT_EQ(rec.entries[1].state, TrialState::kCompile) << "'time' tells of the failure";
  EXPECT_EQ(rec.entries[3].state, TrialState::kRuntime) << "no value at all is no result";
}

TEST(Recording, ReadsT4AndCollectsSortedDomains) {
  const Recording rec = parse_recording(kT4, "rec");
  ASSERT_EQ(rec.parameters.size(), 2U);
  EXPECT_EQ(rec.parameters[0].values, (std::vector<Value>{std::int64_t{16}, std::int64_t{32}}));
  EXPECT_EQ(rec.parameters[1].values, (std::vector<Value>{false, true}));
  ASSERT_EQ(rec.entries.size(), 3U);
  EXPECT_EQ(rec.entries[0].objective, 6.375);
  EXPECT_DOUBLE_EQ(rec.entries[0].cost_seconds, 1.0);
  EXPECT_EQ(rec.samples_of(0)[0], 6.5);
  EXPECT_EQ(rec.configuration(0), (Configuration{std::int64_t{32}, true}));
  EXPECT_EQ(rec.entries[1].state, TrialState::kConstraints);
  EXPECT_EQ(rec.entries[2].state, TrialState::kCorrectness);
  EXPECT_TRUE(std::isnan(rec.entries[2].objective)) << "a wrong answer's time is no result";
}

std::string cache_with(const std::string& fields) {
  return R"({"tune_params_keys": ["b"], "tune_params": {"b": [1, 2]},
    "cache": {"1": {"b": 1, "time": 2.0}, "2": {"b": 2, )" +
         fields + "}}}";
}

std::string t4_with(const std::string& value, const std::string& invalidity = "correct") {
  return R"({"metadata": {}, "results": [{"configuration": {"b": 1}, "invalidity": ")" +
         invalidity + R"(", "measurements": [{"name": "time", "value": )" + value + "}]}]}";
}

TEST(Recording, ATimeThatIsNoneIsRefusedWithItsPlace) {
  for (const std::string value : {"-1.0", "0", "0.0", "1e-320", "1e-10"}) {
    EXPECT_NE(message_of(cache_with("\"time\": " + value)).find("rec.json: the entry '2' has the"),
              std::string::npos)
        << value << ": " << message_of(cache_with("\"time\": " + value));
    EXPECT_NE(message_of(t4_with(value)).find("rec.json: result 1 has the time"), std::string::npos)
        << value << ": " << message_of(t4_with(value));
  }
  EXPECT_NE(message_of(cache_with("\"time\": 1e999")).find("rec.json:2:"), std::string::npos);
  EXPECT_NE(message_of(cache_with("\"time\": 1, \"times\": [1, -1]")).find("a sample of -1 ms"),
            std::string::npos);
  EXPECT_EQ(message_of(cache_with("\"time\": 1e-9, \"times\": [1e-9]")), "no error");
}

TEST(Recording, AFailureStaysAFailureWhateverItsTime) {
  EXPECT_EQ(message_of(t4_with("-1", "runtime")), "no error");
  EXPECT_EQ(message_of(cache_with("\"time\": -1, \"__error__\": \"RuntimeFailedConfig\"")),
            "no error");
  for (const std::string mark : {"NaN", "Infinity", "1e20"}) {  // what Python tuners write then
    const Recording rec = parse_recording(cache_with("\"time\": " + mark), "rec");
    EXPECT_EQ(rec.entries[1].state, TrialState::kRuntime) << mark;
  }
}

TEST(Recording, WhatIsNoTimeMayBeNegative) {
  const Recording rec = parse_recording(cache_with("\"time\": 1, \"loss\": -2.5"), "rec", "loss");
  EXPECT_EQ(rec.entries[1].objective, -2.5);
}

TEST(Recording, MoreResultsThanMemoryAreRefused) {
  std::string text = R"({"metadata": {}, "results": [)";
  for (int i = 0; i < (1 << 22); ++i) text += "{},";
  EXPECT_NE(message_of(text + "{}]}").find("result 4194305 is one too many"), std::string::npos);
}

TEST(Recording, T4NamesItsDeviceAndItsUnitOfTime) {
  const Recording rec = parse_recording(
      R"({"schema_version": "1.1.0", "metadata": {"device": "GPU Y", "kernel": "k", "timeunit": "microseconds"},
          "results": [{"configuration": {"b": 1}, "invalidity": "correct", "correctness": 1,
           "times": {"compilation_time": 3e6, "compilation": 3e6, "benchmark": 1e6, "runtimes": [2000]},
           "measurements": [{"name": "time", "value": 2000, "unit": ""}]}]})",
      "rec");
  EXPECT_EQ(rec.device, "GPU Y");
  EXPECT_EQ(rec.kernel, "k");
  EXPECT_DOUBLE_EQ(rec.entries[0].cost_seconds, 4.0);
  EXPECT_EQ(rec.samples_of(0)[0], 2.0);
  EXPECT_EQ(rec.entries[0].objective, 2000) << "as recorded";
}

TEST(Recording, ACacheCutAtAnyByteGivesItsCompleteEntriesOrAMessage) {
  const std::string whole = kConvolution;
  const std::size_t first_end = whole.find("},\n\"32,a\"") + 1;
  std::size_t before = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    try {
      const Recording rec = parse_recording(whole.substr(0, size), "rec");
      EXPECT_GE(size, first_end);
      EXPECT_GE(rec.entries.size(), before) << size;
      EXPECT_EQ(rec.entries[0].objective, 2.0);
      EXPECT_EQ(rec.positions.size(), rec.entries.size() * 2);
      EXPECT_EQ(rec.notes.size(), 1U) << size;
      before = rec.entries.size();
    } catch (const InputError&) {
      EXPECT_LT(size, first_end);
    }
  }
  EXPECT_EQ(before, 4U);
}

TEST(Recording, AnUnfinishedCacheSaysSoAndWhatIsMissing) {
  const std::string whole = kConvolution;
  const std::string cut = whole.substr(0, whole.find("\"16,b\""));
  EXPECT_EQ(
      parse_recording(cut, "rec").notes,
      std::vector<std::string>{"the file ends early, as one that is still being written does"});
  const std::string torn = whole.substr(0, whole.find("1e20"));
  EXPECT_EQ(parse_recording(torn, "rec").notes,
            std::vector<std::string>{"the file ends early, as one that is still being written "
                                     "does; its last entry is incomplete and left out"});
}

TEST(Recording, AlphabeticallySortedCachesAreRead) {
  const Recording rec = parse_recording(
      R"({"cache": {"1": {"b": 1, "time": 2.5}}, "device_name": "d",
          "tune_params": {"b": [1, 2]}, "tune_params_keys": ["b"]})",
      "rec");
  ASSERT_EQ(rec.entries.size(), 1U);
  EXPECT_EQ(rec.entries[0].objective, 2.5);
  EXPECT_EQ(rec.device, "d");
}

TEST(Recording, PythonsNanAndInfinityAreFailedMeasurements) {
  const Recording rec = parse_recording(
      R"({"tune_params_keys": ["b"], "tune_params": {"b": [1, 2, 3]}, "cache": {
          "1": {"b": 1, "time": NaN, "GFLOP/s": -Infinity}, "2": {"b": 2, "time": Infinity},
          "3": {"b": 3, "time": 1.0, "note": "NaN \" Infinity"}}})",
      "rec");
  EXPECT_EQ(rec.entries[0].state, TrialState::kRuntime);
  EXPECT_EQ(rec.entries[1].state, TrialState::kRuntime);
  EXPECT_EQ(rec.entries[2].objective, 1.0);
}

TEST(Recording, TheLastOfRepeatedConfigurationsCounts) {
  const Recording rec = parse_recording(
      R"({"results": [{"configuration": {"b": 1}, "times": {}, "invalidity": "correct", "measurements": [{"name": "time", "value": 5}]},
                      {"configuration": {"b": 2}, "times": {}, "invalidity": "compile", "measurements": []},
                      {"configuration": {"b": 1}, "times": {}, "invalidity": "correct", "measurements": [{"name": "time", "value": 4}]}]})",
      "rec");
  ASSERT_EQ(rec.entries.size(), 2U);
  EXPECT_EQ(rec.notes, std::vector<std::string>{
                           "1 entries repeat a configuration; the last one of each counts"});
  const RecordingIndex index(rec);
  EXPECT_EQ(rec.entries[*index.find(std::vector<std::uint32_t>{0})].objective, 4.0);
}

TEST(Recording, TheIndexFindsEveryEntryAndNothingElse) {
  const Recording rec = parse_recording(kT4, "rec");
  const RecordingIndex index(rec);
  for (std::size_t e = 0; e < rec.entries.size(); ++e) {
    EXPECT_EQ(index.find(rec.positions_of(e)), e);
  }
  EXPECT_EQ(index.find(std::vector<std::uint32_t>{1, 0}), std::nullopt);
}

TEST(Recording, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_EQ(
      message_of("{}"),
      "rec.json: is not a recording: it has neither 'cache' (Kernel Tuner) nor 'results' (T4)");
  EXPECT_EQ(message_of(R"({"tune_params_keys": ["b"], "tune_params": {}, "cache": {}})"),
            "rec.json: 'tune_params' lists no values for 'b', which 'tune_params_keys' names");
  EXPECT_EQ(message_of(R"({"tune_params_keys": ["b"], "tune_params": {"b": [1]}, "cache": {}})"),
            "rec.json: holds no results");
  EXPECT_EQ(
      message_of(R"({"tune_params_keys": ["b"], "tune_params": {"b": [1]},
                           "cache": {"7": {"b": 7, "time": 1}}})"),
      "rec.json: the entry '7' has b = 7, which is not among the values that 'tune_params' lists");
  EXPECT_EQ(message_of(R"({"tune_params_keys": ["b"], "tune_params": {"b": [1]},
                           "cache": {"1": {"time": 1}}})"),
            "rec.json: the entry '1' has no value for the parameter 'b'");
  EXPECT_EQ(
      message_of(R"({"results": [{"configuration": {"b": 1}}, {"configuration": {"c": 1}}]})"),
      "rec.json: result 2 has a parameter 'c' that earlier results do not have");
  EXPECT_EQ(message_of("{\"cache\": {\n  \"1\" 5}}").substr(0, 30),
            "rec.json:2:7: is not JSON here");
  EXPECT_EQ(message_of("").substr(0, 30), "rec.json:1:1: is not JSON here");
  EXPECT_EQ(message_of(R"({"results": [)"), "rec.json:1:13: ends before the first complete result");
}

class RecordingFile : public ::testing::Test {
 protected:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("rec" + std::to_string(::getpid()) + ".json.gz");
  void TearDown() override { std::filesystem::remove(path_); }
  void write_gzipped(const std::string& text) const {
    gzFile file = gzopen(path_.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
  }
};

TEST_F(RecordingFile, TextWithoutEndIsRefusedBeforeItTakesMemory) {
  write_gzipped(std::string(std::size_t{5} << 20, ' '));
  EXPECT_EQ(read_maybe_compressed(path_, std::size_t{5} << 20).text.capacity(),
            std::size_t{5} << 20);
  try {
    read_maybe_compressed(path_, std::size_t{4} << 20);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), path_.string() + ": holds more than 4 MiB of text");
  }
}

TEST_F(RecordingFile, GzippedFilesAreUnpacked) {
  write_gzipped(kConvolution);
  const Recording rec = read_recording(path_);
  EXPECT_EQ(rec.entries.size(), 4U);
  EXPECT_EQ(rec.name, "rec" + std::to_string(::getpid()));
}

TEST_F(RecordingFile, PlainFilesAreReadWhateverTheirName) {
  std::ofstream(path_) << kT4;
  EXPECT_EQ(read_recording(path_).entries.size(), 3U);
}

TEST_F(RecordingFile, ATruncatedGzipFileSaysSo) {
  std::string text = R"({"results": [)";
  for (int i = 0; i < 5000; ++i) {
    text +=
        R"({"configuration": {"b": )" + std::to_string(i) +
        R"(}, "times": {}, "invalidity": "correct", "measurements": [{"name": "time", "value": )" +
        std::to_string(1 + i * 7919 % 1000) + "}]},\n";
  }
  write_gzipped(text + R"({"configuration": {"b": -1}}]})");
  EXPECT_EQ(read_recording(path_).entries.size(), 5001U);
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2);
  const Recording rec = read_recording(path_);
  EXPECT_GT(rec.entries.size(), 1000U);
  EXPECT_LT(rec.entries.size(), 5000U);
  ASSERT_EQ(rec.notes.size(), 2U);
  EXPECT_EQ(rec.notes[1].substr(0, 31), "the compressed file is damaged:");
}

TEST_F(RecordingFile, AMissingFileIsNamed) {
  try {
    read_recording("/nonexistent/rec.json");
    FAIL();
  } catch (const FatalError& error) {
    EXPECT_STREQ(error.what(), "cannot read /nonexistent/rec.json: No such file or directory");
  }
}

TEST(Recording, WhatAllValidResultsLackIsRefusedWithWhatThereIs) {
  const auto message = [](const std::string& text, const std::string& objective) -> std::string {
    try {
      parse_recording(text, "rec.json", objective);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(
      message(kConvolution, "GFLOPs"),
      "rec.json: no result has 'GFLOPs'; results have: time, GFLOP/s (did you mean 'GFLOP/s'?)");
  EXPECT_EQ(message(kT4, "GFLOPs"), "rec.json: no result has 'GFLOPs'; results have: power, time");
  EXPECT_EQ(message(kConvolution, "GFLOP/s"), "no error");
  EXPECT_EQ(message(t4_with("1", "runtime"), "GFLOPs"), "no error") << "nothing in it is valid";
}

TEST(Recording, AT4FileOfOursSaysWhatIsTheObjectiveAndWhetherMoreIsBetter) {
  const std::string text =
      R"({"metadata": {"objective": "gflops", "objective_direction": "maximize"},
    "results": [{"configuration": {"b": 1}, "invalidity": "correct", "measurements": [
    {"name": "time", "value": 2}, {"name": "gflops", "value": 50}]}]})";
  const Recording rec = parse_recording(text, "rec", "");
  EXPECT_EQ(rec.objective, "gflops");
  EXPECT_TRUE(rec.maximize);
  EXPECT_EQ(rec.entries[0].objective, 50);
  const Recording by_time = parse_recording(text, "rec", "time");
  EXPECT_EQ(by_time.entries[0].objective, 2);
  EXPECT_FALSE(by_time.maximize);
}

}  // namespace
}  // namespace tuner
