#pragma once
// The JSON schema of study files, for editors and other programs.

#include <string>

namespace tuner {

// The JSON schema (draft 7) of study files: docs/study.schema.json.
std::string study_schema();

}  // namespace tuner
