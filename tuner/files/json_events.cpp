// Reads JSON, also such as other tuners write, and reports its contents value by value.

#include "tuner/files/json_events.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace tuner {
namespace {

constexpr std::size_t kMostLevels = 64;

// Python writes NaN and Infinity, which JSON does not know. An empty string of the same length
// takes their place: as a measurement it counts as "failed", anywhere else it is not looked at.
void replace_python_constants(std::string& text) {
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      if (c == '\\') ++i;
    } else if (c == 'N' || c == 'I') {
      const std::string_view word = c == 'N' ? "NaN" : "Infinity";
      if (text.compare(i, word.size(), word) != 0) continue;
      const std::size_t from = c == 'I' && i > 0 && text[i - 1] == '-' ? i - 1 : i;
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(from),
                text.begin() + static_cast<std::ptrdiff_t>(i + word.size()), ' ');
      text[from] = text[from + 1] = '"';
      i += word.size() - 1;
    }
  }
}

// White space, and the first digits of a number that was cut off and would read as another number.
void trim_torn_end(std::string& text) {
  while (!text.empty()) {
    const auto last = static_cast<unsigned char>(text.back());
    const bool of_number = std::isalnum(last) != 0 || last == '.' || last == '-' || last == '+';
    if (std::isspace(last) == 0 && !of_number) break;
    text.pop_back();
  }
}

using Json = nlohmann::ordered_json;

class Events : public nlohmann::json_sax<Json> {
 public:
  Events(const std::string& text, const std::string& name, JsonListener& listener)
      : text_(text), name_(name), listener_(listener) {}

  bool null() override { return true; }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return true; }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    open_.back().key.swap(name);
    return true;
  }

  bool parse_error(std::size_t offset, const std::string&,
                   const nlohmann::json::exception& reason) override {
    const Position where = position_of(offset);
    if (offset > text_.size() && !open_.empty()) {
      end = EarlyEnd{where, has_items_ && open_.size() > 2};
      return false;
    }
    std::string why = reason.what();
    const auto colon = why.find(": ");
    if (colon != std::string::npos) why = why.substr(colon + 2);
    if (why.starts_with("[json.")) why.erase(0, why.find("] ") + 2);
    throw InputError(Complaint{where, "is not JSON here: " + why, ""});
  }

  std::optional<EarlyEnd> end;

 private:
  // An object or array that has begun.
  struct Level {
    Json value;
    std::string key{};  // the latest, of an object
  };

  bool open(Json empty) {
    if (open_.size() == kMostLevels) {
      reject(name_, "is nested deeper than a recording may be, " + std::to_string(kMostLevels) +
                        " levels");
    }
    if (open_.size() == 1) has_items_ = listener_.is_list(open_.back().key);
    open_.push_back({std::move(empty)});
    return true;
  }
  bool close() {
    Json whole = std::move(open_.back().value);
    open_.pop_back();
    return open_.empty() || put(std::move(whole));
  }
  bool put(Json value) {
    if (open_.empty()) return true;
    Level& around = open_.back();
    if (open_.size() == 1) {
      listener_.member(around.key, value);
    } else if (open_.size() == 2 && has_items_) {
      listener_.item(around.key, value);
    } else if (around.value.is_array()) {
      around.value.push_back(std::move(value));
    } else {
      // At its end, without a look for an earlier one of this name: there may be very many.
      around.value.get_ref<Json::object_t&>().emplace_back(around.key, std::move(value));
    }
    return true;
  }

  Position position_of(std::size_t offset) const {
    const std::string_view before =
        std::string_view(text_).substr(0, std::min(offset, text_.size()));
    const auto line = std::ranges::count(before, '\n');
    const auto start = before.rfind('\n');
    const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1);
    return {name_, static_cast<int>(line) + 1, static_cast<int>(column)};
  }

  const std::string& text_;
  const std::string& name_;
  JsonListener& listener_;
  std::vector<Level> open_;
  bool has_items_ = false;  // the member that is read
};

}  // namespace

void repair_json(std::string& text) {
  trim_torn_end(text);
  replace_python_constants(text);
}

std::optional<EarlyEnd> read_json_events(const std::string& text, const std::string& name,
                                         JsonListener& listener) {
  Events events(text, name, listener);
  Json::sax_parse(text, &events);
  return events.end;
}

}  // namespace tuner
