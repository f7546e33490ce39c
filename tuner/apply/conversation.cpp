// Reads questions and reports, and writes answers.

#include "tuner/apply/conversation.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "tuner/source/demangled_name.h"

namespace tuner {
namespace {

using nlohmann::json;
using Numbers = std::array<std::uint32_t, 7>;  // grid, block, dynamic shared bytes

LaunchGeometry geometry_of(const Numbers& numbers) {
  LaunchGeometry out;
  std::copy_n(numbers.begin(), 3, out.grid.begin());
  std::copy_n(numbers.begin() + 3, 3, out.block.begin());
  out.dynamic_shared_bytes = numbers[6];
  return out;
}

Numbers numbers_of(const LaunchGeometry& geometry) {
  Numbers out{};
  std::ranges::copy(geometry.grid, out.begin());
  std::ranges::copy(geometry.block, out.begin() + 3);
  out[6] = static_cast<std::uint32_t>(geometry.dynamic_shared_bytes);
  return out;
}

std::string bytes_in(const std::string& hexadecimal) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2) {
    out += static_cast<char>(std::stoi(hexadecimal.substr(i, 2), nullptr, 16));
  }
  return out;
}

std::string hexadecimal(const std::vector<std::byte>& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::byte one : bytes) {
    const auto number = std::to_integer<unsigned>(one);
    out += {kDigits[number >> 4U], kDigits[number & 15U]};
  }
  return out;
}

// The answer that has the launch replaced.
json variant_json(const AppliedVariant& variant, const VariantImage& image) {
  json scalars = json::object();
  for (const auto& [place, bytes] : variant.scalars) {
    scalars[std::to_string(place)] = hexadecimal(bytes);
  }
  const LaunchAttributes& asked = variant.geometry.attributes;
  json out{{"image", image.file.string()},
           {"symbol", image.symbol},
           {"geometry", numbers_of(variant.geometry)},
           {"scalars", std::move(scalars)}};
  if (asked.blocks_in_cluster() > 1) out["cluster"] = asked.cluster;
  if (asked.cooperative) out["cooperative"] = true;
  if (asked.carveout >= 0) out["carveout"] = asked.carveout;
  if (asked.scheduling != ClusterScheduling::kDefault) {
    out["scheduling"] = static_cast<std::uint32_t>(asked.scheduling);
  }
  return out;
}

}  // namespace

std::string AppliedLaunch::reason() const {
  if (!variant) return variant.error();
  return image && !*image ? image->error() : "";
}

std::uint64_t RunCounts::replaced() const {
  std::uint64_t sum = 0;
  for (const LaunchCount& one : launches) sum += one.replaced;
  return sum;
}

std::uint64_t RunCounts::all() const {
  std::uint64_t sum = 0;
  for (const LaunchCount& one : launches) sum += one.launches;
  return sum;
}

double RunCounts::kernel_ms() const {
  double sum = 0;
  for (const LaunchCount& one : launches) {
    const auto run = static_cast<double>(one.launches - std::min(one.recorded, one.launches));
    if (one.weight > 0) sum += one.ms / one.weight * run;
  }
  return sum;
}

Conversation::Conversation(const Study& study, const VariantChooser& chooser, VariantImages& images,
                           std::string pattern)
    : study_(study), chooser_(chooser), images_(images), pattern_(std::move(pattern)) {}

void Conversation::begin_run(bool replaces) {
  const std::lock_guard lock(mutex_);
  replaces_ = replaces;
  is_attached_ = false;
  reports_.clear();
}

void Conversation::compile(AppliedLaunch& one) {
  if (!one.variant || one.image) return;
  try {
    one.image = images_.of(one.variant->request);
  } catch (const std::exception& error) {
    one.image = Unexpected{std::string(error.what())};
  }
}

void Conversation::prepare() {
  for (AppliedLaunch& one : answers_) compile(one);
}

bool Conversation::replaces_any() const {
  return std::ranges::any_of(answers_,
                             [](const AppliedLaunch& one) { return one.reason().empty(); });
}

// ---- questions ----------------------------------------------------------------------------------

