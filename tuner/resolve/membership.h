#pragma once
// Check whether a study has a configuration now, for one after the other: stored results may be
// from lists and constraints that have changed since.

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/model/study.h"
#include "tuner/space/search_space.h"

namespace tuner {

// The configurations that a study has, whatever part of them a run measures. A check looks at each
// parameter and constraint; the space is not built.
class Membership {
 public:
  // `study` outlives this.
  explicit Membership(const Study& study);

  // Whether the study has it. `names`: bindings_of() the configuration. Without `device_known`
  // rules about the device are not checked, as where results were imported.
  bool has(const Configuration& configuration, const Bindings& names,
           bool device_known = true) const;
  // The space at a size, where asking for `count` configurations would take longer than to build
  // it, as where thousands are listed; nothing where it would not, or where it needs much memory.
  std::optional<SearchSpace> space_for(std::size_t count, Bindings facts, bool device_known) const;
  // Identifies the study's configurations: equal for all studies that have the same at every size.
  std::string digest() const;

 private:
  struct Earlier {
    bool operator()(const Value& a, const Value& b) const;
  };

  const Study& study_;
  std::vector<std::set<Value, Earlier>> values_;  // of each parameter
  std::set<std::string> of_device_;               // derived names that depend on the device
};

}  // namespace tuner
