#include <cuda_bf16.h>

#include "application.h"
#include "deployed.h"
#include "matmul_bf16_launcher.hpp"
#include "matmul_bf16_tuned.h"

static std::vector<__nv_bfloat16> random_numbers(std::size_t count) {
  std::vector<__nv_bfloat16> out;
  out.reserve(count);
  for (const float value : random_floats(count)) out.push_back(__float2bfloat16(value));
  return out;
}

struct Product {
  Product(int m, int n, int k)
      : M(m),
        N(n),
        K(k),
        a(random_numbers(elements(m, k))),
        b(random_numbers(elements(k, n))),
        A(a),
        B(b),
        C(elements(m, n)) {}
  static std::size_t elements(int rows, int cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  }
  matmul_bf16_launcher::launched launch(cudaStream_t stream) const {
    return matmul_bf16_launcher::matmul_bf16(A.get(), B.get(), C.get(), M, N, K, stream);
  }
  // The largest error at these places, beyond what rounding the result may come to.
  double error_at(const std::vector<std::size_t>& where) const {
    const auto cols = static_cast<std::size_t>(N);
    const auto depth = static_cast<std::size_t>(K);
    const auto c = C.fetch();
    double error = 0;
    for (const std::size_t place : where) {
      double sum = 0;
      for (std::size_t k = 0; k < depth; ++k) {
        sum += static_cast<double>(__bfloat162float(a[place / cols * depth + k])) *
               static_cast<double>(__bfloat162float(b[k * cols + place % cols]));
      }
      const double off = std::abs(static_cast<double>(__bfloat162float(c[place])) - sum);
      error = worse(off - std::abs(sum) / 128, error);
    }
    return error;
  }
  double allowed() const { return 2e-8 * std::pow(K, 1.5); }  // the study's
  Job job() {
    const auto where = places(elements(M, N));
    const std::vector<std::size_t> some(where.begin(),
                                        where.begin() + std::min<long>(200, long(where.size())));
    return {[this](cudaStream_t stream) { return launch(stream).status; },
            [this] { must(cudaMemset(C.get(), 0xff, elements(M, N) * 2), "cudaMemset"); },
            [this, some] { return error_at(some) <= allowed(); }};
  }
  int M, N, K;
  std::vector<__nv_bfloat16> a, b;
  DeviceArray<__nv_bfloat16> A, B, C;
};

static void check(Report& report, const cudaDeviceProp& properties, int M, int N, int K) {
  const Product product(M, N, K);
  const auto done = product.launch(nullptr);
  must(done.status, "matmul_bf16");
  must(cudaDeviceSynchronize(), "matmul_bf16");
  const auto header =
      matmul_bf16_tuned::select(matmul_bf16_tuned::device_from(properties), {M, N, K});
  char size[64];
  std::snprintf(size, sizeof size, "%d x %d x %d", M, N, K);
  report.line(size, static_cast<int>(done.chosen.how), done.chosen.config_id,
              header.config_id == done.chosen.config_id,
              product.error_at(places(Product::elements(M, N))), product.allowed());
}

int main() {
  Report report;
  const auto properties = device_properties();
  if (properties.major != 9 || properties.minor != 0) {
    std::printf("matmul_bf16: left out, compiled for compute capability 9.0 alone\n");
    return 0;
  }
  for (const auto& entry : matmul_bf16_tuned::entries) {
    check(report, properties, static_cast<int>(entry.size.M), static_cast<int>(entry.size.N),
          static_cast<int>(entry.size.K));
  }
  // Rows of whole 16 bytes.
  for (int i = 0; i < 20; ++i) {
    check(report, properties, random_extent(1, 2000), 8 * random_extent(1, 250),
          8 * random_extent(1, 500));
  }
  // Maps are made anew where a matrix lies elsewhere, and each thread makes its own.
  Product one(512, 512, 512);
  Product other(512, 512, 512);
  Product odd(1001, 520, 264);
  const auto nothing = [](auto...) { return cudaSuccess; };
  Deployment alike(report, "512 x 512 x 512 twice", nothing, nothing);
  alike.check(one.job(), other.job());
  Deployment different(report, "512 x 512 x 512 and 1001 x 520 x 264", nothing, nothing);
  different.check(one.job(), odd.job());
  return report.end("matmul_bf16");
}
