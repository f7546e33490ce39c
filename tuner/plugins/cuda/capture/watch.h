#pragma once
// Watches which kernels an application launches, and how long they take: by CUPTI's records of
// activity, which cost a launch little, whoever launches and from however many threads.

#include "tuner/plugins/cuda/capture/request.h"

namespace tuner::capture {

// Begins to watch; the table is written when the process exits, and once a second before, so that
// it is there when the application crashes. Throws where CUPTI refuses.
void begin_watching(const Request& request);

}  // namespace tuner::capture
