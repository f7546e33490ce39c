// Makes the copies, and moves a variant's launches onto them.

#include "tuner/measure/rotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/base/try.h"

namespace tuner {
namespace {

constexpr std::uint64_t kAlignment = 1024;  // no less than that of the contents of a guarded buffer
// Where a backend does not know how large its cache is.
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

// Of the buffers as they are now.
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
      if (renew) TUNER_TRY(renew(copy + 1 == different));
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

}  // namespace tuner
