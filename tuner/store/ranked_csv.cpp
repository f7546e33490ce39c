// Writes the ranked CSV.

#include "tuner/store/ranked_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>
#include <vector>

#include "tuner/base/atomic_file.h"

namespace tuner {
namespace {

// Compilers' logs are kept whole in the database; a table needs the beginning.
constexpr std::size_t kMessageBytes = 1000;

std::string quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string number(double value) { return fmt::format("{:.7g}", value); }
std::string known(double value) { return std::isnan(value) || value == -1 ? "" : number(value); }
std::string known(std::int64_t value) { return value == -1 ? "" : std::to_string(value); }

std::string shortened(const std::string& message) {
  if (message.size() <= kMessageBytes) return message;
  std::size_t end = kMessageBytes;
  // Not in the middle of a UTF-8 character.
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0U) == 0x80U) --end;
  return message.substr(0, end) + " ...";
}

// Studies give every valid trial the same metrics; a merge of two runs may not.
std::vector<std::string> metric_names(const RankedResults& results) {
  std::vector<std::string> names;
  for (const Trial& trial : results.trials) {
    for (const auto& [name, value] : trial.metrics) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::string metric_of(const Trial& trial, const std::string& name) {
  for (const auto& [metric, value] : trial.metrics) {
    if (metric == name) return number(value);
  }
  return "";
}

class Line {
 public:
  void add(std::string_view field) {
    if (!text_.empty() || fields_ > 0) text_ += ',';
    text_ += quoted(field);
    ++fields_;
  }
  std::string end() { return std::move(text_) + "\n"; }

 private:
  std::string text_;
  int fields_ = 0;
};

std::string header(const RankedResults& results, std::span<const std::string> parameters,
                   const std::vector<std::string>& metrics) {
  Line line;
  for (const char* name : {"rank", "state"}) line.add(name);
  for (const std::string& name : parameters) line.add(name);
  for (const auto& [name, extent] : results.size.dims) line.add(name);
  for (const char* name : {"time_ms", "ci_low_ms", "ci_high_ms", "min_ms", "samples"}) {
    line.add(name);
  }
  for (const std::string& name : metrics) line.add(name);
  if (!results.front.empty()) line.add("front");
  for (const char* name :
       {"tie", "registers", "static_shared_bytes", "dynamic_shared_bytes", "spill_bytes",
        "occupancy", "compile_ms", "cache_hit", "max_error", "message", "verified"}) {
    line.add(name);
  }
  return line.end();
}

std::string row(const RankedResults& results, std::size_t at, std::size_t parameters,
                const std::vector<std::string>& metrics) {
  const Trial& trial = results.trials[at];
  const bool ranked = at < results.ranked;
  Line line;
  line.add(ranked ? std::to_string(at + 1) : "");
  line.add(name_of(trial.state));
  for (std::size_t p = 0; p < parameters; ++p) {
    line.add(p < trial.configuration.size() ? to_text(trial.configuration[p]) : "");
  }
  for (const auto& [name, extent] : results.size.dims) line.add(std::to_string(extent));
  const bool timed = trial.state == TrialState::kOk || trial.state == TrialState::kDropped;
  for (const double time :
       {trial.timing.median, trial.timing.ci_low, trial.timing.ci_high, trial.timing.min}) {
    line.add(timed ? number(time) : "");
  }
  line.add(timed ? std::to_string(sample_count(trial.timing)) : "");
  for (const std::string& name : metrics) line.add(metric_of(trial, name));
  const auto flag = [&](bool value) { return !ranked ? "" : value ? "true" : "false"; };
  if (!results.front.empty()) line.add(flag(ranked && results.front[at]));
  const bool tied = at < results.tied.size() && results.tied[at];
  line.add(flag(tied));
  line.add(known(trial.resources.registers));
  line.add(known(trial.resources.static_shared_bytes));
  line.add(std::to_string(trial.geometry.dynamic_shared_bytes));
  line.add(known(trial.resources.spill_bytes));
  line.add(known(trial.occupancy));
  line.add(number(trial.compile_ms));
  line.add(trial.cache_hit ? "true" : "false");
  line.add(known(trial.max_error));
  line.add(shortened(trial.message));
  line.add(ranked && results.unverified ? (results.unverified->empty() ? "true" : "false") : "");
  return line.end();
}

std::string file_name_of(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool fine = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' ||
                      c == '+' || (c == '.' && !out.empty());
    out += fine ? c : '-';
  }
  return out.empty() ? "unnamed" : out;
}

}  // namespace

std::string ranked_csv(const RankedResults& results, std::span<const std::string> parameters) {
  const std::vector<std::string> metrics = metric_names(results);
  std::string text = header(results, parameters, metrics);
  for (std::size_t i = 0; i < results.trials.size(); ++i) {
    text += row(results, i, parameters.size(), metrics);
  }
  return text;
}

std::filesystem::path ranked_csv_path(const std::filesystem::path& results,
                                      const std::string& kernel, const DeviceFacts& device,
                                      const ProblemSize& size) {
  return results / file_name_of(kernel) / file_name_of(device.slug()) /
         (file_name_of(size.label()) + ".csv");
}

std::filesystem::path write_ranked_csv(const std::filesystem::path& results,
                                       const std::string& kernel, const RankedResults& ranked,
                                       std::span<const std::string> parameters) {
  std::filesystem::path path = ranked_csv_path(results, kernel, ranked.device, ranked.size);
  write_file_atomically(path, ranked_csv(ranked, parameters));
  return path;
}

}  // namespace tuner
