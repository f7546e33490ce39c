// Compares names and parameters.

#include "tuner/apply/program_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/resolve/argument_places.h"
#include "tuner/source/demangled_name.h"
#include "tuner/source/parameters.h"

namespace tuner {

namespace {

// Whether the pattern, in which '*' stands for any text, is that of the whole name. Goes back to
// the last '*' alone, so that long names take little time.
bool fits(std::string_view pattern, std::string_view name) {
  std::size_t at = 0, star = pattern.npos, from = 0;
  for (std::size_t i = 0; i < name.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = ++at;
      from = i;
    } else if (at < pattern.size() && pattern[at] == name[i]) {
      ++at;
      ++i;
    } else if (star != pattern.npos) {
      at = star;
      i = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == pattern.npos;
}

// "scan_{KIND}" as "scan_*".
std::string with_stars(const std::string& name) {
  std::string out;
  bool is_inside = false;
  for (const char c : name) {
    if (c == '{') out += '*';
    is_inside = (is_inside || c == '{') && c != '}';
    if (!is_inside && c != '}') out += c;
  }
  return out;
}

}  // namespace

bool is_kernel_of(const Study& study, const std::string& pattern, const std::string& mangled) {
  const std::string name = demangled(mangled);
  if (!pattern.empty()) {
    return pattern.find('*') == std::string::npos ? name.find(pattern) != std::string::npos
                                                  : fits(pattern, name);
  }
  const NameParts wanted = parts_of(study.kernel.entry);
  const NameParts seen = parts_of(name);
  if (!fits(with_stars(wanted.name), seen.name)) return false;
  for (std::size_t i = 0; i < std::min(wanted.given.size(), seen.given.size()); ++i) {
    if (wanted.given[i].find('{') != std::string::npos) continue;
    if (plain_argument(wanted.given[i]) != plain_argument(seen.given[i])) return false;
  }
  return true;
}

std::vector<std::pair<std::string, std::string>> template_values(const Study& study,
                                                                 const std::string& mangled) {
  const NameParts wanted = parts_of(study.kernel.entry);
  const NameParts seen = parts_of(demangled(mangled));
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t i = 0; i < std::min(wanted.given.size(), seen.given.size()); ++i) {
    const std::string text(trimmed(wanted.given[i]));
    const auto inner = text.size() > 2 ? text.substr(1, text.size() - 2) : "";
    if (text != "{" + inner + "}") continue;
    out.emplace_back(inner, plain_argument(seen.given[i]));
  }
  return out;
}

namespace {

// Whether no parameter has a part in its value.
bool follows_from_size(const Study& study, const Expression& expression) {
  return std::ranges::all_of(expression.names(), [&](const std::string& name) {
    const auto is = [&](const auto& one) { return one.name == name; };
    if (std::ranges::any_of(study.parameters, is)) return false;
    const auto derived = std::ranges::find_if(study.derived, is);
    return derived == study.derived.end() || follows_from_size(study, derived->expression);
  });
}

}  // namespace

std::vector<std::uint32_t> kernel_arguments(const Study& study) {
  auto places = positions_of(study.arguments, study.launch_arguments, "launch", {});
  return places ? *places : std::vector<std::uint32_t>();
}

void require_one_launch(const Study& study) {
  const auto refuse = [&](const std::string& why) {
    throw InputError({Complaint{study.kernel.where, why, ""}}, study.text);
  };
  if (!study.is_runnable() || study.kernel.runs_on_host() || study.kernel.language != "cuda") {
    refuse(
        "a launch of a program becomes the launch of a tuned CUDA kernel, and this study tunes "
        "none");
  }
  if (!study.rounds.repeat.empty()) {
    refuse("one launch of a program becomes one launch, and this study has 'repeat'");
  }
  if (!study.constants.empty()) {
    refuse("the program sets '" + study.constants.front().name +
           "' in its own module, where the tuned kernel does not read it");
  }
  if (study.reference && !study.reference->per.empty()) {
    refuse("the right answer depends on '" + study.reference->per.front() +
           "': which one the program wants does not follow from its launch");
  }
  for (const std::uint32_t place : kernel_arguments(study)) {
    const ArgumentSpec& one = study.arguments[place];
    if (one.choice) refuse("the type of '" + one.name + "' is a parameter, and a program has one");
    if (is_working_space(one.role)) {
      refuse("'" + one.name +
             "' is memory of the tuned kernel's own, which a program does not have");
    }
    const auto varies = [&](const MemberSpec& member) {
      return !follows_from_size(study, member.value);
    };
    if (one.record && std::ranges::any_of(one.record->members, varies)) {
      refuse("a member of '" + one.name +
             "' depends on parameters, and the struct is the program's");
    }
    if (one.map) refuse("'" + one.name + "' is a tensor map, whose box the variant decides");
  }
}

// ---- parameters ---------------------------------------------------------------------------------

namespace {

std::size_t bytes_of(const ArgumentSpec& argument) {
  if (!argument.is_scalar) return sizeof(void*);
  return argument.record ? argument.record->bytes : size_of(argument.type);
}

}  // namespace

std::string misfit(const Study& study, const ProgramKernel& kernel) {
  const std::vector<std::uint32_t> places = kernel_arguments(study);
  if (places.size() != kernel.parameters.size()) {
    return fmt::format("it takes {} parameters, and the study's kernel {}",
                       kernel.parameters.size(), places.size());
  }
  const NameParts name = parts_of(demangled(kernel.name));
  const bool has_types = name.has_parameters && name.parameters.size() == places.size();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const ArgumentSpec& argument = study.arguments[places[i]];
    if (argument.is_captured) continue;  // of whatever type
    if (kernel.parameters[i] != bytes_of(argument)) {
      return fmt::format("its parameter {} has {} bytes, and '{}' of the study has {}", i + 1,
                         kernel.parameters[i], argument.name, bytes_of(argument));
    }
    const std::string pointee = has_types ? pointee_of(name.parameters[i]) : "";
    if (argument.is_scalar || argument.record || pointee.empty()) continue;
    if (pointee != name_of(argument.type)) {
      return fmt::format("its parameter {} points to {}, and '{}' of the study is {}", i + 1,
                         pointee, argument.name, name_of(argument.type));
    }
  }
  return {};
}

std::vector<SizePart> size_parts(const Study& study) {
  std::vector<SizePart> out;
  const auto add = [&](SizePart part) {
    const bool is_fixed = part.value.names().empty();
    if (!is_fixed && follows_from_size(study, part.value)) out.push_back(std::move(part));
  };
  const std::vector<std::uint32_t> places = kernel_arguments(study);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const ArgumentSpec& argument = study.arguments[places[i]];
    if (!argument.is_scalar) continue;
    if (!argument.record) add({i, 0, argument.type, argument.value, argument.name});
    if (!argument.record) continue;
    for (const MemberSpec& member : argument.record->members) {
      if (member.is_address) continue;
      add({i, member.offset, member.type, member.value, argument.name + "." + member.path});
    }
  }
  return out;
}

}  // namespace tuner
