// Writes down position, file, type and shape of each argument of a program.

#include "tuner/resolve/program_files.h"

#include <fmt/format.h>

#include "tuner/resolve/argument_plans.h"

namespace tuner {
namespace {

const char* role_text(Role role) {
  return role == Role::kIn ? "in" : role == Role::kOut ? "out" : "inout";
}

}  // namespace

Expected<std::vector<std::string>, std::string> program_files(const Study& study,
                                                              const Bindings& names) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < study.arguments.size(); ++i) {
    const ArgumentSpec& argument = study.arguments[i];
    std::string shape;
    for (const Expression& extent : argument.shape) {
      const auto value =
          whole(extent, names, "the shape of '" + argument.name + "'", {1, 1, kMost});
      if (!value) return Unexpected{value.error()};
      shape += fmt::format("{}{}", shape.empty() ? "" : "x", *value);
    }
    if (argument.lanes > 1) shape += fmt::format("x{}", argument.lanes);
    out.push_back(fmt::format("argument={}:{}:{}:{}:{}", i, argument.file, name_of(argument.type),
                              shape, role_text(argument.role)));
  }
  return out;
}

}  // namespace tuner
