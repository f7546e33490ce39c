// Binds a variant's arguments to the application's buffers and launches it; takes its data into
// files that are nowhere but in memory; finds or compiles the kernel of a configuration.

#include "tuner/library/served_launch.h"

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tuner/check/size_check.h"
#include "tuner/library/state.h"
#include "tuner/measure/bound_launch.h"
#include "tuner/ports/backend.h"
#include "tuner/resolve/resolve.h"
#include "tuner/study/extents.h"

namespace libtuner {

namespace {

using tuner::ArgumentPlan;
using tuner::Role;

template <typename T>
T take(tuner::DeviceResult<T> result, const std::string& what) {
  if (!result) throw Error(what + ": " + result.error().message);
  return std::move(*result);
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
  tuner::Constants constants(backend_, ready_.size, nullptr);
  take(constants.fill({}), "the kernel");
  take(constants.set(kernel_->id(), constants.bind(ready_.variant)), "the kernel");
}

void ServedLaunch::make_own(std::uint32_t index) {
  const ArgumentPlan& one = argument(index);
  if (one.is_scalar || !is_working_space(one.role)) return;
  const std::uint64_t bytes = std::max<std::uint64_t>(1, tuner::bytes_of(one));
  tuner::DeviceMemory& memory = backend_.memory();
  const tuner::BufferId id = take(memory.allocate(bytes), one.name);
  own_.emplace(index, tuner::DeviceBuffer(memory, id));
  take(memory.fill({id, 0}, bytes, {tuner::Fill::Kind::kBytes, tuner::DataType::kUInt8, 0, 0, 0}),
       one.name);
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
    if (one.is_scalar || !is_working_space(one.role) || !is_zeroed(one)) continue;
    zeros.push_back({{buffer_of(i, given, adopted), 0}, tuner::bytes_of(one)});
  }
  return tuner::launch_sequence(ready_.variant, kernel_->kernel(), ready_.size.arguments.size(),
                                bound, zeros);
}

void ServedLaunch::launch(const Buffers& given) {
  const AdoptedMemory adopted = adopt(backend_, given);
  take(backend_.launch(sequence(given, adopted)), "the launch");
}

namespace {

// Returns the size in bytes of a buffer that the study describes; check_size() has checked its
// shape.
std::uint64_t bytes_needed(const tuner::ArgumentSpec& argument, const tuner::Bindings& names) {
  std::uint64_t bytes = tuner::size_of(argument.type);
  for (const tuner::Expression& extent : argument.shape) {
    const auto value = extent.evaluate(names);
    const auto count = value ? tuner::whole_number(*value) : std::int64_t{0};
    bytes *= count ? static_cast<std::uint64_t>(*count) : 0;
  }
  return bytes;
}

}  // namespace

DataCopy::DataCopy(std::size_t bytes)
    : bytes_(bytes), file_(::memfd_create("tuner-data", MFD_CLOEXEC)) {
  if (file_.get() < 0 || ::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) {
    throw Error(std::string("no memory for a copy of the data: ") + std::strerror(errno));
  }
}

// `write` gets the room to write to.
template <typename Write>
void DataCopy::fill(Write&& write) {
  if (bytes_ == 0) return;
  void* room = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (room == MAP_FAILED) throw Error("no memory for a copy of the data");
  try {
    write(std::span(static_cast<std::byte*>(room), bytes_));
  } catch (...) {
    ::munmap(room, bytes_);
    throw;
  }
  ::munmap(room, bytes_);
}

void DataCopy::fill_from(const void* data) {
  fill([&](std::span<std::byte> room) { std::memcpy(room.data(), data, room.size()); });
}

void DataCopy::fill_from(tuner::DeviceMemory& memory, tuner::BufferId buffer) {
  fill([&](std::span<std::byte> room) {
    const auto done = memory.download({buffer, 0}, room);
    if (!done) throw Error(done.error().message);
  });
}

std::vector<DataCopy> take_data(tuner::Study& study, const tuner::ProblemSize& size,
                                const tuner::DeviceFacts& facts, tuner::Backend& backend,
                                const Buffers& data) {
  std::vector<DataCopy> copies;
  const tuner::Bindings names = tuner::facts_of(size, facts);
  for (const Buffer& one : data) {
    const auto argument =
        std::ranges::find(study.arguments, one.argument, &tuner::ArgumentSpec::name);
    if (argument == study.arguments.end() || argument->is_scalar) {
      throw Error("the study has no argument '" + one.argument + "' that is a buffer");
    }
    if (argument->choice) {
      throw Error("argument '" + one.argument + "' has a type for each value of '" +
                  argument->choice->parameter + "'; an application gives data of one type");
    }
    if (argument->role != tuner::Role::kIn && argument->role != tuner::Role::kInOut) continue;
    const std::uint64_t needed = bytes_needed(*argument, names);
    if (one.bytes != needed) {
      throw Error("argument '" + one.argument + "' has " + std::to_string(one.bytes) + " bytes; " +
                  text_of(size) + " needs " + std::to_string(needed));
    }
    DataCopy& copy = copies.emplace_back(one.bytes);
    if (one.on_host) {
      check_address(one);
      copy.fill_from(one.data);
    } else {
      const AdoptedMemory adopted = adopt(backend, {one});
      copy.fill_from(backend.memory(), adopted.at(one.data).id());
    }
    argument->fill = tuner::FillSpec::of_file(copy.path());
  }
  return copies;
}

ReadyVariants::ReadyVariants(const tuner::Study& study, const tuner::ProblemSize& size,
                             const tuner::DeviceFacts& facts, const tuner::Toolchain& tools)
    : study_(study),
      facts_(facts),
      tools_(tools),
      space_(tuner::SearchSpace::build(tuner::space_definition(study, size, facts))) {
  auto plan = tuner::size_plan(study, size, facts, tuner::reference_cases(study, space_));
  if (!plan) throw Error(plan.error());
  plan_ = std::move(*plan);
}

std::uint64_t ReadyVariants::count() const {
  return static_cast<std::uint64_t>(
      std::min<tuner::ConfigIndex>(space_.size(), std::numeric_limits<std::uint64_t>::max()));
}

std::shared_ptr<const ReadyVariant> ReadyVariants::variant(
    const tuner::Configuration& configuration, bool compile, const tuner::StopRequest& stop) const {
  auto variant = tuner::variant_plan(study_, space_, configuration);
  if (!variant) return nullptr;
  const auto request = tuner::compile_request(study_, space_, configuration, variant->then, facts_,
                                              tools_.source_text);
  if (!request) return nullptr;
  const std::string key = tools_.library.key(*request);
  auto artifact = tools_.library.find(key);
  if (!artifact && compile) artifact = compiled(key, *request, stop);
  if (!artifact) return nullptr;
  variant->artifact = std::move(*artifact);
  return std::make_shared<const ReadyVariant>(ReadyVariant{plan_, std::move(*variant)});
}

std::optional<tuner::Artifact> ReadyVariants::compiled(const std::string& key,
                                                       const tuner::CompileRequest& request,
                                                       const tuner::StopRequest& stop) const {
  constexpr double kLookSeconds = 0.05;
  const std::uint64_t id = tools_.compilers.submit(key, request);
  while (stop.count() == 0) {
    tuner::PollSet awaited;
    awaited.sockets.push_back({stop.fd(), POLLIN, 0});
    tools_.compilers.watch(awaited);
    awaited.until(tuner::after(tuner::Clock::now(), kLookSeconds));
    awaited.wait();
    for (const tuner::CompileResult& result : tools_.compilers.handle()) {
      if (result.id != id) continue;
      return result.outcome ? std::optional(**result.outcome) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace libtuner
