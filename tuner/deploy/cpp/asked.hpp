namespace detail {
// The numbers of one row of the file: compute capability, how it was answered, the configuration,
// the size.
using asked_key = std::array<long long, TUNER_DIMENSIONS + 3>;
// Threads count in different lines of the cache.
struct alignas(64) asked_shard {
  std::atomic<unsigned long long> count{0};
};
struct asked_counts {
  asked_shard shards[8];
  unsigned long long sum() const {
    unsigned long long all = 0;
    for (const asked_shard& one : shards) all += one.count.load(std::memory_order_relaxed);
    return all;
  }
};
inline unsigned long long asked_process() {
#ifdef _WIN32
  return static_cast<unsigned long long>(_getpid());
#else
  return static_cast<unsigned long long>(getpid());
#endif
}

// All that this process has asked for. It is never destroyed: threads may count until the end.
class asked_recorder {
 public:
  static asked_recorder& get() {
    static asked_recorder* const one = [] {
      auto* const made = new asked_recorder;
      std::atexit([] { get().write(); });
#ifndef _WIN32
      // A child counts anew, in a file of its own.
      pthread_atfork([] { get().guard_.lock(); }, [] { get().guard_.unlock(); },
                     [] { get().begin_anew(); });
#endif
      return made;
    }();
    return *one;
  }

  // Finds the place where a key is counted, and the device's name as it is kept.
  asked_counts& counts_of(const char* device, const asked_key& key, const char*& kept) {
    constexpr std::size_t row_limit = 10000;  // bounds memory and file
    const std::lock_guard<std::mutex> held(guard_);
    const std::string& name = *devices_.emplace(device).first;
    kept = name.c_str();
    const std::pair<const char*, asked_key> place{kept, key};
    const auto found = rows_.find(place);
    if (found != rows_.end()) return found->second;
    return rows_.size() < row_limit ? rows_[place] : others_;
  }
  unsigned next_thread() { return threads_.fetch_add(1, std::memory_order_relaxed); }

  // Writes the file as a whole, or leaves the one that is there. True: it is there now.
  bool write() {
    const std::lock_guard<std::mutex> held(guard_);
    const char* const begin = std::getenv("TUNER_ASKED");
    if (begin != nullptr && *begin == '\0') return false;
    std::string name = begin != nullptr ? begin : "asked";
    if (name.back() == '/') name += "asked";
    name += "-TUNER_SPACE-" + std::to_string(asked_process()) + "-" + std::to_string(begun_) + ".json";
    const std::string rows = text_of_rows();
    if (rows.empty()) return false;
    const std::string part = name + ".part";
    std::FILE* const file = std::fopen(part.c_str(), "wb");
    bool good = file != nullptr;
    if (good) good = std::fwrite(rows.data(), 1, rows.size(), file) == rows.size();
    if (file != nullptr && std::fclose(file) != 0) good = false;
    if (good && std::rename(part.c_str(), name.c_str()) != 0) good = false;
    if (!good) {
      std::fprintf(stderr, "TUNER_SPACE: cannot write '%s' (TUNER_ASKED)\n", name.c_str());
      if (file != nullptr) std::remove(part.c_str());
    }
    return good;
  }

 private:
  static long long now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch()).count();
  }
  void begin_anew() {
    for (auto& row : rows_) clear(row.second);
    clear(others_);
    begun_ = now();
    guard_.unlock();
  }
  static void clear(asked_counts& counts) {
    for (asked_shard& one : counts.shards) one.count.store(0, std::memory_order_relaxed);
  }

  // The name of a device as JSON: plain ASCII.
  static std::string quoted(const char* text) {
    std::string out = "\"";
    for (; *text != '\0'; ++text) {
      if (*text == '"' || *text == '\\') out += '\\';
      out += *text < 32 || *text > 126 ? '?' : *text;
    }
    return out + "\"";
  }

  // Empty where nothing was asked for.
  std::string text_of_rows() const {
    static constexpr const char* configurations[] = {
//each CONFIGS
        TUNER_JSON,
//end
    };
    std::map<std::pair<std::string, long long>, std::size_t> places;
    std::string devices;
    std::string sizes;
    for (const auto& row : rows_) {
      const unsigned long long count = row.second.sum();
      if (count == 0) continue;
      const char* const name = row.first.first;
      const asked_key& key = row.first.second;
      const auto place = places.emplace(std::make_pair(name, key[0]), places.size());
      if (place.second) {
        devices += (devices.empty() ? "\n  {\"name\": " : ",\n  {\"name\": ") + quoted(name) +
                   ", \"compute_capability\": " + std::to_string(key[0]) + "}";
      }
      sizes += (sizes.empty() ? "\n  {\"device\": " : ",\n  {\"device\": ") +
               std::to_string(place.first->second) + ", \"size\": [";
      for (std::size_t i = 3; i < TUNER_EXTENT_COUNT + 3; ++i) {
        sizes += (i > 3 ? ", " : "") + std::to_string(key[i]);
      }
      sizes += "], \"how\": \"" + std::string(asked_words[key[1]]) + "\", \"configuration\": " +
               std::to_string(key[2]) + ", \"count\": " + std::to_string(count) + "}";
    }
    if (sizes.empty()) return sizes;
    std::string all = TUNER_ASKED_HEAD;
    for (const char* one : configurations) {
      all += (one == configurations[0] ? "\n  " : ",\n  ") + std::string(one);
    }
    return all + "],\n\"devices\": [" + devices + "],\n\"sizes\": [" + sizes +
           "],\n\"left_out\": " + std::to_string(others_.sum()) + "}\n";
  }
  static constexpr const char* asked_words[] = {"exact", "near_size", "near_device", "fallback",
                                                "unsupported", \
//if LEARNED
"predicted", \
//end
};

  std::mutex guard_;
  std::set<std::string> devices_;
  std::map<std::pair<const char*, asked_key>, asked_counts> rows_;  // stay where they are
  asked_counts others_;                                             // beyond the most rows
  long long begun_ = now();
  std::atomic<unsigned> threads_{0};
};

struct asked_slot {
  asked_key key;
  const char* device;
  asked_counts* counts;
};
// Finds where an answer is counted, and remembers that for the thread; null where there is nothing
// to launch.
inline asked_counts* asked_place(const device& v, const dims& d, const selection& s, match how) {
  static_cast<void>(d);
  if (!(TUNER_POSITIVE)) return nullptr;
  const asked_key key{{v.compute_capability, static_cast<long long>(how),
                       static_cast<long long>(s.config_id), TUNER_SIZE}};
  unsigned long long hash = 0;
  for (const long long one : key) {
    hash = (hash ^ static_cast<unsigned long long>(one)) * 0x9e3779b97f4a7c15ull;
  }
  thread_local asked_slot slots[64] = {};
  asked_slot& slot = slots[hash >> 58];
  if (slot.counts == nullptr || slot.key != key || std::strcmp(slot.device, v.name) != 0) {
    slot.counts = &asked_recorder::get().counts_of(v.name, key, slot.device);
    slot.key = key;
  }
  return slot.counts;
}
inline void count_at(asked_counts* place) {
  thread_local const unsigned mine = asked_recorder::get().next_thread() % 8;
  if (place != nullptr) place->shards[mine].count.fetch_add(1, std::memory_order_relaxed);
}
}  // namespace detail
