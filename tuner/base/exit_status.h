#pragma once
// The statuses that the program ends with.

namespace tuner {

inline constexpr int kExitDone = 0;
inline constexpr int kExitNothingValid = 1;  // or a FatalError
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitUnavailable = 3;
inline constexpr int kExitInterrupted = 130;

}  // namespace tuner
