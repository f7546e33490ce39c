// Reads what applications have asked for, puts files together, and weighs sizes by what they cost.

#include "tuner/history/asked.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "tuner/base/atomic_file.h"
#include "tuner/base/text.h"
#include "tuner/search/ranking.h"
#include "tuner/study/t1_reader.h"
#include "tuner/study/yaml_values.h"

namespace tuner {
namespace {

const std::vector<std::string> kWords{"exact",    "near_size",   "near_device",
                                      "fallback", "unsupported", "predicted"};

// Sizes that were read, and where each of a device is.
struct AskedSizes {
  std::vector<AskedSize> all;
  std::map<std::pair<std::pair<std::string, int>, std::string>, std::size_t> places;
};

// Reads one file into what the files before it have left.
class AskedReader {
 public:
  AskedReader(const std::string& file, const Study& study, AskedSizes& out)
      : diagnostics_(file, read_file(file)), study_(study), out_(out) {}

  void read() {
    const YamlRef root = parse_json(diagnostics_);
    if (root) read_all(*root);
    if (!diagnostics_.ok()) throw InputError(diagnostics_.errors(), diagnostics_.text());
  }

 private:
  void read_all(const YamlNode& root) {
    if (!root.is_map() || root.value_of("asked") == nullptr) {
      root.error("no file of sizes that an application asked for",
                 "a program that was compiled with TUNER_COUNT_ASKED writes one");
      return;
    }
    const Fields fields(root, "the file",
                        {"asked", "kernel", "source_hash", "parameters", "dimensions",
                         "configurations", "devices", "sizes", "left_out"});
    const YamlNode* schema = fields.require("asked");
    if (schema != nullptr && schema->text != "1") {
      schema->error("this version reads files of schema 1");
      return;
    }
    const YamlNode* kernel = fields.require("kernel");
    if (kernel != nullptr && kernel->text != study_.kernel.name) {
      kernel->error("these sizes are of '" + kernel->text + "', not of the study's kernel '" +
                    study_.kernel.name + "'");
      return;
    }
    read_dimensions(fields);
    read_configurations(fields);
    for (const YamlRef& one : list(fields, "devices")) read_device(*one);
    if (!diagnostics_.ok()) return;
    for (const YamlRef& one : list(fields, "sizes")) read_size(*one);
  }

  const std::vector<YamlRef>& list(const Fields& fields, const std::string& key) {
    static const std::vector<YamlRef> kNone;
    const YamlNode* node = fields.require(key);
    return node == nullptr ? kNone : items_of(*node, "'" + key + "'");
  }

  void read_dimensions(const Fields& fields) {
    std::vector<std::string> names;
    for (const YamlRef& one : list(fields, "dimensions")) names.push_back(one->text);
    const std::vector<std::string> own = dimension_names(study_.sizes.front());
    for (const std::string& name : own) {
      const auto at = std::ranges::find(names, name);
      if (at == names.end()) {
        fields.error("dimensions", "the study has the dimension '" + name +
                                       "', which is not among these: export it again");
        return;
      }
      order_.push_back(static_cast<std::size_t>(at - names.begin()));
    }
    if (names.size() == own.size()) return;
    fields.error("dimensions",
                 "the study has no other dimension than " + listed(own) + ": export it again");
  }

  // Those that the study does not have any more are nothing.
  void read_configurations(const Fields& fields) {
    std::vector<std::string> names;
    for (const YamlRef& one : list(fields, "parameters")) names.push_back(one->text);
    for (const YamlRef& one : list(fields, "configurations")) {
      std::optional<Configuration> read(std::in_place);
      const std::vector<YamlRef>& values = items_of(*one, "a configuration");
      for (const Parameter& parameter : study_.parameters) {
        const auto at = std::ranges::find(names, parameter.name) - names.begin();
        const bool is_there = static_cast<std::size_t>(at) < std::min(names.size(), values.size());
        const YamlNode* value = is_there ? values[static_cast<std::size_t>(at)].get() : nullptr;
        const auto known =
            value == nullptr || !value->is_scalar() ? std::nullopt : read_value(*value, "a value");
        if (read && known) read->push_back(*known);
        if (!known) read.reset();
      }
      configurations_.push_back(names.size() == study_.parameters.size() ? std::move(read)
                                                                         : std::nullopt);
    }
  }

  void read_device(const YamlNode& node) {
    const Fields fields(node, "a device", {"name", "compute_capability"});
    const YamlNode* name = fields.require("name");
    const YamlNode* capability = fields.require("compute_capability");
    if (name == nullptr || capability == nullptr) return;
    const auto number = read_integer(*capability, "'compute_capability'");
    const auto text = read_text(*name, "'name'");
    if (number && text) devices_.emplace_back(*text, static_cast<int>(*number));
  }

  // A whole number behind a key, in [low, high]; nothing with a complaint.
  static std::optional<std::uint64_t> number(const Fields& fields, const std::string& key,
                                             std::int64_t low, std::int64_t high) {
    const YamlNode* node = fields.require(key);
    if (node == nullptr) return std::nullopt;
    const auto value = read_integer(*node, "'" + key + "'");
    if (!value) return std::nullopt;
    if (*value >= low && *value <= high) return static_cast<std::uint64_t>(*value);
    node->error("'" + key + "' must be at least " + std::to_string(low) + " and at most " +
                std::to_string(high) + ", not " + node->text);
    return std::nullopt;
  }

