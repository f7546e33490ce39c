// `tuner list`: what plugins offer, and why something cannot be used.

#include <fmt/format.h>

#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "tuner/app/commands.h"
#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/exporters/registry.h"
#include "tuner/worker/plugins.h"
#include "tuner/worker/run_worker.h"

namespace tuner {
namespace {

// What an observer gives.
void list_values(const PluginItem& item, const char* indent) {
  for (const PluginValue& value : item.values) {
    std::cout << fmt::format("{}gives {}{}  {}\n", indent, for_terminal(value.name),
                             value.unit.empty() ? "" : " (" + for_terminal(value.unit) + ")",
                             for_terminal(value.help));
  }
}

void list_items(const Catalogue& catalogue, PluginKind kind) {
  for (const PluginItem& item : catalogue.items(kind)) {
    std::cout << fmt::format("{:<24}{}\n", for_terminal(item.name), for_terminal(item.summary));
    for (const PluginOption& option : item.options) {
      std::cout << fmt::format("    {}={}  {}\n", for_terminal(option.name),
                               for_terminal(option.default_value), for_terminal(option.help));
    }
    list_values(item, "    ");
  }
}

void list_plugins(const Catalogue& catalogue) {
  for (const PluginInfo& plugin : catalogue.plugins()) {
    std::cout << fmt::format("{:<16}{:<10}{}\n", for_terminal(plugin.name),
                             for_terminal(plugin.version), for_terminal(plugin.file.string()));
  }
  for (const PluginProblem& problem : catalogue.problems()) {
    std::cout << fmt::format("not used: {}: {}\n", for_terminal(problem.path.string()),
                             for_terminal(problem.reason));
  }
}

// All that has one name: a backend and its compiler, say.
void list_named(const Catalogue& catalogue, const std::string& name) {
  constexpr std::pair<PluginKind, const char*> kKinds[] = {
      {PluginKind::kBackend, "backend"},   {PluginKind::kCompiler, "compiler"},
      {PluginKind::kStrategy, "strategy"}, {PluginKind::kExporter, "exporter"},
      {PluginKind::kProblem, "problem"},   {PluginKind::kObserver, "observer"}};
  std::vector<std::string> known{"plugins",   "backends", "devices",  "strategies",
                                 "exporters", "problems", "observers"};
  bool found = false;
  for (const auto& [kind, word] : kKinds) {
    for (const std::string& one : catalogue.names(kind)) known.push_back(one);
    const PluginItem* item = catalogue.find(kind, name);
    if (item == nullptr) continue;
    found = true;
    std::cout << fmt::format("{} {}: {}\n  of {} ({})\n", word, for_terminal(name),
                             for_terminal(item->summary), for_terminal(item->plugin),
                             for_terminal(item->file.string()));
    for (const PluginOption& option : item->options) {
      std::cout << fmt::format("  {}={}{}\n      {}\n", for_terminal(option.name),
                               for_terminal(option.default_value),
                               option.allowed.empty() ? "" : "  " + for_terminal(option.allowed),
                               for_terminal(option.help));
    }
    list_values(*item, "  ");
  }
  if (found) return;
  throw InputError(
      Complaint{{},
                "there is no kind and nothing of a plugin with the name '" + name + "'",
                did_you_mean(name, known)});
}

// Backends are asked in a child: a driver is never loaded here.
void list_backends(const Catalogue& catalogue, const ListOptions& options, bool devices) {
  const WorkerProgram program{executable_path(), options.plugin_dirs};
  for (const PluginItem& item : catalogue.items(PluginKind::kBackend)) {
    try {
      const auto found = RunWorker::probe(program, item.name);
      if (!devices) {
        std::cout << fmt::format("{:<8}works, {} device{}: {}\n", item.name, found.size(),
                                 found.size() == 1 ? "" : "s", item.summary);
        continue;
      }
      for (std::size_t i = 0; i < found.size(); ++i) {
        const DeviceFacts& d = found[i];
        std::cout << fmt::format(
            "{:<8}{}  {} ({}, {} multiprocessors, {:.1f} GiB, {} KiB shared memory a block, "
            "driver {})\n",
            item.name, i, for_terminal(d.name), for_terminal(d.arch), d.multiprocessors,
            static_cast<double>(d.memory_bytes) / (1 << 30),
            d.max_shared_memory_per_block_optin / 1024, for_terminal(d.driver));
      }
    } catch (const UnavailableError& error) {
      std::cout << fmt::format("{:<8}not available: {}\n", item.name,
                               lines_for_terminal(error.what()));
    }
  }
}

}  // namespace

int list_command(const ListOptions& options) {
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  bool listed = false;
  const auto section = [&](const char* name, auto&& print) {
    if (!options.what.empty() && options.what != name) return;
    listed = true;
    if (options.what.empty()) std::cout << name << ":\n";
    print();
    if (options.what.empty()) std::cout << "\n";
  };
  section("plugins", [&] { list_plugins(catalogue); });
  section("backends", [&] { list_backends(catalogue, options, false); });
  section("devices", [&] { list_backends(catalogue, options, true); });
  section("strategies", [&] { list_items(catalogue, PluginKind::kStrategy); });
  section("exporters", [&] {
    for (const ExportFormat& format : export_formats()) {
      std::cout << fmt::format("{:<24}{}\n", format.name, format.summary);
    }
    list_items(catalogue, PluginKind::kExporter);
  });
  section("problems", [&] { list_items(catalogue, PluginKind::kProblem); });
  section("observers", [&] { list_items(catalogue, PluginKind::kObserver); });
  if (!listed) list_named(catalogue, options.what);
  return kExitDone;
}

}  // namespace tuner
