// Sizes of the problem, and examples of them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "tuner/base/text.h"
#include "tuner/drafting/captured_launches.h"
#include "tuner/drafting/draft_context.h"
#include "tuner/source/replaced_values.h"

namespace tuner {
namespace {

constexpr std::int64_t kLeastExtent = 32, kLeastOfMany = 8, kInventedExtent = 65536;

// Whether a name already has a meaning in a study's expressions: a function, an operator, a
// constant.
bool is_taken(const std::string& name) {
  static const std::set<std::string> kTaken{
      "time", "power", "energy", "min",   "max",   "abs",   "ceil_div", "ceil", "floor",
      "log2", "round", "pow",    "int",   "float", "and",   "or",       "not",  "in",
      "if",   "else",  "True",   "False", "true",  "false", "device"};
  return kTaken.contains(name);
}

class Extents {
 public:
  explicit Extents(DraftContext& context) : c_(context) {}

  void take_extents() {
    std::set<std::string> extents;
    for (const FoundArgument& one : c_.kernel.arguments) {
      const bool whole = (one.type.starts_with("int") || one.type.starts_with("uint")) &&
                         !one.type.ends_with("int8");
      const bool is_one =
          is_extent(c_.kernel, one.name) || differs(c_.kernel, c_.request.captured, one.name);
      if (one.is_pointer() || one.lanes > 1 || !whole || !is_one) continue;
      std::string name = one.name;
      while (is_taken(name) || c_.plan.parameter(name) != nullptr) name += "_";
      c_.plan.extent_of[one.name] = name;
      extents.insert(one.name);
    }
    c_.extent_arguments = extents;
    std::set<std::int64_t> taken;
    for (const FoundArgument& one : c_.kernel.arguments) {
      if (!extents.contains(one.name)) continue;
      if (const auto hinted = hinted_extent(one.name)) taken.insert(*hinted);
    }
    for (const FoundArgument& one : c_.kernel.arguments) {
      if (!extents.contains(one.name)) continue;
      const auto hinted = hinted_extent(one.name);
      const std::string& name = c_.plan.extent_of[one.name];
      c_.plan.extents.emplace_back(name, hinted ? *hinted : guessed_extent(taken));
      if (hinted) continue;
      c_.plan.guess("problem_sizes", fmt::format("{} = {}", name, c_.plan.extents.back().second));
    }
    if (!c_.request.captured.empty()) return take_captured();
    if (extents.empty()) invent_extent();
  }

  // A first run on a CPU is to end soon: the largest extents are halved until there is no more to
  // do than some millions of threads can.
  void make_smaller() {
    auto& all = c_.plan.extents;
    c_.plan.size_of_host = all;
    if (c_.request.whole) return;
    const auto work = [&] {
      return std::accumulate(all.begin(), all.end(), 1.0, [&](double product, const auto& one) {
        return product * std::pow(static_cast<double>(one.second), power_of(one.first));
      });
    };
    const double most = std::min(std::ldexp(1, all.size() == 3 ? 25 : 21), work()) /
                        static_cast<double>(c_.request.smaller);
    while (!all.empty() && work() > most) {
      const auto largest = std::ranges::max_element(all, {}, [&](const auto& one) {
        return one.second > least_of(one.first) ? one.second : 0;
      });
      if (largest->second <= least_of(largest->first)) break;
      largest->second = (largest->second + 1) / 2;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].second = divisible_like(c_.plan.size_of_host[i].second, all[i].second);
    }
  }

 private:
  // Rounds a part of an extent up to what blocks divide without a remainder, as they do the whole:
  // a kernel may not test for its end. A large part is divided by the largest block, too.
  static std::int64_t divisible_like(std::int64_t whole, std::int64_t part) {
    constexpr std::int64_t kLargestBlock = 1024, kWarp = 32;
    std::int64_t share = std::gcd(whole, kLargestBlock);
    if (share >= kWarp && whole > part && part >= 16 * kLargestBlock) share = kLargestBlock;
    while (share > part) share /= 2;
    return (part + share - 1) / share * share;
  }

  // The axes of the grid that follow an extent. One that two follow is the side of a square, of
  // which a product has three.
  std::vector<Tokens> axes_of(const std::string& extent) const {
    std::vector<Tokens> out;
    if (!c_.hint) return out;
    for (const Tokens axis : c_.hint->grid) {
      const bool follows = std::ranges::any_of(axis, [&](const Token& token) {
        const auto name = c_.host_names.find({0, std::string(token.text)});
        return name != c_.host_names.end() && name->second == extent;
      });
      if (follows) out.push_back(axis);
    }
    return out;
  }
  double power_of(const std::string& extent) const { return axes_of(extent).size() > 1 ? 3 : 1; }