  std::optional<ProblemSize> extents(const Fields& fields) {
    const std::vector<YamlRef>& given = list(fields, "size");
    if (given.size() != order_.size()) {
      fields.error(
          "size", "a size has an extent for each of the " + count_text(order_.size(), "dimension"));
      return std::nullopt;
    }
    ProblemSize size = study_.sizes.front();
    for (std::size_t d = 0; d < order_.size(); ++d) {
      const YamlNode& node = *given[order_[d]];
      const auto extent = read_integer(node, "an extent");
      if (!extent) return std::nullopt;
      if (*extent < 1) {
        node.error("an extent is 1 at least, not " + node.text);
        return std::nullopt;
      }
      size.dims[d].second = *extent;
    }
    return size;
  }

  void read_size(const YamlNode& node) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
    const Fields fields(node, "a size", {"device", "size", "how", "configuration", "count"});
    if (!fields.is_map()) return;
    const auto last = [](const auto& of) { return static_cast<std::int64_t>(of.size()) - 1; };
    const auto device = number(fields, "device", 0, last(devices_));
    const auto configuration = number(fields, "configuration", 0, last(configurations_));
    const auto count = number(fields, "count", 1, kMost);
    const auto size = extents(fields);
    const YamlNode* how = fields.require("how");
    const auto word = how == nullptr ? std::nullopt : read_word(*how, "how", kWords);
    if (!device || !configuration || !count || !size || !word) return;
    add(devices_[*device], *size, {kWords[*word], configurations_[*configuration], *count});
  }

  void add(const std::pair<std::string, int>& device, const ProblemSize& size, AskedAnswer answer) {
    const auto [at, is_new] = out_.places.try_emplace({device, size.label()}, out_.all.size());
    if (is_new) out_.all.push_back({device.first, device.second, size});
    std::vector<AskedAnswer>& answers = out_.all[at->second].answers;
    for (AskedAnswer& one : answers) {
      if (one.how != answer.how || one.configuration != answer.configuration) continue;
      one.count += answer.count;
      return;
    }
    answers.push_back(std::move(answer));
  }

  Diagnostics diagnostics_;
  const Study& study_;
  AskedSizes& out_;
  std::vector<std::size_t> order_;  // of the study's dimensions, where each stands in the file
  std::vector<std::optional<Configuration>> configurations_;
  std::vector<std::pair<std::string, int>> devices_;
};

double work_of(const ProblemSize& size) {
  double product = 1;
  for (const auto& [name, extent] : size.dims) product *= static_cast<double>(extent);
  return product;
}

const RankedResults* results_of(const ProblemSize& size,
                                const std::vector<const RankedResults*>& known) {
  for (const RankedResults* one : known) {
    if (one->ranked > 0 && one->size == size) return one;
  }
  return nullptr;
}

}  // namespace

std::uint64_t AskedSize::count() const {
  std::uint64_t all = 0;
  for (const AskedAnswer& one : answers) all += one.count;
  return all;
}

bool AskedSize::is_missed() const {
  return std::ranges::any_of(answers, [](const AskedAnswer& one) { return one.how != "exact"; });
}

bool AskedSize::is_on(const DeviceFacts& facts) const {
  return compute_capability == facts.compute_capability && (device.empty() || device == facts.name);
}

std::vector<AskedSize> read_asked(const std::vector<std::string>& files, const Study& study) {
  AskedSizes read;
  for (const std::string& file : files) AskedReader(file, study, read).read();
  for (AskedSize& one : read.all) {
    std::ranges::stable_sort(one.answers, std::ranges::greater(), &AskedAnswer::count);
  }
  return std::move(read.all);
}

AskedTime time_of(const ProblemSize& size, const std::vector<const RankedResults*>& known) {
  if (const RankedResults* own = results_of(size, known)) {
    return {shown(own->trials.front()).median_ms, false};
  }
  AskedTime out{0, true};
  double least = std::numeric_limits<double>::infinity();
  for (const RankedResults* one : known) {
    if (one->ranked == 0) continue;
    const double ratio = work_of(size) / work_of(one->size);
    const double distance = std::abs(std::log(ratio));
    if (distance >= least) continue;
    least = distance;
    out.ms = ratio * shown(one->trials.front()).median_ms;
  }
  return out;
}

AskedLoss loss_of_asked(const Study& study, const AskedSize& asked,
                        const std::vector<const RankedResults*>& known) {
  AskedLoss out{time_of(asked.size, known), false, {}, 0, 0};
  const RankedResults* own = results_of(asked.size, known);
  out.is_tuned = own != nullptr;
  for (const AskedAnswer& answer : asked.answers) {
    double& loss = out.losses.emplace_back(std::numeric_limits<double>::quiet_NaN());
    if (own == nullptr || !answer.configuration) continue;
    for (std::size_t i = 0; i < own->ranked; ++i) {
      const Trial& trial = own->trials[i];
      if (trial.configuration == *answer.configuration) loss = loss_of(study, *own, trial);
    }
    if (!std::isfinite(loss)) continue;
    const double best = static_cast<double>(answer.count) * out.best.ms;
    out.total_ms += best * (1 + loss);
    out.lost_ms += best * loss;
  }
  return out;
}

std::vector<AskedWork> missed_on(const DeviceFacts& device, const std::vector<AskedSize>& asked,
                                 const std::vector<const RankedResults*>& known) {
  std::vector<AskedWork> out;
  for (const AskedSize& one : asked) {
    if (!one.is_missed() || !one.is_on(device)) continue;
    const double ms = time_of(one.size, known).ms;
    out.push_back({one, static_cast<double>(one.count()) * (ms > 0 ? ms : 1)});
  }
  std::ranges::stable_sort(out, std::ranges::greater(), &AskedWork::cost_ms);
  double rest = 0;
  for (auto one = out.rbegin(); one != out.rend(); ++one) {
    rest += one->cost_ms;
    one->share = rest > 0 ? one->cost_ms / rest : 1;
  }
  return out;
}

}  // namespace tuner
