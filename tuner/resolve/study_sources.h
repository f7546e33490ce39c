#pragma once
// The texts of a study's sources, as compilers get them, and everything that they include.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/model/study.h"
#include "tuner/source/known_sources.h"
#include "tuner/source/signature.h"

namespace tuner {

// The study with another source of its kernel. The reference stays the study's own, so that no
// kernel is compared with what came with it.
Study with_source(Study study, const std::filesystem::path& source);

// The texts that a source includes, and its definitions by options: what its macros stand for.
std::vector<std::string> header_texts(const Study& study, const std::filesystem::path& source);

// The text of a source as compilers get it: without what is for the host, where the study's options
// do not make device code of all. Throws FatalError for a file that cannot be read.
std::string device_text(const Study& study, const std::filesystem::path& source);

struct SourceTexts {
  std::string kernel;     // without kernels that no variant launches
  std::string reference;  // the kernel's own where the study names no other; all of it, so that
                          // a source that does not compile ends a run at its beginning
  std::string digest;     // over both files and everything that they include
  KnownSources known;     // what that covers
};

// Throws FatalError when a file cannot be read.
SourceTexts read_sources(const Study& study);

// How much of a source a compiler gets.
enum class SourceForm {
  kDevicePart,  // as read_sources() makes it
  kWhole,       // with the code for the host, for compilers that take such
  kBare,        // what its kernels need of it, and of all that it includes of the user's
};

// Replaces the texts of read_sources() by those of another form. Where none can be made, the texts
// stay what they are.
SourceTexts in_form(const Study& study, SourceTexts sources, SourceForm form);

// The text of a source and of each file that it includes, with their paths. Throws FatalError for a
// source that cannot be read.
std::vector<SourceText> source_texts(const Study& study, const std::filesystem::path& source);

// The files beside the sources that are read where something is compiled or measured: headers, and
// what fills arguments and answers at the sizes that the study lists, or that a run with this seed
// chooses from its domain. Some need not be there.
std::vector<std::string> files_of_workers(const Study& study, const SourceTexts& sources,
                                          std::uint64_t seed);

// Says which of the study's options this compiler does not get, because they mean nothing to who
// reads such options (tuner_option_dialect); empty where it gets all.
std::string idle_options_note(const Study& study, const std::string& compiler,
                              std::uint32_t dialect);

}  // namespace tuner
