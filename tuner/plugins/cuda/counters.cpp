// Plans what is counted, and counts it.

#include "tuner/plugins/cuda/counters.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <numeric>
#include <utility>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/cupti.h"
#include "tuner/plugins/cuda/toolkit.h"

namespace tuner::cuda {
namespace {

constexpr std::size_t kNear = 3;  // names that an unknown one may have meant

std::size_t edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t before = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t swapped = before + (from[i] == to[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, swapped});
    }
  }
  return row.back();
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Asks the driver which counters the process may read.
std::vector<std::uint8_t> available_to(const Cupti& cupti, CUcontext context) {
  CuptiAvailability of;
  of.context = context;
  cupti.must("cuptiProfilerGetCounterAvailability", of);
  std::vector<std::uint8_t> image(of.bytes);
  of.image = image.data();
  cupti.must("cuptiProfilerGetCounterAvailability", of);
  return image;
}

}  // namespace

std::shared_ptr<const Cupti> open_cupti() {
  auto library = DynamicLibrary::open_first(cupti_candidates());
  if (library.find("cuptiRangeProfilerEnable") == nullptr) {
    throw sdk::Error(TUNER_UNSUPPORTED,
                     "CUPTI of CUDA 12.6 or newer is needed; " +
                         DynamicLibrary::file_of(library.find("cuptiProfilerInitialize")) +
                         " is older");
  }
  return std::make_shared<const Cupti>(std::move(library));
}

CuptiOwned::~CuptiOwned() {
  CuptiObject done;
  done.object = object_;
  if (object_ != nullptr) cupti_->call(ended_by_, done);
}

void Cupti::fail(const char* function, int status) const {
  constexpr int kNoRights = 35, kNoRightsOfGuest = 40;
  if (status == kNoRights || status == kNoRightsOfGuest) {
    throw sdk::Error(TUNER_UNSUPPORTED,
                     "the driver lets administrators alone look (ERR_NVGPUCTRPERM): load it with "
                     "NVreg_RestrictProfilingToAdminUsers=0, or run as one");
  }
  const char* text = nullptr;
  const auto name =
      reinterpret_cast<int (*)(int, const char**)>(library_.find("cuptiGetResultString"));
  if (name != nullptr) name(status, &text);
  throw sdk::Error(TUNER_UNSUPPORTED, std::string(function) + ": " +
                                          (text != nullptr ? text : "no reason is given") + " (" +
                                          std::to_string(status) + ")");
}

std::vector<std::string> most_alike(std::string_view name, const std::vector<std::string>& all,
                                    std::size_t count) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& one : all) ranked.emplace_back(edits(name, one), one);
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> out;
  for (const auto& one : ranked) {
    if (out.size() < count) out.push_back(one.second);
  }
  return out;
}

// ---- what is counted ----------------------------------------------------------------------------

CounterPlan::CounterPlan(std::shared_ptr<const Cupti> cupti, std::string chip,
                         std::vector<std::uint8_t> available, std::vector<std::string> names)
    : cupti_(std::move(cupti)),
      chip_(std::move(chip)),
      available_(std::move(available)),
      texts_(std::move(names)),
      host_(cupti_, "cuptiProfilerHostDeinitialize") {
  for (const std::string& text : texts_) pointers_.push_back(text.c_str());
  CuptiPlanner planner;
  planner.chip = chip_.c_str();
  planner.available = available_.empty() ? nullptr : available_.data();
  cupti_->must("cuptiProfilerHostInitialize", planner);
  host_.own(planner.object);
  CuptiNames wanted;
  wanted.planner = host_.get();
  wanted.names = pointers_.data();
  wanted.count = pointers_.size();
  if (cupti_->call("cuptiProfilerHostConfigAddMetrics", wanted) != 0) {
    throw sdk::Error(TUNER_INVALID, unknown());
  }
  CuptiPlanSize size;
  size.planner = host_.get();
  cupti_->must("cuptiProfilerHostGetConfigImageSize", size);
  image_.resize(size.bytes);
  CuptiPlanImage image;
  image.planner = host_.get();
  image.bytes = image_.size();
  image.image = image_.data();
  cupti_->must("cuptiProfilerHostGetConfigImage", image);
  CuptiPasses passes;
  passes.bytes = image_.size();
  passes.image = image_.data();
  cupti_->must("cuptiProfilerHostGetNumOfPasses", passes);
  passes_ = static_cast<std::uint32_t>(passes.passes);
}

