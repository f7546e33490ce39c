#pragma once
// What the comparisons of all families share: sizes, the race at one of them, its line of the table
// and the summary.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common.h"

using Call = std::function<void()>;

// Median nanoseconds of the host for one call, in groups that the stream's queue holds.
inline double host_ns(const Call& call) {
  constexpr int kGroups = 31, kCalls = 64;
  std::vector<double> groups;
  for (int i = 0; i < kGroups; ++i) {
    check(cudaDeviceSynchronize(), "wait");
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < kCalls; ++k) call();
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
    groups.push_back(spent.count() / kCalls);
  }
  check(cudaDeviceSynchronize(), "wait");
  std::nth_element(groups.begin(), groups.begin() + kGroups / 2, groups.end());
  return groups[kGroups / 2];
}

// A problem size and the kind of sizes that it is one of.
struct Size {
  std::vector<long long> extents;
  std::string kind;
  std::string text() const {
    std::string out;
    for (const long long one : extents) out += (out.empty() ? "" : " ") + std::to_string(one);
    return out;
  }
};

// A kind of sizes: what each extent is a multiple of.
struct Kind {
  std::string name;
  std::vector<long long> units;
};

// Which sizes are drawn: even by logarithm within the ranges, of each kind in turn.
struct Domain {
  std::vector<std::pair<double, double>> ranges;
  std::vector<Kind> kinds;
  long long most_elements = INT64_MAX;
};

inline std::vector<Size> draw_sizes(const Domain& domain, int count, unsigned seed) {
  std::mt19937 generator(seed);
  const auto extent = [&](const std::pair<double, double>& range, long long unit) {
    // Of the generator's bits, not a distribution's: the same everywhere.
    const double share = double(generator()) / double(generator.max());
    const double low = std::log(range.first);
    const auto raw = (long long)(std::exp(low + share * (std::log(range.second) - low)));
    return std::max(unit, raw / unit * unit);
  };
  std::vector<Size> out;
  while (int(out.size()) < count) {
    const Kind& kind = domain.kinds[out.size() % domain.kinds.size()];
    Size size{{}, kind.name};
    double elements = 1;
    for (std::size_t d = 0; d < domain.ranges.size(); ++d) {
      size.extents.push_back(extent(domain.ranges[d], kind.units[d]));
      elements *= double(size.extents.back());
    }
    if (elements <= double(domain.most_elements)) out.push_back(size);
  }
  return out;
}

// The exported configurations as kernels launched plainly.
struct Variants {
  int count;
  std::function<bool(int)> fits;   // whether one may run at this size
  std::function<Call(int)> plain;  // its launch
};

// What the launcher came to at a size.
struct Launched {
  cudaError_t status;
  int how, config_id;
};

// One comparison. `is_right` says whether what the plain kernel and the launcher wrote last are
// right.
struct Contest {
  std::string family, against;
  Size size;
  Launched launched;
  Variants variants;
  Call launcher, library;
  std::function<bool()> is_right;
};

struct Settings {
  std::string sources;
  int unseen = 20;
  int tuned = INT32_MAX;  // at most so many
  unsigned seed = 1;
  bool best = false;  // look for the best exported configuration at every size
  std::vector<std::string> families;
};

