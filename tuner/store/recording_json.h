#pragma once
// The JSON of recordings as a stream of events: the files are large and only a few of their fields
// matter.

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/store/recording.h"
#include "tuner/store/recording_builder.h"

namespace tuner {

class RecordingJson : public nlohmann::json_sax<nlohmann::json> {
 public:
  // `by_itself`: whether the file may say what its objective is.
  RecordingJson(Recording& recording, const std::string& text, bool by_itself)
      : recording_(recording), text_(text), by_itself_(by_itself) {}

  // One pass over the text. A cache that stands before the lists of parameters is left out in the
  // first pass and read by a second one.
  void read();

  bool null() override { return true; }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(number_integer_t value) override { return scalar(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) {
      return scalar(static_cast<double>(value));
    }
    return scalar(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return scalar(value); }
  bool string(string_t& value) override { return scalar(std::move(value)); }
  bool binary(binary_t&) override { return true; }

  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override;
  bool parse_error(std::size_t offset, const std::string&,
                   const nlohmann::json::exception& reason) override;

 private:
  enum class Section {
    kUnknown,
    kDevice,
    kKernel,
    kKeys,
    kParameters,
    kCache,
    kMetadata,
    kResults
  };
  static constexpr std::size_t kMaxDepth = 5;

  const std::string& key_at(std::size_t depth) const { return keys_at_[depth]; }
  bool open();
  bool close();
  bool scalar(Value value);
  void cache_field(Value value);
  void result_field(Value value);
  bool is_cost(const std::string& name);
  void metadata(const Value& value);
  void measurement(Value value);
  void define_parameters();
  void measured(const Value& value);
  bool at_entry() const {
    return depth_ == 3 && (section_ == Section::kCache || section_ == Section::kResults);
  }
  void complain_no_results() const;
  Complaint complaint_at(std::size_t offset, const std::string& message) const;

  Recording& recording_;
  const std::string& text_;
  bool by_itself_;
  RecordingBuilder builder_{recording_};
  Section section_ = Section::kUnknown;
  std::size_t depth_ = 0;  // open objects and arrays
  std::array<std::string, kMaxDepth + 1> keys_at_;
  std::vector<std::string> keys_;  // tune_params_keys
  std::vector<Parameter> domains_;
  bool cache_came_first_ = false;
  bool seen_results_ = false;
  bool in_entry_ = false;
  std::size_t results_ = 0;
  double to_milliseconds_ = 1;  // T4's unit of time
  bool compilation_seen_ = false;
  std::string measurement_name_;
  Value measurement_value_;
};

}  // namespace tuner
