#pragma once
// What a block may use: the figures of current GPUs, so that a variant that they refuse is refused
// here too.

#include <cstdint>

namespace tuner::cpu {

inline constexpr std::uint32_t kWarpSize = 32;
inline constexpr std::uint32_t kMaxThreads = 1024;
inline constexpr std::uint64_t kMaxStaticSharedBytes = 48 * 1024;
inline constexpr std::uint64_t kMaxSharedBytes = 227 * 1024;  // static and dynamic together

}  // namespace tuner::cpu
