#pragma once
// How often a link is looked at, which cannot be polled: at once after something moved, and the
// less the longer nothing has.

#include <poll.h>

#include <string>
#include <vector>

namespace tuner {

class Pace {
 public:
  // Something moved: more is likely to follow.
  void hurry() { microseconds_ = kShortest; }
  // Until one of these is ready, or it is time to look.
  void poll(std::vector<pollfd>& fds);

 private:
  static constexpr long kShortest = 50;
  static constexpr long kLongest = 1000;
  long microseconds_ = kShortest;
};

// Writes what a socket takes now, and leaves the rest. False when it takes nothing. What is for
// somebody who is gone is dropped.
bool write_some(int socket, std::string& bytes);

}  // namespace tuner
