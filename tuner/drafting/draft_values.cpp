// Leaves out values of parameters with which nothing could be launched, or with which blocks would
// leave elements out.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "tuner/base/text.h"
#include "tuner/drafting/draft_context.h"

namespace tuner {
namespace {

// Makes a value the present one while it lives.
class AtValue {
 public:
  AtValue(DraftedParameter& parameter, std::int64_t value)
      : parameter_(parameter), before_(std::exchange(parameter.present, value)) {}
  ~AtValue() { parameter_.present = before_; }
  AtValue(const AtValue&) = delete;
  AtValue& operator=(const AtValue&) = delete;

 private:
  DraftedParameter& parameter_;
  std::int64_t before_;
};

// Whether an axis, "n // BLOCK", divides without a remainder at present.
bool is_exact(const DraftContext& c, const std::string& axis) {
  return c.value_of(axis) == c.value_of(replaced(axis, "//", "/"));
}

// Lists the axes of the grid that divide without a remainder. One that is rounded up has a sum in
// it.
std::vector<std::string> exact_axes(const DraftContext& c) {
  std::vector<std::string> out;
  std::ranges::copy_if(c.plan.grid, std::back_inserter(out), [&](const std::string& axis) {
    return axis.find("//") != axis.npos && axis.find_first_of("+-,%") == axis.npos &&
           is_exact(c, axis);
  });
  return out;
}

// Says what is wrong with the launch at the present values; empty: nothing.
std::string fault_of_launch(const DraftContext& c, const std::vector<std::string>& exact) {
  constexpr double kMostThreads = 1024;
  double threads = 1;
  for (const std::string& axis : c.plan.block) threads *= c.value_of(axis).value_or(1);
  if (threads < 1 || threads != std::floor(threads)) return "makes no block";
  if (threads > kMostThreads) return "makes too many threads";
  const auto is_nothing = [&](const std::string& axis) { return c.value_of(axis).value_or(1) < 1; };
  if (std::ranges::any_of(c.plan.grid, is_nothing)) return "makes a grid of no blocks";
  const bool takes_all =
      std::ranges::all_of(exact, [&](const std::string& axis) { return is_exact(c, axis); });
  return takes_all ? "" : "leaves elements out";
}

}  // namespace

void drop_impossible_values(DraftContext& c) {
  const std::vector<std::string> exact = exact_axes(c);
  if (!fault_of_launch(c, exact).empty()) return;  // it was misread
  for (DraftedParameter& one : c.plan.parameters) {
    std::map<std::string, std::vector<std::int64_t>> dropped;
    std::erase_if(one.values, [&](std::int64_t value) {
      const AtValue now(one, value);
      const std::string fault = one.is_given ? "" : fault_of_launch(c, exact);
      if (!fault.empty()) dropped[fault].push_back(value);
      return !fault.empty();
    });
    for (const auto& [fault, values] : dropped) {
      one.from += fmt::format("; {} {}", fmt::join(values, ", "), fault);
    }
  }
}

}  // namespace tuner
