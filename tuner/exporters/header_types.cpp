// Writes the types and tables of the exported header.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "tuner/exporters/cpp_text.h"
#include "tuner/exporters/header_model.h"
#include "tuner/exporters/size_distance.h"
#include "tuner/model/fields.h"

namespace tuner {
namespace {

// Where cudaDeviceProp has the numbers of struct device.
std::string_view property_of(std::string_view fact) {
  static const std::map<std::string_view, std::string_view> kProperties{
      {"multiprocessors", "multiProcessorCount"},
      {"warp_size", "warpSize"},
      {"max_threads_per_block", "maxThreadsPerBlock"},
      {"max_threads_per_multiprocessor", "maxThreadsPerMultiProcessor"},
      {"max_blocks_per_multiprocessor", "maxBlocksPerMultiProcessor"},
      {"registers_per_block", "regsPerBlock"},
      {"registers_per_multiprocessor", "regsPerMultiprocessor"},
      {"max_shared_memory_per_block", "sharedMemPerBlock"},
      {"max_shared_memory_per_block_optin", "sharedMemPerBlockOptin"},
      {"shared_memory_per_multiprocessor", "sharedMemPerMultiprocessor"},
      {"l2_bytes", "l2CacheSize"},
      {"memory_bytes", "totalGlobalMem"}};
  return kProperties.at(fact);
}

// The members of struct device: the numbers that expressions can name, in the order of the list.
// Name, architecture and compute capability stand before them.
template <typename Visit>
void for_each_number(const DeviceFacts& facts, const Visit& visit) {
  for_each_field(facts, [&](const char* name, const auto& fact) {
    if constexpr (std::is_same_v<decltype(fact), const std::int64_t&>) {
      if (is_in_expressions(name)) visit(name, fact);
    }
  });
}

std::string choices(const HeaderField& field) {
  std::string out = "enum class " + field.type + " : unsigned char {";
  for (std::size_t i = 0; i < field.enumerators.size(); ++i) {
    out += (i > 0 ? ", " : " ") + field.enumerators[i];
  }
  return out + " };\n";
}

std::string device_struct() {
  std::string out =
      "// Facts of a device, as the study's expressions see them. The defaults are what every "
      "device "
      "has.\n"
      "struct device {\n"
      "  const char* name = \"\";\n"
      "  const char* arch = \"\";\n"
      "  long long compute_capability = 0;  // 90 for 9.0\n";
  for_each_number({}, [&](std::string_view name, std::int64_t usual) {
    out += fmt::format("  long long {} = {};\n", name, usual);
  });
  return out + "};\n";
}

std::string device_literal(const DeviceFacts& facts) {
  std::string out = fmt::format("{{{}, {}, {}", cpp_string(facts.name), cpp_string(facts.arch),
                                facts.compute_capability);
  for_each_number(facts, [&](const char*, std::int64_t fact) { out += fmt::format(", {}", fact); });
  return out + "}";
}

// The architectures' own limits, for best<> and device_of() on devices that were never tuned.
std::vector<DeviceFacts> architectures() {
  std::vector<DeviceFacts> all;
  for (const char* arch : {"sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_100", "sm_103",
                           "sm_110", "sm_120", "sm_121"}) {
    DeviceFacts facts = nominal_facts(arch);
    facts.name = "";
    all.push_back(std::move(facts));
  }
  return all;
}

std::string entry_lines(const HeaderModel& model) {
  std::string out;
  for (const TunedEntry& entry : model.table->entries) {
    std::string dims;
    std::string logs;
    for (const auto& [name, extent] : entry.size.dims) {
      dims += fmt::format("{}{}", dims.empty() ? "" : ", ", extent);
      logs += fmt::format("{}{}", logs.empty() ? "" : ", ", lg256(extent));
    }
    if (entry.size.dims.empty()) logs = "0";
    const Timing& timing = entry.timing;
    std::string note = fmt::format("{} to {} ms, {} samples, {}", timing.ci_low, timing.ci_high,
                                   sample_count(timing), entry.date);
    if (entry.slowdown > 1)
      note += fmt::format(", {:.1f} % slower than the best", 100 * (entry.slowdown - 1));
    out += fmt::format("    {{{}, {}, {{{}}}, {{{}}}, {:.9g}}},  // {}\n", entry.device,
                       entry.configuration, dims, logs, timing.median, note);
  }
  return out;
}

}  // namespace

std::string header_types(const HeaderModel& model) {
  std::string out;
  for (const HeaderField& field : model.parameters) {
    if (field.is_choice) out += choices(field);
  }
  out +=
      "// What the kernel is compiled with. The defaults are the default configuration.\n"
      "struct config {\n";
  const Configuration& fallback = model.table->configurations.front();
  for (std::size_t p = 0; p < model.parameters.size(); ++p) {
    const HeaderField& field = model.parameters[p];
    out += fmt::format("  {} {} = {};\n", field.type, field.name, model.literal(p, fallback[p]));
  }
  out += "};\n// The size of a problem.\nstruct dims {\n";
  for (const HeaderField& dim : model.dims) out += "  long long " + dim.name + " = 0;\n";
  out += "};\n" + device_struct();
  out += fmt::format(
      "// dev, cfg: places in devices[] and configs[]; lg: 256 * log2 of the size.\n"
      "struct entry {{\n  int dev;\n  int cfg;\n  dims size;\n  int lg[{}];\n  double "
      "time_ms;\n}};\n",
      std::max<std::size_t>(1, model.dims.size()));
  out += R"txt(// How a selection came about:
//   exact        this size was tuned on a device of this name
//   near_size    the nearest size that was tuned on a device of this name
//   near_device  tuned on another device; see selection::tier
//   fallback     no entry fits (or the size is not positive): a configuration that is valid here
//   unsupported  no configuration's constraints hold here; the default one is returned
enum class match : unsigned char { exact, near_size, near_device, fallback, unsupported };
struct selection {
  config cfg;
  match how;
  int config_id;    // place in configs[]
  int entry_index;  // place in entries[]; -1: none
  int tier;         // 0 same device, 1 same compute capability, 2 same major, 3 older, 4 none
  double log2_distance_sq;  // squared log2 of the ratio, weighted, summed over the dimensions
};
struct extent {
  unsigned x, y, z;  // 0: the study's expression has no value here
};
)txt";
  return out;
}

