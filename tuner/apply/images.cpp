// Asks the compile workers, and writes what they make to files.

#include "tuner/apply/images.h"

#include <fmt/format.h>

#include <utility>

#include "tuner/apply/module_variables.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/files/failure_report.h"

namespace tuner {

VariantImages::VariantImages(const Study& study, const Catalogue& catalogue,
                             const WorkerProgram& program, const DeviceFacts& device,
                             const StopRequest& stop, std::filesystem::path folder)
    : stop_(stop), folder_(std::move(folder)) {
  const auto open = [&](const std::string& compiler) {
    constexpr double kSeconds = 120;
    return std::make_unique<CompilePool>(program,
                                         CompilePoolOptions{compiler, 1, kSeconds, shelf_.dir()});
  };
  compilers_ = compilers_for(
      study, catalogue, device.backend, shelf_, stop, [&] { return device; }, open(device.backend),
      open);
  library_ = shelf_.library(compilers_.pool->identity(), compilers_.sources);
}

Expected<std::shared_ptr<const Artifact>, std::string> VariantImages::compiled(
    const std::string& key, const CompileRequest& request) {
  if (auto found = library_.find(key)) return std::make_shared<const Artifact>(std::move(*found));
  const std::uint64_t id = compilers_.pool->submit(key, request);
  while (stop_.count() == 0) {
    for (const CompileResult& result : wait_for_results(*compilers_.pool, stop_)) {
      if (result.id != id) continue;
      if (result.outcome) return *result.outcome;
      return Unexpected{"the variant does not compile: " + error_in(result.outcome.error().log)};
    }
  }
  compilers_.pool->cancel({id});
  return Unexpected{std::string("interrupted before the variant was compiled")};
}

Expected<VariantImage, std::string> VariantImages::of(const CompileRequest& request) {
  const std::string key = library_.key(request);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const auto artifact = compiled(key, request);
  if (!artifact) return known_.emplace(key, Unexpected{artifact.error()}).first->second;
  const std::string variable = unset_variable((*artifact)->image);
  if (!variable.empty()) {
    return known_
        .emplace(key, Unexpected{fmt::format(
                          "the kernel reads or keeps '{}' in its module, which the program's "
                          "module has for itself",
                          variable)})
        .first->second;
  }
  const VariantImage image{folder_ / fmt::format("{}.cubin", known_.size()), (*artifact)->entry};
  write_file_atomically(image.file, (*artifact)->image);
  return known_.emplace(key, image).first->second;
}

}  // namespace tuner
