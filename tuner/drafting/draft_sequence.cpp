// Reads what stands around a launch in the host code: launches behind it, and a loop around them.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/drafting/draft_context.h"

namespace tuner {
namespace {

constexpr std::int64_t kMostRounds = 8;  // that a first run needs

std::string flat(Tokens tokens) {
  std::string out;
  for (const Token& one : tokens) out += one.text;
  return out;
}

DraftedArgument* find_drafted(DraftPlan& plan, const std::string& name) {
  const auto found = std::ranges::find(plan.arguments, name, &DraftedArgument::name);
  return found == plan.arguments.end() ? nullptr : &*found;
}

// Something else writes it, too.
void make_written(DraftPlan& plan, DraftedArgument& one) {
  if (!one.role.empty()) return;
  if (!one.fill.empty()) one.role = "inout";
  plan.outputs.emplace_back(one.name, one.type);
}

// Waits for the device, and asks for errors: nothing that another launch sees.
bool is_harmless(Tokens statement) {
  if (statement.empty()) return true;
  const bool is_call = statement.size() > 2 && statement[0].is_word() && statement[1].is("(") &&
                       behind_closing(statement, 1) == statement.size();
  const bool asks = mentions(statement, "cudaGetLastError");
  const std::string name = lower(std::string(statement[0].text));
  const bool looks = name.find("sync") != name.npos || name.find("error") != name.npos ||
                     name.find("check") != name.npos;
  const bool moves = std::ranges::any_of(statement, [](const Token& one) {
    return one.text.find("Memcpy") != one.text.npos || one.text.find("Memset") != one.text.npos;
  });
  return !moves && (asks || (is_call && looks));
}

class Sequence {
 public:
  Sequence(DraftContext& context, const DraftOther& draft_other)
      : c_(context), draft_other_(draft_other) {}

  void take() {
    if (!c_.hint || c_.hint->frames.empty()) return;
    body_ = c_.hint->frames.front().body;
    begin_ = c_.hint->frames.front().before.size();
    if (begin_ >= body_.size() || !body_[begin_].is(last_name(c_.kernel.name))) return;
    for (std::size_t i = 0; i < c_.hint->arguments.size(); ++i) {
      if (i < c_.plan.arguments.size()) {
        of_host_[flat(c_.hint->arguments[i])] = c_.plan.arguments[i].name;
      }
    }
    passed_ = c_.hint->arguments;
    launches_.push_back(begin_);
    const std::size_t end = take_followers();
    say_other_launches(end);
    take_loop();
  }

 private:
  std::string line_of(std::size_t at) const { return c_.source.place_of(body_[at]); }

  void not_taken(const std::string& what) { c_.plan.seen.push_back(what); }

  // Index of the first statement that is none of them.
  std::size_t take_followers() {
    std::size_t at = index_of(body_, ";", begin_) + 1;
    while (at < body_.size()) {
      const std::size_t stop = index_of(body_, ";", at);
      const Tokens statement = body_.subspan(at, stop - at);
      if (!is_harmless(statement)) {
        const FoundKernel* other = launched_at(at);
        if (other == nullptr) break;
        const std::string reason = follow(*other, at);
        if (!reason.empty()) {
          not_taken(fmt::format("{} is launched behind it ({}), but {}", other->name, line_of(at),
                                reason));
          return body_.size();
        }
        launches_.push_back(at);
      }
      at = stop + 1;
    }
    return at;
  }

  const FoundKernel* launched_at(std::size_t at) const {
    const bool is_launch =
        at + 1 < body_.size() && (body_[at + 1].is("<<<") || body_[at + 1].is("<"));
    if (!is_launch) return nullptr;
    const auto found = std::ranges::find_if(c_.source.kernels, [&](const FoundKernel& one) {
      return body_[at].is(last_name(one.name));
    });
    return found == c_.source.kernels.end() ? nullptr : &*found;
  }

  void say_other_launches(std::size_t from) {
    for (std::size_t at = from; at < body_.size(); ++at) {
      const FoundKernel* other = launched_at(at);
      if (other == nullptr || other->name == c_.kernel.name) continue;
      not_taken(
          fmt::format("{} is launched later in the same function ({}), with other code between",
                      other->name, line_of(at)));
      return;
    }
  }

