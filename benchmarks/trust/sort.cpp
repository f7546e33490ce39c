// How much faster honest code gets on inputs that it had before, since the processor learns its
// branches: std::sort of as many floats, caches flushed before each call.
//
//   g++ -O3 -std=c++20 benchmarks/trust/sort.cpp -o sort && ./sort
//
// A line each: sets in turn, floats, the shortest first time, a quarter of the later ones, the
// ratio. tuner/measure/repeated_launches.cpp takes a ratio above its kGain for kept answers.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

int main() {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> number(-1, 1);
  std::vector<char> cache(64 << 20);
  for (const int sets : {1, 3, 6}) {
    for (const int floats : {30, 100, 300, 1000, 3000}) {
      std::vector<double> first;
      std::vector<double> later;
      for (int repeat = 0; repeat < 16; ++repeat) {
        std::vector<std::vector<float>> inputs(sets, std::vector<float>(floats));
        for (auto& input : inputs) {
          for (float& x : input) x = number(random);
        }
        for (int round = 0; round < 3; ++round) {
          for (const auto& input : inputs) {
            for (std::size_t i = 0; i < cache.size(); i += 64) ++cache[i];
            auto sorted = input;
            const auto begin = std::chrono::steady_clock::now();
            std::sort(sorted.begin(), sorted.end());
            const std::chrono::duration<double, std::micro> took =
                std::chrono::steady_clock::now() - begin;
            (round == 0 ? first : later).push_back(took.count());
            if (sorted.front() > 2) return 1;
          }
        }
      }
      std::sort(first.begin(), first.end());
      std::sort(later.begin(), later.end());
      const double quarter = later[later.size() / 4];
      std::printf("%d sets, %4d floats: first %6.2f us, later %6.2f us, %.2f\n", sets, floats,
                  first.front(), quarter, first.front() / quarter);
    }
  }
}
