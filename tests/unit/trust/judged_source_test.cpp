// What a judged source may have in it and read.

#include "tuner/trust/judged_source.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/fakes/says.h"
#include "tests/fakes/scratch_folder.h"

namespace tuner {
namespace {

class JudgedSourceTest : public testing::Test {
 protected:
  JudgedSourceTest() {
    for (const char* folder : {"study", "sent", "private"}) {
      std::filesystem::create_directories(at(folder));
    }
    write("study/own.cu", "");
    write("study/shared.cuh", "__device__ inline float one() { return 1; }\n");
    write("private/key.txt", "secret of the machine\n");
    write("sent/neighbour.cuh", "secret of another\n");
    std::filesystem::create_symlink(at("private/key.txt"), at("study/link.cuh"));
    own_.file = at("study/study.yaml").string();
    own_.kernel.source = at("study/own.cu");
    own_.kernel.include_dirs = {at("study")};
    judged_ = own_;
    judged_.kernel.source = at("sent/kernel.cu");
  }
  std::filesystem::path at(const std::string& name) const { return folder_.path() / name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name)) << text;
  }
  std::string refusal(const std::string& text) const {
    write("sent/kernel.cu", text + "\nextern \"C\" __global__ void k(float* y) { *y = 1; }\n");
    return JudgedSource(own_, judged_).refusal();
  }
  ScratchFolder folder_;
  Study own_, judged_;
};

TEST_F(JudgedSourceTest, MayIncludeFromTheStudyTheToolkitAndTheSystem) {
  EXPECT_EQ(refusal("#include \"shared.cuh\"\n#include <shared.cuh>\n#include <cuda_fp16.h>\n"
                    "#include <cub/cub.cuh>\n#include \"not_there.h\"\n"),
            "");
  EXPECT_EQ(refusal("#include \"" + at("study/shared.cuh").string() + "\""), "");
  EXPECT_EQ(refusal("#include \"../study/shared.cuh\""), refusal("#include \"../study/x.cuh\""));
  EXPECT_EQ(refusal("#include \"/usr/include/stdio.h\""), "");
}

TEST_F(JudgedSourceTest, MayReadNothingElseInAnyForm) {
  const std::string key = at("private/key.txt").string();
  for (const std::string& text :
       {"#include \"" + key + "\"",
        "#include <" + key + ">",
        "#  include /* x */ \"" + key + "\"",
        "%:include \"" + key + "\"",
        "\?\?=include \"" + key + "\"",
        "#inc\\\nlude \"" + key + "\"",
        "#include_next \"" + key + "\"",
        "#import \"" + key + "\"",
        "#embed \"" + key + "\"",
        "#if __has_include(\"" + key + "\")\n#endif",
        "#define F \"" + key + "\"\n#include F",
        std::string("#include MACRO"),
        std::string("#include \"../private/key.txt\""),
        std::string("#include \"neighbour.cuh\""),
        std::string("#include \"link.cuh\""),
        "#include \"/usr/include/../.." + key + "\"",
        "static const char* s = R\"(\n#include \"" + key + "\"\n)\";",
        "__device__ void f() { asm(\".incbin \\\"" + key + "\\\"\"); }",
        "__device__ void f() { asm(\".inc\" \"bin \\\"" + key + "\\\"\"); }",
        "__device__ void f() { asm(\".include \\\"" + key + "\\\"\"); }"}) {
    EXPECT_NE(refusal(text), "") << text;
  }
}

TEST_F(JudgedSourceTest, IsNotToldWhetherAFileIsThere) {
  const std::string there = refusal("#include \"" + at("private/key.txt").string() + "\"");
  std::string other = refusal("#include \"" + at("private/not.txt").string() + "\"");
  other.replace(other.find("not.txt"), 7, "key.txt");
  EXPECT_EQ(there, other);
}

TEST_F(JudgedSourceTest, IsRefusedByWhatItsCompilerHasRead) {
  const JudgedSource source(own_, judged_);
  Trial trial;
  trial.further_files = {{at("study/shared.cuh").string(), "1"}, {at("sent/gone.h").string(), ""}};
  EXPECT_EQ(source.refusal(trial), "");
  trial.further_files.push_back({at("private/key.txt").string(), "2"});
  EXPECT_FALSE(says(source.refusal(trial), "key")) << source.refusal(trial);
  EXPECT_NE(source.refusal(trial), "");
}

TEST_F(JudgedSourceTest, IsShownLinesOfItsOwnFileOnly) {
  const std::string own = at("sent/kernel.cu").string();
  const std::string gcc = own + ":3:1: error: 'x' was not declared\n    3 | x = 1;\n      | ^\n";
  const std::string nvrtc = own + "(3): error: identifier \"x\" is undefined\n    x = 1;\n    ^";
  const JudgedSource source(own_, judged_);
  EXPECT_EQ(source.tellable(gcc + nvrtc), gcc + nvrtc);
  EXPECT_EQ(source.tellable("/etc/shadow:1:1: error: expected unqualified-id\n"
                            "    1 | root:secret\n      | ^~~~\n" +
                            gcc + "/etc/shadow(1): error: unrecognised\n    root:secret\n    ^\n" +
                            nvrtc),
            "/etc/shadow:1:1: error: expected unqualified-id\n" + gcc +
                "/etc/shadow(1): error: unrecognised\n" + nvrtc);
}

TEST_F(JudgedSourceTest, IsToldWhichKernelItLacks) {
  judged_.kernel.entry = "softmax";
  const auto told = [this](const std::string& text) {
    write("sent/kernel.cu", text);
    return JudgedSource(own_, judged_).tellable("no such kernel");
  };
  EXPECT_EQ(
      told("// softmax\nextern \"C\" __global__ void __launch_bounds__(256) my_softmax(int n) {}\n"
           "__global__ void other() {}\n"),
      "the file has no kernel 'softmax'; it has my_softmax and other\nno such kernel");
  EXPECT_EQ(told("int softly;"), "the file has no kernel 'softmax', and no other\nno such kernel");
  EXPECT_EQ(told("__global__ void softmax() { wrong }"), "no such kernel");
}

TEST_F(JudgedSourceTest, HasNoCodeForTheHost) {
  EXPECT_EQ(refusal("#include <vector>\n__device__ float twice(float x) { return 2 * x; }\n"
                    "void launch(float* y) { k<<<1, 1>>>(y); }\nint main() { return 0; }"),
            "functions of the host are not judged: launch and main");
  EXPECT_TRUE(says(refusal("static int q = [] { return 1; }();"), "is not judged: q"));
}

}  // namespace
}  // namespace tuner
