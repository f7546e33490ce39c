#include <gtest/gtest.h>

#include "program.h"

namespace tuner::cli {
namespace {

TEST(Lists, NamesWhatIsThereAndWhyTheRestIsNot) {
  const Sandbox sandbox;
  const auto done = run_to(0, sandbox, {"list"});
  for (const char* part : {"plugins:", "backends:", "devices:", "strategies:", "exporters:",
                           "random", "exhaustive", "header"}) {
    EXPECT_TRUE(says(done.out, part));
  }
}

TEST(Lists, CpuIsADevice) {
  const Sandbox sandbox;
  const auto done = run_to(0, sandbox, {"list", "devices"});
  EXPECT_TRUE(says(done.out, "cpu     0  "));
}

TEST(Lists, ANameShowsItsOptionsAndWhatTheyAllow) {
  const Sandbox sandbox;
  const auto cpu = run_to(0, sandbox, {"list", "cpu"});
  for (const char* part :
       {"backend cpu: ", "compiler cpu: ", "  order=sequential  one of sequential, random\n",
        "  seed=1  integer 0.."}) {
    EXPECT_TRUE(says(cpu.out, part));
  }
  const auto theirs = run_to(0, sandbox, {"list", "pso"});
  EXPECT_EQ(theirs.out.find("strategy particle_swarm: "), 0U) << "a name of Kernel Tuner's";
  const auto unknown = run_to(2, sandbox, {"list", "genetics"});
  EXPECT_EQ(unknown.err,
            "there is nothing with the name 'genetics' (did you mean "
            "'genetic'?)\n");
}

TEST(Lists, CacheIsCountedAndCleared) {
  const Sandbox sandbox;
  EXPECT_TRUE(says(run(sandbox, {"cache"}).out, "\n0 artifacts"));
  run_to(0, sandbox,
         {"run", data("studies/tiny.yaml"), "--backend", "cpu", "--size", "n=3000", "--strategy",
          "random", "--budget", "3"});
  // Three variants and the reference.
  EXPECT_TRUE(says(run(sandbox, {"cache"}).out, "\n4 artifacts"));
  EXPECT_TRUE(says(run(sandbox, {"cache", "--clear"}).out, "\n0 artifacts"));
  run_to(2, sandbox, {"cache", "--prune", "lots"});
}

TEST(Lists, BrokenPluginIsReportedNotFatal) {
  const Sandbox sandbox;
  sandbox.write("plugins/broken.so", "this is not a shared object");
  const auto done = run_to(0, sandbox, {"list", "plugins", "--plugin-dir", "plugins"});
  EXPECT_TRUE(says(done.out, "not used: "));
  EXPECT_TRUE(says(done.out, "broken.so"));
}

}  // namespace
}  // namespace tuner::cli
