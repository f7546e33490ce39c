// Block, grid and dynamic shared memory.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/base/text.h"
#include "tuner/drafting/draft_context.h"

namespace tuner {
namespace {

constexpr double kMostThreads = 1024, kMostBlocks = 1 << 30;

class Launch {
 public:
  explicit Launch(DraftContext& context) : c_(context) {}

  void take_launch() {
    map_host_names();
    draft_host_sizes(c_);
    take_block();
    take_bounds();
    take_grid();
    take_shared();
    take_assertions();
  }

 private:
  // Takes relations of parameters, and of the block, that the source asserts: without them, a
  // configuration does not compile, or stops.
  void take_assertions() {
    for (const Declaration& one : c_.source.declarations) {
      const bool is_used = one.body.data() == c_.kernel.body.data() ||
                           c_.reached.contains(std::string(last_name(one.name)));
      if (!is_used || one.kind != Declaration::Kind::kFunction) continue;
      for (std::size_t at = 0; at + 1 < one.body.size(); ++at) {
        const bool asserts = one.body[at].is("static_assert") || one.body[at].is("assert");
        if (!asserts || !one.body[at + 1].is("(")) continue;
        const auto pieces = items(one.body, at + 1);
        const auto rule = pieces.empty() ? std::nullopt : c_.in_parameters(pieces[0], one.body);
        const bool is_new = rule && !choices_in(c_.plan, *rule).empty() &&
                            std::ranges::count(c_.plan.constraints, *rule) == 0;
        // One that does not hold now was misread.
        if (is_new && c_.value_of(*rule).value_or(0) != 0) c_.plan.constraints.push_back(*rule);
      }
    }
  }

  void take_shared() {
    const Tokens said = c_.hint ? c_.hint->shared : Tokens();
    const auto bytes = said.empty() ? std::nullopt : c_.in_study(said);
    if (bytes && *bytes != "0") c_.plan.shared = *bytes;
    const bool has_some = mentions(c_.kernel.body, "extern") && !c_.hint;
    if (bytes || (said.empty() && !has_some)) return;
    if (c_.request.shared > 0) c_.plan.shared = std::to_string(c_.request.shared);
    c_.plan.guess("dynamic_shared_bytes",
                  fmt::format("dynamic_shared_bytes: {}, since {}", c_.request.shared,
                              said.empty() ? "no launch was found"
                                           : "'" + joined(said) + "' is beyond this draft"));
  }

  // "kernel<<<..>>>(a, count)" and "__global__ void kernel(float* a, int n)": count is n. So is
  // what the caller passes for count.
  void map_host_names() {
    for (const auto& [argument, extent] : c_.plan.extent_of) c_.host_names[{0, argument}] = extent;
    if (!c_.hint) return;
    for (std::size_t i = 0; i < c_.kernel.arguments.size() && i < c_.hint->arguments.size(); ++i) {
      const auto extent = c_.plan.extent_of.find(c_.kernel.arguments[i].name);
      if (extent == c_.plan.extent_of.end() || c_.hint->arguments[i].size() != 1) continue;
      c_.host_names[{0, std::string(c_.hint->arguments[i][0].text)}] = extent->second;
    }
    for (std::size_t frame = 0; frame < c_.hint->frames.size(); ++frame) {
      const HostFrame& now = c_.hint->frames[frame];
      for (std::size_t i = 0; i < now.parameters.size() && i < now.arguments.size(); ++i) {
        const auto known = c_.host_names.find({frame, now.parameters[i]});
        if (known == c_.host_names.end() || now.arguments[i].size() != 1) continue;
        const Token& passed = now.arguments[i][0];
        if (passed.is_word()) c_.host_names[{frame + 1, std::string(passed.text)}] = known->second;
      }
    }
  }

