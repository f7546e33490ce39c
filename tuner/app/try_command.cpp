// `tuner try`: one configuration, and everything that came of it.

#include <algorithm>
#include <iostream>
#include <string>

#include "tuner/app/commands.h"
#include "tuner/app/parse_words.h"
#include "tuner/base/child_process.h"
#include "tuner/base/colours.h"
#include "tuner/base/terminal_text.h"
#include "tuner/run/load_study.h"
#include "tuner/run/single_try.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/terminal/try_text.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

namespace po = boost::program_options;

struct TryOptions : DeviceOptions {
  std::string study;
  std::vector<std::pair<std::string, std::string>> assigned;
  Words sizes;  // none: the study's
  Words per;    // of a T1 file
  bool json = false;
  std::string color = "auto";
};

// "BM=64,SHARED=static": a piece without '=' belongs to the value before it.
void assign(const std::string& word, std::vector<std::pair<std::string, std::string>>& out) {
  std::size_t at = 0;
  bool first = true;
  while (at <= word.size()) {
    const std::size_t comma = std::min(word.find(',', at), word.size());
    const std::string piece = word.substr(at, comma - at);
    const std::size_t equals = piece.find('=');
    at = comma + 1;
    if (equals == std::string::npos && !first) {
      out.back().second += "," + piece;
      continue;
    }
    if (equals == std::string::npos || equals == 0) {
      wrong_usage("a configuration is NAME=VALUE,..., not '" + word + "'");
    }
    first = false;
    const std::string name = piece.substr(0, equals);
    if (std::ranges::any_of(out, [&](const auto& one) { return one.first == name; })) {
      wrong_usage("'" + name + "' is given twice");
    }
    out.emplace_back(name, piece.substr(equals + 1));
  }
}

TryOptions parse_try(const Words& words) {
  TryOptions o;
  po::options_description visible("options");
  auto add = visible.add_options();
  add("help,h", "show this");
  add("backend", po::value(&o.backend)->default_value("auto"), "auto, cuda, cpu, ...");
  add("device", po::value(&o.device)->default_value("0"), "its number");
  add("size", po::value(&o.sizes)->composing(),
      "problem size such as M=1024,N=1024 instead of the study's; may be repeated");
  add_t1_options(visible, o.per);
  add("timeout", po::value(&o.timeout)->default_value(60), "seconds");
  add("random-order", po::bool_switch(&o.in_random_order),
      "cpu backend: run a block's threads in random order between barriers");
  add("json", po::bool_switch(&o.json), "what came of it as JSON, one line for each size");
  add("plugin-dir", po::value(&o.plugin_dirs)->composing(), "look for plugins here first");
  add_color_option(visible, o.color);
  const auto values = parse_words(words, "tuner try STUDY NAME=VALUE,... [options]", visible);
  const Words given = inputs(values);
  if (given.empty()) wrong_usage("which study? Give its path (see --help)");
  o.study = given.front();
  for (std::size_t i = 1; i < given.size(); ++i) assign(given[i], o.assigned);
  if (!(o.timeout > 0)) wrong_usage("--timeout must be a positive number of seconds");
  return o;
}

}  // namespace

int try_command(const Words& words) {
  const TryOptions options = parse_try(words);
  const Colours noted(options.color, stderr);
  const auto note = [&](const std::string& text) {
    std::cerr << noted.note(lines_for_terminal(text)) << "\n";
  };
  RunSettings settings{
      study_with_answers_per(load_study(options.study, options.sizes, note), options.per)};
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
