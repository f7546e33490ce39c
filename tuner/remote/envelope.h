#pragma once
// What ranks say to each other: about which worker, and what. Frames of workers travel as they are.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tuner {

enum class Topic : std::uint8_t {
  kWelcome,  // to a rank: tell of yourself {plugin_dirs, files: SharedFiles}
  kFacts,    // from it: RankFacts
  kStart,    // a worker {role}
  kBytes,    // of frames, to a worker or from it
  kKill,     // a worker
  kClear,    // what a worker has printed until now
  kEnded,    // a worker has {how, from_outside, tail}
  kAlive,    // nothing else was to be said for a while
  kFinish,   // to a rank: end all that is left
  kDone,     // from it: that is done
  kLeave,    // to a rank: all ranks leave now {all}
};

struct Envelope {
  Topic topic = Topic::kAlive;
  std::uint32_t worker = 0;  // 0: none
  std::string body;
};

std::string sealed(const Envelope& envelope);
// Throws ProtocolError on anything malformed.
Envelope unsealed(const std::string& bytes);

// A body that is a document.
std::string body_of(const nlohmann::json& document);
// Throws ProtocolError on anything malformed.
nlohmann::json document_of(const Envelope& envelope);

}  // namespace tuner
