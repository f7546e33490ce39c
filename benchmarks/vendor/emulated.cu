// The exported float32 product of bfloat16 parts beside cuBLAS's float32, in turns, cold cache,
// each as a call of an application, and the errors of both beside float64.
//
// usage: emulated [unseen=20] [seed=1] [MxNxK...]     after those that were tuned; seeds as
// deployed
//
// TFLOP/s. The limit is a sixth of cuBLAS's bfloat16 product of that size: six such products have
// to be made. Errors are those of 10,000 elements, relative to the sum of all |a||b|, for seven
// kinds of inputs. Exit status 1: an error is larger than cuBLAS's, or what is infinite or NaN
// differs.

#include <cublas_v2.h>
#include <cuda_bf16.h>

#include <array>

#include "deployed.h"
#include "matmul_emulated_launcher.hpp"
#include "matmul_emulated_tuned.h"

namespace {

enum Inputs { kUniform, kPositive, kMagnitudes, kUnits, kCancelling, kSubnormal, kSpecial };
const char* const kNames[] = {"uniform in -1..1",
                              "uniform in 0..1",
                              "times 2^-40 to 2^40",
                              "columns of A times 2^-60 to 2^60, rows of B divided",
                              "sums that nearly cancel",
                              "A subnormal, B 2^60 to 2^90",
                              "with infinity, NaN, 3.4e38 and zeros"};

// Bits of a number, a seed each.
__device__ unsigned long long bits_of(long long i, unsigned seed) {
  unsigned long long z = (i + 1) * 0x9E3779B97F4A7C15ull + seed * 0x632BE59BD9B4E019ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}
__device__ float share_of(unsigned long long bits) { return float(bits >> 40) * 0x1p-24f; }

__device__ float special(unsigned long long bits, float usual) {
  switch (bits % 100000) {
    case 0:
      return INFINITY;
    case 1:
      return -INFINITY;
    case 2:
      return NAN;
    case 3:
      return 3.4e38f;
    default:
      return bits % 1000 == 4 ? 0 : usual;
  }
}

// Element `i` of A (M x K) or B (K x N); `k` is its place in the sums.
__device__ float input(Inputs kind, bool of_b, long long i, long long k, long long columns,
                       long long K) {
  const unsigned seed = of_b ? 2 : 1;
  const unsigned long long other = bits_of(i, seed + 10);
  const float usual = 2 * share_of(bits_of(i, seed)) - 1;
  switch (kind) {
    case kPositive:
      return fabsf(usual);
    case kMagnitudes:
      return ldexpf(usual, int(81 * share_of(other)) - 40);
    case kUnits: {
      const int unit = int(121 * share_of(bits_of(k, 5))) - 60;
      return ldexpf(usual, of_b ? -unit : unit);
    }
    case kCancelling: {  // the second half of k repeats the first, with the other sign in A
      if (k < K / 2) return usual;
      const long long before = of_b ? i - K / 2 * columns : i - K / 2;
      const float same = 2 * share_of(bits_of(before, seed)) - 1;
      return of_b ? same : -same * (1 + 1e-6f * usual);
    }
    case kSubnormal:
      return of_b ? ldexpf(usual, 60 + int(31 * share_of(other)))
                  : copysignf(__uint_as_float(unsigned(other >> 41)), usual);
    case kSpecial:
      return special(other, usual);
    default:
      return usual;
  }
}

__global__ void make_inputs(float* matrix, long long rows, long long columns, Inputs kind,
                            bool of_b) {
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < rows * columns; i += gridDim.x * 256ll) {
    const long long k = of_b ? i / columns : i % columns, K = of_b ? rows : columns;
    matrix[i] = input(kind, of_b, i, k, columns, K);
  }
}

struct Sample {
  double exact, magnitude;  // sums of a * b, of |a * b|
  float ours, theirs;
};

__global__ void sample(const float* A, const float* B, const float* ours, const float* theirs,
                       long long M, long long N, long long K, Sample* samples) {
  const long long row = bits_of(blockIdx.x, 20) % M, column = bits_of(blockIdx.x, 21) % N;
  double sum = 0, magnitude = 0;
  for (long long k = threadIdx.x; k < K; k += 32) {
    const double product = double(A[row * K + k]) * double(B[k * N + column]);
    sum += product;
    magnitude += fabs(product);
  }
  for (int other = 16; other > 0; other /= 2) {
    sum += __shfl_xor_sync(~0u, sum, other);
    magnitude += __shfl_xor_sync(~0u, magnitude, other);
  }
  if (threadIdx.x > 0) return;
  samples[blockIdx.x] = {sum, magnitude, ours[row * N + column], theirs[row * N + column]};
}

struct Errors {
  double sum = 0, worst = 0;
  int finite = 0, other = 0;  // `other`: not the infinity, or not NaN, that is right

  void add(float got, const Sample& sample) {
    const float right = float(sample.exact);
    if (!std::isfinite(right) || !std::isfinite(got)) {
      other += !(got == right || (std::isnan(got) && std::isnan(right)));
      return;
    }
    const double error =
        sample.magnitude == 0 ? std::fabs(got) : std::fabs(got - sample.exact) / sample.magnitude;
    sum += error;
    worst = std::max(worst, error);
    ++finite;
  }
  double mean() const { return sum / std::max(finite, 1); }
};

