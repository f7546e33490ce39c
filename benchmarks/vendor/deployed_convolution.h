#pragma once
// The image filter, beside a copy of the bytes that it must move and the best exported
// configuration, if its header and launcher were exported.

#if __has_include("convolution2d_launcher.hpp") && __has_include("convolution2d_tuned.h")
#include "convolution2d_launcher.hpp"
#include "deployed.h"
#include "tuned_kernels.h"

constexpr int kFilter = 17;

__global__ void right_convolution(const float* image, const float* weights, float* out, int H,
                                  int W) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= H || col >= W) return;
  double sum = 0;
  for (int r = 0; r < kFilter; ++r) {
    for (int c = 0; c < kFilter; ++c) {
      sum += double(weights[r * kFilter + c]) *
             image[std::size_t(row + r) * (W + kFilter - 1) + col + c];
    }
  }
  out[std::size_t(row) * W + col] = float(sum);
}

inline void compare_convolution(Bench& bench, const Size& size) {
  namespace tuned = convolution2d_tuned;
  const long long H = size.extents[0], W = size.extents[1];
  const tuned::device device = tuned::device_from(bench.device());
  const tuned::dims dims{H, W};
  Buffer<float> image((H + kFilter - 1) * (W + kFilter - 1)), weights(kFilter * kFilter);
  Buffer<float> mine(H * W), called(H * W), right(H * W);
  fill<<<1024, 256>>>(image.data(), image.size(), 1, false);
  fill<<<1024, 256>>>(weights.data(), weights.size(), 2, false);
  right_convolution<<<dim3(unsigned(W + 31) / 32, unsigned(H + 7) / 8), dim3(32, 8)>>>(
      image.data(), weights.data(), right.data(), int(H), int(W));
  check(cudaDeviceSynchronize(), "convolution");
  const auto plain = [&](int id) -> Call {
    const tuned::config& c = tuned::configs[id];
    const RtcKernel kernel =
        bench
            .kernel("convolution2d", id,
                    [&] { return convolution_kernel(bench.settings().sources, c, dims, device); })
            .another("convolution2d",
                     shape_of(tuned::grid_of(c, dims, device), tuned::block_of(c, dims, device),
                              tuned::dynamic_shared_bytes_of(c, dims, device)));
    kernel.set_constant("weights", weights.data(), weights.bytes());
    return [=, in = image.data(), out = mine.data(), H = int(H), W = int(W)]() mutable {
      kernel.launch({&in, &out, &H, &W});
    };
  };
  // As those of the plain kernels, they are set before anything is timed.
  check(convolution2d_launcher::set_weights(weights.data()), "weights");
  const auto launcher = [&] {
    return convolution2d_launcher::convolution2d(image.data(), called.data(), int(H), int(W),
                                                 nullptr);
  };
  const auto first = launcher();
  // Half of the bytes are read and half are written by a copy.
  const std::size_t half = (image.bytes() + mine.bytes()) / 2;
  Buffer<char> from(half), to(half);
  const auto copy = [&] {
    check(cudaMemcpyAsync(to.data(), from.data(), half, cudaMemcpyDeviceToDevice), "copy");
  };
  const double tolerance = 2e-7 * kFilter * kFilter;  // the study's
  bench.hold({"convolution2d",
              "a copy",
              size,
              {first.status, int(first.chosen.how), first.chosen.config_id},
              {tuned::config_count,
               [&](int id) { return tuned::valid(tuned::configs[id], dims, device); }, plain},
              [&] { check(launcher().status, "launcher"); },
              copy,
              [&] {
                return difference_of(mine, right) <= tolerance &&
                       difference_of(called, right) <= tolerance;
              }},
             true);
}

inline Family convolution_family() {
  Family family{"convolution2d",
                {{{64, 8192}, {64, 8192}}, {{"rows of 16 bytes", {1, 4}}, {"any", {1, 1}}}},
                {},
                compare_convolution};
  for (const auto& one : convolution2d_tuned::entries) {
    family.tuned.push_back({{one.size.H, one.size.W}, "tuned"});
  }
  return family;
}
#endif