  void take_block() {
    if (c_.hint) {
      auto& axes = c_.hint->block;
      while (axes.size() > 1 && whole_number(joined(axes.back())) == 1) axes.pop_back();
    }
    const int used = std::max(1, axes_used(c_.kernel.body, "threadIdx"));
    // A dim3 that somebody passes may have more axes than are seen.
    const bool is_hidden =
        c_.hint && c_.hint->block.size() == 1 && used > 1 && !c_.in_study(c_.hint->block[0]);
    const bool is_seen = c_.hint && !is_hidden;
    const int axes = is_seen ? static_cast<int>(c_.hint->block.size()) : used;
    for (int axis = 0; axis < axes; ++axis) {
      c_.plan.block.push_back(is_seen ? hinted_block(axis, axes) : guessed_block(axis, axes));
    }
    while (c_.plan.block.size() > 1 && c_.plan.block.back() == "1") c_.plan.block.pop_back();
    refine_block_values();
    double threads = 1;
    for (const std::string& axis : c_.plan.block) threads *= c_.value_of(axis).value_or(1);
    if (threads <= kMostThreads) return;
    c_.plan.guess("block", fmt::format("a block along x only: it would have {} threads", threads));
    c_.plan.block.resize(1);
  }

  // "__launch_bounds__(256)": a kernel with more threads is not launched.
  void take_bounds() {
    const std::size_t at = index_of(c_.kernel.head, "__launch_bounds__");
    const auto said =
        at < c_.kernel.head.size() ? items(c_.kernel.head, at + 1) : std::vector<Tokens>();
    const auto most = said.empty() ? std::nullopt : c_.folded(said[0]);
    const std::string threads = product(c_.plan.block);
    const bool holds = most && c_.value_of(threads).value_or(0) <= c_.value_of(*most).value_or(-1);
    if (holds && *most != threads && !choices_in(c_.plan, threads).empty()) {
      c_.plan.constraints.push_back(threads + " <= " + *most);
    }
  }

  std::string hinted_block(int axis, int axes) {
    const Tokens tokens = c_.hint->block[static_cast<std::size_t>(axis)];
    const auto text = c_.in_study(tokens);
    const auto value = text ? c_.value_of(*text) : std::nullopt;
    if (!value || *value < 1 || *value > kMostThreads || *value != std::floor(*value)) {
      c_.plan.guess("block",
                    "the block's extent, since '" + joined(tokens) + "' is beyond this draft");
      std::string guess = guessed_block(axis, axes);
      if (tokens.size() == 1 && tokens[0].is_word()) {
        c_.renamed[std::string(tokens[0].text)] = guess;
      }
      return guess;
    }
    const auto number = constant_value(*text);
    if (!number)
      return axes == 1 && kernel_asks_its_block(0) ? divided(*text, *value, "BLOCK_DIVISOR")
                                                   : *text;
    if (*number == 1) return "1";
    if (!kernel_asks_its_block(axis) && !is_divisor_of_captured_grid(*number, axis)) {
      // k<256><<<n / 256, 256>>>: the template's.
      for (const auto& [name, parameter] : c_.template_values) {
        if (c_.plan.parameter(parameter)->present != *number) continue;
        literal_blocks_[axis] = *number;
        return parameter;
      }
      if (std::string threads = axes == 1 ? threads_of_kernel(*number) : ""; !threads.empty())
        return threads;
      std::string parameter = axes > 1 ? template_block(*number) : "";
      if (parameter.empty()) parameter = knob_of_block(*number);
      if (parameter.empty()) return std::to_string(*number);
      literal_blocks_[axis] = *number;
      return parameter;
    }
    std::string name = c_.new_name(axes == 1 ? "BLOCK" : fmt::format("BLOCK_{}", "XYZ"[axis]));
    c_.plan.parameters.push_back(
        {name, values_to_try(name, *number, axes), *number, false, "launch"});
    if (tokens.size() == 1 && tokens[0].is_word()) {
      const std::string spelled(tokens[0].text);
      c_.renamed[spelled] = name;
      std::erase_if(c_.plan.guessed, [&](const std::string& guess) {
        return guess.starts_with(spelled + " = ");  // that it stays: here it does not
      });
    }
    literal_blocks_[axis] = *number;
    // "dim3 block(256)", of which the grid may say block.x; "Tile::x".
    if (tokens.size() > 1 || !tokens[0].is_word()) c_.stands_for.emplace_back(tokens, name);
    return name;
  }

