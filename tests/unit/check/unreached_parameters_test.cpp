// Parameters that the sources define themselves.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/fakes/scratch_folder.h"
#include "tuner/check/checked_study.h"

namespace tuner::test {
namespace {

namespace fs = std::filesystem;

class UnreachedParameters : public ::testing::Test {
 protected:
  UnreachedParameters() {
    study_.kernel.define_prefix = "";
    study_.kernel.entry = "k";
    study_.kernel.source = folder_.path() / "k.cu";
    study_.parameters = {{"ITEMS", {std::int64_t{1}, std::int64_t{2}}, {}}};
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
  }
  // The warning, with the names of files without their folder.
  std::string said(const std::string& source) const {
    write("k.cu", source);
    std::string all;
    for (const std::string& one : unreached_parameters(study_)) {
      all += one.substr(one.rfind('/', one.find(' ')) + 1) + "\n";
    }
    return all;
  }

  ScratchFolder folder_{memory_folder()};
  Study study_;
};

const std::string kKernel = "__global__ void k(float* y) { y[0] = ITEMS; }\n";
const std::string kSaid =
    " defines ITEMS itself: the values of the parameter do not reach the kernel (put #ifndef ITEMS "
    "around it)\n";

TEST_F(UnreachedParameters, AMacroOfTheSourceIsNamedWithItsLine) {
  EXPECT_EQ(said("#define ITEMS 4\n" + kKernel), "k.cu:1" + kSaid);
  EXPECT_EQ(said("\n#undef ITEMS\n#define ITEMS 4\n" + kKernel), "k.cu:3" + kSaid);
  EXPECT_EQ(said("#ifndef ITEMS\n#define ITEMS 4\n#endif\n" + kKernel), "");
  EXPECT_EQ(said("#define ITEMS 4\n__global__ void k(float* y) {}\n"), "") << "nobody uses it";
  study_.kernel.options = {"-DMINE"};
  EXPECT_EQ(said("#ifndef MINE\n#define ITEMS 4\n#endif\n" + kKernel), "");
}

TEST_F(UnreachedParameters, AWordOfTheLanguageIsNoMacro) {
  study_.parameters = {{"float", {std::int64_t{1}, std::int64_t{2}}, {}}};
  EXPECT_NE(said(kKernel).find("float is a word of C++ or CUDA"), std::string::npos);
  study_.kernel.define_prefix = "TUNE_";
  EXPECT_EQ(said("__global__ void k(float* y) { y[0] = TUNE_float; }\n"), "");
}

TEST_F(UnreachedParameters, AnArgumentOfTheKernelIsNoMacro) {
  const std::string kernel = "template <int N> __global__ void k(float* ITEMS) { *ITEMS = 1; }\n";
  EXPECT_EQ(said(kernel).substr(0, 42), "k.cu:1: the kernel takes an argument ITEMS");
  study_.parameters.front().values = {std::string("out")};
  EXPECT_EQ(said(kernel), "") << "a text may be the argument's name";
  EXPECT_EQ(said(kKernel + "__device__ void f(float* ITEMS);\n"), "");
}

TEST_F(UnreachedParameters, AMacroThatOnlyOtherKernelsReadIsNamed) {
  const std::string plain = "__global__ void k(float* y) { y[0] = 1; }\n";
  const std::string other = "__global__ void other(float* y) { y[1] = ITEMS; }\n";
  study_.text = "parameters: {ITEMS: [1, 2]}\n";
  EXPECT_EQ(said(plain + other), "k.cu: no kernel that is launched reads ITEMS, only others do\n");
  EXPECT_EQ(said(kKernel + other), "");
  study_.text += "launch: {block: [ITEMS]}\n";
  EXPECT_EQ(said(plain + other), "") << "the launch does";
  study_.text.clear();
  EXPECT_EQ(said(plain + other), "") << "a study that extends another may read it there";
}

TEST_F(UnreachedParameters, OneThatNobodyReadsIsNamed) {
  const std::string plain = "__global__ void k(float* y) { y[0] = 1; }\n";
  const std::string lists = "parameters: {ITEMS: [1, 2]}\nconstraints: [ITEMS < 3]\n";
  const auto with = [&](const std::string& text) {
    study_.text = lists + text;
    return said(plain);
  };
  const std::string nobody = "nothing reads ITEMS: it is neither in the launch nor, as ITEMS, in ";
  EXPECT_EQ(with("launch: {block: [32]}\n").substr(0, nobody.size()), nobody);
  EXPECT_EQ(with("launch: {block: [ITEMS]}\n"), "");
  EXPECT_EQ(with("arguments:\n  - {name: n, type: int32, value: ITEMS}\n"), "");
  EXPECT_NE(with("reference: {entry: k, configuration: {ITEMS: 1}}\n"), "");
  EXPECT_EQ(with("kernel: {options: [\"-DN={ITEMS}\"]}\n"), "");
  EXPECT_EQ(said(kKernel), "");
  EXPECT_EQ(said("#if ITEMS_IS_two\n#endif\n"), "");
}

TEST_F(UnreachedParameters, AnArgumentMayBeWhatReadsIt) {
  study_.text = "arguments:\n  - {name: n, type: int32, value: ITEMS}\n";
  EXPECT_EQ(said("__global__ void k(float* y) { y[0] = 1; }\n"
                 "__global__ void other(float* y) { y[1] = ITEMS; }\n"),
            "");
}

TEST_F(UnreachedParameters, HeadersOfTheUserAreLookedAt) {
  write("config.cuh", "#pragma once\n#define ITEMS 4\n");
  EXPECT_EQ(said("#include \"config.cuh\"\n" + kKernel), "config.cuh:2" + kSaid);
}

TEST_F(UnreachedParameters, AVariableOfTheNameDoesNotCompile) {
  EXPECT_EQ(said("constexpr int ITEMS = 4;\n" + kKernel),
            "k.cu:1 declares ITEMS itself: the macro of the parameter takes the name's place, and "
            "nothing compiles (put #ifndef ITEMS around it, or choose another 'define_prefix')\n");
  study_.parameters.front().values = {std::string("float")};
  EXPECT_EQ(said("__global__ void k(float* y) { const ITEMS x = 1; y[0] = x; }\n"), "") << "a type";
}

TEST_F(UnreachedParameters, ANameWithoutItsPrefixIsNotTheMacro) {
  study_.kernel.define_prefix = "TUNE_";
  const std::string missed =
      " defines ITEMS itself: the values of the parameter do not reach the kernel (their macro is "
      "TUNE_ITEMS; 'replace: [ITEMS]' puts it there)\n";
  EXPECT_EQ(said("#define ITEMS 4\n" + kKernel), "k.cu:1" + missed);
  EXPECT_EQ(said("#ifndef ITEMS\n#define ITEMS 4\n#endif\n" + kKernel), "k.cu:2" + missed);
  EXPECT_EQ(said("const int ITEMS = 4;\n" + kKernel), "k.cu:1" + missed);
  EXPECT_EQ(said("#define ITEMS TUNE_ITEMS\n" + kKernel), "");
  EXPECT_EQ(said("__global__ void k(float* y) { const int ITEMS = blockDim.x; y[0] = ITEMS; }\n"),
            "")
      << "it is for the launch";
  study_.kernel.entry = "k<{ITEMS}>";
  EXPECT_EQ(said("template <int ITEMS> " + kKernel), "");
}

TEST_F(UnreachedParameters, AValueThatIsReplacedHasToBeInTheFileOrAHeader) {
  study_.kernel.replaced = {"ITEMS"};
  EXPECT_EQ(said("#define ITEMS 4\n" + kKernel), "");
  EXPECT_EQ(said("const int ITEMS = 4;\n" + kKernel), "");
  write("config.cuh", "#define ITEMS 4\n");
  EXPECT_EQ(said("#include \"config.cuh\"\n" + kKernel), "");
  EXPECT_EQ(said("#include \"another.cuh\"\n" + kKernel),
            "k.cu gives ITEMS no value ('replace' needs #define ITEMS 4 or const int ITEMS = 4 in "
            "the file or in a header that it includes)\n");
}

TEST_F(UnreachedParameters, ASourceThatCannotBeReadIsSomebodyElsesMatter) {
  EXPECT_TRUE(unreached_parameters(study_).empty());
}

}  // namespace
}  // namespace tuner::test
