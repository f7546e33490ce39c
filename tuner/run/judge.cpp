// Runs one configuration at many sizes, on inputs that nobody has seen.

#include "tuner/run/judge.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/base/stopwatch.h"
#include "tuner/resolve/objective.h"
#include "tuner/resolve/resolve.h"
#include "tuner/run/device_run.h"
#include "tuner/source/device_part.h"
#include "tuner/study/size_check.h"

namespace tuner {
namespace {

constexpr int kSetsOfInputs = 3;
constexpr std::int64_t kMostElements = std::int64_t{1} << 28;  // of an extent

std::int64_t tile_of(std::int64_t extent, std::uint32_t blocks) {
  const auto count = static_cast<std::int64_t>(blocks);
  return (extent + count - 1) / count;
}

bool holds(const SizeDomain& domain, const ProblemSize& size) {
  Bindings names;
  for (std::size_t i = 0; i < size.dims.size(); ++i) {
    const auto& [name, extent] = size.dims[i];
    const ExtentRange& range = domain.extents.at(i);
    if (extent < range.low || extent > range.high) return false;
    names[name] = extent;
  }
  return std::ranges::any_of(domain.kinds, [&](const SizeKind& kind) {
    if (kind.rule.empty()) return true;
    const auto value = kind.rule.evaluate(names);
    return value && truth(*value);
  });
}

// Timing says nothing there, but one sample is needed.
Study for_answers_only(Study study) {
  study.measure.min_samples = 1;
  study.measure.max_samples = 1;
  study.measure.inputs = TimedInputs::kSame;
  study.least_work.reset();
  return study;
}

bool has_random_inputs(const Study& study) {
  const auto is_random = [](const ArgumentSpec& one) {
    return (one.role == Role::kIn || one.role == Role::kInOut) && !one.is_scalar &&
           one.fill.is_random();
  };
  return std::ranges::any_of(study.arguments, is_random);
}

Study as_judged(Study study) {
  const bool by_files = study.reference && !study.reference->files.empty();
  if (study.reference) study.reference->seeds = std::max(study.reference->seeds, kSetsOfInputs);
  if (has_random_inputs(study) && !by_files) study.measure.inputs = TimedInputs::kFresh;
  study.measure.drop_above = 0;
  return study;
}

class Court {
 public:
  Court(const JudgeTask& task, Bench& bench, const Caller& caller)
      : task_(task),
        caller_(caller),
        first_{bench.models().front().front().get()},
        judged_(as_judged(task.judged)),
        own_sources_(bench.sources_of(task.own)) {
    bench.find_ceilings({&first_, 1});
    device_.emplace(bench.device({&first_, 1}));
    own_device_.emplace(bench.device({&first_, 1}, own_sources_));
    reference_ = bench.sources().reference;
  }

  Judged judged() {
    Judged out;
    out.device = device_->facts();
    for (const ProblemSize& size : judged_.sizes) {
      if (!look(out, judged_, size, false)) return out;
    }
    const ProblemSize& first = judged_.sizes.front();
    for (const ProblemSize& size :
         sizes_at_the_edge(judged_, first, out.checks.front().trial.geometry)) {
      if (is_possible(size) && !look_at_the_edge(out, size)) return out;
    }
    look_for_same_bits(out, first);
    out.accepted = true;
    return out;
  }

 private:
  static bool is_failure(const JudgeCheck& check) { return check.counts && !is_valid(check.trial); }
  bool is_over() const { return caller_.interrupt.count() > 0; }

  // As far as the study's expressions say.
  bool is_possible(const ProblemSize& size) const { return check_size(judged_, size).empty(); }

  // Nothing: no configuration of these values is valid at the size, or it was interrupted.
  std::optional<Trial> evaluate(PooledDevice& device, const std::string& reference,
                                const Study& study, const ProblemSize& size,
                                const Configuration& configuration, Judged* timed) {
    const SearchSpace space =
        SearchSpace::build(definition_of_one(study, configuration, size, device.facts()));
    if (space.size() == 0) return std::nullopt;
    SizeTask task{study, space, size, device.facts()};
    plan_preparation(reference, task);
    for (auto* arguments : {&task.plan.arguments, &task.plan.constants}) {
      for (ArgumentPlan& argument : *arguments) argument.seed ^= task_.secret;
    }
    if (timed != nullptr) {
      task.reference_timed = [timed](double ms) {
        if (!timed->reference_ms) timed->reference_ms = ms;
      };
    }
    const auto evaluator = device.evaluator(std::move(task));
    evaluator->submit(0);
    return evaluator->next(kNoEnd);
  }

