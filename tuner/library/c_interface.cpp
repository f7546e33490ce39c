// The C functions over the C++ ones; nothing that these throw crosses.

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tuner/library/tuner.h"
#include "tuner/library/tuner_c.h"

struct tuner_search {
  libtuner::Search search;
  // Asked, and not handed out for want of room.
  std::vector<libtuner::Search::Question> kept;
};

namespace {

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

std::string json_of(const libtuner::Configuration& configuration) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& [name, value] : configuration) {
    std::visit([&, &key = name](const auto& plain) { out[key] = plain; }, value);
  }
  return out.dump();
}

bool put(std::string_view text, char* out, std::size_t room) {
  if (out == nullptr || text.size() + 1 > room) return false;
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return true;
}

void put_cut(std::string_view text, char* out, std::size_t room) {
  if (room > 0) put(text.substr(0, std::min(text.size(), room - 1)), out, room);
}

// What `body` returns; -1 with the reason when it throws.
template <typename Body>
int guarded(char* error, std::size_t error_room, Body&& body) noexcept {
  try {
    return body();
  } catch (const std::exception& thrown) {
    put_cut(thrown.what(), error, error_room);
  } catch (...) {
    put_cut("something that is no exception was thrown", error, error_room);
  }
  return -1;
}

}  // namespace

extern "C" {

TUNER_LIBRARY tuner_search* tuner_search_open(const char* study, const char* size,
                                              const char* strategy, uint64_t seed,
                                              const char* prefix, char* error, size_t error_room) {
  tuner_search* made = nullptr;
  guarded(error, error_room, [&] {
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
  return guarded(error, error_room, [&] {
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
  return guarded(error, error_room, [&] {
    search->search.tell(question, value, seconds);
    return 0;
  });
}

TUNER_LIBRARY int tuner_search_fail(tuner_search* search, uint64_t question, char* error,
                                    size_t error_room) {
  return guarded(error, error_room, [&] {
    search->search.fail(question);
    return 0;
  });
}

TUNER_LIBRARY int tuner_search_best(tuner_search* search, char* configuration, size_t room,
                                    double* value) {
  return guarded(nullptr, 0, [&] {
    const auto best = search->search.best();
    if (!best) return 0;
    if (!put(json_of(best->configuration), configuration, room)) return -1;
    *value = best->value;
    return 1;
  });
}

TUNER_LIBRARY int tuner_results(const char* study, const char* folder,
                                void (*emit)(void* context, const char* text, size_t size),
                                void* context, char* error, size_t error_room) {
  return guarded(error, error_room, [&] {
    const std::string text =
        libtuner::exported(libtuner::Study::load(text_of(study)), text_of(folder), "json");
    emit(context, text.data(), text.size());
    return 0;
  });
}

}  // extern "C"
