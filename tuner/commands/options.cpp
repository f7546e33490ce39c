// Parses words of a command line: options, unknown ones with suggestions, numbers, choices.

#include "tuner/commands/options.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "tuner/base/error.h"
#include "tuner/base/process_state.h"
#include "tuner/base/terminal_text.h"
#include "tuner/base/text.h"
#include "tuner/check/checked_study.h"
#include "tuner/search/budget.h"
#include "tuner/study/yaml_reader.h"

namespace tuner {

namespace {

Strings long_names(const po::options_description& description) {
  Strings names;
  for (const auto& option : description.options()) names.push_back("--" + option->long_name());
  return names;
}

}  // namespace

void wrong_usage(const std::string& message, const std::string& suggestion) {
  reject("", message, suggestion);
}

void must_be_one_of(const std::string& option, const std::string& value, const Strings& allowed) {
  if (std::ranges::find(allowed, value) != allowed.end()) return;
  wrong_usage(option + " '" + value + "' is not known; allowed: " + listed(allowed),
              did_you_mean(value, allowed));
}

void must_be_some(const std::string& option, unsigned count) {
  if (count < 1 || count > 1024) wrong_usage(option + " must be between 1 and 1024");
}

void OptionTable::group(const std::string& title) {
  constexpr unsigned kNarrowest = 40, kWidest = 100;
  const auto columns = static_cast<unsigned>(terminal_columns(stdout));
  const unsigned width = columns == 0 ? 80 : std::clamp(columns, kNarrowest, kWidest);
  groups_.push_back(std::make_shared<po::options_description>(title, width, width / 2));
}

void OptionTable::asked(Strings& files, const char* help) {
  (*this)("asked", po::value(&files)->composing()->multitoken(), help);
}

void OptionTable::color(std::string& choice) {
  const auto check = [](const std::string& given) {
    must_be_one_of("--color", given, {"auto", "always", "never"});
  };
  (*this)("color", po::value(&choice)->default_value("auto")->notifier(check),
          "auto (on a terminal, unless NO_COLOR is set), always or never");
}

void OptionTable::device(DeviceOptions& options, const char* backends) {
  (*this)("backend", options.backend, backends);
  (*this)("device", options.device, "its number");
}

void OptionTable::filter(ResultFilter& filter) {
  (*this)("size", filter.size, "only this problem size, such as M=1024,N=1024");
  (*this)("device", filter.device, "only this device (part of its name)");
}

void OptionTable::force(bool& force) {
  (*this)("force", force, "replace the named file even if tuner has not written it");
}

void OptionTable::jobs(unsigned& count) {
  count = usable_cores();
  const auto check = [](unsigned given) { must_be_some("--jobs", given); };
  (*this)("jobs,j", po::value(&count)->default_value(count, "usable cores")->notifier(check),
          "compile workers; default: the number of cores that this process may use");
}

void OptionTable::plugin_dirs(Strings& folders) {
  (*this)("plugin-dir", folders, "look for plugins here first");
}

void OptionTable::results(std::string& folder) {
  (*this)("results", folder, "folder of the results");
}

void OptionTable::sizes(StudyOptions& options) {
  (*this)("size", options.sizes,
          "problem size such as M=1024,N=1024 instead of the study's; may be repeated");
}

void OptionTable::timeout(double& seconds, const char* help) {
  const auto check = [](double given) {
    if (!(given > 0)) wrong_usage("--timeout must be a positive number of seconds");
  };
  (*this)("timeout", po::value(&seconds)->default_value(seconds)->notifier(check), help);
}

void OptionTable::t1(StudyOptions& options, bool with_no_verify) {
  if (with_no_verify) {
    (*this)("no-verify", options.no_verify,
            "T1 file: compare no answers; tables, CSV and exports then say 'not verified'");
  }
  (*this)("per", options.per,
          "T1 file: the right answer depends on this parameter; may be repeated");
}

po::variables_map OptionTable::parse(const Strings& words, const std::string& usage) const {
  po::options_description all;
  for (const auto& group : groups_) all.add(*group);
  all.add_options()("input", po::value<Strings>());
  po::positional_options_description positional;
  positional.add("input", -1);
  po::variables_map values;
  try {
    po::store(
        po::command_line_parser(words)
            .options(all)
            .positional(positional)
            .style(po::command_line_style::unix_style ^ po::command_line_style::allow_guessing)
            .run(),
        values);
    po::notify(values);
  } catch (const po::unknown_option& error) {
    const std::string name = error.get_option_name();
    wrong_usage("unknown option '" + name + "'", did_you_mean(name, long_names(all)));
  } catch (const po::error& error) {
    wrong_usage(error.what());
  }
  if (values.count("help") > 0) {
    std::cout << "usage: " << usage << "\n\n";
    unsigned width = 0;
    for (const auto& group : groups_) width = std::max(width, group->get_option_column_width());
    for (const auto& group : groups_) {
      if (group != groups_.front()) std::cout << "\n";
      group->print(std::cout, width);
    }
    throw HelpShown{};
  }
  return values;
}

double parse_share(const std::string& option, const std::string& text) {
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (std::string_view(end) == "%") {
    value /= 100;
    ++end;
  }
  if (end == text.c_str() || *end != '\0' || !(value >= 0 && value < 1)) {
    wrong_usage(option + " takes a share such as 5% or 0.05, not '" + text + "'");
  }
  return value;
}

Strings inputs(const po::variables_map& values) {
  return values.count("input") == 0 ? Strings() : values["input"].as<Strings>();
}

std::string one_input(const po::variables_map& values, const std::string& what, bool required) {
  const Strings given = inputs(values);
  if (given.empty()) {
    if (required) wrong_usage("which " + what + "? Give its path (see --help)");
    return {};
  }
  if (given.size() > 1) wrong_usage("one " + what + " at a time, not also '" + given[1] + "'");
  return given.front();
}

Strings split(const std::string& text, char separator) {
  Strings pieces(1);
  for (const char c : text) {
    if (c == separator) {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  return pieces;
}

std::pair<std::string, OptionList> parse_choice(const std::string& option,
                                                const std::string& text) {
  const auto colon = text.find(':');
  std::pair<std::string, OptionList> out;
  out.first = text.substr(0, colon);
  if (colon == std::string::npos) return out;
  int column = static_cast<int>(colon) + 2;
  for (const std::string& piece : split(text.substr(colon + 1), ',')) {
    const auto equals = piece.find('=');
    if (equals == std::string::npos || equals == 0) {
      wrong_usage("'" + piece + "' in " + option + " is not of the form option=value");
    }
    out.second.push_back(
        {piece.substr(0, equals), piece.substr(equals + 1), Position{option, 1, column}});
    column += static_cast<int>(piece.size()) + 1;
  }
  return out;
}

Note noted(const std::string& color) {
  return [colours = Colours(color, stderr)](const std::string& text) {
    std::cerr << colours.lines(colours.note(lines_for_terminal(text))) << "\n";
  };
}

Study with_t1_options(Study study, const StudyOptions& options) {
  study = study_with_answers_per(std::move(study), options.per);
  return options.no_verify ? unverified_study(std::move(study)) : study;
}

Study study_of(const StudyOptions& options, const Note& note) {
  return with_t1_options(load_study(options.study, options.sizes, note), options);
}

namespace {

void choose_backend(const DeviceOptions& options, BackendSpec& backend) {
  auto [name, given] = parse_choice("--backend", options.backend);
  if (name == "auto" && !given.empty()) {
    wrong_usage("options need the name of their backend, not --backend " + options.backend);
  }
  if (name != "auto") backend = {name, std::move(given), {}, options.backend};
  if (options.in_random_order) backend.options.push_back({"order", "random"});
}

// "0,1"; none: "all".
std::vector<unsigned> device_numbers(const std::string& text) {
  std::vector<unsigned> numbers;
  if (text == "all") return numbers;
  for (const std::string& word : split(text, ',')) {
    if (word.empty() || word.size() > 4 ||
        !std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); })) {
      wrong_usage("--device takes numbers such as 0,1 or 'all', not '" + text + "'");
    }
    const auto number = static_cast<unsigned>(std::stoul(word));
    if (std::ranges::count(numbers, number) > 0) {
      wrong_usage("--device names device " + word + " twice: each number once, or 'all'");
    }
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

Settings settings_with(const DeviceOptions& options, Study study) {
  Settings settings = options.settings;
  settings.study = std::move(study);
  choose_backend(options, settings.study.backend);
  settings.devices = device_numbers(options.device);
  return settings;
}

Budget parse_budget_text(const std::string& option, const std::string& text) {
  auto budget = parse_budget(text);
  if (!budget) wrong_usage(option + ": " + budget.error());
  return *budget;
}

Budget budget_of(const RunOptions& options, const Budget& otherwise) {
  return options.budget.empty() ? otherwise : parse_budget_text("--budget", options.budget);
}

std::string strategy_named(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kTheirs{{
      {"brute_force", "exhaustive"},
      {"random_sample", "random"},
      {"genetic_algorithm", "genetic"},
      {"diff_evo", "differential_evolution"},
      {"pso", "particle_swarm"},
      {"firefly_algorithm", "firefly"},
      {"greedy_ils", "iterated_local_search"},
      {"mls", "iterated_local_search"},
      {"greedy_mls", "iterated_local_search"},
      {"basinhopping", "basin_hopping"},
      {"bayes_opt", "bayesian"},
      {"ordered_greedy_mls", "iterated_local_search"},
      {"dual_annealing", "simulated_annealing"},
      {"minimize", "pattern_search"},
      {"skopt", "bayesian"},
      {"adaptive_tabu_greywolf", "grey_wolf"},
      {"nsga3", "nsga2"},
  }};
  const auto* const found =
      std::ranges::find(kTheirs, name, [](const auto& one) { return one.first; });
  return found == kTheirs.end() ? name : std::string(found->second);
}

}  // namespace tuner
