// Plans captured launches: alone, and as what a study takes its inputs and answers from.

#include "tuner/resolve/captured_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "tuner/base/atomic_file.h"
#include "tuner/resolve/argument_plans.h"

namespace tuner {

// ---- a launch alone -----------------------------------------------------------------------------

namespace {

ArgumentPlan piece_of(const CapturedLaunch& launch, const CapturedMemory& memory,
                      const std::string& file) {
  ArgumentPlan out;
  out.name = fmt::format("memory at {:#x}", memory.address);
  const bool is_words = memory.size % size_of(DataType::kUInt32) == 0;
  out.type = is_words ? DataType::kUInt32 : DataType::kUInt8;
  out.elements = memory.size / size_of(out.type);
  out.extents = {out.elements};
  out.role = memory.written.empty() ? Role::kIn : Role::kInOut;
  out.fill.kind = FillSpec::Kind::kFile;
  out.fill.file = launch.folder / file;
  out.address = memory.address;
  return out;
}

ArgumentPlan given_bytes(std::string name, std::vector<std::byte> bytes) {
  ArgumentPlan out;
  out.name = std::move(name);
  out.type = DataType::kUInt8;
  out.is_scalar = true;
  out.scalar = std::move(bytes);
  return out;
}

}  // namespace

CapturedPlans plans_of(const CapturedLaunch& launch, const MeasureSpec& measure) {
  CapturedPlans out;
  ReferencePlan reference;
  reference.seeds = 1;
  AnswerPlan answer;
  for (const CapturedMemory& memory : launch.memory) {
    const auto index = static_cast<std::uint32_t>(out.size.arguments.size());
    out.size.arguments.push_back(piece_of(launch, memory, memory.file));
    if (memory.written.empty()) continue;
    reference.arguments.push_back(index);
    answer.files.emplace_back(index, piece_of(launch, memory, memory.written));
    out.size.checks.push_back({index, 0, 0});
  }
  std::vector<std::uint32_t> passed;
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
    passed.push_back(static_cast<std::uint32_t>(out.size.arguments.size()));
    out.size.arguments.push_back(
        given_bytes("parameter " + std::to_string(i), launch.parameters[i].bytes));
  }
  for (const CapturedVariable& one : launch.variables) {
    out.size.constants.push_back(given_bytes(one.name, one.bytes));
    out.variant.artifact.symbols.emplace_back(one.name, one.name);
  }
  if (!out.size.checks.empty()) {
    reference.answers.push_back(std::move(answer));
    out.size.reference = std::move(reference);
  }
  out.size.measure = measure;
  out.variant.artifact.image = read_file(launch.folder / launch.image);
  out.variant.artifact.entry = launch.mangled;
  out.variant.geometry = launch.geometry;
  out.variant.arguments = std::move(passed);
  return out;
}

// ---- as inputs and answers of a study -----------------------------------------------------------

namespace {

// The argument of the kernel that has this name, counted among its parameters.
std::optional<std::size_t> place_of(const Study& study, const std::string& name) {
  std::size_t place = 0;
  for (const ArgumentSpec& one : study.arguments) {
    if (one.is_beside) continue;
    if (one.name == name) return place;
    ++place;
  }
  return std::nullopt;
}

// The inputs, values and answers that a study takes from one launch.
class Taken {
 public:
  Taken(const Study& study, const CapturedLaunch& launch) : study_(study), launch_(launch) {}

  Expected<Study, std::string> study() const {
    Study out = study_;
    for (ArgumentSpec& one : out.arguments) {
      if (one.is_captured) one.bytes = TUNER_TRY(passed(one.name));
      if (study_.memory_is_captured && !one.is_scalar && one.fill.captured.empty()) {
        one.fill.captured = one.name;
        one.fill.kind = FillSpec::Kind::kCaptured;
      }
      if (one.fill.kind == FillSpec::Kind::kCaptured)
        one.fill = TUNER_TRY(file_of(one.fill, false));
    }
    for (ArgumentSpec& one : out.constants) {
      if (one.fill.kind != FillSpec::Kind::kCaptured) continue;
      one.bytes = TUNER_TRY(variable(one.fill.captured));
      one.is_scalar = one.is_captured = true;
    }
    if (!out.reference) return out;
    for (auto& [output, file] : out.reference->files) {
      if (file.kind == FillSpec::Kind::kCaptured) file = TUNER_TRY(file_of(file, true));
    }
    return out;
  }

