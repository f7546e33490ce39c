// Reads captures.

#include "tuner/model/captured_launch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<std::byte> from_hexadecimal(const std::string& text) {
  std::vector<std::byte> out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    unsigned value = 0;
    const char* const begin = text.data() + i;
    if (std::from_chars(begin, begin + 2, value, 16).ptr != begin + 2) {
      throw std::invalid_argument("'" + text + "' is not a list of hexadecimal bytes");
    }
    out.push_back(static_cast<std::byte>(value));
  }
  if (text.size() % 2 != 0) throw std::invalid_argument("half a byte in '" + text + "'");
  return out;
}

// The name of a file of the folder, which must be there and lie in it.
std::string file_in(const fs::path& folder, const std::string& name) {
  std::error_code failed;
  const fs::file_status status = fs::symlink_status(folder / name, failed);  // no link out of it
  if (fs::path(name).filename() != name || !fs::is_regular_file(status)) {
    throw std::invalid_argument("there is no file '" + name + "' in the folder");
  }
  return name;
}

LaunchGeometry geometry_of(const json& from) {
  const auto numbers = from.at("geometry").get<std::array<std::uint64_t, 7>>();
  LaunchGeometry out;
  for (std::size_t i = 0; i < 3; ++i) {
    out.grid.at(i) = static_cast<std::uint32_t>(numbers.at(i));
    out.block.at(i) = static_cast<std::uint32_t>(numbers.at(i + 3));
  }
  out.dynamic_shared_bytes = numbers[6];
  const json attributes = from.value("attributes", json::object());
  out.attributes.cluster = attributes.value("cluster", out.attributes.cluster);
  out.attributes.cooperative = attributes.value("cooperative", false);
  out.attributes.carveout = attributes.value("carveout", -1);
  out.attributes.programmatic = attributes.value("programmatic", false);
  return out;
}

CapturedMemory memory_of(const fs::path& folder, const json& from) {
  CapturedMemory out;
  from.at("address").get_to(out.address);
  from.at("size").get_to(out.size);
  out.file = file_in(folder, from.at("file"));
  const std::string written = from.value("written", "");
  if (!written.empty()) out.written = file_in(folder, written);
  out.parts = from.value("parts", decltype(out.parts){{0, out.size}});
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 16, kEnd = std::uint64_t{1} << 47;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  if (out.size == 0 || out.size > kMost || out.address < kFirst || out.address > kEnd - out.size) {
    throw std::invalid_argument("an allocation of no bytes, or where no memory can be");
  }
  return out;
}

CapturedLaunch launch_of(const fs::path& folder, const json& from) {
  CapturedLaunch out;
  out.folder = folder;
  from.at("kernel").at("mangled").get_to(out.mangled);
  from.at("kernel").at("name").get_to(out.name);
  out.geometry = geometry_of(from);
  for (const json& one : from.at("parameters")) {
    out.parameters.push_back({one.at("offset"), from_hexadecimal(one.at("bytes"))});
  }
  for (const json& one : from.at("allocations")) out.memory.push_back(memory_of(folder, one));
  std::ranges::sort(out.memory, {}, &CapturedMemory::address);
  for (std::size_t i = 1; i < out.memory.size(); ++i) {
    if (out.memory[i - 1].address + out.memory[i - 1].size > out.memory[i].address) {
      throw std::invalid_argument("two allocations overlap");
    }
  }
  for (const json& one : from.value("variables", json::array())) {
    out.variables.push_back(
        {one.at("name"), from_hexadecimal(one.at("bytes")), one.value("changes", false)});
  }
  out.image = file_in(folder, from.at("image"));
  const json& device = from.at("device");
  out.backend = device.value("backend", "cuda");
  out.device = device.value("name", "");
  out.arch = device.value("arch", "");
  return out;
}

}  // namespace

std::uint64_t CapturedParameter::word() const {
  std::uint64_t out = 0;
  if (bytes.size() == sizeof out) std::memcpy(&out, bytes.data(), sizeof out);
  return out;
}

std::uint64_t CapturedLaunch::bytes() const {
  std::uint64_t sum = 0;
  for (const CapturedMemory& one : memory) sum += one.size;
  return sum;
}

std::vector<fs::path> CapturedLaunch::files() const {
  std::vector<fs::path> out;
  if (folder.empty()) return out;
  out = {folder / "capture.json", folder / image};
  for (const CapturedMemory& one : memory) {
    out.push_back(folder / one.file);
    if (!one.written.empty()) out.push_back(folder / one.written);
  }
  return out;
}

const CapturedMemory* CapturedLaunch::memory_at(std::uint64_t address) const {
  const auto found = std::ranges::find_if(memory, [&](const CapturedMemory& one) {
    return address >= one.address && address - one.address < one.size;
  });
  return found == memory.end() ? nullptr : &*found;
}

CapturedLaunch read_capture(const fs::path& folder) {
  const fs::path file = folder / "capture.json";
  std::error_code failed;
  if (!fs::is_regular_file(file, failed)) {
    reject(file.string(), "is not there: a capture is a folder that 'tuner capture' has written");
  }
  try {
    return launch_of(folder, json::parse(read_file(file)));
  } catch (const json::exception& error) {
    reject(file.string(), std::string("is no capture: ") + error.what());
  } catch (const std::invalid_argument& error) {
    reject(file.string(), std::string("is damaged: ") + error.what());
  }
}

}  // namespace tuner
