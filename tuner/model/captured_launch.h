#pragma once
// One launch of an application, captured: a folder with capture.json, the memory that the launch
// reached before and after it, and the kernel's image.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/launch.h"

namespace tuner {

struct CapturedParameter {
  std::uint64_t offset = 0;  // in the kernel's parameters
  std::vector<std::byte> bytes;
  // Its value where it is eight bytes long, as an address is; else 0, where nothing lies.
  std::uint64_t word() const;
};

// An allocation of the application, or several that are near to each other.
struct CapturedMemory {
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // bytes
  std::string file;        // gzipped, in the folder
  std::string written;     // the same memory after the launch; empty: it was not changed
  // First byte and size of each allocation, counted from `address`; between them nothing is known.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts;
};

// A variable of the kernel's module, `__device__` or `__constant__`.
struct CapturedVariable {
  std::string name;  // mangled
  std::vector<std::byte> bytes;
  bool changes = false;  // by the launch
};

struct CapturedLaunch {
  std::filesystem::path folder;
  std::string mangled;
  std::string name;  // demangled
  LaunchGeometry geometry;
  std::vector<CapturedParameter> parameters;
  std::vector<CapturedMemory> memory;  // by address
  std::vector<CapturedVariable> variables;
  std::string image;    // file in the folder
  std::string backend;  // whose image it is
  std::string device, arch;
  // An image of the host's is a library, whose code would run here.
  bool is_replayable() const { return backend == "cuda"; }
  std::uint64_t bytes() const;  // of all memory
  std::vector<std::filesystem::path> files() const;
  // The memory that holds this address; null: none does.
  const CapturedMemory* memory_at(std::uint64_t address) const;
};

// Reads FOLDER/capture.json. Throws InputError, which names the file and what is wrong: files that
// are missing, numbers that cannot be.
CapturedLaunch read_capture(const std::filesystem::path& folder);

}  // namespace tuner
