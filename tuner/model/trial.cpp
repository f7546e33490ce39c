#include "tuner/model/trial.h"

#include <array>

namespace tuner {
namespace {

constexpr std::array<std::string_view, 8> kNames{"ok",      "constraints", "compile",     "launch",
                                                 "runtime", "timeout",     "correctness", "dropped"};

}  // namespace

std::string_view name_of(TrialState state) {
  return kNames.at(static_cast<std::size_t>(state));
}

std::optional<TrialState> trial_state_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<TrialState>(i);
  }
  return std::nullopt;
}

}  // namespace tuner
