// What a program says of itself, the files that it reads and writes, and how its end is told.

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tuner/plugins/program/array_file.h"
#include "tuner/plugins/program/measured_values.h"
#include "tuner/plugins/program/variant_folder.h"

namespace tuner::program {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Folder {
  Folder() : variant(Command{}) {}
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(variant.path() / name) << text;
  }
  fs::path path() const { return variant.path(); }
  VariantFolder variant;
};

template <typename Call>
std::string said_by(Call call) {
  try {
    call();
  } catch (const sdk::Error& error) {
    return error.what();
  }
  return "nothing";
}

const json kPattern{{"patterns", {{{"regex", "(t)=([^ ]+)"}, {"names", {"", "time_us"}}}}},
                    {"values", json::array()},
                    {"time", "program"}};

TEST(SelfReport, TheLastLineThatFitsCountsAndTheNameSaysTheUnit) {
  EXPECT_DOUBLE_EQ(report_of(kPattern, "t=9 us\nt=1500 us\nbye\n", "", 77).milliseconds, 1.5);
}

TEST(SelfReport, WhatIsNoTimeIsSaid) {
  const auto said = [](const std::string& output) {
    return said_by([&] { report_of(kPattern, output, "", 77); });
  };
  EXPECT_EQ(said("t=nan\n"), "the program says that time_us is NaN");
  EXPECT_EQ(said("t=fast\n"), "the program says that time_us is 'fast', which is no number");
  EXPECT_EQ(said("t=0\n"), "the program says that time_us is 0.0, which is no time");
  EXPECT_EQ(said("hello\n"), "the program prints no time_ms; it printed:\nhello");
}

TEST(SelfReport, KeysOfJson) {
  const Folder folder;
  const json asked{{"json", "out.json"}, {"values", {"gflops"}}, {"time", "either"}};
  const auto report = [&] { return report_of(asked, "", folder.path(), 77); };
  EXPECT_EQ(said_by(report), "the program did not write 'out.json', which has its metrics");
  folder.write("out.json", R"({"time_s": 0.002, "gflops": 12.5})");
  EXPECT_DOUBLE_EQ(report().milliseconds, 2);
  EXPECT_DOUBLE_EQ(report().values.at("gflops"), 12.5);
  folder.write("out.json", R"({"gflops": 12.5})");
  EXPECT_DOUBLE_EQ(report().milliseconds, 77);  // seen from outside: the objective is another
  folder.write("out.json", R"({"time_s": 1})");
  EXPECT_EQ(said_by(report), "'out.json' has no gflops");
  folder.write("out.json", R"({"time_s": "1 s"})");
  EXPECT_EQ(said_by(report), "'out.json': time_s is \"1 s\", which is no number");
}

// As nvbench --json writes it: seconds, in texts.
TEST(SelfReport, TheTimeOfNvbenchsOnlyMeasurement) {
  const Folder folder;
  const json asked{{"json", "n.json"}, {"values", json::array()}, {"time", "program"}};
  const std::string summary =
      R"({"tag": "nv/cold/time/gpu/mean", "data": [{"name": "value", "type": "float64", "value": "1.25e-05"}]})";
  const std::string state = R"({"is_skipped": false, "summaries": [)" + summary + "]}";
  const std::string skipped = R"({"is_skipped": true, "summaries": []})";
  folder.write("n.json", R"({"benchmarks": [{"states": [)" + state + ", " + skipped + "]}]}");
  EXPECT_DOUBLE_EQ(report_of(asked, "", folder.path(), 77).milliseconds, 0.0125);
  folder.write("n.json", R"({"benchmarks": [{"states": [)" + state + ", " + state + "]}]}");
  EXPECT_EQ(
      said_by([&] { report_of(asked, "", folder.path(), 77); }),
      "'n.json' of nvbench has 2 measurements, and a variant needs one (nvbench's --benchmark "
      "and --axis choose)");
}

TEST(ArrayFile, NumPysHeaderIsWrittenAndRead) {
  const Folder folder;
  const FileArgument array{0, "in/x.npy", "float32", {2, 3}, true, true};
  const std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  write_array(array, std::as_bytes(std::span(numbers)), folder.path());
  EXPECT_EQ(fs::file_size(folder.path() / "in/x.npy"), 128U + 24U);
  std::vector<float> back(6);
  read_array(array, std::as_writable_bytes(std::span(back)), folder.path());
  EXPECT_EQ(back, numbers);
  FileArgument other = array;
  other.type = "int32";
  const auto read = [&] {
    read_array(other, std::as_writable_bytes(std::span(back)), folder.path());
  };
  EXPECT_EQ(said_by(read), "'in/x.npy' holds '<f4', not int32");
  other.file = "y.bin";
  EXPECT_EQ(said_by(read), "'y.bin' was not written by the program");
  folder.write("y.bin", "four");
  EXPECT_EQ(said_by(read), "'y.bin' holds 4 bytes of numbers, and the study says 24");
}

TEST(FileTree, KeepsFilesModesAndLinks) {
  const Folder from;
  fs::create_directory(from.path() / "bin");
  from.write("bin/a", "#!/bin/sh\n");
  fs::permissions(from.path() / "bin/a", fs::perms::owner_all);
  fs::create_symlink("bin/a", from.path() / "b");
  const Folder to;
  unpack(packed(from.path()), to.path());
  EXPECT_EQ(fs::read_symlink(to.path() / "b"), "bin/a");
  EXPECT_EQ(fs::status(to.path() / "b").permissions(), fs::perms::owner_all);
  EXPECT_EQ(packed(to.path()), packed(from.path()));
}

TEST(VariantFolder, HowAProgramEndsIsTold) {
  const Folder folder;
  const auto ends = [&](const std::string& script) {
    return folder.variant.run({"sh", "-c", script}, "the program");
  };
  EXPECT_EQ(ends("pwd; echo $TMPDIR"), "");
  const std::string place = folder.path().string();
  EXPECT_EQ(folder.variant.output(),
            place + "\n" + folder.path().parent_path().string() + "/tmp\n");
  EXPECT_EQ(ends("echo no luck; exit 3"),
            "the program ended with status 3; its last output:\nno luck");
  EXPECT_EQ(ends("kill -SEGV $$"),
            "the program was ended by signal 11 (SIGSEGV, Segmentation fault); it printed nothing");
  EXPECT_EQ(folder.variant.run({"./none"}, "the build"),
            "the build: there is no program './none' in the variant's folder");
  folder.write("text", "#!/bin/sh\n");
  EXPECT_EQ(folder.variant.run({"./text"}, "the build"), "the build: './text' is not executable");
  EXPECT_EQ(folder.variant.run({"no-such-program-anywhere"}, "the build"),
            "the build: there is no program 'no-such-program-anywhere' in PATH");
}

TEST(VariantFolder, WhatAProgramLeavesBehindInAnotherSessionIsGone) {
  const Folder folder;
  EXPECT_EQ(folder.variant.run(
                {"sh", "-c",
                 "(env -i /usr/bin/setsid /bin/sh -c 'echo $$ > pid; exec /bin/sleep 600' &) ; "
                 "while ! test -s pid; do sleep 0.01; done"},
                "the build"),
            "");
  std::ifstream in(folder.path() / "pid");
  pid_t left = 0;
  ASSERT_TRUE(in >> left && left > 0);
  EXPECT_EQ(::kill(left, 0), -1);
}

}  // namespace
}  // namespace tuner::program
