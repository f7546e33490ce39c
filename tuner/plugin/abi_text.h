#pragma once
// The host's side of the texts, options and resources of abi.h.

#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/artifact.h"
#include "tuner/model/study.h"
#include "tuner/plugin/abi.h"

namespace tuner {

inline tuner_str to_abi(std::string_view text) { return {text.data(), text.size()}; }
inline std::string from_abi(tuner_str text) {
  return text.size == 0 ? std::string() : std::string(text.data, text.size);
}
inline std::string from_abi(const char* text) { return text == nullptr ? "" : text; }

inline Resources from_abi(const tuner_resources& from) {
  return {from.registers,   from.static_shared_bytes, from.constant_bytes,
          from.local_bytes, from.spill_bytes,         from.max_threads};
}

// Views of `options`.
inline std::vector<tuner_pair> abi_pairs(const OptionList& options) {
  std::vector<tuner_pair> pairs;
  for (const OptionValue& one : options) pairs.push_back({to_abi(one.name), to_abi(one.value)});
  return pairs;
}

// Collects what a plugin emits. Out of memory ends the program rather than crossing the boundary.
class StringSink {
 public:
  tuner_sink sink() {
    return {this, [](void* self, const void* data, std::size_t size) noexcept {
              static_cast<StringSink*>(self)->text.append(static_cast<const char*>(data), size);
            }};
  }
  std::string text;
};

}  // namespace tuner
