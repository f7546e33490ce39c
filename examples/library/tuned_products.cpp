// A program whose work is a matrix product in a loop, of sizes that change from one to the next. It
// tunes the product's kernel while it works: each round it has some milliseconds to spare. At the
// end it compares itself with what was tuned offline, and says when it ran at 95 % of that speed
// and what tuning cost meanwhile.
//
//   tuned_products STUDY [--backend cpu|cuda] [--sizes "M=512,N=512,K=512;..."] [--idle-ms 5]
//     [--evaluations 200] [--seconds 120] [--jobs 4] [--prefix FOLDER] [--results FOLDER]
//     [--offline FOLDER]   (the results of `tuner run STUDY --size ...` for the same sizes)

#include <dlfcn.h>
#include <tuner/tuner.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// ---- memory of the application, which is not the library's
// ---------------------------------------

class Memory {
 public:
  virtual ~Memory() = default;
  virtual void* make(const std::vector<float>& contents) = 0;
  virtual std::vector<float> contents(void* at, std::size_t count) = 0;
};

class HostMemory final : public Memory {
 public:
  void* make(const std::vector<float>& contents) override {
    return made_.emplace_back(std::make_unique<std::vector<float>>(contents))->data();
  }
  std::vector<float> contents(void* at, std::size_t count) override {
    const auto* first = static_cast<const float*>(at);
    return {first, first + count};
  }

 private:
  std::vector<std::unique_ptr<std::vector<float>>> made_;
};

// Through the CUDA driver, opened when the program runs: it is built without CUDA, too. The context
// is the device's primary one, that of the runtime API.
class CudaMemory final : public Memory {
 public:
  CudaMemory() {
    void* context = nullptr;
    int device = 0;
    call<int(unsigned)>("cuInit")(0);
    check(call<int(int*, int)>("cuDeviceGet")(&device, 0), "cuDeviceGet");
    check(call<int(void**, int)>("cuDevicePrimaryCtxRetain")(&context, device), "the context");
    check(call<int(void*)>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
  }
  void* make(const std::vector<float>& contents) override {
    unsigned long long at = 0;
    const std::size_t bytes = contents.size() * sizeof(float);
    check(call<int(unsigned long long*, std::size_t)>("cuMemAlloc_v2")(&at, bytes), "cuMemAlloc");
    check(call<int(unsigned long long, const void*, std::size_t)>("cuMemcpyHtoD_v2")(
              at, contents.data(), bytes),
          "cuMemcpyHtoD");
    return reinterpret_cast<void*>(at);
  }
  std::vector<float> contents(void* at, std::size_t count) override {
    std::vector<float> out(count);
    check(call<int(void*, unsigned long long, std::size_t)>("cuMemcpyDtoH_v2")(
              out.data(), reinterpret_cast<unsigned long long>(at), count * sizeof(float)),
          "cuMemcpyDtoH");
    return out;
  }

 private:
  template <typename Function>
  Function* call(const char* name) {
    if (driver_ == nullptr) driver_ = dlopen("libcuda.so.1", RTLD_NOW);
    void* found = driver_ == nullptr ? nullptr : dlsym(driver_, name);
    if (found == nullptr)
      throw libtuner::Error("there is no CUDA driver with " + std::string(name));
    return reinterpret_cast<Function*>(found);
  }
  static void check(int status, const char* what) {
    if (status == 0) return;
    throw libtuner::Error(std::string(what) + ": CUDA error " + std::to_string(status));
  }

  void* driver_ = nullptr;
};

// ---- the work
// ------------------------------------------------------------------------------------

struct Product {
  std::string size;  // "M=512,N=512,K=512"
  std::map<std::string, std::size_t> extents;
  libtuner::Buffers buffers;
  std::vector<float> a, b;
};

Product make_product(const std::string& size, Memory& memory) {
  Product out;
  out.size = size;
  std::istringstream parts(size);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t equals = part.find('=');
    out.extents[part.substr(0, equals)] = std::stoul(part.substr(equals + 1));
  }
  const std::size_t m = out.extents.at("M"), n = out.extents.at("N"), k = out.extents.at("K");
  const auto number = [](std::size_t i) {
    return static_cast<float>(i * 2654435761U % 1001) / 500 - 1;
  };
  for (std::size_t i = 0; i < m * k; ++i) out.a.push_back(number(i));
  for (std::size_t i = 0; i < k * n; ++i) out.b.push_back(number(i + 7));
  const auto bytes = [](std::size_t count) { return count * sizeof(float); };
  out.buffers = {{"A", memory.make(out.a), bytes(m * k)},
                 {"B", memory.make(out.b), bytes(k * n)},
                 {"C", memory.make(std::vector<float>(m * n)), bytes(m * n)}};
  return out;
}

