// `tuner list`: what plugins offer, and why something cannot be used.

#include <fmt/format.h>

#include <iostream>

#include "tuner/base/child_process.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/deploy/registry.h"
#include "tuner/model/device_facts.h"
#include "tuner/plugin/catalogue.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

struct ListOptions {
  std::string what;  // empty = everything
  Strings plugin_dirs;
};

ListOptions parse_list(const Strings& words) {
  ListOptions o;
  OptionTable add;
  add.plugin_dirs(o.plugin_dirs);
  const auto values =
      add.parse(words,
                "tuner list "
                "[plugins|backends|devices|strategies|exporters|problems|observers|advisors|NAME]");
  o.what = one_input(values, "kind", false);
  return o;
}

// Lists the values that an observer measures.
std::string values_text(const PluginItem& item, const char* indent) {
  std::string out;
  for (const PluginValue& value : item.values) {
    out += fmt::format("{}gives {}{}  {}\n", indent, for_terminal(value.name),
                       value.unit.empty() ? "" : " (" + for_terminal(value.unit) + ")",
                       for_terminal(value.help));
  }
  return out;
}

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

// All of a kind, with their options.
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

// One with all that is known of it; `kind` is what users call its kind.
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

// Lists everything with one name: a backend and its compiler, for example.
void list_named(const Catalogue& catalogue, const std::string& name) {
  constexpr std::pair<PluginKind, const char*> kKinds[] = {
      {PluginKind::kBackend, "backend"},   {PluginKind::kCompiler, "compiler"},
      {PluginKind::kStrategy, "strategy"}, {PluginKind::kExporter, "exporter"},
      {PluginKind::kProblem, "problem"},   {PluginKind::kObserver, "observer"},
      {PluginKind::kAdvisor, "advisor"}};
  std::vector<std::string> known{"plugins",   "backends", "devices",   "strategies",
                                 "exporters", "problems", "observers", "advisors"};
  bool found = false;
  for (const auto& [kind, word] : kKinds) {
    for (const std::string& one : catalogue.names(kind)) known.push_back(one);
    const PluginItem* item = catalogue.find(kind, name);
    if (item == nullptr) continue;
    found = true;
    std::cout << named_text(word, *item);
  }
  if (found) return;
  wrong_usage("there is nothing with the name '" + name + "'", did_you_mean(name, known));
}

// Backends are asked in a child: a driver is never loaded here.
void list_backends(const Catalogue& catalogue, const ListOptions& options, bool devices) {
  const WorkerProgram program{executable_path(), options.plugin_dirs};
  for (const PluginItem& item : catalogue.items(PluginKind::kBackend)) {
    try {
      const auto found = probe_devices(program, item.name);
      if (!devices) {
        std::cout << fmt::format("{:<8}works, {}: {}\n", item.name,
                                 count_text(found.size(), "device"), item.summary);
        continue;
      }
      for (std::size_t i = 0; i < found.size(); ++i) {
        std::cout << device_line(item.name, i, found[i]);
      }
    } catch (const UnavailableError& error) {
      std::cout << fmt::format("{:<8}not available: {}\n", item.name,
                               lines_for_terminal(error.what()));
    }
  }
}

}  // namespace

int list_command(const Strings& words) {
  const ListOptions options = parse_list(words);
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  bool listed = false;
  const auto section = [&](const std::string& name, auto&& print) {
    const bool is_singular =
        name == options.what + "s" || (name == "strategies" && options.what == "strategy");
    if (!options.what.empty() && options.what != name && !is_singular) return;
    listed = true;
    if (options.what.empty()) std::cout << name << ":\n";
    print();
    if (options.what.empty()) std::cout << "\n";
  };
  section("plugins", [&] { std::cout << plugins_text(catalogue); });
  section("backends", [&] { list_backends(catalogue, options, false); });
  section("devices", [&] { list_backends(catalogue, options, true); });
  section("strategies", [&] { std::cout << items_text(catalogue, PluginKind::kStrategy); });
  section("exporters", [&] {
    for (const ExportFormat& format : export_formats()) {
      std::cout << fmt::format("{:<24}{}\n", format.name, format.summary);
    }
    std::cout << items_text(catalogue, PluginKind::kExporter);
  });
  section("problems", [&] { std::cout << items_text(catalogue, PluginKind::kProblem); });
  section("observers", [&] { std::cout << items_text(catalogue, PluginKind::kObserver); });
  section("advisors", [&] { std::cout << items_text(catalogue, PluginKind::kAdvisor); });
  if (!listed) list_named(catalogue, strategy_named(options.what));
  return kExitDone;
}

}  // namespace tuner
