#pragma once
// CSV after RFC 4180, written and read; and the ranked CSV, for people and spreadsheets.

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/model/ranked_results.h"
#include "tuner/model/study.h"
#include "tuner/space/parameter.h"

namespace tuner {

// The text as a field: quoted where it must be.
std::string csv_field(std::string_view text);

// The parameters' names, and a configuration's values, without the end of the line.
std::string csv_header(const std::vector<Parameter>& parameters);
std::string csv_row(const Configuration& configuration);

// The rows of a file, of which the first names the columns.
class CsvTable {
 public:
  CsvTable(std::string file, std::string content);

  const std::string& file() const { return file_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }
  bool has(std::string_view column) const { return columns_.contains(column); }

  // Throws InputError for a row that ends before the column, which is there.
  const std::string& text(std::size_t row, std::string_view column) const;
  // Null where there is no such column, or nothing in it.
  const std::string* known(std::size_t row, std::string_view column) const;
  // Throws InputError where it is no finite number.
  double number(std::size_t row, std::string_view column) const;

  // The complaint names the place where the field begins.
  [[noreturn]] void reject_at(std::size_t row, std::size_t column, const std::string& reason) const;
  [[noreturn]] void reject_at(std::size_t row, std::string_view column,
                              const std::string& reason) const;

 private:
  std::string file_, content_;
  std::vector<std::vector<std::string>> rows_;
  std::map<std::string, std::size_t, std::less<>> columns_;
};

// One line for each trial, best first, failures after the ranked:
//   rank,state,<parameters>,<dimensions>,time_ms,ci_low_ms,ci_high_ms,min_ms,samples,basis,
//   search_ms,final_ms,final_ci_low_ms,final_ci_high_ms,<metrics>,tie,registers,static_shared_bytes,dynamic_shared_bytes,spill_bytes,occupancy,compile_ms,cache_hit,
//   max_error,message,verified
// `search_ms` with the interval, the minimum and the samples behind `time_ms` is what the search
// measured, `final_ms` with its interval what the final did; `time_ms` and the metrics are of the
// final where there is one, and `basis` says so.
// `verified` (of the ranked: true, false) says whether the study compares their answers with right
// ones. Where there is a baseline `speedup` stands behind the metrics: how many times as good as
// it. With several objectives `front` (true, false) stands before `tie`. What is not known is
// empty; times of failures too. `parameters` are the names of the values in Trial::configuration.
// Quoted after RFC 4180, lines end with "\n".
std::string ranked_csv(const RankedResults& results, std::span<const std::string> parameters);

// Reads such a table back, whose trials keep its order as their index: device, date and compiler,
// which it does not tell, are the caller's to say. A row whose configuration the study does not
// have on the device (any more) is left out, with a word about it in `notes`. Throws InputError for
// rankings of another study.
RankedResults read_ranked_csv(const CsvTable& table, const Study& study, const DeviceFacts& device,
                              std::vector<std::string>& notes);

}  // namespace tuner
