// Copies the trials of one store into another.

#include "tuner/store/merge.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "tuner/store/store_impl.h"

namespace tuner {
namespace {

// A context as the other store has it; empty when its parts do not fit each other.
std::optional<ContextKey> fitting_key(const Statement& row) {
  try {
    ContextKey key = key_at(row, 2);
    if (context_key_text(key) == row.text(1)) return key;
  } catch (const nlohmann::json::exception&) {  // damaged
  }
  return std::nullopt;
}

class Merger {
 public:
  Merger(Store::Impl& into, Database& other) : into_(into), other_(other) {}

  MergeReport run() {
    Statement contexts = other_.query(
        "SELECT id, key, kernel, device, size, parameters, identity, generation FROM contexts"
        " ORDER BY id");
    while (contexts.step()) {
      if (const auto key = fitting_key(contexts)) {
        copy_context(*key, contexts.integer(0), contexts.integer(7));
      } else {
        ++report_.damaged;
      }
    }
    return report_;
  }

 private:
  void copy_context(const ContextKey& key, std::int64_t id, std::int64_t generation) {
    const bool is_new =
        !into_.db().query("SELECT 1 FROM contexts WHERE key = ?", context_key_text(key)).step();
    ++report_.contexts;
    report_.new_contexts += is_new ? 1 : 0;
    const Context context = into_.context(key);
    copy_ranking(id, context.id);
    copy_hosts(id, context.id);
    const std::int64_t own_generation = into_.generation(context);
    Statement trials = trial_rows(other_, id, generation);
    while (trials.step()) {
      const TrialRow row = row_at(trials);
      if (row.checksum(id, generation) != trials.integer(8)) {
        ++report_.damaged;
      } else {
        copy_trial(context, own_generation, row);
      }
    }
  }

  // Copies how a context is ranked, unless this store has that already: its own runs go by it.
  void copy_ranking(std::int64_t from, std::int64_t to) {
    if (into_.ranked_by(to)) return;
    Statement query = other_.query("SELECT text FROM rankings WHERE id = ?", from);
    if (!query.step()) return;
    try {
      into_.rank_by(to, ranked_by_from(parse_json(query.text(0))));
    } catch (const nlohmann::json::exception&) {
      ++report_.damaged;
    }
  }

  void copy_hosts(std::int64_t from, std::int64_t to) {
    Statement query = other_.query("SELECT host FROM hosts WHERE context = ?", from);
    while (query.step()) into_.add_host(to, query.text(0), true);
  }

  void copy_trial(const Context& context, std::int64_t generation, TrialRow row) {
    const bool is_ahead = row.recorded > now_;  // ISO 8601 sorts as text
    if (is_ahead) {
      ++report_.ahead;
      report_.furthest = std::max(report_.furthest, std::exchange(row.recorded, now_));
    }
    Statement own = into_.db().query(
        "SELECT recorded, time_ms, state, checksum FROM trials WHERE context = ? AND generation = ?"
        " AND configuration = ?",
        context.id, generation, row.configuration);
    const bool there = own.step();
    const bool same = there && own.integer(3) == row.checksum(context.id, generation);
    // Nothing would ever be later than a date that lies ahead here.
    const bool older = there && (own.text(0) > now_ || own.text(0) < row.recorded);
    const std::string_view ok = name_of(TrialState::kOk);
    const bool both_valid = there && own.text(2) == ok && row.state == ok && own.real(1) > 0;
    if (both_valid && !same && own.text(0) != row.recorded) {
      report_.ratios.push_back(row.time_ms / own.real(1));
    }
    const bool imported_before = is_ahead && same && own.text(0) <= now_;
    own.reset();
    if (there && (!older || imported_before)) {
      ++report_.kept;
      return;
    }
    into_.write(context, generation, row);
    ++(there ? report_.replaced : report_.added);
  }

  Store::Impl& into_;
  Database& other_;
  const std::string now_ = utc_now();
  MergeReport report_;
};

}  // namespace

MergeReport merge_store(Store& into, const std::filesystem::path& other) {
  const OpenDatabase opened = open_for_reading(other);
  std::error_code error;
  if (std::filesystem::equivalent(opened.database->path(), into.file(), error)) {
    throw InputError(Complaint{{}, other.string() + " is the store that it should go into", ""});
  }
  opened.database->execute("BEGIN");  // one state of it, whatever others write meanwhile
  into.impl().db().execute("PRAGMA synchronous = FULL");
  Transaction transaction(into.impl().db());
  MergeReport report = Merger(into.impl(), *opened.database).run();
  transaction.commit();
  return report;
}

void record_all(Store& into, std::span<const TrialBatch> batches) {
  Store::Impl& impl = into.impl();
  impl.db().execute("PRAGMA synchronous = FULL");
  Transaction transaction(impl.db());
  for (const TrialBatch& batch : batches) {
    const Context context = impl.context(batch.key);
    impl.rank_by(context.id, batch.ranked_by);
    const std::int64_t generation = impl.generation(context);
    for (const Trial& trial : batch.trials) impl.write(context, generation, trial);
  }
  transaction.commit();
}

}  // namespace tuner
