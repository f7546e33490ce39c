#include <gtest/gtest.h>

#include "program.h"

namespace tuner::cli {
namespace {

const std::string kShipped = std::string(TUNER_SOURCE_DIR) + "/results/softmax/nvidia-h200";

TEST(Report, AFolderOfRankedFilesWithoutAStudyIsEnough) {
  const Sandbox sandbox;
  const auto done = run_to(0, sandbox, {"report", kShipped, "-o", "softmax.html"});
  const std::string page = text_of(sandbox.path("softmax.html"));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html><!-- Made by tuner ")) << page.substr(0, 80);
  for (const char* text : {"NVIDIA H200", "M1024_N50257", "M8192_N8192", "580.159.04"}) {
    EXPECT_TRUE(says(page, text));
  }
  EXPECT_FALSE(says(page, TUNER_SOURCE_DIR)) << "names a folder of this machine";
  EXPECT_TRUE(says(done.err, "softmax.html: 4 rankings"));
}

TEST(Report, OfAStoreKnowsTheOrder) {
  const Sandbox sandbox;
  run_to(0, sandbox,
         {"run", data("studies/tiny.yaml"), "--backend", "cpu", "--size", "n=3000", "--progress",
          "none"});
  for (const std::string& target : {std::string("results"), data("studies/tiny.yaml").string()}) {
    const auto done = run_to(0, sandbox, {"report", target, "-o", "-"});
    EXPECT_TRUE(says(done.out, "\"course\":{\"seconds\":[")) << target;
    const bool knows_the_study = target != "results";
    EXPECT_EQ(done.out.find("each measured configuration gave the right answer") != done.out.npos,
              knows_the_study);
  }
}

TEST(Report, StaleResultsStandBehindASwitchAndCurrentOnesSayWhatNext) {
  const Sandbox sandbox;
  std::filesystem::copy(data("studies/tiny.yaml"), sandbox.path("tiny.yaml"));
  std::filesystem::copy(data("studies/tiny.cu"), sandbox.path("tiny.cu"));
  const auto run = [&](const std::string& size) {
    run_to(0, sandbox,
           {"run", "tiny.yaml", "--backend", "cpu", "--size", size, "--progress", "none"});
  };
  run("n=3000");
  sandbox.write("tiny.cu", text_of(sandbox.path("tiny.cu")) + "// changed\n");
  run("n=2000");
  const auto current = run_to(0, sandbox, {"report", "tiny.yaml", "-o", "-"});
  EXPECT_TRUE(says(current.err, "1 stale ranking left out (--all shows them)")) << current.err;
  EXPECT_TRUE(says(current.out, "\"size\":\"n2000\""));
  EXPECT_FALSE(says(current.out, "\"size\":\"n3000\""));
  EXPECT_TRUE(says(current.out,
                   "\"next\":[\"Use them: `tuner export tiny.yaml --results results --format "
                   "header -o axpy_tuned.h`\"]"));
  const auto all = run_to(0, sandbox, {"report", "tiny.yaml", "--all", "-o", "-"});
  EXPECT_TRUE(says(all.out, "\"next\":[\"These results are stale: `tuner run tiny.yaml`\"]"));
}

TEST(Report, ResultsOfSeveralMachinesAreOnePage) {
  const Sandbox sandbox;
  for (const std::string device : {"GPU A", "GPU B"}) {
    std::string facts = text_of(kShipped + "/device.json");
    facts.replace(facts.find("NVIDIA H200"), 11, device);
    sandbox.write(device + "/axpy/gpu/device.json", facts);
    sandbox.write(device + "/axpy/gpu/n5.csv",
                  "rank,state,BM,n,time_ms,ci_low_ms,basis,tie,message\n1,ok,8,5,2,,search,,\n");
  }
  const auto done = run_to(0, sandbox, {"report", "GPU A", "GPU B", "-o", "both.html"});
  EXPECT_TRUE(says(done.err, "both.html: 2 rankings"));
  const std::string page = text_of(sandbox.path("both.html"));
  EXPECT_TRUE(says(page, "\"device\":\"GPU A\""));
  EXPECT_TRUE(says(page, "\"device\":\"GPU B\""));
  const auto refused = run_to(2, sandbox, {"report", "GPU A", "tiny.yaml", "-o", "both.html"});
  EXPECT_EQ(refused.err,
            "a study stands alone, not beside other targets ('tiny.yaml') (several folders of "
            "results may be named)\n");
}

TEST(Report, OnlyWhatFitsTheFilterIsInIt) {
  const Sandbox sandbox;
  run_to(0, sandbox, {"report", kShipped, "-o", "one.html", "--size", "M=8192,N=8192"});
  EXPECT_FALSE(says(text_of(sandbox.path("one.html")), "M1024_N50257"));
  run_to(1, sandbox, {"report", kShipped, "-o", "x.html", "--device", "nonesuch"});
}

TEST(Report, WritesOverItsOwnPagesOnly) {
  const Sandbox sandbox;
  sandbox.write("mine.html", "<html>mine</html>");
  const auto refused = run_to(2, sandbox, {"report", kShipped, "-o", "mine.html"});
  EXPECT_TRUE(says(refused.err, "mine.html: was not written by tuner"));
  EXPECT_EQ(text_of(sandbox.path("mine.html")), "<html>mine</html>");
  run_to(0, sandbox, {"report", kShipped, "-o", "mine.html", "--force"});
  run_to(0, sandbox, {"report", kShipped, "-o", "mine.html"});
}

TEST(Report, SaysWhatIsMissing) {
  const Sandbox sandbox;
  const auto no_output = run_to(2, sandbox, {"report", kShipped});
  EXPECT_EQ(no_output.err, "the HTML file is missing: -o FILE.html\n");
  run_to(2, sandbox, {"report", "nowhere", "-o", "x.html"});
  sandbox.write("other/table.csv", "a,b\n1,2\n");
  const auto no_results = run_to(2, sandbox, {"report", "other", "-o", "x.html"});
  EXPECT_TRUE(says(no_results.err, "other: there are no results here"));
  const auto limit = run(sandbox, {"report", kShipped, "-o", "x.html", "--limit", "gflops"});
  EXPECT_EQ(limit.err, "--limit takes METRIC=NUMBER such as gflops=67000, not 'gflops'\n");
}

TEST(Report, ADamagedFileIsPointedAt) {
  const Sandbox sandbox;
  sandbox.write("r/n5.csv",
                "rank,state,BM,n,time_ms,ci_low_ms,ci_high_ms,min_ms,samples,basis,message\n"
                "1,ok,8,5,fast,1,1,1,7,search,\n");
  const auto done = run_to(2, sandbox, {"report", "r", "-o", "x.html"});
  EXPECT_TRUE(says(done.err, "r/n5.csv:2:10: 'fast' is no number"));
  sandbox.write("other/n5.csv", "rank,state,BM,n,my_time_ms,basis,message\n1,ok,8,5,1,search,\n");
  const auto other = run_to(2, sandbox, {"report", "other", "-o", "x.html"});
  EXPECT_TRUE(says(other.err, "other/n5.csv: has no column 'time_ms'")) << other.err;
}

}  // namespace
}  // namespace tuner::cli
