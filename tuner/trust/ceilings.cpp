// Measures copies, chains of multiplications and empty launches.

#include "tuner/trust/ceilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "tuner/base/hash.h"
#include "tuner/base/temporary_folder.h"
#include "tuner/check/checked_study.h"
#include "tuner/model/json.h"
#include "tuner/model/json_text.h"
#include "tuner/resolve/planned_task.h"
#include "tuner/resolve/resolve.h"
#include "tuner/resolve/study_sources.h"

namespace tuner {
namespace {

// Compiles these sources for the device and runs them there.
using DeviceFor = std::function<std::unique_ptr<MeasuringDevice>(const SourceTexts&)>;

constexpr std::int64_t kVectorBytes = 16;  // that one step of the kernel moves
constexpr int kChains = 12;
constexpr int kRereads = 16;  // so that what a launch takes is a small part of that

// Each block has a piece of its own, so that a thread of a CPU goes through memory in order.
constexpr const char* kSource = R"(
#if defined(__CUDA_ARCH__) || TUNE_VECTOR == 0
#define LANES(type) type
#else
template <class T> struct lanes_of { typedef T type __attribute__((vector_size(TUNE_VECTOR))); };
#define LANES(type) typename lanes_of<type>::type
#endif
template <class T>
__device__ void chains(float* to, long long n, long long rounds) {
  LANES(T) a[12], b = {}, c = {};
  b += T(1) - T(1) / T(n + 2);
  c += T(1) / T(n + 2);
  for (int k = 0; k < 12; ++k) a[k] = b + T(threadIdx.x + k);
#pragma unroll 8
  for (long long r = 0; r < rounds; ++r) {
    a[0] = a[0] * b + c; a[1] = a[1] * b + c; a[2] = a[2] * b + c; a[3] = a[3] * b + c;
    a[4] = a[4] * b + c; a[5] = a[5] * b + c; a[6] = a[6] * b + c; a[7] = a[7] * b + c;
    a[8] = a[8] * b + c; a[9] = a[9] * b + c; a[10] = a[10] * b + c; a[11] = a[11] * b + c;
  }
  for (int k = 1; k < 12; ++k) a[0] += a[k];
  const T* sum = reinterpret_cast<const T*>(&a[0]);
  T whole = 0;
  for (unsigned k = 0; k < sizeof(a[0]) / sizeof(T); ++k) whole += sum[k];
  if (whole == T(-1)) to[0] = 1;
}
extern "C" __global__ void ceiling(const uint4* __restrict__ from, uint4* __restrict__ to,
                                   long long n, long long rounds) {
#if TUNE_WHAT_IS_copy
  const long long begin = n * blockIdx.x / gridDim.x, end = n * (blockIdx.x + 1) / gridDim.x;
#pragma unroll 4
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) to[i] = from[i];
#elif TUNE_WHAT_IS_read || TUNE_WHAT_IS_reread
  // Each time another block's piece, which no cache of this multiprocessor has.
  uint4 sum = {0, 0, 0, 0};
  for (int time = 0; time < (TUNE_WHAT_IS_reread ? 16 : 1); ++time) {
    const long long piece = (blockIdx.x + 37ll * time) % gridDim.x;
    const long long begin = n * piece / gridDim.x, end = n * (piece + 1) / gridDim.x;
#pragma unroll 8
    for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
      const uint4 one = from[i];
      sum.x ^= one.x; sum.y ^= one.y; sum.z ^= one.z; sum.w ^= one.w;
    }
  }
  if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 0x5eed5eedu) to[0] = sum;
#elif TUNE_WHAT_IS_float32
  chains<float>(reinterpret_cast<float*>(to), n, rounds);
#elif TUNE_WHAT_IS_float64
  chains<double>(reinterpret_cast<float*>(to), n, rounds);
#endif
}
)";

// On a CPU a block is one thread, and a number is a vector of its registers.
constexpr const char* kStudy = R"(schema: 1
kernel: {name: ceilings, source: ceilings.cu, entry: ceiling}
problem_sizes: [{N: 1024, ROUNDS: 4096}]
parameters:
  WHAT: [copy, read, reread, float32, float64, nothing]
  THREADS: [1, 256, 512]
  WAVES: [1, 2, 4, 8, 64, 512]
  VECTOR: [0, 32, 64]
derived: {CPU: device.compute_capability == 0, SUM: "WHAT == 'float32' or WHAT == 'float64'"}
constraints:
  - (THREADS == 1) == CPU
  - (VECTOR != 0) == (CPU and SUM)
  - WHAT != 'nothing' or (WAVES == 1 and THREADS != 512)
  - WAVES <= 2 if CPU else WAVES >= 4 or WHAT == 'nothing'
  - not SUM or WAVES <= 8
launch: {block: [THREADS], grid: ["1 if WHAT == 'nothing' else device.multiprocessors * WAVES"]}
arguments:
  - {name: from, type: uint32, shape: [4 * N], fill: {integers: [0, 1000000]}}
  - {name: to, type: uint32, shape: [4 * N], role: out}
  - {name: n, type: int64, value: N}
  - {name: rounds, type: int64, value: ROUNDS}
