#pragma once
// Ctrl-C, SIGTERM and the end of the terminal as something to look at, not something that happens.

#include "tuner/base/child_process.h"
#include "tuner/base/error.h"

namespace tuner {

// A signal to stop has ended what was under way.
class InterruptedError : public FatalError {
 public:
  using FatalError::FatalError;
};

// How many signals to stop came since an Interrupt was made; 0 where there never was one.
int stop_signals();

// Whether somebody wants what is under way to end.
class StopRequest {
 public:
  virtual ~StopRequest() = default;
  virtual int count() const = 0;  // more than once: at once
  virtual int fd() const = 0;  // readable when it is wanted; -1: there is none, count() is enough
};

// While one of these lives, SIGINT, SIGTERM and SIGHUP (unless that is ignored, as under nohup) are
// counted instead of ending the program, and fd() becomes readable. Three seconds after the second
// signal, and at the third, the program ends whatever it is doing: a way out of waiting for a slow
// reference or a driver that hangs. At most one at a time.
class Interrupt final : public StopRequest {
 public:
  Interrupt();
  ~Interrupt() override;
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  int count() const override;
  int fd() const override;
};

}  // namespace tuner
