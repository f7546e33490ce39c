// Asks the sources of a study for configurations, and finds them in the space.

#include "tuner/run/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "tuner/base/asked_program.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/model/json.h"
#include "tuner/model/json_text.h"

namespace tuner {

extern const std::string_view kNvMatmulText;  // nvmatmul.py

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using SourceKind = AdviceSource::Kind;

constexpr std::size_t kMostOfSource = 64;
constexpr std::size_t kMostBytes = std::size_t{4} << 20;
constexpr double kMostSeconds = 10;
// Configurations tried of a wish that leaves parameters open: many configurations are as near, and
// not as fast.
constexpr std::size_t kMostOfWish = 4;

std::string name_in_notes(const AdviceSource& source) { return "advice " + source.name; }

// The question as JSON (docs/study-search.md#advice).
std::string question_of(const Study& study, const ProblemSize& size, const DeviceFacts& device) {
  Json question{{"study", study.kernel.name},      {"size", Json::object()},
                {"device", encoded<Json>(device)}, {"parameters", Json::object()},
                {"arguments", Json::object()},     {"most", kMostOfSource}};
  for (const auto& [name, extent] : size.dims) question["size"][name] = extent;
  for (const Parameter& one : study.parameters) {
    Json& values = question["parameters"][one.name] = Json::array();
    for (const Value& value : one.values) values.push_back(value_to_json(value));
  }
  for (const ArgumentSpec& one : study.arguments) {
    if (one.is_scalar) continue;
    question["arguments"][one.name] = {
        {"type", name_of(one.type)}, {"read", is_read(one.role)}, {"written", is_output(one.role)}};
  }
  return dump(question);
}

std::string with_fields(const std::string& question, const AdviceSource& source) {
  Json out = parse_json(question);
  for (const auto& [parameter, field] : source.fields) out["fields"][parameter] = field;
  return dump(out);
}

Expected<std::string, std::string> text_of_file(const AdviceSource& source) {
  const fs::path file = source.words.front();
  std::error_code unknown;
  if (!fs::is_regular_file(file, unknown)) return Unexpected{std::string("there is no such file")};
  if (fs::file_size(file, unknown) > kMostBytes) {
    return Unexpected{fmt::format("the file is larger than {} MiB", kMostBytes >> 20)};
  }
  try {
    return read_file(file);
  } catch (const std::exception& error) {
    return Unexpected{std::string(error.what())};
  }
}

// Names a text in messages: the file, as it is; or "answer".
std::string place_name(const AdviceSource& source) {
  return source.kind == SourceKind::kFile ? source.words.front() : "answer";
}

// Configurations found for the wishes of a source.
struct Found {
  std::vector<ConfigIndex> all;
  std::size_t moved = 0;
  std::string example;  // of what was moved
};

bool holds(const WishedValues& wishes, const Configuration& configuration) {
  for (std::size_t p = 0; p < wishes.size(); ++p) {
    if (wishes[p] && !same_value(*wishes[p], configuration[p])) return false;
  }
  return true;
}

std::string moved_text(const std::vector<Parameter>& parameters, const WishedValues& wishes,
                       const Configuration& to) {
  std::string from, there;
  for (std::size_t p = 0; p < wishes.size(); ++p) {
    if (!wishes[p] || same_value(*wishes[p], to[p])) continue;
    from += fmt::format(" {}={}", parameters[p].name, to_text(*wishes[p]));
    there += fmt::format(" {}={}", parameters[p].name, to_text(to[p]));
  }
  return from.substr(1) + " to" + there;
}

// The nearest of each wish, and then what else is as near, wish by wish.
Found found_in(const SearchSpace& space, const std::vector<WishedValues>& wishes) {
  Found out;
  std::vector<std::vector<ConfigIndex>> near;
  for (const WishedValues& one : wishes) {
    const auto said = [](const auto& wish) { return wish.has_value(); };
    near.push_back(nearest_to(space, one, std::ranges::all_of(one, said) ? 1 : kMostOfWish));
    if (near.back().empty()) continue;
    const Configuration first = space.configuration(near.back().front());
    if (holds(one, first)) continue;
    if (out.moved++ == 0) out.example = moved_text(space.parameters(), one, first);
  }
  for (std::size_t turn = 0; turn < kMostOfWish; ++turn) {
    for (const auto& one : near) {
      if (turn >= one.size() || std::ranges::find(out.all, one[turn]) != out.all.end()) continue;
      out.all.push_back(one[turn]);
    }
  }
  return out;
}

}  // namespace

