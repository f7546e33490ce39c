// What a program does with the exported header: it asks which configuration to launch for a size.
// This needs C++17 and no CUDA.
//   tuner export saxpy.yaml --format header -o saxpy_tuned.h
//   c++ -std=c++17 choose.cpp -o choose && ./choose 1000000
#include <cstdio>
#include <cstdlib>

#include "saxpy_tuned.h"

int main(int count, char** words) {
  const saxpy_tuned::dims size{count > 1 ? std::atoll(words[1]) : 1048576};
  // A program with a GPU says device_from(properties), with a cudaDeviceProp.
  const saxpy_tuned::device device = saxpy_tuned::device_of(90);
  const auto s = saxpy_tuned::select(device, size);
  const auto grid = saxpy_tuned::grid_of(s.cfg, size, device);
  const auto block = saxpy_tuned::block_of(s.cfg, size, device);
  std::printf("BLOCK = %d, VEC = %d: %d blocks of %d threads\n", int(s.cfg.BLOCK), int(s.cfg.VEC),
              int(grid.x), int(block.x));
}
