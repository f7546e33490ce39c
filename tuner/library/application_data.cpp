// Takes the application's data into files that are nowhere but in memory.

#include "tuner/library/application_data.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "tuner/library/served_launch.h"
#include "tuner/library/state.h"
#include "tuner/resolve/resolve.h"
#include "tuner/study/size_check.h"

namespace libtuner {
namespace {

// Of a buffer that the study describes; check_size() has seen to its shape.
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
    argument->fill = {tuner::FillSpec::Kind::kFile, 0, 0, copy.path()};
  }
  return copies;
}

}  // namespace libtuner
