// What the host compiler has read, and what it is kept from reading.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/unit/cpu/variant.h"
#include "tuner/plugins/cpu/host_compiler.h"

namespace tuner::cpu {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;
using List = std::vector<std::string>;

TEST(Dependencies, NamesOfAMakeRuleAreReadAsTheyWereWritten) {
  EXPECT_EQ(dependencies_in("variant: a.cpp b.h \\\n  /x/c.h\n"), (List{"a.cpp", "b.h", "/x/c.h"}));
  EXPECT_EQ(dependencies_in("variant: a\\ b.h c\\#d $$e f\\g h\\\\\\ i\n"),
            (List{"a b.h", "c#d", "$e", "f\\g", "h\\ i"}));
  EXPECT_EQ(dependencies_in(""), List{});
}

// A folder of headers.
class Opened : public testing::Test {
 protected:
  Opened() { fs::create_directories(root_ / "a b#$"); }
  ~Opened() override { fs::remove_all(root_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name) << text;
  }
  sdk::CompileResult compile(const std::string& head, const List& options = {}) const {
    auto asked =
        request_for(head + "\nextern \"C\" __global__ void kernel(int* o) { *o = VALUE; }\n");
    asked.include_dirs = {root_.string(), (root_ / "a b#$").string()};
    asked.options = options;
    return compiled(asked);
  }
  static Names names(const sdk::CompileResult& result) {
    EXPECT_TRUE(result.opened) << result.log;
    Names out;
    for (const std::string& path : result.opened.value_or(List{})) {
      EXPECT_TRUE(fs::exists(path)) << path;
      out.insert(fs::path(path).filename().string());
    }
    return out;
  }
  fs::path root_ = fs::path(testing::TempDir()) / ("cpu_opened_" + std::to_string(::getpid()));
};

TEST_F(Opened, FurtherSourcesAreCompiledWithTheFirst) {
  write("value.cu", "__device__ int value() { return 7; }\n");
  auto asked = request_for(
      "__device__ int value();\nextern \"C\" __global__ void kernel(int* o) { *o = value(); }\n");
  asked.units = {(root_ / "value.cu").string()};
  const auto result = compiled(asked);
  EXPECT_TRUE(result.compiled) << result.log;
  EXPECT_EQ(names(result), Names{"value.cu"});
}

TEST_F(Opened, TheAssemblerSaysWhatItHasRead) {
  write("w.bin", "data");
  const auto result = compile(
      "#define VALUE 1\n#define IN \".in\"\n#define BIN \"cbin \"\n"
      "asm(\".pushsection .rodata\\n\" IN BIN \"\\\"" +
      (root_ / "w.bin").string() + "\\\"\\n.popsection\");");
  EXPECT_TRUE(result.compiled) << result.log;
  EXPECT_EQ(names(result), Names{"w.bin"});
}

TEST_F(Opened, TheCompilerSaysWhatItHasRead) {
  write("h.h", "#include_next <h.h>\n");
  write("a b#$/h.h", "#define VALUE 1\n");
  EXPECT_EQ(names(compile("#define VALUE 1")), Names{});
  const auto result = compile("#define NAME <h.h>\n#include NAME");
  EXPECT_TRUE(result.compiled) << result.log;
  EXPECT_EQ(result.opened->size(), 2U);
  EXPECT_EQ(names(result), Names{"h.h"});
}

TEST_F(Opened, AlsoOfWhatDoesNotCompile) {
  write("h.h", "int wrong = ;\n");
  const auto result = compile("#include \"h.h\"");
  EXPECT_FALSE(result.compiled);
  EXPECT_EQ(names(result), Names{"h.h"});
  EXPECT_FALSE(compile("#include \"missing.h\"").opened);
}

TEST_F(Opened, TheCompilersOwnHeadersAreItsIdentity) {
  EXPECT_EQ(names(compile("#include <stddef.h>\n#define VALUE 1")), Names{});
}

TEST_F(Opened, TheEnvironmentNamesNoIncludeFolders) {
  write("h.h", "#define VALUE 1\n");
  for (const char* name : {"CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH"}) {
    setenv(name, root_.c_str(), 1);
    auto asked = request_for(
        "#include <h.h>\nextern \"C\" __global__ void kernel(int* o) { *o = VALUE; }\n");
    EXPECT_FALSE(compiled(asked).compiled) << name;
    unsetenv(name);
  }
}

}  // namespace
}  // namespace tuner::cpu
