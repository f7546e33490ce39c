// Stores contexts, sessions and trials.

#include "tuner/store/store.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>

#include "tuner/base/atomic_file.h"
#include "tuner/model/json.h"
#include "tuner/store/store_impl.h"

namespace tuner {
namespace {

// How much a power cut may cost: half a second of trials. Waiting for the disk after each of them
// costs a fast disk 1-5 ms, as long as a short kernel's whole evaluation takes.
constexpr std::chrono::milliseconds kDurableEvery{500};

using Json = nlohmann::ordered_json;

// The parts of the device that can change a time or an answer. Its limits follow from them.
std::vector<std::pair<std::string, std::string>> components(const ContextKey& key) {
  std::vector<std::string> names = key.parameters;
  std::ranges::sort(names);
  std::vector<std::pair<std::string, std::string>> all{
      {"kernel", key.kernel},
      {"backend", key.device.backend},
      {"device", key.device.name},
      {"arch", key.device.arch},
      {"driver", key.device.driver},
      {"compute capability", std::to_string(key.device.compute_capability)},
      {"size", key.size.label()},
      {"parameters", dump(Json(names))}};
  auto identity = key.identity;
  std::ranges::sort(identity);
  all.insert(all.end(), identity.begin(), identity.end());
  return all;
}

}  // namespace

std::string context_key_text(const ContextKey& key) {
  Json json = Json::array();
  for (const auto& [name, text] : components(key)) json.push_back({name, text});
  return dump(json);
}

ContextKey key_at(const Statement& row, int kernel_column) {
  ContextKey key;
  key.kernel = row.text(kernel_column);
  key.device = device_facts_from(parse_json(row.text(kernel_column + 1)));
  key.size = problem_size_from(parse_json(row.text(kernel_column + 2)));
  parse_json(row.text(kernel_column + 3)).get_to(key.parameters);
  parse_json(row.text(kernel_column + 4)).get_to(key.identity);
  return key;
}

namespace {

std::string this_host() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

bool is_digest(const std::string& text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

std::vector<std::string> differences(const ContextKey& before, const ContextKey& now) {
  std::vector<std::string> found;
  const auto old_parts = components(before);
  const auto new_parts = components(now);
  const auto text_in = [](const auto& parts, const std::string& name) {
    const auto at = std::ranges::find(parts, name, [](const auto& part) { return part.first; });
    return at == parts.end() ? std::string("(none)") : at->second;
  };
  for (const auto& [name, text] : new_parts) {
    const std::string old_text = text_in(old_parts, name);
    if (old_text == text) continue;
    // The digests themselves say nothing to a reader.
    const bool digests = is_digest(old_text) && is_digest(text);
    found.push_back(digests ? name + ": changed" : name + ": " + old_text + " -> " + text);
  }
  for (const auto& [name, text] : old_parts) {
    if (text_in(new_parts, name) == "(none)") found.push_back(name + ": " + text + " -> (none)");
  }
  return found;
}

bool is_store(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return true;
  if (!is_seekable_file(path)) return false;
  std::string head(15, '\0');
  std::ifstream(path, std::ios::binary)
      .read(head.data(), static_cast<std::streamsize>(head.size()));
  return head == "SQLite format 3";
}

bool operator==(const RankedBy& a, const RankedBy& b) { return to_json(a) == to_json(b); }

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Store Store::open(const std::filesystem::path& directory, Access access) {
  auto impl = std::make_unique<Impl>();
  if (access == Access::kRead) {
    impl->opened = open_for_reading(directory);
    return Store(std::move(impl));
  }
  impl->opened = open_for_writing(directory);
  impl->db().run("INSERT INTO sessions(started) VALUES(?)", utc_now());
  impl->session = impl->db().integer_of("SELECT last_insert_rowid()");
  impl->opened.lock->take(impl->session);
  return Store(std::move(impl));
}

const std::vector<std::string>& Store::notes() const { return impl_->opened.notes; }
const std::filesystem::path& Store::file() const { return impl_->opened.database->path(); }
bool Store::is_in_place() const { return impl_->opened.database->is_in_place(); }

Context Store::Impl::context(const ContextKey& key) {
  const std::string text = context_key_text(key);
  db().run(
      "INSERT INTO contexts(key, kernel, device, size, parameters, identity, created)"
      " VALUES(?,?,?,?,?,?,?) ON CONFLICT(key) DO UPDATE SET parameters = excluded.parameters",
      text, key.kernel, dump(encoded<Json>(key.device)), dump(to_json(key.size)),
      dump(Json(key.parameters)), dump(Json(key.identity)), utc_now());
  Statement query = db().query("SELECT id FROM contexts WHERE key = ?", text);
  query.step();
  return {query.integer(0), key.parameters};
}

std::optional<RankedBy> Store::Impl::ranked_by(std::int64_t context) {
  Statement query = db().query("SELECT text FROM rankings WHERE id = ?", context);
  if (!query.step()) return std::nullopt;
  try {
    return ranked_by_from(parse_json(query.text(0)));
  } catch (const nlohmann::json::exception&) {  // damaged, or of a newer program
    return std::nullopt;
  }
}

void Store::Impl::rank_by(std::int64_t context, const RankedBy& how) {
  db().run(
      "INSERT INTO rankings(id, text) VALUES(?,?) ON CONFLICT(id) DO UPDATE SET text ="
      " excluded.text",
      context, dump(to_json(how)));
}

std::map<std::int64_t, Hosts> Store::Impl::hosts() {
  std::map<std::int64_t, Hosts> all;
  Statement query = db().query("SELECT context, host, imported FROM hosts ORDER BY host");
  while (query.step()) {
    Hosts& found = all[query.integer(0)];
    (query.integer(2) != 0 ? found.imported : found.own).push_back(query.text(1));
  }
  return all;
}

void Store::Impl::add_host(std::int64_t context, const std::string& host, bool imported) {
  db().run(
      "INSERT INTO hosts(context, host, imported) VALUES(?,?,?) ON CONFLICT(context, host) DO"
      " UPDATE SET imported = excluded.imported WHERE imported > excluded.imported",
      context, host, std::int64_t{imported});
}

void Store::Impl::rewrite(const Context& context, std::int64_t generation, const Trial& trial) {
  TrialRow row = to_row(trial, context.parameters);
  Statement there = db().query(
      "SELECT recorded FROM trials WHERE context = ? AND generation = ? AND configuration = ?",
      context.id, generation, row.configuration);
  if (!there.step()) return;
  row.recorded = there.text(0);
  there.reset();
  write(context, generation, row);
}

Context Store::context(const ContextKey& key) {
  Transaction transaction(impl_->db());
  Context context = impl_->context(key);
  transaction.commit();
  return context;
}

std::vector<StoredContext> Store::contexts(const std::string& kernel) {
  Statement query = impl_->db().query(
      "SELECT c.id, c.kernel, c.device, c.size, c.parameters, c.identity, count(t.id),"
      " max(t.recorded) FROM contexts c LEFT JOIN trials t ON t.context = c.id AND"
      " t.generation = c.generation WHERE ?1 = '' OR c.kernel = ?1 GROUP BY c.id ORDER BY c.id",
      kernel);
  std::vector<StoredContext> all;
  std::map<std::int64_t, Hosts> hosts = impl_->hosts();
  while (query.step()) {
    try {
      StoredContext found;
      found.context.id = query.integer(0);
      found.key = key_at(query, 1);
      found.context.parameters = found.key.parameters;
      found.ranked_by = impl_->ranked_by(found.context.id);
      found.trials = static_cast<std::uint64_t>(query.integer(6));
      found.newest = query.text(7);
      found.hosts = std::move(hosts[found.context.id]);
      all.push_back(std::move(found));
    } catch (const nlohmann::json::exception&) {
      impl_->opened.notes.push_back("a damaged context in " + file().string() + " is left out");
    }
  }
  return all;
}

std::vector<Trial> Store::trials(const Context& context) {
  Statement query = trial_rows(impl_->db(), context.id, impl_->generation(context));
  std::vector<Trial> all;
  while (query.step()) {
    if (auto trial = impl_->believed(query, context)) all.push_back(std::move(*trial));
  }
  return all;
}

std::vector<std::pair<std::string, std::string>> Store::dates(const Context& context) {
  Statement query = impl_->db().query(
      "SELECT configuration, recorded FROM trials WHERE context = ? AND generation = ? ORDER BY "
      "id",
      context.id, impl_->generation(context));
  std::vector<std::pair<std::string, std::string>> all;
  while (query.step()) all.emplace_back(query.text(0), query.text(1));
  return all;
}

void Store::record(const Context& context, const Trial& trial) {
  record(context, std::span(&trial, 1));
}

void Store::record(const Context& context, std::span<const Trial> trials) {
  const bool wait = std::chrono::steady_clock::now() - impl_->durable_at >= kDurableEvery;
  impl_->db().execute(wait ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  Transaction transaction(impl_->db());
  const std::int64_t generation = impl_->generation(context);
  for (const Trial& trial : trials) impl_->write(context, generation, trial);
  if (!trials.empty()) impl_->add_host(context.id, this_host(), false);
  transaction.commit();
  if (wait) impl_->durable_at = std::chrono::steady_clock::now();
}

void Store::rewrite(const Context& context, std::span<const Trial> trials, const Trial& measured) {
  Transaction transaction(impl_->db());
  const std::int64_t generation = impl_->generation(context);
  for (const Trial& trial : trials) impl_->rewrite(context, generation, trial);
  impl_->write(context, generation, measured);
  impl_->add_host(context.id, this_host(), false);
  transaction.commit();
}

std::optional<RankedBy> Store::ranked_by(const Context& context) {
  return impl_->ranked_by(context.id);
}

void Store::rank_by(const Context& context, const RankedBy& how, std::span<const Trial> rescored) {
  Transaction transaction(impl_->db());
  impl_->rank_by(context.id, how);
  const std::int64_t generation = impl_->generation(context);
  for (const Trial& trial : rescored) impl_->rewrite(context, generation, trial);
  transaction.commit();
}

void Store::start_afresh(const Context& context) {
  impl_->db().run("UPDATE contexts SET generation = generation + 1 WHERE id = ?", context.id);
}

void Store::mark_in_flight(const Context& context, const Configuration& configuration) {
  // Not waited for: the mark is in the system's hands and survives any kill of this process.
  impl_->db().execute("PRAGMA synchronous = NORMAL");
  impl_->db().run(
      "INSERT INTO in_flight(context, generation, configuration, session)"
      " SELECT id, generation, ?2, ?3 FROM contexts WHERE id = ?1"
      " ON CONFLICT(context, generation, configuration) DO UPDATE SET session = excluded.session",
      context.id, canonical_configuration(context.parameters, configuration), impl_->session);
}

void Store::clear_in_flight(const Context& context, const Configuration& configuration) {
  // Earlier deaths are remembered: being interrupted does not clear a suspect.
  impl_->db().run("UPDATE in_flight SET session = NULL WHERE context = ? AND configuration = ?",
                  context.id, canonical_configuration(context.parameters, configuration));
}

std::vector<Configuration> Store::suspects(const Context& context) {
  Statement query = impl_->db().query(
      "SELECT configuration FROM in_flight WHERE context = ? AND generation = ? AND deaths > 0"
      " ORDER BY configuration",
      context.id, impl_->generation(context));
  std::vector<Configuration> found;
  while (query.step()) found.push_back(configuration_from(query.text(0), context.parameters));
  return found;
}

std::vector<Trial> Store::settle_in_flight(const Context& context) {
  Transaction transaction(impl_->db());
  const std::int64_t generation = impl_->generation(context);
  Statement query = impl_->db().query(
      "SELECT configuration, session, deaths FROM in_flight WHERE context = ? AND generation = ?"
      " AND session IS NOT NULL",
      context.id, generation);
  struct Left {
    std::string configuration;
    std::int64_t deaths;
  };
  std::vector<Left> left;
  while (query.step()) {
    const std::int64_t session = query.integer(1);
    if (session == impl_->session || impl_->opened.lock->is_held(session)) continue;
    left.push_back({query.text(0), query.integer(2) + 1});
  }
  query.reset();
  std::vector<Trial> blamed;
  for (const Left& row : left) {
    impl_->db().run(
        "UPDATE in_flight SET session = NULL, deaths = ? WHERE context = ? AND generation = ?"
        " AND configuration = ?",
        row.deaths, context.id, generation, row.configuration);
    if (row.deaths < kMaxDeaths) continue;
    Trial trial;
    trial.configuration = configuration_from(row.configuration, context.parameters);
    trial.state = TrialState::kRuntime;
    trial.message = "took the tuner down: " + std::to_string(row.deaths) +
                    " runs ended without a word while this configuration was running";
    impl_->write(context, generation, trial);
    blamed.push_back(std::move(trial));
  }
  transaction.commit();
  return blamed;
}

}  // namespace tuner