verify: none
measure: {cache: cold, min_samples: 7, max_samples: 15, max_milliseconds: 100, finalists: 0}
)";

class StudyOnDisk {
 public:
  StudyOnDisk(const std::string& study, const std::string& source) {
    std::ofstream(folder_.path() / "ceilings.cu") << source;
    std::ofstream(folder_.path() / "ceilings.yaml") << study;
  }
  Study read() const { return read_study(folder_.path() / "ceilings.yaml"); }

 private:
  TemporaryFolder folder_{"tuner-ceilings"};
};

bool is_of_memory(const std::string& what) { return what == "copy" || what.ends_with("read"); }

std::string what_of(const Trial& trial) { return to_text(trial.configuration.at(0)); }

double amount_of(const Trial& trial, const ProblemSize& size) {
  const auto n = static_cast<double>(size.dims[0].second);
  const std::string what = what_of(trial);
  if (is_of_memory(what)) {
    return (what == "copy" ? 2 : what == "read" ? 1 : kRereads) * kVectorBytes * n;
  }
  if (what == "nothing") return 0;
  const auto threads = static_cast<double>(trial.geometry.grid[0]) * trial.geometry.block[0];
  const double vector = to_number(trial.configuration.at(3));
  const double lanes = vector > 0 ? vector / (what == "float64" ? 8 : 4) : 1;
  return 2 * kChains * lanes * threads * static_cast<double>(size.dims[1].second);
}

// The configurations of this size that are wanted, measured.
void measure_those(MeasuringDevice& device, const Study& study, const ProblemSize& size,
                   const std::function<bool(const Configuration&)>& wanted,
                   const std::function<void(const Trial&)>& measured) {
  const DeviceFacts facts = device.facts();
  const SearchSpace space = SearchSpace::build(space_definition(study, size, facts));
  const auto evaluator = device.evaluator(planned_task(study, space, size, facts, ""));
  std::size_t open = 0;
  const auto take = [&] {
    const auto trial = evaluator->next(kNoEnd);
    if (!trial) return false;
    --open;
    if (is_valid(*trial)) measured(*trial);
    return true;
  };
  for (ConfigIndex i = 0; i < space.size(); ++i) {
    if (!wanted(space.configuration(i))) continue;
    while (open >= evaluator->capacity()) {
      if (!take()) return;
    }
    evaluator->submit(i);
    ++open;
  }
  while (open > 0 && take()) {
  }
}

// Those that do one of these things.
void measure(MeasuringDevice& device, const Study& study, const ProblemSize& size,
             const std::vector<std::string>& things, std::vector<CeilingSample>& out) {
  measure_those(
      device, study, size,
      [&](const Configuration& one) {
        return std::ranges::find(things, to_text(one.at(0))) != things.end();
      },
      [&](const Trial& trial) {
        out.push_back({what_of(trial), trial.timing.min, amount_of(trial, size),
                       study.measure.cache == CacheState::kHot});
      });
}

// Measures tensor cores, where their instructions are known here.
void measure_tensor_cores(const DeviceFor& device_for, int capability,
                          std::vector<CeilingSample>& out) {
  const auto kernels = tensor_kernels(capability);
  if (!kernels) return;
  const StudyOnDisk folder(kernels->study, kernels->source);
  const Study study = folder.read();
  const ProblemSize& size = study.sizes.at(0);
  const auto device = device_for(read_sources(study));
  measure_those(
      *device, study, size, [](const Configuration&) { return true; },
      [&](const Trial& trial) {
        const auto at = static_cast<std::size_t>(to_number(trial.configuration.at(0)));
        const TensorForm& form = kernels->forms.at(at);
        const auto threads = static_cast<double>(trial.geometry.grid[0]) * trial.geometry.block[0];
        const auto rounds = static_cast<double>(size.dims[0].second);
        for (const std::string& type : form.types) {
          out.push_back({type, trial.timing.min, form.operations * threads * rounds, true, true});
        }
      });
}

ProblemSize size_of(std::int64_t bytes, bool cpu) {
  return {
      {{"N", std::max<std::int64_t>(bytes / kVectorBytes, 1024)}, {"ROUNDS", cpu ? 262144 : 4096}}};
}

// Doubles go through tensor cores there, which no plain kernel reaches.
bool has_double_tensor_cores(int capability) {
  constexpr std::array<int, 4> kThose{80, 90, 100, 103};
  return std::ranges::find(kThose, capability) != kThose.end();
}

void raise_operations(Ceilings& of, const std::string& type, double rate) {
  auto& all = of.operations_per_second;
  const auto known =
      std::ranges::find_if(all, [&](const auto& entry) { return entry.first == type; });
  if (known == all.end()) {
    all.emplace_back(type, rate);
  } else {
    known->second = std::max(known->second, rate);
  }
}

}  // namespace