  // The number of threads as the kernel computes it of its parameters, "(BM / TM) * (BN / TN)": the
  // value of a variable of it that is as large as the launch's number now, or the product of two
  // tile extents by which it takes threadIdx.x apart. Empty: there is none.
  std::string threads_of_kernel(std::int64_t number) {
    const Tokens body = c_.kernel.body;
    std::vector<std::string> tiles;
    for (std::size_t at = 1; at + 3 < body.size(); ++at) {
      const bool is_set = body[at].is("=") && body[at - 1].is_word() && !body[at + 1].is("=");
      if (is_set) {
        const Tokens value = part_before(body.subspan(at + 1), ";");
        const auto text = c_.in_parameters(value, body);
        if (text && !constant_value(*text) && c_.value_of(*text) == static_cast<double>(number))
          return follows_kernel(*text, std::string(body[at - 1].text));
      }
      const bool is_taken_apart = body[at].is(".") && body[at + 1].is("x") &&
                                  body[at - 1].is("threadIdx") &&
                                  (body[at + 2].is("/") || body[at + 2].is("%"));
      const DraftedParameter* tile = is_taken_apart ? parameter_of(body[at + 3]) : nullptr;
      if (tile != nullptr) tiles.push_back(tile->name);
    }
    for (const std::string& one : tiles) {
      for (const DraftedParameter& other : c_.plan.parameters) {
        if (c_.plan.parameter(one)->present * other.present == number && other.present > 1)
          return follows_kernel(one + " * " + other.name, "its tile");
      }
    }
    return {};
  }

  std::string follows_kernel(const std::string& threads, const std::string& of) {
    c_.plan.guess("block", fmt::format("as many threads as {} says: {}", of, threads));
    return threads;
  }

  // Whether the grids of captured launches follow the block, however the kernel asks for it.
  bool is_divisor_of_captured_grid(std::int64_t block, int axis) const {
    const auto at = static_cast<std::size_t>(axis);
    if (c_.request.captured.empty() || at >= c_.hint->grid.size()) return false;
    const Tokens grid = c_.hint->grid[at];
    const bool has_template = std::ranges::any_of(c_.template_values, [&](const auto& one) {
      return c_.plan.parameter(one.second)->present == block;
    });
    return !has_template && grid.size() > 2 && grid[0].is("ceil_div") &&
           mentions(grid, std::to_string(block));
  }

  // "#define BLOCK_DIM 16" that the kernel works with, where the launch says dim3(16, 16): the
  // number is the same one. Empty: there is none.
  std::string knob_of_block(std::int64_t number) const {
    for (const DraftedParameter& one : c_.plan.parameters) {
      const std::string name = lower(one.name);
      const bool is_block = name.find("block") != name.npos || name.find("thread") != name.npos ||
                            name.find("tile") != name.npos;
      if (is_block && one.present == number && !one.is_guess) return one.name;
    }
    return {};
  }

  // k<16><<<grid, dim3(b, b)>>> where b is 32 and another launch takes k<32>: then that is meant.
  std::string template_block(std::int64_t number) {
    for (const auto& [name, parameter] : c_.template_values) {
      if (lower(name).find("block") == name.npos) continue;
      for (DraftedParameter& one : c_.plan.parameters) {
        if (one.name != parameter) continue;
        one.present = number;
        one.values = values_to_try(one.name, number, 0);
        return parameter;
      }
    }
    return {};
  }

  std::string guessed_block(int axis, int axes) {
    if (!kernel_asks_its_block(axis)) {
      // Knobs that a block's index or a thread's is multiplied with are its extents.
      for (const std::string& factor : share_of_a_block(c_.kernel.body, "xyz"[axis]).factors) {
        const auto known = c_.meaning(factor);
        const bool is_block = lower(factor).find("block") != std::string::npos ||
                              lower(factor).find("tile") != std::string::npos ||
                              lower(factor).find("thread") != std::string::npos;
        if (known && (is_block || constant_value(*known))) return *known;
      }
    }
    const std::int64_t usual = std::max<std::int64_t>(1, (axes == 1 ? 256 : 16) / c_.request.fewer);
    std::string name = c_.new_name(axes == 1 ? "BLOCK" : fmt::format("BLOCK_{}", "XYZ"[axis]));
    c_.plan.parameters.push_back({name, values_to_try(name, usual, axes), usual, true, "launch"});
    c_.plan.guess("block", fmt::format("a block of {} threads along {}", usual, "xyz"[axis]));
    return name;
  }

