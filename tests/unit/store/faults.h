#pragma once
// For tests of what happens to a results directory: processes that end without clean-up, and the
// trials that they leave.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <map>

#include "sample_trials.h"

namespace tuner {

// A process that runs `work` and ends without any clean-up.
inline pid_t start(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 99;
    try {
      status = work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    ::_exit(status);
  }
  return child;
}

inline int status_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

inline void fill(const std::filesystem::path& folder, int count) {
  Store store = Store::open(folder);
  const Context context = store.context(sample_key());
  for (int i = 0; i < count; ++i) store.record(context, sample_trial(i));
}

inline std::map<int, Trial> all_trials(Store& store) {
  std::map<int, Trial> found;
  for (Trial& trial : store.trials(store.context(sample_key()))) {
    const auto number = static_cast<int>(std::get<std::int64_t>(trial.configuration.at(0)));
    EXPECT_TRUE(found.emplace(number, std::move(trial)).second) << "twice: " << number;
  }
  return found;
}

}  // namespace tuner
