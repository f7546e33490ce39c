// Chooses and places wrong answers that look right.

#include "tuner/measure/decoy.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace tuner {
namespace {

DeviceResult<Ok> fill_with(DeviceMemory& memory, const Answer& answer, const Fill& fill) {
  return memory.fill(answer.room, answer.elements, fill);
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
  auto done = memory.copy(answer.room, at(answer.expected, first), rest);
  if (!done) return done;
  return memory.copy(at(answer.room, rest), answer.expected, first);
}

}  // namespace

DeviceResult<double> magnitude(DeviceMemory& memory, const Answer& answer) {
  auto done = fill_with(memory, answer, zeros(answer.type));
  if (!done) return Unexpected{done.error()};
  auto zero = memory.compare(answer.room, answer.expected, answer.type, answer.elements, 0, 0);
  if (!zero) return Unexpected{zero.error()};
  return zero->max_abs_error;
}

DeviceResult<Fill> choose_decoy(DeviceMemory& memory, const Answer& answer, const CheckPlan& check,
                                std::uint64_t seed) {
  auto largest = magnitude(memory, answer);
  if (!largest) return Unexpected{largest.error()};
  Fill best{};
  std::uint64_t most = 0;
  for (const Fill& one : candidates(answer.type, *largest, seed)) {
    if (auto done = fill_with(memory, answer, one); !done) return Unexpected{done.error()};
    auto difference = memory.compare(answer.room, answer.expected, answer.type, answer.elements,
                                     check.rtol, check.atol);
    if (!difference) return Unexpected{difference.error()};
    if (difference->mismatches < most) continue;
    if (difference->mismatches > most || most == 0) best = one;
    most = difference->mismatches;
    if (most > answer.elements - answer.elements / 8) break;
  }
  return best;
}

namespace {

// "all zero"; empty where values differ.
DeviceResult<std::string> monotony(DeviceMemory& memory, const Answer& answer) {
  auto largest = magnitude(memory, answer);
  if (!largest) return Unexpected{largest.error()};
  if (*largest == 0) return std::string("all zero");
  if (answer.elements == 1) return std::string();
  if (auto done = rotate(memory, answer, 1); !done) return Unexpected{done.error()};
  auto same = memory.compare(answer.room, answer.expected, answer.type, answer.elements, 0, 0);
  if (!same) return Unexpected{same.error()};
  return std::string(same->mismatches == 0 ? "the same value everywhere" : "");
}

// The wrong answer that these tolerances let pass: "zeros". Empty when none was found.
DeviceResult<std::string> passes_wrongly(DeviceMemory& memory, const Answer& answer,
                                         const CheckPlan& check) {
  if (check.by_problem) return std::string();
  const auto all_pass = [&]() -> DeviceResult<bool> {
    auto difference = memory.compare(answer.room, answer.expected, answer.type, answer.elements,
                                     check.rtol, check.atol);
    if (!difference) return Unexpected{difference.error()};
    return difference->mismatches == 0;
  };
  if (auto done = fill_with(memory, answer, zeros(answer.type)); !done) {
    return Unexpected{done.error()};
  }
  auto pass = all_pass();
  if (!pass || *pass) return pass ? DeviceResult<std::string>("zeros") : Unexpected{pass.error()};
  if (check.how.any_order) return std::string();
  if (answer.elements > 1) {
    // An odd number of elements, and not half of them: where an answer repeats itself, it does so
    // at powers of two, and rotated by such a distance it would look right.
    if (auto done = rotate(memory, answer, (answer.elements / 3) | 1); !done) {
      return Unexpected{done.error()};
    }
    pass = all_pass();
    if (!pass || !*pass) return pass ? DeviceResult<std::string>("") : Unexpected{pass.error()};
  }
  auto decoy = choose_decoy(memory, answer, check, 0);
  if (!decoy) return Unexpected{decoy.error()};
  if (auto done = fill_with(memory, answer, *decoy); !done) return Unexpected{done.error()};
  pass = all_pass();
  if (!pass) return Unexpected{pass.error()};
  return std::string(*pass ? "right numbers at wrong places" : "");
}

}  // namespace

DeviceResult<std::string> doubt_about(DeviceMemory& memory, const Answer& answer,
                                      const CheckPlan& check, const std::string& name,
                                      const std::string& values) {
  if (answer.elements == 0) return std::string();
  auto dull = monotony(memory, answer);
  if (!dull) return dull;
  if (!dull->empty()) {
    return fmt::format("the reference leaves {} {}{}: wrong answers may pass", name, *dull, values);
  }
  auto wrong = passes_wrongly(memory, answer, check);
  if (!wrong || wrong->empty()) return wrong;
  return fmt::format("{} would pass for {}{}, with rtol {:g} and atol {:g}", *wrong, name, values,
                     check.rtol, check.atol);
}

}  // namespace tuner
