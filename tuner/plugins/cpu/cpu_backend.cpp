// The host's cores as a device: memory and kernels.

#include "tuner/plugins/cpu/cpu_backend.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "tuner/plugins/cpu/cpu_compiler.h"

namespace tuner::cpu {
namespace {

unsigned device_total(const sdk::Options& options) {
  return static_cast<unsigned>(options.integer("devices", 1, 64));
}

unsigned worker_count(const sdk::Options& options) {
  const std::int64_t asked = options.integer("threads", 0, 4096);
  return asked > 0 ? static_cast<unsigned>(asked)
                   : std::max(1U, std::thread::hardware_concurrency() / device_total(options));
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The largest cache of the first core, "32768K" in sysfs; 0 when not told.
std::int64_t largest_cache_bytes() {
  std::int64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    const std::string text =
        first_line("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    char* unit = nullptr;
    std::int64_t bytes = std::strtoll(text.c_str(), &unit, 10);
    if (*unit == 'K') bytes *= 1024;
    if (*unit == 'M') bytes *= 1024 * 1024;
    largest = std::max(largest, bytes);
  }
  return largest;
}

// The one device that a machine is has no need of a name.
tuner_device_facts facts_of(std::uint32_t device, unsigned total) {
  if (device >= total) {
    throw sdk::Error(TUNER_INVALID,
                     total == 1 ? "there is only device 0"
                                : "there are only devices 0 to " + std::to_string(total - 1));
  }
  tuner_device_facts facts = programs::host_facts();
  if (total > 1) std::snprintf(facts.uuid, sizeof facts.uuid, "cpu-%u", device);
  facts.warp_size = kWarpSize;
  facts.max_threads_per_block = kMaxThreads;
  facts.max_threads_per_multiprocessor = kMaxThreads;
  facts.max_blocks_per_multiprocessor = 1;
  facts.registers_per_block = 65536;
  facts.registers_per_multiprocessor = 65536;
  facts.max_shared_memory_per_block = static_cast<std::int64_t>(kMaxStaticSharedBytes);
  facts.max_shared_memory_per_block_optin = static_cast<std::int64_t>(kMaxSharedBytes);
  facts.shared_memory_per_multiprocessor = static_cast<std::int64_t>(kMaxSharedBytes);
  facts.l2_bytes = largest_cache_bytes();
  const std::int64_t max_block[] = {1024, 1024, 64};
  const std::int64_t max_grid[] = {2147483647, 65535, 65535};
  std::copy_n(max_block, 3, facts.max_block);
  std::copy_n(max_grid, 3, facts.max_grid);
  return facts;
}

}  // namespace

CpuBackend::CpuBackend(std::uint32_t device, const sdk::Options& options)
    : HostBackend(worker_count(options)),
      facts_(facts_of(device, device_total(options))),
      poison_shared_(options.flag("poison_shared")),
      order_{options.choice("order", {"sequential", "random"}) == "random",
             static_cast<std::uint64_t>(options.integer("seed", 0, std::int64_t{1} << 62))} {
  for (unsigned i = 0; i < pool_.size(); ++i) {
    runners_.push_back(std::make_unique<BlockRunner>(order_));
  }
}

tuner_device_facts CpuBackend::facts() { return facts_; }

// ---- memory -------------------------------------------------------------------------------------

void CpuBackend::set_limits(std::uint64_t, std::uint64_t stack, std::uint64_t) {
  Fiber::set_stack_bytes(stack);
}

std::uint64_t CpuBackend::adopt(std::uint64_t address, std::uint64_t bytes) {
  return memory_.adopt(reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address)), bytes);
}
void CpuBackend::release(std::uint64_t buffer) {
  textures_.erase(buffer);
  memory_.release(buffer);
}

// A handle is the address of what the runtime's functions look at.
std::uint64_t CpuBackend::texture_of(tuner_range at, const tuner_texture& how) {
  const std::uint64_t rows = std::max<std::uint64_t>(how.height, 1);
  const std::uint64_t all = std::max<std::uint64_t>(how.depth, 1) * rows * how.width;
  const std::uint64_t element = how.lanes * sdk::bytes_of_elements(how.type, 1);
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

// ---- kernels ------------------------------------------------------------------------------------

sdk::LoadedKernel CpuBackend::load(std::string_view image, std::string_view entry) {
  if (entry == programs::kHostEntry) {
    Kernel function;
    function.host = std::make_shared<const programs::HostFunction>(image);
    kernels_[++last_kernel_] = std::move(function);
    return {last_kernel_, sdk::kUnknownResources};
  }
  auto loaded = std::make_shared<const Image>(image);
  Entry function = loaded->entry(std::string(entry));
  return add({std::move(loaded), std::move(function)});
}

sdk::LoadedKernel CpuBackend::load_next(std::uint64_t id, std::string_view entry) {
  const auto& image = kernel(id).image;
  const sdk::LoadedKernel loaded = add({image, image->entry(std::string(entry))});
  kernels_.at(id).next.push_back(loaded.kernel);
  return loaded;
}

sdk::LoadedKernel CpuBackend::add(Kernel kernel) {
  tuner_resources resources = sdk::kUnknownResources;
  resources.static_shared_bytes = static_cast<std::int64_t>(kernel.image->static_shared_bytes());
  resources.max_threads = facts_.max_threads_per_block;
  kernels_[++last_kernel_] = std::move(kernel);
  return {last_kernel_, resources};
}

void CpuBackend::unload(std::uint64_t id) {
  const auto found = kernels_.find(id);
  if (found == kernels_.end()) return;
  for (const std::uint64_t next : found->second.next) kernels_.erase(next);
  kernels_.erase(found);
}

const CpuBackend::Kernel& CpuBackend::kernel(std::uint64_t id) const {
  const auto found = kernels_.find(id);
  if (found != kernels_.end()) return found->second;
  throw sdk::Error(TUNER_INVALID, "there is no kernel " + std::to_string(id));
}

void CpuBackend::set_symbol(std::uint64_t id, std::string_view lowered_name, const void* data,
                            std::uint64_t bytes) {
  const tuner_cpu_symbol* symbol = kernel(id).image->symbol(std::string(lowered_name));
  if (symbol == nullptr) {
    throw sdk::Error(TUNER_INVALID, "there is no symbol '" + std::string(lowered_name) + "'");
  }
  // An array may be sized for the largest case, and the rest keeps its initial value. What a
  // register holds is one number, of one size.
  constexpr std::uint64_t kLargestNumber = 8;
  const bool fits =
      bytes == symbol->bytes || (bytes < symbol->bytes && symbol->bytes > kLargestNumber);
  if (!fits) {
    throw sdk::Error(TUNER_INVALID, "it has " + std::to_string(symbol->bytes) +
                                        " bytes in the kernel, " + std::to_string(bytes) +
                                        " are to be written");
  }
  if (bytes > 0) std::memcpy(symbol->address, data, bytes);
}

}  // namespace tuner::cpu

TUNER_PLUGIN("cpu", "1.0", tuner::sdk::Backends<tuner::cpu::CpuBackend>,
             tuner::sdk::Compilers<tuner::cpu::CpuCompiler>);
