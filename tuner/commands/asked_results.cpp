// Shows what an application asked for, the costliest first, and what its answers lose against the
// best that is known now.

#include "tuner/commands/asked_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tuner/base/terminal_text.h"
#include "tuner/base/text.h"
#include "tuner/files/results_json.h"
#include "tuner/model/json_text.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

struct Row {
  const AskedSize* asked;
  AskedLoss loss;

  double cost_ms() const { return static_cast<double>(asked->count()) * loss.best.ms; }
};

// The sizes of one device.
struct DeviceRows {
  const AskedSize* device;  // one of them
  std::vector<Row> rows;    // the costliest first
  double total_ms = 0;
  double lost_ms = 0;
  std::uint64_t count = 0;
  std::uint64_t unknown = 0;  // answers whose loss is not known
};

void add(DeviceRows& device, Row row) {
  device.total_ms += row.loss.total_ms;
  device.lost_ms += row.loss.lost_ms;
  device.count += row.asked->count();
  for (std::size_t i = 0; i < row.loss.losses.size(); ++i) {
    if (std::isnan(row.loss.losses[i])) device.unknown += row.asked->answers[i].count;
  }
  device.rows.push_back(std::move(row));
}

std::vector<DeviceRows> by_device(const Study& study, const std::vector<AskedSize>& asked,
                                  const std::vector<StoredResults>& stored) {
  std::vector<DeviceRows> all;
  for (const AskedSize& one : asked) {
    std::vector<const RankedResults*> known;
    for (const StoredResults& results : stored) {
      if (one.is_on(results.ranked.device)) known.push_back(&results.ranked);
    }
    auto at = std::ranges::find_if(all, [&](const DeviceRows& rows) {
      return rows.device->device == one.device &&
             rows.device->compute_capability == one.compute_capability;
    });
    if (at == all.end()) at = all.insert(at, {&one, {}});
    add(*at, {&one, loss_of_asked(study, one, known)});
  }
  for (DeviceRows& device : all) {
    std::ranges::stable_sort(device.rows, std::ranges::greater(), &Row::cost_ms);
  }
  return all;
}

std::string name_of(const AskedSize& device) {
  return device.device.empty() ? fmt::format("compute capability {}", device.compute_capability)
                               : for_terminal(device.device);
}

std::string asked_loss(const Row& row, std::size_t answer) {
  const double loss = row.loss.losses[answer];
  if (std::isnan(loss)) return row.loss.is_tuned ? "not measured" : "not tuned";
  return fmt::format("{:.1f} %", 100 * loss);
}

std::string lost_text(const DeviceRows& device) {
  if (device.unknown == device.count) return "  nothing is known of what that loses";
  const double saved = device.total_ms - device.lost_ms;
  return fmt::format("  {:.4g} of {:.4g} ms lost ({:.1f} %){}", device.lost_ms, device.total_ms,
                     saved > 0 ? 100 * device.lost_ms / saved : 0,
                     device.unknown > 0
                         ? fmt::format(", without {} of {} answers, whose loss is not known",
                                       device.unknown, device.count)
                         : "");
}

Json answer_json(const Study& study, const AskedAnswer& answer, double loss) {
  return {{"how", answer.how},
          {"count", answer.count},
          {"configuration",
           answer.configuration ? json_of(study.parameters, *answer.configuration) : Json(nullptr)},
          {"loss", std::isnan(loss) ? Json(nullptr) : Json(loss)}};
}

Json row_json(const Study& study, const Row& row) {
  Json answers = Json::array();
  for (std::size_t i = 0; i < row.asked->answers.size(); ++i) {
    answers.push_back(answer_json(study, row.asked->answers[i], row.loss.losses[i]));
  }
  const AskedTime& best = row.loss.best;
  return {{"size", json_of(row.asked->size)},
          {"count", row.asked->count()},
          {"missed", row.asked->is_missed()},
          {"tuned", row.loss.is_tuned},
          {"best_ms", best.ms > 0 ? Json(best.ms) : Json(nullptr)},
          {"estimated", best.is_estimate},
          {"lost_ms", row.loss.lost_ms},
          {"answers", std::move(answers)}};
}

// A line for each answer of a size.
std::string row_text(const Row& row, std::size_t width) {
  const AskedTime& best = row.loss.best;
  const std::string time =
      best.ms <= 0 ? "" : fmt::format("{}{:.4g}", best.is_estimate ? "~" : "", best.ms);
  std::string out;
  for (std::size_t i = 0; i < row.asked->answers.size(); ++i) {
    const AskedAnswer& answer = row.asked->answers[i];
    out += fmt::format("  {:{}}  {:>9}  {:11}  {:>11}  {}\n", i == 0 ? row.asked->size.label() : "",
                       width, answer.count, answer.how, i == 0 ? time : "", asked_loss(row, i));
  }
  return out;
}

}  // namespace

std::string asked_table(const Study& study, const std::vector<AskedSize>& asked,
                        const std::vector<StoredResults>& stored, std::size_t top) {
  std::string out;
  for (DeviceRows& device : by_device(study, asked, stored)) {
    out +=
        fmt::format("{} on {}: {}, {} calls\n", for_terminal(study.kernel.name),
                    name_of(*device.device), count_text(device.rows.size(), "size"), device.count);
    const std::size_t left_out = device.rows.size() - std::min(top, device.rows.size());
    device.rows.resize(device.rows.size() - left_out);
    std::size_t width = 4;
    for (const Row& row : device.rows) width = std::max(width, row.asked->size.label().size());
    out += fmt::format("  {:{}}  {:>9}  {:11}  {:>11}  {}\n", "size", width, "calls", "answered",
                       "best ms", "loss");
    for (const Row& row : device.rows) out += row_text(row, width);
    if (left_out > 0) out += fmt::format("  and {} more (--top shows more)\n", left_out);
    out += lost_text(device) + "\n";
  }
  return out;
}

std::string asked_json(const Study& study, const std::vector<AskedSize>& asked,
                       const std::vector<StoredResults>& stored) {
  Json devices = Json::array();
  for (const DeviceRows& device : by_device(study, asked, stored)) {
    Json sizes = Json::array();
    for (const Row& row : device.rows) sizes.push_back(row_json(study, row));
    devices.push_back({{"device", device.device->device},
                       {"compute_capability", device.device->compute_capability},
                       {"count", device.count},
                       {"unknown", device.unknown},
                       {"total_ms", device.total_ms},
                       {"lost_ms", device.lost_ms},
                       {"sizes", std::move(sizes)}});
  }
  return dump(Json{{"kernel", study.kernel.name}, {"devices", std::move(devices)}}, 2) + "\n";
}

}  // namespace tuner