  // Whether the kernel works with blocks of any extent along this axis: it reads blockDim other
  // than to assert it, and no array of it has the extent that the host code spells.
  bool kernel_asks_its_block(int axis) const {
    const std::string_view wanted(&"xyz"[axis], 1);
    const auto at_axis = static_cast<std::size_t>(axis);
    const Tokens spelled =
        c_.hint && at_axis < c_.hint->block.size() ? c_.hint->block[at_axis] : Tokens();
    bool asks = false;
    for (std::size_t i = 0; i + 2 < c_.kernel.body.size(); ++i) {
      if (c_.kernel.body[i].is("assert")) i = behind_closing(c_.kernel.body, i + 1) - 1;
      if (c_.kernel.body[i].is("blockDim") && c_.kernel.body[i + 2].text == wanted) asks = true;
      if (!c_.kernel.body[i].is("__shared__")) continue;
      for (std::size_t at = i; at + 1 < c_.kernel.body.size() && !c_.kernel.body[at].is(";");
           ++at) {
        if (c_.kernel.body[at].is("[") && !spelled.empty() &&
            c_.kernel.body[at + 1].text == spelled[0].text) {
          return false;
        }
      }
    }
    return asks;
  }

  // Extents of a block get values that suit one.
  void refine_block_values() {
    const int axes = static_cast<int>(c_.plan.block.size());
    for (DraftedParameter& one : c_.plan.parameters) {
      for (const std::string& extent : c_.plan.block) {
        if (extent == one.name && !one.is_given)
          one.values = values_to_try(one.name, one.present, axes);
      }
    }
  }

  void take_grid() {
    if (c_.hint) {
      for (std::size_t axis = 0; axis < c_.hint->grid.size(); ++axis) {
        const auto text = hinted_grid(static_cast<int>(axis));
        const auto value = text ? c_.value_of(*text) : std::nullopt;
        if (!value || *value < 1 || *value > kMostBlocks || *value != std::floor(*value)) {
          c_.plan.guess(
              "grid", "the grid, since '" + joined(c_.hint->grid[axis]) + "' is beyond this draft");
          c_.plan.grid.clear();
          break;
        }
        c_.plan.grid.push_back(following(*text, axis));
      }
    }
    if (c_.plan.grid.empty()) {
      const int axes = std::max(1, axes_used(c_.kernel.body, "blockIdx"));
      auto along = extents_of_axes(c_.kernel.body, c_.extent_arguments);
      for (int axis = 0; axis < axes; ++axis) {
        const auto place = static_cast<std::size_t>(axis);
        c_.plan.grid.push_back(as_many_threads(guessed_grid(axis, along), place));
      }
    }
    // "i += blockDim.x * gridDim.x": fewer blocks do more each.
    std::string& blocks = c_.plan.grid.front();
    if (axes_used(c_.kernel.body, "gridDim") > 0 && !c_.plan.is_cooperative)
      blocks = divided(blocks, c_.value_of(blocks).value_or(1), "GRID_DIVISOR");
  }

  // "grid(n / 256); if (n % 256) grid.x++;" in the words of the study; nothing: it has none.
  std::optional<std::string> hinted_grid(int axis) const {
    const std::string name = fmt::format("{}.{}", c_.hint->grid_variable, "xyz"[axis]);
    const Tokens blocks = c_.hint->grid[static_cast<std::size_t>(axis)];
    return DraftContext::increased(c_.folded(with_block_names(blocks, axis)), name,
                                   with_block_names(c_.when_increased(name, 0), axis),
                                   [&](const std::string& of) { return c_.meaning(of); });
  }

  // Divides the host code's number of blocks or threads by a parameter of this name, if trials show
  // that the answer stays right with fewer of them. `now` is that number at the first size.
  std::string divided(const std::string& number, double now, const std::string& name) {
    DraftedParameter divisor{c_.new_name(name), {1}, 1, false, "divides the host code's number"};
    for (const std::int64_t value : {2, 4, 8}) {
      if (static_cast<double>(value) <= now) divisor.open.push_back(value);
    }
    const bool is_knob = c_.request.asks || c_.request.proven.contains(divisor.name);
    if (divisor.open.empty() || !is_knob) return number;
    c_.plan.parameters.push_back(divisor);
    return fmt::format("ceil_div({}, {})", number, divisor.name);
  }