Expected<std::string, std::string> Advisers::answer(const AdviceSource& source,
                                                    const std::string& question,
                                                    double seconds) const {
  AskedProgram program{source.words, source.folder, seconds, kMostBytes, how_.keeper};
  switch (source.kind) {
    case SourceKind::kFile:
      return text_of_file(source);
    case SourceKind::kPlugin:
      if (!how_.advisor) return Unexpected{std::string("no plugins are loaded here")};
      return how_.advisor(source, question);
    case SourceKind::kCommand:
      return answer_of(program, question, how_.stop);
    case SourceKind::kNvMatmul:
      program.words = {"python3", "-c", std::string(kNvMatmulText)};
      program.folder = "/";  // python3 looks for modules where it works, too
      return answer_of(program, with_fields(question, source), how_.stop);
  }
  return Unexpected{std::string("is of no kind that is known")};
}

std::vector<Advice> Advisers::ask(const SearchSpace& space, const ProblemSize& size,
                                  const DeviceFacts& device, std::size_t most, double seconds,
                                  const std::function<void(const std::string&)>& note) {
  std::vector<Advice> all;
  const std::vector<AdviceSource>& sources = study_.search.advice;
  if (sources.empty() || space.size() == 0) return all;
  const std::string question = question_of(study_, size, device);
  for (std::size_t s = 0; s < sources.size(); ++s) {
    if (silent_.contains(s) || (how_.stop && how_.stop())) continue;
    const AdviceSource& source = sources[s];
    const auto text = answer(source, question, std::clamp(seconds, 0.1, kMostSeconds));
    if (!text) {
      silent_.insert(s);
      note(fmt::format("{}: nothing: {}", name_in_notes(source), text.error()));
      continue;
    }
    Proposals read = read_proposals(*text, place_name(source), study_.parameters);
    if (read.wishes.empty() && !read.faults.empty()) silent_.insert(s);
    if (read.wishes.size() > kMostOfSource) read.wishes.resize(kMostOfSource);
    Found found = found_in(space, read.wishes);
    const std::size_t room = std::min(kMostOfSource, most - std::min(most, all.size()));
    if (found.all.size() > room) found.all.resize(room);
    std::string said =
        fmt::format("{} {} measured first, of {}", count_text(found.all.size(), "configuration"),
                    found.all.size() == 1 ? "is" : "are", count_text(read.proposed, "proposal"));
    if (found.all.empty()) {
      const bool is_empty = read.proposed == 0 && read.faults.empty();
      said = is_empty ? "it proposes nothing" : "none can be used";
    }
    if (found.moved > 0) {
      said += fmt::format("; {} not valid here, moved to the nearest ({})",
                          found.moved == 1 ? "1 was" : fmt::format("{} were", found.moved),
                          found.example);
    }
    if (!read.faults.empty()) said += "; " + faults_text(read.faults);
    note(fmt::format("{}: {}", name_in_notes(source), said));
    for (const ConfigIndex index : found.all) {
      const auto same = [&](const Advice& one) { return one.index == index; };
      if (std::ranges::none_of(all, same)) all.push_back({index, source.name});
    }
  }
  return all;
}

std::vector<Complaint> advice_file_faults(const Study& study) {
  std::vector<Complaint> out;
  for (const AdviceSource& source : study.search.advice) {
    if (source.kind != SourceKind::kFile) continue;
    const auto text = text_of_file(source);
    std::string fault =
        text ? faults_text(read_proposals(*text, place_name(source), study.parameters).faults)
             : source.words.front() + ": " + text.error();
    if (!fault.empty()) out.push_back({source.where, "in this advice: " + fault, ""});
  }
  return out;
}

}  // namespace tuner
