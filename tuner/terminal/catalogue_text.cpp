// Writes plugins, what they offer and its options.

#include "tuner/terminal/catalogue_text.h"

#include <fmt/format.h>

#include "tuner/base/terminal_text.h"

namespace tuner {
namespace {

// What an observer gives.
std::string values_text(const PluginItem& item, const char* indent) {
  std::string out;
  for (const PluginValue& value : item.values) {
    out += fmt::format("{}gives {}{}  {}\n", indent, for_terminal(value.name),
                       value.unit.empty() ? "" : " (" + for_terminal(value.unit) + ")",
                       for_terminal(value.help));
  }
  return out;
}

}  // namespace

std::string plugins_text(const Catalogue& catalogue) {
  std::string out;
  for (const PluginInfo& plugin : catalogue.plugins()) {
    out += fmt::format("{:<16}{:<10}{}\n", for_terminal(plugin.name), for_terminal(plugin.version),
                       for_terminal(plugin.file.string()));
  }
  for (const LoadProblem& problem : catalogue.problems()) {
    out += fmt::format("not used: {}: {}\n", for_terminal(problem.path.string()),
                       for_terminal(problem.reason));
  }
  return out;
}

std::string items_text(const Catalogue& catalogue, PluginKind kind) {
  std::string out;
  for (const PluginItem& item : catalogue.items(kind)) {
    out += fmt::format("{:<24}{}\n", for_terminal(item.name), for_terminal(item.summary));
    for (const PluginOption& option : item.options) {
      out += fmt::format("    {}={}  {}\n", for_terminal(option.name),
                         for_terminal(option.default_value), for_terminal(option.help));
    }
    out += values_text(item, "    ");
  }
  return out;
}

std::string named_text(const char* kind, const PluginItem& item) {
  std::string out = fmt::format("{} {}: {}\n  of {} ({})\n", kind, for_terminal(item.name),
                                for_terminal(item.summary), for_terminal(item.plugin),
                                for_terminal(item.file.string()));
  for (const PluginOption& option : item.options) {
    out += fmt::format("  {}={}{}\n      {}\n", for_terminal(option.name),
                       for_terminal(option.default_value),
                       option.allowed.empty() ? "" : "  " + for_terminal(option.allowed),
                       for_terminal(option.help));
  }
  return out + values_text(item, "  ");
}

std::string device_line(const std::string& backend, std::size_t number, const DeviceFacts& d) {
  return fmt::format(
      "{:<8}{}  {} ({}, {} multiprocessors, {:.1f} GiB, {} KiB shared memory a block, "
      "driver {})\n",
      backend, number, for_terminal(d.name), for_terminal(d.arch), d.multiprocessors,
      static_cast<double>(d.memory_bytes) / (1 << 30), d.max_shared_memory_per_block_optin / 1024,
      for_terminal(d.driver));
}

}  // namespace tuner
