// `tuner replay`: a captured launch on its own.

#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "tuner/base/interrupt.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/options.h"
#include "tuner/model/bound.h"
#include "tuner/trust/replayed_launch.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

struct ReplayLaunchOptions {
  std::string folder;
  unsigned device = 0;
  double timeout = 60;
  bool json = false;
  Strings plugin_dirs;
};

ReplayLaunchOptions parse_replay_launch(const Strings& words) {
  ReplayLaunchOptions o;
  OptionTable add;
  add("device", o.device, "number of the device");
  add.timeout(o.timeout, "seconds");
  add("json", o.json, "the result as JSON");
  add.plugin_dirs(o.plugin_dirs);
  o.folder =
      one_input(add.parse(words, "tuner replay FOLDER [options]"), "folder of a capture", true);
  return o;
}

void print_text(const CapturedLaunch& launch, const ReplayedLaunch& replayed) {
  const auto line = [](const char* name, const std::string& text) {
    std::cout << fmt::format("  {:<10} {}\n", name, for_terminal(text));
  };
  std::cout << for_terminal(launch.name) << "\n";
  line("answer",
       !replayed.is_checked
           ? "it leaves all memory as it was, as in its program: an earlier launch of the "
             "kernel, with other data in its outputs, would show what it writes"
       : replayed.is_equal ? "equal, to the bit, to what it wrote in its program"
                           : "not equal: " + replayed.difference);
  if (const auto& spread = replayed.spread) {
    line(
        "itself",
        fmt::format("launches here are up to {:.3g} from each other, as a kernel's are that adds "
                    "floats in no fixed order, and up to {:.3g} from its program's: {}",
                    spread->among_launches, spread->from_program,
                    spread->holds_program() ? "as good as equal" : "further than from each other"));
  }
  line("cold", fmt::format("{:.5g} ms, caches emptied before each launch", replayed.cold.median));
  line("hot", fmt::format("{:.5g} ms, again and again", replayed.hot.median));
  if (const auto bound = bound_of(replayed.counters)) line("limit", bound->text);
  if (!replayed.no_counters.empty()) line("limit", "not known: " + replayed.no_counters);
}

void print_json(const CapturedLaunch& launch, const ReplayedLaunch& replayed) {
  nlohmann::json out{
      {"kernel", launch.name},           {"equal", replayed.is_checked && replayed.is_equal},
      {"compared", replayed.is_checked}, {"cold_ms", replayed.cold.median},
      {"hot_ms", replayed.hot.median},   {"registers", replayed.resources.registers},
      {"bytes", launch.bytes()}};
  if (!replayed.difference.empty()) out["difference"] = replayed.difference;
  if (replayed.spread) {
    out["spread"] = {{"among_launches", replayed.spread->among_launches},
                     {"from_program", replayed.spread->from_program}};
  }
  for (const auto& [name, value] : replayed.counters) out["counters"][name] = value;
  std::cout << out.dump() << "\n";
}

}  // namespace

int replay_launch_command(const Strings& words) {
  const ReplayLaunchOptions options = parse_replay_launch(words);
  const CapturedLaunch launch = read_capture(options.folder);
  if (!launch.is_replayable()) {
    reject(options.folder + "/capture.json",
           "is of the backend '" + launch.backend + "': launches of cuda alone are replayed");
  }
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  const Interrupt interrupt;
  const Caller caller{{executable_path(), options.plugin_dirs}, catalogue, interrupt, tell};
  const ReplayedLaunch replayed = replay_launch(launch, options.device, options.timeout, caller);
  options.json ? print_json(launch, replayed) : print_text(launch, replayed);
  return !replayed.is_checked || replayed.is_right() ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
