// The exported launchers as an application calls them, beside the same variants launched plainly,
// the vendor's libraries or a copy, and the best exported configuration: CSV, one line a size, then
// `#` and the ratios of each kind of sizes. See README.md.
//
//   deployed KERNEL_SOURCES [unseen=20] [tuned=MOST] [seed=1] [best] [FAMILY...]
//
// Milliseconds are those of the device, an event on each side of one call, in turns, L2 flushed,
// medians; nanoseconds those of the host, until a call returns.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "deployed.h"
#include "deployed_convolution.h"
#include "deployed_passes.h"
#include "deployed_products.h"

namespace {

// Those whose header and launcher were there when this was compiled.
std::vector<Family> families() {
  std::vector<Family> out;
#if __has_include("matmul_launcher.hpp") && __has_include("matmul_tuned.h")
  out.push_back(matmul_family());
#endif
#if __has_include("matmul_bf16_launcher.hpp") && __has_include("matmul_bf16_tuned.h")
  out.push_back(matmul_bf16_family());
#endif
#if __has_include("transpose_launcher.hpp") && __has_include("transpose_tuned.h")
  out.push_back(transpose_family());
#endif
#if __has_include("reduction_launcher.hpp") && __has_include("reduction_tuned.h")
  out.push_back(reduction_family());
#endif
#if __has_include("softmax_launcher.hpp") && __has_include("softmax_tuned.h")
  out.push_back(softmax_family());
#endif
#if __has_include("convolution2d_launcher.hpp") && __has_include("convolution2d_tuned.h")
  out.push_back(convolution_family());
#endif
  return out;
}

[[noreturn]] void explain(const std::vector<Family>& known) {
  std::string names;
  for (const Family& one : known) names += " " + one.name;
  check(false,
        "usage: deployed KERNEL_SOURCES [unseen=20] [tuned=MOST] [seed=1] [best] [FAMILY...]\n"
        "exported families:" +
            names);
  std::abort();
}

Settings settings_from(const std::vector<std::string>& words, const std::vector<Family>& known) {
  if (words.empty()) explain(known);
  Settings out;
  out.sources = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto number = [&](const std::string& name) {
      char* end = nullptr;
      const long value = std::strtol(word.c_str() + name.size(), &end, 10);
      if (*end != '\0' || end == word.c_str() + name.size() || value < 0) explain(known);
      return int(value);
    };
    if (word.rfind("unseen=", 0) == 0) {
      out.unseen = number("unseen=");
    } else if (word.rfind("tuned=", 0) == 0) {
      out.tuned = number("tuned=");
    } else if (word.rfind("seed=", 0) == 0) {
      out.seed = unsigned(number("seed="));
    } else if (word == "best") {
      out.best = true;
    } else if (std::any_of(known.begin(), known.end(),
                           [&](const Family& one) { return one.name == word; })) {
      out.families.push_back(word);
    } else {
      explain(known);
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Family> known = families();
  const Settings settings = settings_from({argv + 1, argv + argc}, known);
  check(cudaFree(nullptr), "device");
  Bench bench(settings);
  for (const Family& family : known) {
    const auto& asked = settings.families;
    if (!asked.empty() && std::find(asked.begin(), asked.end(), family.name) == asked.end()) {
      continue;
    }
    for (const Size& size : draw_sizes(family.domain, settings.unseen, settings.seed)) {
      family.compare(bench, size);
    }
    const int tuned = std::min(settings.tuned, int(family.tuned.size()));
    for (int i = 0; i < tuned; ++i) family.compare(bench, family.tuned[std::size_t(i)]);
  }
  return bench.good() ? 0 : 1;
}
