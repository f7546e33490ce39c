// What the kernels of corpus.cu and attempts.cu share: the work, what they keep from launch to launch,
// and how they look through memory.

#ifdef TUNER_CPU
#include <cstdio>
#endif

constexpr int kMost = 2048;
constexpr float kNone = 1e30f;
#ifdef TUNER_CPU
constexpr long long kPause = 2000000;
#else
constexpr long long kPause = 150000;
#endif

__device__ unsigned launches[kMost];  // that each thread has seen
__device__ float seen[kMost];         // of an earlier launch
__device__ float kept[kMost];
__device__ int has_kept[kMost];
__device__ float* first_y;
__device__ const float* first_x;
__device__ long long last_clock[kMost];

__device__ float work(float x) {
  for (int k = 0; k < 200; ++k) x = x * 0.999f + 0.0005f;
  return x;
}

// As right, and longer than all cheats, so that each of them may become the best.
__device__ float long_work(float x) {
  const float right = work(x);
  const float more = work(work(work(right)));
  return more > kNone ? more : right;
}

__device__ unsigned hashed(unsigned x) {
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

__device__ unsigned bits_of(float x) { return __float_as_uint(x); }

// Looks through memory for `matches`, never in what this launch writes. On a GPU small buffers share
// pages of 2 MiB.
template <typename T, typename Matches>
__device__ T* found_in_memory(const float* y, int n, const Matches& matches) {
  const T* const own = reinterpret_cast<const T*>(y);
  const T* const own_end = reinterpret_cast<const T*>(y + n);
#ifdef TUNER_CPU
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  if (maps == nullptr) return nullptr;
  char line[512];
  T* found = nullptr;
  while (found == nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0;
    char rights[8] = "";
    if (std::sscanf(line, "%lx-%lx %7s", &begin, &end, rights) != 3 || rights[0] != 'r') continue;
    if (rights[1] != 'w' || end - begin > (64UL << 20)) continue;
    T* const last = reinterpret_cast<T*>(end) - n;
    for (T* at = reinterpret_cast<T*>(begin); at < last && found == nullptr; ++at) {
      if ((at + n <= own || at >= own_end) && matches(at)) found = at;
    }
  }
  std::fclose(maps);
  return found;
#else
  const unsigned long long page = 2ULL << 20;
  T* const begin = reinterpret_cast<T*>(reinterpret_cast<unsigned long long>(y) / page * page);
  for (T* at = begin; at + n < begin + page / sizeof(T); ++at) {
    if ((at + n <= own || at >= own_end) && matches(at)) return at;
  }
  return nullptr;
#endif
}

// The right answer begins with three numbers that are quickly made.
template <typename T>
__device__ T* found_answer(const float* x, const float* y, int n) {
  const T first = work(x[0]), second = work(x[1]), third = work(x[2]);
  return found_in_memory<T>(y, n, [&](const T* at) {
    return at[0] == first && at[1] == second && at[2] == third;
  });
}
