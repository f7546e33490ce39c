#pragma once
// This machine in the words of a device, and what a block may use.

#include <cstdint>

#include "tuner/plugin/abi.h"

namespace tuner::cpu {

// What a block may use: the figures of current GPUs, so that a variant that they refuse is refused
// here too.
inline constexpr std::uint32_t kWarpSize = 32;
inline constexpr std::uint32_t kMaxThreads = 1024;
inline constexpr std::uint64_t kMaxStaticSharedBytes = 48 * 1024;
inline constexpr std::uint64_t kMaxSharedBytes = 227 * 1024;  // static and dynamic together

// This machine as a device. Limits of blocks are those above.
tuner_device_facts host_facts();

}  // namespace tuner::cpu
