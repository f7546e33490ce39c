#pragma once
// The tuned variant that takes the place of a launch of a program: what size is it of, which
// configuration is selected there, how is that launched? Decides; compiles and launches nothing.

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/apply/program_kernel.h"
#include "tuner/base/expected.h"
#include "tuner/deploy/selection.h"
#include "tuner/deploy/tuned_table.h"
#include "tuner/model/artifact.h"
#include "tuner/model/launch.h"

namespace tuner {

// A launch of a program, of a kernel that is the study's.
struct ProgramLaunch {
  LaunchGeometry geometry;          // without attributes
  std::vector<std::string> values;  // bytes of each of size_parts()
};

// A program's device, as far as it has to be known where nothing was tuned on one like it.
struct ProgramDevice {
  std::string name;
  int compute_capability = 0;
  std::int64_t multiprocessors = 1;
};

struct AppliedVariant {
  ProblemSize size;
  Configuration configuration;
  Match how = Match::kExact;
  LaunchGeometry geometry;
  // Parameters that the variant wants to have another value, by their place: their bytes.
  std::vector<std::pair<std::size_t, std::vector<std::byte>>> scalars;
  CompileRequest request;
};

class VariantChooser {
 public:
  // `source_text`: of the kernel, as compilers get it. It and the study outlive this. Throws
  // InputError where there is nothing to choose from.
  VariantChooser(const Study& study, const std::vector<RankedResults>& results,
                 const std::string& source_text);

  // A failure is the reason for launching as it was.
  Expected<AppliedVariant, std::string> choose(const ProgramDevice& device,
                                               const ProgramLaunch& launch) const;
  // The problem size of a launch, from its values. Dimensions that no value gives are those of the
  // one size that was tuned, or that the study lists, where the values are these. Then, and where
  // the study has whole numbers that follow from nothing, a launch of the study's must have this
  // geometry.
  Expected<ProblemSize, std::string> size_of(const DeviceFacts& device,
                                             const ProgramLaunch& launch) const;
  // Facts of the tuned device of that model, else those of the nominal one of its architecture.
  Expected<DeviceFacts, std::string> facts_of(const ProgramDevice& device) const;
  const std::vector<SizePart>& parts() const { return parts_; }
  // Why a kernel of a program may give another answer than the study's: one of its template
  // arguments is a parameter, and has a value with which nothing was right. Empty: none has.
  std::string unknown_instance(const std::string& mangled) const;

 private:
  Expected<Bindings, std::string> named_extents(const ProgramLaunch& launch) const;
  std::string conflict(const ProblemSize& size, const DeviceFacts& device,
                       const ProgramLaunch& launch) const;
  bool is_launched_so(const ProblemSize& size, const DeviceFacts& device,
                      const LaunchGeometry& geometry) const;

  const Study& study_;
  const std::string& source_text_;
  TunedTable table_;
  std::vector<SizePart> parts_;
  std::vector<std::string> dimensions_;
  std::set<Configuration> measured_;  // at any size
  std::set<Configuration> right_;     // of these, or the baseline
};

}  // namespace tuner
