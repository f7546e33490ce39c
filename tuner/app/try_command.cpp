// `tuner try`: one configuration, and everything that came of it.

#include <iostream>

#include "tuner/app/commands.h"
#include "tuner/app/load_study.h"
#include "tuner/base/child_process.h"
#include "tuner/base/colours.h"
#include "tuner/base/terminal_text.h"
#include "tuner/run/single_try.h"
#include "tuner/terminal/try_text.h"
#include "tuner/worker/plugins.h"

namespace tuner {

int try_command(const TryOptions& options) {
  const Colours noted(options.color, stderr);
  const auto note = [&](const std::string& text) {
    std::cerr << noted.note(lines_for_terminal(text)) << "\n";
  };
  RunSettings settings{load_study(options.study, options.sizes, note)};
  settings.devices = device_settings(options, settings.study);
  settings.devices.jobs = 1;
  const Interrupt interrupt;
  const WorkerProgram program{executable_path(), options.plugin_dirs};
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  const Colours shown(options.color, stdout);
  bool all_right = true;
  const auto tell = [&](const TryOutcome& outcome) {
    std::cout << (options.json ? try_json(outcome, settings.study)
                               : try_text(outcome, settings.study, shown));
    std::cout.flush();
    all_right = all_right && outcome.trial && outcome.trial->state == TrialState::kOk;
  };
  try_configuration(settings, options.assigned, program, catalogue, interrupt, tell, note);
  if (interrupt.count() > 0) return kExitInterrupted;
  return all_right ? kExitDone : kExitNothingValid;
}

}  // namespace tuner
