// Puts a launch's arguments into their places, and checks its groups.

#include "tuner/plugins/opencl/arguments.h"

#include <algorithm>
#include <utility>

namespace tuner::opencl {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw sdk::Error(TUNER_LAUNCH_REFUSED, why); }
[[noreturn]] void reject(const std::string& why) { throw sdk::Error(TUNER_INVALID, why); }

void check_groups(const LoadedEntry& entry, const tuner_launch& launch,
                  const tuner_device_facts& facts) {
  std::int64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    const auto within = [&](const char* what, std::int64_t value, std::int64_t limit) {
      if (value >= 1 && value <= limit) return;
      refuse(std::string(what) + "." + "xyz"[i] + " is " + std::to_string(value) +
             "; it must be from 1 to " + std::to_string(limit));
    };
    within("block", launch.block[i], facts.max_block[i]);
    within("grid", launch.grid[i], facts.max_grid[i]);
    threads *= launch.block[i];
  }
  std::int64_t most = facts.max_threads_per_block;
  if (entry.resources.max_threads > 0) most = std::min(most, entry.resources.max_threads);
  if (threads > most) {
    refuse(std::to_string(threads) + " work-items in a group; of this kernel there may be " +
           std::to_string(most));
  }
  const std::int64_t fixed = std::max<std::int64_t>(entry.resources.static_shared_bytes, 0);
  const auto room = static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, facts.max_shared_memory_per_block - fixed));
  if (launch.dynamic_shared_bytes > room) {
    refuse(std::to_string(fixed) + " bytes of static and " +
           std::to_string(launch.dynamic_shared_bytes) +
           " of dynamic local memory; together there may be " +
           std::to_string(facts.max_shared_memory_per_block));
  }
}

std::string counted(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " argument" : " arguments");
}

void check_kind(const ImageKernel& kernel, std::size_t place, bool is_buffer) {
  const std::string which =
      "argument " + std::to_string(place + 1) + " of kernel '" + kernel.name + "' ";
  const Takes takes = kernel.arguments[place];
  if (takes == Takes::kOther) {
    reject(which + "is an image or a sampler: a study gives buffers and numbers");
  }
  if (takes == Takes::kBuffer && !is_buffer) reject(which + "is a buffer, and a number is given");
  if (takes == Takes::kValue && is_buffer) reject(which + "is a number, and a buffer is given");
}

}  // namespace

std::vector<int> argument_places(const ImageKernel& kernel, std::size_t given,
                                 std::uint64_t dynamic_bytes) {
  std::vector<int> places;
  int next = 0;
  for (const Takes takes : kernel.arguments) places.push_back(takes == Takes::kLocal ? -1 : next++);
  const auto local = static_cast<std::size_t>(std::ranges::count(places, -1));
  const std::string name = "kernel '" + kernel.name + "' ";
  if (local > 1) {
    reject(name + "has " + std::to_string(local) +
           " __local arguments: a launch gives one, of 'dynamic_shared_bytes'");
  }
  if (local == 1 && dynamic_bytes == 0) {
    refuse(name + "has a __local argument, and 'dynamic_shared_bytes' is 0");
  }
  if (local == 0 && dynamic_bytes > 0) {
    refuse(name + "has no __local argument that " + std::to_string(dynamic_bytes) +
           " 'dynamic_shared_bytes' could be");
  }
  if (std::cmp_not_equal(next, given)) {
    reject(name + "takes " + counted(static_cast<std::size_t>(next)) +
           (local > 0 ? " beside its __local one, not " : ", not ") + std::to_string(given));
  }
  return places;
}

BoundLaunch bound(const LoadedEntry& entry, const tuner_launch& launch,
                  const tuner_device_facts& facts, const MemoryOf& memory_of) {
  check_groups(entry, launch, facts);
  BoundLaunch out;
  out.entry = &entry;
  const std::vector<int> places =
      argument_places(entry.image, launch.argument_count, launch.dynamic_shared_bytes);
  for (std::size_t i = 0; i < places.size(); ++i) {
    BoundArgument& to = out.arguments.emplace_back();
    if (places[i] < 0) {
      to.bytes = launch.dynamic_shared_bytes;
      continue;
    }
    const tuner_argument& from = launch.arguments[places[i]];
    check_kind(entry.image, i, from.is_buffer != 0);
    if (from.is_buffer != 0) {
      to.memory = memory_of(from.buffer);
    } else {
      to.value = from.scalar;
      to.bytes = from.scalar_size;
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    out.local[i] = launch.block[i];
    out.global[i] = std::size_t{launch.grid[i]} * launch.block[i];
  }
  return out;
}

void set_arguments(const BoundLaunch& launch) {
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const BoundArgument& one = launch.arguments[i];
    const bool is_buffer = one.memory != nullptr;
    const void* value = is_buffer ? static_cast<const void*>(&one.memory) : one.value;
    const cl_int code = cl_api().set_argument(launch.entry->kernel.get(), static_cast<cl_uint>(i),
                                              is_buffer ? sizeof(cl_mem) : one.bytes, value);
    if (code == CL_SUCCESS) continue;
    throw sdk::Error(classify(code, Phase::kCall), "argument " + std::to_string(i + 1) +
                                                       " of kernel '" + launch.entry->image.name +
                                                       "': " + describe(code, "clSetKernelArg"));
  }
}

}  // namespace tuner::opencl
