// Writes and checks the frames in which messages cross the socket; the field lists of the nouns
// that only the wire knows, and all of them as JSON.

#include "tuner/worker/messages.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tuner/model/json.h"

namespace tuner {

namespace {

constexpr std::size_t kHeaderBytes = 8;

void put_u32(std::string& out, std::uint32_t word) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((word >> shift) & 0xFF);
}

std::uint32_t get_u32(const char* at) {
  std::uint32_t word = 0;
  for (unsigned i = 0; i < 4; ++i) {
    word |= static_cast<std::uint32_t>(static_cast<unsigned char>(at[i])) << (8 * i);
  }
  return word;
}

// Whether a document's containers are nested no deeper than honest messages are: the parser goes a
// call deeper for each. What is malformed is left to the parser.
class Nesting {
 public:
  Nesting(const char* begin, std::size_t size) : at_(begin), end_(begin + size) {}

  bool is_shallow() {
    while (at_ < end_) {
      while (depth_ > 0 && left_[depth_ - 1] == 0) --depth_;
      if (!item()) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint64_t kOpenEnd = ~std::uint64_t{0};  // until a "break"
  static constexpr std::size_t kDeepest = 64;

  // One data item's head, and the bytes of a string (RFC 8949, section 3).
  bool item() {
    const auto head = static_cast<unsigned char>(*at_++);
    if (head == 0xFF) {
      if (depth_ > 0) --depth_;
      return true;
    }
    if (depth_ > 0 && left_[depth_ - 1] != kOpenEnd) --left_[depth_ - 1];
    const std::uint64_t count = argument(head & 31U);
    const unsigned kind = head >> 5U;
    const bool text = kind == 2 || kind == 3;
    if (text && count != kOpenEnd) {
      at_ += std::min(count, static_cast<std::uint64_t>(end_ - at_));
      return true;
    }
    if (!text && kind != 4 && kind != 5) return true;
    if (depth_ == kDeepest) return false;
    left_[depth_++] = kind == 5 && count < kOpenEnd / 2 ? 2 * count : count;
    return true;
  }

  std::uint64_t argument(unsigned info) {
    if (info < 24) return info;
    if (info > 27) return kOpenEnd;
    std::uint64_t value = 0;
    for (unsigned i = 0; i < (1U << (info - 24)) && at_ < end_; ++i) {
      value = value << 8U | static_cast<unsigned char>(*at_++);
    }
    return value;
  }

  const char* at_;
  const char* end_;
  std::array<std::uint64_t, kDeepest> left_{};
  std::size_t depth_ = 0;
};

}  // namespace

std::string encode_frame(const nlohmann::json& message) {
  std::string body;
  nlohmann::json::to_cbor(message, body);
  if (body.size() > kMaxFrameBytes) throw ProtocolError("a message is too large to be sent");
  std::string frame;
  frame.reserve(body.size() + kHeaderBytes);
  put_u32(frame, kFrameMagic);
  put_u32(frame, static_cast<std::uint32_t>(body.size()));
  return frame + body;
}

void FrameReader::feed(const char* data, std::size_t size) {
  buffer_.erase(0, start_);
  start_ = 0;
  buffer_.append(data, size);
}

std::optional<nlohmann::json> FrameReader::next() {
  const std::size_t have = buffer_.size() - start_;
  if (have < kHeaderBytes) return std::nullopt;
  const char* head = buffer_.data() + start_;
  if (get_u32(head) != kFrameMagic) throw ProtocolError("a frame begins with the wrong bytes");
  const std::size_t size = get_u32(head + 4);
  if (size > kMaxFrameBytes) throw ProtocolError("a frame claims to be too large");
  if (have < kHeaderBytes + size) return std::nullopt;
  const char* body = head + kHeaderBytes;
  if (!Nesting(body, size).is_shallow()) throw ProtocolError("a message is nested too deep");
  nlohmann::json message;
  try {
    // Told not to throw, it still does so for absurd sizes.
    message = nlohmann::json::from_cbor(body, body + size);
  } catch (const nlohmann::json::exception&) {
  }
  if (!message.is_object()) throw ProtocolError("a frame holds no message");
  start_ += kHeaderBytes + size;
  return message;
}

std::optional<nlohmann::json> receive(int fd, FrameReader& reader) {
  std::vector<char> block(1 << 16);
  for (;;) {
    if (auto message = reader.next()) return message;
    const ssize_t got = ::recv(fd, block.data(), block.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    reader.feed(block.data(), static_cast<std::size_t>(got));
  }
}

bool send(int fd, const nlohmann::json& message) {
  const std::string frame = encode_frame(message);
  std::size_t done = 0;
  while (done < frame.size()) {
    const ssize_t sent = ::send(fd, frame.data() + done, frame.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    done += static_cast<std::size_t>(sent);
  }
  return true;
}

using nlohmann::json;

TUNER_FIELDS(CompileRequest, source, source_name, include_dirs, options, defines, entry, arch,
             symbols, then, units, is_host_function)

TUNER_FIELDS(TensorMap, type, extents, box, swizzle)

TUNER_FIELDS(TensorMapPlan, of, map)

TUNER_FIELDS(FillSpec, kind, a, b, file, offset, sorted, values, formula, names)

TUNER_FIELDS(TextureView, type, lanes, width, height, depth, kind, filter, outside, normalized,
             as_floats)

TUNER_FIELDS(AddressPlan, place, of, offset, texture)

TUNER_FIELDS(MemberPlan, path, offset, type, fill, seed, count, is_poisoned)

TUNER_FIELDS(ArgumentPlan, name, type, is_scalar, scalar, addresses, members, elements, extents,
             role, fill, zero, seed, set, varies, has_special_values, map, address)

// Omits the fields that only ranking needs: the coordinator ranks.
TUNER_FIELDS(MeasureSpec, cache, mode, inputs, min_samples, max_samples, max_milliseconds,
             confidence, precision, drop_above, finalists, power, by_variant)

TUNER_FIELDS(CompareRule, norm, any_order, to_largest, equal_nan)

TUNER_FIELDS(Closeness, rtol, atol, atol_is_share)
TUNER_FIELDS(CheckPlan, argument, rtol, atol, atol_is_share, by_problem, members, how)

TUNER_FIELDS(NextLaunchPlan, name, geometry, arguments)

TUNER_FIELDS(AnswerPlan, key, values, artifact, geometry, arguments, then, rounds, swaps, overrides,
             by_problem, files)

TUNER_FIELDS(ReferencePlan, arguments, answers, seeds, fills)

TUNER_FIELDS(PluginPlan, name, options)

TUNER_FIELDS(ObserverPlan, plugin, metrics)

TUNER_FIELDS(SizePlan, arguments, constants, reference, checks, deterministic, measure, problem,
             extents, observers, has_host_code, limits)

TUNER_FIELDS(VariantPlan, artifact, geometry, arguments, then, rounds, swaps, overrides, answer,
             best_ms, searched_ms, looks_at_kept)

TUNER_FIELDS(FinalPlan, rounds, seed, seconds, fewest, looks_at_each, counters)

template <Is<Verdict> T, typename Visit>
void for_each_field(T& verdict, Visit&& visit) {
  for_each_measured(verdict, visit);
  visit("drift", verdict.drift);
  visit("kept", verdict.kept);
  visit("context_dead", verdict.context_dead);
  visit("device_lost", verdict.device_lost);
  visit("retryable", verdict.retryable);
  visit("is_own", verdict.is_own);
  visit("is_last", verdict.is_last);
}

namespace {

bool may_be(double figure) { return std::isfinite(figure) && figure >= 0; }

// A worker in which a kernel has written may say anything.
bool is_plausible(const Timing& timing) {
  return !timing.samples.empty() && std::ranges::all_of(timing.samples, is_time) &&
         is_time(timing.min) && timing.min <= timing.ci_low && timing.ci_low <= timing.median &&
         timing.median <= timing.ci_high && std::isfinite(timing.ci_high);
}

bool is_plausible(const Resources& resources) {
  constexpr std::int64_t kMostRegisters = 1024;  // of a thread; devices have 255
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;
  const auto fits = [](std::int64_t value, std::int64_t most) {
    return value >= -1 && value <= most;
  };
  return fits(resources.registers, kMostRegisters) && fits(resources.max_threads, kMostBytes) &&
         fits(resources.static_shared_bytes, kMostBytes) &&
         fits(resources.constant_bytes, kMostBytes) && fits(resources.local_bytes, kMostBytes) &&
         fits(resources.spill_bytes, kMostBytes);
}

// Describes an impossible value of a verdict; empty when there is none.
std::string absurdity(const Verdict& verdict) {
  if (verdict.state > TrialState::kDropped) return "an unknown state";
  if (verdict.evidence && static_cast<std::uint32_t>(*verdict.evidence) >= kEvidences) {
    return "unknown evidence";
  }
  if (verdict.kept > Kept::kDamaged) return "an unknown state of what is kept";
  const bool is_timed = is_valid_state(verdict.state);
  if (is_timed && verdict.context_dead) return "a right answer of a dead context";
  if (is_timed && !is_plausible(verdict.timing)) return "times that are none";
  if (!is_plausible(verdict.resources)) return "resources that no kernel has";
  bool are_figures =
      may_be(verdict.watts) && may_be(verdict.drift) && !std::isnan(verdict.max_error);
  for_each_field(verdict.conditions,
                 [&](const char*, double figure) { are_figures = are_figures && may_be(figure); });
  return are_figures ? "" : "figures that are none";
}

}  // namespace

bool is_plausible(const std::vector<std::vector<double>>& samples, std::size_t finalists,
                  const FinalPlan& plan) {
  const std::size_t wanted = plan.counters.size();
  const auto most = static_cast<std::size_t>(std::max(0, plan.rounds));
  return samples.size() == finalists && std::ranges::all_of(samples, [&](const auto& of_one) {
           if (wanted > 0) return of_one.size() == wanted;
           return of_one.size() == samples.front().size() && of_one.size() <= most &&
                  std::ranges::all_of(of_one, is_time);
         });
}

std::string text_in(const json& message, const char* member) {
  const auto found = message.find(member);
  return found != message.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool flag_in(const json& message, const char* member) {
  const auto found = message.find(member);
  return found != message.end() && found->is_boolean() && found->get<bool>();
}

std::vector<std::string> texts_in(const json& answer, const char* member) {
  std::vector<std::string> out;
  const auto list = answer.find(member);
  if (list == answer.end() || !list->is_array()) return out;
  for (const json& one : *list) {
    if (one.is_string()) out.push_back(one.get<std::string>());
  }
  return out;
}

double time_in(const json& answer, const char* member) {
  const auto number = answer.find(member);
  if (number == answer.end() || !number->is_number()) return 0;
  const double time = number->get<double>();
  return std::isfinite(time) && time > 0 ? time : 0;
}

namespace {

template <typename Noun>
void refuse_nonsense(const Noun&) {}

void refuse_nonsense(const Verdict& verdict) {
  const std::string absurd = absurdity(verdict);
  if (!absurd.empty()) throw ProtocolError("a verdict with " + absurd);
}

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot be in parentheses
#define TUNER_DEFINE_WIRE_NOUN(Noun)                                   \
  void to_json(json& j, const Noun& noun) { j = encoded<json>(noun); } \
  void from_json(const json& j, Noun& noun) {                          \
    decode(j, noun);                                                   \
    refuse_nonsense(noun);                                             \
  }
// NOLINTEND(bugprone-macro-parentheses)
TUNER_WIRE_NOUNS(TUNER_DEFINE_WIRE_NOUN)

}  // namespace tuner