  // An extent that the source itself has is one that its kernel may not test: then what all blocks
  // take has to divide it.
  std::int64_t least_of(const std::string& extent) const {
    const bool is_of_many = c_.request.smaller > 1 && c_.plan.extents.size() > 2;
    std::int64_t least = is_of_many ? kLeastOfMany : kLeastExtent;
    if (std::ranges::count(c_.plan.replaced, extent) == 0) return least;
    for (const Tokens axis : axes_of(extent)) {
      std::int64_t share = 1;
      for (const Token& token : axis) {
        const DraftedParameter* parameter = c_.plan.parameter(std::string(token.text));
        if (parameter != nullptr) share *= std::ranges::max(parameter->values);
      }
      least = std::max(least, share);
    }
    return least;
  }

  // Adds what the grids of captured launches follow besides the kernel's own numbers.
  void take_captured() {
    c_.captured_extents = captured_extents(c_.kernel, c_.request);
    for (const auto& [name, values] : c_.captured_extents) {
      c_.plan.extents.emplace_back(name, values.front());
      c_.host_names[{0, name}] = name;
    }
  }

  // Invents the number of elements, one a thread, for a kernel that takes no extent and has no
  // launch that shows the size of its grid.
  void invent_extent() {
    const bool has_buffers = std::ranges::any_of(
        c_.kernel.arguments, [](const FoundArgument& one) { return one.is_pointer(); });
    if (c_.hint || !has_buffers || axes_used(c_.kernel.body, "blockIdx") == 0) return;
    if (take_constants()) return;
    const std::string name = c_.new_name("N");
    c_.plan.extents.emplace_back(name, kInventedExtent);
    c_.plan.guess(
        "problem_sizes",
        fmt::format("{} elements: the kernel has no argument for their number", kInventedExtent));
  }

  // Takes extents from the source's own constants ("#define WIDTH 4096"); false if there are none.
  bool take_constants() {
    for (const auto& [name, value] : c_.source.numbers) {
      const bool is_one = value >= kLeastExtent && mentions(c_.kernel.body, name) &&
                          !looks_tunable(name) && c_.plan.parameter(name) == nullptr &&
                          is_extent(c_.kernel, name);
      if (!is_one) continue;
      c_.plan.extent_of[name] = std::to_string(value);
      c_.extent_arguments.insert(name);
    }
    return !c_.extent_arguments.empty();
  }

  bool is_matrix() const {
    return axes_used(c_.kernel.body, "threadIdx") > 1 || axes_used(c_.kernel.body, "blockIdx") > 1;
  }

  // "a[i * n + j]" of the only extent.
  bool is_square() const {
    return c_.extent_arguments.size() == 1 &&
           std::ranges::any_of(c_.kernel.arguments, [&](const FoundArgument& one) {
             return one.is_pointer() && multiplies(use_of(c_.kernel.body, one.name), c_.kernel.body,
                                                   *c_.extent_arguments.begin());
           });
  }

  // Unlike all others: where two are equal, a kernel that takes one for the other is not found out.
  std::int64_t guessed_extent(std::set<std::int64_t>& taken) const {
    const std::int64_t usual = usual_extent();
    for (std::int64_t factor = 1;; factor *= 2) {
      for (const std::int64_t one : {usual * factor, usual / factor}) {
        if (one >= 8 && taken.insert(one).second) return c_.request.odd ? one + one / 16 + 1 : one;
      }
    }
  }

  std::int64_t usual_extent() const {
    const bool is_volume = axes_used(c_.kernel.body, "blockIdx") > 2;
    if (c_.extent_arguments.size() >= 3) return extents_of_product_known() ? 256 : 64;
    if (is_volume) return 64;
    if (c_.extent_arguments.size() == 2 || is_matrix() || is_square()) return 512;
    const bool shares_threads = !share_of_a_block(c_.kernel.body, 'x').divisor.empty();
    return shares_threads ? 16384
                          : 1048576;  // a warp for each element: less of them keep a device busy
  }

  bool extents_of_product_known() const {
    std::set<std::string> names;
    for (const std::string& one : c_.extent_arguments) {
      names.insert(lower(one.substr(one.size() - 1)));
    }
    return names == std::set<std::string>{"m", "n", "k"};
  }

