// Looks at the numbers of an answer on the host.

#include "tuner/measure/answer_size.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "tuner/base/expected.h"
#include "tuner/measure/difference.h"
#include "tuner/measure/host_fills.h"
#include "tuner/measure/protection.h"

namespace tuner {
namespace {

// Pieces of an answer that are looked at, far apart from one another.
constexpr std::uint64_t kPieces = 16;
constexpr std::uint64_t kPieceElements = 4096;

// Finite ones.
DeviceResult<std::vector<double>> sample_of(DeviceMemory& memory, BufferRange contents,
                                            DataType type, std::uint64_t elements) {
  const bool all = elements <= kPieces * kPieceElements;
  const std::uint64_t length = all ? elements : kPieceElements;
  const std::uint64_t pieces = all ? 1 : kPieces;
  std::vector<double> numbers;
  std::vector<std::byte> bytes(length * size_of(type));
  for (std::uint64_t piece = 0; piece < pieces; ++piece) {
    const std::uint64_t first = all ? 0 : (elements - length) / (pieces - 1) * piece;
    BufferRange from = contents;
    from.offset += first * size_of(type);
    TUNER_TRY(memory.download(from, bytes));
    for (std::uint64_t i = 0; i < length; ++i) {
      const auto number = static_cast<double>(number_at(bytes, type, i));
      if (std::isfinite(number)) numbers.push_back(number);
    }
  }
  wipe(bytes);
  return numbers;
}

}  // namespace

DeviceResult<AnswerSize> size_of_answer(DeviceMemory& memory, BufferRange contents, DataType type,
                                        std::uint64_t elements) {
  AnswerSize size;
  if (elements == 0) return size;
  std::vector<double> numbers = TUNER_TRY(sample_of(memory, contents, type, elements));
  if (numbers.empty()) return size;
  const auto count = static_cast<double>(numbers.size());
  const auto [least, most] = std::ranges::minmax(numbers);
  size.middle = least / 2 + most / 2;
  const double largest = std::max(std::abs(least), std::abs(most));
  double squares = 0;  // of numbers over the largest, so that they do not overflow
  for (double& number : numbers) {
    size.mean += number / count;
    number = std::abs(number);
    if (largest > 0) squares += (number / largest) * (number / largest);
  }
  size.rms = largest * std::sqrt(squares / count);
  std::erase(numbers, 0.0);
  if (!numbers.empty()) {
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    std::ranges::nth_element(numbers, middle);
    size.usual = *middle;
  }
  wipe(std::as_writable_bytes(std::span(numbers)));
  return size;
}

double smallest_step(DataType type) {
  if (!is_floating(type)) return 1;
  const FloatFacts& form = facts_of(type).as_float;
  return std::ldexp(1.0, 2 - (1 << (form.exponent - 1)) - form.mantissa);
}

}  // namespace tuner
