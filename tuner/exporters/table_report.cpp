// Says what became of the sizes of a table.

#include "tuner/exporters/table_report.h"

#include <fmt/format.h>

#include <set>

namespace tuner {

std::string kept_report(const Study& study, const TunedTable& table) {
  std::string out;
  for (const TunedEntry& entry : table.entries) {
    if (!entry.kept_before) continue;
    const std::string now = configuration_text(study.parameters, *entry.kept_before);
    const std::string why = entry.slowdown > 1
                                ? fmt::format("measured {:.2g} % faster: their intervals overlap",
                                              100 * (1 - 1 / entry.slowdown))
                                : "ranks first now: it is not faster";
    out += fmt::format(
        "{} {}: kept {} although {} {}\n", table.devices[entry.device].name, entry.size.label(),
        configuration_text(study.parameters, table.configurations[entry.configuration]), now, why);
  }
  return out;
}

std::string loss_report(const TunedTable& table) {
  std::set<std::size_t> used;
  for (const TunedEntry& entry : table.entries) used.insert(entry.configuration);
  std::string out =
      fmt::format("{} configurations for {} sizes\n", used.size(), table.entries.size());
  for (const TunedEntry& entry : table.entries) {
    out += fmt::format("{} {}: configuration {}, {:.1f} % slower than the best\n",
                       table.devices[entry.device].name, entry.size.label(), entry.configuration,
                       100 * (entry.slowdown - 1));
  }
  return out;
}

}  // namespace tuner