  // Returns the number that the host code passes for an argument; nothing unless it is between 1
  // and 2^31.
  std::optional<std::int64_t> hinted_extent(const std::string& argument) const {
    const auto text = c_.host_expression_of(argument);
    if (!text) return std::nullopt;
    const auto value = constant_value(*text);
    if (!value || *value < 1 || *value > (std::int64_t{1} << 31)) return std::nullopt;
    return value;
  }

  DraftContext& c_;
};

}  // namespace

void draft_extents(DraftContext& context) { Extents(context).take_extents(); }

// ---- numbers of the host code -------------------------------------------------------------------

namespace {

// Finds names of the host code for numbers that the grid or a buffer's memory follows. They become
// extents, or a study would be for one size alone.
class HostSizes {
 public:
  explicit HostSizes(DraftContext& context) : c_(context) {}

  void take() {
    if (!c_.hint || c_.request.keeps_numbers) return;
    for (const Tokens axis : c_.hint->grid) look_at(axis, 0, 0);
    for (const FoundArgument& one : c_.kernel.arguments) {
      if (one.is_pointer()) look_at_memory({c_.passed_for(one.name)});
    }
    for (const FoundArgument& one : c_.kernel.arguments) look_at_members(one);
    if (c_.request.script) take_constants();
  }

 private:
  static constexpr int kMostSteps = 8;
  static constexpr std::int64_t kUsual = 1024, kOfTheCommandLine = 4096;

  void look_at_memory(const DraftContext::HostText& passed) {
    const auto memory = host_memory(c_.source, *c_.hint, passed.tokens, passed.frame);
    if (!memory) return;
    for (const Tokens factor : memory->factors) look_at(factor, memory->frame, 0);
  }

  // Members of a struct by value are what arguments are: sizes, and buffers.
  void look_at_members(const FoundArgument& argument) {
    const auto record = c_.records.find(record_name(c_, argument));
    if (argument.is_pointer() || record == c_.records.end()) return;
    for (const FoundMember& one : record->second) {
      const auto passed = passed_member(c_, argument.name, record->second, one.name);
      if (one.type == "pointer") look_at_memory(passed);
      if (one.is_number && may_be_extent(one.name)) look_at(passed.tokens, passed.frame, 0);
    }
  }

  void look_at(Tokens text, std::size_t frame, int depth) {
    for (const Token& token : c_.host_words(text)) {
      const std::string name(token.text);
      if (!token.is_word() || !seen_.emplace(frame, name).second) continue;
      if (depth < kMostSteps && !c_.host_names.contains({frame, name})) follow(name, frame, depth);
    }
  }

  void follow(const std::string& name, std::size_t frame, int depth) {
    const auto set = c_.what_is_set(name, frame);
    if (set.tokens.empty()) {
      const auto number = c_.source.numbers.find(name);
      if (number != c_.source.numbers.end()) take_size(name, frame, number->second);
      return;
    }
    const auto text = study_expression(
        c_.host_words(set.tokens), [](const std::string&) { return std::optional<std::string>(); });
    const auto value = text ? constant_value(*text) : std::nullopt;
    if (value) {
      take_size(name, frame, *value);
    } else if (mentions(set.tokens, "argv") && may_be_extent(name) && !is_exponent(name, frame)) {
      take_size(name, frame, kOfTheCommandLine);
      c_.plan.guess("problem_sizes", name + ", which the command line says");
    } else {
      look_at(set.tokens, set.frame, depth + 1);
    }
  }

  // The constants that a study can replace: all of the source and its headers but those of
  // functions.
  std::set<std::string> replaceable() const {
    std::set<std::string> out;
    const std::vector<Token> compiled = c_.compiled_tokens();
    for (const GivenValue& one : given_values(compiled)) {
      const bool is_local = std::ranges::any_of(c_.source.declarations, [&](const Declaration& of) {
        return of.kind == Declaration::Kind::kFunction && !of.body.empty() &&
               one.at->at > of.body.front().at && one.at->at < of.body.back().at;
      });
      if (!is_local) out.emplace(one.name);
    }
    return out;
  }

  // Whether the kernel has the number by this name, too.
  bool is_of_the_kernel(const std::string& name) const {
    return c_.reached.contains(name) && initialiser_of(c_.kernel.body, name).empty() &&
           std::ranges::count(c_.kernel.arguments, name, &FoundArgument::name) == 0;
  }

