#pragma once
// What the command line says, as plain data. Every parse function throws InputError on wrong
// usage, with the nearest known option where there is one.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tuner {

using Words = std::vector<std::string>;

// Thrown after --help has been printed.
struct HelpShown {};

struct RunOptions {
  std::string study;
  std::string backend = "auto";
  std::string device = "0";  // "0,1" or "all"
  Words sizes;               // "M=1024,N=1024"
  Words where;               // further constraints, such as "FORM == 'naive'"
  std::string strategy;      // NAME[:option=value,...]; empty = the study's
  std::string budget;        // "500", "90s", "500,10m"; empty = the study's
  double timeout = 60;       // seconds for one configuration
  std::uint64_t seed = 1;
  unsigned jobs = 1;
  std::string results = "results";
  bool fresh = false;
  std::string trace;
  std::string progress = "auto";
  Words plugin_dirs;
  bool in_random_order = false;
  std::string replay;
  unsigned repeats = 1;
};

struct CheckOptions {
  std::string study;
  bool json = false;
  bool list = false;
  std::uint64_t sample = 0;
  bool compile = false;
  Words archs;
  Words sizes;
  std::uint64_t seed = 1;
  unsigned jobs = 1;
  std::uint64_t limit = 0;  // compile at most this many configurations; 0 = all
  Words plugin_dirs;
};

struct ResultsOptions {
  std::string target;  // study file, results folder, or empty
  std::string results = "results";
  std::string size;
  std::string device;
  std::size_t top = 10;
  std::string csv;
  bool here = false;
};

struct ExportOptions {
  std::string study;
  std::string format = "header";
  std::string output;
  std::string results = "results";
  std::string device;
  std::string size;
  std::size_t max_configs = 0;  // 0 = as many as there are winners
  double within = 0;            // 0.05 = each size may lose 5 %
  Words plugin_dirs;
};

struct ListOptions {
  std::string what;  // empty = everything
  Words plugin_dirs;
};

struct CacheOptions {
  bool clear = false;
  std::optional<std::uint64_t> prune;  // bytes that may stay
};

RunOptions parse_run(const Words& words);
CheckOptions parse_check(const Words& words);
ResultsOptions parse_results(const Words& words);
ExportOptions parse_export(const Words& words);
ListOptions parse_list(const Words& words);
CacheOptions parse_cache(const Words& words);

// "NAME:a=1,b=2" -> name and options. Throws InputError.
std::pair<std::string, std::vector<std::pair<std::string, std::string>>> parse_strategy(
    const std::string& text);

}  // namespace tuner
