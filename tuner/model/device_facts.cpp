// The facts of nominal devices, and the names by which expressions know them.

#include "tuner/model/device_facts.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/model/fields.h"

namespace tuner {
namespace {

// "Technical Specifications per Compute Capability", CUDA C++ Programming Guide 13.0.
struct ArchRow {
  int cc;
  int threads_per_sm;
  int blocks_per_sm;
  int optin_kib;
  int sm_kib;
};
constexpr ArchRow kArchRows[] = {
    {75, 1024, 16, 64, 64},    {80, 2048, 32, 163, 164},  {86, 1536, 16, 99, 100},
    {87, 1536, 16, 163, 164},  {89, 1536, 24, 99, 100},   {90, 2048, 32, 227, 228},
    {100, 2048, 32, 227, 228}, {103, 2048, 32, 227, 228}, {110, 1536, 24, 227, 228},
    {120, 1536, 24, 99, 100},  {121, 1536, 24, 99, 100},
};

}  // namespace

std::string DeviceFacts::slug() const {
  std::string out;
  for (const char raw : name) {
    const auto c = static_cast<unsigned char>(raw);
    if (std::isalnum(c)) {
      out += static_cast<char>(std::tolower(c));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "device" : out;
}

bool DeviceFacts::can(std::string_view ability) const {
  return std::ranges::find(abilities, ability) != abilities.end();
}

Bindings DeviceFacts::bindings() const {
  Bindings out;
  for_each_field(*this, [&](const std::string& field, const auto& fact) {
    using Fact = std::remove_cvref_t<decltype(fact)>;
    if (!is_in_expressions(field)) return;
    if constexpr (std::is_integral_v<Fact>) {
      if (fact >= 0) out["device." + field] = std::int64_t{fact};
    } else if constexpr (std::is_same_v<Fact, std::string>) {
      out["device." + field] = fact;
    }
  });
  return out;
}

DeviceFacts nominal_facts(const std::string& arch) {
  DeviceFacts facts;
  facts.arch = arch;
  facts.name = arch;
  facts.backend = arch;  // all but CUDA's devices are called like their backend
  if (arch == "cpu") {
    facts.abilities = {std::string(kRotatesBuffers), std::string(kSetsLaunchAttributes),
                       std::string(kShufflesThreads)};
    facts.max_shared_memory_per_block_optin = 227 * 1024;
    facts.shared_memory_per_multiprocessor = 228 * 1024;
    return facts;
  }
  if (arch == "program") return facts;
  if (arch == "opencl") {
    facts.abilities = {std::string(kRotatesBuffers)};
    facts.max_block = {1024, 1024, 1024};
    facts.max_grid.fill(2147483647);
    return facts;
  }
  facts.backend = "cuda";
  for (const auto ability : {kTimesGraphs, kRotatesBuffers, kSetsLaunchAttributes}) {
    facts.abilities.emplace_back(ability);
  }
  std::string known;
  for (const ArchRow& row : kArchRows) {
    const std::string name = "sm_" + std::to_string(row.cc);
    if (arch == name || arch == name + "a") {
      facts.compute_capability = row.cc;
      facts.max_threads_per_multiprocessor = row.threads_per_sm;
      facts.max_blocks_per_multiprocessor = row.blocks_per_sm;
      facts.max_shared_memory_per_block_optin = row.optin_kib * 1024;
      facts.shared_memory_per_multiprocessor = row.sm_kib * 1024;
      facts.reserved_shared_memory_per_block = row.cc >= 80 ? 1024 : 0;
      return facts;
    }
    known += (known.empty() ? "" : ", ") + name;
  }
  reject("", "unknown architecture '" + arch + "'; known: " + known);
}

}  // namespace tuner