 private:
  std::string folder() const { return launch_.folder.string(); }

  Expected<std::vector<std::byte>, std::string> passed(const std::string& name) const {
    const auto place = place_of(study_, name);
    if (!place || *place >= launch_.parameters.size()) {
      return Unexpected{fmt::format("the launch in {} has {} parameters, and none for '{}'",
                                    folder(), launch_.parameters.size(), name)};
    }
    return launch_.parameters[*place].bytes;
  }

  Expected<std::uint64_t, std::string> address(const std::string& name) const {
    std::uint64_t out = 0;
    if (name.starts_with("0x")) {
      const char* const end = name.data() + name.size();
      const auto [stop, wrong] = std::from_chars(name.data() + 2, end, out, 16);
      if (wrong == std::errc() && stop == end) return out;
      return Unexpected{fmt::format("'{}' is no address", name)};
    }
    const std::vector<std::byte> bytes = TUNER_TRY(passed(name));
    if (bytes.size() != sizeof out) {
      return Unexpected{fmt::format("'{}' of the launch in {} has {} bytes, so it is no address",
                                    name, folder(), bytes.size())};
    }
    std::memcpy(&out, bytes.data(), sizeof out);
    return out;
  }

  // The memory that an address points into, as a file; afterwards: what the launch left there.
  Expected<FillSpec, std::string> file_of(const FillSpec& fill, bool is_afterwards) const {
    const std::uint64_t at = TUNER_TRY(address(fill.captured));
    const CapturedMemory* memory = launch_.memory_at(at);
    if (memory == nullptr) {
      return Unexpected{fmt::format("the launch in {} has no memory at {:#x}, where '{}' points",
                                    folder(), at, fill.captured)};
    }
    FillSpec out;
    out.kind = FillSpec::Kind::kFile;
    const bool is_written = is_afterwards && !memory->written.empty();
    out.file = launch_.folder / (is_written ? memory->written : memory->file);
    out.offset = at - memory->address;
    out.address = at;
    return out;
  }

  // A variable by its name in the source, or by its mangled one.
  Expected<std::vector<std::byte>, std::string> variable(const std::string& name) const {
    const std::string last = name.substr(name.rfind(':') + 1);
    const std::string part = fmt::format("{}{}", last.size(), last);
    for (const CapturedVariable& one : launch_.variables) {
      if (one.name == name || one.name == last ||
          (one.name.starts_with("_Z") && one.name.find(part) != std::string::npos)) {
        return one.bytes;
      }
    }
    return Unexpected{fmt::format("the launch in {} has no variable '{}'", folder(), name)};
  }

  const Study& study_;
  const CapturedLaunch& launch_;
};

}  // namespace

const CapturedLaunch* captured_at(const Study& study, const ProblemSize& size) {
  const auto found = std::ranges::find_if(
      study.captured, [&](const CapturedSize& one) { return one.size.dims == size.dims; });
  return found == study.captured.end() ? nullptr : &found->launch;
}

Expected<Study, std::string> with_captured(const Study& study, const ProblemSize& size) {
  if (study.captured.empty()) return study;
  const CapturedLaunch* launch = captured_at(study, size);
  if (launch != nullptr) return Taken(study, *launch).study();
  return Unexpected{fmt::format("no launch was captured at the size {}", size.label())};
}

// ---- all memory where it was --------------------------------------------------------------------

namespace {

// A piece of memory, and what of it is compared.
class Piece {
 public:
  Piece(const CapturedLaunch& launch, const CapturedMemory& memory)
      : memory_(memory),
        plan_(piece_of(launch, memory, memory.file)),
        answer_(piece_of(launch, memory, memory.written.empty() ? memory.file : memory.written)) {
    for (ArgumentPlan* one : {&plan_, &answer_}) {
      one->type = DataType::kUInt8;
      one->elements = memory.size;
      one->extents = {1, memory.size};
    }
  }

