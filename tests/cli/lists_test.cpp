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
