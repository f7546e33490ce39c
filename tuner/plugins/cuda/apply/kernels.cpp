// Asks the driver for names and parameters, and tuner whether the study is about them.

#include "tuner/plugins/cuda/apply/kernels.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tuner::apply {
namespace {

constexpr std::size_t kMostParameters = 1024;

// These calls are younger than the oldest headers that this is built with.
template <typename Handle>
using NameCall = CUresult (*)(const char**, Handle);
template <typename Handle>
using ParameterCall = CUresult (*)(Handle, std::size_t, std::size_t*, std::size_t*);

std::string kernel_name(CUfunction handle) {
  const char* name = nullptr;
  CUresult result = TUNER_NAMED(NameCall<CUfunction>, "cuFuncGetName")(&name, handle);
  if (result != CUDA_SUCCESS) {
    const auto kernel = reinterpret_cast<CUkernel>(handle);
    result = TUNER_NAMED(NameCall<CUkernel>, "cuKernelGetName")(&name, kernel);
  }
  return result == CUDA_SUCCESS && name != nullptr ? name : "";
}

}  // namespace

std::vector<Parameter> parameters_of(CUfunction handle) {
  std::vector<Parameter> out;
  CUmodule module = nullptr;
  const bool is_function = TUNER_DRIVER(cuFuncGetModule)(&module, handle) == CUDA_SUCCESS;
  const auto info = TUNER_NAMED(ParameterCall<CUfunction>, "cuFuncGetParamInfo");
  const auto kernel_info = TUNER_NAMED(ParameterCall<CUkernel>, "cuKernelGetParamInfo");
  for (Parameter one; out.size() < kMostParameters; out.push_back(one)) {
    const CUresult result = is_function ? info(handle, out.size(), &one.offset, &one.bytes)
                                        : kernel_info(reinterpret_cast<CUkernel>(handle),
                                                      out.size(), &one.offset, &one.bytes);
    if (result != CUDA_SUCCESS) break;
  }
  return out;
}

Kernel* Kernels::of(CUfunction handle) {
  {
    const std::shared_lock lock(mutex_);
    const auto known = handles_.find(handle);
    if (known != handles_.end()) return known->second;
  }
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = handles_.emplace(handle, nullptr);
  if (is_new) place->second = find(handle);  // where that throws, the handle stays one of no kernel
  return place->second;
}

Kernel* Kernels::find(CUfunction handle) {
  auto made = std::make_unique<Kernel>();
  made->name = kernel_name(handle);
  if (made->name.empty()) return nullptr;
  made->parameters = parameters_of(handle);
  nlohmann::json sizes = nlohmann::json::array();
  for (const Parameter& one : made->parameters) sizes.push_back(one.bytes);
  const nlohmann::json question{{"kernel", made->name}, {"parameters", std::move(sizes)}};
  const auto [place, is_new] = kernels_.emplace(question.dump(), nullptr);
  if (!is_new) return place->second.get();
  place->second = std::move(made);
  const nlohmann::json answer = tuner_.ask(question);
  if (!answer.value("wanted", false)) return place->second.get();
  Kernel& kernel = *place->second;
  for (const auto& [parameter, offset, bytes] :
       answer.at("parts").get<std::vector<std::array<std::size_t, 3>>>()) {
    const bool is_there = parameter < kernel.parameters.size() &&
                          offset + bytes <= kernel.parameters[parameter].bytes;
    if (!is_there) throw std::runtime_error("there is no such part of a parameter");
    kernel.parts.push_back({parameter, offset, bytes});
  }
  answer.at("id").get_to(kernel.id);
  return &kernel;
}

void Kernels::forget_handles() {
  const std::lock_guard lock(mutex_);
  handles_.clear();
}

nlohmann::json Kernels::most_launched(std::size_t most) const {
  std::vector<std::pair<std::uint64_t, std::string>> all;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [key, one] : kernels_) {
      if (one != nullptr && one->launches > 0) all.emplace_back(one->launches, one->name);
    }
  }
  std::sort(all.rbegin(), all.rend());
  nlohmann::json out = nlohmann::json::array();
  for (const auto& [launches, name] : all) {
    if (out.size() < most) out.push_back({name, launches});
  }
  return out;
}

}  // namespace tuner::apply
