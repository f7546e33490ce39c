#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

// Results of a kernel at one size on one device: a ranked CSV of one configuration.
void add(const Sandbox& sandbox, const std::string& folder, const std::string& device,
         const std::string& size, double milliseconds, int bm) {
  const std::string place = folder + "/axpy/" + device + "/";
  std::string facts =
      text_of(std::string(TUNER_SOURCE_DIR) + "/results/softmax/nvidia-h200/device.json");
  facts.replace(facts.find("NVIDIA H200"), 11, device);
  sandbox.write(place + "device.json", facts);
  const auto number = [](double value) { return std::to_string(value); };
  sandbox.write(
      place + "n" + size + ".csv",
      "rank,state,BM,n,time_ms,ci_low_ms,ci_high_ms,min_ms,samples,basis,tie,message\n1,ok," +
          std::to_string(bm) + "," + size + "," + number(milliseconds) + "," +
          number(milliseconds * 0.99) + "," + number(milliseconds * 1.01) +
          ",1,31,search,false,\n");
}

TEST(Compare, SaysForEachSizeWhatTheBestOfBIsToThatOfA) {
  const Sandbox sandbox;
  add(sandbox, "old", "gpu", "100", 2, 64);
  add(sandbox, "new", "gpu", "100", 1, 128);
  add(sandbox, "old", "gpu", "200", 4, 64);
  add(sandbox, "new", "gpu", "200", 4.01, 64);
  add(sandbox, "new", "gpu", "300", 9, 64);
  const auto done = run_to(0, sandbox, {"compare", "old", "new"});
  EXPECT_EQ(
      done.out,
      "A: old\nB: new\n\n"
      "axpy, n100, gpu\n"
      "  A  2 ms (1.98 to 2.02)\n"
      "  B  1 ms (0.99 to 1.01)\n"
      "  B is 2.0000x faster (1.9719 to 2.0285, both measured in searches)\n"
      "  configuration: BM: 64 -> 128\n\n"
      "axpy, n200, gpu\n"
      "  A  4 ms (3.96 to 4.04)\n"
      "  B  4.01 ms (3.9699 to 4.0501)\n"
      "  B is 1.0025x slower (0.9884 to 1.0168, both measured in searches): no significant "
      "difference\n"
      "  the same configuration\n\n"
      "only in B: axpy on gpu, n300\n"
      "2 compared: B is better in 1, worse in 0; in the geometric mean it is 1.4124x better\n");
}

TEST(Compare, DevicesThatOnlyOneSideHasAreComparedWithEachOther) {
  const Sandbox sandbox;
  add(sandbox, "h100", "first", "100", 2, 64);
  add(sandbox, "h200", "second", "100", 1, 64);
  const auto done = run_to(0, sandbox, {"compare", "h100", "h200", "--json"});
  const auto json = nlohmann::json::parse(done.out);
  ASSERT_EQ(json.at("comparisons").size(), 1U);
  const auto& one = json.at("comparisons").at(0);
  EXPECT_EQ(one.at("a").at("device"), "first");
  EXPECT_EQ(one.at("b").at("device"), "second");
  EXPECT_EQ(one.at("a").at("configuration"), nlohmann::json({{"BM", 64}}));
  EXPECT_DOUBLE_EQ(one.at("b_over_a").at("ratio").get<double>(), 2);
  EXPECT_EQ(one.at("context"), nlohmann::json::array({"device: first -> second"}));
  EXPECT_EQ(one.at("basis"), "search");
}

TEST(Compare, FailAboveIsForWhatIsSlowerBeyondItsInterval) {
  const Sandbox sandbox;
  add(sandbox, "old", "gpu", "100", 1, 64);
  add(sandbox, "new", "gpu", "100", 1.1, 64);
  run_to(0, sandbox, {"compare", "old", "new"});
  const auto failed = run_to(1, sandbox, {"compare", "old", "new", "--fail-above", "5%"});
  EXPECT_TRUE(says(failed.out, "over the limit of 5 %:\n  axpy, n100 on gpu: B is 1.1x slower"));
  run_to(0, sandbox, {"compare", "old", "new", "--fail-above", "9%"});
  run_to(0, sandbox, {"compare", "new", "old", "--fail-above", "0%"});
}

TEST(Compare, NothingInCommonIsStatusOneAndWrongUseTwo) {
  const Sandbox sandbox;
  add(sandbox, "old", "gpu", "100", 1, 64);
  add(sandbox, "new", "gpu", "200", 1, 64);
  const auto done = run_to(1, sandbox, {"compare", "old", "new"});
  EXPECT_TRUE(says(done.out, "only in A: axpy on gpu, n100\nonly in B: axpy on gpu, n200\n"));
  run_to(2, sandbox, {"compare", "old"});
  run_to(2, sandbox, {"compare", "old", "nowhere"});
}

TEST(Compare, AStoreIsComparedWithACopyOfItself) {
  const Sandbox sandbox;
  run_to(0, sandbox,
         {"run", data("studies/tiny.yaml"), "--backend", "cpu", "--size", "n=3000", "--progress",
          "none"});
  const auto done = run_to(0, sandbox, {"compare", "results", "results/tuner.sqlite", "--json"});
  const auto one = nlohmann::json::parse(done.out).at("comparisons").at(0);
  EXPECT_DOUBLE_EQ(one.at("b_over_a").at("ratio").get<double>(), 1);
  EXPECT_EQ(one.at("context"), nlohmann::json::array());
  EXPECT_NE(one.at("basis"), "unlike");
}

}  // namespace
}  // namespace tuner::cli
