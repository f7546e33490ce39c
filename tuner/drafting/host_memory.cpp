// How much memory the host code gives to what it passes to a kernel.

#include <algorithm>
#include <string>
#include <string_view>

#include "tuner/drafting/launch_hint.h"

namespace tuner {
namespace {

constexpr int kMostStepsBack = 8;  // from what is passed to its allocation

bool allocates(const Token& token) {
  constexpr std::string_view kNoBuffers[] = {"Array", "3D", "Free", "free"};
  return token.is_word() &&
         (token.text.find("alloc") != token.text.npos ||
          token.text.find("Alloc") != token.text.npos) &&
         std::ranges::none_of(kNoBuffers, [&](std::string_view one) {
           return token.text.find(one) != token.text.npos;
         });
}

// "(void**)&p", "&p[i]": p.
bool is_address_of(Tokens tokens, std::string_view name) {
  for (std::size_t at = tokens.size(); at-- > 0;) {
    if (tokens[at].is("]")) {
      while (at > 0 && !tokens[at].is("[")) --at;
      continue;
    }
    if (tokens[at].is(")")) continue;
    return tokens[at].is(name);
  }
  return false;
}

// "cudaMalloc((void**)&p, n)" at `at`.
std::optional<HostMemory> given_by_call(Tokens body, std::size_t at, std::string_view name) {
  if (at + 1 >= body.size() || !allocates(body[at]) || !body[at + 1].is("(")) return std::nullopt;
  const auto pieces = items(body, at + 1);
  if (pieces.size() < 2 || !is_address_of(pieces[0], name)) return std::nullopt;
  const bool has_pitch = body[at].text.find("Pitch") != std::string_view::npos;
  if (has_pitch && pieces.size() < 4) return std::nullopt;
  if (has_pitch) return HostMemory{{pieces[2], pieces[3]}, 0, true, {}};
  return HostMemory{{pieces[1]}, 0, true, {}};
}

// "p = (T*)malloc(n)", "p = new T[n]": at p.
std::optional<HostMemory> given_by_value(Tokens body, std::size_t at) {
  if (at + 2 >= body.size() || !body[at + 1].is("=")) return std::nullopt;
  for (std::size_t i = at + 2; i + 1 < body.size() && !body[i].is(";"); ++i) {
    if (body[i].is("new")) {
      while (i < body.size() && !body[i].is("[") && !body[i].is(";")) ++i;
      if (i >= body.size() || !body[i].is("[")) return std::nullopt;
      return HostMemory{{inside(body, i)}, 0, false, {}};
    }
    if (!allocates(body[i]) || !body[i + 1].is("(")) continue;
    const auto pieces = items(body, i + 1);
    const bool is_of_the_library = body[i].text.find("alloc") == 0 || body[i].is("malloc") ||
                                   body[i].is("calloc") || body[i].is("aligned_alloc");
    if (pieces.empty() || !is_of_the_library) return std::nullopt;
    if (body[i].is("calloc")) return HostMemory{pieces, 0, true, {}};
    return HostMemory{{pieces.back()}, 0, true, {}};
  }
  return std::nullopt;
}

// "vector<T> p(n)" and "T p[n][m]", at p.
std::optional<HostMemory> given_by_declaration(Tokens body, std::size_t at) {
  if (at == 0 || at + 1 >= body.size()) return std::nullopt;
  const bool is_vector = body[at - 1].is(">") && (body[at + 1].is("(") || body[at + 1].is("{"));
  if (is_vector) {
    const auto pieces = items(body, at + 1);
    if (pieces.empty() || mentions(pieces[0], "begin")) return std::nullopt;
    return HostMemory{{pieces[0]}, 0, false, {}};
  }
  if (!body[at - 1].is_word() || body[at - 1].is("return") || !body[at + 1].is("[")) {
    return std::nullopt;
  }
  HostMemory out;
  for (std::size_t open = at + 1; open < body.size() && body[open].is("[");
       open = behind_closing(body, open)) {
    out.factors.push_back(inside(body, open));
    if (out.factors.back().empty()) return std::nullopt;
  }
  return out;
}

class Search {
 public:
  Search(const FoundSource& source, const LaunchHint& hint) : source_(source), hint_(hint) {}

  std::optional<HostMemory> of(Tokens passed, std::size_t frame) const {
    for (int step = 0; step < kMostStepsBack; ++step) {
      std::string name;
      for (std::size_t at = 0; at < passed.size() && name.empty(); ++at) {
        if (may_be_pointer(passed, at)) name = passed[at].text;
      }
      if (name.empty()) return std::nullopt;
      if (auto found = memory_of(name, frame)) return found;
      if (frame >= hint_.frames.size()) return std::nullopt;
      const HostFrame& now = hint_.frames[frame];
      const auto parameter = std::ranges::find(now.parameters, name);
      const auto place = static_cast<std::size_t>(parameter - now.parameters.begin());
      if (place < now.arguments.size()) {
        passed = now.arguments[place];
        ++frame;
      } else if (const Tokens set = set_above(now, name); !set.empty()) {
        passed = set;
      } else {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  // A word that is no type of a cast, no function and no namespace.
  static bool may_be_pointer(Tokens tokens, std::size_t at) {
    if (!tokens[at].is_word() || element_type(std::string(tokens[at].text))) return false;
    if (is_one_of("void const unsigned struct static_cast reinterpret_cast", tokens[at].text)) {
      return false;
    }
    const std::string_view next = at + 1 < tokens.size() ? tokens[at + 1].text : "";
    return next != "(" && next != "::" && next != "<" && next != "*";
  }

  std::optional<HostMemory> memory_of(std::string_view name, std::size_t frame) const {
    const std::size_t frames = hint_.frames.size();
    if (frame < frames) {
      if (auto found = memory_in(hint_.frames[frame].body, name, frame)) return found;
    }
    if (is_parameter(name, frame)) return std::nullopt;
    for (const Declaration& one : source_.declarations) {  // where its names have no meaning here
      if (auto found = memory_in(one.body, name, frames)) return found;
    }
    return std::nullopt;
  }

  bool is_parameter(std::string_view name, std::size_t frame) const {
    return frame < hint_.frames.size() && std::ranges::find(hint_.frames[frame].parameters, name) !=
                                              hint_.frames[frame].parameters.end();
  }

  std::optional<HostMemory> memory_in(Tokens body, std::string_view name, std::size_t frame) const {
    for (std::size_t at = 0; at < body.size(); ++at) {
      auto found = given_by_call(body, at, name);
      if (!found && body[at].is(name)) found = given_by_value(body, at);
      if (!found && body[at].is(name)) found = given_by_declaration(body, at);
      if (!found) continue;
      found->frame = frame_of(body, frame);
      found->place = source_.place_of(body[at]);
      return found;
    }
    return std::nullopt;
  }

  std::size_t frame_of(Tokens body, std::size_t otherwise) const {
    for (std::size_t i = 0; i < hint_.frames.size(); ++i) {
      if (hint_.frames[i].body.data() == body.data()) return i;
    }
    return otherwise;
  }

  const FoundSource& source_;
  const LaunchHint& hint_;
};

}  // namespace

std::optional<HostMemory> host_memory(const FoundSource& source, const LaunchHint& hint,
                                      Tokens passed, std::size_t frame) {
  return Search(source, hint).of(passed, frame);
}

}  // namespace tuner
