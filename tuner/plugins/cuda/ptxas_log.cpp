// Reads the output of a verbose ptxas.

#include "tuner/plugins/cuda/ptxas_log.h"

#include <cctype>
#include <cstdint>
#include <sstream>

namespace tuner::cuda {
namespace {

bool starts_with(const std::string& line, const char* head) { return line.rfind(head, 0) == 0; }

// The number before `unit` in "Used 10 registers, used 1 barriers, 256 bytes smem"; -1 = not there.
std::int64_t number_before(const std::string& line, const std::string& unit) {
  const auto at = line.find(unit);
  if (at == std::string::npos || at == 0) return -1;
  auto from = at;
  while (from > 0 && std::isspace(static_cast<unsigned char>(line[from - 1]))) --from;
  const auto end = from;
  while (from > 0 && std::isdigit(static_cast<unsigned char>(line[from - 1]))) --from;
  return from == end ? -1 : std::stoll(line.substr(from, end - from));
}

void read_usage(const std::string& line, tuner_resources& to) {
  if (line.find("bytes spill stores") != std::string::npos) {
    to.spill_bytes =
        number_before(line, "bytes spill stores") + number_before(line, "bytes spill loads");
    to.local_bytes = number_before(line, "bytes stack frame");
  }
  if (line.find("Used ") != std::string::npos) {
    to.registers = number_before(line, "registers");
    const std::int64_t shared = number_before(line, "bytes smem");
    to.static_shared_bytes = shared < 0 ? 0 : shared;
    to.constant_bytes = number_before(line, "bytes cmem[3]");  // __constant__ variables
  }
}

}  // namespace

PtxasLog parse_ptxas_log(const std::string& log, const std::string& kernel) {
  PtxasLog out;
  std::istringstream lines(log.c_str());  // NVRTC's logs end in a zero byte
  const std::string quoted = "'" + kernel + "'";
  bool ours = false;
  for (std::string line; std::getline(lines, line);) {
    const bool head = starts_with(line, "ptxas info");
    const bool continued =
        starts_with(line, "ptxas   ") || line.find(" bytes stack frame, ") != std::string::npos;
    if (!head && !continued) {
      out.rest += line + "\n";
      continue;
    }
    if (line.find("Compiling entry function") != std::string::npos) {
      ours = line.find(quoted) != std::string::npos;
    } else if (line.find("Function properties for ") != std::string::npos) {
      // Device functions that were not inlined are reported after their caller, with their own
      // stack: only the kernel's own lines count.
      ours = line.substr(line.rfind(' ') + 1) == kernel;
    } else if (ours) {
      read_usage(line, out.resources);
    }
  }
  while (!out.rest.empty() && out.rest.back() == '\n') out.rest.pop_back();
  return out;
}

}  // namespace tuner::cuda
