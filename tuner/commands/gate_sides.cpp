// Makes a study and a configuration of each side's text.

#include "tuner/commands/gate_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/codec/json.h"
#include "tuner/codec/json_text.h"
#include "tuner/commands/result_sets.h"
#include "tuner/run/sources.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& side, const std::string& why) {
  throw InputError(Complaint{{}, "'" + side + "' " + why, ""});
}

// ---- source trees -------------------------------------------------------------------------------

// The same file in another tree: by its path below the current folder, or else below the study's.
std::optional<fs::path> in_tree(const fs::path& tree, const fs::path& file, const Study& study) {
  std::error_code error;
  for (const fs::path& root : {fs::current_path(), study.file.parent_path()}) {
    const fs::path below = file.lexically_relative(root);
    if (below.empty() || *below.begin() == "..") continue;
    const fs::path other = (fs::absolute(tree) / below).lexically_normal();
    if (fs::exists(other, error)) return other;
  }
  return std::nullopt;
}

bool take_tree(const fs::path& tree, const Study& original, Study& study) {
  const auto source = in_tree(tree, original.kernel.source, original);
  if (!source) return false;
  study = with_source(original, *source);
  for (auto* files : {&study.kernel.units, &study.kernel.include_dirs}) {
    for (fs::path& file : *files) file = in_tree(tree, file, original).value_or(file);
  }
  return true;
}

// ---- results ------------------------------------------------------------------------------------

struct Winner {
  std::string device;
  std::vector<std::pair<std::string, std::int64_t>> size;
  Configuration configuration;
};

// The study's value that is written like this one; nothing: it has none.
std::optional<Value> value_of(const Parameter& parameter, const std::string& text) {
  const auto found = std::ranges::find_if(
      parameter.values, [&](const Value& value) { return to_text(value) == text; });
  return found == parameter.values.end() ? std::nullopt : std::optional(*found);
}

template <typename TextOf>
Configuration configuration_from(const std::string& side, const Study& study,
                                 const TextOf& text_of) {
  Configuration out;
  for (const Parameter& parameter : study.parameters) {
    const std::optional<std::string> text = text_of(parameter.name);
    if (!text) refuse(side, "has no parameter '" + parameter.name + "'");
    const auto value = value_of(parameter, *text);
    if (!value)
      refuse(side, fmt::format("has {}={}, which the study has not", parameter.name, *text));
    out.push_back(*value);
  }
  return out;
}

std::vector<Winner> winners_of_results(const std::string& side, const Study& study) {
  std::vector<std::string> notes;
  std::vector<Winner> winners;
  for (const ResultSet& set : result_sets(side, &study, {}, notes)) {
    const RankedResults& ranked = set.results.ranked;
    if (ranked.ranked == 0) continue;
    const std::vector<std::string>& names = set.results.parameters;
    const Configuration& best = ranked.trials.front().configuration;
    const auto text_of = [&](const std::string& name) -> std::optional<std::string> {
      const auto at = std::ranges::find(names, name);
      if (at == names.end()) return std::nullopt;
      return to_text(best.at(static_cast<std::size_t>(at - names.begin())));
    };
    winners.push_back(
        {ranked.device.name, ranked.size.dims, configuration_from(side, study, text_of)});
  }
  return winners;
}

// Of `tuner export --format json`.
std::vector<Winner> winners_of_json(const std::string& side, const Study& study) {
  std::vector<Winner> winners;
  try {
    const Json document = Json::parse(read_file(side));
    for (const Json& one : document.at("results")) {
      const Json& trials = one.at("trials");
      if (trials.empty() || trials.front().at("rank").is_null()) continue;
      const Json& best = trials.front().at("configuration");
      const auto text_of = [&](const std::string& name) -> std::optional<std::string> {
        if (!best.contains(name)) return std::nullopt;
        return to_text(value_from_json(best.at(name)));
      };
      Winner winner{one.at("device").at("name"), {}, configuration_from(side, study, text_of)};
      for (const auto& [name, extent] : one.at("size").items())
        winner.size.emplace_back(name, extent);
      winners.push_back(std::move(winner));
    }
  } catch (const nlohmann::json::exception&) {
    refuse(side, "is no export of 'tuner export --format json'");
  }
  return winners;
}

// Of this device where it is there, else of any.
Configuration winner_at(const std::string& side, const std::vector<Winner>& winners,
                        const ProblemSize& size, const DeviceFacts& device) {
  const Winner* found = nullptr;
  for (const Winner& winner : winners) {
    if (winner.size != size.dims) continue;
    if (found == nullptr || winner.device == device.name) found = &winner;
  }
  if (found == nullptr) refuse(side, "has no results at " + size.label());
  return found->configuration;
}

}  // namespace

GateSide gate_side(const std::string& text, const Study& study, const Assignments& given) {
  GateSide side{text, study, {}};
  side.study = with_source(study, study.kernel.source);
  const auto chosen = std::make_shared<const Study>(study);
  const auto of_study = [chosen](const Assignments& assigned) {
    return [chosen, assigned](const ProblemSize& size, const DeviceFacts& device) {
      return chosen_configuration(*chosen, assigned, size, device);
    };
  };
  std::error_code error;
  if (!fs::exists(text, error)) {
    if (text.find('=') == std::string::npos) {
      refuse(text, "is neither a folder, a file nor NAME=VALUE,...");
    }
    side.configuration = of_study(assignments_of({text}));
    return side;
  }
  if (fs::is_directory(text, error) && take_tree(text, study, side.study)) {
    side.configuration = of_study(given);
    return side;
  }
  auto winners = fs::path(text).extension() == ".json" ? winners_of_json(text, study)
                                                       : winners_of_results(text, study);
  side.configuration = [text, winners = std::move(winners)](const ProblemSize& size,
                                                            const DeviceFacts& device) {
    return winner_at(text, winners, size, device);
  };
  return side;
}

}  // namespace tuner
