#include <gtest/gtest.h>

#include "program.h"

namespace tuner::cli {
namespace {

TEST(Lists, NamesWhatIsThereAndWhyTheRestIsNot) {
  const Sandbox sandbox;
  const auto done = run(sandbox, {"list"});
  ASSERT_EQ(done.status, 0) << done.err;
  for (const char* part : {"plugins:", "backends:", "devices:", "strategies:", "exporters:",
                           "random", "exhaustive", "header"}) {
    EXPECT_NE(done.out.find(part), std::string::npos) << part << "\n" << done.out;
  }
}

TEST(Lists, CpuIsADevice) {
  const Sandbox sandbox;
  const auto done = run(sandbox, {"list", "devices"});
  ASSERT_EQ(done.status, 0);
  EXPECT_NE(done.out.find("cpu     0  "), std::string::npos) << done.out;
}

TEST(Lists, ANameShowsItsOptionsAndWhatTheyAllow) {
  const Sandbox sandbox;
  const auto cpu = run(sandbox, {"list", "cpu"});
  ASSERT_EQ(cpu.status, 0) << cpu.err;
  for (const char* part :
       {"backend cpu: ", "compiler cpu: ", "  order=sequential  one of sequential, random\n",
        "  seed=1  integer 0.."}) {
    EXPECT_NE(cpu.out.find(part), std::string::npos) << part << "\n" << cpu.out;
  }
  const auto unknown = run(sandbox, {"list", "genetics"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.err,
            "there is no kind and nothing of a plugin with the name 'genetics' (did you mean "
            "'genetic'?)\n");
}

TEST(Lists, CacheIsCountedAndCleared) {
  const Sandbox sandbox;
  EXPECT_NE(run(sandbox, {"cache"}).out.find("\n0 artifacts"), std::string::npos);
  ASSERT_EQ(run(sandbox, {"run", data("studies/tiny.yaml"), "--backend", "cpu", "--size", "n=3000",
                          "--strategy", "random", "--budget", "3"})
                .status,
            0);
  // Three variants and the reference.
  EXPECT_NE(run(sandbox, {"cache"}).out.find("\n4 artifacts"), std::string::npos);
  EXPECT_NE(run(sandbox, {"cache", "--clear"}).out.find("\n0 artifacts"), std::string::npos);
  EXPECT_EQ(run(sandbox, {"cache", "--prune", "lots"}).status, 2);
}

TEST(Lists, BrokenPluginIsReportedNotFatal) {
  const Sandbox sandbox;
  sandbox.write("plugins/broken.so", "this is not a shared object");
  const auto done = run(sandbox, {"list", "plugins", "--plugin-dir", "plugins"});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_NE(done.out.find("not used: "), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("broken.so"), std::string::npos) << done.out;
}

}  // namespace
}  // namespace tuner::cli
