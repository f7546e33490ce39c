// Parses the command lines of run, check, results, export and the smaller commands.

#include "tuner/app/options.h"

#include <boost/program_options.hpp>
#include <iostream>
#include <string_view>
#include <tuple>

#include "tuner/app/parse_words.h"
#include "tuner/base/error.h"
#include "tuner/base/usable_cores.h"
#include "tuner/engine/budget.h"

namespace tuner {
namespace {

namespace po = boost::program_options;

constexpr const char* kForceHelp = "replace the named file even if tuner has not written it";

constexpr const char* kJobsHelp =
    "compile workers; as many as this process may use cores, by affinity and control groups";

Words split(const std::string& text, char separator) {
  Words pieces;
  std::string piece;
  for (const char c : text) {
    if (c == separator) {
      pieces.push_back(std::move(piece));
      piece.clear();
    } else {
      piece += c;
    }
  }
  pieces.push_back(std::move(piece));
  return pieces;
}

// "512M", "2G", "1000000".
std::uint64_t byte_count(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::string_view unit(end);
  const double factor = unit == "K"    ? 1024.0
                        : unit == "M"  ? 1048576.0
                        : unit == "G"  ? 1073741824.0
                        : unit.empty() ? 1.0
                                       : 0.0;
  if (end == text.c_str() || factor == 0 || !(value >= 0 && value * factor < 1e18)) {
    wrong_usage(option + " takes bytes such as 1000000, 512M or 2G, not '" + text + "'");
  }
  return static_cast<std::uint64_t>(value * factor);
}

po::options_description replay_options(RunOptions& o) {
  po::options_description replays("options of replays");
  replays.add_options()(
      "replay", po::value(&o.replay),
      "answer from a recording (Kernel Tuner cache or T4 JSON, also .gz) instead of a device")(
      "repeats", po::value(&o.repeats)->default_value(1), "repeat with seeds seed, seed+1, ...")(
      "compile-workers", po::value(&o.compile_workers),
      "simulate the clock of so many compile workers and one device")(
      "simulated-devices", po::value(&o.simulated_devices),
      "with --compile-workers: so many devices that share the search");
  return replays;
}

// What goes with a replay only, and what does not.
void check_replay(RunOptions& o, const po::variables_map& values) {
  const bool replayed = !o.replay.empty();
  if (values.contains("compile-workers")) {
    if (!replayed) wrong_usage("--compile-workers goes with --replay");
    if (!values["jobs"].defaulted()) wrong_usage("--compile-workers and --jobs exclude each other");
    must_be_some("--compile-workers", o.compile_workers);
  }
  if (values.contains("simulated-devices")) {
    if (o.compile_workers == 0) wrong_usage("--simulated-devices goes with --compile-workers");
    must_be_some("--simulated-devices", o.simulated_devices);
  }
  // Without --compile-workers a replay's clock is that of one configuration after the other; more
  // open questions are a test of the strategy.
  if (replayed && values["jobs"].defaulted()) o.jobs = 1;
  if (o.cross_sizes && replayed) {
    wrong_usage("--cross-sizes measures on a device; it does not go with --replay");
  }
  if (!replayed && !values["repeats"].defaulted()) wrong_usage("--repeats goes with --replay");
}

}  // namespace

RunOptions parse_run(const Words& words) {
  RunOptions o;
  o.jobs = usable_cores();
  po::options_description visible("options");
  auto add = visible.add_options();
  add("help,h", "show this");
  add("backend", po::value(&o.backend)->default_value("auto"),
      "auto, or NAME[:option=value,...]; see 'tuner list NAME'");
  add("device", po::value(&o.device)->default_value("0"),
      "numbers such as 0,1, or all; those of one model share sizes and searches");
  add("in-turn", po::bool_switch(&o.in_turn), "one size after the other, each on all devices");
  add("size", po::value(&o.sizes)->composing(),
      "problem size such as M=1024,N=1024 instead of the study's; may be repeated");
  add("where", po::value(&o.where)->composing(),
      "tune only where this holds, such as \"FORM == 'shared'\"; may be repeated");
  add("strategy", po::value(&o.strategies)->composing(),
      "NAME[:option=value,...]; see 'tuner list NAME'; with --replay it may be repeated");
  add("budget", po::value(&o.budget),
      "for each size: 500 (evaluations), 90s, 10m, 2h, target=0.8, patience=200, or several with "
      "commas; otherwise the study's");
  add("timeout", po::value(&o.timeout)->default_value(60), "seconds for one configuration");
  add("seed", po::value(&o.seed)->default_value(1), "of the strategy");
  add("jobs,j", po::value(&o.jobs)->default_value(o.jobs, "usable cores"), kJobsHelp);
  add("results", po::value(&o.results)->default_value("results"), "folder of the results");
  add("fresh", po::bool_switch(&o.fresh), "measure anew what an earlier run has measured");
  add("cross-sizes", po::bool_switch(&o.cross_sizes),
      "then measure each size's winner at the other sizes too, beyond the budget: exports know "
      "more");
  add_t1_options(visible, o.per, &o.no_verify);
  add("trace", po::value(&o.trace), "write run,eval,time_s,objective,strategy,seed as CSV");
  add("force", po::bool_switch(&o.force), kForceHelp);
  add("progress", po::value(&o.progress)->default_value("auto"), "auto, plain, json or none");
  add_color_option(visible, o.color);
  add("plugin-dir", po::value(&o.plugin_dirs)->composing(), "look for plugins here first");
  add("random-order", po::bool_switch(&o.in_random_order),
      "cpu backend: run a block's threads in random order between barriers, which shows a missing "
      "__syncthreads");
  bool cold_start = false;
  add("no-warm-start", po::bool_switch(&cold_start),
      "do not tell the strategy what was measured for other sizes and on other devices");
  add("warm-start", po::value(&o.warm_start_recording),
      "tell the strategy what a recording says, as if it were an earlier run in another place");
  visible.add(replay_options(o));
  const auto values = parse_words(
      words, "tuner run STUDY [options]\n       tuner run --replay RECORDING [options]", visible);
  o.study = one_input(values, "study", o.replay.empty());
  o.names_device = !values["device"].defaulted();
  o.names_jobs = !values["jobs"].defaulted();
  if (o.strategies.size() > 1 && o.replay.empty()) {
    wrong_usage("several strategies are for --replay, which compares them");
  }
  must_be_one_of("--progress", o.progress, {"auto", "plain", "json", "none"});
  must_be_some("--jobs", o.jobs);
  if (!(o.timeout > 0)) wrong_usage("--timeout must be a positive number of seconds");
  o.warm_start = !cold_start;
  if (cold_start && !o.warm_start_recording.empty()) {
    wrong_usage("--warm-start and --no-warm-start exclude each other");
  }
  if (o.repeats < 1) wrong_usage("--repeats must be at least 1");
  check_replay(o, values);
  return o;
}

CheckOptions parse_check(const Words& words) {
  CheckOptions o;
  o.jobs = usable_cores();
  std::string archs;
  po::options_description visible("options");
  auto add = visible.add_options();
  add("help,h", "show this");
  add("json", po::bool_switch(&o.json), "the report as JSON");
  add("list", po::bool_switch(&o.list), "all valid configurations as CSV");
  add("sample", po::value(&o.sample)->default_value(0), "this many random ones as CSV");
  add("compile", po::bool_switch(&o.compile),
      "compile the variants (no GPU needed); registers, shared memory, spills, occupancy as CSV");
  add("arch", po::value(&archs), "architectures to compile for, such as sm_80,sm_90, or cpu");
  add("limit", po::value(&o.limit)->default_value(0), "compile at most this many, drawn at random");
  add("size", po::value(&o.sizes)->composing(), "problem size instead of the study's first");
  add_t1_options(visible, o.per);
  add("seed", po::value(&o.seed)->default_value(1), "of --sample and --limit");
  add("jobs,j", po::value(&o.jobs)->default_value(o.jobs, "usable cores"), kJobsHelp);
  add("plugin-dir", po::value(&o.plugin_dirs)->composing(), "look for plugins here first");
  add_color_option(visible, o.color);
  const auto values = parse_words(words, "tuner check STUDY [options]", visible);
  o.study = one_input(values, "study", true);
  if (!archs.empty()) o.archs = split(archs, ',');
  if (!archs.empty() && !o.compile) wrong_usage("--arch goes with --compile");
  if (o.compile && o.limit == 0) o.limit = o.sample;  // compile a sample
  must_be_some("--jobs", o.jobs);
  return o;
}

ResultsOptions parse_results(const Words& words) {
  ResultsOptions o;
  po::options_description visible("options");
  auto add = visible.add_options();
  add("help,h", "show this");
  add("results", po::value(&o.results)->default_value("results"), "folder of the results");
  add("size", po::value(&o.size), "only this problem size, such as M=1024,N=1024");
  add("device", po::value(&o.device), "only this device (part of its name)");
  add("top", po::value(&o.top)->default_value(10), "how many to show");
  add("csv", po::value(&o.csv), "write the ranked CSV here ('-' for standard output)");
  add("force", po::bool_switch(&o.force), kForceHelp);
  add("here", po::bool_switch(&o.here),
      "with a STUDY: say also what this machine's compiler and driver make stale");
  add("all", po::bool_switch(&o.all),
      "also results that a plain 'tuner run' would not go on with: in random order, stale ones");
  add_t1_options(visible, o.per, &o.no_verify);
  add("failures", po::bool_switch(&o.failures),
      "why variants failed, by cause, with an example of each, instead of the ranking");
  add_color_option(visible, o.color);
  const auto values = parse_words(words, "tuner results [STUDY|DIR|FILE] [options]", visible);
  o.target = one_input(values, "study, folder or file of results", false);
  return o;
}

ExportOptions parse_export(const Words& words) {
  ExportOptions o;
  po::options_description visible("options");
  auto add = visible.add_options();
  add("help,h", "show this");
  add("format", po::value(&o.format)->default_value("header"),
      "NAME[:option=value,...]; see 'tuner list exporters'");
  add("output,o", po::value(&o.output)->default_value("-"),
      "file, or '-' for standard output; launcher: a folder, or the two files' path without "
      "extension");
  add("force", po::bool_switch(&o.force), kForceHelp);
  add("results", po::value(&o.results)->default_value("results"), "folder of the results");
  add("from", po::value(&o.from),
      "ranked CSV files (one, a folder or a .tar.gz of them) instead of the results' store");
  add("also", po::value(&o.also)->composing(),
      "results folder of another machine with the same device: of each size the configuration that "
      "loses least at worst on all of them; may be repeated");
  add("device", po::value(&o.device), "only this device (part of its name)");
  add("size", po::value(&o.size), "only this problem size");
  add_t1_options(visible, o.per, &o.no_verify);
  add("evaluate", po::bool_switch(&o.evaluate),
      "write nothing; leave each tuned size out in turn and print what would be selected for it, "
      "and what that loses");
  add("max-configs", po::value(&o.max_configs)->default_value(0),
      "header, launcher: at most this many different configurations");
  std::string within;
  add("within", po::value(&within),
      "header, launcher: as few configurations as lose at most this, such as 5%, at each size");
  add("plugin-dir", po::value(&o.plugin_dirs)->composing(), "look for plugins here first");
  const auto values = parse_words(words, "tuner export STUDY --format FORMAT -o FILE", visible);
  o.study = one_input(values, "study", true);
  if (!within.empty()) o.within = parse_share("--within", within);
  return o;
}

VerifyOptions parse_verify(const Words& words) {
  VerifyOptions o;
  std::string retune;
  o.jobs = usable_cores();
  po::options_description visible("options");
  auto add = visible.add_options();
  add("help,h", "show this");
  add("size", po::value(&o.sizes)->composing(),
      "verify what is selected for this size; may be repeated; default: the tuned sizes");
  add("random", po::value(&o.random)->default_value(0), "verify this many random sizes");
  add("seed", po::value(&o.seed)->default_value(1), "of the random sizes");
  add_t1_options(visible, o.per);
  add("largest", po::value(&o.largest)->default_value(0),
      "extent of a random size; 0: the largest that was tuned");
  add("retune", po::value(&retune),
      "then search each of these sizes with this budget, such as 30s, say what the export loses "
      "here, "
      "and write it anew where it loses something");
  add("results", po::value(&o.results)->default_value("results"),
      "with --retune: folder of the results");
  add("backend", po::value(&o.backend)->default_value("auto"),
      "auto, or NAME[:option=value,...]; see 'tuner list NAME'");
  add("device", po::value(&o.device)->default_value("0"), "its number");
  add("timeout", po::value(&o.timeout)->default_value(60), "seconds for one size");
  add("jobs,j", po::value(&o.jobs)->default_value(o.jobs, "usable cores"), kJobsHelp);
  add("plugin-dir", po::value(&o.plugin_dirs)->composing(), "look for plugins here first");
  const auto values = parse_words(words, "tuner verify-export HEADER STUDY [options]", visible);
  const Words given = inputs(values);
  if (given.size() != 2) {
    wrong_usage("verify-export takes two files: the exported header, and the study");
  }
  o.exported = given[0];
  o.study = given[1];
  must_be_some("--jobs", o.jobs);
  if (!(o.timeout > 0)) wrong_usage("--timeout must be a positive number of seconds");
  if (o.largest < 0) wrong_usage("--largest must not be negative");
  if (!retune.empty()) o.retune = parse_budget_text("--retune", retune);
  return o;
}

InitOptions parse_init(const Words& words) {
  InitOptions o;
  po::options_description visible("options");
  auto add = visible.add_options();
  add("help,h", "show this");
  add("output,o", po::value(&o.output),
      "the study to write, '-' for standard output; default: the source's name with .yaml");
  add("kernel", po::value(&o.kernel), "draft for this kernel of several");
  add("force", po::bool_switch(&o.force), kForceHelp);
  const auto values = parse_words(words, "tuner init KERNEL.cu [-o STUDY.yaml]", visible);
  o.source = one_input(values, "CUDA source", true);
  return o;
}

CacheOptions parse_cache(const Words& words) {
  CacheOptions o;
  std::string prune;
  po::options_description visible("options");
  auto add = visible.add_options();
  add("help,h", "show this");
  add("prune", po::value(&prune), "remove what was not used for longest until 512M (say) are left");
  add("clear", po::bool_switch(&o.clear), "remove everything");
  const auto values = parse_words(words, "tuner cache [--prune SIZE | --clear]", visible);
  if (const auto extra = one_input(values, "argument", false); !extra.empty()) {
    wrong_usage("'tuner cache' takes no '" + extra + "'");
  }
  if (!prune.empty()) o.prune = byte_count("--prune", prune);
  return o;
}

ListOptions parse_list(const Words& words) {
  ListOptions o;
  po::options_description visible("options");
  auto add = visible.add_options();
  add("help,h", "show this");
  add("plugin-dir", po::value(&o.plugin_dirs)->composing(), "look for plugins here first");
  const auto values = parse_words(
      words, "tuner list [plugins|backends|devices|strategies|exporters|problems|observers|NAME]",
      visible);
  o.what = one_input(values, "kind", false);
  return o;
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

// What the command line says, else the study.
void choose_backend(const DeviceOptions& options, const Study& study, DeviceSettings& settings) {
  std::tie(settings.backend, settings.backend_options) = parse_choice("--backend", options.backend);
  settings.text = options.backend;
  if (settings.backend == "auto" && !settings.backend_options.empty()) {
    wrong_usage("options need the name of their backend, not --backend " + options.backend);
  }
  if (settings.backend == "auto" && !study.backend.name.empty()) {
    settings.backend = study.backend.name;
    settings.backend_options = study.backend.options;
    settings.where = study.backend.where;
    settings.text = study.text;
  }
  if (options.in_random_order) settings.backend_options.push_back({"order", "random"});
}

DeviceSettings device_settings(const DeviceOptions& options, const Study& study) {
  DeviceSettings settings;
  choose_backend(options, study, settings);
  settings.numbers.clear();
  settings.timeout = options.timeout;
  settings.jobs = options.jobs;
  const std::string& text = options.device;
  if (text == "all") return settings;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string word = text.substr(at, comma - at);
    if (word.empty() || word.size() > 4 ||
        !std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); })) {
      throw InputError(
          Complaint{{}, "--device takes numbers such as 0,1 or 'all', not '" + text + "'", ""});
    }
    const auto number = static_cast<unsigned>(std::stoul(word));
    if (std::ranges::count(settings.numbers, number) > 0) {
      throw InputError(Complaint{
          {}, "--device names device " + word + " twice: each number once, or 'all'", ""});
    }
    settings.numbers.push_back(number);
    at = comma + 1;
  }
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

}  // namespace tuner
