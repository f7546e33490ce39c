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
#include "tuner/terminal/catalogue_text.h"
#include "tuner/worker/device_probe.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

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
    std::cout << named_text(word, *item);
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
      const auto found = probe_devices(program, item.name);
      if (!devices) {
        std::cout << fmt::format("{:<8}works, {} device{}: {}\n", item.name, found.size(),
                                 found.size() == 1 ? "" : "s", item.summary);
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
  if (!listed) list_named(catalogue, options.what);
  return kExitDone;
}

}  // namespace tuner
