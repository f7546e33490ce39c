// Derives the size of a launch from its scalars, and plans the configuration that is selected.

#include "tuner/apply/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <variant>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/deploy/domain_table.h"
#include "tuner/resolve/argument_plans.h"
#include "tuner/resolve/reference_plan.h"
#include "tuner/resolve/resolve.h"
#include "tuner/resolve/sequence_plan.h"

namespace tuner {
namespace {

template <typename Number>
std::int64_t number_in(const std::string& bytes) {
  Number out{};
  std::memcpy(&out, bytes.data(), std::min(bytes.size(), sizeof out));
  return static_cast<std::int64_t>(out);
}

// Reads these bytes as a whole number; nothing: they are a float.
std::optional<std::int64_t> extent_in(DataType type, const std::string& bytes) {
  if (bytes.size() != size_of(type)) return std::nullopt;
  switch (type) {
    case DataType::kInt8:
      return number_in<std::int8_t>(bytes);
    case DataType::kUInt8:
      return number_in<std::uint8_t>(bytes);
    case DataType::kInt16:
      return number_in<std::int16_t>(bytes);
    case DataType::kUInt16:
      return number_in<std::uint16_t>(bytes);
    case DataType::kInt32:
      return number_in<std::int32_t>(bytes);
    case DataType::kUInt32:
      return number_in<std::uint32_t>(bytes);
    case DataType::kInt64:
    case DataType::kUInt64:
      return number_in<std::int64_t>(bytes);
    default:
      return std::nullopt;
  }
}

// "H=100, W=64"
std::string text_of(const ProblemSize& size) {
  std::vector<std::string> words;
  for (const auto& [name, extent] : size.dims) words.push_back(fmt::format("{}={}", name, extent));
  return size.dims.empty() ? "the study's one size" : listed(words);
}

bool is_one_shape(const LaunchGeometry& a, const LaunchGeometry& b) {
  return a.grid == b.grid && a.block == b.block;
}

// Whether an argument is a whole number that the study only shows one value of, such as an offset:
// a launch may be one of several that share the work.
bool has_free_integers(const Study& study) {
  const std::vector<std::uint32_t> places = kernel_arguments(study);
  return std::ranges::any_of(places, [&](std::uint32_t place) {
    const ArgumentSpec& one = study.arguments[place];
    return one.is_scalar && !one.record && !one.map && !is_floating(one.type) &&
           one.value.names().empty();
  });
}

// Whether a dimension of the size is another one than the launch says.
bool contradicts(const ProblemSize& size, const Bindings& known) {
  return std::ranges::any_of(size.dims, [&](const auto& dim) {
    const auto found = known.find(dim.first);
    return found != known.end() && found->second != Value(dim.second);
  });
}

}  // namespace

VariantChooser::VariantChooser(const Study& study, const std::vector<RankedResults>& results,
                               const std::string& source_text)
    : study_(study),
      source_text_(source_text),
      table_(exported_table(study, results, {})),
      parts_(size_parts(study)),
      dimensions_(dimension_names(table_.entries.front().size)) {
  for (const RankedResults& one : results) {
    for (std::size_t i = 0; i < one.trials.size(); ++i) {
      measured_.insert(one.trials[i].configuration);
      if (i < one.ranked) right_.insert(one.trials[i].configuration);
    }
  }
  if (study.baseline) right_.insert(study.baseline->configuration);
}

std::string VariantChooser::unknown_instance(const std::string& mangled) const {
  for (const auto& given : template_values(study_, mangled)) {
    const auto parameter = std::ranges::find(study_.parameters, given.first, &Parameter::name);
    if (parameter == study_.parameters.end()) continue;
    const auto place = static_cast<std::size_t>(parameter - study_.parameters.begin());
    const bool is_known = std::ranges::any_of(
        right_, [&](const Configuration& one) { return cpp_text(one.at(place)) == given.second; });
    if (is_known) continue;
    return fmt::format("its {} is {}, with which nothing was right", given.first, given.second);
  }
  return {};
}

Expected<DeviceFacts, std::string> VariantChooser::facts_of(const ProgramDevice& device) const {
  for (const DeviceFacts& one : table_.devices) {
    if (one.name == device.name && one.compute_capability == device.compute_capability) return one;
  }
  try {
    DeviceFacts facts = nominal_facts(fmt::format("sm_{}", device.compute_capability));
    facts.name = device.name;
    facts.multiprocessors = device.multiprocessors;
    return facts;
  } catch (const InputError&) {
    return Unexpected{
        fmt::format("nothing was tuned on '{}', and nothing is known of its like", device.name)};
  }
}

// The dimensions that stand alone as an argument's value.
Expected<Bindings, std::string> VariantChooser::named_extents(const ProgramLaunch& launch) const {
  Bindings out;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const SizePart& part = parts_[i];
    const std::string name(trimmed(part.value.text()));
    if (std::ranges::find(dimensions_, name) == dimensions_.end()) continue;
    const auto extent = extent_in(part.type, launch.values[i]);
    if (!extent) continue;
    const auto [known, is_new] = out.emplace(name, *extent);
    if (is_new || known->second == Value(*extent)) continue;
    return Unexpected{fmt::format("'{}' is {}, and the study has it as {}, which is {} elsewhere",
                                  part.name, *extent, name, to_text(known->second))};
  }
  return out;
}

