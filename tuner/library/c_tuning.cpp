// Tuning in the idle time of a program, for C.

#include <string>

#include "tuner/library/c_texts.h"
#include "tuner/library/tuner.h"
#include "tuner/library/tuner_c.h"

struct tuner_tuning {
  libtuner::Tuning tuning;
};

using libtuner::c::guarded;
using libtuner::c::json_of;
using libtuner::c::put;
using libtuner::c::text_of;

namespace {

libtuner::Buffers buffers_of(const tuner_buffer* buffers, size_t count) {
  libtuner::Buffers out;
  if (buffers == nullptr && count > 0) {
    throw libtuner::Error("there are no buffers, of which there should be " +
                          std::to_string(count));
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
      throw libtuner::Error("the application could not launch it");
    }
    return milliseconds < 0 ? std::nullopt : std::optional(milliseconds);
  };
  return to;
}

}  // namespace

extern "C" {

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
      throw libtuner::Error("the configuration needs " + std::to_string(text.size() + 1) +
                            " bytes");
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

}  // extern "C"
