// Compares times with what the device can do.

#include "tuner/resolve/device_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/resolve/argument_plans.h"

namespace tuner {
namespace {

// A kernel may be somewhat better than those that found the ceilings, and its time somewhat off.
constexpr double kSurely = 0.9;

// Evaluates an amount of work; nothing: the study has none, or it has no value here.
std::optional<double> said(const Expression& amount, const Bindings& names) {
  if (amount.empty()) return std::nullopt;
  const auto value = amount.evaluate(names);
  return value ? amount_of(*value) : std::nullopt;
}

std::optional<double> rate_of(const LeastWork& work, const Bindings& names,
                              const Ceilings& ceilings, std::string& type) {
  const auto text = substitute(work.type, names);
  const auto known = text ? work_type_named(*text) : std::nullopt;
  if (!known) return std::nullopt;
  type = *known;
  const auto found = std::ranges::find(ceilings.operations_per_second, type,
                                       [](const auto& one) { return one.first; });
  if (found == ceilings.operations_per_second.end() || !(found->second > 0)) return std::nullopt;
  return found->second;
}

// One part of the work that takes its time: how long by the ceiling that applies, how long at the
// very least.
struct Part {
  double ms = 0;
  double surely_ms = 0;
  std::string of;
  std::string what;  // for messages: "64 MB at 3.1 TB/s"
};

std::string amount_text(double amount, const char* unit) {
  constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t at = 0;
  while (amount >= 1000 && at + 1 < std::size(kPrefixes)) {
    amount /= 1000;
    ++at;
  }
  return fmt::format("{:.3g} {}{}", amount, kPrefixes[at], unit);
}

// Whatever is flushed before a launch: as much as fits into the cache may stay there, the rest
// goes through memory.
std::optional<Part> of_bytes(double bytes, const Ceilings& c) {
  if (!(c.cache_bytes_per_second > 0) || !(c.memory_bytes_per_second > 0)) return std::nullopt;
  const bool fits = bytes <= c.cache_bytes;
  const double in_cache = std::min(bytes, c.cache_bytes);
  const double cached_ms = 1000 * in_cache / c.cache_bytes_per_second;
  const double rate = fits ? c.cache_bytes_per_second : c.memory_bytes_per_second;
  return Part{1000 * bytes / rate,
              cached_ms + 1000 * (bytes - in_cache) / c.memory_bytes_per_second,
              fits ? "cache" : "memory",
              fmt::format("{} at {}", amount_text(bytes, "B"), amount_text(rate, "B/s"))};
}

std::vector<Part> parts_of(const Study& study, const Bindings& names, const Ceilings& ceilings) {
  std::vector<Part> parts;
  if (!study.least_work || !ceilings.known()) return parts;
  const LeastWork& work = *study.least_work;
  const auto bytes = said(work.bytes, names);
  if (bytes && *bytes > 0) {
    if (auto part = of_bytes(*bytes, ceilings)) parts.push_back(std::move(*part));
  }
  const auto flops = said(work.flops, names);
  std::string type;
  const auto rate = flops ? rate_of(work, names, ceilings, type) : std::nullopt;
  if (rate && *flops > 0) {
    const double ms = 1000 * *flops / *rate;
    parts.push_back({ms, ms, type,
                     fmt::format("{} at {}", amount_text(*flops, "operations"),
                                 amount_text(*rate, "operations/s"))});
  }
  if (!parts.empty()) {
    parts.push_back({ceilings.launch_ms, ceilings.launch_ms, "launch", "the shortest launch"});
  }
  return parts;
}

}  // namespace

std::vector<std::string> work_types() {
  std::vector<std::string> types = data_type_names();
  types.emplace_back("tf32");
  return types;
}

std::optional<std::string> work_type_named(std::string_view name) {
  if (name == "tf32") return "tf32";
  const auto type = data_type_named(name);
  if (!type) return std::nullopt;
  return std::string(name_of(*type));
}

std::optional<double> amount_of(const Value& value) {
  if (std::holds_alternative<std::string>(value)) return std::nullopt;
  const double number = to_number(value);
  if (!std::isfinite(number) || number < 0) return std::nullopt;
  return number;
}

std::optional<DeviceLimit> device_limit(const Study& study, const Bindings& names,
                                        const Ceilings& ceilings) {
  const std::vector<Part> parts = parts_of(study, names, ceilings);
  if (parts.empty()) return std::nullopt;
  const auto longest = std::ranges::max_element(parts, {}, &Part::ms);
  return DeviceLimit{longest->ms, longest->of};
}

std::optional<std::string> too_fast(const Study& study, const Bindings& names,
                                    const Ceilings& ceilings, const Timing& timing) {
  const std::vector<Part> parts = parts_of(study, names, ceilings);
  if (parts.empty()) return std::nullopt;
  const auto longest = std::ranges::max_element(parts, {}, &Part::surely_ms);
  const double at_most = std::max(timing.median, timing.ci_high);
  if (!is_time(timing.median) || at_most >= kSurely * longest->surely_ms) return std::nullopt;
  return fmt::format(
      "{:.4g} ms is less than the {:.4g} ms that this device needs at least ({}: {}): it does not "
      "do what 'work' says, or 'work' says too much",
      timing.median, longest->surely_ms, longest->of, longest->what);
}

}  // namespace tuner
