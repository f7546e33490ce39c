#pragma once
// Internals of the library's objects, and conversions between its types and the program's.

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/bench/settings.h"
#include "tuner/library/tuner.h"
#include "tuner/model/problem_size.h"
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
// Check a setting and convert it; it may come from a language that made a negative number, or NaN,
// of it. Throw Error for those.
std::uint64_t count_of(std::uint64_t evaluations);
unsigned workers_of(unsigned jobs);
double seconds_of(double seconds);
tuner::OptionList option_list(const Options& options);
// The study's search, with this strategy and its options where one is named.
tuner::SearchSpec search_of(const tuner::Study& study, const std::string& strategy,
                            const Options& options);
// Makes a run's settings of an application's choices, else of the study's.
template <typename Said>
tuner::Settings settings_of(const tuner::Study& study, const Said& said) {
  tuner::Settings out{study};
  if (said.backend != "auto" || study.backend.name == "auto") {
    out.study.backend = {said.backend, option_list(said.backend_options)};
  }
  out.study.search = search_of(study, said.strategy, said.strategy_options);
  out.seed = said.seed;
  out.results = said.results;
  return out;
}
Configuration with_names(const std::vector<tuner::Parameter>& parameters,
                         const tuner::Configuration& values);

template <typename Body>
auto guarded(Body&& body) {
  try {
    return body();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(error.what());
  }
}

class TuningWork {
 public:
  virtual ~TuningWork() = default;
  virtual void add(const tuner::ProblemSize& size, const Buffers& data) = 0;
  virtual Progress step(double milliseconds) = 0;
  virtual std::optional<Tuning::Choice> best(const std::string& label) const = 0;
  virtual bool launch(const std::string& label, const Buffers& buffers) = 0;
};

// Milliseconds of a steady clock; a test has one of its own.
using ClockMs = std::function<double()>;

// Compiled by workers, verified and measured on a device of this process.
std::unique_ptr<TuningWork> tune_study(const tuner::Study& study, const TuningSettings& settings,
                                       ClockMs now_ms);
// Launched by settings.launch.
std::unique_ptr<TuningWork> tune_launches(const tuner::Study& study, const TuningSettings& settings,
                                          ClockMs now_ms);

// The evaluations of the settings, else of the study, else a usual number.
std::uint64_t evaluations_of(const tuner::Study& study, const TuningSettings& settings);

}  // namespace libtuner
