#pragma once
// A recorded space as strategies see it.

#include "tuner/plugin/abi.h"
#include "tuner/store/replay.h"

namespace tuner::bench {

// `space` must outlive the table.
tuner_space table_of(const RecordedSpace& space);

}  // namespace tuner::bench
