// Maps names of files in requests, and back in what came of them.

#include "tuner/worker/file_view.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "tuner/compile/include_options.h"

namespace tuner {
namespace {

void replace(std::string& text, const std::string& what, const std::string& by) {
  if (what.empty()) return;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace

FileView::FileView(std::string root, std::string folder)
    : root_(std::move(root)), folder_(std::move(folder)) {}

// As it is spelled: what leads through a link leads through the same one here.
std::string FileView::here(const std::string& name) const {
  if (is_open()) return name;
  return root_ + (std::filesystem::path(folder_) / name).string();
}

CompileRequest FileView::here(CompileRequest request) const {
  if (is_open()) return request;
  request.source_name = here(request.source_name);
  for (std::string& dir : request.include_dirs) dir = here(dir);
  request.options = with_include_dirs(request.options,
                                      [this](const std::string& folder) { return here(folder); });
  return request;
}

void FileView::see(ArgumentPlan& argument) const {
  if (argument.fill.kind != FillSpec::Kind::kFile) return;
  argument.fill.file = here(argument.fill.file.string());
}

SizePlan FileView::here(SizePlan plan) const {
  for (auto* list : {&plan.arguments, &plan.constants}) {
    for (ArgumentPlan& argument : *list) see(argument);
  }
  if (!plan.reference) return plan;
  for (AnswerPlan& answer : plan.reference->answers) {
    for (auto* list : {&answer.overrides, &answer.files}) {
      for (auto& [index, argument] : *list) see(argument);
    }
  }
  return plan;
}

std::vector<VariantPlan> FileView::here(std::vector<VariantPlan> plans) const {
  for (VariantPlan& plan : plans) {
    for (auto& [index, argument] : plan.overrides) see(argument);
  }
  return plans;
}

std::string FileView::told(std::string text) const {
  if (!is_open()) replace(text, root_, "");
  return text;
}

// A compiler spells names as it was given them.
std::string FileView::told(std::string text, const CompileRequest& asked) const {
  if (is_open()) return text;
  replace(text, here(asked.source_name), asked.source_name);
  for (const std::string& dir : asked.include_dirs) {
    if (!dir.empty()) replace(text, here(dir), dir);
  }
  return told(std::move(text));
}

void FileView::tell(OpenedFiles& opened) const {
  if (is_open() || !opened) return;
  for (FileState& file : *opened) {
    if (file.path.starts_with(root_ + "/")) file.path.erase(0, root_.size());
  }
}

Artifact FileView::told(Artifact artifact, const CompileRequest& asked) const {
  artifact.log = told(std::move(artifact.log), asked);
  tell(artifact.opened);
  return artifact;
}

CompileFailure FileView::told(CompileFailure failure, const CompileRequest& asked) const {
  failure.log = told(std::move(failure.log), asked);
  tell(failure.opened);
  return failure;
}

FileView view_in(const nlohmann::json& start) {
  const auto files = start.find("files");
  if (files == start.end()) return {};
  return {files->at("root").get<std::string>(), files->at("folder").get<std::string>()};
}

}  // namespace tuner
