// Chooses and places wrong answers that look right.

#include "tuner/measure/decoy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/base/text.h"
#include "tuner/measure/answer_size.h"
#include "tuner/measure/difference.h"
#include "tuner/measure/protection.h"
#include "tuner/resolve/reference_plan.h"

namespace tuner {
namespace {

DeviceResult<Ok> fill_with(DeviceMemory& memory, const Answer& answer, const Fill& fill) {
  return memory.fill(answer.room, answer.elements, fill);
}

// Compares the room's contents with the answer: by tolerances, or exactly.
DeviceResult<Comparison> differences(DeviceMemory& memory, const Answer& answer,
                                     const CheckPlan& check = {}) {
  return memory.compare(answer.room, answer.expected, answer.type, answer.elements, check.rtol,
                        check.atol);
}

Fill zeros(DataType type) { return {Fill::Kind::kConstant, type, 0, 0, 0}; }

// The best first.
std::vector<Fill> candidates(DataType type, double largest, std::uint64_t seed) {
  const double size = largest > 0 && std::isfinite(largest) ? largest : 1;
  if (is_floating(type)) {
    return {{Fill::Kind::kUniform, type, 0, size, seed},
            {Fill::Kind::kUniform, type, 1.25 * size, 1.75 * size, seed},
            {Fill::Kind::kUniform, type, -9 * size, -5 * size, seed}};
  }
  return {{Fill::Kind::kIntegers, type, 0, size, seed},
          zeros(type),
          {Fill::Kind::kConstant, type, 1, 0, 0}};
}

// The right answer, rotated by so many elements: it has all of its properties except the order.
DeviceResult<Ok> rotate(DeviceMemory& memory, const Answer& answer, std::uint64_t shift) {
  const std::uint64_t first = shift * size_of(answer.type);
  const std::uint64_t rest = answer.elements * size_of(answer.type) - first;
  const auto at = [](BufferRange range, std::uint64_t bytes) {
    return BufferRange{range.buffer, range.offset + bytes};
  };
  TUNER_TRY(memory.copy(answer.room, at(answer.expected, first), rest));
  return memory.copy(at(answer.room, rest), answer.expected, first);
}

}  // namespace

DeviceResult<double> magnitude(DeviceMemory& memory, const Answer& answer) {
  TUNER_TRY(fill_with(memory, answer, zeros(answer.type)));
  return TUNER_TRY(differences(memory, answer)).max_abs_error;
}

namespace {

// Turns a tolerance that is a share of the largest number into an absolute one.
DeviceResult<CheckPlan> without_largest(DeviceMemory& memory, const Answer& answer,
                                        CheckPlan check) {
  if (!check.how.to_largest) return check;
  const double largest = TUNER_TRY(magnitude(memory, answer));
  check.atol += check.rtol * (std::isfinite(largest) ? largest : 0);
  check.rtol = 0;
  check.how.to_largest = false;
  return check;
}

}  // namespace

DeviceResult<Fill> choose_decoy(DeviceMemory& memory, const Answer& answer, const CheckPlan& by,
                                std::uint64_t seed) {
  const CheckPlan check = TUNER_TRY(without_largest(memory, answer, by));
  auto largest = TUNER_TRY(magnitude(memory, answer));
  Fill best{};
  std::uint64_t most = 0;
  for (const Fill& one : candidates(answer.type, largest, seed)) {
    TUNER_TRY(fill_with(memory, answer, one));
    const std::uint64_t wrong = TUNER_TRY(differences(memory, answer, check)).mismatches;
    if (wrong < most) continue;
    if (wrong > most || most == 0) best = one;
    most = wrong;
    if (most > answer.elements - answer.elements / 8) break;
  }
  return best;
}

namespace {

// "all zero"; empty where values differ.
DeviceResult<std::string> monotony(DeviceMemory& memory, const Answer& answer) {
  if (TUNER_TRY(magnitude(memory, answer)) == 0) return std::string("all zero");
  if (answer.elements == 1) return std::string();
  TUNER_TRY(rotate(memory, answer, 1));
  const bool same = TUNER_TRY(differences(memory, answer)).mismatches == 0;
  return std::string(same ? "the same value everywhere" : "");
}

// Whether what is in the room passes for the answer, by the check's own rule.
DeviceResult<bool> passes(DeviceMemory& memory, const Answer& answer, const CheckPlan& check) {
  if (check.how.norm == CompareRule::Norm::kNone && !check.how.any_order) {
    return TUNER_TRY(differences(memory, answer, check)).mismatches == 0;
  }
  ProblemArray found{"",
                     answer.type,
                     {},
                     answer.elements,
                     std::vector<std::byte>(answer.elements * size_of(answer.type))};
  ProblemArray right = found;
  TUNER_TRY(memory.download(answer.room, found.data));
  TUNER_TRY(memory.download(answer.expected, right.data));
  ArgumentPlan output;
  output.type = answer.type;
  output.elements = answer.elements;
  const bool passed = judged_on_host(check, output, found, right).right;
  wipe(right.data);
  wipe(found.data);  // it may be the answer in another order
  return passed;
}

// Finds one number that passes for every element of the answer (its mean or its middle); nothing
// where none passes.
DeviceResult<std::optional<double>> passing_constant(DeviceMemory& memory, const Answer& answer,
                                                     const CheckPlan& check,
                                                     const AnswerSize& size) {
  for (double constant : {size.mean, size.middle}) {
    if (!is_floating(answer.type)) constant = std::round(constant);
    TUNER_TRY(fill_with(memory, answer, {Fill::Kind::kConstant, answer.type, constant, 0, 0}));
    if (TUNER_TRY(passes(memory, answer, check))) return std::optional(constant);
  }
  return std::optional<double>();
}

// The wrong answers that these tolerances let pass, for people.
DeviceResult<std::vector<std::string>> wrong_ones_that_pass(DeviceMemory& memory,
                                                            const Answer& answer,
                                                            const CheckPlan& check,
                                                            const AnswerSize& size) {
  std::vector<std::string> found;
  TUNER_TRY(fill_with(memory, answer, zeros(answer.type)));
  if (TUNER_TRY(passes(memory, answer, check))) found.emplace_back("zeros");
  if (answer.elements == 1) return found;
  if (const auto constant = TUNER_TRY(passing_constant(memory, answer, check, size));
      constant && *constant != 0) {
    found.push_back(fmt::format("the same number everywhere ({:.4g})", *constant));
  }
  if (check.how.any_order) return found;
  // An odd number of elements, and not half of them: where an answer repeats itself, it does so at
  // powers of two, and rotated by such a distance it would look right.
  TUNER_TRY(rotate(memory, answer, (answer.elements / 3) | 1));
  if (TUNER_TRY(passes(memory, answer, check))) found.emplace_back("right numbers at wrong places");
  return found;
}

// Warns of an absolute tolerance that is large beside the answer; empty where it is not. One step
// of the type is never too much, and narrow types may have several times their usual tolerance, for
// rounding.
std::string large_tolerance(const Answer& answer, const CheckPlan& check, const AnswerSize& size,
                            const std::string& name) {
  constexpr double kMostShare = 0.01;
  if (check.how.norm != CompareRule::Norm::kNone || !(size.usual > 0)) return "";
  const double most = std::max(kMostShare, 4 * facts_of(answer.type).as_float.usual.atol);
  if (check.atol <= smallest_step(answer.type) || check.atol <= most * size.usual) return "";
  const char* whose = check.atol_is_share ? "the default atol" : "atol";
  const std::string share = check.atol < size.usual
                                ? fmt::format("{:.2g} % of", 100 * check.atol / size.usual)
                                : fmt::format("{:.2g} times", check.atol / size.usual);
  return fmt::format(
      "{} of {}, {:.3g}, is {} the usual size of its numbers ({:.3g}): errors of as "
      "much would pass",
      whose, name, check.atol, share, size.usual);
}

}  // namespace

DeviceResult<std::vector<std::string>> doubts_about(DeviceMemory& memory, const Answer& answer,
                                                    const CheckPlan& check, const std::string& name,
                                                    const std::string& values) {
  std::vector<std::string> found;
  if (answer.elements == 0 || check.by_problem) return found;
  const std::string dull = TUNER_TRY(monotony(memory, answer));
  if (!dull.empty()) {
    found.push_back(
        fmt::format("the reference leaves {} {}{}: wrong answers may pass", name, dull, values));
    return found;
  }
  const AnswerSize size =
      TUNER_TRY(size_of_answer(memory, answer.expected, answer.type, answer.elements));
  const CheckPlan usual = TUNER_TRY(without_largest(memory, answer, check));
  const auto wrong = TUNER_TRY(wrong_ones_that_pass(memory, answer, usual, size));
  if (!wrong.empty()) {
    found.push_back(fmt::format("{} would pass for {}{}, with rtol {:g} and atol {:g}",
                                listed(wrong, "and"), name, values, check.rtol, check.atol));
  }
  const std::string large = large_tolerance(answer, usual, size, name + values);
  if (!large.empty()) found.push_back(large);
  return found;
}

}  // namespace tuner