  // Whether to go on.
  bool look(Judged& out, const Study& study, const ProblemSize& size, bool at_the_edge) {
    if (is_over()) return false;
    if (out.configuration.empty()) out.configuration = task_.configuration(size, out.device);
    auto trial = evaluate(*device_, reference_, study, size, out.configuration,
                          at_the_edge ? nullptr : &out);
    if (!trial) return at_the_edge;
    JudgeCheck check{size, at_the_edge, std::move(*trial)};
    if (at_the_edge && !is_valid(check.trial)) check.counts = is_own_right(size);
    out.checks.push_back(std::move(check));
    return !is_failure(out.checks.back());
  }

  // Where the reference itself goes wrong nothing is to be said of others.
  bool look_at_the_edge(Judged& out, const ProblemSize& size) {
    try {
      return look(out, for_answers_only(judged_), size, true);
    } catch (const InputError&) {
      return true;
    } catch (const FatalError&) {
      return true;
    }
  }

  // Sizes of which nothing says that they are allowed are asked of nobody.
  bool is_own_right(const ProblemSize& size) {
    const Study own = for_answers_only(as_judged(task_.own));
    try {
      const Configuration configuration = task_.configuration(size, device_->facts());
      const auto trial =
          evaluate(*own_device_, own_sources_.reference, own, size, configuration, nullptr);
      return trial && is_valid(*trial);
    } catch (const InputError&) {
      return false;
    } catch (const FatalError&) {
      return false;
    }
  }

  // Where the study asks for it, it was looked at already.
  void look_for_same_bits(Judged& out, const ProblemSize& size) {
    out.deterministic = out.checks.front().trial.deterministic;
    if (out.deterministic || is_over()) return;
    Study twice = for_answers_only(judged_);
    twice.deterministic = true;
    const auto trial = evaluate(*device_, reference_, twice, size, out.configuration, nullptr);
    if (trial) out.deterministic = trial->deterministic;
  }

  const JudgeTask& task_;
  const Caller& caller_;
  WorkingDevice first_;
  Study judged_;
  SourceTexts own_sources_;
  std::string reference_;
  std::optional<PooledDevice> device_;
  std::optional<PooledDevice> own_device_;
};

}  // namespace

std::vector<std::string> host_functions_in(const std::string& source) {
  std::vector<std::string> names = device_part(source).left_out;
  std::erase_if(names, [](const std::string& name) { return name.starts_with("<"); });
  return names;
}

std::vector<ProblemSize> sizes_at_the_edge(const Study& study, const ProblemSize& size,
                                           const LaunchGeometry& geometry) {
  std::vector<ProblemSize> sizes;
  const auto add = [&](const ProblemSize& one) {
    if (one == size || std::ranges::find(sizes, one) != sizes.end()) return;
    if (study.domain && !holds(*study.domain, one)) return;
    sizes.push_back(one);
  };
  ProblemSize ones = size;
  ProblemSize odd = size;
  ProblemSize large = size;
  for (std::size_t d = 0; d < size.dims.size(); ++d) {
    const std::int64_t extent = size.dims[d].second;
    ones.dims[d].second = 1;
    odd.dims[d].second = std::max<std::int64_t>(1, extent % 2 == 0 ? extent - 1 : extent - 2);
    if (2 * extent + 1 <= kMostElements && d == 0) large.dims[d].second = 2 * extent + 1;
  }
  add(ones);
  for (std::size_t d = 0; d < size.dims.size(); ++d) {
    std::set<std::int64_t> extents{1, odd.dims[d].second};
    std::set<std::int64_t> tiles{static_cast<std::int64_t>(geometry.threads_per_block())};
    for (const std::uint32_t blocks : geometry.grid) {
      if (blocks > 1) tiles.insert(tile_of(size.dims[d].second, blocks));
    }
    for (const std::int64_t tile : tiles) {
      if (tile > 1) extents.insert({tile - 1, tile + 1});
    }
    for (const std::int64_t extent : extents) {
      ProblemSize one = size;
      one.dims[d].second = extent;
      add(one);
    }
  }
  add(odd);
  add(large);
  return sizes;
}

Judged judge(const DeviceSettings& settings, const JudgeTask& task, const Caller& caller) {
  const Stopwatch since;
  caller.catalogue.check_study(task.judged);
  Bench bench(settings, task.judged, caller);
  for (const std::string& text : bench.notes()) caller.note(text);
  Court court(task, bench, caller);
  Judged out = court.judged();
  out.seconds = since.seconds();
  return out;
}

}  // namespace tuner