std::optional<json> Conversation::answer(std::uint64_t process, const json& line) {
  const std::lock_guard lock(mutex_);
  if (line.contains("parameters")) return answer_kernel(line);
  if (line.contains("launch")) return answer_launch(line);
  if (line.contains("rows")) reports_[process] = line;
  is_attached_ = true;
  return std::nullopt;
}

json Conversation::answer_kernel(const json& line) {
  const ProgramKernel kernel{line.at("kernel"), line.at("parameters")};
  if (!is_kernel_of(study_, pattern_, kernel.name)) return {{"wanted", false}};
  json parts = json::array();
  std::string wrong = misfit(study_, kernel);
  if (wrong.empty() && pattern_.empty()) wrong = chooser_.unknown_instance(kernel.name);
  if (wrong.empty()) {
    for (const SizePart& one : chooser_.parts()) {
      parts.push_back({one.parameter, one.offset, tuner::size_of(one.type)});
    }
  }
  kernels_.push_back(kernel.name);
  misfits_.push_back(wrong);
  return {{"wanted", true}, {"id", kernels_.size() - 1}, {"parts", std::move(parts)}};
}

json Conversation::answer_launch(const json& line) {
  const std::size_t place = answer_to(line);
  AppliedLaunch& one = answers_[place];
  if (replaces_) compile(one);
  json out{{"answer", place}};
  if (replaces_ && one.reason().empty()) out.update(variant_json(*one.variant, **one.image));
  return out;
}

// Equal questions of several processes and runs have one answer.
std::size_t Conversation::answer_to(const json& line) {
  const auto kernel = line.at("launch").get<std::size_t>();
  json question = line;
  question["launch"] = kernels_.at(kernel);
  const auto [known, is_new] = asked_.emplace(question.dump(), answers_.size());
  if (!is_new) return known->second;
  ProgramLaunch launch{geometry_of(line.at("geometry").get<Numbers>()), {}};
  for (const std::string& value : line.at("values").get<std::vector<std::string>>()) {
    launch.values.push_back(bytes_in(value));
  }
  const json& device = line.at("device");
  const ProgramDevice on{device.at("name"), device.at("compute_capability"),
                         device.at("multiprocessors")};
  const std::string& wrong = misfits_.at(kernel);
  answers_.push_back({demangled(kernels_.at(kernel)), launch.geometry,
                      wrong.empty() ? chooser_.choose(on, launch)
                                    : Expected<AppliedVariant, std::string>(Unexpected{wrong})});
  return known->second;
}

// ---- reports ------------------------------------------------------------------------------------

RunCounts Conversation::end_run() {
  const std::lock_guard lock(mutex_);
  RunCounts out;
  out.is_attached = is_attached_;
  std::map<std::string, LaunchCount> sums;
  for (const auto& [process, report] : reports_) {
    for (const json& row : report.at("rows")) {
      LaunchCount one;
      one.kernel = demangled(kernels_.at(row.at("kernel").get<std::size_t>()));
      if (row.contains("answer")) one.answer = row.at("answer").get<std::size_t>();
      one.reason = one.answer ? answers_.at(*one.answer).reason() : row.value("reason", "");
      if (row.contains("refusal")) one.reason = row.at("refusal");
      const std::string key =
          json{one.kernel, one.answer ? json(*one.answer) : json(), one.reason}.dump();
      LaunchCount& sum = sums.emplace(key, one).first->second;
      sum.launches += row.at("launches").get<std::uint64_t>();
      sum.replaced += row.at("replaced").get<std::uint64_t>();
      sum.recorded += row.at("recorded").get<std::uint64_t>();
      sum.weight += row.at("weight").get<double>();
      sum.ms += row.at("ms").get<double>();
    }
    if (out.trouble.empty()) out.trouble = report.value("trouble", "");
    for (const auto& [name, launches] :
         report.at("kernels").get<std::vector<std::pair<std::string, std::uint64_t>>>()) {
      out.kernels[demangled(name)] += launches;
    }
  }
  for (auto& [key, one] : sums) out.launches.push_back(std::move(one));
  return out;
}

}  // namespace tuner
