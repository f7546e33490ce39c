// The library's C interface: the C++ functions, none of which lets an exception cross.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tuner/check/checked_study.h"
#include "tuner/files/recording.h"
#include "tuner/files/results_json.h"
#include "tuner/history/stored_results.h"
#include "tuner/library/own_results.h"
#include "tuner/library/tuner.h"
#include "tuner/library/tuner_c.h"
#include "tuner/model/json_text.h"
#include "tuner/model/statistics.h"
#include "tuner/run/output_guard.h"
#include "tuner/study/yaml_reader.h"

struct tuner_tuning {
  libtuner::Tuning tuning;
};

struct tuner_own {
  libtuner::OwnResults results;
};

struct tuner_search {
  libtuner::Search search;
  // Asked, and not handed out for want of room.
  std::vector<libtuner::Search::Question> kept;
};

namespace {

using libtuner::Configuration;
using libtuner::Error;
using libtuner::Trial;

std::string recording_json(const tuner::Recording& recording) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  };
  Json parameters = Json::array();
  for (const tuner::Parameter& one : recording.parameters) {
    Json values = Json::array();
    for (const tuner::Value& value : one.values) values.push_back(tuner::value_to_json(value));
    parameters.push_back({{"name", one.name}, {"values", std::move(values)}});
  }
  Json trials = Json::array();
  for (std::size_t i = 0; i < recording.entries.size(); ++i) {
    const tuner::RecordedTrial& trial = recording.entries[i];
    trials.push_back(
        {{"configuration", tuner::json_of(recording.parameters, recording.configuration(i))},
         {"state", tuner::name_of(trial.state)},
         {"objective", number(trial.objective)},
         {"cost_seconds", number(trial.cost_seconds)}});
  }
  return tuner::dump(Json{{"kernel", recording.kernel},
                          {"device", recording.device},
                          {"objective", recording.objective},
                          {"maximize", recording.maximize},
                          {"parameters", std::move(parameters)},
                          {"notes", recording.notes},
                          {"trials", std::move(trials)}});
}

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

// The object as text, written by hand: ask() is called as often as an application measures, and a
// tree in between would take longer than the search. Names of parameters are identifiers.
std::string json_of(const Configuration& configuration) {
  std::string out = "{";
  for (const auto& [name, value] : configuration) {
    out += out.size() == 1 ? "\"" : ",\"";
    out += name;
    out += "\":";
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      out += std::to_string(*number);
    } else {
      std::visit([&out](const auto& plain) { out += nlohmann::json(plain).dump(); }, value);
    }
  }
  return out += '}';
}

