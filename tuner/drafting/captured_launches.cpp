// Drafts from captured launches: formulas that fit all of them, and the memory behind pointers.

#include "tuner/drafting/captured_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "tuner/base/archives.h"
#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/drafting/captured_grid.h"
#include "tuner/model/data_type.h"
#include "tuner/source/demangled_name.h"

namespace tuner {
namespace {

// The value of a number that all launches take, as C and studies write it.
std::string number_text(const FoundArgument& one, const std::vector<std::byte>& bytes) {
  if (is_whole(one)) return std::to_string(whole_of(bytes, one.type.starts_with("int")));
  if (one.type == "float32" && bytes.size() == sizeof(float)) {
    float value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return fmt::format("{}", value);
  }
  if (one.type == "float64" && bytes.size() == sizeof(double)) {
    double value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return fmt::format("{}", value);
  }
  return {};
}

}  // namespace

std::string base_name(const CapturedLaunch& launch) { return parts_of(launch.name).name; }

bool is_launch_of(const CapturedLaunch& launch, const std::string& kernel) {
  return base_name(launch) == kernel.substr(kernel.rfind(':') + 1);
}

bool differs(const FoundKernel& kernel, const Launches& launches, const std::string& argument) {
  for (std::size_t i = 0; i < kernel.arguments.size() && !launches.empty(); ++i) {
    const FoundArgument& one = kernel.arguments[i];
    if (one.name == argument) return is_whole(one) && !is_constant(numbers_at(one, i, launches));
  }
  return false;
}

namespace {

// Finds the grid of all launches; those of `captured` come first.
CapturedGrid captured_grid(const FoundKernel& kernel, const DraftRequest& request) {
  Launches all = request.captured;
  all.insert(all.end(), request.as_large.begin(), request.as_large.end());
  CapturedGrid out = grid_of(kernel, all);
  if (!out.is_found) out = grid_of(kernel, request.captured);
  return out;
}

}  // namespace

std::string parameter_type(const CapturedLaunch& launch, std::size_t place) {
  const std::vector<std::string> all = parts_of(launch.name).parameters;
  if (place >= all.size()) return {};
  std::string type = replaced(all[place], "const", "");
  std::erase_if(type, [](char c) { return c == '*' || c == '&'; });
  return std::string(trimmed(replaced(type, "__restrict__", "")));
}

bool are_as_large(const CapturedLaunch& a, const CapturedLaunch& b) {
  bool has_numbers = false;
  const auto numbers = [&](const CapturedLaunch& launch) {
    std::vector<std::vector<std::byte>> out;
    for (const CapturedParameter& one : launch.parameters) {
      std::vector<std::byte> bytes = one.bytes;
      for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        if (launch.memory_at(word) != nullptr) std::memset(bytes.data() + at, 0, sizeof word);
      }
      has_numbers |= std::ranges::any_of(bytes, [](std::byte byte) { return byte != std::byte{}; });
      out.push_back(std::move(bytes));
    }
    return out;
  };
  if (a.mangled != b.mangled || numbers(a) != numbers(b)) return false;
  // With another block the grid may be another one for the same size.
  const bool is_same_block = a.geometry.block == b.geometry.block;
  return is_same_block ? a.geometry.grid == b.geometry.grid : has_numbers;
}

std::vector<Named> captured_extents(const FoundKernel& kernel, const DraftRequest& request) {
  std::vector<Named> out = captured_grid(kernel, request).extents;
  for (Named& one : out) one.second.resize(request.captured.size());
  return out;
}

std::string captured_code(const FoundKernel& kernel, const DraftRequest& request) {
  const Launches& launches = request.captured;
  const CapturedLaunch& first = launches.front();
  for (const CapturedLaunch& one : launches) {
    if (one.parameters.size() == kernel.arguments.size()) continue;
    reject(one.folder,
           fmt::format("the launch has {} parameters, and {} in the source has {}",
                       one.parameters.size(), kernel.name, kernel.arguments.size()),
           "the source that the program was built from");
  }
  std::string code, passed, types;
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const FoundArgument& one = kernel.arguments[i];
    const std::string number = number_text(one, first.parameters[i].bytes);
    if (is_whole(one)) code += fmt::format(" const int {} = {};", one.name, number);
    passed += (i > 0 ? ", " : "") + (is_whole(one) || number.empty() ? one.name : number);
  }
  const auto arguments = template_arguments(first);
  for (std::size_t i = 0; i < std::min(kernel.templates.size(), arguments.size()); ++i) {
    const auto number = template_number(kernel, i, arguments);
    if (number) code += fmt::format(" const int {} = {};", kernel.templates[i].name, *number);
    types += (i > 0 ? ", " : "") + (number ? kernel.templates[i].name : arguments[i]);
  }
  const CapturedGrid grid = captured_grid(kernel, request);
  for (const auto& [name, values] : grid.extents) {
    code += fmt::format(" const int {} = {};", name, values.front());
  }
  const LaunchGeometry& geometry = first.geometry;
  std::vector<std::uint32_t> block(geometry.block.begin(), geometry.block.end());
  while (block.size() > 1 && block.back() == 1) block.pop_back();
  return fmt::format("void {}() {{{} {}{}<<<dim3({}), dim3({}), {}>>>({}); }}\n", kCapturedLaunch,
                     code, last_name(kernel.name), types.empty() ? "" : "<" + types + ">",
                     fmt::join(grid.axes, ", "), fmt::join(block, ", "),
                     geometry.dynamic_shared_bytes, passed);
}

