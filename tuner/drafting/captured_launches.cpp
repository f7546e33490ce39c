// Drafts from captured launches: formulas that fit all of them, and the memory behind pointers.

#include "tuner/drafting/captured_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "tuner/base/archives.h"
#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/model/data_type.h"

namespace tuner {
namespace {

using Launches = std::vector<CapturedLaunch>;
using Column = std::vector<std::int64_t>;  // a number of each launch
using Named = std::pair<std::string, Column>;

bool is_constant(const Column& column) {
  return std::ranges::all_of(column, [&](std::int64_t one) { return one == column.front(); });
}

template <typename Of>
Column column_of(const Launches& launches, const Of& of) {
  Column out;
  for (const CapturedLaunch& one : launches) out.push_back(static_cast<std::int64_t>(of(one)));
  return out;
}

bool is_whole(const FoundArgument& one) {
  return !one.is_pointer() && one.lanes == 1 &&
         (one.type.starts_with("int") || one.type.starts_with("uint"));
}

std::int64_t whole_of(const std::vector<std::byte>& bytes, bool is_signed_type) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  const std::size_t unused = 64 - 8 * std::min(bytes.size(), sizeof value);
  if (!is_signed_type || unused == 0) return static_cast<std::int64_t>(value);
  return static_cast<std::int64_t>(value << unused) >> unused;
}

Column numbers_at(const FoundArgument& one, std::size_t place, const Launches& launches) {
  return column_of(launches, [&](const CapturedLaunch& launch) {
    return whole_of(launch.parameters.at(place).bytes, one.type.starts_with("int"));
  });
}

std::uint64_t address_at(const CapturedLaunch& launch, std::size_t place) {
  const std::vector<std::byte>& bytes = launch.parameters.at(place).bytes;
  std::uint64_t out = 0;
  if (bytes.size() == sizeof out) std::memcpy(&out, bytes.data(), sizeof out);
  return out;
}

// ---- formulas -----------------------------------------------------------------------------------

// The whole numbers that a kernel takes, and their products: simple ones first.
std::vector<Named> products_of(const FoundKernel& kernel, const Launches& launches) {
  constexpr std::size_t kMostNumbers = 8;
  std::vector<Named> out;
  for (std::size_t i = 0; i < kernel.arguments.size() && out.size() < kMostNumbers; ++i) {
    const FoundArgument& one = kernel.arguments[i];
    if (!is_whole(one)) continue;
    out.emplace_back(one.name, numbers_at(one, i, launches));
  }
  const std::size_t singles = out.size();
  const auto times = [&](std::size_t a, std::size_t b) {
    Named product{out[a].first + " * " + out[b].first, out[a].second};
    for (std::size_t i = 0; i < product.second.size(); ++i) product.second[i] *= out[b].second[i];
    out.push_back(std::move(product));
  };
  for (std::size_t a = 0; a < singles; ++a) {
    for (std::size_t b = a + 1; b < singles; ++b) times(a, b);
  }
  if (singles == 1) times(0, 0);
  const std::size_t pairs = out.size();
  for (std::size_t a = singles; a < pairs; ++a) {
    for (std::size_t b = 0; b < singles; ++b) {
      if (out[a].first.find(out[b].first) == std::string::npos) times(a, b);
    }
  }
  return out;
}

// Finds the first formula in `all` whose values are those that are wanted.
class Formulas {
 public:
  Formulas(std::vector<Named> products, Column wanted)
      : products_(std::move(products)), wanted_(std::move(wanted)) {}

  std::optional<std::string> plain() const {
    for (const auto& [text, values] : products_) {
      for (const std::int64_t times : {1, 2, 3, 4}) {
        if (fits(values, [&](std::int64_t n, std::size_t) { return n * times; })) {
          return times == 1 ? text : fmt::format("{} * {}", text, times);
        }
      }
      for (const std::int64_t more : {1, -1, 2, -2}) {
        if (fits(values, [&](std::int64_t n, std::size_t) { return n + more; })) {
          return fmt::format("({} {} {})", text, more < 0 ? "-" : "+", std::abs(more));
        }
      }
    }
    return std::nullopt;
  }