class Product {
 public:
  Product(long long M, long long N, long long K)
      : A_(M * K), B_(K * N), ours_(M * N), theirs_(M * N), M_(int(M)), N_(int(N)), K_(int(K)) {
    check(cublasCreate(&blas_) == CUBLAS_STATUS_SUCCESS, "cuBLAS");
    cublasSetMathMode(blas_, CUBLAS_PEDANTIC_MATH);
  }
  ~Product() { cublasDestroy(blas_); }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  void fill(Inputs kind) {
    make_inputs<<<1024, 256>>>(A_.data(), M_, K_, kind, false);
    make_inputs<<<1024, 256>>>(B_.data(), K_, N_, kind, true);
  }
  void ours() {
    check(matmul_emulated_launcher::matmul_emulated(A_.data(), B_.data(), ours_.data(), M_, N_, K_)
              .status,
          "launcher");
  }
  // Row-major C = A B is column-major C' = B' A'.
  void theirs() {
    const float one = 1, zero = 0;
    check(cublasSgemm(blas_, CUBLAS_OP_N, CUBLAS_OP_N, N_, M_, K_, &one, B_.data(), N_, A_.data(),
                      K_, &zero, theirs_.data(), N_) == CUBLAS_STATUS_SUCCESS,
          "cublasSgemm");
  }

  // Returns how many times as fast as cuBLAS.
  double race(Race& race, const char* kind) {
    fill(kUniform);
    const auto up = [](int n) { return (n + 63) / 64 * 64; };
    const int m = up(M_), n = up(N_), k = up(K_);
    Buffer<__nv_bfloat16> a(std::size_t(m) * k), b(std::size_t(k) * n), c(std::size_t(m) * n);
    ::fill<<<1024, 256>>>(a.data(), a.size(), 1, false);
    ::fill<<<1024, 256>>>(b.data(), b.size(), 2, false);
    const auto parts = [&] {
      const float one = 1, zero = 0;
      check(cublasGemmEx(blas_, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b.data(), CUDA_R_16BF, n,
                         a.data(), CUDA_R_16BF, k, &zero, c.data(), CUDA_R_16BF, n,
                         CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS,
            "cublasGemmEx");
    };
    const std::vector<double> ms = race.run({[&] { ours(); }, [&] { theirs(); }, parts});
    const double work = 2.0 * M_ * N_ * K_ / 1e9;
    std::printf("%-16s %5d %5d %5d  ours %6.1f  cuBLAS %5.1f  x %.3f  limit %6.1f  share %.2f\n",
                kind, M_, N_, K_, work / ms[0], work / ms[1], ms[1] / ms[0], work / ms[2] / 6,
                6 * ms[2] / ms[0]);
    std::fflush(stdout);
    return ms[1] / ms[0];
  }

  // Returns whether no error is larger than cuBLAS's.
  bool compare(Inputs kind) {
    constexpr int kSamples = 10000;
    fill(kind);
    ours();
    theirs();
    Buffer<Sample> there(kSamples);
    sample<<<kSamples, 32>>>(A_.data(), B_.data(), ours_.data(), theirs_.data(), M_, N_, K_,
                             there.data());
    std::vector<Sample> samples(kSamples);
    check(cudaMemcpy(samples.data(), there.data(), there.bytes(), cudaMemcpyDeviceToHost), "copy");
    Errors mine, other;
    for (const Sample& one : samples) {
      mine.add(one.ours, one);
      other.add(one.theirs, one);
    }
    std::printf("%d %d %d  %-50s ours %.1e, at worst %.1e  cuBLAS %.1e, %.1e", M_, N_, K_,
                kNames[kind], mine.mean(), mine.worst, other.mean(), other.worst);
    std::printf("  wrong infinities and NaN %d, %d\n", mine.other, other.other);
    return mine.mean() <= other.mean() && mine.worst <= other.worst && mine.other <= other.other;
  }

 private:
  Buffer<float> A_, B_, ours_, theirs_;
  int M_, N_, K_;
  cublasHandle_t blas_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  int unseen = 20;
  unsigned seed = 1;
  std::vector<Size> sizes;
  for (const auto& one : matmul_emulated_tuned::entries) {
    sizes.push_back({{one.size.M, one.size.N, one.size.K}, "tuned"});
  }
  for (int i = 1; i < argc; ++i) {
    long long m = 0, n = 0, k = 0;
    if (std::sscanf(argv[i], "unseen=%d", &unseen) == 1) continue;
    if (std::sscanf(argv[i], "seed=%u", &seed) == 1) continue;
    check(std::sscanf(argv[i], "%lldx%lldx%lld", &m, &n, &k) == 3, "a size is MxNxK");
    sizes.push_back({{m, n, k}, "asked for"});
  }
  const Domain domain{
      {{512, 8192}, {512, 8192}, {512, 8192}},
      {{"multiples of 32", {32, 32, 32}}, {"multiples of 4", {4, 4, 4}}, {"any", {1, 1, 1}}}};
  for (const Size& one : draw_sizes(domain, unseen, seed)) sizes.push_back(one);
  Race race;
  std::map<std::string, std::vector<double>> ratios;
  for (const Size& size : sizes) {
    Product product(size.extents[0], size.extents[1], size.extents[2]);
    ratios[size.kind].push_back(product.race(race, size.kind.c_str()));
  }
  for (const auto& [kind, of] : ratios) {
    double sum = 0;
    for (const double one : of) sum += std::log(one);
    std::printf("%s: geometric mean %.3f, lowest %.3f\n", kind.c_str(),
                std::exp(sum / double(of.size())), *std::min_element(of.begin(), of.end()));
  }
  bool all_right = true;
  for (const auto& [M, N, K] : {std::array{4096, 4096, 4096}, std::array{1000, 1003, 777}}) {
    Product product(M, N, K);
    for (int kind = kUniform; kind <= kSpecial; ++kind) {
      all_right = product.compare(Inputs(kind)) && all_right;
    }
  }
  return all_right ? 0 : 1;
}
