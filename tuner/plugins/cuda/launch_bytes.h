#pragma once
// Parameters of an application's launch as bytes, for the objects that look at launches.

#include <cuda.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace tuner::cuda {

// The packed buffer of a launch whose parameters come in one; empty: they do not.
inline std::string_view packed_parameters(void** extra) {
  const char* buffer = nullptr;
  std::size_t size = 0;
  for (; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<const char*>(extra[1]);
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) size = *static_cast<const std::size_t*>(extra[1]);
  }
  return {buffer, buffer != nullptr ? size : 0};
}

// Two digits for each byte.
inline std::string hexadecimal(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char one : bytes) {
    const auto byte = static_cast<unsigned char>(one);
    out += {kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return out;
}

}  // namespace tuner::cuda
