#pragma once
// The conversation with the objects in the processes of a program: which kernels are the study's,
// what its launches become, and what became of them. The other end is plugins/cuda/apply.

#include <cstdint>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tuner/apply/choice.h"
#include "tuner/apply/images.h"
#include "tuner/model/study.h"

namespace tuner {

// An answer about a launch.
struct AppliedLaunch {
  std::string kernel;  // demangled
  LaunchGeometry asked;
  Expected<AppliedVariant, std::string> variant;
  std::optional<Expected<VariantImage, std::string>> image{};  // nothing: not compiled yet
  // Why it is launched as it was; empty: it is not.
  std::string reason() const;
};

// Launches that are alike, and what the processes of one run have told about them.
struct LaunchCount {
  std::string kernel;
  std::optional<std::size_t> answer{};  // in Conversation::answers()
  std::string reason{};                 // why they were launched as they were
  std::uint64_t launches = 0;
  std::uint64_t replaced = 0;
  std::uint64_t recorded = 0;  // into graphs: how often these run is not known
  double weight = 0;           // of the timed ones, and their time
  double ms = 0;
};

// One run of the program.
struct RunCounts {
  bool is_attached = false;  // a process of it has used CUDA
  std::vector<LaunchCount> launches;
  std::map<std::string, std::uint64_t> kernels;  // demangled: those that it launches most
  std::string trouble{};                         // why launches could not be looked at

  std::uint64_t replaced() const;
  std::uint64_t all() const;
  // Milliseconds of all launches of the kernel, but for those in graphs.
  double kernel_ms() const;
};

class Conversation {
 public:
  // All outlive this.
  Conversation(const Study& study, const VariantChooser& chooser, VariantImages& images,
               std::string pattern);

  // Begins a run, in which launches are replaced or not; both are asked for in the same way.
  void begin_run(bool replaces);
  RunCounts end_run();
  // Compiles what was asked for and is not compiled.
  void prepare();
  // Whether one of the launches that were asked for becomes another.
  bool replaces_any() const;

  // Answers a line of an object; nothing: it awaits none.
  std::optional<nlohmann::json> answer(std::uint64_t process, const nlohmann::json& line);
  const std::vector<AppliedLaunch>& answers() const { return answers_; }

 private:
  nlohmann::json answer_kernel(const nlohmann::json& line);
  nlohmann::json answer_launch(const nlohmann::json& line);
  std::size_t answer_to(const nlohmann::json& line);
  void compile(AppliedLaunch& one);

  const Study& study_;
  const VariantChooser& chooser_;
  VariantImages& images_;
  std::string pattern_;
  std::mutex mutex_;
  bool replaces_ = false;
  bool is_attached_ = false;
  std::vector<std::string> kernels_;          // mangled, by their number
  std::vector<std::string> misfits_;          // of each
  std::map<std::string, std::size_t> asked_;  // question -> place of the answer
  std::vector<AppliedLaunch> answers_;
  std::map<std::uint64_t, nlohmann::json> reports_;  // the last one of each process
};

}  // namespace tuner
