// Which stand-ins a compilation gets.

#include "tuner/plugins/cuda/stand_in_headers.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace tuner::cuda {

namespace {

namespace fs = std::filesystem;

struct StandIn {
  std::string name;
  std::string text;
  bool is_for_host = false;  // and empty
};

// Lists the headers of the text. "== with toolkit: tuple" says on what condition they are there,
// "== for host code: vector" that no kernel needs them.
std::vector<StandIn> stand_ins(bool has_toolkit) {
  const std::string other = has_toolkit ? "without toolkit:" : "with toolkit:";
  std::vector<StandIn> out;
  std::vector<std::string> names;
  std::string text;
  bool is_for_host = false;
  const auto finish = [&] {
    for (const std::string& name : names) out.push_back({name, text, is_for_host});
    names.clear();
    text.clear();
  };
  std::istringstream lines{std::string(kStandInHeaders)};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("== ")) {
      text += line + "\n";
      continue;
    }
    finish();
    if (line.find(other) != std::string::npos) continue;
    is_for_host = line.find("for host code:") != std::string::npos;
    std::istringstream words(
        line.substr(line.rfind(':') == std::string::npos ? 3 : line.rfind(':') + 1));
    for (std::string name; words >> name;) names.push_back(name);
  }
  finish();
  return out;
}

std::vector<std::string> folders_of(const sdk::CompileRequest& request) {
  std::vector<std::string> out = request.include_dirs;
  for (const std::string& option : request.options) {
    if (option.starts_with("-I")) out.push_back(option.substr(2));
  }
  return out;
}

bool lies_in_one_of(const std::string& name, const std::vector<std::string>& folders) {
  std::error_code ignored;
  for (const std::string& folder : folders) {
    if (fs::exists(fs::path(folder) / name, ignored)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> stand_in_headers(
    const sdk::CompileRequest& request, bool has_toolkit) {
  const std::vector<std::string> folders = folders_of(request);
  std::vector<std::pair<std::string, std::string>> out;
  for (StandIn& one : stand_ins(has_toolkit)) {
    if (lies_in_one_of(one.name, folders)) continue;
    out.emplace_back(std::move(one.name), std::move(one.text));
  }
  return out;
}

std::string stand_in_revision() {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : kStandInHeaders) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return std::to_string(hash % 1000000);
}

namespace {

bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Whether a stand-in has the name as a macro, a typedef, a template or a member of std.
bool defines(const std::string& text, const std::string& name) {
  for (const std::string& form : {"#define " + name + " ", " " + name + ";",
                                  "using ::" + name + ";", "struct " + name + " "}) {
    if (text.find(form) != std::string::npos) return true;
  }
  return false;
}

// The names that follow `complaint`, up to the quotation mark.
void add_names(const std::string& log, std::string_view complaint, std::set<std::string>& names) {
  for (auto at = log.find(complaint); at != std::string::npos; at = log.find(complaint, at + 1)) {
    const std::size_t from = at + complaint.size();
    std::size_t end = from;
    while (end < log.size() && is_name_part(log[end])) ++end;
    names.insert(log.substr(from, end - from));
  }
}

}  // namespace

std::set<std::string> headers_missed_in(const std::string& log, bool has_toolkit) {
  std::set<std::string> missed;
  add_names(log, "identifier \"", missed);
  add_names(log, "namespace \"std\" has no member \"", missed);
  std::set<std::string> headers;
  const std::vector<StandIn> all = stand_ins(has_toolkit);
  for (const std::string& name : missed) {
    const auto found =
        std::ranges::find_if(all, [&](const StandIn& one) { return defines(one.text, name); });
    if (found != all.end()) headers.insert(found->name);
  }
  return headers;
}

std::string missing_header_hint(const std::string& log, bool has_toolkit) {
  constexpr std::string_view kComplaint = "cannot open source file \"";
  const auto at = log.find(kComplaint);
  if (at == std::string::npos) return {};
  const auto from = at + kComplaint.size();
  std::string hint = "note: '" + log.substr(from, log.find('"', from) - from) +
                     "' is neither beside the source nor in the study's 'include_dirs'. NVRTC "
                     "compiles device code only; of the C++ library there are ";
  std::string list;
  for (const StandIn& one : stand_ins(has_toolkit)) {
    if (one.is_for_host || one.name.find('.') != std::string::npos) continue;
    list += (list.empty() ? "" : ", ") + one.name;
  }
  hint += list + " and the C headers behind them";
  if (!has_toolkit) hint += "; no CUDA toolkit was found ($CUDA_HOME names one)";
  return hint + ". What host code needs can stand behind #ifndef __CUDACC_RTC__.";
}

}  // namespace tuner::cuda
