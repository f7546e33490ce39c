// `tuner check`: counts a study's configurations and says what each rule removes.

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <iostream>
#include <string>

#include "tuner/base/error.h"
#include "tuner/base/process_state.h"
#include "tuner/base/terminal_text.h"
#include "tuner/commands/check_options.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/space_text.h"
#include "tuner/model/device_facts.h"
#include "tuner/resolve/resolve.h"
#include "tuner/results/csv.h"
#include "tuner/run/sources.h"
#include "tuner/space/sampling.h"
#include "tuner/study/geometry_check.h"
#include "tuner/study/size_check.h"
#include "tuner/study/space_json.h"
#include "tuner/study/t1_reader.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

namespace po = boost::program_options;

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

void print_rows(const SearchSpace& space, const CheckOptions& options) {
  std::cout << csv_header(space.parameters()) << "\n";
  if (options.list) {
    for (ConfigIndex i = 0; i < space.size(); ++i) {
      std::cout << csv_row(space.configuration(i)) << "\n";
    }
    return;
  }
  if (space.size() == 0) return;
  const IndexPermutation drawn(space.size(), options.seed);
  for (ConfigIndex i = 0; i < std::min<ConfigIndex>(options.sample, space.size()); ++i) {
    std::cout << csv_row(space.configuration(drawn(i))) << "\n";
  }
}

// Whatever the kind of file, the answer to "which configurations are there". `why_empty` says for
// the user why there are none.
int report_space(const SearchSpace& space, const CheckOptions& options,
                 const std::string& why_empty) {
  if (options.list || options.sample > 0) {
    print_rows(space, options);
  } else if (options.json) {
    std::cout << space_json_text(space);
  } else {
    std::cout << space_text(space);
  }
  if (space.size() == 0) {
    std::cerr << why_empty << "\n";
    return kExitBadInput;
  }
  return kExitDone;
}

int check_study(const CheckOptions& options) {
  const StudyFile file = read_study_file(options.study);
  const Study study = study_with_answers_per(file.study, options.per);
  const Colours colours(options.color, stderr);
  for (const Complaint& warning : file.warnings) {
    std::cerr << colours.note("warning: " + render(warning, study.text)) << "\n";
  }
  if (study.problem || !study.observers.empty()) {
    load_plugins(options.plugin_dirs).check_study(study);
  }
  for (const auto& warnings : {constant_warnings(study), unreached_parameters(study)}) {
    for (const std::string& warning : warnings) {
      std::cerr << colours.note("warning: " + warning) << "\n";
    }
  }
  SignatureComplaints unlike = signature_complaints(study);
  for (const Complaint& warning : unlike.warnings) {
    std::cerr << colours.note("warning: " + render(warning, study.text)) << "\n";
  }
  if (!unlike.errors.empty()) throw InputError(std::move(unlike.errors), study.text);
  const ProblemSize size = !options.sizes.empty() ? parse_size_option(options.sizes.front(), study)
                           : study.sizes.empty()  ? ProblemSize{}
                                                  : study.sizes.front();
  if (options.compile) return check_compile(study, size, options);
  const DeviceFacts facts = facts_of(options, study);
  const SearchSpace space = SearchSpace::build(space_definition(study, size, facts));
  if (study.runnable && space.size() > 0) {
    for (const GeometryReport& report :
         {check_geometry(study, space, size, facts), check_options(study, space, size, facts)}) {
      if (!report.complaints.empty()) throw InputError(report.complaints, study.text);
      for (const Complaint& warning : report.warnings) {
        std::cerr << colours.note("warning: " + render(warning, study.text)) << "\n";
      }
    }
  }
  if (!options.json && !options.list && options.sample == 0 && space.size() > 0) {
    std::cout << fmt::format("{}: no mistake found\nproblem size       {}\nfor a device like  {}\n",
                             options.study, size.label(), facts.name);
    if (study.domain && options.sizes.empty()) std::cout << domain_text(*study.domain);
  }
  std::string why_empty;
  for (const Complaint& complaint : check_not_empty(study, space)) {
    why_empty += render(complaint, study.text);
  }
  return report_space(space, options, why_empty);
}

}  // namespace

int check_command(const Words& words) {
  const CheckOptions options = parse_check(words);
  const std::filesystem::path path = options.study;
  if (path.extension() != ".json" || is_t1(study_text(path))) return check_study(options);
  if (options.compile) {
    throw InputError(
        Complaint{{}, "--compile needs a study: " + options.study + " describes a space only", ""});
  }
  const SearchSpace space = SearchSpace::build(read_space_json(options.study));
  return report_space(space, options, options.study + ": " + space.why_empty());
}

}  // namespace tuner
