// Takes structs apart and puts them together, on the host.

#include "tuner/measure/struct_members.h"

#include <cstring>
#include <utility>

#include "tuner/base/try.h"
#include "tuner/measure/masking.h"

namespace tuner {

ArgumentPlan member_array(const ArgumentPlan& structs, const MemberPlan& member) {
  ArgumentPlan array;
  array.name = structs.name + "." + member.path;
  array.type = member.type;
  array.elements = structs.elements / stride_of(structs);
  array.extents.assign(structs.extents.begin(), structs.extents.end() - 1);
  array.role = structs.role;
  array.fill = member.fill;
  array.seed = structs.seed + member.seed;
  return array;
}

void scatter(std::span<const std::byte> numbers, const MemberPlan& member,
             std::span<std::byte> structs, std::uint64_t stride) {
  const std::size_t size = size_of(member.type);
  for (std::size_t i = 0; i * size < numbers.size(); ++i) {
    std::memcpy(structs.data() + i * stride + member.offset, numbers.data() + i * size, size);
  }
}

DeviceResult<std::vector<MemberArray>> split_members(DeviceMemory& memory,
                                                     const ArgumentPlan& structs, BufferId from) {
  std::vector<std::byte> all(bytes_of(structs));
  TUNER_TRY(memory.download(contents_of(from), all));
  GuardedMemory guarded(memory);
  std::vector<MemberArray> out;
  for (const MemberPlan& member : structs.members) {
    MemberArray one{member_array(structs, member), {}};
    const std::size_t size = size_of(member.type);
    std::vector<std::byte> numbers(bytes_of(one.argument));
    for (std::size_t i = 0; i < one.argument.elements; ++i) {
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

}  // namespace tuner
