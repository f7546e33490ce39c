#pragma once
// The end of a search because its application wants it, told from another thread.

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "tuner/base/child_process.h"
#include "tuner/base/interrupt.h"

namespace libtuner {

class StopWhenClosed final : public tuner::StopRequest {
 public:
  StopWhenClosed() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  int count() const override { return count_; }
  int fd() const override { return event_.get(); }
  void close() {
    count_ = 2;  // at once
    const std::uint64_t one = 1;
    static_cast<void>(!::write(event_.get(), &one, sizeof one));
  }

 private:
  tuner::FileDescriptor event_;
  std::atomic<int> count_{0};
};

}  // namespace libtuner
