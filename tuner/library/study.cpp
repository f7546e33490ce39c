// Studies, and where the installation is.

#include <fmt/format.h>

#include <filesystem>

#include "tuner/library/guarded.h"
#include "tuner/library/state.h"
#include "tuner/plugin/loader.h"
#include "tuner/study/yaml_reader.h"

namespace libtuner {

namespace fs = std::filesystem;

namespace {

std::string prefix_of(const Installation& installation) {
  if (!installation.prefix.empty()) return installation.prefix;
  return tuner::module_file().parent_path().parent_path().string();
}

}  // namespace

Study Study::load(const std::string& path) {
  return guarded([&] {
    auto file = tuner::read_study_file(path);
    Study out;
    out.state_ = std::make_unique<State>();
    out.state_->study = std::move(file.study);
    for (const tuner::Complaint& warning : file.warnings) {
      out.state_->warnings.push_back(warning.message);
    }
    return out;
  });
}
Study::Study() = default;
Study::~Study() = default;
Study::Study(Study&&) noexcept = default;
Study& Study::operator=(Study&&) noexcept = default;

std::vector<std::string> Study::sizes() const {
  std::vector<std::string> out;
  for (const tuner::ProblemSize& size : state_->study.sizes) out.push_back(text_of(size));
  return out;
}

std::vector<std::string> Study::warnings() const { return state_->warnings; }

std::string text_of(const tuner::ProblemSize& size) {
  std::string out;
  for (const auto& [name, extent] : size.dims) {
    out += (out.empty() ? "" : ",") + name + "=" + std::to_string(extent);
  }
  return out;
}

std::string program_of(const Installation& installation) {
  return (fs::path(prefix_of(installation)) / "bin" / "tuner").string();
}

tuner::Catalogue load_catalogue(const Installation& installation) {
  return tuner::Catalogue::load(
      tuner::plugin_search(fs::path(prefix_of(installation)) / "bin", "",
                           {installation.plugin_dirs.begin(), installation.plugin_dirs.end()}));
}

std::uint64_t count_of(std::uint64_t evaluations) {
  const auto as_signed = static_cast<std::int64_t>(evaluations);
  if (as_signed < 0) throw Error(fmt::format("evaluations is {}: at least 0 is needed", as_signed));
  return evaluations;
}

unsigned workers_of(unsigned jobs) {
  constexpr unsigned kMostJobs = 4096;
  const auto as_signed = static_cast<int>(jobs);
  if (jobs > kMostJobs)
    throw Error(fmt::format("jobs is {}: 0 to {} is allowed", as_signed, kMostJobs));
  return jobs;
}

double seconds_of(double seconds) {
  if (!(seconds >= 0)) throw Error(fmt::format("seconds is {}: at least 0 is needed", seconds));
  return seconds;
}

tuner::OptionList option_list(const Options& options) {
  tuner::OptionList out;
  for (const auto& [name, value] : options) out.push_back({name, value});
  return out;
}

tuner::SearchSpec search_of(const tuner::Study& study, const std::string& strategy,
                            const Options& options) {
  if (strategy.empty()) return study.search;
  return {strategy, option_list(options), study.search.budget, study.search.until_loss, {}};
}

Configuration with_names(const std::vector<tuner::Parameter>& parameters,
                         const tuner::Configuration& values) {
  Configuration out;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    out.emplace_back(parameters[i].name, values[i]);
  }
  return out;
}

}  // namespace libtuner
