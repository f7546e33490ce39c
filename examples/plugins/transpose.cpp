// The program that is tuned: it transposes a matrix in tiles and prints how long that took.
//
//   transpose N TILE ORDER      ORDER: rows or columns, of the tiles

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

void transpose_tile(const std::vector<float>& in, std::vector<float>& out, std::size_t n,
                    std::size_t row, std::size_t column, std::size_t tile) {
  for (std::size_t i = row; i < std::min(row + tile, n); ++i) {
    for (std::size_t j = column; j < std::min(column + tile, n); ++j)
      out[j * n + i] = in[i * n + j];
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  const auto n = static_cast<std::size_t>(std::atoi(words[1]));
  const auto tile = static_cast<std::size_t>(std::atoi(words[2]));
  const bool by_columns = std::strcmp(words[3], "columns") == 0;
  std::vector<float> in(n * n);
  std::vector<float> out(n * n);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 1000);
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t a = 0; a < n; a += tile) {
    for (std::size_t b = 0; b < n; b += tile) {
      transpose_tile(in, out, n, by_columns ? b : a, by_columns ? a : b, tile);
    }
  }
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  for (std::size_t i = 0; i < n; ++i) {
    if (out[i * n] != in[i]) return 1;  // a wrong answer is no result
  }
  std::printf("%.6f ms\n", spent.count());
  return 0;
}
