#pragma once
// Beginnings of files by which the program knows again what it wrote.

namespace tuner {

// Begins files of -D lines: compilers take it, and nothing follows from it.
inline constexpr const char* kDefinesMark = "-UTUNER_MADE_THESE_DEFINITIONS\n";

inline constexpr const char* kReportMark = "<!DOCTYPE html><!-- Made by tuner ";

}  // namespace tuner
