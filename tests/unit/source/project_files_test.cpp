// Which files of a project belong to a source.

#include "tuner/source/project_files.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tuner
