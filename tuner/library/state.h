#pragma once
// What stands behind the library's objects, and the words of the house in those of the library.

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/library/tuner.h"
#include "tuner/model/study.h"
#include "tuner/plugin/catalogue.h"
#include "tuner/space/parameter.h"

namespace libtuner {

struct Study::State {
  tuner::Study study;
  std::vector<std::string> warnings;
};

// The program of the installation, whose children measure.
std::string program_of(const Installation& installation);
tuner::Catalogue load_catalogue(const Installation& installation);
// "M=1024,N=1024".
std::string text_of(const tuner::ProblemSize& size);
// What a setting says, which may come from a language that made a negative number, or none, of it.
// Throw Error for those.
std::uint64_t count_of(std::uint64_t evaluations);
unsigned workers_of(unsigned jobs);
double seconds_of(double seconds);
tuner::OptionList option_list(const Options& options);
// The study's search, with this strategy and its options where one is named.
tuner::SearchSpec search_of(const tuner::Study& study, const std::string& strategy,
                            const Options& options);
Configuration with_names(const std::vector<tuner::Parameter>& parameters,
                         const tuner::Configuration& values);

}  // namespace libtuner
