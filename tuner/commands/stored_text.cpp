// Writes a stored ranking with what to know of where it comes from.

#include "tuner/commands/stored_text.h"

#include <fmt/format.h>

#include "tuner/base/terminal_text.h"
#include "tuner/base/text.h"
#include "tuner/results/failure_report.h"
#include "tuner/results/ranked_table.h"

namespace tuner {

std::string failures_command(const NamedResults& named) {
  std::string text = "tuner results";
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += name + shell_word(value);
  };
  add(" ", named.target);
  if (named.no_verify) text += " --no-verify";
  for (const std::string& name : named.per) add(" --per ", name);
  add(" --results ", named.results);
  add(" --size ", named.size);
  add(" --device ", named.device);
  return text + " --failures";
}

std::string stored_text(const StoredResults& results, const StoredTextOptions& options,
                        const Colours& colours) {
  const std::string& date = results.ranked.date;  // files do not tell it
  std::string text =
      for_terminal(fmt::format("{} on {}, {}{}", results.kernel, results.ranked.device.name,
                               results.ranked.size.label(),
                               date.empty() ? "" : fmt::format("  ({})", date))) +
      "\n";
  if (!results.imported.empty()) {
    text += "  imported from " + for_terminal(results.imported) + "\n";
  }
  if (const Hosts& hosts = results.of.hosts; !hosts.imported.empty()) {
    text += "  measured on " + for_terminal(listed(hosts.imported)) +
            (hosts.own.empty() ? "" : ", and in this folder") + "\n";
  }
  for (const std::string& reason : results.stale) {
    text += "  " + colours.doubtful("stale") + ", will be measured anew: " + for_terminal(reason) +
            "\n";
  }
  if (!results.plain) text += "  measured with " + results.options + "\n";
  for (const std::string& other : results.others) {
    text += "  not shown (--all shows it): " + other + "\n";
  }
  if (options.failures) {
    return text + failure_report(results.ranked, results.parameters, colours) + "\n";
  }
  return text + ranked_table(results.ranked, results.parameters, options.top, colours) +
         failure_summary(results.ranked, results.parameters, options.failures_command, colours) +
         "\n";
}

}  // namespace tuner
