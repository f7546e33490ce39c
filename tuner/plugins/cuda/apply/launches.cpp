// Finds, asks for and makes the launch that takes the place of the application's.

#include "tuner/plugins/cuda/apply/launches.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>

#include "tuner/plugins/cuda/launch_bytes.h"

namespace tuner::apply {
namespace {

// A launch may be timed long before it is told of: a process may end without a word.
constexpr std::int64_t kReportSeconds = 1;
constexpr std::size_t kMostNames = 12;
// Kinds of launches: a program that never launches alike would fill memory.
constexpr std::size_t kMostPlans = 100000;

std::int64_t now_in_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string bytes_of(const std::string& hexadecimal) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2) {
    out += static_cast<char>(std::stoi(hexadecimal.substr(i, 2), nullptr, 16));
  }
  return out;
}

// The bytes of a part of a parameter; empty: they are not there.
std::string_view value_of(const Launch& launch, const Kernel& kernel, const Part& part) {
  if (launch.parameters != nullptr) {
    return {static_cast<const char*>(launch.parameters[part.parameter]) + part.offset, part.bytes};
  }
  const std::string_view buffer = cuda::packed_parameters(launch.extra);
  const std::size_t begin = kernel.parameters[part.parameter].offset + part.offset;
  if (begin + part.bytes > buffer.size()) return {};
  return buffer.substr(begin, part.bytes);
}

// The words by which launches are known to be alike, in a fixed room since this is made for each
// launch. Longer ones are not kept apart from others of the same beginning: none is made of them.
class Key {
 public:
  void add(const void* bytes, std::size_t count) {
    is_whole_ = is_whole_ && size_ + count <= room_.size();
    if (!is_whole_) return;
    std::memcpy(room_.data() + size_, bytes, count);
    size_ += count;
  }
  template <typename Value>
  void add(const Value& value) {
    add(&value, sizeof value);
  }
  bool is_whole() const { return is_whole_; }
  std::string_view text() const { return {room_.data(), size_}; }

 private:
  std::array<char, 512> room_{};
  std::size_t size_ = 0;
  bool is_whole_ = true;
};

// Attributes that are as right for the variant as for the kernel.
bool goes_along(const CUlaunchAttribute& one) {
  switch (one.id) {
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
      return true;
    default:
      return false;
  }
}

// Attributes of the kernel's own shape, or which allow what need not be done.
bool is_dropped(const CUlaunchAttribute& one) {
  switch (one.id) {
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return true;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      return one.value.cooperative == 0;
    default:
      return false;
  }
}

// Why a launch cannot be another one; empty where it can.
std::string misfit(const Launch& launch) {
  if (launch.is_cooperative) return "it is a cooperative launch";
  for (unsigned i = 0; i < launch.attribute_count; ++i) {
    const CUlaunchAttribute& one = launch.attributes[i];
    if (one.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && one.value.cooperative != 0) {
      return "it is a cooperative launch";
    }
    if (!goes_along(one) && !is_dropped(one)) {
      return "it has the launch attribute " + std::to_string(one.id) + ", which no variant has";
    }
  }
  return {};
}

