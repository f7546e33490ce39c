// Describes the host in the words of a device, and does with its memory what every backend does.

#include "tuner/plugins/programs/host_backend.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

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

std::string name_of_machine(const std::string& machine) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(':');
    std::string name = colon == std::string::npos ? "" : tidy(line.substr(colon + 1));
    if (!name.empty()) return name;
  }
  return machine + " CPU";
}

}  // namespace

tuner_device_facts host_facts() {
  utsname system{};
  uname(&system);
  std::string machine = system.machine;
  std::replace(machine.begin(), machine.end(), '_', '-');
  tuner_device_facts facts{};
  facts.struct_size = sizeof facts;
  sdk::put(facts.name, name_of_machine(machine));
  sdk::put(facts.arch, machine);
  sdk::put(facts.driver, std::string(system.sysname) + " " + system.release);
  facts.multiprocessors = std::max(1U, std::thread::hardware_concurrency());
  facts.memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  return facts;
}

void HostBackend::upload(tuner_range to, const void* data, std::uint64_t bytes) {
  copy_bytes(memory_.at(to, bytes), static_cast<const std::byte*>(data), bytes);
}

void HostBackend::download(tuner_range from, void* data, std::uint64_t bytes) {
  copy_bytes(static_cast<std::byte*>(data), memory_.at(from, bytes), bytes);
}

void HostBackend::copy(tuner_range to, tuner_range from, std::uint64_t bytes) {
  const std::byte* source = memory_.at(from, bytes);
  std::byte* target = memory_.at(to, bytes);
  if (to.buffer == from.buffer) {
    if (bytes > 0) std::memmove(target, source, bytes);  // the ranges may overlap
  } else {
    copy_bytes(target, source, bytes);
  }
}

void HostBackend::copy_bytes(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  pool_.split(bytes, [&](unsigned, std::uint64_t begin, std::uint64_t end) {
    if (begin < end) std::memcpy(to + begin, from + begin, end - begin);
  });
}

void HostBackend::fill(tuner_range to, std::uint64_t elements, const tuner_fill& how) {
  if (how.kind > TUNER_FILL_ZIPF) {
    throw sdk::Error(TUNER_INVALID, "there is no kind of fill " + std::to_string(how.kind));
  }
  std::byte* data = memory_.at(to, sdk::bytes_of_elements(how.type, elements));
  pool_.split(elements, [&](unsigned, std::uint64_t begin, std::uint64_t end) {
    if (begin < end) fill_elements(data, begin, end, how);
  });
}

tuner_comparison HostBackend::compare(tuner_range actual, tuner_range expected, tuner_type type,
                                      std::uint64_t elements, double rtol, double atol) {
  const std::uint64_t bytes = sdk::bytes_of_elements(type, elements);
  const std::byte* a = memory_.at(actual, bytes);
  const std::byte* e = memory_.at(expected, bytes);
  std::vector<tuner_comparison> parts(pool_.size());
  pool_.split(elements, [&](unsigned worker, std::uint64_t begin, std::uint64_t end) {
    parts[worker] = compare_elements(a, e, type, begin, end, rtol, atol);
  });
  tuner_comparison all{};
  for (const tuner_comparison& part : parts) all = merge(all, part);
  return all;
}

void HostBackend::restore(const tuner_timing& timing) {
  for (const tuner_restore& one : sdk::restores_of(timing)) {
    copy({one.to, 0}, {one.from, 0}, one.bytes);
  }
  for (const tuner_byte_fill& one : sdk::fills_of(timing)) {
    fill(one.at, one.bytes, sdk::fill_with(one));
  }
}

}  // namespace tuner::programs
