// Ask and tell, runs and results for C: the C++ functions, of which nothing that they throw
// crosses.

#include <string>
#include <vector>

#include "tuner/library/c_texts.h"
#include "tuner/library/tuner.h"
#include "tuner/library/tuner_c.h"

struct tuner_search {
  libtuner::Search search;
  // Asked, and not handed out for want of room.
  std::vector<libtuner::Search::Question> kept;
};

using libtuner::c::guarded;
using libtuner::c::json_of;
using libtuner::c::put;
using libtuner::c::text_of;

namespace {

libtuner::RunSettings settings_of(const tuner_run_settings* from) {
  libtuner::RunSettings to;
  if (from == nullptr) return to;
  if (from->backend != nullptr) to.backend = from->backend;
  to.strategy = text_of(from->strategy);
  if (from->seed > 0) to.seed = from->seed;
  to.evaluations = from->evaluations;
  to.seconds = from->seconds;
  if (from->results != nullptr) to.results = from->results;
  if (from->jobs > 0) to.jobs = from->jobs;
  to.installation.prefix = text_of(from->prefix);
  return to;
}

}  // namespace

extern "C" {

TUNER_LIBRARY tuner_search* tuner_search_open(const char* study, const char* size,
                                              const char* strategy, uint64_t seed,
                                              const char* prefix, char* error, size_t error_room) {
  tuner_search* made = nullptr;
  guarded(error, error_room, {{study, "study"}}, [&] {
    libtuner::SearchSettings settings;
    settings.size = text_of(size);
    settings.strategy = text_of(strategy);
    settings.seed = seed;
    settings.installation.prefix = text_of(prefix);
    made = new tuner_search{libtuner::Search(libtuner::Study::load(text_of(study)), settings), {}};
    return 0;
  });
  return made;
}

TUNER_LIBRARY void tuner_search_close(tuner_search* search) { delete search; }

TUNER_LIBRARY int tuner_search_ask(tuner_search* search, uint64_t* question, char* configuration,
                                   size_t room, char* error, size_t error_room) {
  return guarded(error, error_room, {{search, "search"}, {question, "question"}}, [&] {
    if (search->kept.empty()) search->kept = search->search.ask(1);
    if (search->kept.empty()) return 0;
    const std::string text = json_of(search->kept.back().configuration);
    if (!put(text, configuration, room)) {
      throw libtuner::Error("the configuration needs " + std::to_string(text.size() + 1) +
                            " bytes");
    }
    *question = search->kept.back().number;
    search->kept.pop_back();
    return 1;
  });
}

TUNER_LIBRARY int tuner_search_tell(tuner_search* search, uint64_t question, double value,
                                    double seconds, char* error, size_t error_room) {
  return guarded(error, error_room, {{search, "search"}}, [&] {
    search->search.tell(question, value, seconds);
    return 0;
  });
}

TUNER_LIBRARY int tuner_search_fail(tuner_search* search, uint64_t question, char* error,
                                    size_t error_room) {
  return guarded(error, error_room, {{search, "search"}}, [&] {
    search->search.fail(question);
    return 0;
  });
}

TUNER_LIBRARY int tuner_search_best(tuner_search* search, char* configuration, size_t room,
                                    double* value) {
  return guarded(nullptr, 0, {{search, "search"}, {value, "value"}}, [&] {
    const auto best = search->search.best();
    if (!best) return 0;
    if (!put(json_of(best->configuration), configuration, room)) return -1;
    *value = best->value;
    return 1;
  });
}

TUNER_LIBRARY int tuner_run(const char* study, const tuner_run_settings* settings,
                            void (*trial)(void* context, const char* text, double seconds),
                            int (*stop)(void* context), void* context, char* error,
                            size_t error_room) {
  return guarded(error, error_room, {{study, "study"}}, [&] {
    libtuner::Listener listener;
    if (trial != nullptr) {
      listener.trial = [&](const libtuner::Trial& one, double seconds) {
        trial(context, json_of(one).c_str(), seconds);
      };
    }
    if (stop != nullptr) listener.stop = [&] { return stop(context) != 0; };
    libtuner::run(libtuner::Study::load(text_of(study)), settings_of(settings), listener);
    return 0;
  });
}

TUNER_LIBRARY int tuner_results(const char* study, const char* folder,
                                void (*emit)(void* context, const char* text, size_t size),
                                void* context, char* error, size_t error_room) {
  return guarded(error, error_room, {{study, "study"}, {folder, "folder"}, {emit, "emit"}}, [&] {
    const std::string text =
        libtuner::exported(libtuner::Study::load(text_of(study)), text_of(folder), "json");
    emit(context, text.data(), text.size());
    return 0;
  });
}

}  // extern "C"