Ceilings ceilings_of(const DeviceFacts& facts, const std::vector<CeilingSample>& samples) {
  Ceilings c;
  for (const CeilingSample& one : samples) {
    if (one.what != "nothing" || !is_time(one.ms)) continue;
    c.launch_ms = c.launch_ms > 0 ? std::min(c.launch_ms, one.ms) : one.ms;
  }
  const auto raise = [](double& ceiling, double rate) { ceiling = std::max(ceiling, rate); };
  for (const CeilingSample& one : samples) {
    if (one.what == "nothing" || !is_time(one.ms)) continue;
    // Without what any launch takes, but for a sample that is hardly more than that.
    const double rate = 1000 * one.amount / std::max(one.ms - c.launch_ms, one.ms / 4);
    if (is_of_memory(one.what)) {
      if (facts.l2_bytes <= 0) continue;
      raise(one.in_cache ? c.cache_bytes_per_second : c.memory_bytes_per_second, rate);
      continue;
    }
    if (one.what == "float64" && !one.tensor_cores &&
        has_double_tensor_cores(facts.compute_capability)) {
      continue;
    }
    raise_operations(c, one.what, rate);
  }
  if (c.cache_bytes_per_second > 0) raise(c.cache_bytes_per_second, c.memory_bytes_per_second);
  c.cache_bytes = static_cast<double>(facts.l2_bytes);
  return c;
}

namespace {

// Measures all ceilings. A kernel that does not compile or run leaves its ceiling unknown.
Ceilings measure_ceilings(const DeviceFor& device_for) {
  const StudyOnDisk folder(kStudy, kSource);
  const Study cold = folder.read();
  Study hot = cold;
  hot.measure.cache = CacheState::kHot;
  const auto device = device_for(read_sources(cold));
  const DeviceFacts facts = device->facts();
  const bool cpu = facts.compute_capability == 0;
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  const std::int64_t most = cpu ? 64 * kMiB : std::max(64 * kMiB, facts.memory_bytes / 16);
  std::vector<CeilingSample> samples;
  measure(*device, cold, size_of(std::clamp(16 * facts.l2_bytes, 64 * kMiB, most), cpu),
          {"copy", "read"}, samples);
  // Two sizes: a CPU has faster caches before the last one.
  measure(*device, hot, size_of(std::min(facts.l2_bytes / 4, most), cpu),
          {"copy", "read", "reread"}, samples);
  measure(*device, hot, size_of(std::min(facts.l2_bytes / 32, most), cpu),
          {"copy", "read", "reread", "float32", "float64", "nothing"}, samples);
  if (facts.can(kTimesGraphs)) {
    hot.measure.mode = LaunchMode::kGraph;
    measure(*device, hot, size_of(0, cpu), {"nothing"}, samples);
  }
  measure_tensor_cores(device_for, facts.compute_capability, samples);
  return ceilings_of(facts, samples);
}

}  // namespace

bool find_ceilings(Bench& bench, std::span<WorkingDevice> devices, bool again) {
  bench.set_ceilings({});
  if (!bench.study().least_work) return false;
  const auto open = [&](const SourceTexts& sources) {
    return std::make_unique<PooledDevice>(bench.device(devices, sources));
  };
  const DeviceFacts facts = bench.device(devices).facts();
  const std::string key = to_hex(
      hash_of(fmt::format("ceilings 3|{}|{}|{}|{}|{}|{}|{}", facts.backend, facts.name, facts.uuid,
                          facts.driver, facts.arch, bench.options_text(), bench.compiler())));
  const auto text = bench.shelf().recall(key);
  const Ceilings before = text ? ceilings_from(*text).value_or(Ceilings{}) : Ceilings{};
  bench.set_ceilings(before);
  if (before.known() && !again) return false;
  const Ceilings found = highest(before, measure_ceilings(open));
  bench.set_ceilings(found);
  if (found.known() && !bench.is_interrupted()) bench.shelf().remember(key, kept_text(found));
  return !(found == before);
}

Ceilings highest(const Ceilings& one, const Ceilings& other) {
  if (!one.known() || !other.known()) return one.known() ? one : other;
  Ceilings c = one;
  c.memory_bytes_per_second = std::max(c.memory_bytes_per_second, other.memory_bytes_per_second);
  c.cache_bytes_per_second = std::max(c.cache_bytes_per_second, other.cache_bytes_per_second);
  c.launch_ms = std::min(c.launch_ms, other.launch_ms);
  for (const auto& [type, rate] : other.operations_per_second) raise_operations(c, type, rate);
  return c;
}

std::string kept_text(const Ceilings& ceilings) {
  return dump(encoded<nlohmann::ordered_json>(ceilings));
}

std::optional<Ceilings> ceilings_from(const std::string& text) {
  try {
    Ceilings ceilings;
    decode(nlohmann::ordered_json::parse(text), ceilings);
    if (!ceilings.known()) return std::nullopt;
    return ceilings;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace tuner