  // "ceil_div(n, 256)", "ceil_div(n * 32, 256)", "ceil_div(n, 256 * 4)".
  std::optional<std::string> shared_out(const std::vector<Named>& shares,
                                        const std::vector<std::int64_t>& for_each) const {
    for (const std::int64_t each : for_each) {
      for (const auto& [share, by] : shares) {
        for (const auto& [text, values] : products_) {
          for (const std::int64_t threads : {1, 32, 16, 8, 4, 2}) {
            if (each > 1 && threads > 1) continue;
            const bool fit = fits(values, [&](std::int64_t n, std::size_t i) {
              const std::int64_t size = std::max<std::int64_t>(1, by[i] * each);
              return (n * threads + size - 1) / size;
            });
            if (!fit) continue;
            return fmt::format("ceil_div({}{}, {}{})", text,
                               threads > 1 ? fmt::format(" * {}", threads) : "", share,
                               each > 1 ? fmt::format(" * {}", each) : "");
          }
        }
      }
    }
    return std::nullopt;
  }

 private:
  template <typename Of>
  bool fits(const Column& values, const Of& of) const {
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (of(values[i], i) != wanted_[i]) return false;
    }
    return true;
  }

  std::vector<Named> products_;
  Column wanted_;
};

// ---- the grid -----------------------------------------------------------------------------------

struct CapturedGrid {
  std::vector<std::string> axes;
  std::vector<Named> extents;  // that no number of the kernel is
  bool is_found = true;        // formulas of the kernel's numbers
};

// "16" and "float" of "void k<float, 16>(float*)"; the demangler writes "(int)16" and "16u", too.
std::vector<std::string> template_arguments(const CapturedLaunch& launch) {
  const std::string& name = launch.name;
  std::vector<std::string> out;
  const std::size_t open = name.find('<'), call = name.find('(');
  if (open == name.npos || (call != name.npos && call < open)) return out;
  int depth = 0;
  std::string now;
  for (std::size_t at = open + 1; at < name.size(); ++at) {
    const char c = name[at];
    if (depth == 0 && (c == ',' || c == '>')) {
      const std::size_t behind = now.starts_with("(") ? now.find(')') + 1 : 0;
      out.emplace_back(trimmed(std::string_view(now).substr(behind)));
      now.clear();
      if (c == '>') return out;
      continue;
    }
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    now += c;
  }
  return {};
}

std::optional<std::int64_t> template_number(const FoundKernel& kernel, std::size_t place,
                                            const std::vector<std::string>& arguments) {
  if (place >= arguments.size() || kernel.templates[place].is_type()) return std::nullopt;
  std::string text = arguments[place];
  if (text == "true" || text == "false") return text == "true" ? 1 : 0;
  while (!text.empty() && std::isalpha(static_cast<unsigned char>(text.back())) != 0) {
    text.pop_back();
  }
  return whole_number(text);
}

// Divisors that a grid may have along an axis: template parameters, the block, and both.
std::vector<Named> shares_of(const FoundKernel& kernel, const Launches& launches,
                             std::size_t axis) {
  std::vector<Named> out;
  const auto arguments = template_arguments(launches.front());
  for (std::size_t i = 0; i < kernel.templates.size(); ++i) {
    const auto number = template_number(kernel, i, arguments);
    if (number && *number > 1) {
      out.emplace_back(kernel.templates[i].name, Column(launches.size(), *number));
    }
  }
  const auto block = [&](std::size_t which) {
    return column_of(launches, [&](const auto& one) { return one.geometry.block.at(which); });
  };
  const auto add = [&](std::size_t which) {
    const Column values = block(which);
    if (values.front() < 2) return;
    const std::string number = std::to_string(values.front());
    const std::vector<Named> others = out;
    out.emplace_back(number, values);
    for (const Named& other : others) {
      Named both{number + " * " + other.first, values};
      for (std::size_t i = 0; i < values.size(); ++i) both.second[i] *= other.second[i];
      out.push_back(std::move(both));
    }
  };
  add(axis);
  for (std::size_t other = 0; other < 3; ++other) {
    if (other != axis) add(other);
  }
  return out;
}