  // Why it cannot be drafted; empty: the plan has it now.
  std::string follow(const FoundKernel& other, std::size_t at) {
    const auto hint = launch_of(c_.source, other);
    if (!hint || hint->place != line_of(at) || hint->arguments.size() != other.arguments.size()) {
      return "it is launched elsewhere, too";
    }
    if (other.name == c_.kernel.name) return "a kernel twice in a row is beyond this draft";
    DraftPlan two;
    try {
      two = draft_other_(other);
    } catch (const InputError&) {
      return "no study can give what it takes";
    }
    if (two.remarks.contains("grid") || two.remarks.contains("block")) {
      return "its grid or block is beyond this draft";
    }
    if (auto differs = why_not_together(two); !differs.empty()) return differs;
    DraftPlan merged = c_.plan;
    auto names = of_host_;
    bool shares = false;
    DraftedLaunch launch{two.entry, two.block, two.grid, two.shared, {}};
    for (std::size_t i = 0; i < two.arguments.size(); ++i) {
      const DraftedArgument& one = two.arguments[i];
      const std::string host = flat(hint->arguments[i]);
      if (const auto known = names.find(host); known != names.end()) {
        DraftedArgument& own = *find_drafted(merged, known->second);
        if (own.type != one.type || own.shape != one.shape) return mismatch(own.name);
        shares = shares || one.is_buffer();
        if (!one.role.empty()) make_written(merged, own);
        launch.arguments.push_back(own.name);
        continue;
      }
      if (find_drafted(merged, one.name) != nullptr) {
        return "it calls something else '" + one.name + "'";
      }
      merged.arguments.push_back(one);
      names[host] = one.name;
      launch.arguments.push_back(one.name);
      const auto output =
          std::ranges::find(two.outputs, one.name, &std::pair<std::string, std::string>::first);
      if (output != two.outputs.end()) merged.outputs.push_back(*output);
    }
    if (!shares) return "it has none of its buffers";
    if (merged.launch_arguments.empty()) {
      for (const FoundArgument& one : c_.kernel.arguments) {
        merged.launch_arguments.push_back(one.name);
      }
    }
    merged.then.push_back(std::move(launch));
    merged.found.push_back(fmt::format("{} behind it in {}", other.name, line_of(at)));
    c_.plan = std::move(merged);
    of_host_ = std::move(names);
    passed_.insert(passed_.end(), hint->arguments.begin(), hint->arguments.end());
    return {};
  }

  static std::string mismatch(const std::string& name) {
    return "it takes '" + name + "' in another form";
  }

  // Everything that its texts name has to mean the same here.
  std::string why_not_together(const DraftPlan& two) const {
    for (const auto& extent : two.extents) {
      if (std::ranges::find(c_.plan.extents, extent) == c_.plan.extents.end()) {
        return "it has an extent of its own, '" + extent.first + "'";
      }
    }
    for (const DraftedParameter& one : two.parameters) {
      const DraftedParameter* own = c_.plan.parameter(one.name);
      if (own == nullptr || own->present != one.present) {
        return "it has a parameter of its own, '" + one.name + "'";
      }
    }
    for (const DraftedArgument& one : two.constants) {
      if (std::ranges::find(c_.plan.constants, one.name, &DraftedArgument::name) ==
          c_.plan.constants.end()) {
        return "it has a constant of its own, '" + one.name + "'";
      }
    }
    return two.types.size() > c_.plan.types.size() || !two.buffers.empty()
               ? "it takes structs or textures"
               : "";
  }

  // ---- the loop around them -----------------------------------------------------------------

  struct Loop {
    std::size_t begin = 0;  // "for"
    Tokens header;
    std::size_t open = 0, close = 0;  // braces
  };

  std::optional<Loop> loop_around() const {
    std::vector<std::size_t> open;
    for (std::size_t at = 0; at < begin_; ++at) {
      if (body_[at].is("{")) open.push_back(at);
      if (body_[at].is("}") && !open.empty()) open.pop_back();
    }
    for (std::size_t at = 0; at + 1 < begin_ && !open.empty(); ++at) {
      if (!body_[at].is("for") || !body_[at + 1].is("(")) continue;
      const std::size_t behind = behind_closing(body_, at + 1);
      if (behind != open.back()) continue;
      return Loop{at, inside(body_, at + 1), behind, behind_closing(body_, behind) - 1};
    }
    return std::nullopt;
  }

  // "a" and "b" of "std::swap(a, b)"; of "t = a; a = b; b = t" with the two statements behind it.
  std::optional<std::pair<std::string, std::string>> swapped(const std::vector<Tokens>& statements,
                                                             std::size_t& i) const {
    const Tokens one = statements[i];
    const std::string text = flat(one);
    for (const std::string_view name : {"std::swap(", "swap("}) {
      if (!text.starts_with(name) || !text.ends_with(")")) continue;
      const auto pieces = items(one, index_of(one, "("));
      if (pieces.size() == 2) return std::pair{flat(pieces[0]), flat(pieces[1])};
    }
    if (i + 2 >= statements.size()) return std::nullopt;
    const auto sides = [](Tokens statement) {
      const Tokens value = part_behind(statement, "=");
      return std::pair{value.empty() ? Tokens() : part_before(statement, "="), value};
    };
    const auto [first, a] = sides(one);
    const auto [second, b] = sides(statements[i + 1]);
    const auto [third, back] = sides(statements[i + 2]);
    if (first.empty() || second.empty() || third.empty()) return std::nullopt;
    const bool is_swap = flat(second) == flat(a) && flat(third) == flat(b) &&
                         flat(back) == std::string(first.back().text);
    if (!is_swap) return std::nullopt;
    i += 2;
    return std::pair{flat(a), flat(b)};
  }

