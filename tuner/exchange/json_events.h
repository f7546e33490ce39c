#pragma once
// A JSON text as a stream of events, for files that are large and of which only a few fields
// matter.

#include <array>
#include <optional>
#include <string>

#include "tuner/base/error.h"
#include "tuner/expression/value.h"

namespace tuner {

// Where in the document an event happens.
struct JsonPlace {
  static constexpr std::size_t kMostKeys = 5;
  std::size_t depth = 0;  // open objects and arrays
  std::array<std::string, kMostKeys + 1>
      keys{};  // the latest name at each depth; deeper ones are not kept
};

// What wants to hear of a document. null and binary values are not told.
class JsonListener {
 public:
  virtual ~JsonListener() = default;
  virtual void named(const JsonPlace& at) = 0;   // a name was read; what follows is its value
  virtual void opened(const JsonPlace& at) = 0;  // an object or array, which counts in `depth`
  virtual void closed(const JsonPlace& at) = 0;  // the same, while it still counts
  virtual void scalar(const JsonPlace& at, Value value) = 0;
};

// Makes what other tuners write into JSON: NaN and Infinity become empty texts, a cut-off number at
// the end is dropped. Everything else keeps its place.
void repair_json(std::string& text);

// Empty when the text is whole. Of one that ends too early it tells where, after all events before.
// Throws InputError for text that is no JSON or too deep; `name` is for messages.
std::optional<Position> read_json_events(const std::string& text, const std::string& name,
                                         JsonListener& listener);

}  // namespace tuner