// ---- arguments ----------------------------------------------------------------------------------

namespace {

// The memory behind a pointer.
class Behind {
 public:
  Behind(const CapturedLaunch& launch, std::size_t place)
      : launch_(launch),
        address_(launch.parameters.at(place).word()),
        memory_(launch.memory_at(address_)) {}

  explicit operator bool() const { return memory_ != nullptr; }

  // Bytes up to the end of the allocation, or to where another parameter points.
  std::uint64_t bytes() const {
    std::uint64_t end = part_end();
    for (std::size_t i = 0; i < launch_.parameters.size(); ++i) {
      const std::uint64_t other = launch_.parameters.at(i).word();
      if (other > address_) end = std::min(end, other);
    }
    return end - address_;
  }

  // Whether the launch changed any of it, as far as is looked at.
  bool changes() const {
    constexpr std::uint64_t kMost = std::uint64_t{64} << 20;
    if (memory_->written.empty()) return false;
    std::vector<std::byte> before(std::min(bytes(), kMost)), after(before.size());
    const std::uint64_t offset = address_ - memory_->address;
    unpack(launch_.folder / memory_->file, before, offset);
    unpack(launch_.folder / memory_->written, after, offset);
    return before != after;
  }

  std::uint64_t part_begin() const { return part().first; }

 private:
  // The allocation that holds it; all of the piece where none is known to.
  std::pair<std::uint64_t, std::uint64_t> part() const {
    for (const auto& [first, size] : memory_->parts) {
      const std::uint64_t begin = memory_->address + first;
      if (address_ >= begin && address_ < begin + size) return {begin, begin + size};
    }
    return {memory_->address, memory_->address + memory_->size};
  }
  std::uint64_t part_end() const { return part().second; }

  const CapturedLaunch& launch_;
  std::uint64_t address_;
  const CapturedMemory* memory_;
};

}  // namespace

std::set<std::size_t> changed_parameters(const std::vector<CapturedLaunch>& launches) {
  std::set<std::size_t> out;
  for (const CapturedLaunch& launch : launches) {
    for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
      const Behind behind(launch, i);
      if (!out.contains(i) && behind && behind.changes()) out.insert(i);
    }
  }
  return out;
}

namespace {

bool is_buffer(const FoundArgument& one, std::size_t place, const Launches& launches) {
  return one.pointers == 1 && !one.type.empty() &&
         std::ranges::all_of(launches, [&](const CapturedLaunch& launch) {
           return static_cast<bool>(Behind(launch, place));
         });
}

std::string with_word(const std::string& text, const std::string& word, const std::string& to) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_part(text[end])) ++end;
    const std::string now = text.substr(at, std::max<std::size_t>(1, end - at));
    out += now == word ? to : now;
    at += now.size();
  }
  return out;
}

std::string shape_of(DraftContext& c, const FoundArgument& one, std::size_t place, bool& is_exact) {
  const Launches& launches = c.request.captured;
  const auto size = static_cast<std::int64_t>(bytes_of({one.type, one.lanes}));
  const Column elements = column_of(launches, [&](const CapturedLaunch& launch) {
    return static_cast<std::int64_t>(Behind(launch, place).bytes()) / size;
  });
  const bool is_number = launches.size() > 1 && is_constant(elements);
  const auto formula =
      is_number ? std::to_string(elements.front()) : plain_formula(c.kernel, launches, elements);
  is_exact = formula.has_value();
  std::string text = formula.value_or(std::to_string(elements.front()));
  if (is_exact) {
    for (const auto& [argument, extent] : c.plan.extent_of) {
      text = with_word(text, argument, extent);
    }
  } else if (!is_constant(elements)) {
    text = c.new_name(one.name + "_elements");
    c.captured_extents.emplace_back(text, elements);
  }
  // Numbers that are no extents of the study have the same value in all launches.
  for (std::size_t i = 0; i < c.kernel.arguments.size(); ++i) {
    const FoundArgument& other = c.kernel.arguments[i];
    if (!is_exact || !is_whole(other) || c.plan.extent_of.contains(other.name)) continue;
    text = with_word(text, other.name, std::to_string(numbers_at(other, i, launches).front()));
  }
  c.plan.bytes += static_cast<double>(elements.front() * size);
  const bool is_word = std::ranges::all_of(text, is_word_part);
  return fmt::format("[{}{}]", is_word ? text : "\"" + text + "\"",
                     one.lanes > 1 ? fmt::format(", {}", one.lanes) : "");
}

