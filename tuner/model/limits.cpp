// Compares a launch with what the device can hold, and computes its occupancy.

#include "tuner/model/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace tuner {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Registers are handed out to warps in units of 256 on every architecture since compute capability
// 3.0, and warps in fours (one for each of the multiprocessor's four schedulers).
constexpr std::int64_t kRegisterUnit = 256;
constexpr std::int64_t kWarpUnit = 4;

// Shared memory is handed out in units of 128 bytes since compute capability 8.0, 256 before.
std::int64_t shared_memory_unit(const DeviceFacts& device) {
  return device.compute_capability >= 80 ? 128 : 256;
}

std::int64_t registers_of_block(const DeviceFacts& device, std::int64_t registers,
                                std::int64_t warps) {
  return round_up(registers * device.warp_size, kRegisterUnit) * round_up(warps, kWarpUnit);
}

}  // namespace

namespace {

// Clusters: "Thread Block Clusters" in the CUDA C++ Programming Guide. More than 8 blocks are for
// the device to refuse: some can have 16.
std::optional<std::string> over_cluster_limits(const LaunchGeometry& geometry,
                                               const DeviceFacts& device) {
  constexpr std::uint64_t kMostBlocks = 16;
  constexpr char kAxis[] = "xyz";
  const LaunchAttributes& asked = geometry.attributes;
  const bool has_cluster = asked.blocks_in_cluster() > 1;
  if (!has_cluster && !asked.programmatic) return std::nullopt;
  if (device.compute_capability < 90) {
    const int has = device.compute_capability;
    return fmt::format("{} need compute capability 9.0, the device has {}",
                       has_cluster ? "clusters" : "programmatic launches",
                       has == 0 ? "none" : fmt::format("{}.{}", has / 10, has % 10));
  }
  if (!has_cluster) return std::nullopt;
  if (asked.blocks_in_cluster() > kMostBlocks) {
    return fmt::format("a cluster of {} blocks, devices allow {}", asked.blocks_in_cluster(),
                       kMostBlocks);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (geometry.grid[i] % asked.cluster[i] == 0) continue;
    return fmt::format("grid.{} is {}, no multiple of the cluster's {}", kAxis[i], geometry.grid[i],
                       asked.cluster[i]);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> over_limits(const LaunchGeometry& geometry, const DeviceFacts& device) {
  constexpr char kAxis[] = "xyz";
  for (std::size_t i = 0; i < 3; ++i) {
    if (geometry.block[i] > device.max_block[i]) {
      return fmt::format("block.{} is {}, the device allows {}", kAxis[i], geometry.block[i],
                         device.max_block[i]);
    }
    if (geometry.grid[i] > device.max_grid[i]) {
      return fmt::format("grid.{} is {}, the device allows {}", kAxis[i], geometry.grid[i],
                         device.max_grid[i]);
    }
  }
  if (geometry.threads_per_block() > static_cast<std::uint64_t>(device.max_threads_per_block)) {
    return fmt::format("{} threads per block, the device allows {}", geometry.threads_per_block(),
                       device.max_threads_per_block);
  }
  const auto shared = static_cast<std::uint64_t>(device.max_shared_memory_per_block_optin);
  if (geometry.dynamic_shared_bytes > shared) {
    return fmt::format("needs {} bytes of shared memory, the device has {}",
                       geometry.dynamic_shared_bytes, shared);
  }
  if (geometry.attributes != LaunchAttributes{} && !device.can(kSetsLaunchAttributes)) {
    return fmt::format("launch attributes are not supported by {}", device.backend);
  }
  return over_cluster_limits(geometry, device);
}

std::optional<std::string> over_limits(const Resources& resources, const LaunchGeometry& geometry,
                                       const DeviceFacts& device) {
  if (auto reason = over_limits(geometry, device)) return reason;
  const auto threads = static_cast<std::int64_t>(geometry.threads_per_block());
  const std::int64_t fixed = std::max<std::int64_t>(0, resources.static_shared_bytes);
  // Static memory must fit into the default limit: a kernel can opt in to more for dynamic memory
  // only.
  if (fixed > device.max_shared_memory_per_block) {
    return fmt::format("needs {} bytes of static shared memory, the device has {}", fixed,
                       device.max_shared_memory_per_block);
  }
  const auto shared = fixed + static_cast<std::int64_t>(geometry.dynamic_shared_bytes);
  if (shared > device.max_shared_memory_per_block_optin) {
    return fmt::format("needs {} bytes of shared memory ({} static), the device has {}", shared,
                       fixed, device.max_shared_memory_per_block_optin);
  }
  if (resources.max_threads > 0 && threads > resources.max_threads) {
    return fmt::format("{} threads per block, the compiled kernel allows {}", threads,
                       resources.max_threads);
  }
  if (resources.registers > 0 && device.warp_size > 0) {
    const std::int64_t warps = round_up(threads, device.warp_size) / device.warp_size;
    const std::int64_t needed = registers_of_block(device, resources.registers, warps);
    if (needed > device.registers_per_block) {
      return fmt::format("needs {} registers per block, the device has {}", needed,
                         device.registers_per_block);
    }
  }
  return std::nullopt;
}

std::optional<std::string> over_limits(const VariantPlan& variant, const DeviceFacts& device) {
  return over_limits(variant, {}, device);
}

std::optional<std::string> over_limits(const VariantPlan& variant,
                                       std::span<const Resources> kernels,
                                       const DeviceFacts& device) {
  const auto resources = [&](std::size_t i) {
    return i < kernels.size() ? kernels[i] : Resources{};
  };
  if (auto reason = over_limits(resources(0), variant.geometry, device)) return reason;
  for (std::size_t i = 0; i < variant.then.size(); ++i) {
    const NextLaunchPlan& next = variant.then[i];
    if (const auto reason = over_limits(resources(i + 1), next.geometry, device)) {
      return next.name + ": " + *reason;
    }
  }
  return std::nullopt;
}

std::vector<Resources> kernels_of(const Artifact& artifact) {
  std::vector<Resources> all{artifact.resources};
  for (const NextKernel& next : artifact.then) all.push_back(next.resources);
  return all;
}

// The rules of NVIDIA's occupancy calculator (cuda_occupancy.h of the CUDA toolkit, and "Hardware
// Multithreading" in the CUDA C++ Programming Guide): a multiprocessor holds as many blocks as its
// block slots, warp slots, registers and shared memory each allow. Each block also takes the
// driver's reserved shared memory.
double occupancy(const DeviceFacts& device, const Resources& resources,
                 const LaunchGeometry& geometry) {
  if (resources.registers < 0 || device.warp_size <= 0) return -1;
  const auto threads = static_cast<std::int64_t>(geometry.threads_per_block());
  const std::int64_t warps = round_up(threads, device.warp_size) / device.warp_size;
  const std::int64_t max_warps = device.max_threads_per_multiprocessor / device.warp_size;
  if (warps == 0 || max_warps == 0) return -1;

  std::int64_t blocks = std::min(device.max_blocks_per_multiprocessor, max_warps / warps);
  const std::int64_t warp_registers =
      round_up(resources.registers * device.warp_size, kRegisterUnit);
  if (warp_registers > 0) {
    const std::int64_t warp_slots =
        device.registers_per_multiprocessor / warp_registers / kWarpUnit * kWarpUnit;
    blocks = std::min(blocks, warp_slots / warps);
  }
  const std::int64_t shared =
      round_up(std::max<std::int64_t>(0, resources.static_shared_bytes) +
                   static_cast<std::int64_t>(geometry.dynamic_shared_bytes) +
                   device.reserved_shared_memory_per_block,
               shared_memory_unit(device));
  if (shared > 0) blocks = std::min(blocks, device.shared_memory_per_multiprocessor / shared);
  return static_cast<double>(blocks * warps) / static_cast<double>(max_warps);
}

}  // namespace tuner
