#pragma once
// How busy the machine is, for strategies that heed it.

#include <cstddef>
#include <deque>

namespace tuner {

// How busy compilers and device were while the last results came.
class RecentLoad {
 public:
  // A result came. The seconds are those of all compile workers together and of all devices, since
  // the beginning.
  void result(double now, double compile_seconds, double device_seconds);
  double compilers_busy(std::size_t workers) const;
  double devices_busy(std::size_t devices) const;

 private:
  struct Sum {
    double now = 0;
    double compile = 0;
    double device = 0;
  };
  double share(double Sum::*what, double of) const;

  std::deque<Sum> past_ = {{}};
};

}  // namespace tuner
