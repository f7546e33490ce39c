#pragma once
// Work that is captured in a graph once and launched again and again.

#include <functional>

#include "tuner/plugins/cuda/driver.h"

namespace tuner::cuda {

// A graph of what `queue` puts into the stream, instantiated and on its way to the device: the
// stream has to be waited for before it is launched where nothing may wait. Throws sdk::Error; the
// stream is no longer captured then.
GraphExec captured(const DriverApi& api, CUstream stream, const std::function<void()>& queue);

}  // namespace tuner::cuda