  // "4" blocks of 256 threads, where n is 1024, as "ceil_div(n, BLOCK)": the extents that the host
  // code's number of threads is a multiple of say how many there are. If the trial asks for it, a
  // grid that does not follow its block keeps the number of threads that there are now.
  std::string following(const std::string& grid, std::size_t axis) {
    const DraftedParameter* parameter = free_block(grid, axis);
    if (parameter == nullptr || grid == "1") return grid;
    const auto blocks = constant_value(grid);
    const std::string threads = blocks ? in_extents(c_.plan, *blocks * parameter->present) : grid;
    if (blocks && !constant_value(threads))
      return fmt::format("ceil_div({}, {})", threads, parameter->name);
    return as_many_threads(grid, axis);
  }

  // The grid with as many threads as now, if the trial asks for it.
  std::string as_many_threads(const std::string& grid, std::size_t axis) {
    const DraftedParameter* parameter = free_block(grid, axis);
    if (parameter == nullptr || !c_.request.follow.contains(parameter->name)) return grid;
    c_.plan.guess("grid", fmt::format("as many threads along {} as now", "xyz"[axis]));
    return fmt::format("ceil_div({} * {}, {})", constant_value(grid) ? grid : "(" + grid + ")",
                       parameter->present, parameter->name);
  }

  // The parameter that is the block along an axis of which the grid follows none; null: there is
  // none.
  const DraftedParameter* free_block(const std::string& grid, std::size_t axis) const {
    if (axis >= c_.plan.block.size() || !choices_in(c_.plan, grid).empty()) return nullptr;
    const DraftedParameter* parameter = c_.plan.parameter(c_.plan.block[axis]);
    return parameter != nullptr && parameter->values.size() > 1 ? parameter : nullptr;
  }

  // The parameter that the kernel multiplies its block's index along an axis with; null: none.
  const DraftedParameter* tile_along(int axis) const {
    const Tokens body = c_.kernel.body;
    const auto is_index = [&](Tokens one) {
      return one.size() == 3 && one[0].is("blockIdx") &&
             one[2].text == std::string_view(&"xyz"[axis], 1);
    };
    for (std::size_t at = 1; at + 1 < body.size(); ++at) {
      if (!body[at].is("*") || !body[at + 1].is_word()) continue;
      const bool is_its = (at >= 3 && is_index(body.subspan(at - 3, 3))) ||
                          is_index(initialiser_of(body, std::string(body[at - 1].text)));
      if (is_its) return parameter_of(body[at + 1]);
    }
    return nullptr;
  }

  // The parameter that a word of the kernel is; null: none.
  const DraftedParameter* parameter_of(const Token& word) const {
    const auto said = c_.in_parameters({&word, 1}, c_.kernel.body);
    return said ? c_.plan.parameter(*said) : nullptr;
  }

  // Replaces numbers of the host code that are a block's extent by the new parameter for it, or
  // those that are its tile's by the tile's.
  std::vector<Token> with_block_names(Tokens tokens, int axis) const {
    const auto literal = literal_blocks_.find(axis);
    if (literal != literal_blocks_.end())
      return with_name(tokens, literal->second, c_.plan.block[static_cast<std::size_t>(axis)]);
    const DraftedParameter* tile = tile_along(axis);
    return tile == nullptr || tile->present == 1 ? std::vector<Token>(tokens.begin(), tokens.end())
                                                 : with_name(tokens, tile->present, tile->name);
  }

