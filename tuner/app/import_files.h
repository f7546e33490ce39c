#pragma once
// Files of others as trials for the store.

#include <filesystem>

#include "tuner/app/import_options.h"
#include "tuner/model/study.h"
#include "tuner/store/merge.h"
#include "tuner/store/recording.h"

namespace tuner {

// A recording under the kernel, device and size that options, study or the recording itself name.
// With a study its parameters are the study's. Throws InputError when something is named nowhere or
// does not fit.
TrialBatch batch_of(const Recording& recording, const ImportOptions& options, const Study* study);

// A ranked CSV of this program (<kernel>/<device>/<size>.csv). Throws InputError with the line.
TrialBatch batch_of_csv(const std::filesystem::path& path, const ImportOptions& options,
                        const Study& study);

}  // namespace tuner
