#pragma once
// Command lines: how they are parsed, and options that several commands share. Wrong usage throws
// InputError, with the nearest known option where there is one.

#include <boost/program_options.hpp>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tuner/base/note.h"
#include "tuner/bench/settings.h"
#include "tuner/history/stored_results.h"

namespace tuner {

namespace po = boost::program_options;

using Strings = std::vector<std::string>;

// Thrown after --help has been printed.
struct HelpShown {};

// The study, its sizes, and how a T1 file, which does not describe right answers, is verified.
struct StudyOptions {
  std::string study;
  Strings sizes;           // "M=1024,N=1024"; none: the study's
  Strings per;             // parameters that they depend on
  bool no_verify = false;  // they are not compared
};
Study with_t1_options(Study study, const StudyOptions& options);
// Loads the study with load_study() and applies these options.
Study study_of(const StudyOptions& options, const Note& note);

// The devices and workers that run variants: settings, except those that are text here or depend on
// the study.
struct DeviceOptions : StudyOptions {
  Settings settings;
  std::string backend = "auto";
  std::string device = "0";  // "0,1" or "all"
  bool in_random_order = false;
  Strings plugin_dirs;
};

struct RunOptions : DeviceOptions {
  bool names_device = false;  // else ranks of a job share all
  bool names_jobs = false;    // else ranks of a node share its cores
  Strings asked;              // files of what applications asked for; none: the study's sizes
  Strings where;              // further constraints, such as "FORM == 'naive'"
  Strings strategies;         // NAME[:option=value,...]; none = the study's; several to be replayed
  std::string budget;         // "500", "90s", "500,10m"; empty = the study's
  std::string trace;
  bool force = false;  // whatever file has that name is replaced
  std::string progress = "auto";
  std::string color = "auto";
  std::string replay;
  unsigned repeats = 1;
  unsigned compile_workers = 0;    // that a replay simulates; 0: one configuration after the other
  unsigned simulated_devices = 1;  // beside them
  Strings advice;                  // files of configurations that are measured first
  std::string warm_start_recording;  // of which the strategy hears, too; empty: of none
};

// Writes notes to standard error, with the colour that --color chooses.
Note noted(const std::string& color);

// Completes the settings: the command line's, else the study's. Throws InputError for a --backend
// or --device that makes no sense.
Settings settings_with(const DeviceOptions& options, Study study);

// "500", "90s", "500,10m", the text of `option`. Throws InputError.
Budget parse_budget_text(const std::string& option, const std::string& text);
// Returns the budget of --budget, else `otherwise`. Throws InputError.
Budget budget_of(const RunOptions& options, const Budget& otherwise);

// "NAME:a=1,b=2", the text of `option` -> name and options. Throws InputError.
std::pair<std::string, OptionList> parse_choice(const std::string& option, const std::string& text);

// Throws InputError without a position.
[[noreturn]] void wrong_usage(const std::string& message, const std::string& suggestion = {});

// Throws InputError with the nearest word.
void must_be_one_of(const std::string& option, const std::string& value, const Strings& allowed);

// Checks a number of workers or devices: throws InputError unless it is 1 to 1024.
void must_be_some(const std::string& option, unsigned count);

// The options of one command; --help is among them.
class OptionTable {
 public:
  OptionTable() {
    group("options");
    (*this)("help,h", "show this");
  }
  // Begins a group, which has a title in the help.
  void group(const std::string& title);
  // A switch, words of which there may be several, or one value, whose default is what it is now.
  template <typename Value>
  void operator()(const char* name, Value& value, const char* help) {
    if constexpr (std::is_same_v<Value, bool>) {
      last()(name, po::bool_switch(&value), help);
    } else if constexpr (std::is_same_v<Value, Strings>) {
      last()(name, po::value(&value)->composing(), help);
    } else {
      auto* const option = po::value(&value);
      if (std::is_arithmetic_v<Value> || value != Value()) option->default_value(value);
      last()(name, option, help);
    }
  }
  template <typename... Parts>
  void operator()(const char* name, const Parts&... parts) {
    last()(name, parts...);
  }
  // Options that several commands share. Values that make no sense are reported while the words are
  // parsed.
  void asked(Strings& files, const char* help);
  void color(std::string& choice);
  void device(DeviceOptions& options, const char* backends = "auto, cuda, cpu, ...");
  void filter(ResultFilter& filter);
  void force(bool& force);
  void jobs(unsigned& count);
  void plugin_dirs(Strings& folders);
  void results(std::string& folder);
  void sizes(StudyOptions& options);
  void timeout(double& seconds, const char* help);
  void t1(StudyOptions& options, bool with_no_verify = true);

  // Parses `words` against these and positionals called "input". Prints the help after `usage` and
  // throws HelpShown when that is asked for; throws InputError on wrong usage.
  po::variables_map parse(const Strings& words, const std::string& usage) const;

 private:
  po::options_description_easy_init last() { return groups_.back()->add_options(); }

  std::vector<std::shared_ptr<po::options_description>> groups_;  // a description cannot be copied
};

// "5%" or "0.05". Throws InputError.
double parse_share(const std::string& option, const std::string& text);

// All positionals.
Strings inputs(const po::variables_map& values);
// The only one; empty when there is none and none is required.
std::string one_input(const po::variables_map& values, const std::string& what, bool required);

// Splits a text such as "sm_80,sm_90"; pieces may be empty.
Strings split(const std::string& text, char separator);

// "genetic" for Kernel Tuner's "genetic_algorithm"; any other name is its own.
std::string strategy_named(const std::string& name);

}  // namespace tuner
