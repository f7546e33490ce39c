// Asks the backend for samples: cold, hot or in turns, from a stream or a graph. Makes the copies
// for launches in turns.

#include "tuner/measure/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tuner/base/expected.h"
#include "tuner/model/statistics.h"

namespace tuner {

namespace {

constexpr std::uint64_t kAlignment = 1024;  // no less than that of the contents of a guarded buffer
// Assumed where a backend does not know how large its cache is.
constexpr std::uint64_t kUsualCache = std::uint64_t{32} << 20;
// With one copy alone each launch would find what the one before it left.
constexpr std::uint64_t kFewestCopies = 2;

std::uint64_t rounded_up(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

Rotation::Layout Rotation::layout_of(const std::vector<std::uint64_t>& bytes) {
  Layout layout;
  for (const std::uint64_t one : bytes) {
    layout.offsets.push_back(layout.bytes);
    layout.bytes += rounded_up(one);
  }
  return layout;
}

std::uint64_t Rotation::copies_of(const Layout& layout) const {
  if (layout.bytes == 0) return 0;
  const std::int64_t told = backend_.facts().l2_bytes;
  const std::uint64_t cache = told > 0 ? static_cast<std::uint64_t>(told) : kUsualCache;
  return std::max(kFewestCopies, 2 * cache / layout.bytes + 1);
}

std::uint64_t Rotation::copies(const BoundLaunch& bound) const {
  return copies_of(layout_of(bound.bytes));
}

DeviceResult<Ok> Rotation::reserve(const std::vector<std::uint64_t>& bytes) {
  const Layout layout = layout_of(bytes);
  return make_room(copies_of(layout), layout.bytes);
}

DeviceResult<Ok> Rotation::make_room(std::uint64_t copies, std::uint64_t bytes) {
  if (copies * bytes <= room_bytes_) return Ok{};
  room_ = {};  // first, so that both never exist
  room_bytes_ = 0;
  auto room = backend_.memory().allocate(copies * bytes);
  if (!room) {
    DeviceFailure failure = room.error();
    failure.message =
        fmt::format("'cache: rotate' needs {} copies of the buffers, {} MiB more ({})", copies,
                    (copies * bytes + (1U << 20) - 1) >> 20, failure.message);
    return Unexpected{std::move(failure)};
  }
  room_ = DeviceBuffer(backend_.memory(), *room);
  room_bytes_ = copies * bytes;
  return Ok{};
}

// Makes one copy of the buffers as they are now.
DeviceResult<Ok> Rotation::fill_one(const BoundLaunch& bound, const Layout& layout,
                                    std::uint64_t copy) {
  DeviceMemory& memory = backend_.memory();
  TUNER_TRY(tuner::begin_anew(memory, bound));
  for (std::size_t i = 0; i < bound.bytes.size(); ++i) {
    if (bound.bytes[i] == 0) continue;
    TUNER_TRY(memory.copy({room_.id(), copy * layout.bytes + layout.offsets[i]}, bound.buffers[i],
                          bound.bytes[i]));
  }
  return Ok{};
}

// Copies of the first ones that are `made`, as many at once as there are already.
DeviceResult<Ok> Rotation::repeat(const Layout& layout, std::uint64_t made, std::uint64_t copies) {
  while (made < copies) {
    const std::uint64_t more = std::min(made, copies - made);
    TUNER_TRY(backend_.memory().copy({room_.id(), made * layout.bytes}, {room_.id(), 0},
                                     more * layout.bytes));
    made += more;
  }
  return Ok{};
}

LaunchSequence Rotation::moved(const BoundLaunch& bound, const Layout& layout,
                               std::uint64_t copy) const {
  const auto move = [&](BufferRange& range) {
    for (std::size_t i = 0; i < bound.bytes.size(); ++i) {
      if (bound.bytes[i] == 0 || bound.buffers[i].buffer != range.buffer) continue;
      const std::uint64_t inside = range.offset - bound.buffers[i].offset;
      range = {room_.id(), copy * layout.bytes + layout.offsets[i] + inside};
      return;
    }
  };
  LaunchSequence sequence = bound.sequence;
  for (KernelLaunch& launch : sequence) {
    for (LaunchArgument& argument : launch.arguments) {
      if (argument.is_buffer) move(argument.buffer);
      for (AddressAt& address : argument.addresses) move(address.of);
    }
    for (Zeros& zeros : launch.zeros) move(zeros.at);
  }
  return sequence;
}

DeviceResult<std::vector<LaunchSequence>> Rotation::turns(const BoundLaunch& bound,
                                                          std::uint64_t launches,
                                                          const Renew& renew) {
  const Layout layout = layout_of(bound.bytes);
  const std::uint64_t count = copies_of(layout);
  std::vector<LaunchSequence> out;
  if (count == 0) return out;
  const bool used_once = bound.begins_anew();
  const bool used_up = renew || (used_once && next_ + launches > count);
  if (filled_ != bound.bytes || used_up) {
    filled_.clear();
    TUNER_TRY(make_room(count, layout.bytes));
    const std::uint64_t different = renew ? std::min(count, launches) : 1;
    for (std::uint64_t copy = 0; copy < different; ++copy) {
      if (renew) TUNER_TRY(renew());
      TUNER_TRY(fill_one(bound, layout, copy));
    }
    // The others are there to fill the cache.
    TUNER_TRY(repeat(layout, different, count));
    filled_ = bound.bytes;
    next_ = 0;
  }
  for (std::uint64_t i = 0; i < std::min(count, launches); ++i) {
    out.push_back(moved(bound, layout, (next_ + i) % count));
  }
  next_ += launches;
  last_ = (next_ - 1) % count;
  if (!used_once) next_ %= count;
  return out;
}

DeviceResult<Ok> Rotation::take_back(const BoundLaunch& bound,
                                     const std::vector<std::uint32_t>& arguments) {
  const Layout layout = layout_of(bound.bytes);
  for (const std::uint32_t i : arguments) {
    if (bound.bytes[i] == 0) continue;
    TUNER_TRY(backend_.memory().copy(
        bound.buffers[i], {room_.id(), last_ * layout.bytes + layout.offsets[i]}, bound.bytes[i]));
  }
  return Ok{};
}

namespace {

// Hot samples shorter than this are made of several launches: events resolve half a microsecond.
constexpr double kShortestSampleMs = 0.1;
constexpr double kMostLaunches = 100;
// Samples from a graph must be longer: the graph's own launch lies between the events, too, and
// takes some microseconds.
constexpr double kShortestGraphMs = 0.5;
constexpr double kMostInGraph = 200;  // kernels

}  // namespace

void Sampler::begin_anew() {
  conditions_.clear();
  rotation_.begin_anew();
}

Conditions Sampler::conditions() const {
  const auto median_of = [this](double Conditions::*member) {
    std::vector<double> known;
    for (const Conditions& one : conditions_) {
      if (one.*member > 0) known.push_back(one.*member);
    }
    return known.empty() ? 0 : median(known);
  };
  return {median_of(&Conditions::clock_mhz), median_of(&Conditions::watts)};
}

DeviceResult<std::vector<double>> Sampler::time(const BoundLaunch& bound, std::uint32_t samples,
                                                std::uint32_t launches, SampleInputs inputs) {
  TimingRequest request;
  request.samples = samples;
  request.launches_per_sample = launches;
  request.flush_cache = measuring().cache == CacheState::kCold;
  request.graph = measuring().mode == LaunchMode::kGraph;
  TUNER_TRY(buffers_.enter(bound));
  const bool in_turns = measuring().cache == CacheState::kRotate && rotation_.copies(bound) > 0;
  if (!in_turns) {
    request.restores = bound.restores;
    request.fills = bound.fills();
  }
  const bool drawn = inputs == SampleInputs::kDrawn;
  const auto times = TUNER_TRY(in_turns ? time_in_turns(bound, request, inputs)
                               : drawn  ? time_on_drawn_inputs(bound, request)
                                        : backend_.time(bound.sequence, request));
  conditions_.push_back(backend_.conditions());
  for (const double time : times) {
    // Not a time: one such number would spoil every comparison.
    if (is_time(time)) continue;
    return Unexpected{
        DeviceFailure{DeviceError::kRuntime, fmt::format("the backend measured {} ms", time)}};
  }
  return times;
}

DeviceResult<Ok> Sampler::draw_inputs(const BoundLaunch& bound) {
  TUNER_TRY(buffers_.use_inputs(kTimedSet));
  return buffers_.set_constants(bound);
}

// A request for each sample: its inputs are written in front of it, and it flushes the cache then.
DeviceResult<std::vector<double>> Sampler::time_on_drawn_inputs(const BoundLaunch& bound,
                                                                TimingRequest request) {
  const std::uint32_t samples = std::exchange(request.samples, 1);
  std::vector<double> all;
  for (std::uint32_t i = 0; i < samples; ++i) {
    TUNER_TRY(draw_inputs(bound));
    all.push_back(TUNER_TRY(backend_.time(bound.sequence, request)).front());
  }
  return all;
}

// Times samples on rotating copies of the buffers. Where each launch needs its buffers as they
// were, or other inputs, it takes as many samples at a time as there are copies, and makes these
// anew. What the last launch left is taken back, so that it can be checked like that of any other.
DeviceResult<std::vector<double>> Sampler::time_in_turns(const BoundLaunch& bound,
                                                         TimingRequest request,
                                                         SampleInputs inputs) {
  constexpr std::uint64_t kMostInRequest = 64;  // which lists all of its launches
  const std::vector<ArgumentPlan>& arguments = buffers_.plan().arguments;
  std::vector<std::uint32_t> written;
  for (std::uint32_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].is_scalar && arguments[i].role != Role::kIn) written.push_back(i);
  }
  const std::uint64_t samples = request.samples;
  const std::uint64_t launches = request.launches_per_sample;
  const std::uint64_t fitting = std::max<std::uint64_t>(1, rotation_.copies(bound) / launches);
  const bool drawn = inputs == SampleInputs::kDrawn;
  const bool used_once = bound.begins_anew() || drawn;
  const std::uint64_t most = used_once ? std::min(fitting, kMostInRequest) : kMostInRequest;
  // The last copy is that of the last launch, whose answer can be looked at.
  Rotation::Renew renew;
  if (drawn) renew = [&] { return draw_inputs(bound); };
  std::vector<double> all;
  while (all.size() < samples) {
    request.samples = static_cast<std::uint32_t>(std::min(most, samples - all.size()));
    request.turns = TUNER_TRY(rotation_.turns(bound, request.samples * launches, renew));
    const auto times = TUNER_TRY(backend_.time(bound.sequence, request));
    all.insert(all.end(), times.begin(), times.end());
    TUNER_TRY(rotation_.take_back(bound, written));
  }
  return all;
}

// Several launches in one sample where one is too short to be timed. Not with a cold cache, which
// must be flushed before each launch, and no more than buffers can be restored, or filled with
// other inputs, for.
std::uint32_t Sampler::launches_for(const BoundLaunch& bound, double one_ms,
                                    SampleInputs inputs) const {
  if (measuring().cache == CacheState::kCold || !(one_ms > 0)) return 1;
  const bool graph = measuring().mode == LaunchMode::kGraph;
  const auto kernels = static_cast<double>(bound.sequence.size());
  double most = graph ? std::floor(kMostInGraph / kernels) : kMostLaunches;
  if (bound.is_used_up() || inputs == SampleInputs::kDrawn) {
    if (measuring().cache == CacheState::kHot) return 1;
    most = std::min(most, static_cast<double>(rotation_.copies(bound)));
  }
  return static_cast<std::uint32_t>(
      std::clamp(std::ceil((graph ? kShortestGraphMs : kShortestSampleMs) / one_ms), 1.0,
                 std::max(1.0, most)));
}

// Alone in a graph a short launch takes several times as long as among others: there it is looked
// at again.
DeviceResult<std::uint32_t> Sampler::choose_launches(const BoundLaunch& bound, double one_ms,
                                                     SampleInputs inputs) {
  const std::uint32_t launches = launches_for(bound, one_ms, inputs);
  if (launches == 1 || measuring().mode != LaunchMode::kGraph) return launches;
  return launches_for(bound, TUNER_TRY(time(bound, 1, launches, inputs)).front(), inputs);
}

}  // namespace tuner