nlohmann::json current_device() {
  CUdevice device = 0;
  std::array<char, 256> name{};
  must(TUNER_DRIVER(cuCtxGetDevice)(&device), "cuCtxGetDevice");
  must(TUNER_DRIVER(cuDeviceGetName)(name.data(), static_cast<int>(name.size()), device),
       "cuDeviceGetName");
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    must(TUNER_DRIVER(cuDeviceGetAttribute)(&value, which, device), "cuDeviceGetAttribute");
    return value;
  };
  return {{"name", name.data()},
          {"compute_capability", 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                                     attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)},
          {"multiprocessors", attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)}};
}

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The attributes of the variant, as tuner names them.
std::vector<CUlaunchAttribute> attributes_of(const nlohmann::json& answer) {
  std::vector<CUlaunchAttribute> out;
  const auto add = [&](CUlaunchAttributeID id) -> CUlaunchAttributeValue& {
    out.emplace_back().id = id;
    return out.back().value;
  };
  const auto cluster = answer.value("cluster", std::array<unsigned, 3>{1, 1, 1});
  if (cluster != std::array<unsigned, 3>{1, 1, 1}) {
    auto& extents = add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim;
    extents.x = cluster[0];
    extents.y = cluster[1];
    extents.z = cluster[2];
  }
  const int scheduling = answer.value("scheduling", 0);
  if (scheduling != 0) {
    add(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
        .clusterSchedulingPolicyPreference = static_cast<CUclusterSchedulingPolicy>(scheduling);
  }
  if (answer.value("cooperative", false)) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  return out;
}

// Tells the driver what belongs to the kernel and not to the launch. What it refuses here it
// refuses at the launch. Other plans may launch the kernel, too: what they need stays.
void allow(CUfunction tuned, const nlohmann::json& answer, unsigned shared) {
  const auto set = TUNER_DRIVER(cuFuncSetAttribute);
  int most = 0;
  constexpr auto kMost = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  TUNER_DRIVER(cuFuncGetAttribute)(&most, kMost, tuned);
  if (static_cast<int>(shared) > most) set(tuned, kMost, static_cast<int>(shared));
  if (answer.contains("carveout")) {
    set(tuned, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, answer["carveout"].get<int>());
  }
  if (answer.contains("cluster")) {
    set(tuned, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  }
}

// Called at launches: registered behind the driver's own handlers, it runs before they end it.
void report_at_exit() {
  static const int registered = std::atexit([] { launches().report(true); });
  static_cast<void>(registered);
}

}  // namespace

Launches& launches() {
  static Launches* const one = new Launches;
  return *one;
}

// ---- how a launch is made -----------------------------------------------------------------------

Plan* Launches::plan_for(const Launch& launch) noexcept {
  try {
    report_at_exit();
    Kernel* const kernel = kernels_.of(launch.kernel);
    if (kernel == nullptr) return nullptr;
    kernel->launches.fetch_add(1, std::memory_order_relaxed);
    if (kernel->id < 0) return nullptr;
    CUcontext context = nullptr;
    if (TUNER_DRIVER(cuCtxGetCurrent)(&context) != CUDA_SUCCESS) return nullptr;
    Key key;
    key.add(reinterpret_cast<std::uintptr_t>(kernel));
    key.add(reinterpret_cast<std::uintptr_t>(context));
    key.add(launch.geometry);
    for (const Part& part : kernel->parts) {
      const std::string_view value = value_of(launch, *kernel, part);
      key.add(value.data(), value.size());
    }
    key.add(launch.is_cooperative);
    for (unsigned i = 0; i < launch.attribute_count; ++i) {
      key.add(launch.attributes[i].id);
      key.add(is_dropped(launch.attributes[i]));
    }
    if (!key.is_whole()) return nullptr;
    {
      const std::shared_lock lock(mutex_);
      const auto known = known_.find(key.text());
      if (known != known_.end()) return known->second;
    }
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(key.text());
    if (known != known_.end()) return known->second;
    if (plans_.size() >= kMostPlans) return nullptr;
    return known_[std::string(key.text())] = new_plan(*kernel, launch, context);
  } catch (const std::exception& error) {
    keep_trouble(error.what());
    return nullptr;
  }
}

void Launches::keep_trouble(const char* what) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (trouble_.empty()) trouble_ = what;
  } catch (const std::exception&) {
    // There is no room for it.
  }
}

Plan* Launches::new_plan(const Kernel& kernel, const Launch& launch, CUcontext context) {
  Plan& plan = plans_.emplace_back();
  plan.kernel = &kernel;
  plan.context = context;
  try {
    choose(plan, launch);
  } catch (const std::exception& error) {
    plan.tuned = nullptr;
    plan.row =
        &row_of({{"kernel", kernel.id}, {"geometry", launch.geometry}, {"reason", error.what()}});
  }
  return &plan;
}

