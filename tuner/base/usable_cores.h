#pragma once
// How many processor cores this process may use: a container, a batch system or `taskset` may leave
// fewer than the machine has.

#include <functional>
#include <string>

namespace tuner {

// The text of a file, or an empty one when it cannot be read.
using TextOf = std::function<std::string(const std::string& path)>;

// Cores by the control groups that `text_of` shows, of version 1 or 2: the smallest quota from the
// process's own group up to the root, rounded up; 0 where there is none. `/proc/self/cgroup` says
// which group it is; inside of a container that path may not be there, and its mount is the group.
unsigned cores_of_quota(const TextOf& text_of);

// What this process may use, at least 1: the cores of its affinity, which a cpuset limits, too, but
// no more than its quota.
unsigned usable_cores();

}  // namespace tuner
