#include <fmt/format.h>

#include "tuner/exporters/header_model.h"
#include "tuner/exporters/size_distance.h"

namespace tuner {
namespace {

// Parts that depend on the dimensions stand between @.
constexpr const char* kSelect = R"txt(namespace detail {
TUNER_FN long long square(long long x) { return x * x; }
// What makes one entry a better answer than another, in this order.
struct standing {
  int tier = 9;
  long long cc = 0;          // the newer the better
  long long processors = 0;  // how far their number is off
  long long distance = 0;    // squared log2 ratios, weighted, in whole numbers
  TUNER_FN bool better_than(const standing& o) const {
    if (tier != o.tier) return tier < o.tier;
    if (cc != o.cc) return cc > o.cc;
    if (processors != o.processors) return processors < o.processors;
    return distance < o.distance;
  }
};
}  // namespace detail

// The configuration for a size on a device: from the nearest device that was tuned, there from the
// nearest size; what is not valid here is passed over. A size that is not positive in every
// dimension gets the default configuration, marked as a fallback.
TUNER_FN selection select(const device& v, const dims& d) {
  if (!(@POSITIVE@)) return {configs[0], match::fallback, 0, -1, 4, 0.0};
@QUERY@  int tiers[device_count] = {};
  for (int i = 0; i < device_count; ++i) tiers[i] = detail::tier(devices[i], v);
  signed char known[config_count] = {};  // 1 valid here, -1 not, 0 not asked yet
  int best = -1;
  detail::standing best_standing;
  for (int i = 0; i < entry_count; ++i) {
    const entry& e = entries[i];
    const int t = tiers[e.dev];
    if (t < 0 || t > best_standing.tier) continue;
    const device& h = devices[e.dev];
    detail::standing s;
    s.tier = t;
    s.cc = h.compute_capability;
    s.processors = t == 0 ? 0 : detail::apart(h.multiprocessors, v.multiprocessors);
    s.distance = @DISTANCE@;
    if (!s.better_than(best_standing)) continue;
    if (known[e.cfg] == 0) known[e.cfg] = valid(configs[e.cfg], d, v) ? 1 : -1;
    if (known[e.cfg] < 0) continue;
    best = i;
    best_standing = s;
  }
  if (best >= 0) {
    const entry& e = entries[best];
    const bool same = @SAME@;
    const match how = best_standing.tier > 0 ? match::near_device
                      : same                 ? match::exact
                                             : match::near_size;
    return {configs[e.cfg], how, e.cfg, best, best_standing.tier,
            static_cast<double>(best_standing.distance) * @UNIT@};
  }
  for (int i = 0; i < config_count; ++i) {
    if (valid(configs[i], d, v)) return {configs[i], match::fallback, i, -1, 4, 0.0};
  }
  return {configs[0], match::unsupported, 0, -1, 4, 0.0};
}

// The facts of a compute capability (90 for 9.0): of the device that was tuned, else of the
// architecture, else what every device has.
TUNER_FN device device_of(int compute_capability) {
  for (int i = 0; i < device_count; ++i) {
    if (devices[i].compute_capability == compute_capability) return devices[i];
  }
  for (const device& one : architectures) {
    if (one.compute_capability == compute_capability) return one;
  }
  device v;
  v.compute_capability = compute_capability;
  return v;
}

// The selection at compile time: best<@EXAMPLE@>.cfg.
template <int ComputeCapability, long long... Size>
TUNER_TABLE selection best = select(device_of(ComputeCapability), dims{Size...});
)txt";

void replace(std::string& text, const std::string& what, const std::string& with) {
  text.replace(text.find(what), what.size(), with);
}

}  // namespace

std::string header_selection(const HeaderModel& model) {
  std::string positive;
  std::string same;
  std::string query;
  std::string distance;
  std::string example = "90";
  const SizeDistance weighted(model.table->weights);
  for (std::size_t d = 0; d < model.dims.size(); ++d) {
    const std::string& name = model.dims[d].name;
    positive += fmt::format("{}d.{} > 0", d > 0 ? " && " : "", name);
    same += fmt::format("{0}e.size.{1} == d.{1}", d > 0 ? " && " : "", name);
    example += ", 1024";
    const std::int64_t factor = weighted.factor(d);
    if (factor == 0) continue;
    query += fmt::format("  const int q{} = detail::lg256(d.{});\n", d, name);
    distance += fmt::format("{0}{1}detail::square(q{2} - e.lg[{2}])", distance.empty() ? "" : " + ",
                            factor == 1 ? "" : fmt::format("{} * ", factor), d);
  }
  std::string out = kSelect;
  replace(out, "@POSITIVE@", positive.empty() ? "true" : positive);
  replace(out, "@QUERY@", query.empty() ? "  static_cast<void>(d);\n" : query);
  replace(out, "@DISTANCE@", distance.empty() ? "0" : distance);
  replace(out, "@UNIT@", fmt::format("{:.17g}", weighted.unit()));
  replace(out, "@SAME@", same.empty() ? "true" : same);
  replace(out, "@EXAMPLE@", example);
  return out;
}

}  // namespace tuner
