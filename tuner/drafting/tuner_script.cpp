// Has a program in Python read scripts of Kernel Tuner's and print their launches as host code.

#include "tuner/drafting/tuner_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tuner/base/atomic_file.h"
#include "tuner/base/child_process.h"
#include "tuner/base/temporary_folder.h"
#include "tuner/drafting/ktt_program.h"
#include "tuner/expression/expression.h"
#include "tuner/source/project_files.h"

namespace tuner {

extern const std::string_view kScriptReaderText;  // script_reader.py

namespace {

using Json = nlohmann::json;

TunerScript call_of(const Json& json, const std::string& file) {
  TunerScript out;
  const int line = json.at("line").get<int>();
  out.place = fmt::format("line {} of {}", line, std::filesystem::path(file).filename().string());
  json.at("kernel").get_to(out.kernel);
  json.at("parameters").get_to(out.parameters);
  json.at("unknown").get_to(out.unknown);
  json.at("restrictions").get_to(out.restrictions);
  json.at("left_out").get_to(out.left_out);
  json.at("not_taken").get_to(out.not_taken);
  json.at("options").get_to(out.options);
  out.host.name = file;
  out.host.text =
      std::string(static_cast<std::size_t>(line - 1), '\n') + json.at("host").get<std::string>();
  return out;
}

ReadScript script_of(const Json& json, const std::string& file) {
  if (json.contains("problem")) return {{}, {}, {}, json.at("problem")};
  ReadScript out{json.at("sources"), json.at("kernel"), {}, {}};
  for (const Json& call : json.at("calls")) out.calls.push_back(call_of(call, file));
  return out;
}

}  // namespace

std::vector<ReadScript> read_tuner_scripts(const std::vector<SourceText>& scripts) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  constexpr double kMostSeconds = 60;  // it reads, and runs nothing
  std::vector<ReadScript> all(scripts.size());
  std::vector<std::size_t> in_python;
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    if (is_ktt_program(scripts[i].text)) {
      all[i] = read_ktt_program(scripts[i]);
    } else {
      in_python.push_back(i);
    }
  }
  if (in_python.empty()) return all;
  const TemporaryFolder folder("tuner-script");
  std::vector<std::string> command{
      "/usr/bin/env", "python3", "-I", "-W", "ignore", "-c", std::string(kScriptReaderText)};
  for (const std::size_t i : in_python) {
    command.push_back(folder.path() / std::to_string(command.size()));
    write_file_atomically(command.back(), scripts[i].text);
  }
  ChildProcess python(command);
  const bool is_in_time = python.ends_within(kMostSeconds);
  if (!is_in_time) python.kill();
  const bool is_missing = python.wait() == "ended with status 127";
  const Json json = Json::parse(python.output_tail(kMostBytes), nullptr, false);
  for (std::size_t n = 0; n < in_python.size(); ++n) {
    const std::size_t i = in_python[n];
    if (json.is_array()) {
      all[i] = script_of(json.at(n), scripts[i].name);
    } else {
      all[i].problem = is_missing   ? "is not read: there is no python3 here"
                       : is_in_time ? "python3 fails at it"
                                    : "python3 takes longer than a minute at it";
    }
  }
  return all;
}

std::vector<std::int64_t> first_valid(const TunerScript& script) {
  constexpr int kMostTried = 100000;
  std::vector<Expression> rules;
  for (const std::string& one : script.restrictions) {
    if (const auto rule = Expression::parse(one)) rules.push_back(*rule);
  }
  std::vector<std::size_t> at(script.parameters.size(), 0);
  Bindings values;
  const auto bind = [&] {
    for (std::size_t i = 0; i < at.size(); ++i) {
      values[script.parameters[i].first] = script.parameters[i].second[at[i]];
    }
  };
  const auto holds = [&](const Expression& rule) {
    const auto value = rule.evaluate(values);
    return !value || truth(*value);  // of what a study knows and this does not nothing is said
  };
  const auto advance = [&] {
    for (std::size_t i = at.size(); i-- > 0; at[i] = 0) {
      if (++at[i] < script.parameters[i].second.size()) return true;
    }
    return false;
  };
  bind();
  for (int tried = 0; !std::ranges::all_of(rules, holds) && tried < kMostTried && advance();
       ++tried) {
    bind();
  }
  std::vector<std::int64_t> out;
  for (const auto& [name, of_it] : script.parameters) {
    out.push_back(std::get<std::int64_t>(values.at(name)));
  }
  return out;
}

}  // namespace tuner
