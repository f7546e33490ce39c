// Finds formulas that fit the grids of captured launches.

#include "tuner/drafting/captured_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tuner/drafting/guesses.h"
#include "tuner/source/demangled_name.h"

namespace tuner {

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

// ---- formulas -----------------------------------------------------------------------------------

namespace {

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

// Finds the first formula whose values, one for each launch, are those that are wanted.
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
      for (const Named& share : shares) {
        for (const Named& product : products_) {
          if (auto text = shared_out(product, share, each)) return text;
        }
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> shared_out(const Named& product, const Named& share,
                                        std::int64_t each) const {
    for (const std::int64_t threads : {1, 32, 16, 8, 4, 2}) {
      if (each > 1 && threads > 1) continue;
      const bool fit = fits(product.second, [&](std::int64_t n, std::size_t i) {
        const std::int64_t size = std::max<std::int64_t>(1, share.second[i] * each);
        return (n * threads + size - 1) / size;
      });
      if (!fit) continue;
      return fmt::format("ceil_div({}{}, {}{})", product.first,
                         threads > 1 ? fmt::format(" * {}", threads) : "", share.first,
                         each > 1 ? fmt::format(" * {}", each) : "");
    }
    return std::nullopt;
  }

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

}  // namespace

std::optional<std::string> plain_formula(const FoundKernel& kernel, const Launches& launches,
                                         const Column& wanted) {
  return Formulas(products_of(kernel, launches), wanted).plain();
}

// ---- the grid -----------------------------------------------------------------------------------

std::vector<std::string> template_arguments(const CapturedLaunch& launch) {
  return parts_of(launch.name).given;
}

std::optional<std::int64_t> template_number(const FoundKernel& kernel, std::size_t place,
                                            const std::vector<std::string>& arguments) {
  if (place >= arguments.size() || kernel.templates[place].is_type()) return std::nullopt;
  return whole_number(plain_argument(arguments[place]));
}

namespace {

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

// Whether `one`.x stands in front of "* `other`.x", or of that with a cast: "* (long)blockDim.x".
bool is_multiplied(Tokens body, std::string_view one, std::string_view other, char axis) {
  const std::string_view letter(&axis, 1);
  for (std::size_t i = 0; i + 4 < body.size(); ++i) {
    if (!body[i].is(one) || !body[i + 2].is(letter) || !body[i + 3].is("*")) continue;
    const std::size_t at = body[i + 4].is("(") ? behind_closing(body, i + 4) : i + 4;
    if (at + 2 < body.size() && body[at].is(other) && body[at + 2].is(letter)) return true;
  }
  return false;
}

// Whether the kernel multiplies the block's index with the block's extent: it counts threads.
bool counts_threads(const FoundKernel& kernel, std::size_t axis) {
  const char letter = "xyz"[axis];
  return is_multiplied(kernel.body, "blockIdx", "blockDim", letter) ||
         is_multiplied(kernel.body, "blockDim", "blockIdx", letter);
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

}  // namespace

CapturedGrid grid_of(const FoundKernel& kernel, const Launches& launches) {
  CapturedGrid out;
  for (std::size_t axis = 0; axis < 3; ++axis) add_axis(kernel, launches, axis, out);
  while (out.axes.size() > 1 && out.axes.back() == "1") out.axes.pop_back();
  return out;
}

}  // namespace tuner
