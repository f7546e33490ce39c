// Which files of a project belong to a source.

#include "tuner/source/project_files.h"

#include <gtest/gtest.h>

#include <string>

#include "scratch.h"

namespace tuner {
namespace {

using ProjectFilesTest = Scratch;

TEST_F(ProjectFilesTest, HeadersAreFoundWhereABuildWouldFindThem) {
  write("app/common/types.h", "#include \"more.h\"\n");
  write("app/common/more.h", "typedef float real;\n");
  write("app/src/beside.h", "\n");
  const std::string text = "#include \"beside.h\"\n#include \"types.h\"\n#include <stdio.h>\n";
  const auto source = write("app/src/k.cu", text);
  const ProjectFiles files = project_files(source, text);
  ASSERT_EQ(files.headers.size(), 3U);
  EXPECT_TRUE(files.headers[0].name.ends_with("app/src/beside.h"));
  EXPECT_TRUE(files.headers[1].name.ends_with("app/common/types.h"));
  EXPECT_EQ(files.headers[2].text, "typedef float real;\n");
  ASSERT_EQ(files.include_dirs.size(), 1U);
  EXPECT_EQ(files.include_dirs[0].filename(), "common");
}

TEST_F(ProjectFilesTest, HeadersOfThePresentBranchComeFirst) {
  write("hip.h", "typedef __hip_bfloat16 nv_bfloat16;\n");
  write("cuda.h", "\n");
  const std::string text =
      "#if defined(USE_HIP)\n#include \"hip.h\"\n#else\n#include \"cuda.h\"\n#endif\n";
  const ProjectFiles files = project_files(write("k.cu", text), text);
  ASSERT_EQ(files.headers.size(), 2U);
  EXPECT_TRUE(files.headers[0].name.ends_with("/cuda.h"));
}

TEST_F(ProjectFilesTest, FoldersThatABuildFileNamesAreLookedIn) {
  const std::string text = "#include \"one.h\"\n#include \"two.h\"\n#include \"three.h\"\n";
  const auto source = write("app/k/k.cu", text);
  write("lib/of/one.h", "\n");
  write("app/k/parts/two.h", "\n");
  write("app/third/three.h", "\n");
  write("app/k/Makefile", "CFLAGS := -O3 -I../../lib/of $(EXTRA)\n");
  write("app/k/CMakeLists.txt",
        "target_include_directories(k PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/parts nowhere)\n");
  write("app/build/compile_commands.json",
        "[{\"command\": \"nvcc -I " +
            (std::filesystem::path(source).parent_path().parent_path() / "third").string() +
            " -c k.cu\"}]\n");
  const ProjectFiles files = project_files(source, text);
  ASSERT_EQ(files.headers.size(), 3U);
  EXPECT_EQ(files.include_dirs.size(), 3U);
}

TEST_F(ProjectFilesTest, HostCodeIsBesideOrAboveAndMayIncludeTheSource) {
  const auto source = write("kernel/k.cu", "__global__ void k() {}\n");
  write("kernel/other.cu", "// k.cu\n");
  write("main.cu", "#include \"kernel/k.cu\"\n");
  write("notes.txt", "k\n");
  const ProjectFiles files = project_files(source, "__global__ void k() {}\n");
  EXPECT_TRUE(files.headers.empty());
  ASSERT_EQ(files.hosts.size(), 2U);
  EXPECT_TRUE(files.includer.ends_with("main.cu")) << files.includer;
}

TEST_F(ProjectFilesTest, WhoLaunchesItsKernelsMayBeInAnotherFolderOfTheProject) {
  const std::string kernel = "template <int N> __global__ void sum(int* a) { *a = N; }\n";
  const auto source = write("project/src/cuda/k.cu", kernel);
  write("project/Makefile", "all:\n");
  write("project/bench/own.cu", kernel + "void f(int* a) { sum<1><<<1, 1>>>(a); }\n");
  write("project/bench/none.cu", "int sum = 1;\nvoid f(int* a) { other<<<1, 1>>>(a); }\n");
  EXPECT_TRUE(project_files(source, kernel).hosts.empty());
  write("project/bench/main.cu", "void f(int* a) { sum<1><<<1, 1>>>(a); }\n");
  const ProjectFiles files = project_files(source, kernel);
  ASSERT_EQ(files.hosts.size(), 1U);
  EXPECT_TRUE(files.hosts[0].name.ends_with("main.cu"));
  write("project/src/near.cu", "void f(int* a) { sum<1><<<1, 1>>>(a); }\n");
  EXPECT_EQ(project_files(source, kernel).hosts.size(), 1U);  // no other is looked for
}

// Three that are too large, and of the others as many as make 8 MiB: looking through more takes
// minutes.
TEST_F(ProjectFilesTest, OfHugeFilesBesideItAFewAreRead) {
  const auto source = write("here/k.cu", "__global__ void k() {}\n");
  for (char name = 'a'; name < 'd'; ++name) {
    write(std::string("here/") + name + ".cu", std::string((1 << 20) + 1, '\n'));
  }
  for (char name = 'l'; name <= 'z'; ++name) {
    write(std::string("here/") + name + ".cu", std::string(1 << 20, '\n'));
  }
  const ProjectFiles files = project_files(source, "__global__ void k() {}\n");
  ASSERT_EQ(files.hosts.size(), 9U);
  EXPECT_TRUE(files.hosts.front().name.ends_with("l.cu"));
}

}  // namespace
}  // namespace tuner