  // Puts a name in the place of a number, and of what is one less.
  static std::vector<Token> with_name(Tokens tokens, std::int64_t number, const std::string& name) {
    static const std::string kOpen = "(", kMinus = "-", kOne = "1", kClose = ")";
    std::vector<Token> renamed;
    for (const Token& token : tokens) {
      const auto value =
          token.kind == Token::Kind::kNumber ? whole_number(token.text) : std::nullopt;
      const Token word{Token::Kind::kWord, name, token.at, false};
      if (value && *value == number) {
        renamed.push_back(word);
      } else if (value && *value == number - 1) {
        renamed.insert(renamed.end(), {{Token::Kind::kSign, kOpen, 0, false},
                                       word,
                                       {Token::Kind::kSign, kMinus, 0, false},
                                       {Token::Kind::kNumber, kOne, 0, false},
                                       {Token::Kind::kSign, kClose, 0, false}});
      } else {
        renamed.push_back(token);
      }
    }
    return renamed;
  }

  // A number, or what a name means in the study; nothing for other names.
  std::optional<std::string> in_numbers(const std::string& text) const {
    if (text.empty()) return std::nullopt;
    return whole_number(text) ? text : c_.meaning(text);
  }

  // Guesses the extent that an axis runs along by names: x runs along widths and columns. Where no
  // name fits, takes the first extent that no other axis has; empty: none.
  std::string extent_by_name(int axis, const std::map<char, std::string>& along) const {
    std::vector<std::string> left;
    for (const FoundArgument& one : c_.kernel.arguments) {
      const bool is_left =
          c_.extent_arguments.contains(one.name) &&
          std::ranges::none_of(along, [&](const auto& known) { return known.second == one.name; });
      if (is_left) left.push_back(one.name);
    }
    for (const std::string& name : left) {
      if (axis_of_extent(name) == "xyz"[axis]) return name;
    }
    if (!left.empty()) return left.front();
    const bool is_square = std::ranges::any_of(c_.kernel.arguments, [&](const FoundArgument& one) {
      return one.is_pointer() && !c_.plan.extents.empty() && !c_.extent_arguments.empty() &&
             multiplies(use_of(c_.kernel.body, one.name), c_.kernel.body,
                        *c_.extent_arguments.begin());
    });
    return is_square || (axis == 0 && !c_.extent_arguments.empty()) ? *c_.extent_arguments.begin()
                                                                    : "";
  }

  std::string guessed_grid(int axis, std::map<char, std::string>& along) {
    const char letter = "xyz"[axis];
    if (c_.plan.is_cooperative) {
      c_.plan.guess("grid",
                    fmt::format("as many blocks along {} as can run at the same time", letter));
      return axis == 0 ? "device.multiprocessors" : "1";
    }
    if (!along.contains(letter)) along[letter] = extent_by_name(axis, along);
    const bool is_invented = c_.plan.extent_of.empty() && !c_.plan.extents.empty() && axis == 0;
    if (along[letter].empty() && !is_invented) {
      c_.plan.guess("grid", fmt::format("1 block along {}: the number was not found", letter));
      return "1";
    }
    std::string extent =
        is_invented ? c_.plan.extents.front().first : c_.plan.extent_of.at(along[letter]);
    std::string share;
    const ShareOfABlock of_a_block = share_of_a_block(c_.kernel.body, "xyz"[axis]);
    if (const auto divisor = in_numbers(of_a_block.divisor)) extent += " * " + *divisor;
    for (const std::string& factor : of_a_block.factors) {
      if (c_.extent_arguments.contains(factor)) break;  // "blockIdx.x * cols" is where a row begins
      std::string text;
      if (factor.starts_with("blockDim.")) {
        const auto which = static_cast<std::size_t>(factor.back() - 'x');
        if (which < c_.plan.block.size()) text = c_.plan.block[which];
      } else if (const auto known = in_numbers(factor)) {
        text = *known;
      }
      if (!text.empty()) share += (share.empty() ? "" : " * ") + text;
    }
    if (share.empty() && is_invented) share = c_.plan.block.front();  // an element for each thread
    c_.plan.guess("grid", fmt::format("the grid along {}: {} in shares of {}", letter, extent,
                                      share.empty() ? "1" : share));
    return share.empty() ? extent : fmt::format("ceil_div({}, {})", extent, share);
  }

  DraftContext& c_;
  std::map<int, std::int64_t> literal_blocks_;  // by axis
};

}  // namespace

void draft_launch(DraftContext& context) { Launch(context).take_launch(); }

}  // namespace tuner