std::string header_tables(const HeaderModel& model) {
  std::string out = "TUNER_TABLE config configs[] = {\n";
  for (const Configuration& one : model.table->configurations) {
    out += "    " + model.literal(one) + ",\n";
  }
  out += "};\nTUNER_TABLE device devices[] = {\n";
  for (const DeviceFacts& one : model.table->devices) out += "    " + device_literal(one) + ",\n";
  out += "};\nTUNER_TABLE entry entries[] = {\n" + entry_lines(model) + "};\n";
  out +=
      "// Limits of architectures, for devices that were never tuned.\n"
      "TUNER_TABLE device architectures[] = {\n";
  for (const DeviceFacts& one : architectures()) out += "    " + device_literal(one) + ",\n";
  out += fmt::format(
      "}};\nTUNER_TABLE int config_count = {};\nTUNER_TABLE int device_count = {};\n"
      "TUNER_TABLE int entry_count = {};\n",
      model.table->configurations.size(), model.table->devices.size(), model.table->entries.size());
  out +=
      "#ifndef __CUDACC_RTC__\n"
      "// From a cudaDeviceProp; its name must live as long as the result.\n"
      "template <class Properties>\nconstexpr device device_from(const Properties& p) {\n"
      "  device v;\n  v.name = p.name;\n  v.compute_capability = p.major * 10 + p.minor;\n";
  for_each_number({}, [&](std::string_view name, std::int64_t) {
    out += fmt::format("  v.{} = static_cast<long long>(p.{});\n", name, property_of(name));
  });
  return out + "  return v;\n}\n#endif\n";
}

}  // namespace tuner
