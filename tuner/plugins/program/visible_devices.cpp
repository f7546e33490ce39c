// Reads CUDA_VISIBLE_DEVICES.

#include "tuner/plugins/program/visible_devices.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <sstream>

namespace tuner::program {
namespace {

std::optional<std::size_t> device_of(const std::string& entry, std::span<const std::string> uuids) {
  if (entry.starts_with("GPU-")) {
    const auto begins = [&](const std::string& uuid) { return uuid.starts_with(entry); };
    if (std::ranges::count_if(uuids, begins) != 1) return std::nullopt;
    return static_cast<std::size_t>(std::ranges::find_if(uuids, begins) - uuids.begin());
  }
  const bool is_number = !entry.empty() && entry.front() >= '0' && entry.front() <= '9';
  if (!is_number) return std::nullopt;
  const std::size_t number = std::strtoul(entry.c_str(), nullptr, 10);
  return number < uuids.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::vector<std::size_t> visible_devices(const char* variable, std::span<const std::string> uuids) {
  std::vector<std::size_t> all(uuids.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (variable == nullptr) return all;
  std::vector<std::size_t> found;
  std::istringstream entries(variable);
  for (std::string entry; std::getline(entries, entry, ',');) {
    entry.erase(0, entry.find_first_not_of(" \t"));
    entry.erase(entry.find_last_not_of(" \t") + 1);
    if (entry.starts_with("MIG-")) return all;
    const auto device = device_of(entry, uuids);
    if (!device) break;
    if (std::ranges::find(found, *device) != found.end()) return {};
    found.push_back(*device);
  }
  return found;
}

}  // namespace tuner::program
