#pragma once
// How messages cross the socket pair: an 8-byte header (magic, length, both little endian) and a
// CBOR document, in which the nouns of model/ are JSON. The other side is our own program, yet a
// variant may have corrupted its memory: everything is checked. from_json throws nlohmann's
// exceptions on anything missing or of the wrong type, and ProtocolError on a value that has no
// meaning: callers treat a worker that sends such a thing as one that crashed.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/model/plan.h"

namespace tuner {

class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::uint32_t kFrameMagic = 0x46524E54;  // "TNRF"
inline constexpr std::size_t kMaxFrameBytes = std::size_t{512} << 20;

std::string encode_frame(const nlohmann::json& message);

// Collects bytes as they come and hands out whole messages.
class FrameReader {
 public:
  void feed(const char* data, std::size_t size);
  // The next whole message, or empty. Throws ProtocolError on anything malformed.
  std::optional<nlohmann::json> next();

 private:
  std::string buffer_;
  std::size_t start_ = 0;
};

// Blocking, for children. Returns empty at end of file.
std::optional<nlohmann::json> receive(int fd, FrameReader& reader);
// Blocking. False when the other side is gone.
bool send(int fd, const nlohmann::json& message);

// A member that is a text; empty when it is not there or something else. Never throws.
std::string text_in(const nlohmann::json& message, const char* member);
// A member that is true; false when it is not there or something else. Never throws.
bool flag_in(const nlohmann::json& message, const char* member);
// Members of a list that are texts; a worker may have been scribbled over. Never throws.
std::vector<std::string> texts_in(const nlohmann::json& message, const char* member);
// Whether a final's samples can be that: as many times of each finalist, and of no more rounds than
// there were to be; or a value of each counter.
bool is_plausible(const std::vector<std::vector<double>>& samples, std::size_t finalists,
                  const FinalPlan& plan);

// A time; 0 when it is not there or something else. Never throws.
double time_in(const nlohmann::json& message, const char* member);

// Each has its to_json() and from_json().
#define TUNER_WIRE_NOUNS(ROW) \
  ROW(CompileRequest)         \
  ROW(Artifact)               \
  ROW(CompileFailure)         \
  ROW(DeviceFacts) ROW(LaunchGeometry) ROW(SizePlan) ROW(VariantPlan) ROW(FinalPlan) ROW(Verdict)

// NOLINTBEGIN(bugprone-macro-parentheses): a type cannot be in parentheses
#define TUNER_DECLARE_WIRE_NOUN(Noun)                \
  void to_json(nlohmann::json& j, const Noun& noun); \
  void from_json(const nlohmann::json& j, Noun& noun);
// NOLINTEND(bugprone-macro-parentheses)
TUNER_WIRE_NOUNS(TUNER_DECLARE_WIRE_NOUN)

}  // namespace tuner
