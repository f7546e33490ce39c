#include "application.h"
#include "deployed.h"
#include "matmul_launcher.hpp"
#include "matmul_tuned.h"

// The largest error at these places of the product.
static double error_of(const std::vector<float>& a, const std::vector<float>& b,
                       const std::vector<float>& c, std::size_t cols, std::size_t depth,
                       const std::vector<std::size_t>& where) {
  double error = 0;
  for (const std::size_t place : where) {
    double sum = 0;
    for (std::size_t k = 0; k < depth; ++k) {
      sum += static_cast<double>(a[place / cols * depth + k]) *
             static_cast<double>(b[k * cols + place % cols]);
    }
    error = worse(std::abs(static_cast<double>(c[place]) - sum), error);
  }
  return error;
}

static void check(Report& report, const cudaDeviceProp& properties, int M, int N, int K) {
  const auto rows = static_cast<std::size_t>(M);
  const auto cols = static_cast<std::size_t>(N);
  const auto depth = static_cast<std::size_t>(K);
  const auto a = random_floats(rows * depth);
  const auto b = random_floats(depth * cols);
  const DeviceArray<float> A(a);
  const DeviceArray<float> B(b);
  const DeviceArray<float> C(rows * cols);
  const auto done = matmul_launcher::matmul(A.get(), B.get(), C.get(), M, N, K);
  must(done.status, "matmul");
  must(cudaDeviceSynchronize(), "matmul");
  const auto header = matmul_tuned::select(matmul_tuned::device_from(properties), {M, N, K});
  const auto c = C.fetch();
  const double error = error_of(a, b, c, cols, depth, places(c.size()));
  char size[64];
  std::snprintf(size, sizeof size, "%d x %d x %d", M, N, K);
  report.line(size, static_cast<int>(done.chosen.how), done.chosen.config_id,
              header.config_id == done.chosen.config_id, error, 2e-7 * K);
}

struct Product {
  Product(int m, int n, int k)
      : M(m),
        N(n),
        K(k),
        a(random_floats(elements(m, k))),
        b(random_floats(elements(k, n))),
        A(a),
        B(b),
        C(elements(m, n)) {
    std::uniform_int_distribution<std::size_t> pick(0, elements(m, n) - 1);
    for (int i = 0; i < 200; ++i) where.push_back(pick(generator()));
  }
  static std::size_t elements(int rows, int cols) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
  }
  Job job() {
    return {
        [this](cudaStream_t stream) {
          return matmul_launcher::matmul(A.get(), B.get(), C.get(), M, N, K, stream).status;
        },
        [this] { must(cudaMemset(C.get(), 0xff, elements(M, N) * sizeof(float)), "cudaMemset"); },
        [this] {
          return error_of(a, b, C.fetch(), static_cast<std::size_t>(N), static_cast<std::size_t>(K),
                          where) <= 2e-7 * K;
        }};
  }
  int M, N, K;
  std::vector<float> a, b;
  DeviceArray<float> A, B, C;
  std::vector<std::size_t> where;
};

// Sizes at which several blocks share a tile, so that workspaces are used.
static void deploy(Report& report, const char* sizes, Product& first, Product& second) {
  Deployment deployment(
      report, sizes, [] { return matmul_launcher::release_workspaces(); },
      [](cudaStream_t stream) { return matmul_launcher::release_workspaces(stream); });
  deployment.check(first.job(), second.job());
}

int main() {
  Report report;
  const auto properties = device_properties();
  for (const auto& entry : matmul_tuned::entries) {
    check(report, properties, static_cast<int>(entry.size.M), static_cast<int>(entry.size.N),
          static_cast<int>(entry.size.K));
  }
  for (int i = 0; i < 20; ++i) {
    check(report, properties, random_extent(1, 2000), random_extent(1, 2000),
          random_extent(1, 4000));
  }
  Product cube(512, 512, 512);
  Product deep(64, 64, 65536);
  Product large(1024, 1024, 1024);
  deploy(report, "512 x 512 x 512 and 64 x 64 x 65536", cube, deep);
  deploy(report, "1024 x 1024 x 1024 and 64 x 64 x 65536", large, deep);
  return report.end("matmul");
}
