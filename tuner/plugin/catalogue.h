#pragma once
// The catalogue of what the loaded plugins offer, by kind and name; it makes these things, too.

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/base/expected.h"
#include "tuner/model/study.h"
#include "tuner/plugin/adapters.h"
#include "tuner/plugin/loader.h"
#include "tuner/ports/backend.h"
#include "tuner/ports/strategy.h"

namespace tuner {

enum class PluginKind : std::uint32_t {
  kBackend,
  kCompiler,
  kStrategy,
  kExporter,
  kProblem,
  kObserver,
  kAdvisor
};
inline constexpr std::size_t kPluginKindCount = 7;

struct PluginInfo {
  std::string name;
  std::string version;
  std::filesystem::path file;
};

// A value: copies refer to the same plugins, which are never unloaded. An option that the item does
// not declare is an InputError that lists those it has.
class Catalogue {
 public:
  static Catalogue load(const PluginSearch& search);

  const std::vector<PluginInfo>& plugins() const { return plugins_; }
  const std::vector<LoadProblem>& problems() const { return problems_; }
  const std::vector<PluginItem>& items(PluginKind kind) const {
    return items_[static_cast<std::size_t>(kind)];
  }
  const PluginItem* find(PluginKind kind, std::string_view name) const;  // null: not there
  std::vector<std::string> names(PluginKind kind) const;
  // The compiler for what the compiler of the backend's own name does not take; null: none.
  const PluginItem* second_compiler(std::string_view backend) const;
  // Explains a name that is none of `known`: what may be meant, or which plugin was not loaded, and
  // why.
  std::string hint_for(const std::string& name, const std::vector<std::string>& known) const;

  // `space` (space_table() of a space) refers to what must outlive the strategy. Throws InputError
  // (at `where`) for a name that is not there and for options that the strategy does not accept.
  std::unique_ptr<Strategy> make_strategy(const std::string& name, const tuner_space& space,
                                          std::uint64_t seed, const Budget& budget,
                                          const OptionList& options, const Position& where = {},
                                          std::size_t objectives = 1) const;

  // Throws InputError with all that is wrong with the options; `text` is what their positions are
  // in. Options of a backend are its compiler's, too: each gets those that it declares.
  void check_options(PluginKind kind, const std::string& name, const OptionList& options,
                     const Position& where = {}, const std::string& text = "") const;

  // The compiler of a backend. Throws UnavailableError that says what is missing.
  std::unique_ptr<Compiler> make_compiler(const std::string& backend,
                                          const OptionList& options = {}) const;

  // The error says why not. May initialise a driver: for workers only.
  DeviceResult<std::unique_ptr<Backend>> open_backend(const std::string& name, std::uint32_t device,
                                                      const OptionList& options = {}) const;
  DeviceResult<std::uint32_t> device_count(const std::string& backend) const;

  // `document` writes what the exporter reads. Throws InputError for a name that is not there, and
  // for options that the exporter does not accept.
  std::unique_ptr<Exporter> make_exporter(const std::string& name, ResultsDocument document,
                                          const OptionList& options = {}) const;

  // Asks an advisor for configurations; its answer, or a sentence that says why there is none.
  Expected<std::string, std::string> ask_advisor(const std::string& name, const OptionList& options,
                                                 const std::string& question) const;

  // Makes a problem for a size with these extents. The error is a sentence that names the problem.
  Expected<std::unique_ptr<Problem>, std::string> make_problem(
      const std::string& name, const OptionList& options,
      const std::vector<std::pair<std::string, std::int64_t>>& extents) const;
  // Metrics and the names of their values: an empty name stands for the value with the metric's
  // name, or the observer's only one. The error is a sentence that names the observer.
  Expected<std::unique_ptr<Observer>, std::string> make_observer(
      const std::string& name, const OptionList& options,
      const std::vector<std::pair<std::string, std::string>>& metrics) const;
  // Throws InputError for what the study names and no plugin offers: its problem, its observers,
  // their values, and the options of all.
  void check_study(const Study& study) const;
  // Names and versions of the plugins of a study's problem and observers; empty without any.
  std::string versions_for(const Study& study) const;

 private:
  void add_file(const std::filesystem::path& file);
  void add_items(PluginKind kind, const tuner_plugin& plugin, const std::filesystem::path& file);
  const PluginItem& require(PluginKind kind, const std::string& name, const Position& where) const;

  std::vector<PluginInfo> plugins_;
  std::vector<LoadProblem> problems_;
  std::array<std::vector<PluginItem>, kPluginKindCount> items_;
};

}  // namespace tuner
