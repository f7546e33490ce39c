// For the driver API: a block of extern "C", no launch beside it, unsigned chars, enums of macros.
#define MAX_ITERATIONS (1 << 8)
#define DIM_X 32
#define DIM_Y (256 / DIM_X)

enum { kRed = 0, kGreen = 1, kBlue = 2, kChannels = 4 };

extern "C" {

__device__ static int escape(double cx, double cy, int limit) {
  double x = 0.0, y = 0.0;
  int i = 0;
  for (; i < limit && x * x + y * y <= 4.0; ++i) {
    const double next = x * x - y * y + cx;
    y = 2.0 * x * y + cy;
    x = next;
  }
  return i;
}

__global__ void __launch_bounds__(DIM_X* DIM_Y) mandelbrot(uchar4* image, int width, int height,
                                                            double x0, double y0, double scale) {
  const int px = blockIdx.x * DIM_X + threadIdx.x;
  const int py = blockIdx.y * DIM_Y + threadIdx.y;
  if (px >= width || py >= height) return;
  const int n = escape(x0 + px * scale, y0 + py * scale, MAX_ITERATIONS);
  const unsigned char shade = static_cast<unsigned char>(n % 256);
  image[py * width + px] = make_uchar4(shade, shade, static_cast<unsigned char>(255 - shade), 255);
}

}  // extern "C"