std::string json_of(const Trial& trial) {
  return nlohmann::ordered_json{
      {"configuration", nlohmann::ordered_json::parse(json_of(trial.configuration))},
      {"state", trial.state},
      {"time_ms", trial.time_ms},
      {"objective", trial.objective},
      {"message", trial.message}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// False where there is no room.
bool put(std::string_view text, char* out, std::size_t room) {
  if (out == nullptr || text.size() + 1 > room) return false;
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return true;
}

void put_cut(std::string_view text, char* out, std::size_t room) {
  if (room > 0) put(text.substr(0, std::min(text.size(), room - 1)), out, room);
}

// A pointer that a function cannot do without, and the name that tuner_c.h gives it.
struct Needed {
  template <typename Pointee>
  Needed(Pointee* pointer, const char* its_name) : name(its_name), is_null(pointer == nullptr) {}
  const char* name;
  bool is_null;
};

// Runs `body` and returns its result; -1 with the reason when it throws, or when a needed pointer
// is null.
template <typename Body>
int guarded(char* error, std::size_t error_room, std::initializer_list<Needed> all_needed,
            Body&& body) noexcept {
  try {
    for (const Needed& one : all_needed) {
      if (one.is_null) throw Error("'" + std::string(one.name) + "' is null");
    }
    return body();
  } catch (const std::exception& thrown) {
    put_cut(thrown.what(), error, error_room);
  } catch (...) {
    put_cut("something that is no exception was thrown", error, error_room);
  }
  return -1;
}

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

libtuner::Buffers buffers_of(const tuner_buffer* buffers, size_t count) {
  libtuner::Buffers out;
  if (buffers == nullptr && count > 0) {
    throw Error("no buffers are given; needed: " + std::to_string(count));
  }
  for (size_t i = 0; i < count; ++i) {
    const tuner_buffer& one = buffers[i];
    out.push_back({text_of(one.argument), one.data, one.bytes, one.on_host != 0});
  }
  return out;
}

libtuner::TuningSettings settings_of(const tuner_tuning_settings* from) {
  libtuner::TuningSettings to;
  if (from == nullptr) return to;
  if (from->backend != nullptr) to.backend = from->backend;
  to.device = from->device;
  to.strategy = text_of(from->strategy);
  if (from->seed > 0) to.seed = from->seed;
  to.evaluations = from->evaluations;
  if (from->results != nullptr) to.results = from->results;
  if (from->jobs > 0) to.jobs = from->jobs;
  to.installation.prefix = text_of(from->prefix);
  if (from->launch == nullptr) return to;
  to.launch = [launch = from->launch, context = from->context](
                  const std::string& size,
                  const libtuner::Configuration& configuration) -> std::optional<double> {
    double milliseconds = -1;
    if (launch(context, size.c_str(), json_of(configuration).c_str(), &milliseconds) != 0) {
      throw Error("the application could not launch it");
    }
    return milliseconds < 0 ? std::nullopt : std::optional(milliseconds);
  };
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

TUNER_LIBRARY int tuner_search_size(const tuner_search* search, uint64_t* count, char* error,
                                    size_t error_room) {
  return guarded(error, error_room, {{search, "search"}, {count, "count"}}, [&] {
    *count = search->search.size();
    return 0;
  });
}

TUNER_LIBRARY int tuner_search_ask(tuner_search* search, uint64_t* question, char* configuration,
                                   size_t room, char* error, size_t error_room) {
  return guarded(error, error_room, {{search, "search"}, {question, "question"}}, [&] {
    if (search->kept.empty()) search->kept = search->search.ask(1);
    if (search->kept.empty()) return 0;
    const std::string text = json_of(search->kept.back().configuration);
    if (!put(text, configuration, room)) {
      throw Error("the configuration needs " + std::to_string(text.size() + 1) + " bytes");
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

TUNER_LIBRARY int tuner_recording(const char* path,
                                  void (*emit)(void* context, const char* text, size_t size),
                                  void* context, char* error, size_t error_room) {
  return guarded(error, error_room, {{path, "path"}, {emit, "emit"}}, [&] {
    const std::string text = recording_json(tuner::read_any_recording(text_of(path)));
    emit(context, text.data(), text.size());
    return 0;
  });
}

// ---- tuning in the idle time of a program -------------------------------------------------------

TUNER_LIBRARY tuner_tuning* tuner_tuning_open(const char* study,
                                              const tuner_tuning_settings* settings, char* error,
                                              size_t error_room) {
  tuner_tuning* made = nullptr;
  guarded(error, error_room, {{study, "study"}}, [&] {
    made = new tuner_tuning{
        libtuner::Tuning(libtuner::Study::load(text_of(study)), settings_of(settings))};
    return 0;
  });
  return made;
}

TUNER_LIBRARY void tuner_tuning_close(tuner_tuning* tuning) { delete tuning; }

TUNER_LIBRARY int tuner_tuning_add(tuner_tuning* tuning, const char* size, const tuner_buffer* data,
                                   size_t count, char* error, size_t error_room) {
  return guarded(error, error_room, {{tuning, "tuning"}}, [&] {
    tuning->tuning.add(text_of(size), buffers_of(data, count));
    return 0;
  });
}

TUNER_LIBRARY int tuner_tuning_step(tuner_tuning* tuning, double milliseconds,
                                    tuner_progress* progress, char* error, size_t error_room) {
  return guarded(error, error_room, {{tuning, "tuning"}}, [&] {
    const libtuner::Progress now = tuning->tuning.step(milliseconds);
    if (progress != nullptr) *progress = {now.done ? 1 : 0, now.waiting ? 1 : 0, now.trials};
    return 0;
  });
}

TUNER_LIBRARY int tuner_tuning_best(const tuner_tuning* tuning, const char* size,
                                    char* configuration, size_t room, double* milliseconds,
                                    int* tuned, char* error, size_t error_room) {
  return guarded(error, error_room, {{tuning, "tuning"}}, [&] {
    const auto best = tuning->tuning.best(text_of(size));
    if (!best) return 0;
    const std::string text = json_of(best->configuration);
    if (!put(text, configuration, room)) {
      throw Error("the configuration needs " + std::to_string(text.size() + 1) + " bytes");
    }
    if (milliseconds != nullptr) *milliseconds = best->time_ms;
    if (tuned != nullptr) *tuned = best->tuned ? 1 : 0;
    return 1;
  });
}

TUNER_LIBRARY int tuner_tuning_launch(tuner_tuning* tuning, const char* size,
                                      const tuner_buffer* buffers, size_t count, char* error,
                                      size_t error_room) {
  return guarded(error, error_room, {{tuning, "tuning"}}, [&] {
    return tuning->tuning.launch(text_of(size), buffers_of(buffers, count)) ? 1 : 0;
  });
}

TUNER_LIBRARY int tuner_write_file(const char* path, const char* text, int is_study, int force,
                                   char* error, size_t error_room) {
  return guarded(error, error_room, {{path, "path"}, {text, "text"}}, [&] {
    tuner::OutputGuard(force != 0).write(path, is_study != 0 ? tuner::sealed(text) : text);
    return 0;
  });
}

TUNER_LIBRARY int tuner_after_samples(const tuner_sampling* how, const double* milliseconds,
                                      size_t count, double best_ms) {
  if (how == nullptr || milliseconds == nullptr) return -1;
  tuner::MeasureSpec measure;
  measure.min_samples = how->min_samples;
  measure.max_samples = how->max_samples;
  measure.max_milliseconds = how->max_milliseconds;
  measure.precision = how->precision;
  measure.drop_above = how->drop_above;
  const std::vector<double> samples(milliseconds, milliseconds + count);
  const double spent_ms = std::accumulate(samples.begin(), samples.end(), 0.0);
  return static_cast<int>(tuner::after_samples(samples, measure, spent_ms, best_ms));
}

TUNER_LIBRARY tuner_own* tuner_own_open(const char* study, const char* folder, const char* context,
                                        char* error, size_t error_room) {
  tuner_own* made = nullptr;
  guarded(error, error_room, {{study, "study"}, {folder, "folder"}, {context, "context"}}, [&] {
    made = new tuner_own{libtuner::OwnResults(tuner::read_study(study), folder, context)};
    return 0;
  });
  return made;
}

TUNER_LIBRARY void tuner_own_close(tuner_own* own) { delete own; }

TUNER_LIBRARY int tuner_own_record(tuner_own* own, const char* trials, char* error,
                                   size_t error_room) {
  return guarded(error, error_room, {{own, "own"}, {trials, "trials"}}, [&] {
    own->results.record(trials);
    return 0;
  });
}

TUNER_LIBRARY int tuner_own_results(tuner_own* own,
                                    void (*emit)(void* context, const char* text, size_t size),
                                    void* context, char* error, size_t error_room) {
  return guarded(error, error_room, {{own, "own"}, {emit, "emit"}}, [&] {
    const std::string text = own->results.results();
    emit(context, text.data(), text.size());
    return 0;
  });
}

}  // extern "C"
