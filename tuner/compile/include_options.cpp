// Brings include options of all spellings into one form.

#include "tuner/compile/include_options.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace tuner {
namespace {

// With "=" between name and folder where they are one word.
constexpr std::string_view kLong[] = {"--include-path", "--include-directory", "--system-include"};
constexpr std::string_view kShort[] = {"-I", "-isystem", "-iquote", "-idirafter"};

bool names_a_folder_next(std::string_view option) {
  const auto is_it = [&](std::string_view name) { return option == name; };
  return std::ranges::any_of(kLong, is_it) || std::ranges::any_of(kShort, is_it);
}

bool begins_with_one_of(std::string_view option, std::initializer_list<std::string_view> heads) {
  return std::ranges::any_of(heads,
                             [&](std::string_view head) { return option.starts_with(head); });
}

// The folder in a joined option.
std::optional<std::string> folder_in(std::string_view option) {
  for (const std::string_view name : kLong) {
    if (option.starts_with(name) && option.size() > name.size() && option[name.size()] == '=') {
      return std::string(option.substr(name.size() + 1));
    }
  }
  for (const std::string_view name : kShort) {
    if (option.starts_with(name)) return std::string(option.substr(name.size()));
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> joined_include_options(const std::vector<std::string>& options) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < options.size(); ++i) {
    out.push_back(options[i]);
    if (!names_a_folder_next(options[i]) || i + 1 == options.size()) continue;
    out.back() += (options[i].starts_with("--") ? "=" : "") + options[i + 1];
    ++i;
  }
  return out;
}

std::vector<std::string> include_dirs_in(const std::vector<std::string>& options) {
  std::vector<std::string> dirs;
  for (const std::string& option : joined_include_options(options)) {
    auto folder = folder_in(option);
    if (!folder || folder->empty()) continue;
    if (folder->front() == '=') dirs.push_back(folder->substr(1));  // some write -I=DIR
    dirs.push_back(std::move(*folder));
  }
  return dirs;
}

Reach reach_of(const std::vector<std::string>& options) {
  Reach reach = Reach::kScanned;
  for (const std::string& option : options) {
    if (begins_with_one_of(
            option, {"-iwithprefix", "-iprefix", "-B", "-fplugin", "-specs", "--specs", "--sysroot",
                     "-isysroot", "-imultilib", "--use-pch", "-pch", "--pch"})) {
      return Reach::kUnknown;
    }
    if (begins_with_one_of(option, {"--pre-include", "-include", "--include=", "-imacros",
                                    "--imacros", "@", "--options-file", "-optf"})) {
      reach = Reach::kReported;
    }
  }
  return reach;
}

}  // namespace tuner