DraftedArgument captured_buffer(DraftContext& c, const FoundArgument& one, std::size_t place,
                                DraftedArgument out) {
  bool is_exact = false;
  out.shape = shape_of(c, one, place, is_exact);
  out.remark = is_exact ? "" : "all that is behind the pointer";
  if (c.request.changed.contains(place) && out.role.empty()) {
    out.role = "inout";
    c.plan.outputs.emplace_back(one.name, one.type);
  }
  if (out.role == "out" && (!is_exact || c.plan.memory_is_captured)) out.role = "inout";
  if (out.role.empty() || out.role == "inout") out.fill = "{captured: " + one.name + "}";
  return out;
}

}  // namespace

DraftedArgument captured_argument(DraftContext& c, const FoundArgument& one, std::size_t place,
                                  DraftedArgument drafted) {
  const Launches& launches = c.request.captured;
  if (is_buffer(one, place, launches)) return captured_buffer(c, one, place, std::move(drafted));
  const auto& bytes = launches.front().parameters[place].bytes;
  const bool is_same = std::ranges::all_of(launches, [&](const CapturedLaunch& launch) {
    return launch.parameters[place].bytes == bytes;
  });
  const auto extent = c.plan.extent_of.find(one.name);
  std::string value = is_same && !one.is_pointer() ? number_text(one, bytes) : "";
  if (extent != c.plan.extent_of.end()) value = extent->second;
  if (value.empty()) return {.name = one.name, .value = "captured"};
  return {.name = one.name, .type = one.type, .value = value};
}

namespace {

// Whether the launch reaches memory otherwise than by a pointer to numbers.
bool reaches_more(const DraftContext& c, const CapturedLaunch& launch) {
  std::vector<std::uint64_t> named;
  for (std::size_t i = 0; i < c.kernel.arguments.size(); ++i) {
    if (is_buffer(c.with_type(c.kernel.arguments[i]), i, {launch})) {
      named.push_back(Behind(launch, i).part_begin());
    }
  }
  for (const CapturedMemory& memory : launch.memory) {
    for (const auto& [first, size] : memory.parts) {
      if (std::ranges::find(named, memory.address + first) == named.end()) return true;
    }
  }
  return false;
}

}  // namespace

bool needs_captured_memory(const DraftContext& context) {
  return std::ranges::any_of(context.request.captured, [&](const CapturedLaunch& launch) {
    return reaches_more(context, launch);
  });
}

namespace {

// The extents of the study, with their values at each launch.
std::vector<Named> extents_of(const DraftContext& c) {
  const Launches& launches = c.request.captured;
  std::vector<Named> columns;
  for (const auto& [name, value] : c.plan.extents) {
    Column values(launches.size(), value);
    for (std::size_t i = 0; i < c.kernel.arguments.size(); ++i) {
      const auto extent = c.plan.extent_of.find(c.kernel.arguments[i].name);
      if (extent == c.plan.extent_of.end() || extent->second != name) continue;
      values = numbers_at(c.kernel.arguments[i], i, launches);
    }
    columns.emplace_back(name, std::move(values));
  }
  for (const Named& one : c.captured_extents) {
    const auto known = std::ranges::find(columns, one.first, &Named::first);
    if (known == columns.end()) {
      columns.push_back(one);
    } else {
      known->second = one.second;
    }
  }
  return columns;
}

// One for each launch. Where some are alike the launches are counted.
std::vector<std::vector<std::pair<std::string, std::int64_t>>> sizes_of(const DraftContext& c) {
  std::vector<std::vector<std::pair<std::string, std::int64_t>>> rows(c.request.captured.size());
  for (const auto& [name, values] : extents_of(c)) {
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].emplace_back(name, values[i]);
  }
  auto sorted = rows;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) == sorted.end()) return rows;
  const std::string number = c.new_name("launch");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].emplace_back(number, static_cast<std::int64_t>(i + 1));
  }
  return rows;
}

