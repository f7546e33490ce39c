#include "tuner/deploy/selection.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "compiled.h"
#include "tests/unit/deploy/sample_study.h"
#include "tuner/deploy/header.h"

namespace tuner {
namespace {

struct Question {
  DeviceFacts device;
  ProblemSize size;
};

DeviceFacts device(const std::string& name, int compute_capability, std::int64_t processors,
                   std::int64_t shared) {
  DeviceFacts facts = sample_device(name, compute_capability);
  facts.multiprocessors = processors;
  facts.max_shared_memory_per_block_optin = shared;
  return facts;
}

// Tuned devices and strangers, newer and older ones; sizes near and far, odd, zero and negative.
std::vector<Question> questions() {
  const std::vector<DeviceFacts> devices{device("NVIDIA H200", 90, 90, 232448),
                                         device("NVIDIA H100", 90, 114, 232448),
                                         device("NVIDIA A100", 80, 80, 166912),
                                         device("NVIDIA RTX", 86, 84, 101376),
                                         device("NVIDIA B200", 100, 148, 49152),
                                         device("NVIDIA T4", 75, 40, 65536),
                                         device("cpu", 0, 1, 49152)};
  std::mt19937_64 random(11);
  std::vector<Question> all;
  for (int i = 0; i < 600; ++i) {
    const auto extent = [&]() -> std::int64_t {
      const auto base = static_cast<std::int64_t>(1ULL << (random() % 24));
      const auto kind = random() % 8;
      if (kind == 0) return base;
      if (kind == 1) return 4 * (1 + static_cast<std::int64_t>(random() % 5000));
      return kind == 2 ? static_cast<std::int64_t>(random() % 3) - 1
                       : 1 + static_cast<std::int64_t>(random() % 20000);
    };
    Question one{devices[random() % devices.size()], {{{"M", extent()}, {"N", extent()}}}};
    if (i % 7 == 0) one.size.dims = {{"M", 1024}, {"N", 1024}};
    all.push_back(std::move(one));
  }
  return all;
}

std::string as_text(const Selection& s) {
  return fmt::format("{} {} {} {} {:.6f}", s.configuration, static_cast<int>(s.how),
                     s.entry ? static_cast<int>(*s.entry) : -1, s.tier, s.log2_distance_sq);
}

// Asks the tuner and a compiled header the same; how often each kind of match was the answer.
std::vector<int> compare_answers(const Study& study) {
  const TunedTable table = tuned_table(study, sample_results());
  const HeaderFolder folder(export_header(study, sample_results()));
  std::string asked;
  const std::vector<Question> all = questions();
  for (const Question& one : all) {
    asked += fmt::format("  {{\"{}\", {}, {}, {}, {}, {}}},\n", one.device.name,
                         one.device.compute_capability, one.device.multiprocessors,
                         one.device.max_shared_memory_per_block_optin, one.size.dims[0].second,
                         one.size.dims[1].second);
  }
  const auto out = folder.run_program(R"(#include "tuned.h"
#include <cstdio>
using namespace matmul_tuned;
struct question { const char* name; int cc; long long processors, shared, m, n; };
static const question all[] = {
)" + asked + R"(};
int main() {
  for (const question& q : all) {
    device v;
    v.name = q.name;
    v.compute_capability = q.cc;
    v.multiprocessors = q.processors;
    v.max_shared_memory_per_block_optin = q.shared;
    const selection s = select(v, {q.m, q.n});
    std::printf("%d %d %d %d %.6f\n", s.config_id, static_cast<int>(s.how), s.entry_index, s.tier,
                s.log2_distance_sq);
  }
})");
  EXPECT_EQ(out.status, 0) << out.text.substr(0, 2000);
  std::istringstream lines(out.text);
  std::vector<int> seen(5);
  for (const Question& one : all) {
    std::string emitted;
    std::getline(lines, emitted);
    const Selection mine = select(study, table, one.device, one.size);
    EXPECT_EQ(as_text(mine), emitted) << one.device.name << " " << one.size.label();
    ++seen[static_cast<std::size_t>(mine.how)];
  }
  return seen;
}

TEST(Selection, IsWhatTheEmittedHeaderAnswers) {
  const std::vector<int> seen = compare_answers(sample_study());
  for (const Match match :
       {Match::kExact, Match::kNearSize, Match::kNearDevice, Match::kFallback}) {
    EXPECT_GT(seen[static_cast<std::size_t>(match)], 10) << name_of(match);
  }
}

TEST(Selection, IsWhatTheEmittedHeaderAnswersWithWeights) {
  Study study = sample_study();
  study.exports.weights = {{"N", 0.3}, {"M", 2.5}};
  EXPECT_GT(compare_answers(study)[static_cast<std::size_t>(Match::kNearSize)], 10);
  study.exports.weights = {{"N", 0}};
  EXPECT_GT(compare_answers(study)[static_cast<std::size_t>(Match::kNearSize)], 10);
}

// 4096 x 1024 is two octaves from 1024 x 1024 in M, and one from 4096 x 2048 in N.
TEST(Selection, AWeightDecidesWhichSizeIsNear) {
  Study study = sample_study();
  const DeviceFacts h200 = sample_device("NVIDIA H200", 90);
  const ProblemSize size{{{"M", 4096}, {"N", 1024}}};
  const auto chosen = [&] {
    return select(study, tuned_table(study, sample_results()), h200, size);
  };
  EXPECT_EQ(chosen().entry, 1U);
  EXPECT_DOUBLE_EQ(chosen().log2_distance_sq, 1);
  study.exports.weights = {{"M", 0.2}};
  EXPECT_EQ(chosen().entry, 0U);
  EXPECT_NEAR(chosen().log2_distance_sq, 0.2 * 4, 1e-6);
  const HeaderFolder folder(export_header(study, sample_results()));
  const auto out = folder.run_program(R"(#include "tuned.h"
#include <cstdio>
using namespace matmul_tuned;
static_assert(best<90, 4096, 1024>.cfg.BM == 32);
int main() {
  device v = device_of(90);
  v.name = "NVIDIA H200";
  const selection s = select(v, {4096, 1024});
  std::printf("%d %.3f\n", s.entry_index, s.log2_distance_sq);
})");
  EXPECT_EQ(out.text, "0 0.800\n");
}

TEST(Selection, LaunchLimitsCountBesideConstraints) {
  Study study = sample_study();
  const auto configuration = sample_configuration(16, 1, "static", false);
  const DeviceFacts facts = sample_device("NVIDIA H200", 90);
  EXPECT_TRUE(may_launch(study, configuration, facts, {{{"M", 64}, {"N", 64}}}));
  EXPECT_FALSE(may_launch(study, configuration, facts, {{{"M", 64}, {"N", 65537}}}));  // grid.y
  study.launch.block[0] = Expression::parse_or_throw("2048");
  EXPECT_FALSE(may_launch(study, configuration, facts, {{{"M", 64}, {"N", 64}}}));
  study.launch.block[0] = Expression::parse_or_throw("64 // (N - N)");
  EXPECT_FALSE(may_launch(study, configuration, facts, {{{"M", 64}, {"N", 64}}}));
}

}  // namespace
}  // namespace tuner
