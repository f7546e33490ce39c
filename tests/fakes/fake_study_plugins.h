#pragma once
// A problem and an observer that a test fills in, and that count what they are asked.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/ports/study_plugins.h"

namespace tuner {

class FakeProblem : public Problem {
 public:
  using Bytes = std::vector<std::byte>;

  std::function<Expected<Bytes, std::string>(std::uint32_t set, const ProblemArray&)> fills;
  std::function<Expected<Bytes, std::string>(const std::vector<ProblemArray>&)> answers;
  std::function<Expected<Judgement, std::string>(const Bytes& actual, const Bytes& expected)>
      judges;
  std::vector<std::uint32_t> filled;  // sets
  std::vector<std::uint32_t> judged;  // sets

  Expected<Bytes, std::string> fill(std::uint32_t set, const ProblemArray& input) override {
    filled.push_back(set);
    return fills(set, input);
  }
  Expected<Bytes, std::string> answer(std::uint32_t, const std::vector<ProblemArray>& inputs,
                                      const ProblemArray&) override {
    return answers(inputs);
  }
  Expected<Judgement, std::string> judge(std::uint32_t set, const ProblemArray& actual,
                                         const ProblemArray& expected) override {
    judged.push_back(set);
    return judges(actual.data, expected.data);
  }
};

class FakeObserver : public Observer {
 public:
  std::uint32_t wanted = 0;
  std::function<void()> begins = [] {};
  std::function<Expected<Metrics, std::string>(const Observed&)> ends;
  std::optional<std::string> refuses{};
  int begun = 0;

  std::uint32_t launches() const override { return wanted; }
  std::optional<std::string> begin(const Observed&) override {
    ++begun;
    begins();
    return refuses;
  }
  Expected<Metrics, std::string> end(const Observed& variant) override { return ends(variant); }
};

}  // namespace tuner