// Which value of the launch is not that of the size; empty: all are.
std::string VariantChooser::conflict(const ProblemSize& size, const DeviceFacts& device,
                                     const ProgramLaunch& launch) const {
  const Bindings names = with_derived(study_, tuner::facts_of(size, device));
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    ArgumentSpec number;
    number.name = parts_[i].name;
    number.is_scalar = true;
    number.type = parts_[i].type;
    number.value = parts_[i].value;
    const auto plan = argument_plan(number, {}, names);
    if (!plan) return plan.error();
    const bool is_same =
        plan->scalar.size() == launch.values[i].size() &&
        std::memcmp(plan->scalar.data(), launch.values[i].data(), plan->scalar.size()) == 0;
    if (is_same) continue;
    const auto extent = extent_in(parts_[i].type, launch.values[i]);
    return fmt::format("'{}' is {}not '{}' of {}", parts_[i].name,
                       extent ? std::to_string(*extent) + ", " : "", parts_[i].value.text(),
                       text_of(size));
  }
  return {};
}

// Whether the reference, the baseline or a configuration that was measured is launched so there.
// Else the launch may be one of a part of the problem.
bool VariantChooser::is_launched_so(const ProblemSize& size, const DeviceFacts& device,
                                    const LaunchGeometry& launched) const {
  const auto is_launch_of = [&](const Configuration& configuration) {
    const auto shape = geometry(study_.launch, bindings_of(study_, configuration, device, size));
    return shape && is_one_shape(*shape, launched);
  };
  if (study_.baseline && is_launch_of(study_.baseline->configuration)) return true;
  if (study_.reference && study_.reference->is_launched()) {
    const auto shape =
        geometry(study_.reference->launch, with_derived(study_, tuner::facts_of(size, device)));
    if (shape && is_one_shape(*shape, launched)) return true;
  }
  return std::ranges::any_of(measured_, is_launch_of);
}

Expected<ProblemSize, std::string> VariantChooser::size_of(const DeviceFacts& device,
                                                           const ProgramLaunch& launch) const {
  const Bindings known = TUNER_TRY(named_extents(launch));
  std::vector<ProblemSize> candidates;
  const bool is_whole = known.size() == dimensions_.size();
  const bool is_sure = is_whole && !dimensions_.empty() && !has_free_integers(study_);
  const auto add = [&](const ProblemSize& size) {
    const bool is_new = std::ranges::find(candidates, size) == candidates.end();
    if (is_new && !contradicts(size, known)) candidates.push_back(size);
  };
  if (is_whole) {
    ProblemSize size;
    for (const std::string& name : dimensions_) {
      size.dims.emplace_back(name, std::get<std::int64_t>(known.at(name)));
    }
    candidates.push_back(std::move(size));
  } else {
    for (const TunedEntry& one : table_.entries) add(one.size);
    for (const ProblemSize& one : study_.sizes) add(one);
  }
  std::string why;
  std::vector<ProblemSize> fitting;
  for (const ProblemSize& one : candidates) {
    std::string wrong = conflict(one, device, launch);
    if (wrong.empty() && !is_sure && !is_launched_so(one, device, launch.geometry)) {
      wrong = "no launch of the study's has this geometry at " + text_of(one);
    }
    if (wrong.empty()) fitting.push_back(one);
    if (why.empty()) why = std::move(wrong);
  }
  if (fitting.size() == 1) return fitting.front();
  std::vector<std::string> missing;
  for (const std::string& name : dimensions_) {
    if (!known.contains(name)) missing.push_back(name);
  }
  if (missing.empty()) return Unexpected{why};
  if (fitting.empty() && candidates.size() == 1) return Unexpected{why};
  return Unexpected{fmt::format(
      "no scalar says what {} is, and {}", listed(missing, "and"),
      fitting.empty() ? "no tuned size is launched so" : "several tuned sizes are launched so")};
}

Expected<AppliedVariant, std::string> VariantChooser::choose(const ProgramDevice& device,
                                                             const ProgramLaunch& launch) const {
  const DeviceFacts facts = TUNER_TRY(facts_of(device));
  AppliedVariant out;
  out.size = TUNER_TRY(size_of(facts, launch));
  const Selection selection = select(study_, table_, facts, out.size);
  out.how = selection.how;
  const bool is_usable =
      selection.how != Match::kUnsupported &&
      may_launch(study_, table_.configurations[selection.configuration], facts, out.size);
  if (!is_usable) return Unexpected{"no tuned configuration can run " + text_of(out.size)};
  out.configuration = table_.configurations[selection.configuration];
  const SearchSpace space =
      SearchSpace::build(definition_of_one(study_, out.configuration, out.size, facts));
  const VariantPlan plan = TUNER_TRY(variant_plan(study_, space, out.configuration));
  if (!plan.then.empty() || plan.rounds > 1) {
    return Unexpected{"the variant of " + text_of(out.size) + " is several launches"};
  }
  out.geometry = plan.geometry;
  const std::vector<std::uint32_t> places = kernel_arguments(study_);
  for (const auto& [place, argument] : plan.overrides) {
    const auto parameter = std::ranges::find(places, place);
    if (parameter == places.end() || !argument.is_scalar) continue;
    out.scalars.emplace_back(static_cast<std::size_t>(parameter - places.begin()), argument.scalar);
  }
  out.request =
      TUNER_TRY(compile_request(study_, space, out.configuration, plan.then, facts, source_text_));
  return out;
}

}  // namespace tuner