std::vector<std::string> CounterPlan::near(const std::string& name) const {
  std::vector<std::string> all;
  for (int kind = 0; kind < kCuptiKinds; ++kind) {
    CuptiBaseNames names;
    names.planner = host_.get();
    names.kind = kind;
    if (cupti_->call("cuptiProfilerHostGetBaseMetrics", names) != 0) continue;
    all.insert(all.end(), names.names, names.names + names.count);
  }
  return most_alike(name, all, kNear);
}

bool CounterPlan::knows(const std::string& name) const {
  CuptiProperties of;
  of.planner = host_.get();
  of.name = name.c_str();
  return cupti_->call("cuptiProfilerHostGetMetricProperties", of) == 0;
}

// Why the chip refuses the names: the first of them that is none.
std::string CounterPlan::unknown() const {
  for (const std::string& text : texts_) {
    const std::string base = text.substr(0, text.find('.'));
    if (!knows(base)) {
      return chip_ + " has no counter '" + base + "'; near it: " + listed(near(base));
    }
    if (knows(text) && text != base) continue;
    return "counter '" + text + "' is none, though " + base + " of " + chip_ +
           " is: it takes an end such as .sum, .avg or .avg.pct_of_peak_sustained_elapsed";
  }
  return "these counters of " + chip_ + " cannot be read together";
}

std::vector<double> CounterPlan::values(const std::vector<std::uint8_t>& data,
                                        std::uint32_t range) {
  std::vector<double> out(pointers_.size(), std::numeric_limits<double>::quiet_NaN());
  CuptiValues values;
  values.planner = host_.get();
  values.data = data.data();
  values.bytes = data.size();
  values.range = range;
  values.names = pointers_.data();
  values.count = pointers_.size();
  values.values = out.data();
  cupti_->must("cuptiProfilerHostEvaluateToGpuValues", values);
  return out;
}

// ---- counting -----------------------------------------------------------------------------------

// Each launch is a range with a name of its own; replayed by who launches.
Counters::Counters(CUcontext context, std::uint32_t device, const std::vector<std::string>& names,
                   std::uint32_t launches)
    : cupti_(open_cupti()), profiler_(cupti_, "cuptiRangeProfilerDisable"), launches_(launches) {
  CuptiNothing nothing;
  cupti_->must("cuptiProfilerInitialize", nothing);
  CuptiChip chip;
  chip.device = device;
  cupti_->must("cuptiDeviceGetChipName", chip);
  plan_ = std::make_unique<CounterPlan>(cupti_, chip.name, available_to(*cupti_, context), names);
  CuptiEnable enable;
  enable.context = context;
  cupti_->must("cuptiRangeProfilerEnable", enable);
  profiler_.own(enable.profiler);
  CuptiDataSize size;
  size.profiler = profiler_.get();
  size.names = plan_->names().data();
  size.count = plan_->names().size();
  size.ranges = size.nodes = launches;
  cupti_->must("cuptiRangeProfilerGetCounterDataSize", size);
  data_.resize(size.bytes);
  CuptiData data;
  data.profiler = profiler_.get();
  data.bytes = data_.size();
  data.data = data_.data();
  cupti_->must("cuptiRangeProfilerCounterDataImageInitialize", data);
  CuptiConfig config;
  config.profiler = profiler_.get();
  config.image_bytes = plan_->image().size();
  config.image = plan_->image().data();
  config.data_bytes = data_.size();
  config.data = data_.data();
  config.range = kCuptiUserRange;
  config.replay = kCuptiUserReplay;
  config.ranges = launches;
  config.levels = config.first_level = config.level = 1;
  cupti_->must("cuptiRangeProfilerSetConfig", config);
}

void Counters::begin() {
  if (launch_ == 0) {
    CuptiObject start;
    start.object = profiler_.get();
    cupti_->must("cuptiRangeProfilerStart", start);
  }
  const std::string name = std::to_string(launch_);
  CuptiPush push;
  push.profiler = profiler_.get();
  push.name = name.c_str();
  cupti_->must("cuptiRangeProfilerPushRange", push);
}

void Counters::end() {
  CuptiObject pop;
  pop.object = profiler_.get();
  cupti_->must("cuptiRangeProfilerPopRange", pop);
  if (++launch_ < launches_) return;
  launch_ = 0;
  CuptiStop stop;
  stop.profiler = profiler_.get();
  cupti_->must("cuptiRangeProfilerStop", stop);
  if (++pass_ < passes()) return;
  CuptiDecode decode;
  decode.profiler = profiler_.get();
  cupti_->must("cuptiRangeProfilerDecodeData", decode);
}

}  // namespace tuner::cuda
