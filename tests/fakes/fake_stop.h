#pragma once
// Somebody who asks for the end when a test says so.

#include <atomic>

#include "tuner/base/interrupt.h"

namespace tuner {

class FakeStop final : public StopRequest {
 public:
  void ask() { ++asked_; }
  int count() const override { return asked_; }
  int fd() const override { return -1; }

 private:
  std::atomic<int> asked_ = 0;
};

}  // namespace tuner
