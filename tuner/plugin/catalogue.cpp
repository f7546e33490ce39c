// Lists what the loaded plugins offer and makes it by name.

#include "tuner/plugin/catalogue.h"

#include <algorithm>

#include "tuner/plugin/abi_text.h"
#include "tuner/plugin/option_check.h"

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

std::string join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
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
    if (const std::string fault = description_fault(item.options); !fault.empty()) {
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

const PluginItem& Catalogue::require(PluginKind kind, const std::string& name,
                                     const Position& where) const {
  if (const PluginItem* item = find(kind, name)) return *item;
  const auto known = names(kind);
  throw InputError(
      Complaint{where,
                std::string("there is no ") + row(kind).word + " '" + name + "'; " +
                    (known.empty() ? "none is installed" : "there are: " + join(known)),
                did_you_mean(name, known)});
}

std::unique_ptr<Strategy> Catalogue::make_strategy(const std::string& name,
                                                   const tuner_space& space, std::uint64_t seed,
                                                   const Budget& budget, const OptionList& options,
                                                   const Position& where,
                                                   std::size_t objectives) const {
  const PluginItem& item = require(PluginKind::kStrategy, name, where);
  check_options(PluginKind::kStrategy, name, options, where);
  auto made =
      make_plugin_strategy(*static_cast<const tuner_strategy_factory*>(item.factory), item.number,
                           item.name, space, seed, budget, options, objectives);
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
  auto made = make_plugin_compiler(*static_cast<const tuner_compiler_factory*>(item->factory),
                                   item->number, options_for(*item, options));
  if (!made) throw UnavailableError(backend + ": " + made.error());
  return std::move(*made);
}

DeviceResult<std::unique_ptr<Backend>> Catalogue::open_backend(const std::string& name,
                                                               std::uint32_t device,
                                                               const OptionList& options) const {
  const PluginItem& item = require(PluginKind::kBackend, name, {});
  check_options(PluginKind::kBackend, name, options);
  return open_plugin_backend(*static_cast<const tuner_backend_factory*>(item.factory), item.number,
                             item.name, device, options_for(item, options));
}

Expected<std::uint32_t, std::string> Catalogue::device_count(const std::string& backend) const {
  const PluginItem& item = require(PluginKind::kBackend, backend, {});
  StringSink error;
  const int count = static_cast<const tuner_backend_factory*>(item.factory)
                        ->device_count(item.number, error.sink());
  if (count < 0) return Unexpected{error.text};
  return static_cast<std::uint32_t>(count);
}

std::unique_ptr<Exporter> Catalogue::make_exporter(const std::string& name,
                                                   ResultsDocument document,
                                                   const OptionList& options) const {
  const PluginItem& item = require(PluginKind::kExporter, name, {});
  check_options(PluginKind::kExporter, name, options);
  return make_plugin_exporter(*static_cast<const tuner_exporter_factory*>(item.factory),
                              item.number, item.name, options, std::move(document));
}

}  // namespace tuner
