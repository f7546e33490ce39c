// `tuner check`: counts a study's configurations and says what each rule removes.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tuner/app/check_compile.h"
#include "tuner/app/commands.h"
#include "tuner/base/colours.h"
#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/engine/resolve.h"
#include "tuner/engine/size_sampler.h"
#include "tuner/exporters/csv.h"
#include "tuner/model/device_facts.h"
#include "tuner/run/sources.h"
#include "tuner/space/sampling.h"
#include "tuner/study/geometry_check.h"
#include "tuner/study/size_check.h"
#include "tuner/study/space_json.h"
#include "tuner/study/t1_reader.h"
#include "tuner/study/yaml_reader.h"

namespace tuner {
namespace {

constexpr const char* kNominalArch = "sm_90";

void print_space(const SearchSpace& space) {
  const SpaceReport& report = space.report();
  std::cout << fmt::format(
      "cartesian product  {}\nvalid              {}\nbuilt in           {:.3f} ms, {:.1f} MiB at "
      "most\n",
      report.cartesian, report.valid, report.build_seconds * 1e3,
      static_cast<double>(report.peak_bytes) / (1 << 20));
  for (const auto& group : report.groups) {
    std::string names;
    for (const std::string& name : group) names += (names.empty() ? "" : ", ") + name;
    std::cout << "tied by constraints: " << for_terminal(names) << "\n";
  }
  for (const ConstraintReport& rule : space.constraint_reports()) {
    std::string remark;
    if (rule.removed_fraction >= 1) remark = "  <- removes everything: a mistake?";
    if (rule.removed_fraction <= 0 && rule.exact) remark = "  <- removes nothing";
    std::cout << fmt::format("removes {}{:5.1f} %  {}{}\n", rule.exact ? " " : "~",
                             100 * rule.removed_fraction, for_terminal(rule.text), remark);
    if (rule.errors > 0) {
      std::cout << fmt::format("         {} times it has no value: {}\n", rule.errors,
                               for_terminal(rule.first_error));
    }
  }
}

void print_json(const SearchSpace& space) {
  const SpaceReport& report = space.report();
  nlohmann::json out{{"cartesian", report.cartesian},
                     {"valid", report.valid},
                     {"build_seconds", report.build_seconds},
                     {"peak_bytes", report.peak_bytes},
                     {"groups", report.groups}};
  // Adding up hashes visits every configuration: not for spaces that nobody could list.
  constexpr ConfigIndex kHashable = 100'000'000;
  if (space.size() <= kHashable) {
    if (const auto hash = space.valid_hash()) out["valid_hash"] = fmt::format("{:016x}", *hash);
  }
  for (const ConstraintReport& rule : space.constraint_reports()) {
    nlohmann::json row{{"constraint", rule.text},
                       {"removed", rule.removed},
                       {"removed_fraction", rule.removed_fraction},
                       {"exact", rule.exact},
                       {"errors", rule.errors}};
    if (rule.errors > 0) row["first_error"] = rule.first_error;
    out["constraints"].push_back(std::move(row));
  }
  std::cout << out.dump(1) << "\n";
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
    print_json(space);
  } else {
    print_space(space);
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

// A domain's ranges, and of each kind a few sizes.
std::string domain_text(const SizeDomain& domain) {
  constexpr int kExamples = 3;
  std::string out = fmt::format("domain             {}\n", ranges_text(domain.extents));
  SizeSampler sampler(domain, 1);
  double sum = 0;
  for (const SizeKind& kind : domain.kinds) sum += kind.weight;
  for (std::size_t k = 0; k < domain.kinds.size(); ++k) {
    std::string examples;
    for (int i = 0; i < kExamples; ++i) {
      const auto size = sampler.draw_of(k);
      if (size) examples += (examples.empty() ? "" : ", ") + size->label();
    }
    const SizeKind& kind = domain.kinds[k];
    out += fmt::format("kind {:>5.1f} %       {}: {}\n", 100 * kind.weight / sum,
                       kind.rule.empty() ? "every size" : for_terminal(kind.rule.text()), examples);
  }
  return out;
}

int check_study(const CheckOptions& options) {
  const StudyFile file = read_study_file(options.study);
  const Study& study = file.study;
  const Colours colours(options.color, stderr);
  for (const Complaint& warning : file.warnings) {
    std::cerr << colours.note("warning: " + render(warning, study.text)) << "\n";
  }
  for (const std::string& warning : constant_warnings(study)) {
    std::cerr << colours.note("warning: " + warning) << "\n";
  }
  const ProblemSize size = !options.sizes.empty() ? parse_size_option(options.sizes.front(), study)
                           : study.sizes.empty()  ? ProblemSize{}
                                                  : study.sizes.front();
  if (options.compile) return check_compile(study, size, options);
  const DeviceFacts facts = facts_for(options);
  const SearchSpace space = SearchSpace::build(space_definition(study, size, facts));
  if (study.runnable && space.size() > 0) {
    const auto complaints = check_geometry(study, space, size, facts);
    if (!complaints.empty()) throw InputError(complaints, study.text);
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
