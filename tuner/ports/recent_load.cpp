// Computes shares of the last results' time.

#include "tuner/ports/recent_load.h"

#include <algorithm>

namespace tuner {

void RecentLoad::result(double now, double compile_seconds, double device_seconds) {
  constexpr std::size_t kResults = 32;
  past_.push_back({now, compile_seconds, device_seconds});
  if (past_.size() > kResults) past_.pop_front();
}

double RecentLoad::share(double Sum::*what, double of) const {
  const double seconds = past_.back().now - past_.front().now;
  if (seconds <= 0) return 0;
  return std::min(1.0, (past_.back().*what - past_.front().*what) / (seconds * of));
}

double RecentLoad::compilers_busy(std::size_t workers) const {
  return share(&Sum::compile, static_cast<double>(workers));
}

double RecentLoad::devices_busy(std::size_t devices) const {
  return share(&Sum::device, static_cast<double>(devices));
}

}  // namespace tuner
