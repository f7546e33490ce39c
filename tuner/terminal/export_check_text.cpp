// Writes a line for each size that an export was checked or searched again at.

#include "tuner/terminal/export_check_text.h"

#include <fmt/format.h>

#include <cmath>

#include "tuner/base/terminal_text.h"
#include "tuner/engine/objective.h"

namespace tuner {

std::string check_header(const std::string& exported, const DeviceFacts& device,
                         const std::string& backend) {
  return fmt::format("{} on {} ({})\n{:<28} {:<12} {:>8}  {:<12} {:>12}  configuration\n", exported,
                     for_terminal(device.name), backend, "size", "how", "distance", "state",
                     "time ms");
}

std::string check_line(const CheckedSelection& checked, const Study& study) {
  const std::string head =
      fmt::format("{:<28} {:<12} {:>8.2f}  ", checked.size.label(), name_of(checked.chosen.how),
                  std::sqrt(checked.chosen.log2_distance_sq));
  if (!checked.trial) return head + "no configuration of the export is valid here\n";
  const Trial& trial = *checked.trial;
  const bool right = is_valid(trial);
  return head +
         fmt::format("{:<12} {:>12}  {}{}\n", name_of(trial.state),
                     right ? fmt::format("{:.6g}", trial.timing.median) : "-",
                     for_terminal(configuration_text(study.parameters, checked.configuration)),
                     right ? "" : "\n    " + lines_for_terminal(trial.message));
}

std::string retuned_line(const RetunedSize& one) {
  std::string what = "no valid configuration was found";
  if (one.gain) {
    what = fmt::format("loses {:.2f} % [{:.2f}, {:.2f}]{}", 100 * (one.gain->ratio - 1),
                       100 * (one.gain->low - 1), 100 * (one.gain->high - 1),
                       is_lost(one) ? "" : ": no more than can be measured");
  } else if (!one.best.empty()) {
    what = "has nothing valid; a search found something";
  }
  return fmt::format("{:<28} {}\n", one.size.label(), what);
}

}  // namespace tuner
