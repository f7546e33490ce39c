// Names of files in what a worker of another machine is asked, and in what it answers.

#include "tuner/worker/file_view.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tuner {
namespace {

using Texts = std::vector<std::string>;

FileView below(const std::string& root) {
  return view_in({{"type", "start"}, {"files", {{"root", root}, {"folder", "/data/me"}}}});
}

CompileRequest request() {
  CompileRequest request;
  request.source_name = "study/k.cu";
  request.include_dirs = {"study", "/opt/inc"};
  request.options = {"-I", "more", "-I=/plain", "--include-path=/long", "-lineinfo"};
  return request;
}

TEST(FileView, TakesAllFoldersOfACompilationFromOneRoot) {
  const CompileRequest here = below("/r").here(request());
  EXPECT_EQ(here.source_name, "/r/data/me/study/k.cu");
  EXPECT_EQ(here.include_dirs, (Texts{"/r/data/me/study", "/r/opt/inc"}));
  EXPECT_EQ(here.options,
            (Texts{"-I/r/data/me/more", "-I=/r/plain", "--include-path=/r/long", "-lineinfo"}));
}

TEST(FileView, AnswersByTheCoordinatorsNames) {
  const FileView view = below("/r");
  Artifact made;
  made.log = "/r/data/me/study/k.cu(1): odd; /r/opt/inc/x.h(2): odd; /r/opt/else.h: odd";
  made.opened = {{"/r/opt/inc/x.h", "d"}, {"/usr/include/y.h", "e"}};
  const Artifact told = view.told(made, request());
  EXPECT_EQ(told.log, "study/k.cu(1): odd; /opt/inc/x.h(2): odd; /opt/else.h: odd");
  EXPECT_EQ(told.opened,
            (std::vector<FileState>{{"/opt/inc/x.h", "d"}, {"/usr/include/y.h", "e"}}));
  const CompileFailure failed = view.told(CompileFailure{made.log, false, made.opened}, request());
  EXPECT_EQ(failed.log, told.log);
  EXPECT_EQ(failed.opened, told.opened);
  EXPECT_EQ(view.told("/r/data/me/x.npy holds 3 bytes"), "/data/me/x.npy holds 3 bytes");
}

TEST(FileView, TakesDataFromTheSameRoot) {
  ArgumentPlan filled;
  filled.fill = {FillSpec::Kind::kFile, 0, 0, "x.npy"};
  SizePlan plan;
  plan.arguments = {filled, {}};
  plan.constants = {filled};
  plan.reference.emplace().answers.emplace_back().files = {{0, filled}};
  VariantPlan variant;
  variant.overrides = {{0, filled}};
  const FileView view = below("/r");
  const SizePlan here = view.here(plan);
  EXPECT_EQ(here.arguments[0].fill.file, "/r/data/me/x.npy");
  EXPECT_EQ(here.arguments[1].fill.file, "");
  EXPECT_EQ(here.constants[0].fill.file, "/r/data/me/x.npy");
  EXPECT_EQ(here.reference->answers[0].files[0].second.fill.file, "/r/data/me/x.npy");
  EXPECT_EQ(view.here(std::vector{variant})[0].overrides[0].second.fill.file, "/r/data/me/x.npy");
}

TEST(FileView, ChangesNothingOnTheCoordinatorsOwnMachine) {
  const FileView view = view_in({{"type", "start"}});
  EXPECT_EQ(view.here(request()).source_name, "study/k.cu");
  EXPECT_EQ(view.here(request()).options, request().options);
  EXPECT_EQ(view.told("/r/x"), "/r/x");
}

}  // namespace
}  // namespace tuner
