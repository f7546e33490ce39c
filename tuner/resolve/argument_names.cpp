// Names arguments in messages.

#include "tuner/resolve/argument_names.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace tuner {
namespace {

constexpr std::string_view kOne = "argument ";
constexpr std::string_view kTakes = "the kernel takes ";

std::string listed_names(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

bool is_about_arguments(const DeviceFailure& failure) {
  return failure.error == DeviceError::kInvalid &&
         (failure.message.starts_with(kOne) || failure.message.starts_with(kTakes));
}

DeviceFailure with_names(DeviceFailure failure, const std::vector<std::string>& names) {
  std::string& text = failure.message;
  if (!is_about_arguments(failure)) return failure;
  if (text.starts_with(kTakes)) text += " (" + listed_names(names) + ")";
  if (!text.starts_with(kOne)) return failure;
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const char* behind = std::from_chars(text.data() + kOne.size(), end, number).ptr;
  if (number < 1 || number > names.size()) return failure;
  text.replace(kOne.size(), static_cast<std::size_t>(behind - text.data()) - kOne.size(),
               "'" + names[number - 1] + "'");
  return failure;
}

std::string given_text(const SizePlan& plan, const std::vector<std::uint32_t>& arguments) {
  std::string out;
  for (const std::uint32_t index : arguments) {
    const ArgumentPlan& one = plan.arguments[index];
    out += fmt::format("{}{}", out.empty() ? "" : ", ", one.name);
    if (one.map) continue;
    out += fmt::format(" {}", name_of(one.type));
    if (!one.is_scalar) out += fmt::format("[{}]", fmt::join(one.extents, ", "));
  }
  return out;
}

}  // namespace tuner
