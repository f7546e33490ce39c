#pragma once
// The host's side of what abi.h has for every kind of plugin: texts, options, resources, objects.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/base/expected.h"
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

// Whether a table of a plugin's is as long as it should be, with these functions in it.
template <typename Table, typename... Functions>
bool is_whole(const Table& table, Functions*... functions) {
  return table.struct_size >= sizeof table && ((functions != nullptr) && ...);
}

// An object that a plugin has made, with the functions that serve it. It goes with this.
template <typename Table>
class PluginObject {
 public:
  explicit PluginObject(const Table& table) : table_(table) {}
  PluginObject(PluginObject&& other) noexcept : table_(std::exchange(other.table_, {})) {}
  PluginObject& operator=(PluginObject&&) = delete;
  ~PluginObject() {
    if (table_.destroy != nullptr) table_.destroy(table_.self);
  }

  const Table* operator->() const { return &table_; }
  const Table& operator*() const { return table_; }

 private:
  Table table_;
};

// Returns the object that create(table, error) makes, or its reason why not.
template <typename Table, typename Create>
Expected<PluginObject<Table>, std::string> made_by(const Create& create) {
  Table table{};
  table.struct_size = sizeof table;
  StringSink error;
  if (create(&table, error.sink()) != TUNER_OK) return Unexpected{std::move(error.text)};
  return PluginObject<Table>(table);
}

// Calls a function of a plugin's table. Its reason when it fails.
template <typename Function, typename... Arguments>
std::optional<std::string> failure_of(Function* function, void* self, Arguments... arguments) {
  StringSink error;
  if (function(self, arguments..., error.sink()) == TUNER_OK) return std::nullopt;
  return std::move(error.text);
}

}  // namespace tuner
