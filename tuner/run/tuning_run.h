#pragma once
// The tuning run: plain settings in, events out.

#include "tuner/run/devices.h"
#include "tuner/run/listener.h"
#include "tuner/run/settings.h"
#include "tuner/worker/channel.h"

namespace tuner {

struct RunEnd {
  bool interrupted = false;
  // Each size has a valid configuration on each device, but for those of a domain that were only
  // begun when its time was up.
  bool all_valid = true;
};

// Tunes every size of the study on every device, of this machine and of those that are lent. Throws
// InputError for a study or settings that make no sense, UnavailableError when no device is to be
// had or one is lost, FatalError when results cannot be kept; what was measured until then is kept,
// ranked, and told to the listener, who hears the caller's notes, too.
RunEnd tune(const RunSettings& settings, const Caller& caller, const RunListener& listener,
            const LentHosts& lent = {});

}  // namespace tuner