void Launches::choose(Plan& plan, const Launch& launch) {
  const Kernel& kernel = *plan.kernel;
  const std::string why = misfit(launch);
  if (!why.empty()) throw std::runtime_error(why);
  nlohmann::json values = nlohmann::json::array();
  for (const Part& part : kernel.parts) {
    values.push_back(cuda::hexadecimal(value_of(launch, kernel, part)));
  }
  const nlohmann::json answer = tuner_.ask({{"launch", kernel.id},
                                            {"geometry", launch.geometry},
                                            {"device", current_device()},
                                            {"values", std::move(values)}});
  nlohmann::json what{{"kernel", kernel.id}, {"geometry", launch.geometry}};
  for (const char* name : {"answer", "reason"}) {
    if (answer.contains(name)) what[name] = answer[name];
  }
  plan.row = &row_of(std::move(what));
  if (!answer.contains("image")) return;
  answer.at("geometry").get_to(plan.geometry);
  for (const auto& [index, bytes] : answer.at("scalars").items()) {
    plan.scalars.emplace_back(static_cast<unsigned>(std::stoul(index)),
                              bytes_of(bytes.get<std::string>()));
    const auto& [place, value] = plan.scalars.back();
    if (place >= kernel.parameters.size() || value.size() != kernel.parameters[place].bytes) {
      throw std::runtime_error("the variant's arguments have other sizes");
    }
  }
  plan.attributes = attributes_of(answer);
  const CUfunction tuned = load(plan.context, answer);
  if (parameters_of(tuned) != kernel.parameters) {
    throw std::runtime_error("the variant takes other parameters");
  }
  allow(tuned, answer, plan.geometry[6]);
  plan.tuned = tuned;
}

// Loads an image into the current context, once.
CUfunction Launches::load(CUcontext context, const nlohmann::json& answer) {
  const auto image = answer.at("image").get<std::string>();
  const auto symbol = answer.at("symbol").get<std::string>();
  CUfunction& known =
      loaded_[std::to_string(reinterpret_cast<std::uintptr_t>(context)) + symbol + image];
  if (known != nullptr) return known;
  const RelaxedCapture relaxed;
  const std::string bytes = contents_of(image);
  if (bytes.empty()) throw std::runtime_error("the variant's image cannot be read");
  CUmodule module = nullptr;
  must(TUNER_DRIVER(cuModuleLoadData)(&module, bytes.data()), "loading the variant");
  CUfunction function = nullptr;
  must(TUNER_DRIVER(cuModuleGetFunction)(&function, module, symbol.c_str()),
       "the variant's kernel");
  // Else the driver may put it off until the first launch, which may be captured. Drivers before
  // CUDA 12.4 have no such call.
  using Load = CUresult (*)(CUfunction);
  if (const auto load = reinterpret_cast<Load>(driver_symbol("cuFuncLoad"))) load(function);
  known = function;
  return known;
}

Row& Launches::row_of(nlohmann::json what) {
  Row& row = rows_[what.dump()];
  row.what = std::move(what);
  return row;
}

namespace {

// Points to the parameters, with those of the variant in the place of the application's. Throws
// where the application gives too few bytes.
std::vector<void*> addresses_of(const Plan& plan, const Launch& launch) {
  const std::string_view buffer = cuda::packed_parameters(launch.extra);
  std::vector<void*> out;
  for (const Parameter& one : plan.kernel->parameters) {
    if (launch.parameters != nullptr) {
      out.push_back(launch.parameters[out.size()]);
    } else if (one.offset + one.bytes <= buffer.size()) {
      out.push_back(const_cast<char*>(buffer.data()) + one.offset);
    } else {
      throw std::runtime_error("its parameters cannot be read");
    }
  }
  for (const auto& [index, bytes] : plan.scalars) out[index] = const_cast<char*>(bytes.data());
  return out;
}

CUresult launch_tuned(const Plan& plan, const Launch& launch) {
  std::vector<void*> addresses;
  if (launch.parameters == nullptr || !plan.scalars.empty()) addresses = addresses_of(plan, launch);
  std::vector<CUlaunchAttribute> attributes;
  if (launch.attribute_count > 0) {
    attributes = plan.attributes;
    std::copy_if(launch.attributes, launch.attributes + launch.attribute_count,
                 std::back_inserter(attributes), goes_along);
  }
  const auto& asked = launch.attribute_count > 0 ? attributes : plan.attributes;
  CUlaunchConfig how{};
  how.gridDimX = plan.geometry[0];
  how.gridDimY = plan.geometry[1];
  how.gridDimZ = plan.geometry[2];
  how.blockDimX = plan.geometry[3];
  how.blockDimY = plan.geometry[4];
  how.blockDimZ = plan.geometry[5];
  how.sharedMemBytes = plan.geometry[6];
  how.hStream = launch.stream;
  how.attrs = const_cast<CUlaunchAttribute*>(asked.data());
  how.numAttrs = static_cast<unsigned>(asked.size());
  return TUNER_NAMED(decltype(&cuLaunchKernelEx), "cuLaunchKernelEx")(
      &how, plan.tuned, addresses.empty() ? launch.parameters : addresses.data(), nullptr);
}

}  // namespace

