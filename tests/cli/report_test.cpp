#include <gtest/gtest.h>

#include "program.h"

namespace tuner::cli {
namespace {

const std::string kShipped = std::string(TUNER_SOURCE_DIR) + "/results/softmax/nvidia-h200";

TEST(Report, AFolderOfRankedFilesWithoutAStudyIsEnough) {
  const Sandbox sandbox;
  const auto done = run(sandbox, {"report", kShipped, "-o", "softmax.html"});
  ASSERT_EQ(done.status, 0) << done.err;
  const std::string page = text_of(sandbox.path("softmax.html"));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html><!-- Made by tuner ")) << page.substr(0, 80);
  for (const char* text : {"NVIDIA H200", "M1024_N50257", "M8192_N8192", "580.159.04"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(page.find(TUNER_SOURCE_DIR), std::string::npos) << "names a folder of this machine";
  EXPECT_NE(done.err.find("softmax.html: 4 rankings"), std::string::npos) << done.err;
}

TEST(Report, OfAStoreKnowsTheOrderAndTellsFiguresApart) {
  const Sandbox sandbox;
  ASSERT_EQ(run(sandbox, {"run", data("studies/tiny.yaml"), "--backend", "cpu", "--size", "n=3000",
                          "--progress", "none"})
                .status,
            0);
  for (const std::string& target : {std::string("results"), data("studies/tiny.yaml").string()}) {
    const auto done = run(sandbox, {"report", target, "-o", "-"});
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_NE(done.out.find("\"course\":{\"seconds\":["), std::string::npos) << target;
    EXPECT_NE(done.out.find("\"told_apart\":true"), std::string::npos);
    const bool knows_the_study = target != "results";
    EXPECT_EQ(done.out.find("each measured configuration gave the right answer") != done.out.npos,
              knows_the_study);
  }
}

TEST(Report, ResultsOfSeveralMachinesAreOnePage) {
  const Sandbox sandbox;
  for (const std::string device : {"GPU A", "GPU B"}) {
    std::string facts = text_of(kShipped + "/device.json");
    facts.replace(facts.find("NVIDIA H200"), 11, device);
    sandbox.write(device + "/axpy/gpu/device.json", facts);
    sandbox.write(device + "/axpy/gpu/n5.csv", "rank,state,BM,n,time_ms,message\n1,ok,8,5,2,\n");
  }
  const auto done = run(sandbox, {"report", "GPU A", "GPU B", "-o", "both.html"});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_NE(done.err.find("both.html: 2 rankings"), std::string::npos) << done.err;
  const std::string page = text_of(sandbox.path("both.html"));
  EXPECT_NE(page.find("\"device\":\"GPU A\""), std::string::npos);
  EXPECT_NE(page.find("\"device\":\"GPU B\""), std::string::npos);
  const auto refused = run(sandbox, {"report", "GPU A", "tiny.yaml", "-o", "both.html"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err,
            "a study stands alone, not beside other targets ('tiny.yaml') (several folders of "
            "results may be named)\n");
}

TEST(Report, OnlyWhatFitsTheFilterIsInIt) {
  const Sandbox sandbox;
  const auto done = run(sandbox, {"report", kShipped, "-o", "one.html", "--size", "M=8192,N=8192"});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(text_of(sandbox.path("one.html")).find("M1024_N50257"), std::string::npos);
  EXPECT_EQ(run(sandbox, {"report", kShipped, "-o", "x.html", "--device", "nonesuch"}).status, 1);
}

TEST(Report, WritesOverItsOwnPagesOnly) {
  const Sandbox sandbox;
  sandbox.write("mine.html", "<html>mine</html>");
  const auto refused = run(sandbox, {"report", kShipped, "-o", "mine.html"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("mine.html: was not written by tuner"), std::string::npos);
  EXPECT_EQ(text_of(sandbox.path("mine.html")), "<html>mine</html>");
  EXPECT_EQ(run(sandbox, {"report", kShipped, "-o", "mine.html", "--force"}).status, 0);
  EXPECT_EQ(run(sandbox, {"report", kShipped, "-o", "mine.html"}).status, 0);
}

TEST(Report, SaysWhatIsMissing) {
  const Sandbox sandbox;
  const auto no_output = run(sandbox, {"report", kShipped});
  EXPECT_EQ(no_output.status, 2);
  EXPECT_EQ(no_output.err, "where to? Name the HTML file with -o FILE.html\n");
  EXPECT_EQ(run(sandbox, {"report", "nowhere", "-o", "x.html"}).status, 2);
  sandbox.write("other/table.csv", "a,b\n1,2\n");
  const auto no_results = run(sandbox, {"report", "other", "-o", "x.html"});
  EXPECT_EQ(no_results.status, 2);
  EXPECT_NE(no_results.err.find("other: there are no results here"), std::string::npos)
      << no_results.err;
  const auto limit = run(sandbox, {"report", kShipped, "-o", "x.html", "--limit", "gflops"});
  EXPECT_EQ(limit.err, "--limit takes METRIC=NUMBER such as gflops=67000, not 'gflops'\n");
}

TEST(Report, ADamagedFileIsPointedAt) {
  const Sandbox sandbox;
  sandbox.write(
      "r/n5.csv",
      "rank,state,BM,n,time_ms,ci_low_ms,ci_high_ms,min_ms,samples\n1,ok,8,5,fast,1,1,1,7\n");
  const auto done = run(sandbox, {"report", "r", "-o", "x.html"});
  EXPECT_EQ(done.status, 2);
  EXPECT_NE(done.err.find("r/n5.csv:2:10: 'fast' is no number"), std::string::npos) << done.err;
}

}  // namespace
}  // namespace tuner::cli