// Whether some elements of C are what A and B make.
bool is_right(const Product& product, Memory& memory) {
  const std::size_t m = product.extents.at("M"), n = product.extents.at("N"),
                    k = product.extents.at("K");
  const std::vector<float> c = memory.contents(product.buffers[2].data, m * n);
  for (std::size_t i = 0; i < 100; ++i) {
    const std::size_t row = i * 37 % m, column = i * 101 % n;
    double sum = 0;
    for (std::size_t j = 0; j < k; ++j)
      sum += double{product.a[row * k + j]} * product.b[j * n + column];
    const double difference = sum - c[row * n + column];
    if (!(difference * difference < 1e-6 * static_cast<double>(k))) return false;
  }
  return true;
}

// One product, in milliseconds; negative: there is no kernel yet.
double milliseconds_of(libtuner::Tuning& tuning, const Product& product) {
  const auto begin = Clock::now();
  return tuning.launch(product.size, product.buffers) ? 1000 * seconds_since(begin) : -1;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// ---- the program
// -----------------------------------------------------------------------------------

struct Words {
  std::string study;
  std::map<std::string, std::string> options{
      {"backend", "cpu"}, {"sizes", "M=64,N=64,K=64;M=96,N=32,K=64"},
      {"idle-ms", "5"},   {"evaluations", "0"},
      {"seconds", "120"}, {"jobs", "2"},
      {"prefix", ""},     {"results", "results"},
      {"offline", ""}};

  double number(const std::string& name) const { return std::stod(options.at(name)); }
};

Words read_words(int count, char** words) {
  Words out;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word.rfind("--", 0) != 0) {
      out.study = word;
    } else if (out.options.contains(word.substr(2)) && i + 1 < count) {
      out.options[word.substr(2)] = words[++i];
    } else {
      throw libtuner::Error("what is " + word + "?");
    }
  }
  if (out.study.empty()) throw libtuner::Error("say which study");
  return out;
}

libtuner::TuningSettings settings_of(const Words& words, const std::string& results) {
  libtuner::TuningSettings settings;
  settings.backend = words.options.at("backend");
  settings.evaluations = std::stoull(words.options.at("evaluations"));
  settings.jobs = static_cast<unsigned>(words.number("jobs"));
  settings.installation.prefix = words.options.at("prefix");
  settings.results = results;
  return settings;
}

// A round is one product of each size.
struct Round {
  double end = 0;          // seconds since the program began
  double tuning = 0;       // of these, seconds in step()
  double products_ms = 0;  // of this round
};