  // "1 << n"
  bool is_exponent(const std::string& name, std::size_t frame) const {
    if (frame >= c_.hint->frames.size()) return false;
    const Tokens body = c_.hint->frames[frame].body;
    for (std::size_t at = 1; at < body.size(); ++at) {
      if (body[at].is(name) && body[at - 1].is("<")) return true;
    }
    return mentions(body, "pow");
  }

  void take_size(const std::string& name, std::size_t frame, std::int64_t value) {
    const bool is_one = value >= kUsual || (may_be_extent(name) && value >= 2 * kLeastExtent);
    const auto says = [&](Tokens axis) { return mentions(axis, name); };
    const bool is_knob = value <= kUsual && looks_tunable(name);
    if (!is_one || is_knob || std::ranges::any_of(c_.hint->block, says)) return;
    if (!c_.plan.has_numbers && is_of_an_extent(value)) return;
    if (is_of_the_kernel(name)) return replace_size(name, value);
    std::string extent = name;
    std::ranges::replace_if(
        extent, [](char c) { return !is_word_part(c); }, '_');
    const auto is_there = [&](const auto& one) { return one.first == extent; };
    while (is_taken(extent) || c_.plan.parameter(extent) != nullptr ||
           std::ranges::any_of(c_.plan.extents, is_there)) {
      extent += "_";
    }
    c_.plan.extents.emplace_back(extent, value);
    c_.plan.has_numbers = true;
    const bool is_everywhere = c_.source.numbers.contains(name);
    for (std::size_t i = 0; i <= c_.hint->frames.size(); ++i) {
      if (i == frame || is_everywhere) c_.host_names[{i, name}] = extent;
    }
  }

  // Takes a constant that the kernel uses itself, if the study can give the source another one.
  void replace_size(const std::string& name, std::int64_t value) {
    const bool is_new = !is_taken(name) && c_.plan.parameter(name) == nullptr &&
                        std::ranges::count(c_.plan.replaced, name) == 0;
    if (!is_new || !replaceable().contains(name)) return;
    c_.plan.replaced.push_back(name);
    c_.plan.extent_of[name] = name;
    c_.plan.extents.emplace_back(name, value);
    c_.plan.has_numbers = true;
    for (std::size_t i = 0; i <= c_.hint->frames.size(); ++i) c_.host_names[{i, name}] = name;
  }

  // Gives sizes that a script writes as numbers the names that the source has for them, "#define
  // WIDTH 4096", and has these replaced. One that the source does not name stays a number.
  void take_constants() {
    constexpr std::string_view kOfTheScript = "problem_size_";
    std::vector<std::pair<std::string, std::int64_t>> extents;
    for (const auto& [name, value] : c_.plan.extents) {
      if (!name.starts_with(kOfTheScript)) {
        extents.emplace_back(name, value);
        continue;
      }
      const std::string constant = constant_of(value, name.back());
      std::erase_if(c_.host_names, [&, is = name](const auto& one) {
        return constant.empty() && one.second == is;
      });
      for (auto& [of_host, meant] : c_.host_names) {
        if (meant == name) meant = constant;
      }
      if (constant.empty() || std::ranges::count(c_.plan.replaced, constant) > 0) continue;
      c_.plan.replaced.push_back(constant);
      c_.plan.extent_of[constant] = constant;
      extents.emplace_back(constant, value);
    }
    c_.plan.extents = extents;
  }

  // Finds a constant of the source that the kernel uses and that has this value; rather one that is
  // usual for the axis.
  std::string constant_of(std::int64_t value, char axis) const {
    const std::vector<Token> compiled = c_.compiled_tokens();
    std::string out;
    for (const GivenValue& one : given_values(compiled)) {
      std::string name(one.name);
      const bool is_it = whole_number(one.text) == value && c_.reached.contains(name) &&
                         c_.plan.parameter(name) == nullptr;
      if (is_it && axis_of_extent(name) == axis) return name;
      if (is_it && out.empty()) out = name;
    }
    return out;
  }

  // Whether a number is a part or a multiple of an extent that the kernel takes, which says it
  // then.
  bool is_of_an_extent(std::int64_t value) const {
    constexpr std::int64_t kNoAccident = 256;
    return std::ranges::any_of(c_.plan.extents, [&](const auto& one) {
      const auto [less, more] = std::minmax(one.second, value);
      return less >= kNoAccident && more % less == 0;
    });
  }

  DraftContext& c_;
  std::set<std::pair<std::size_t, std::string>> seen_;
};

}  // namespace

void draft_host_sizes(DraftContext& context) {
  HostSizes(context).take();
  Extents(context).make_smaller();
}

}  // namespace tuner
