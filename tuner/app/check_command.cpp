// `tuner check`: counts a study's configurations and says what each rule removes.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "tuner/app/commands.h"
#include "tuner/base/child_process.h"
#include "tuner/base/colours.h"
#include "tuner/base/error.h"
#include "tuner/base/interrupt.h"
#include "tuner/base/terminal_text.h"
#include "tuner/engine/resolve.h"
#include "tuner/exporters/csv.h"
#include "tuner/model/device_facts.h"
#include "tuner/run/compile_check.h"
#include "tuner/run/sources.h"
#include "tuner/space/sampling.h"
#include "tuner/study/geometry_check.h"
#include "tuner/study/size_check.h"
#include "tuner/study/space_json.h"
#include "tuner/study/t1_reader.h"
#include "tuner/study/yaml_reader.h"
#include "tuner/terminal/compiled_csv.h"
#include "tuner/terminal/space_text.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

constexpr const char* kNominalArch = "sm_90";

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

DeviceFacts facts_for(const CheckOptions& options) {
  return nominal_facts(options.archs.empty() ? kNominalArch : options.archs.front());
}

// Compiles every variant (or a random --limit of them) for each architecture, without a device, and
// prints registers, shared memory, spills and occupancy as CSV.
int check_compile(const Study& study, const ProblemSize& size, const CheckOptions& options) {
  if (!study.runnable) {
    throw InputError(Complaint{{study.file.string(), 0, 0},
                               "there is nothing to compile: 'kernel' and 'launch' are needed",
                               ""});
  }
  const Interrupt interrupt;
  const WorkerProgram program{executable_path(), options.plugin_dirs};
  if (const auto text = idle_options_note(study, facts_for(options).backend); !text.empty()) {
    std::cerr << text << "\n";
  }
  const ArtifactShelf shelf;
  if (!shelf.trouble().empty()) std::cerr << shelf.trouble() << "\n";
  Words archs = options.archs;
  if (archs.empty()) archs.push_back("sm_90");
  std::cout << compiled_header(study.parameters);
  bool all_good = true;
  for (const std::string& arch : archs) {
    const auto tell = [&](const CheckedVariant& one) { std::cout << compiled_line(arch, one); };
    const CompileCheckEnd end =
        check_compile(study, size, {arch, options.jobs, options.limit, options.seed}, program,
                      shelf, interrupt, tell);
    if (interrupt.count() > 0) return kExitInterrupted;
    std::cerr << fmt::format("{}: {} compiled, {} did not; {} different programs\n", arch,
                             end.compiled, end.failed, end.programs);
    if (end.compiled == 0) {
      all_good = false;
      std::cerr << "  " << lines_for_terminal(end.first_failure) << "\n";
    }
  }
  return all_good ? kExitDone : kExitNothingValid;
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
  const DeviceFacts facts = facts_for(options);
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

int check_command(const CheckOptions& options) {
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
