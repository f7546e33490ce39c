#pragma once
// A request of `tuner capture` to the object in the application. Answers are files of a folder,
// which the program reads once the application has ended.

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tuner::capture {

// Grid, block and dynamic shared bytes of a launch.
using Geometry = std::array<std::uint64_t, 7>;

struct Request {
  std::string folder;        // absolute, and there
  std::string kernel;        // pattern of demangled names; empty: all
  bool watches = false;      // launches are summed up, and none is captured
  std::uint64_t launch = 1;  // which of its launches, counted from 1, where no geometry is named
  std::vector<Geometry> geometries;  // the first launch of each is captured
  // Whose memory is captured: what arguments point to; what data in it points to, too; or all that
  // the application has allocated.
  enum class Memory { kArguments, kReachable, kAll };
  Memory memory = Memory::kReachable;
  std::uint64_t limit = 0;  // bytes of memory of a launch

  // Reads the file that $TUNER_CAPTURE names. Throws std::exception where that is no request.
  static Request of_environment();
};

// Replaces a file of the folder in one step. Throws std::runtime_error when it cannot be written.
void write_file(const std::string& path, const std::string& text);
void write_json(const std::string& path, const nlohmann::json& value);

// Whether `pattern` is a part of the name or, where it has a '*', matches the whole of it.
bool matches(const std::string& pattern, const std::string& name);
// The name as c++filt shows it.
std::string demangled(const char* name);

}  // namespace tuner::capture