// False where the driver does not take it: then the launch is made as it was, now and later.
bool Launches::make_tuned(Plan& plan, const Launch& launch) noexcept {
  try {
    const CUresult result = launch_tuned(plan, launch);
    if (result == CUDA_SUCCESS) {
      plan.row->replaced.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
    plan.is_refused = true;
    const std::lock_guard lock(timer_.mutex());
    plan.row->refusal = "the driver refuses the variant: " + name_of(result);
  } catch (const std::exception&) {
    plan.is_refused = true;
  }
  return false;
}

void Launches::leave(CUfunction kernel, const char* reason) noexcept {
  try {
    report_at_exit();
    Kernel* const known = kernels_.of(kernel);
    if (known == nullptr) return;
    known->launches.fetch_add(1, std::memory_order_relaxed);
    if (known->id < 0) return;
    const std::lock_guard lock(mutex_);
    row_of({{"kernel", known->id}, {"geometry", Geometry{}}, {"reason", reason}}).launches += 1;
  } catch (const std::exception&) {
    // It is not counted.
  }
}

void Launches::forget_contexts() noexcept {
  kernels_.forget_handles();
  timer_.forget_contexts();
  const std::lock_guard lock(mutex_);
  known_.clear();
  loaded_.clear();
}

// ---- what is told of them -----------------------------------------------------------------------

Launches::Watch::Watch(Launches& all, Plan& plan, const Launch& launch)
    : all_(all), plan_(plan), stream_(launch.stream) {
  const std::uint64_t number = plan.row->launches.fetch_add(1, std::memory_order_relaxed);
  if (is_captured(stream_)) {
    plan.row->recorded.fetch_add(1, std::memory_order_relaxed);
  } else {
    weight_ = Timer::weight_of(number);
    if (weight_ > 0 && !all.timer_.begin(plan.context, stream_, pair_)) weight_ = 0;
  }
  is_due_ = all.is_report_due(number);
}

Launches::Watch::~Watch() {
  if (weight_ > 0) all_.timer_.end(stream_, pair_, weight_, plan_.row->times);
  if (is_due_) all_.report(false);
}

// After the 1st, 2nd, 4th, ... launch of a kind, so that a process that ends without a word has
// told most; then each second, which is looked at now and then.
bool Launches::is_report_due(std::uint64_t number) {
  if (((number + 1) & number) == 0) return true;
  if (Timer::weight_of(number) == 0) return false;
  const std::int64_t now = now_in_seconds();
  std::int64_t last = last_report_;
  return now - last >= kReportSeconds && last_report_.compare_exchange_strong(last, now);
}

void Launches::report(bool is_last) noexcept {
  timer_.collect(is_last);
  try {
    nlohmann::json rows = nlohmann::json::array();
    std::string trouble;
    {
      const std::shared_lock lock(mutex_);
      trouble = trouble_;
      const std::lock_guard timer_lock(timer_.mutex());
      for (const auto& [key, row] : rows_) {
        nlohmann::json one = row.what;
        one["launches"] = row.launches.load();
        one["replaced"] = row.replaced.load();
        one["recorded"] = row.recorded.load();
        one["timed"] = row.times.timed;
        one["weight"] = row.times.weight;
        one["ms"] = row.times.ms;
        if (!row.refusal.empty()) one["refusal"] = row.refusal;
        rows.push_back(std::move(one));
      }
    }
    tuner_.tell({{"rows", std::move(rows)},
                 {"kernels", kernels_.most_launched(kMostNames)},
                 {"trouble", std::move(trouble)}});
  } catch (const std::exception&) {
    // There is no room for a report.
  }
}

}  // namespace tuner::apply
