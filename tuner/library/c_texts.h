#pragma once
// Texts and errors as C has them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "tuner/library/tuner.h"

namespace libtuner::c {

inline std::string text_of(const char* text) { return text == nullptr ? "" : text; }

// The object as text, written by hand: ask() is called as often as an application measures, and a
// tree in between would take longer than the search. Names of parameters are identifiers.
inline std::string json_of(const Configuration& configuration) {
  std::string out = "{";
  for (const auto& [name, value] : configuration) {
    out += out.size() == 1 ? "\"" : ",\"";
    out += name;
    out += "\":";
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      out += std::to_string(*number);
    } else {
      std::visit([&out](const auto& plain) { out += nlohmann::json(plain).dump(); }, value);
    }
  }
  return out += '}';
}

inline std::string json_of(const Trial& trial) {
  return nlohmann::ordered_json{
      {"configuration", nlohmann::ordered_json::parse(json_of(trial.configuration))},
      {"state", trial.state},
      {"time_ms", trial.time_ms},
      {"objective", trial.objective},
      {"message", trial.message}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// False where there is no room.
inline bool put(std::string_view text, char* out, std::size_t room) {
  if (out == nullptr || text.size() + 1 > room) return false;
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return true;
}

inline void put_cut(std::string_view text, char* out, std::size_t room) {
  if (room > 0) put(text.substr(0, std::min(text.size(), room - 1)), out, room);
}

// A pointer that a function cannot do without, and the name that tuner_c.h gives it.
struct Needed {
  template <typename Pointee>
  Needed(Pointee* pointer, const char* its_name) : name(its_name), is_null(pointer == nullptr) {}
  const char* name;
  bool is_null;
};

// What `body` returns; -1 with the reason when it throws, or when something needed is null.
template <typename Body>
int guarded(char* error, std::size_t error_room, std::initializer_list<Needed> all_needed,
            Body&& body) noexcept {
  try {
    for (const Needed& one : all_needed) {
      if (one.is_null) throw Error("'" + std::string(one.name) + "' is null");
    }
    return body();
  } catch (const std::exception& thrown) {
    put_cut(thrown.what(), error, error_room);
  } catch (...) {
    put_cut("something that is no exception was thrown", error, error_room);
  }
  return -1;
}

}  // namespace libtuner::c
