#include "tuner/deploy/registry.h"

#include <gtest/gtest.h>

#include "tests/fakes/scratch_folder.h"
#include "tests/unit/deploy/sample_study.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/deploy/formats.h"
#include "tuner/model/file_marks.h"

namespace tuner {
namespace {

ExportSettings settings_that_note_in(std::string& notes) {
  ExportSettings settings;
  settings.version = "1.2.3";
  settings.source_digest = [](const Study&) { return std::string("digest"); };
  settings.launcher_source = [](const Study&) {
    return LauncherSource{"__global__ void matmul() {}\n", {}, {}, {}};
  };
  settings.note = [&notes](const std::string& lines) { notes += lines; };
  return settings;
}

std::vector<ExportedFile> exported(std::string_view format, const std::string& output,
                                   const std::vector<RankedResults>& results) {
  std::string notes;
  return make_exporter(format, settings_that_note_in(notes))
      ->write(sample_study(), results, output);
}

TEST(ExportFormats, AreKnownByTheirNames) {
  std::string names;
  std::string notes;
  for (const ExportFormat& format : export_formats()) {
    names += std::string(format.name) + " ";
    EXPECT_NE(make_exporter(format.name, settings_that_note_in(notes)), nullptr);
  }
  EXPECT_EQ(names, "header launcher json csv t4 wisdom defines ");
  EXPECT_EQ(make_exporter("heeder", settings_that_note_in(notes)), nullptr);
}

TEST(ExportFormats, ThoseOfOneResultTakeTheOnlyValidOne) {
  auto results = sample_results();
  for (const ExportFormat& format : export_formats()) {
    if (!format.needs_one_result) continue;
    try {
      exported(format.name, "-", results);
      FAIL() << format.name;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(" is for one device and size; choose with"),
                std::string::npos);
    }
  }
  const std::string text = exported("defines", "-", {results[1]}).front().text;
  EXPECT_EQ(text.substr(0, 14), "-DTUNE_BM=128\n");
  EXPECT_EQ(exported("defines", "options", {results[1]}).front().text, kDefinesMark + text);
  results[0].ranked = 0;
  results[0].trials.clear();
  results.resize(2);
  EXPECT_EQ(exported("defines", "-", results).front().text, text);
}

TEST(ExportFormats, ALauncherIsThreeFilesBesideOneAnother) {
  const auto paths = [](const std::string& output) {
    std::string names;
    for (const auto& file : exported("launcher", output, sample_results()))
      names += file.path + " ";
    return names;
  };
  EXPECT_EQ(paths("out/matmul.cu"), "out/matmul.hpp out/matmul.cu out/matmul.inl ");
  EXPECT_EQ(paths("out/"),
            "out/matmul_launcher.hpp out/matmul_launcher.cu out/matmul_launcher.inl ");
  EXPECT_THROW(paths("-"), InputError);
}

// The winner of the file that is replaced stays where the new one is not faster beyond its
// interval.
TEST(ExportFormats, AHeaderKeepsWhatTheFileBeforeItChose) {
  const ScratchFolder folder;
  const std::string path = (folder.path() / "tuned.h").string();
  const auto small = sample_configuration(32, 4, "static", false);
  const auto large = sample_configuration(128, 4, "dynamic", false);
  const auto ranked = [](const std::vector<Trial>& trials) {
    return std::vector{sample_result(sample_device("NVIDIA H200", 90), 1024, 1024, trials)};
  };
  const auto before = ranked({sample_trial(large, 1.0001), sample_trial(small, 1.1)});
  write_file_atomically(path, exported("header", path, before).front().text);
  const auto now = ranked({sample_trial(small, 1.0), sample_trial(large, 1.0001)});
  std::string notes;
  const auto exporter = make_exporter("header", settings_that_note_in(notes));
  static_cast<void>(exporter->write(sample_study(), now, path));
  EXPECT_NE(notes.find("kept BM=128 VEC=4 SHARED=dynamic SCALE=0.5 FAST=false although BM=32 VEC=4 "
                       "SHARED=static SCALE=0.5 FAST=false measured 0.01 % faster: their intervals "
                       "overlap\n"),
            std::string::npos)
      << notes;
}

}  // namespace
}  // namespace tuner