// Powers of two, where no other divisor fits.
std::vector<Named> plain_shares(std::size_t launches) {
  std::vector<Named> out;
  for (std::int64_t number = 2; number <= 8192; number *= 2) {
    out.emplace_back(std::to_string(number), Column(launches, number));
  }
  return out;
}

// The formula of a grid along an axis: shares of a problem first where the kernel takes such.
std::optional<std::string> grid_formula(const FoundKernel& kernel, const Launches& launches,
                                        std::size_t axis, const Formulas& formulas) {
  const bool is_shared = !share_of_a_block(kernel.body, "xyz"[axis]).factors.empty();
  auto plain = formulas.plain();
  if (!is_shared && plain) return plain;
  auto shared = formulas.shared_out(shares_of(kernel, launches, axis), {1, 2, 4, 8, 3, 16});
  if (shared) return shared;
  return plain ? plain : formulas.shared_out(plain_shares(launches.size()), {1});
}

// Whether a statement of the kernel has the index of the block and its extent: it counts threads.
bool counts_threads(const FoundKernel& kernel, std::size_t axis) {
  const std::string_view letter(&"xyz"[axis], 1);
  bool has_index = false, has_extent = false;
  for (std::size_t i = 0; i + 2 < kernel.body.size(); ++i) {
    const Token& now = kernel.body[i];
    if (now.is(";") || now.is("{")) has_index = has_extent = false;
    has_index |= now.is("blockIdx") && kernel.body[i + 2].text == letter;
    has_extent |= now.is("blockDim") && kernel.body[i + 2].text == letter;
    if (has_index && has_extent) return true;
  }
  return false;
}

void add_axis(const FoundKernel& kernel, const Launches& launches, std::size_t axis,
              CapturedGrid& grid) {
  const Column wanted =
      column_of(launches, [&](const auto& one) { return one.geometry.grid.at(axis); });
  const std::vector<Named> products = products_of(kernel, launches);
  const bool any_differs =
      std::ranges::any_of(products, [](const Named& one) { return !is_constant(one.second); });
  if (is_constant(wanted) && (wanted.front() == 1 || any_differs)) {
    grid.axes.push_back(std::to_string(wanted.front()));
    return;
  }
  const auto text = grid_formula(kernel, launches, axis, Formulas(products, wanted));
  if (text) return grid.axes.push_back(*text);
  grid.is_found = false;
  const std::string letter(1, "xyz"[axis]);
  if (!counts_threads(kernel, axis)) {
    grid.extents.emplace_back("blocks_" + letter, wanted);
    return grid.axes.push_back("blocks_" + letter);
  }
  Named threads{"threads_" + letter, wanted};
  for (std::size_t i = 0; i < launches.size(); ++i) {
    threads.second[i] *= launches[i].geometry.block.at(axis);
  }
  grid.axes.push_back(
      fmt::format("ceil_div({}, {})", threads.first, launches.front().geometry.block.at(axis)));
  grid.extents.push_back(std::move(threads));
}

CapturedGrid grid_of(const FoundKernel& kernel, const Launches& launches) {
  CapturedGrid out;
  for (std::size_t axis = 0; axis < 3; ++axis) add_axis(kernel, launches, axis, out);
  while (out.axes.size() > 1 && out.axes.back() == "1") out.axes.pop_back();
  return out;
}

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

std::string base_name(const CapturedLaunch& launch) {
  std::string name = replaced(launch.name, "(anonymous namespace)::", "");
  name = name.substr(0, name.find_first_of("<("));
  name = name.substr(name.rfind(' ') + 1);
  return name.substr(name.rfind(':') + 1);
}

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

