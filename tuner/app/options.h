#pragma once
// What the command line says, as plain data. Every parse function throws InputError on wrong
// usage, with the nearest known option where there is one.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/run/settings.h"

namespace tuner {

using Words = std::vector<std::string>;

// Thrown after --help has been printed.
struct HelpShown {};

// What runs variants, and how.
struct DeviceOptions {
  std::string backend = "auto";
  std::string device = "0";  // "0,1" or "all"
  double timeout = 60;       // seconds for one configuration
  unsigned jobs = 1;
  bool in_random_order = false;
  Words plugin_dirs;
};

struct RunOptions : DeviceOptions {
  std::string study;
  bool no_verify = false;     // of a T1 file: answers are not compared
  Words per;                  // of a T1 file: parameters that the right answer depends on
  bool names_device = false;  // else ranks of a job share all
  bool names_jobs = false;    // else ranks of a node share its cores
  Words sizes;                // "M=1024,N=1024"
  Words where;                // further constraints, such as "FORM == 'naive'"
  Words strategies;           // NAME[:option=value,...]; none = the study's; several to be replayed
  std::string budget;         // "500", "90s", "500,10m"; empty = the study's
  std::uint64_t seed = 1;
  std::string results = "results";
  bool fresh = false;
  bool in_turn = false;      // one size after the other, on all devices of a model
  bool cross_sizes = false;  // each size's winner is measured at the other sizes too
  std::string trace;
  bool force = false;  // whatever file has that name is replaced
  std::string progress = "auto";
  std::string color = "auto";
  std::string replay;
  unsigned repeats = 1;
  unsigned compile_workers = 0;    // that a replay simulates; 0: one configuration after the other
  unsigned simulated_devices = 1;  // beside them
  bool warm_start = true;          // the strategy hears of earlier results of other places
  std::string warm_start_recording;  // and of this recording
};

struct CheckOptions {
  std::string study;
  Words per;  // of a T1 file
  bool json = false;
  bool list = false;
  std::uint64_t sample = 0;
  bool compile = false;
  Words archs;
  Words sizes;
  std::uint64_t seed = 1;
  unsigned jobs = 1;
  std::uint64_t limit = 0;  // compile at most this many configurations; 0 = all
  std::string color = "auto";
  Words plugin_dirs;
};

struct ResultsOptions {
  std::string target;      // study file, where results are (holds_results()), or empty
  bool no_verify = false;  // of a T1 file, as RunOptions has them
  Words per;
  std::string results = "results";
  std::string size;
  std::string device;
  std::size_t top = 10;
  std::string csv;
  bool force = false;
  bool here = false;
  bool all = false;       // also what a plain run would not go on with
  bool failures = false;  // why variants failed, instead of the ranking
  std::string color = "auto";
};

struct ExportOptions {
  std::string study;
  bool no_verify = false;  // of a T1 file, as RunOptions has them
  Words per;
  std::string format = "header";
  std::string output;
  std::string results = "results";
  std::string device;
  std::string size;
  std::size_t max_configs = 0;  // 0 = as many as there are winners
  double within = 0;            // 0.05 = each size may lose 5 %
  std::string from;             // ranked CSV files instead of the store
  Words also;                   // results of other machines with the same device
  bool force = false;           // whatever file has the output's name is replaced
  bool evaluate = false;
  Words plugin_dirs;
};

struct VerifyOptions : DeviceOptions {
  std::string exported;  // a header or launcher
  std::string study;
  Words per;                 // of a T1 file
  Words sizes;               // none of these two: the tuned sizes
  std::uint64_t random = 0;  // so many at random
  std::uint64_t seed = 1;
  std::int64_t largest = 0;         // extent of a random size; 0 = the largest that was tuned
  std::optional<Budget> retune;     // of a search at each of these sizes
  std::string results = "results";  // where that search keeps its trials
};

struct ListOptions {
  std::string what;  // empty = everything
  Words plugin_dirs;
};

struct InitOptions {
  std::string source;  // a CUDA source
  std::string output;  // the study; empty = beside the source, with its name
  std::string kernel;  // empty = the first that is not a reference
  bool force = false;
};

struct CacheOptions {
  bool clear = false;
  std::optional<std::uint64_t> prune;  // bytes that may stay
};

// Throws InputError for a --device that makes no sense.
DeviceSettings device_settings(const DeviceOptions& options, const Study& study);

// "500", "90s", "500,10m", the text of `option`. Throws InputError.
Budget parse_budget_text(const std::string& option, const std::string& text);
// What --budget says, else `otherwise`. Throws InputError.
Budget budget_of(const RunOptions& options, const Budget& otherwise);

RunOptions parse_run(const Words& words);
CheckOptions parse_check(const Words& words);
ResultsOptions parse_results(const Words& words);
ExportOptions parse_export(const Words& words);
VerifyOptions parse_verify(const Words& words);
ListOptions parse_list(const Words& words);
InitOptions parse_init(const Words& words);
CacheOptions parse_cache(const Words& words);

// "NAME:a=1,b=2", the text of `option` -> name and options. Throws InputError.
std::pair<std::string, OptionList> parse_choice(const std::string& option, const std::string& text);

}  // namespace tuner
