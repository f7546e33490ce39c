// Decides by the words of what was opened; writes the variants' sources.

#include "tuner/plugins/cuda/preamble.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "tuner/plugins/cuda/source_head.h"
#include "tuner/plugins/programs/make_rule.h"

namespace tuner::cuda {
namespace {

// <cuda/std/type_traits> alone opens some hundred, cuda_fp16.h a handful, which cost nothing.
constexpr std::size_t kManyHeaders = 64;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

WordSet defined_names(const sdk::CompileRequest& request) {
  WordSet names;
  for (const auto& [name, value] : request.defines) names.insert(name.substr(0, name.find('(')));
  return names;
}

// Finds the place of the first of these files that has one of the words.
std::size_t first_dependent(const std::vector<std::string>& opened, const WordSet& names) {
  const auto at = std::ranges::find_if(opened, [&](const std::string& path) {
    return first_mention(text_of(path), names) != std::string_view::npos;
  });
  return static_cast<std::size_t>(at - opened.begin());
}

// Whether #define says what the option -D says. A comment or a line's end would not be the same.
bool can_stand_in_text(const sdk::CompileRequest& request) {
  return std::ranges::none_of(request.defines, [](const auto& one) {
    const std::string& value = one.second;
    return value.find_first_of("\n\\") != std::string::npos ||
           value.find("//") != std::string::npos || value.find("/*") != std::string::npos;
  });
}

bool has_own_ideas(const std::vector<std::string>& options) {
  return std::ranges::any_of(options, [](const std::string& one) {
    return one.find("pch") != std::string::npos || one.starts_with("@") ||
           one.find("options-file") != std::string::npos || one.starts_with("-optf");
  });
}

// How many of the includes come before anything that depends on the definitions.
std::size_t independent_ones(const std::vector<LeadingInclude>& includes, std::string_view source,
                             const std::vector<std::string>& opened, const WordSet& names) {
  const std::size_t in_text = first_mention(source, names);
  std::size_t count = 0;
  while (count < includes.size() && includes[count].end <= in_text) ++count;
  const std::size_t dependent = first_dependent(opened, names);
  if (dependent == opened.size()) return count;
  // Files are opened in order: what is opened behind the next include's file belongs to that one.
  for (; count > 0; --count) {
    if (count == includes.size()) continue;
    const std::string& next = includes[count].name;
    const auto at = std::ranges::find_if(
        opened, [&](const std::string& path) { return path.ends_with("/" + next); });
    if (static_cast<std::size_t>(at - opened.begin()) <= dependent) break;
  }
  return count;
}

}  // namespace

bool is_worth_a_preamble(const std::vector<std::string>& opened) {
  return opened.size() >= kManyHeaders;
}

bool depends_on_definitions(const sdk::CompileRequest& request, const SplitSource& split,
                            const std::vector<std::string>& opened,
                            const std::vector<std::pair<std::string, std::string>>& stand_ins) {
  const WordSet names = defined_names(request);
  const auto mentions = [&](std::string_view text) {
    return first_mention(text, names) != std::string_view::npos;
  };
  return mentions(split.head) || first_dependent(opened, names) < opened.size() ||
         std::ranges::any_of(stand_ins, [&](const auto& one) { return mentions(one.second); });
}

std::optional<SplitSource> split_for_preamble(const sdk::CompileRequest& request,
                                              const std::vector<std::string>& opened) {
  if (!is_worth_a_preamble(opened)) return std::nullopt;
  if (!can_stand_in_text(request) || has_own_ideas(request.options)) return std::nullopt;
  const std::vector<LeadingInclude> includes = leading_includes(request.source);
  const std::size_t count =
      independent_ones(includes, request.source, opened, defined_names(request));
  if (count == 0) return std::nullopt;
  const LeadingInclude& last = includes[count - 1];
  return SplitSource{request.source.substr(0, last.end), request.source.substr(last.end),
                     last.lines};
}

namespace {

// Its messages would be taken for the compiler's about the source.
void add_file(sdk::CompileRequest& request, const std::string& option, const std::string& file) {
  request.options.push_back(option + file);
  request.options.emplace_back("--pch-messages=false");
  request.defines.clear();
}

constexpr const char* kStop = "#pragma nv_hdrstop\n";

}  // namespace

sdk::CompileRequest preamble_request(sdk::CompileRequest request, const SplitSource& split,
                                     const std::string& file) {
  add_file(request, "--create-pch=", file);
  request.source = split.head + kStop;
  return request;
}

sdk::CompileRequest behind_preamble(sdk::CompileRequest request, const std::string& file,
                                    const SplitSource& split) {
  std::string definitions;
  for (const auto& [name, value] : request.defines) {
    definitions += programs::definition(name, value);
  }
  add_file(request, "--use-pch=", file);
  request.source = split.head + kStop + definitions +
                   programs::line_directive(request.source_name, split.lines + 1) + split.rest;
  return request;
}

std::string preamble_key(const sdk::CompileRequest& request) {
  std::string key;
  const auto add = [&](const std::string& text) {
    key += std::to_string(text.size()) + ":" + text;
  };
  add(request.source);
  add(request.source_name);
  add(request.arch);
  for (const auto* list : {&request.include_dirs, &request.options}) {
    add(std::to_string(list->size()));
    for (const std::string& one : *list) add(one);
  }
  for (const auto& [name, value] : request.defines) add(name);
  return key;
}

NamelessFile::NamelessFile(const std::string& path)
    : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  const int reason = errno;
  ::unlink(path.c_str());
  if (descriptor_ < 0) throw std::system_error(reason, std::generic_category(), path);
}

NamelessFile::~NamelessFile() { ::close(descriptor_); }

std::string NamelessFile::path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

}  // namespace tuner::cuda
