// Lists what the loaded plugins offer and makes it by name.

#include "tuner/plugin/catalogue.h"

#include <algorithm>
#include <optional>
#include <set>

#include "tuner/base/text.h"
#include "tuner/plugin/abi_text.h"
#include "tuner/plugin/sdk_core.h"

namespace tuner {
namespace {

struct KindRow {
  const char* abi_name;
  const char* word;
  std::size_t factory_size;
};
constexpr std::array<KindRow, kPluginKindCount> kKinds{{
    {TUNER_KIND_BACKEND, "backend", sizeof(tuner_backend_factory)},
    {TUNER_KIND_COMPILER, "compiler", sizeof(tuner_compiler_factory)},
    {TUNER_KIND_STRATEGY, "strategy", sizeof(tuner_strategy_factory)},
    {TUNER_KIND_EXPORTER, "exporter", sizeof(tuner_exporter_factory)},
    {TUNER_KIND_PROBLEM, "problem", sizeof(tuner_problem_factory)},
    {TUNER_KIND_OBSERVER, "observer", sizeof(tuner_observer_factory)},
    {TUNER_KIND_ADVISOR, "advisor", sizeof(tuner_advisor_factory)},
}};

const KindRow& row(PluginKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::string named(PluginKind kind, const std::string& name) {
  return std::string(row(kind).word) + " '" + name + "'";
}

// How every factory begins.
struct FactoryHead {
  std::uint32_t struct_size;
  std::uint32_t count;
  const tuner_item_info* (*info)(std::uint32_t item);
};

// Lists the values that an observer declares; empty where it declares none.
std::vector<PluginValue> values_of(const PluginItem& item) {
  std::uint32_t count = 0;
  const tuner_value_info* all =
      item.factory_as<tuner_observer_factory>().values(item.number, &count);
  std::vector<PluginValue> values;
  for (std::uint32_t i = 0; all != nullptr && i < count; ++i) {
    values.push_back({from_abi(all[i].name), from_abi(all[i].unit), from_abi(all[i].help)});
  }
  return values;
}

// Returns what a factory says of its item; zeros where it says nothing.
template <typename Factory>
auto traits_of(const PluginItem& item) {
  const auto function = item.factory_as<Factory>().traits;
  return function == nullptr ? decltype(function(0)){} : function(item.number);
}

// ---- options, checked by what plugins say of them, before a plugin sees any ---------------------

bool is_understood(std::string_view allowed) {
  const auto rest = [&](std::string_view head) {
    return allowed.starts_with(head) ? allowed.substr(head.size()) : std::string_view();
  };
  std::int64_t whole = 0, last_whole = 0;
  double number = 0, last_number = 0;
  return allowed.empty() || allowed == "flag" || !rest("one of ").empty() ||
         sdk::detail::read_range(rest("integer "), whole, last_whole) ||
         sdk::detail::read_range(rest("number "), number, last_number);
}

// Why a plugin's description of its options cannot be used; empty when it can.
std::string description_fault(const std::vector<PluginOption>& options) {
  std::set<std::string> seen;
  for (const PluginOption& one : options) {
    if (one.name.empty()) return "one of its options has no name";
    if (!seen.insert(one.name).second) return "it has option '" + one.name + "' twice";
    if (!is_understood(one.allowed)) {
      return "what its option '" + one.name + "' allows is not understood: '" + one.allowed + "'";
    }
    if (const auto misfit = sdk::detail::misfit(one.allowed, one.default_value); !misfit.empty()) {
      return "the default of its option '" + one.name + "' is '" + one.default_value +
             "': it must be " + misfit;
    }
  }
  return "";
}

// Finds faults in options that the items declare together: names that none of them has, values that
// it does not take. `owner` is what they belong to: "strategy 'genetic'". An option without a
// position of its own is at `where`.
std::vector<Complaint> option_complaints(const std::vector<const PluginItem*>& items,
                                         const std::string& owner, const OptionList& options,
                                         const Position& where) {
  std::vector<PluginOption> known;
  std::vector<std::string> names;
  std::vector<std::string> shown;
  for (const PluginItem* item : items) {
    for (const PluginOption& option : item->options) {
      known.push_back(option);
      names.push_back(option.name);
      shown.push_back(option.name + "=" + option.default_value);
    }
  }
  std::vector<Complaint> out;
  for (const OptionValue& given : options) {
    const Position& at = given.where.line > 0 ? given.where : where;
    if (std::find(names.begin(), names.end(), given.name) == names.end()) {
      out.push_back({at,
                     "unknown option '" + given.name + "'; " + owner +
                         (known.empty() ? " has no options" : " has: " + listed(shown)),
                     did_you_mean(given.name, names)});
    }
    for (const PluginOption& option : known) {
      if (option.name != given.name) continue;
      if (const auto misfit = sdk::detail::misfit(option.allowed, given.value); !misfit.empty()) {
        out.push_back(
            {at,
             owner + ": option '" + given.name + "' is '" + given.value + "': it must be " + misfit,
             ""});
      }
    }
  }
  return out;
}

// Selects those of `options` that the item declares.
OptionList options_for(const PluginItem& item, const OptionList& options) {
  OptionList out;
  for (const OptionValue& one : options) {
    const bool declared = std::any_of(item.options.begin(), item.options.end(),
                                      [&](const auto& option) { return option.name == one.name; });
    if (declared) out.push_back(one);
  }
  return out;
}

}  // namespace

Catalogue Catalogue::load(const PluginSearch& search) {
  Catalogue out;
  out.problems_ = search.ignored;
  for (const auto& directory : search.directories) {
    for (const auto& file : plugin_files(directory)) out.add_file(file);
  }
  return out;
}

void Catalogue::add_file(const std::filesystem::path& file) {
  const auto plugin = load_plugin(file);
  if (!plugin) {
    problems_.push_back({file, plugin.error()});
    return;
  }
  plugins_.push_back({(*plugin)->name, (*plugin)->version, file});
  for (std::size_t kind = 0; kind < kPluginKindCount; ++kind) {
    add_items(static_cast<PluginKind>(kind), **plugin, file);
  }
}

void Catalogue::add_items(PluginKind kind, const tuner_plugin& plugin,
                          const std::filesystem::path& file) {
  const void* factory = plugin.get_factory(row(kind).abi_name);
  if (factory == nullptr) return;
  const auto& head = *static_cast<const FactoryHead*>(factory);
  if (head.struct_size < row(kind).factory_size || head.info == nullptr) {
    problems_.push_back({file, std::string("its table for ") + row(kind).abi_name + " has " +
                                   std::to_string(head.struct_size) + " bytes, it needs " +
                                   std::to_string(row(kind).factory_size)});
    return;
  }
  for (std::uint32_t number = 0; number < head.count; ++number) {
    const tuner_item_info* info = head.info(number);
    if (info == nullptr || info->struct_size < sizeof(tuner_item_info) || info->name == nullptr) {
      problems_.push_back({file, std::string(row(kind).word) + " number " + std::to_string(number) +
                                     " has no description"});
      continue;
    }
    PluginItem item{info->name, from_abi(info->summary), {}, plugin.name, file, factory, number};
    for (std::uint32_t i = 0; i < info->option_count; ++i) {
      const tuner_option_info& option = info->options[i];
      item.options.push_back({from_abi(option.name), from_abi(option.default_value),
                              from_abi(option.help), from_abi(option.allowed)});
    }
    if (kind == PluginKind::kObserver) item.values = values_of(item);
    if (kind == PluginKind::kBackend) item.backend = traits_of<tuner_backend_factory>(item);
    if (kind == PluginKind::kCompiler) item.compiler = traits_of<tuner_compiler_factory>(item);
    std::string fault = description_fault(item.options);
    if (kind == PluginKind::kObserver && item.values.empty()) fault = "it gives no values";
    if (!fault.empty()) {
      problems_.push_back({file, named(kind, item.name) + ": " + fault});
      continue;
    }
    if (const PluginItem* first = find(kind, item.name)) {
      problems_.push_back(
          {file, named(kind, item.name) + " is already offered by " + first->file.string()});
      continue;
    }
    items_[static_cast<std::size_t>(kind)].push_back(std::move(item));
  }
}

const PluginItem* Catalogue::find(PluginKind kind, std::string_view name) const {
  const auto& all = items(kind);
  const auto it = std::find_if(all.begin(), all.end(),
                               [&](const PluginItem& item) { return item.name == name; });
  return it == all.end() ? nullptr : &*it;
}

std::vector<std::string> Catalogue::names(PluginKind kind) const {
  std::vector<std::string> out;
  for (const PluginItem& item : items(kind)) out.push_back(item.name);
  return out;
}

const PluginItem* Catalogue::second_compiler(std::string_view backend) const {
  const auto& all = items(PluginKind::kCompiler);
  const auto it = std::ranges::find_if(all, [&](const PluginItem& item) {
    return item.compiler.second_for != nullptr && item.compiler.second_for == backend;
  });
  return it == all.end() ? nullptr : &*it;
}

const PluginItem& Catalogue::require(PluginKind kind, const std::string& name,
                                     const Position& where) const {
  if (const PluginItem* item = find(kind, name)) return *item;
  const auto known = names(kind);
  throw InputError(
      Complaint{where,
                std::string("there is no ") + row(kind).word + " '" + name + "'; " +
                    (known.empty() ? "none is installed" : "there are: " + listed(known)),
                hint_for(name, known)});
}

std::string Catalogue::hint_for(const std::string& name,
                                const std::vector<std::string>& known) const {
  std::string hint = did_you_mean(name, known);
  if (!hint.empty() || problems_.empty()) return hint;
  hint = "not used: " + problems_.front().path.string() + ": " + problems_.front().reason;
  if (problems_.size() > 1) hint += "; 'tuner list plugins' names the others";
  return hint;
}

std::unique_ptr<Strategy> Catalogue::make_strategy(const std::string& name,
                                                   const tuner_space& space, std::uint64_t seed,
                                                   const Budget& budget, const OptionList& options,
                                                   const Position& where,
                                                   std::size_t objectives) const {
  const PluginItem& item = require(PluginKind::kStrategy, name, where);
  check_options(PluginKind::kStrategy, name, options, where);
  auto made = make_plugin_strategy(item, space, seed, budget, options, objectives);
  if (!made) {
    throw InputError(Complaint{where, "strategy '" + name + "': " + made.error(), ""});
  }
  return std::move(*made);
}

void Catalogue::check_options(PluginKind kind, const std::string& name, const OptionList& options,
                              const Position& where, const std::string& text) const {
  std::vector<const PluginItem*> items{&require(kind, name, where)};
  const PluginItem* compiler =
      kind == PluginKind::kBackend ? find(PluginKind::kCompiler, name) : nullptr;
  if (compiler != nullptr) items.push_back(compiler);
  auto complaints = option_complaints(items, named(kind, name), options, where);
  if (!complaints.empty()) throw InputError(std::move(complaints), text);
}

std::unique_ptr<Compiler> Catalogue::make_compiler(const std::string& backend,
                                                   const OptionList& options) const {
  const PluginItem* item = find(PluginKind::kCompiler, backend);
  if (item == nullptr) throw UnavailableError("no plugin compiles for backend '" + backend + "'");
  auto made = make_plugin_compiler(*item, options_for(*item, options));
  if (!made) throw UnavailableError(backend + ": " + made.error());
  return std::move(*made);
}

DeviceResult<std::unique_ptr<Backend>> Catalogue::open_backend(const std::string& name,
                                                               std::uint32_t device,
                                                               const OptionList& options) const {
  const PluginItem& item = require(PluginKind::kBackend, name, {});
  check_options(PluginKind::kBackend, name, options);
  return open_plugin_backend(item, device, options_for(item, options));
}

DeviceResult<std::uint32_t> Catalogue::device_count(const std::string& backend) const {
  return count_plugin_devices(require(PluginKind::kBackend, backend, {}));
}

std::unique_ptr<Exporter> Catalogue::make_exporter(const std::string& name,
                                                   ResultsDocument document,
                                                   const OptionList& options) const {
  const PluginItem& item = require(PluginKind::kExporter, name, {});
  check_options(PluginKind::kExporter, name, options);
  return make_plugin_exporter(item, options, std::move(document));
}

Expected<std::string, std::string> Catalogue::ask_advisor(const std::string& name,
                                                          const OptionList& options,
                                                          const std::string& question) const {
  return ask_plugin_advisor(require(PluginKind::kAdvisor, name, {}), options, question);
}

Expected<std::unique_ptr<Problem>, std::string> Catalogue::make_problem(
    const std::string& name, const OptionList& options,
    const std::vector<std::pair<std::string, std::int64_t>>& extents) const {
  return make_plugin_problem(require(PluginKind::kProblem, name, {}), options, extents);
}

namespace {

// The place of the value that a metric is to have; nothing where the observer has none such.
std::optional<std::size_t> place_of_value(const PluginItem& observer, const std::string& metric,
                                          const std::string& value) {
  if (value.empty() && observer.values.size() == 1) return 0;
  const std::string& wanted = value.empty() ? metric : value;
  const auto found = std::ranges::find(observer.values, wanted, &PluginValue::name);
  if (found == observer.values.end()) return std::nullopt;
  return static_cast<std::size_t>(found - observer.values.begin());
}

Complaint no_such_value(const PluginItem& observer, const ObserverSpec& spec) {
  std::vector<std::string> known;
  for (const PluginValue& one : observer.values) known.push_back(one.name);
  const std::string& wanted = spec.value.empty() ? spec.metric : spec.value;
  return {spec.value_where,
          "observer '" + observer.name + "' gives no '" + wanted + "'; it gives: " + listed(known),
          did_you_mean(wanted, known)};
}

}  // namespace

Expected<std::unique_ptr<Observer>, std::string> Catalogue::make_observer(
    const std::string& name, const OptionList& options,
    const std::vector<std::pair<std::string, std::string>>& metrics) const {
  const PluginItem& item = require(PluginKind::kObserver, name, {});
  ObservedMetrics places;
  for (const auto& [metric, value] : metrics) {
    const auto place = place_of_value(item, metric, value);
    if (!place) return Unexpected{"observer '" + name + "' gives no '" + value + "'"};
    places.emplace_back(metric, *place);
  }
  return make_plugin_observer(item, options, std::move(places));
}

void Catalogue::check_study(const Study& study) const {
  std::vector<Complaint> complaints;
  const auto check = [&](PluginKind kind, const std::string& name, const OptionList& options,
                         const Position& where) {
    try {
      check_options(kind, name, options, where);
      return true;
    } catch (const InputError& error) {
      const auto& found = error.complaints();
      complaints.insert(complaints.end(), found.begin(), found.end());
      return false;
    }
  };
  if (study.problem) {
    check(PluginKind::kProblem, study.problem->name, study.problem->options, study.problem->where);
  }
  for (const AdviceSource& source : study.search.advice) {
    if (source.kind != AdviceSource::Kind::kPlugin) continue;
    check(PluginKind::kAdvisor, source.words.front(), source.options, source.where);
  }
  for (const ObserverSpec& spec : study.observers) {
    if (!check(PluginKind::kObserver, spec.name, spec.options, spec.where)) continue;
    const PluginItem& item = require(PluginKind::kObserver, spec.name, spec.where);
    if (!place_of_value(item, spec.metric, spec.value)) {
      complaints.push_back(no_such_value(item, spec));
    }
  }
  if (!complaints.empty()) throw InputError(std::move(complaints), study.text);
}

std::string Catalogue::versions_for(const Study& study) const {
  std::vector<std::string> versions;
  const auto add = [&](PluginKind kind, const std::string& name) {
    const PluginItem& item = require(kind, name, {});
    const auto plugin = std::ranges::find(plugins_, item.file, &PluginInfo::file);
    std::string text = named(kind, name) + " of " + item.plugin + " " + plugin->version;
    if (std::ranges::find(versions, text) == versions.end()) versions.push_back(std::move(text));
  };
  if (study.problem) add(PluginKind::kProblem, study.problem->name);
  for (const ObserverSpec& spec : study.observers) add(PluginKind::kObserver, spec.name);
  return listed(versions);
}

}  // namespace tuner
