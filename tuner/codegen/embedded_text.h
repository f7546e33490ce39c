#pragma once
// The parts of exported files that are the same for every study: the C++ files of the folder cpp,
// embedded when the program is built. In their text, words that begin with TUNER_ stand for what
// depends on the study.

#include <string_view>

namespace tuner {

// `num` and its operations: Python's numbers and texts at compile time, failures included.
extern const std::string_view kNumbersText;
// Which entry is nearest, and what the predictors of a domain choose. The program chooses by these
// two itself (selection.cpp): nothing in them depends on the study.
extern const std::string_view kChoiceText;
extern const std::string_view kPredictedText;
// Attributes of launches, where a study asks for some: in a header, and how a launcher sets them.
extern const std::string_view kAttributesText;
extern const std::string_view kLauncherAttributesText;
// The tables for these two, select() and best<>.
extern const std::string_view kSelectionText;
// The predictors of a domain.
extern const std::string_view kPredictorsText;
// What a launcher knows of each device, and how it puts a kernel in a stream.
extern const std::string_view kLauncherStateText;
extern const std::string_view kLauncherScratchText;
extern const std::string_view kLauncherNumberText;
// What a call works out of a size, and remembers.
extern const std::string_view kLauncherPlanText;
// Tensor maps of the caller's matrices.
extern const std::string_view kLauncherMapsText;
// How memory is made beside a captured stream, and what tells streams apart.
extern const std::string_view kLauncherCapturesText;
extern const std::string_view kLauncherStreamNumberText;
// The memory of arguments that are workspaces.
extern const std::string_view kLauncherWorkspacesText;
// The values of constants that are set once.
extern const std::string_view kLauncherConstantsText;
// The function of a launcher in OpenCL, and what it keeps.
extern const std::string_view kOpenClLauncherText;

}  // namespace tuner
