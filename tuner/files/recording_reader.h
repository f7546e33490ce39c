#pragma once
// Reads recordings of other tuners: Kernel Tuner caches (also ones that are still being written)
// and T4 results, plain or gzipped.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tuner/files/recording.h"

namespace tuner {

// Parameters keep the file's order; where the file does not list their values (T4), these are
// collected from the results, numbers ascending. Of a configuration recorded twice the later entry
// counts, as when the file is read as a map. A file that ends too early yields its complete entries
// and a note. Throws InputError for anything else that is wrong (position, what was expected), and
// FatalError when the file cannot be read. Without an objective it is the one that a T4 file of
// this program is ranked by, else the time.
Recording read_recording(const std::filesystem::path& path, const std::string& objective = {});

// Reads a recording as read_recording() does, from text in memory; `name` is for messages.
Recording parse_recording(std::string text, const std::string& name,
                          const std::string& objective = {});

class RecordingBuilder {
 public:
  explicit RecordingBuilder(Recording& recording) : recording_(&recording) {}

  // The domains, when the file lists them; without, values are collected from the entries.
  void set_parameters(const std::vector<Parameter>& parameters);
  bool domains_known() const { return domains_known_; }

  void begin_entry(std::string label);
  // False when `name` is no parameter (and can be none: the domains are known).
  bool parameter(std::string_view name, const Value& value);
  // The first reason that the file gives counts.
  void failed(TrialState state) {
    if (entry_.state == TrialState::kOk) entry_.state = state;
  }
  // A time that is none is refused when the entry ends without a reason why it failed; so are
  // samples.
  void objective(double value);
  // Whether a figure is what tuners write for "failed".
  static bool is_failure(double value, bool timed);
  // A number that the entry has, for the message when no entry has the objective.
  void quantity(const std::string& name);
  // Adds a part of the time that the entry took; what is no time is left out.
  void compile_milliseconds(double value);
  void benchmark_milliseconds(double value);
  void verification_milliseconds(double value);
  void sample(double milliseconds);
  void end_entry();
  // Sorts collected domains and settles duplicates.
  void finish();
  // Refuses a recording of which every result that is no failure lacks the objective.
  void require_objective() const;

 private:
  struct Domain {
    std::unordered_map<std::int64_t, std::uint32_t> integers;
    std::vector<std::uint32_t> others;  // positions of values that are no whole numbers
  };

  std::size_t parameter_named(std::string_view name);
  std::uint32_t position_of(std::size_t parameter, const Value& value);
  std::uint32_t add_value(std::size_t parameter, const Value& value);
  void sort_domains();
  void drop_duplicates();
  [[noreturn]] void reject(const std::string& what) const;

  Recording* recording_;
  bool domains_known_ = false;
  std::vector<Domain> domains_;
  std::string label_;
  std::string wrong_;        // what is wrong with the entry's times
  std::size_t lacking_ = 0;  // entries without a reason for it
  bool any_objective_ = false;
  std::vector<std::string> quantities_;
  RecordedTrial entry_;
  std::vector<std::uint32_t> positions_;  // of the entry at hand
};

}  // namespace tuner
