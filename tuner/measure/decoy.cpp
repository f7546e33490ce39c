// Chooses and places wrong answers that look right.

#include "tuner/measure/decoy.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "tuner/base/expected.h"

namespace tuner {
namespace {

DeviceResult<Ok> fill_with(DeviceMemory& memory, const Answer& answer, const Fill& fill) {
  return memory.fill(answer.room, answer.elements, fill);
}

// Of what is in the room: by tolerances, or exactly.
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

DeviceResult<Fill> choose_decoy(DeviceMemory& memory, const Answer& answer, const CheckPlan& check,
                                std::uint64_t seed) {
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

// The wrong answer that these tolerances let pass: "zeros". Empty when none was found.
DeviceResult<std::string> passes_wrongly(DeviceMemory& memory, const Answer& answer,
                                         const CheckPlan& check) {
  if (check.by_problem) return std::string();
  const auto all_pass = [&]() -> DeviceResult<bool> {
    return TUNER_TRY(differences(memory, answer, check)).mismatches == 0;
  };
  TUNER_TRY(fill_with(memory, answer, zeros(answer.type)));
  if (TUNER_TRY(all_pass())) return std::string("zeros");
  if (check.how.any_order) return std::string();
  if (answer.elements > 1) {
    // An odd number of elements, and not half of them: where an answer repeats itself, it does so
    // at powers of two, and rotated by such a distance it would look right.
    TUNER_TRY(rotate(memory, answer, (answer.elements / 3) | 1));
    if (!TUNER_TRY(all_pass())) return std::string();
  }
  const Fill decoy = TUNER_TRY(choose_decoy(memory, answer, check, 0));
  TUNER_TRY(fill_with(memory, answer, decoy));
  return std::string(TUNER_TRY(all_pass()) ? "right numbers at wrong places" : "");
}

}  // namespace

DeviceResult<std::string> doubt_about(DeviceMemory& memory, const Answer& answer,
                                      const CheckPlan& check, const std::string& name,
                                      const std::string& values) {
  if (answer.elements == 0) return std::string();
  const std::string dull = TUNER_TRY(monotony(memory, answer));
  if (!dull.empty()) {
    return fmt::format("the reference leaves {} {}{}: wrong answers may pass", name, dull, values);
  }
  const std::string wrong = TUNER_TRY(passes_wrongly(memory, answer, check));
  if (wrong.empty()) return wrong;
  return fmt::format("{} would pass for {}{}, with rtol {:g} and atol {:g}", wrong, name, values,
                     check.rtol, check.atol);
}

}  // namespace tuner
