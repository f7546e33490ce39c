// Keeps what the handles of textures stand for.

#include <algorithm>
#include <cstring>

#include "tuner/plugins/cpu/cpu_backend.h"

namespace tuner::cpu {

// A handle is the address of what the runtime's functions look at.
std::uint64_t CpuBackend::texture_of(tuner_range at, const tuner_texture& how) {
  const std::uint64_t rows = std::max<std::uint64_t>(how.height, 1);
  const std::uint64_t all = std::max<std::uint64_t>(how.depth, 1) * rows * how.width;
  const std::uint64_t element = how.lanes * programs::bytes_of(how.type);
  const tuner_cpu_texture wanted{memory_.at(at, all * element),
                                 how.type,
                                 how.lanes,
                                 how.filter,
                                 how.outside,
                                 how.normalized,
                                 how.as_floats,
                                 how.kind,
                                 static_cast<unsigned>(element),
                                 static_cast<long long>(how.width),
                                 static_cast<long long>(how.height),
                                 static_cast<long long>(how.depth)};
  std::list<tuner_cpu_texture>& known = textures_[at.buffer];
  const auto same = [&](const tuner_cpu_texture& one) {
    return std::memcmp(&one, &wanted, sizeof one) == 0;
  };
  const auto found = std::find_if(known.begin(), known.end(), same);
  const tuner_cpu_texture& one = found != known.end() ? *found : known.emplace_back(wanted);
  return reinterpret_cast<std::uintptr_t>(&one);
}

}  // namespace tuner::cpu
