// Deals devices to groups.

#include "tuner/run/pooled_groups.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "tuner/base/file_digest.h"
#include "tuner/run/history.h"
#include "tuner/store/store.h"

namespace tuner {
namespace {

MeasuredWith with_own_digests(MeasuredWith with) {
  with.data = std::make_shared<FileDigests>();
  return with;
}

bool is_there(const WorkingDevice& device) { return device.lost.empty(); }

class PooledGroup final : public SizeGroup {
 public:
  PooledGroup(const GroupMaterial& material, Compilers& compilers, std::span<WorkingDevice> devices,
              RunListener listener, bool is_first)
      : material_(material),
        compilers_(compilers),
        devices_(devices),
        listener_(std::move(listener)),
        is_first_(is_first) {}

  SizeOutcome tune(const ProblemSize& size) override {
    if (!work_) work_.emplace(*this);
    SizeOptions options;
    if (std::exchange(is_first_, false)) options.spent = material_.spent();
    return work_->run.tune(size, options);
  }
  bool is_gone() const override { return std::ranges::none_of(devices_, is_there); }

 private:
  // Made on the group's thread: opening the store and a device takes its time.
  struct Work {
    explicit Work(PooledGroup& of)
        : store(Store::open(of.material_.search.results)),
          history(store, of.material_.study, with_own_digests(of.material_.with)),
          device(of.material_.bench.device(of.devices_, of.compilers_)),
          run(of.material_.study, of.material_.bench.sources().reference, of.material_.search,
              history, device, of.listener_,
              [&interrupt = of.material_.interrupt] { return interrupt.count() > 0; }) {}

    Store store;
    History history;
    PooledDevice device;
    DeviceRun run;
  };

  const GroupMaterial& material_;
  Compilers& compilers_;
  std::span<WorkingDevice> devices_;
  RunListener listener_;
  bool is_first_;
  std::optional<Work> work_;
};

}  // namespace

PooledGroups::PooledGroups(GroupMaterial material, std::vector<WorkingDevice>& devices)
    : material_(std::move(material)), devices_(devices) {}

std::size_t PooledGroups::devices() const {
  return static_cast<std::size_t>(std::ranges::count_if(devices_, is_there));
}

std::vector<std::unique_ptr<SizeGroup>> PooledGroups::deal(
    const std::vector<std::size_t>& devices, const std::vector<RunListener>& listeners) {
  std::stable_partition(devices_.begin(), devices_.end(), is_there);
  shared_.emplace(material_.bench.compilers(), devices.size());
  std::vector<std::unique_ptr<SizeGroup>> groups;
  std::span<WorkingDevice> rest(devices_);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    groups.push_back(std::make_unique<PooledGroup>(
        material_, shared_->share(i), rest.first(devices[i]), listeners[i], is_first_));
    rest = rest.subspan(devices[i]);
  }
  is_first_ = false;
  return groups;
}

}  // namespace tuner