std::vector<Round> work(libtuner::Tuning& tuning, const std::vector<Product>& products,
                        const Words& words) {
  std::vector<Round> rounds;
  const auto begin = Clock::now();
  double in_steps = 0;
  const auto step = [&] {
    const auto before = Clock::now();
    const libtuner::Progress progress = tuning.step(words.number("idle-ms"));
    in_steps += seconds_since(before);
    return progress;
  };
  for (const Product& product : products) tuning.add(product.size, product.buffers);
  bool done = false;
  double done_at = 0;
  // For a while after the end of the tuning, too.
  while (seconds_since(begin) < words.number("seconds") &&
         (!done || seconds_since(begin) < done_at * 1.1 + 0.5)) {
    Round round;
    for (const Product& product : products) {
      double ms = milliseconds_of(tuning, product);
      while (ms < 0) {  // the very first time: this program has no kernel of its own
        if (seconds_since(begin) > words.number("seconds")) {
          throw libtuner::Error("no kernel was ready in time for " + product.size);
        }
        if (step().waiting) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ms = milliseconds_of(tuning, product);
      }
      round.products_ms += ms;
    }
    if (!done && step().done) {
      done = true;
      done_at = seconds_since(begin);
      std::printf("tuned after %.2f s, of which %.2f s in step()\n", done_at, in_steps);
    }
    round.end = seconds_since(begin);
    round.tuning = in_steps;
    rounds.push_back(round);
  }
  return rounds;
}

// What a round takes with the offline winners, launched by the same program.
double offline_round_ms(const std::vector<Product>& products, const Words& words) {
  auto settings = settings_of(words, words.options.at("offline"));
  settings.evaluations = 1;  // what is stored is there, nothing is searched
  libtuner::Tuning tuning(libtuner::Study::load(words.study), settings);
  for (const Product& product : products) tuning.add(product.size);
  while (!tuning.step(100).done) continue;
  std::vector<double> rounds;
  for (int i = 0; i < 30; ++i) {
    double sum = 0;
    for (const Product& product : products) sum += milliseconds_of(tuning, product);
    rounds.push_back(sum);
  }
  return median(rounds);
}

// The first round from which on five in a row are, in the middle, as fast as that.
const Round* first_as_fast(const std::vector<Round>& rounds, double ms) {
  for (std::size_t i = 0; i + 5 <= rounds.size(); ++i) {
    std::vector<double> next;
    for (std::size_t j = i; j < i + 5; ++j) next.push_back(rounds[j].products_ms);
    if (median(next) <= ms) return &rounds[i];
  }
  return nullptr;
}

void report(const std::vector<Round>& rounds, double offline_ms) {
  std::vector<double> last;
  for (std::size_t i = rounds.size() - std::min<std::size_t>(30, rounds.size()); i < rounds.size();
       ++i) {
    last.push_back(rounds[i].products_ms);
  }
  const double own_ms = median(last);
  std::printf(
      "a round: %.4f ms with what was tuned offline, %.4f ms with what was tuned on the way "
      "(%.3f of the offline speed)\n",
      offline_ms, own_ms, offline_ms / own_ms);
  const Round* fast = first_as_fast(rounds, offline_ms / 0.95);
  if (fast == nullptr) {
    std::printf("95 %% of the offline speed: never\n");
    return;
  }
  std::printf(
      "95 %% of the offline speed: after %.2f s; tuning took %.1f %% of the time until then\n",
      fast->end, 100 * fast->tuning / fast->end);
}

int run(const Words& words) {
  std::unique_ptr<Memory> memory;
  if (words.options.at("backend") == "cuda") {
    memory = std::make_unique<CudaMemory>();
  } else {
    memory = std::make_unique<HostMemory>();
  }
  std::vector<Product> products;
  std::istringstream sizes(words.options.at("sizes"));
  for (std::string size; std::getline(sizes, size, ';');) {
    products.push_back(make_product(size, *memory));
  }
  std::vector<Round> rounds;
  {
    libtuner::Tuning tuning(libtuner::Study::load(words.study),
                            settings_of(words, words.options.at("results")));
    rounds = work(tuning, products, words);
    for (const Product& product : products) {
      const auto best = tuning.best(product.size);
      std::printf("%s: %.4f ms, %s\n", product.size.c_str(), best ? best->time_ms : -1,
                  is_right(product, *memory) ? "right" : "WRONG");
    }
  }
  std::printf("%zu rounds\n", rounds.size());
  if (!words.options.at("offline").empty()) report(rounds, offline_round_ms(products, words));
  return std::ranges::all_of(products, [&](const Product& one) { return is_right(one, *memory); })
             ? 0
             : 1;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(read_words(count, words));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