void say_captured(DraftContext& c) {
  const Launches& launches = c.request.captured;
  c.plan.found.push_back(fmt::format("{}: sizes, numbers, memory and answers{}",
                                     launches.size() == 1
                                         ? "a captured launch"
                                         : fmt::format("{} captured launches", launches.size()),
                                     c.plan.memory_is_captured ? ", memory where it was" : ""));
  const bool writes = std::ranges::any_of(launches, [](const CapturedLaunch& launch) {
    return std::ranges::any_of(launch.memory, [](const auto& one) { return !one.written.empty(); });
  });
  if (!writes) {
    c.plan.guessed.push_back(
        "the launches left all memory as it was, so a kernel that does nothing is right: capture "
        "an earlier one (--launch 1)");
  }
  if (!captured_grid(c.kernel, c.request).is_found) {
    c.plan.guessed.push_back(
        "the grid: no formula of the kernel's numbers fits the launches, so it has as many "
        "threads, or blocks, as they had");
  } else if (launches.size() + c.request.as_large.size() == 1) {
    c.plan.guessed.push_back(
        "the grid: its formula fits the only captured launch (capture more with --sizes)");
  }
}

// ---- tolerances ---------------------------------------------------------------------------------

// Says how near an output of floats has to be; empty: as near as without captured launches.
std::string closeness_of(const DraftContext& c, const std::string& name, DataType type) {
  const DraftRequest& request = c.request;
  const auto distance = request.distances.find(name);
  const auto tried = c.plan.atol.find(name);
  const bool differs = distance != request.distances.end();
  if (differs && !distance->second.has_room) {
    const double atol = kTimesFarther * distance->second.largest;
    if (tried != c.plan.atol.end() && std::stod(tried->second) > atol) return {};
    return fmt::format(
        "{{rtol: {}, atol: {:.1e}}}  # {:g} times as far as ten launches of the program's own "
        "kernel were ({:.2g})",
        facts_of(type).as_float.drafted_rtol, atol, kTimesFarther, distance->second.largest);
  }
  if (tried != c.plan.atol.end() || !c.plan.tolerance.empty()) return {};
  const std::string usual = fmt::format("{{tolerance: usual}}  # that of {}", facts_of(type).name);
  if (differs) {
    return usual + fmt::format("; ten launches of the program's own kernel were up to {:.2g} away",
                               distance->second.largest);
  }
  return usual + (request.not_compared.empty()
                      ? "; ten launches of the program's own kernel were equal to the bit"
                      : "; a guess: no launches of the program's own kernel were compared");
}

// Says what launches of the captured kernel show, or why there were none.
void say_own_launches(DraftContext& c, bool is_asked) {
  const DraftRequest& request = c.request;
  if (!request.not_compared.empty()) {
    if (!is_asked) return;
    c.plan.guessed.push_back(fmt::format(
        "the tolerance: ten launches of the program's own kernel could not be compared with what "
        "it wrote ({}); on a GPU 'tuner init' takes the tolerance from them, and 'tuner replay {}' "
        "says how far they differ",
        request.not_compared, request.captured.front().folder.string()));
    return;
  }
  if (!request.differs.empty()) {
    c.plan.guessed.push_back("ten launches of the program's own kernel differ where nothing may: " +
                             request.differs);
    c.plan.head.push_back(c.plan.guessed.back());
  }
  std::string all;
  for (const auto& [name, distance] : request.distances) {
    all += fmt::format("{}{:.2g} in {}", all.empty() ? "" : ", ", distance.largest, name);
  }
  const std::size_t sizes = request.captured.size();
  const std::string where =
      request.compared == sizes ? "" : fmt::format(" at {} of {} sizes", request.compared, sizes);
  if (all.empty() && !request.differs.empty()) return;
  c.plan.found.push_back("ten launches of the program's own kernel" + where +
                         (all.empty() ? " are equal to the bit" : " differ by up to " + all));
}

void draft_closeness(DraftContext& c) {
  bool is_asked = c.plan.memory_is_captured && c.plan.outputs.empty();  // bit by bit
  for (const auto& [name, type] : c.plan.outputs) {
    const auto known = data_type_named(type);
    if (!known || !is_floating(*known)) continue;
    is_asked = true;
    const std::string text = closeness_of(c, name, *known);
    if (!text.empty()) c.plan.closeness.emplace(name, text);
  }
  say_own_launches(c, is_asked);
}

}  // namespace

void draft_captured(DraftContext& c) {
  auto sizes = sizes_of(c);
  c.plan.extents = std::move(sizes.front());
  c.plan.more_sizes.assign(std::make_move_iterator(sizes.begin() + 1),
                           std::make_move_iterator(sizes.end()));
  c.plan.captured = c.request.captured_names;
  c.plan.size_of_host = c.plan.extents;
  say_captured(c);
  draft_closeness(c);
}

}  // namespace tuner
