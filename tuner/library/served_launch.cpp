// Binds a variant's arguments to the application's buffers and launches it.

#include "tuner/library/served_launch.h"

#include <algorithm>

#include "tuner/measure/launch_sequence.h"
#include "tuner/ports/adopts_memory.h"

namespace libtuner {
namespace {

using tuner::ArgumentPlan;
using tuner::Role;

template <typename T>
T take(tuner::DeviceResult<T> result, const std::string& what) {
  if (!result) throw Error(what + ": " + result.error().message);
  return std::move(*result);
}

bool is_own(const ArgumentPlan& argument) {
  return argument.role == Role::kScratch || argument.role == Role::kWorkspace;
}

// A launch begins with zeros there, each time.
bool is_zeroed(const ArgumentPlan& argument) {
  return argument.role == Role::kScratch || argument.zero == tuner::Zero::kEach;
}

}  // namespace

void check_address(const Buffer& buffer) {
  if (buffer.data == nullptr) throw Error("argument '" + buffer.argument + "' has the address 0");
}

// Arguments may share memory: it is adopted once, in its largest extent.
AdoptedMemory adopt(tuner::Backend& backend, const Buffers& given) {
  auto* memory = dynamic_cast<tuner::AdoptsMemory*>(&backend);
  if (memory == nullptr) throw Error("this backend cannot work on an application's memory");
  std::map<void*, const Buffer*> largest;
  for (const Buffer& one : given) {
    if (one.on_host) continue;
    check_address(one);
    const Buffer*& known = largest[one.data];
    if (known == nullptr || known->bytes < one.bytes) known = &one;
  }
  AdoptedMemory out;
  for (const auto& [data, one] : largest) {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    out.emplace(data, tuner::DeviceBuffer(backend.memory(),
                                          take(memory->adopt(address, one->bytes), one->argument)));
  }
  return out;
}

ServedLaunch::ServedLaunch(tuner::Backend& backend, ReadyVariant ready)
    : backend_(backend), ready_(std::move(ready)) {
  kernel_.emplace(backend_, take(backend_.load(ready_.variant.artifact), "the kernel"));
  for (std::uint32_t i = 0; i < ready_.size.arguments.size(); ++i) make_own(i);
  set_constants();
}

const ArgumentPlan& ServedLaunch::argument(std::uint32_t index) const {
  for (const auto& [place, plan] : ready_.variant.overrides) {
    if (place == index) return plan;
  }
  return ready_.size.arguments[index];
}

void ServedLaunch::make_own(std::uint32_t index) {
  const ArgumentPlan& one = argument(index);
  if (one.is_scalar || !is_own(one)) return;
  const std::uint64_t bytes = std::max<std::uint64_t>(1, tuner::bytes_of(one));
  tuner::DeviceMemory& memory = backend_.memory();
  const tuner::BufferId id = take(memory.allocate(bytes), one.name);
  own_.emplace(index, tuner::DeviceBuffer(memory, id));
  take(memory.fill({id, 0}, bytes, {tuner::Fill::Kind::kBytes, tuner::DataType::kUInt8, 0, 0, 0}),
       one.name);
}

void ServedLaunch::set_constants() {
  tuner::GuardedMemory memory(backend_.memory());
  const auto first = static_cast<std::uint32_t>(ready_.size.arguments.size());
  for (std::uint32_t i = 0; i < ready_.size.constants.size(); ++i) {
    const ArgumentPlan* constant = &ready_.size.constants[i];
    for (const auto& [place, plan] : ready_.variant.overrides) {
      if (place == first + i) constant = &plan;
    }
    for (const auto& [name, lowered] : ready_.variant.artifact.symbols) {
      if (name != constant->name) continue;
      const auto bytes = take(memory.fetched(*constant), name);
      take(backend_.set_symbol(kernel_->id(), lowered, bytes), name);
    }
  }
}

tuner::BufferId ServedLaunch::buffer_of(std::uint32_t index, const Buffers& given,
                                        const AdoptedMemory& adopted) const {
  const auto own = own_.find(index);
  if (own != own_.end()) return own->second.id();
  const ArgumentPlan& one = argument(index);
  const auto found = std::ranges::find(given, one.name, &Buffer::argument);
  if (found == given.end() || found->on_host) {
    throw Error("there is no device memory for argument '" + one.name + "'");
  }
  if (found->bytes < tuner::bytes_of(one)) {
    throw Error("argument '" + one.name + "' has " + std::to_string(found->bytes) +
                " bytes; it needs " + std::to_string(tuner::bytes_of(one)));
  }
  return adopted.at(found->data).id();
}

tuner::LaunchSequence ServedLaunch::sequence(const Buffers& given,
                                             const AdoptedMemory& adopted) const {
  const auto bound = [&](std::uint32_t index, const tuner::Places& places) {
    const ArgumentPlan& one = argument(places[index]);
    if (one.is_scalar && !one.map) {
      tuner::LaunchArgument bytes{false, {}, one.scalar};
      for (const tuner::AddressPlan& address : one.addresses) {
        const tuner::BufferId of = buffer_of(places[address.of], given, adopted);
        bytes.addresses.push_back({address.place, {of, address.offset}, address.texture});
      }
      return bytes;
    }
    const std::uint32_t slot = one.map ? places[one.map->of] : places[index];
    tuner::LaunchArgument out{true, {buffer_of(slot, given, adopted), 0}, {}};
    if (one.map) out.map = one.map->map;
    return out;
  };
  std::vector<tuner::Zeros> zeros;
  for (std::uint32_t i = 0; i < ready_.size.arguments.size(); ++i) {
    const ArgumentPlan& one = argument(i);
    if (one.is_scalar || !is_own(one) || !is_zeroed(one)) continue;
    zeros.push_back({{buffer_of(i, given, adopted), 0}, tuner::bytes_of(one)});
  }
  return tuner::launch_sequence(ready_.variant, kernel_->kernel(), ready_.size.arguments.size(),
                                bound, zeros);
}

void ServedLaunch::launch(const Buffers& given) {
  const AdoptedMemory adopted = adopt(backend_, given);
  take(backend_.launch(sequence(given, adopted)), "the launch");
}

}  // namespace libtuner