class Bench {
 public:
  explicit Bench(Settings settings) : settings_(std::move(settings)) {
    std::printf(
        "family,size,kind,how,config_id,right,plain_ms,launcher_ms,against,library_ms,"
        "library_ratio,best_id,best_ms,best_ratio,plain_ns,launcher_ns\n");
  }
  ~Bench() {
    for (const auto& [name, ratios] : ratios_) print_summary(name, ratios);
    std::printf("# %d sizes, %d wrong, %d refused\n", sizes_, wrong_, refused_);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  const Settings& settings() const { return settings_; }
  const cudaDeviceProp& device() const { return device_; }
  bool good() const { return wrong_ == 0 && refused_ == 0; }

  // The kernel of a configuration: compiled once.
  const RtcKernel& kernel(const std::string& family, int id,
                          const std::function<RtcKernel()>& compiled) {
    const auto key = std::make_pair(family, id);
    const auto known = kernels_.find(key);
    return known != kernels_.end() ? known->second
                                   : kernels_.emplace(key, compiled()).first->second;
  }

  // `with_best`: whatever the settings say.
  void hold(const Contest& contest, bool with_best = false) {
    ++sizes_;
    const Launched& launched = contest.launched;
    std::printf("%s,%s,%s,%s,%d,", contest.family.c_str(), contest.size.text().c_str(),
                contest.size.kind.c_str(), kHow[launched.how], launched.config_id);
    if (launched.status != cudaSuccess) {
      ++refused_;
      std::printf("%s,,,,,,,,,,\n", cudaGetErrorString(launched.status));
      return;
    }
    const Call plain = contest.variants.plain(launched.config_id);
    const std::optional<int> other = with_best || settings_.best
                                         ? best_other(contest.variants, launched.config_id)
                                         : std::nullopt;
    std::vector<Call> calls{plain, contest.launcher, contest.library};
    if (other) calls.push_back(contest.variants.plain(*other));
    const std::vector<double> ms = race_.run(calls);
    plain();
    contest.launcher();
    bool right = contest.is_right();
    if (other) calls.back()();
    right = right && contest.is_right();
    wrong_ += right ? 0 : 1;
    print_times(contest, ms, other, right);
    const bool is_short = ms[1] < 0.2;  // the device soon works off what a host puts into its queue
    if (is_short) std::printf("%.0f,%.0f", host_ns(plain), host_ns(contest.launcher));
    std::printf(is_short ? "\n" : ",\n");
    std::fflush(stdout);
  }

 private:
  static constexpr const char* kHow[] = {"exact",    "near_size",   "near_device",
                                         "fallback", "unsupported", "predicted"};

  // The fastest of the configurations that were not chosen, by a few launches of each.
  std::optional<int> best_other(const Variants& variants, int chosen) {
    std::optional<int> best;
    double best_ms = INFINITY;
    for (int id = 0; id < variants.count; ++id) {
      if (id == chosen || !variants.fits(id)) continue;
      const double ms = race_.run({variants.plain(id)}, 5, 5)[0];
      if (ms >= best_ms) continue;
      best_ms = ms;
      best = id;
    }
    return best;
  }

  void note(const Contest& contest, const std::string& against, double ratio) {
    ratios_[contest.family + " beside " + against + ", " + contest.size.kind].push_back(
        {ratio, contest.size.text()});
  }

  void print_times(const Contest& contest, const std::vector<double>& ms, std::optional<int> other,
                   bool right) {
    std::printf("%s,%.6f,%.6f,%s,%.6f,%.4f,", right ? "true" : "false", ms[0], ms[1],
                contest.against.c_str(), ms[2], ms[2] / ms[1]);
    note(contest, contest.against, ms[2] / ms[1]);
    note(contest, "the same variant launched plainly", ms[0] / ms[1]);
    if (ms.size() < 4) {
      std::printf(",,,");
      return;
    }
    const bool is_better = ms[3] < ms[0];
    const double best = std::min(ms[0], ms[3]);
    std::printf("%d,%.6f,%.4f,", is_better ? *other : contest.launched.config_id, best,
                best / ms[1]);
    note(contest, "the best exported configuration", best / ms[1]);
  }

  using Ratio = std::pair<double, std::string>;  // and the size

  static void print_summary(const std::string& name, const std::vector<Ratio>& ratios) {
    double sum = 0;
    for (const Ratio& one : ratios) sum += std::log(one.first);
    const Ratio& worst = *std::min_element(ratios.begin(), ratios.end());
    std::printf("# %s: geometric mean %.3f of %zu sizes, worst %.3f at %s\n", name.c_str(),
                std::exp(sum / double(ratios.size())), ratios.size(), worst.first,
                worst.second.c_str());
  }

  Settings settings_;
  cudaDeviceProp device_ = this_device();
  Race race_;
  std::map<std::pair<std::string, int>, RtcKernel> kernels_;
  std::map<std::string, std::vector<Ratio>> ratios_;
  int sizes_ = 0, wrong_ = 0, refused_ = 0;
};

// A family: sizes that are drawn and those that were tuned, and what is compared at one.
struct Family {
  std::string name;
  Domain domain;
  std::vector<Size> tuned;
  std::function<void(Bench&, const Size&)> compare;
};
