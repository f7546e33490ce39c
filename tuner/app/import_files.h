#pragma once
// Files of others as trials for the store.

#include <filesystem>
#include <vector>

#include "tuner/app/import_options.h"
#include "tuner/model/study.h"
#include "tuner/recordings/recording.h"
#include "tuner/store/merge.h"

namespace tuner {

// A recording under the kernel, device and size that options, study or the recording itself name.
// With a study its parameters, metrics and objective are the study's. Throws InputError when
// something is named nowhere or does not fit, or when no valid result has the study's objective.
TrialBatch batch_of(const Recording& recording, const ImportOptions& options, const Study* study);

// Ranked CSV files of this program, with the device.json beside them: a file, or a folder of files.
// Throws InputError for files of another study.
std::vector<TrialBatch> batches_of_csv(const std::filesystem::path& path,
                                       const ImportOptions& options, const Study& study);

}  // namespace tuner
