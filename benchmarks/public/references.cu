// The right answers for kernels whose own file has no simple second form: one thread for each
// number, without a trick.

extern "C" __global__ void transpose(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * height + y] = in[y * width + x];
}

extern "C" __global__ void product(float* c, const float* a, const float* b) {
  const int n = gridDim.x * blockDim.x;
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

extern "C" __global__ void sum(const int* data, int* result, unsigned n) {
  __shared__ int parts[1024];
  int mine = 0;
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) mine += data[i];
  parts[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned t = 1; t < blockDim.x; t++) mine += parts[t];
    *result = mine;
  }
}

extern "C" __global__ void prefix_sums(unsigned* out, const unsigned* in, unsigned length,
                                       unsigned arrays) {
  const unsigned array = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned before = 0;
  for (unsigned i = 0; array < arrays && i < length; i++) {
    out[array * length + i] = before;
    before += in[array * length + i];
  }
}

extern "C" __global__ void prefix_sum_in_place(int* data, int n) {
  for (int i = 1; i < n; i++) data[i] += data[i - 1];
}

// One thread for each token and head, in two passes over the tokens up to it: the largest score,
// then the weighted values.
extern "C" __global__ void attention(float* out, const float* qkv, int tokens, int channels,
                                     int heads) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, size = channels / heads;
  if (t >= tokens) return;
  const float* token = qkv + (long long)blockIdx.z * tokens * 3 * channels + blockIdx.y * size;
  const float* query = token + (long long)t * 3 * channels;
  float* mine = out + ((long long)blockIdx.z * tokens + t) * channels + blockIdx.y * size;
  const float scale = 1 / sqrtf(float(size));
  float largest = -3e38f, total = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int s = 0; s <= t; s++) {
      const float* key = token + (long long)s * 3 * channels + channels;
      float score = 0;
      for (int i = 0; i < size; i++) score += query[i] * key[i];
      score *= scale;
      if (pass == 0) {
        largest = fmaxf(largest, score);
        continue;
      }
      const float weight = expf(score - largest);
      total += weight;
      for (int i = 0; i < size; i++) mine[i] = (s == 0 ? 0 : mine[i]) + weight * key[channels + i];
    }
  for (int i = 0; i < size; i++) mine[i] /= total;
}

extern "C" __global__ void srad_1(float* east, float* west, float* north, float* south,
                                  float* image, float* c, int cols, int rows, float, float q0) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % cols, y = i / cols;
  const float here = image[i];
  const float n = image[y > 0 ? i - cols : i] - here, s = image[y < rows - 1 ? i + cols : i] - here;
  const float w = image[x > 0 ? i - 1 : i] - here, e = image[x < cols - 1 ? i + 1 : i] - here;
  const float gradient = (n * n + s * s + w * w + e * e) / (here * here),
              laplacian = (n + s + w + e) / here;
  const float speckle = (0.5f * gradient - laplacian * laplacian / 16) /
                        ((1 + 0.25f * laplacian) * (1 + 0.25f * laplacian));
  const float diffusion = 1 / (1 + (speckle - q0) / (q0 * (1 + q0)));
  north[i] = n, south[i] = s, west[i] = w, east[i] = e;
  c[i] = fminf(fmaxf(diffusion, 0), 1);
}

extern "C" __global__ void srad_2(float* east, float* west, float* north, float* south,
                                  float* image, float* c, int cols, int rows, float lambda, float) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % cols, y = i / cols;
  const float below = c[y < rows - 1 ? i + cols : i], right = c[x < cols - 1 ? i + 1 : i];
  image[i] +=
      0.25f * lambda * (c[i] * north[i] + below * south[i] + c[i] * west[i] + right * east[i]);
}

extern "C" __global__ void hotspot(const float* power, const float* before, float* after, int n,
                                   float cap, float rx, float ry, float rz, float step) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            i = y * n + x;
  const double here = before[i];
  const double north = before[y > 0 ? i - n : i], south = before[y < n - 1 ? i + n : i];
  const double west = before[x > 0 ? i - 1 : i], east = before[x < n - 1 ? i + 1 : i];
  after[i] = here + step / cap *
                        (power[i] + (south + north - 2 * here) / ry +
                         (east + west - 2 * here) / rx + (80 - here) / rz);
}

extern "C" __global__ void bodies(float delta, const float4* body, float4* new_body,
                                  const float4* velocity, float4* new_velocity, float damping,
                                  float softening, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = body[i], v = velocity[i];
  float3 a = {0, 0, 0};
  for (int j = 0; j < n; j++) {
    const float x = body[j].x - me.x, y = body[j].y - me.y, z = body[j].z - me.z;
    const float inverse = rsqrtf(x * x + y * y + z * z + softening);
    const float force = body[j].w * inverse * inverse * inverse;
    a.x += x * force, a.y += y * force, a.z += z * force;
  }
  const float half = damping * delta * delta;
  new_body[i] = make_float4(me.x + delta * v.x + half * a.x, me.y + delta * v.y + half * a.y,
                            me.z + delta * v.z + half * a.z, me.w);
  new_velocity[i] = make_float4(v.x + delta * a.x, v.y + delta * a.y, v.z + delta * a.z, 0);
}
