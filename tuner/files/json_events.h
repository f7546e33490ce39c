#pragma once
// A JSON text one result after the other, for files that are too large to be held as a document.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "tuner/base/error.h"

namespace tuner {

// Receiver of a document's members. Nulls and binary values are not passed on.
class JsonListener {
 public:
  virtual ~JsonListener() = default;
  // Whether the items of this member, an object or array that begins, are passed one by one.
  virtual bool is_list(const std::string& member) = 0;
  // One of them, whole; `name` is empty in an array.
  virtual void item(const std::string& name, const nlohmann::ordered_json& value) = 0;
  virtual void member(const std::string& name, const nlohmann::ordered_json& value) = 0;
};

// Makes what other tuners write into JSON: NaN and Infinity become empty texts, a cut-off number at
// the end is dropped. Everything else keeps its place.
void repair_json(std::string& text);

// Place where a text ends too early, and whether it is within an item.
struct EarlyEnd {
  Position where;
  bool in_item = false;
};

// Reads a text and passes its members to the listener. Empty when the text is whole; else all
// complete members were passed. Throws InputError for text that is no JSON or too deep; `name` is
// for messages.
std::optional<EarlyEnd> read_json_events(const std::string& text, const std::string& name,
                                         JsonListener& listener);

}  // namespace tuner