  // Names of the buffers that are passed as `a` and `b`, or as "x[a]" and "x[b]".
  std::optional<std::pair<std::string, std::string>> buffers_of(const std::string& a,
                                                                const std::string& b) const {
    for (const auto& [host, name] : of_host_) {
      std::string other = host == a ? b : "";
      if (host.ends_with("[" + a + "]")) {
        other = host.substr(0, host.size() - a.size() - 1) + b + "]";
      }
      const auto found = of_host_.find(other);
      if (!other.empty() && found != of_host_.end()) return std::pair{name, found->second};
    }
    return std::nullopt;
  }

  // "for (int i = 0; i < n; ++i)": i, and what n is here.
  std::optional<std::pair<std::string, double>> rounds_of(Tokens header) const {
    const Tokens begin = part_before(header, ";"), rest = part_behind(header, ";");
    const Tokens condition = part_before(rest, ";");
    if (begin.size() < 3 || condition.size() < 3) return std::nullopt;
    const std::string name(condition[0].text), step = flat(part_behind(rest, ";"));
    const bool is_plain = flat(begin.last(3)) == name + "=0" && condition[1].is("<") &&
                          (step == name + "++" || step == "++" + name || step == name + "+=1");
    if (!is_plain) return std::nullopt;
    const auto text = c_.in_study(condition.subspan(2));
    const auto value = text ? c_.value_of(*text) : std::nullopt;
    return std::pair{name, value && *value >= 1 ? *value : 0};
  }

  void take_loop() {
    const auto loop = loop_around();
    if (!loop) return;
    const std::string where = "the loop around it (" + line_of(loop->begin) + ") ";
    std::vector<Tokens> rest;  // but for the launches
    for (std::size_t at = loop->open + 1; at < loop->close;) {
      const std::size_t stop = std::min(index_of(body_, ";", at), loop->close);
      const bool is_launch = std::ranges::find(launches_, at) != launches_.end();
      const Tokens statement = body_.subspan(at, stop - at);
      if (!is_launch && !is_harmless(statement)) rest.push_back(statement);
      at = stop + 1;
    }
    std::vector<std::pair<std::string, std::string>> pairs;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const auto names = swapped(rest, i);
      if (!names) return not_taken(where + "does more than launch and swap");
      const auto buffers = buffers_of(names->first, names->second);
      if (!buffers) return not_taken(where + "swaps what is not passed");
      pairs.push_back(*buffers);
    }
    if (pairs.empty()) return not_taken(where + "launches it on the same buffers");
    const auto rounds = rounds_of(loop->header);
    if (!rounds) return not_taken(where + "does not count from 0 by 1");
    const bool varies = std::ranges::any_of(
        passed_, [&](Tokens passed) { return mentions(passed, rounds->first); });
    if (varies) return not_taken(where + "passes '" + rounds->first + "'");
    repeat(pairs, rounds->second, where);
  }

  void repeat(const std::vector<std::pair<std::string, std::string>>& pairs, double rounds,
              const std::string& where) {
    for (const auto& [a, b] : pairs) {
      const DraftedArgument &one = *find_drafted(c_.plan, a), &other = *find_drafted(c_.plan, b);
      if (one.type == other.type && one.shape == other.shape) continue;
      const char* key = one.type == other.type ? "shape" : "type";
      return not_taken(
          fmt::format("{}swaps '{}' and '{}', whose {}s differ here", where, a, b, key));
    }
    for (const auto& [a, b] : pairs) {
      make_written(c_.plan, *find_drafted(c_.plan, a));
      make_written(c_.plan, *find_drafted(c_.plan, b));
    }
    c_.plan.swap = pairs;
    const auto most = static_cast<double>(kMostRounds);
    c_.plan.repeat = std::to_string(rounds >= 1 ? static_cast<std::int64_t>(std::min(rounds, most))
                                                : kMostRounds);
    c_.plan.remarks["repeat"] = where + (rounds > most ? fmt::format("makes {} rounds", rounds)
                                         : rounds >= 1 ? "makes as many"
                                                       : "does not say how many rounds there are");
    c_.plan.found.push_back(where + "swaps buffers");
  }

  DraftContext& c_;
  const DraftOther& draft_other_;
  Tokens body_;
  std::size_t begin_ = 0;
  std::vector<std::size_t> launches_;           // where those that are taken begin
  std::map<std::string, std::string> of_host_;  // arguments by what the host code passes
  std::vector<Tokens> passed_;
};

}  // namespace

void draft_sequence(DraftContext& context, const DraftOther& draft_other) {
  Sequence(context, draft_other).take();
}

}  // namespace tuner
