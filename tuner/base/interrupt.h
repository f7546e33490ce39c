#pragma once
// Ctrl-C, SIGTERM and the end of the terminal as something to look at, not something that happens.

#include "tuner/base/child_process.h"

namespace tuner {

// While one of these lives, SIGINT, SIGTERM and SIGHUP (unless that is ignored, as under nohup) are
// counted instead of ending the program, and fd() becomes readable. Three seconds after the second
// signal, and at the third, the program ends whatever it is doing: a way out of waiting for a slow
// reference or a driver that hangs. At most one at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  int count() const;
  int fd() const;
};

}  // namespace tuner
