// Finds what this machine's processors are called.

#include "tuner/plugins/programs/machine_name.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

namespace tuner::programs {
namespace {

// "AMD EPYC 9654 96-Core Processor" -> "AMD EPYC 9654", "Intel(R) Xeon(R) CPU @ 2.20GHz" -> ...
std::string tidy(const std::string& name) {
  std::istringstream words(name.substr(0, name.find('@')));
  std::string out;
  for (std::string word; words >> word;) {
    for (const char* mark : {"(R)", "(r)", "(TM)", "(tm)"}) {
      const auto at = word.find(mark);
      if (at != std::string::npos) word.erase(at, std::strlen(mark));
    }
    if (word.empty() || word == "CPU" || word == "Processor" || word.ends_with("-Core")) continue;
    out += (out.empty() ? "" : " ") + word;
  }
  return out;
}

}  // namespace

std::string machine_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(':');
    std::string name = colon == std::string::npos ? "" : tidy(line.substr(colon + 1));
    if (!name.empty()) return name;
  }
  utsname system{};
  uname(&system);
  std::string machine = system.machine;
  std::replace(machine.begin(), machine.end(), '_', '-');
  return machine + " CPU";
}

}  // namespace tuner::programs
