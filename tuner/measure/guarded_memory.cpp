// Allocates, fills, copies and compares buffers with guard words.

#include "tuner/measure/guarded_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "tuner/base/expected.h"
#include "tuner/measure/data_file.h"
#include "tuner/measure/difference.h"
#include "tuner/measure/host_fills.h"
#include "tuner/measure/input_sets.h"
#include "tuner/measure/protection.h"

namespace tuner {

namespace {

// Fills that a device makes, indexed by FillSpec::Kind.
constexpr std::array kOnDevice{Fill::Kind::kConstant, Fill::Kind::kConstant, Fill::Kind::kUniform,
                               Fill::Kind::kNormal,   Fill::Kind::kIntegers, Fill::Kind::kSequence};

Fill fill_of(const ArgumentPlan& argument) {
  const FillSpec& spec = argument.fill;
  const double a = spec.kind == FillSpec::Kind::kZeros ? 0 : spec.a;
  const Fill::Kind kind = spec.kind == FillSpec::Kind::kZipf
                              ? Fill::Kind::kZipf
                              : kOnDevice.at(static_cast<std::size_t>(spec.kind));
  return {kind, argument.type, a, spec.b, argument.seed};
}

}  // namespace

const ArgumentPlan& argument_of(
    const SizePlan& plan, const std::vector<std::pair<std::uint32_t, ArgumentPlan>>& overrides,
    std::uint32_t index) {
  for (const auto& [place, argument] : overrides) {
    if (place == index) return argument;
  }
  const std::size_t count = plan.arguments.size();
  return index < count ? plan.arguments[index] : plan.constants.at(index - count);
}

DeviceFailure in_context(const std::string& what, DeviceFailure failure) {
  failure.message = what + ": " + failure.message;
  return failure;
}

ProblemArray problem_array(const ArgumentPlan& argument) {
  if (argument.is_scalar) {  // a struct is its bytes
    const std::uint64_t count = argument.scalar.size() / size_of(argument.type);
    ProblemArray value{argument.name, argument.type, {}, count, argument.scalar};
    if (count > 1) value.extents = {count};
    return value;
  }
  return {argument.name, argument.type, argument.extents, argument.elements};
}

namespace {

// Bytes of one struct.
std::uint64_t stride_of(const ArgumentPlan& structs) { return structs.extents.back(); }

// The member of all structs as an argument "particles.mass".
ArgumentPlan member_array(const ArgumentPlan& structs, const MemberPlan& member) {
  ArgumentPlan array;
  array.name = structs.name + "." + member.path;
  array.type = member.type;
  array.elements = structs.elements / stride_of(structs) * member.count;
  array.extents.assign(structs.extents.begin(), structs.extents.end() - 1);
  if (member.count > 1) array.extents.push_back(member.count);
  array.role = structs.role;
  array.fill = member.fill;
  array.seed = structs.seed + member.seed;
  return array;
}

// Writes the numbers of one member into the structs.
void scatter(std::span<const std::byte> numbers, const MemberPlan& member,
             std::span<std::byte> structs, std::uint64_t stride) {
  const std::size_t size = size_of(member.type) * member.count;
  for (std::size_t i = 0; i * size < numbers.size(); ++i) {
    std::memcpy(structs.data() + i * stride + member.offset, numbers.data() + i * size, size);
  }
}

std::vector<AddressAt> addresses_in(const ArgumentPlan& argument,
                                    const std::function<BufferId(std::uint32_t)>& buffer_of) {
  std::vector<AddressAt> out;
  for (const AddressPlan& one : argument.addresses) {
    out.push_back({one.place, {buffer_of(one.of), kGuardBytes + one.offset}, one.texture});
  }
  return out;
}

}  // namespace

LaunchArgument launch_argument(const ArgumentPlan& argument, std::uint32_t index,
                               const std::function<BufferId(std::uint32_t)>& buffer_of) {
  if (argument.map) {
    return {true, contents_of(buffer_of(argument.map->of)), {}, argument.map->map};
  }
  if (!argument.is_scalar) return {true, contents_of(buffer_of(index)), {}};
  return {false, {}, argument.scalar, {}, addresses_in(argument, buffer_of)};
}

DeviceResult<Ok> fill_table(DeviceMemory& memory, ArgumentPlan& table,
                            const std::function<BufferId(std::uint32_t)>& buffer_of) {
  return write_addresses(memory, addresses_in(table, buffer_of), table.scalar);
}

DeviceResult<DeviceBuffer> GuardedMemory::allocate(std::uint64_t bytes) {
  return DeviceBuffer(memory_, TUNER_TRY(memory_.allocate(std::max<std::uint64_t>(1, bytes))));
}

DeviceResult<DeviceBuffer> GuardedMemory::allocate_pristine(std::uint64_t bytes) {
  auto buffer = TUNER_TRY(allocate(kGuardBytes + bytes));
  TUNER_TRY(fill_bytes(buffer.id(), 0, kGuardBytes, kGuardByte));
  return buffer;
}

DeviceResult<DeviceBuffer> GuardedMemory::allocate_guarded(std::uint64_t bytes,
                                                           std::uint64_t address) {
  DeviceBuffer buffer;
  if (address == 0) {
    buffer = TUNER_TRY(allocate_pristine(bytes + kGuardBytes));
  } else {
    const std::uint64_t all = kGuardBytes + bytes + kGuardBytes;
    buffer = {memory_, TUNER_TRY(memory_.allocate_at(address - kGuardBytes, all))};
    TUNER_TRY(fill_bytes(buffer.id(), 0, kGuardBytes, kGuardByte));
  }
  TUNER_TRY(fill_bytes(buffer.id(), kGuardBytes + bytes, kGuardBytes, kGuardByte));
  return buffer;
}

DeviceResult<Ok> fill_bytes(DeviceMemory& memory, const ByteFill& how) {
  if (how.bytes == 0) return Ok{};
  return memory.fill(how.at, how.bytes,
                     {Fill::Kind::kBytes, DataType::kUInt8, static_cast<double>(how.value), 0, 0});
}

DeviceResult<Ok> GuardedMemory::fill_bytes(BufferId buffer, std::uint64_t offset,
                                           std::uint64_t bytes, unsigned char value) {
  return tuner::fill_bytes(memory_, {{buffer, offset}, bytes, value, 0});
}

DeviceResult<std::vector<std::byte>> GuardedMemory::fetched(const ArgumentPlan& constant) {
  if (constant.is_scalar) return constant.scalar;
  auto buffer = TUNER_TRY(allocate_pristine(bytes_of(constant)));
  TUNER_TRY(fill(buffer.id(), constant));
  std::vector<std::byte> bytes(bytes_of(constant));
  TUNER_TRY(memory_.download(contents_of(buffer.id()), bytes));
  return bytes;
}

DeviceResult<Ok> GuardedMemory::copy(BufferId to, BufferId from, std::uint64_t bytes) {
  return memory_.copy(contents_of(to), contents_of(from), bytes);
}

DeviceResult<std::optional<std::string>> GuardedMemory::outside_write(
    BufferId buffer, std::uint64_t bytes, const ArgumentPlan& argument) {
  std::array<std::byte, kGuardBytes> before{};
  std::array<std::byte, kGuardBytes> behind{};
  const std::uint64_t end = kGuardBytes + bytes;
  TUNER_TRY(memory_.download({buffer, 0}, before));
  TUNER_TRY(memory_.download({buffer, end}, behind));
  const auto changed = [](std::byte byte) { return byte != std::byte{kGuardByte}; };
  // Among several damaged bytes the one next to the contents is reported.
  const auto back = std::find_if(before.rbegin(), before.rend(), changed) - before.rbegin();
  const auto forth = std::find_if(behind.begin(), behind.end(), changed) - behind.begin();
  const auto size = static_cast<std::ptrdiff_t>(size_of(argument.type));
  const auto all = static_cast<std::ptrdiff_t>(kGuardBytes);
  if (back == all && forth == all) return std::optional<std::string>();
  for (const std::uint64_t place : {std::uint64_t{0}, end}) {
    TUNER_TRY(fill_bytes(buffer, place, kGuardBytes, kGuardByte));
  }
  if (forth == all) {
    return std::optional(
        fmt::format("write in front of {}: element -{}", argument.name, back / size + 1));
  }
  const auto elements = static_cast<std::ptrdiff_t>(bytes) / size;
  return std::optional(fmt::format("write past the end of {}: element {} of {}, counted from 0",
                                   argument.name, elements + forth / size, elements));
}

// Makes the contents of an argument whose elements are structs: each member is filled as an array,
// and put in its place.
DeviceResult<std::vector<std::byte>> GuardedMemory::structs(const ArgumentPlan& argument) {
  std::vector<std::byte> all(bytes_of(argument));
  for (const MemberPlan& member : argument.members) {
    ArgumentPlan array = member_array(argument, member);
    auto buffer = TUNER_TRY(allocate_pristine(bytes_of(array)));
    std::vector<std::byte> bytes(bytes_of(array));
    TUNER_TRY(fill(buffer.id(), array));
    TUNER_TRY(memory_.download(contents_of(buffer.id()), bytes));
    scatter(bytes, member, all, stride_of(argument));
  }
  return all;
}

DeviceResult<Ok> GuardedMemory::fill(BufferId buffer, const ArgumentPlan& argument) {
  if (!argument.addresses.empty()) return memory_.upload(contents_of(buffer), argument.scalar);
  if (!argument.members.empty() && argument.fill.kind == FillSpec::Kind::kZeros) {
    return memory_.upload(contents_of(buffer), TUNER_TRY(structs(argument)));
  }
  if (argument.fill.is_made_by_device()) {
    TUNER_TRY(memory_.fill(contents_of(buffer), argument.elements, fill_of(argument)));
    if (argument.has_special_values) TUNER_TRY(sprinkle(buffer, argument));
    return argument.fill.sorted ? sort(buffer, argument) : Ok{};
  }
  auto bytes = contents(argument);
  if (!bytes) return Unexpected{DeviceFailure{DeviceError::kInvalid, bytes.error()}};
  if (argument.fill.sorted) sort_elements(argument.type, *bytes);
  TUNER_TRY(memory_.upload(contents_of(buffer), *bytes));
  for (const MemberPlan& one : argument.members) {
    if (!one.is_poisoned) continue;
    TUNER_TRY(fill_bytes(buffer, kGuardBytes + one.offset, one.count * size_of(one.type),
                         poison_for(one.type)));
  }
  return Ok{};
}

DeviceResult<Ok> GuardedMemory::sort(BufferId buffer, const ArgumentPlan& argument) {
  std::vector<std::byte> bytes(bytes_of(argument));
  TUNER_TRY(memory_.download(contents_of(buffer), bytes));
  sort_elements(argument.type, bytes);
  return memory_.upload(contents_of(buffer), bytes);
}

// Returns the contents of an argument that the device does not fill.
Expected<std::vector<std::byte>, std::string> GuardedMemory::contents(
    const ArgumentPlan& argument) {
  if (argument.fill.kind == FillSpec::Kind::kProblem) {
    if (problem_ != nullptr) return problem_->fill(argument.set, problem_array(argument));
    return Unexpected{std::string("there is no problem that could fill it")};
  }
  if (argument.fill.kind != FillSpec::Kind::kFile) return made_on_host(argument);
  DataWanted wanted{argument.name, argument.type, argument.extents};
  if (wanted.shape.empty()) wanted.shape = {argument.elements};
  wanted.offset = argument.fill.offset;
  return read_data(argument.fill.file, wanted);
}

// Writes special values at both ends, where edges of a problem often are, and in the middle.
DeviceResult<Ok> GuardedMemory::sprinkle(BufferId buffer, const ArgumentPlan& argument) {
  std::vector<std::byte> bytes;
  for (const double value : special_values(argument)) {
    const auto one = scalar_bytes(argument.type, value);
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  const std::uint64_t size = size_of(argument.type);
  const std::uint64_t count = std::min<std::uint64_t>(argument.elements, bytes.size() / size);
  const std::uint64_t rest = argument.elements - count;
  for (const std::uint64_t first : {std::uint64_t{0}, rest / 2, rest}) {
    TUNER_TRY(memory_.upload({buffer, kGuardBytes + first * size},
                             std::span<const std::byte>(bytes).first(count * size)));
  }
  return Ok{};
}

// Zero at the beginning, and each word equal to the next one: no zeros are needed to compare with.
DeviceResult<bool> GuardedMemory::is_zero(BufferId buffer, std::uint64_t bytes) {
  const DataType type = bytes % 4 == 0 ? DataType::kUInt32 : DataType::kUInt8;
  const std::uint64_t word = size_of(type);
  if (bytes == 0) return true;
  std::array<std::byte, 4> first{};
  TUNER_TRY(memory_.download(contents_of(buffer), std::span(first).first(word)));
  if (first != std::array<std::byte, 4>{}) return false;
  const auto others = TUNER_TRY(memory_.compare(contents_of(buffer), {buffer, kGuardBytes + word},
                                                type, bytes / word - 1, 0, 0));
  return others.mismatches == 0;
}

// Compared as whole numbers without meaning: an input may well hold NaN, which equals nothing.
DeviceResult<bool> GuardedMemory::same_contents(BufferId one, BufferId other, std::uint64_t bytes) {
  constexpr std::uint64_t kWord = 4;
  const std::uint64_t rest = bytes % kWord;
  const BufferRange left{one, kGuardBytes + bytes - rest};
  const BufferRange right{other, kGuardBytes + bytes - rest};
  auto words = TUNER_TRY(memory_.compare(contents_of(one), contents_of(other), DataType::kUInt32,
                                         bytes / kWord, 0, 0));
  if (rest == 0 || words.mismatches > 0) return words.mismatches == 0;
  return TUNER_TRY(memory_.compare(left, right, DataType::kUInt8, rest, 0, 0)).mismatches == 0;
}

DeviceResult<bool> GuardedMemory::repair(BufferId data, const DeviceBuffer& pristine,
                                         const ArgumentPlan& argument) {
  DeviceBuffer made;
  if (!pristine) {
    made = TUNER_TRY(allocate_pristine(bytes_of(argument)));
    TUNER_TRY(fill(made.id(), argument));
  }
  const BufferId right = pristine ? pristine.id() : made.id();
  if (TUNER_TRY(same_contents(data, right, bytes_of(argument)))) return false;
  TUNER_TRY(copy(data, right, bytes_of(argument)));
  return true;
}

// ---- buffers of structs -------------------------------------------------------------------------

DeviceResult<std::vector<MemberArray>> split_members(DeviceMemory& memory,
                                                     const ArgumentPlan& structs, BufferId from) {
  std::vector<std::byte> all(bytes_of(structs));
  TUNER_TRY(memory.download(contents_of(from), all));
  GuardedMemory guarded(memory);
  std::vector<MemberArray> out;
  for (const MemberPlan& member : structs.members) {
    MemberArray one{member_array(structs, member), {}};
    const std::size_t size = size_of(member.type) * member.count;
    std::vector<std::byte> numbers(bytes_of(one.argument));
    for (std::size_t i = 0; i * size < numbers.size(); ++i) {
      std::memcpy(numbers.data() + i * size, all.data() + i * stride_of(structs) + member.offset,
                  size);
    }
    one.data = TUNER_TRY(guarded.allocate_guarded(numbers.size()));
    auto done = memory.upload(contents_of(one.data.id()), numbers);
    wipe(numbers);
    if (!done) return Unexpected{done.error()};
    out.push_back(std::move(one));
  }
  wipe(all);
  return out;
}

// ---- workspaces ---------------------------------------------------------------------------------

bool keeps_zeros(const ArgumentPlan& argument) {
  return argument.role == Role::kWorkspace && argument.zero == Zero::kOnce;
}

DeviceResult<Ok> renew(GuardedMemory& memory, const WorkspaceArgument& one) {
  const bool is_poisoned = one.argument->zero == Zero::kNever;
  const unsigned char value = is_poisoned ? poison_for(one.argument->type) : 0;
  TUNER_TRY(memory.fill_bytes(one.buffer, 0, kGuardBytes, kGuardByte));
  TUNER_TRY(memory.fill_bytes(one.buffer, kGuardBytes, one.bytes, value));
  return memory.fill_bytes(one.buffer, kGuardBytes + one.bytes, kGuardBytes, kGuardByte);
}

DeviceResult<std::optional<std::string>> left_behind(Backend& backend, GuardedMemory& memory,
                                                     const WorkspaceArgument& one) {
  if (TUNER_TRY(memory.is_zero(one.buffer, one.bytes))) return std::optional<std::string>();
  const DeviceBuffer zeros = TUNER_TRY(memory.allocate_pristine(one.bytes));
  TUNER_TRY(memory.fill_bytes(zeros.id(), kGuardBytes, one.bytes, 0));
  const ArgumentPlan& argument = *one.argument;
  auto difference =
      TUNER_TRY(backend.memory().compare(contents_of(one.buffer), contents_of(zeros.id()),
                                         argument.type, one.bytes / size_of(argument.type), 0, 0));
  TUNER_TRY(renew(memory, one));
  // A negative zero is equal to zero, and not the same.
  const double value = difference.mismatches > 0 ? difference.first_value : -0.0;
  return std::optional(fmt::format(
      "leaves {}[{}] = {}, a workspace that must be zero after each launch (zero: once)",
      argument.name, difference.first_mismatch, number_text(value, 6)));
}

}  // namespace tuner