  bool holds(std::uint64_t address) const {
    return address >= memory_.address && address - memory_.address < memory_.size;
  }

  // Compares a buffer of the study as its own check says.
  void add(const ArgumentPlan& buffer, const CheckPlan& check) {
    const std::uint64_t at = buffer.fill.address - memory_.address;
    const std::uint64_t room = (memory_.size - at) / size_of(buffer.type);
    add({buffer.name, at, buffer.type, {}, 0, std::min(buffer.elements, room)},
        {check.rtol, check.atol, check.atol_is_share});
    plan_.members.back().is_poisoned = buffer.role == Role::kOut;
    plan_.role = answer_.role = Role::kInOut;
  }

  // Compares what is between the buffers, in the application's allocations, bit by bit.
  void add_rest() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
    for (const MemberPlan& one : plan_.members) {
      taken.emplace_back(one.offset, one.offset + one.count * size_of(one.type));
    }
    std::ranges::sort(taken);
    for (const auto& [first, size] : memory_.parts) {
      std::uint64_t at = first;
      for (const auto& [begin, end] : taken) {
        if (end <= at || begin >= first + size) continue;
        add_bits(at, begin);
        at = std::max(at, end);
      }
      add_bits(at, first + size);
    }
  }

  // Whether the launch wrote there, or the study says that it may.
  bool is_compared() const { return plan_.role == Role::kInOut; }
  const ArgumentPlan& plan() const { return plan_; }
  const ArgumentPlan& answer() const { return answer_; }
  CheckPlan check(std::uint32_t index) const {
    CheckPlan out{index, 0, 0};
    out.members = closeness_;
    return out;
  }

 private:
  void add(const MemberPlan& member, const Closeness& closeness) {
    for (ArgumentPlan* one : {&plan_, &answer_}) one->members.push_back(member);
    closeness_.push_back(closeness);
  }

  void add_bits(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    const std::uint64_t address = memory_.address + begin;
    const bool is_words = (end - begin) % 4 == 0;
    add({fmt::format("{:#x}", address),
         begin,
         is_words ? DataType::kUInt32 : DataType::kUInt8,
         {},
         0,
         is_words ? (end - begin) / 4 : end - begin},
        {0, 0});
  }

  const CapturedMemory& memory_;
  ArgumentPlan plan_, answer_;
  std::vector<Closeness> closeness_;
};

std::vector<std::byte> bytes_of(std::uint64_t address) {
  std::vector<std::byte> out(sizeof address);
  std::memcpy(out.data(), &address, sizeof address);
  return out;
}

}  // namespace

void place_memory(const Study& study, const CapturedLaunch& launch, SizePlan& plan) {
  std::vector<Piece> pieces;
  for (const CapturedMemory& one : launch.memory) pieces.emplace_back(launch, one);
  for (const CheckPlan& check : plan.checks) {
    const ArgumentPlan& buffer = plan.arguments[check.argument];
    for (Piece& piece : pieces) {
      if (piece.holds(buffer.fill.address)) piece.add(buffer, check);
    }
  }
  plan.checks.clear();
  for (std::size_t i = 0; i < study.arguments.size(); ++i) {
    const std::uint64_t address = study.arguments[i].fill.address;
    if (address != 0) plan.arguments[i] = given_bytes(study.arguments[i].name, bytes_of(address));
  }
  ReferencePlan reference;
  reference.seeds = 1;
  AnswerPlan answer;
  for (Piece& piece : pieces) {
    const auto index = static_cast<std::uint32_t>(plan.arguments.size());
    if (piece.is_compared()) {
      piece.add_rest();
      reference.arguments.push_back(index);
      answer.files.emplace_back(index, piece.answer());
      plan.checks.push_back(piece.check(index));
    }
    plan.arguments.push_back(piece.plan());
  }
  if (!plan.reference) return plan.checks.clear();
  reference.answers.push_back(std::move(answer));
  plan.reference = std::move(reference);
}

}  // namespace tuner