// Of all launches; those of `captured` come first.
CapturedGrid captured_grid(const FoundKernel& kernel, const DraftRequest& request) {
  Launches all = request.captured;
  all.insert(all.end(), request.as_large.begin(), request.as_large.end());
  CapturedGrid out = grid_of(kernel, all);
  if (!out.is_found) out = grid_of(kernel, request.captured);
  return out;
}

}  // namespace

std::string parameter_type(const CapturedLaunch& launch, std::size_t place) {
  const std::string name = replaced(launch.name, "(anonymous namespace)::", "");
  std::size_t at = name.find('<'), depth = 0;
  at = at == name.npos || at > name.find('(') ? name.find('(') : at;
  std::vector<std::string> types;
  std::string now;
  bool is_inside = false;
  for (; at < name.size(); ++at) {
    const char c = name[at];
    if (c == '(' && depth == 0) {
      is_inside = true;
      ++depth;
      continue;
    }
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    const bool is_end = is_inside && ((c == ',' && depth == 1) || (c == ')' && depth == 0));
    if (is_end) types.push_back(std::exchange(now, ""));
    if (c == ')' && depth == 0) break;
    if (is_inside && !is_end) now += c;
  }
  if (place >= types.size()) return {};
  std::string type = replaced(types[place], "const", "");
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
  return has_numbers ||
         (a.geometry.grid == b.geometry.grid && a.geometry.block == b.geometry.block);
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
      : launch_(launch), address_(address_at(launch, place)), memory_(launch.memory_at(address_)) {}

  explicit operator bool() const { return memory_ != nullptr; }

  // Bytes up to the end of the allocation, or to where another parameter points.
  std::uint64_t bytes() const {
    std::uint64_t end = part_end();
    for (std::size_t i = 0; i < launch_.parameters.size(); ++i) {
      const std::uint64_t other = address_at(launch_, i);
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
  const auto formula = is_number ? std::to_string(elements.front())
                                 : Formulas(products_of(c.kernel, launches), elements).plain();
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
  const Launches& launches = c.request.captured;
  bool is_exact = false;
  out.shape = shape_of(c, one, place, is_exact);
  out.remark = is_exact ? "" : "all that is behind the pointer";
  const bool changes = std::ranges::any_of(
      launches, [&](const CapturedLaunch& launch) { return Behind(launch, place).changes(); });
  if (changes && out.role.empty()) {
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

void draft_captured(DraftContext& c) {
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
  for (Named& one : c.captured_extents) {
    const auto known = std::ranges::find(columns, one.first, &Named::first);
    if (known == columns.end()) columns.push_back(one);
    if (known != columns.end()) known->second = one.second;
  }
  const auto row = [&](std::size_t launch) {
    std::vector<std::pair<std::string, std::int64_t>> out;
    for (const auto& [name, values] : columns) out.emplace_back(name, values[launch]);
    return out;
  };
  bool are_distinct = true;
  for (std::size_t a = 0; a < launches.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) are_distinct &= row(a) != row(b);
  }
  if (!are_distinct) {
    Named number{c.new_name("launch"), {}};
    for (std::size_t i = 1; i <= launches.size(); ++i) {
      number.second.push_back(static_cast<std::int64_t>(i));
    }
    columns.push_back(std::move(number));
  }
  c.plan.extents = row(0);
  for (std::size_t i = 1; i < launches.size(); ++i) c.plan.more_sizes.push_back(row(i));
  c.plan.captured = c.request.captured_names;
  c.plan.size_of_host.clear();
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
        "the launches left all memory as it was, so a kernel that does "
        "nothing is right: capture an earlier one (--launch 1)");
  }
  if (!captured_grid(c.kernel, c.request).is_found) {
    c.plan.guessed.push_back(
        "the grid, as it was in the captured launches: no formula of the "
        "kernel's numbers fits them");
  } else if (launches.size() + c.request.as_large.size() == 1) {
    c.plan.guessed.push_back(
        "the grid: its formula fits the only captured launch (capture more "
        "with --sizes)");
  }
}

}  // namespace tuner
