#pragma once
// Groups of the devices of one model, each with a share of the compile pool, a connection to the
// store of its own, and nothing else that another thread uses.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/base/interrupt.h"
#include "tuner/model/study.h"
#include "tuner/run/bench.h"
#include "tuner/run/device_run.h"
#include "tuner/run/identity.h"
#include "tuner/run/side_by_side.h"
#include "tuner/worker/device_slots.h"
#include "tuner/worker/shared_compilers.h"

namespace tuner {

// What the groups of a run have in common, and only read.
struct GroupMaterial {
  const Study& study;
  const SearchSettings& search;
  const Bench& bench;
  const MeasuredWith& with;  // but for the digests of files: each group has its own
  const StopRequest& interrupt;
  std::function<double()> spent;  // of the budget of a size that is among the first, in seconds
};

class PooledGroups final : public GroupSource {
 public:
  // All of this outlives the groups' source. Lost devices are moved to the end.
  PooledGroups(GroupMaterial material, std::vector<WorkingDevice>& devices);

  std::size_t devices() const override;
  std::vector<std::unique_ptr<SizeGroup>> deal(const std::vector<std::size_t>& devices,
                                               const std::vector<RunListener>& listeners) override;
  void serve() override { shared_->serve(); }
  void stop_serving() override { shared_->stop(); }
  void gather() override { shared_.reset(); }

 private:
  GroupMaterial material_;
  std::vector<WorkingDevice>& devices_;
  std::optional<SharedCompilers> shared_;  // while a round lasts
  bool is_first_ = true;
};

}  // namespace tuner
