// Tries a study's source with NVRTC, then with nvcc.

#include "tuner/run/compiler_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/base/text.h"
#include "tuner/choice/domain_plan.h"
#include "tuner/resolve/reference_plan.h"
#include "tuner/resolve/resolve.h"

namespace tuner {
namespace {

constexpr const char* kNvcc = "nvcc";

// Device code that has to be linked, which NVRTC does not do.
bool has_to_be_linked(const Study& study) {
  return !study.kernel.units.empty() ||
         std::ranges::any_of(study.kernel.options, [](const std::string& option) {
           return option == "-rdc=true" || option == "--relocatable-device-code=true" ||
                  option == "-dc" || option == "--device-c";
         });
}

// What is compiled to see whether it can be: a configuration (the baseline, else the first) and the
// reference. Empty where a configuration has no launch, of which the run will say more.
std::vector<CompileRequest> samples_of(const Study& study, const DeviceFacts& device,
                                       const SourceTexts& sources) {
  std::vector<CompileRequest> out;
  const ProblemSize size = study.sizes.empty() && study.domain
                               ? DomainPlan::choices(*study.domain, 1).front()
                               : (study.sizes.empty() ? ProblemSize{} : study.sizes.front());
  const SearchSpace space = SearchSpace::build(space_definition(study, size, device));
  if (space.size() == 0) return out;
  const Configuration one = study.baseline ? study.baseline->configuration : space.configuration(0);
  const auto plan = variant_plan(study, space, one);
  if (!plan) return out;
  if (auto made = compile_request(study, space, one, plan->then, device, sources.kernel)) {
    out.push_back(std::move(*made));
  }
  if (!study.reference || study.reference->entry.empty()) return out;
  const std::vector<ReferenceCase> cases = reference_cases(study, space);
  if (cases.empty()) return out;
  if (auto made = reference_request(study, space, cases.front(), device, sources.reference)) {
    out.push_back(std::move(*made));
  }
  return out;
}

// What the compiler says of the first that it does not take; empty: it takes all.
std::string refusal_of(CompilePool& pool, const ArtifactLibrary& library,
                       std::vector<CompileRequest> requests) {
  std::size_t awaited = 0;
  for (CompileRequest& request : requests) {
    const std::string key = library.key(request);
    if (library.find(key)) continue;
    pool.submit(key, std::move(request));
    ++awaited;
  }
  std::string refusal;
  while (awaited > 0) {
    PollSet events;
    pool.watch(events);
    events.wait();
    for (const CompileResult& result : pool.handle()) {
      --awaited;
      if (result.outcome || !refusal.empty()) continue;
      refusal = result.outcome.error().log.empty() ? "no reason" : result.outcome.error().log;
    }
  }
  return refusal;
}

// The first line that says what is wrong.
std::string error_line(const std::string& log) {
  for (std::string_view rest = log; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.find("error") != std::string_view::npos) return std::string(trimmed(line));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return log.substr(0, log.find('\n'));
}

struct Choice {
  std::unique_ptr<CompilePool> other;  // null: the backend's own
  std::string note;                    // why, for the user; may be empty
};

using Open = std::function<std::unique_ptr<CompilePool>(const std::string& compiler)>;

Choice try_both(const Study& study, const DeviceFacts& device, const SourceTexts& sources,
                const ArtifactShelf& shelf, CompilePool& own, const Open& open) {
  const std::string key = to_hex(Hasher()
                                     .add("compiler of")
                                     .add(own.identity())
                                     .add(sources.digest)
                                     .add(device.arch)
                                     .add(study.text)
                                     .digest());
  const auto known = shelf.recall(key);
  if (known && known->empty()) return {};
  if (known) return {open(kNvcc), *known};
  const std::string refusal =
      refusal_of(own, shelf.library(own.identity(), sources), samples_of(study, device, sources));
  if (refusal.empty()) {
    shelf.remember(key, "");
    return {};
  }
  auto other = open(kNvcc);
  const SourceTexts whole = whole_sources(study, sources);
  const std::string again =
      refusal_of(*other, shelf.library(other->identity(), whole), samples_of(study, device, whole));
  if (!again.empty()) {  // the run shows what NVRTC says
    return {nullptr, "note: neither NVRTC nor nvcc takes this study's source; nvcc says: " +
                         error_line(again)};
  }
  std::string note = "note: nvcc compiles this study, because NVRTC does not take its source: " +
                     error_line(refusal);
  shelf.remember(key, note);
  return {std::move(other), std::move(note)};
}

Choice choose(const Study& study, const std::function<DeviceFacts()>& device,
              const SourceTexts& sources, const ArtifactShelf& shelf, CompilePool& own,
              const Open& open) {
  if (study.kernel.compiler == KernelCompiler::kNvcc) return {open(kNvcc), ""};
  if (has_to_be_linked(study)) {
    return {open(kNvcc),
            "note: nvcc compiles this study, because its device code has to be linked"};
  }
  try {
    return try_both(study, device(), sources, shelf, own, open);
  } catch (const UnavailableError& error) {
    return {nullptr, fmt::format("note: NVRTC does not take this study's source, and nvcc, which "
                                 "might, cannot be used: {}",
                                 error.what())};
  }
}

}  // namespace

StudyCompilers compilers_for(const Study& study, const std::string& backend,
                             const ArtifactShelf& shelf, const std::function<DeviceFacts()>& device,
                             std::unique_ptr<CompilePool> own, const Open& open) {
  StudyCompilers out{std::move(own), read_sources(study), {}};
  std::string name = backend;
  if (backend == "cuda" && study.runnable && study.kernel.compiler != KernelCompiler::kNvrtc) {
    Choice choice = choose(study, device, out.sources, shelf, *out.pool, open);
    if (!choice.note.empty()) out.notes.push_back(std::move(choice.note));
    if (choice.other) {
      name = kNvcc;
      out.pool = std::move(choice.other);
      out.sources = whole_sources(study, std::move(out.sources));
    }
  }
  if (auto text = idle_options_note(study, name); !text.empty()) {
    out.notes.push_back(std::move(text));
  }
  return out;
}

}  // namespace tuner
