#pragma once
// Reads textures in software: what cudaTextureObject_t points to is a buffer and how it is read.
// Fractions of linear filters have eight bits, as those of devices.
#include "interface.h"
#include "language.h"

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long CUtexObject;

// Of a type that a texture is read as: of which numbers it is made.
template <typename T>
struct tuner_cpu_texel;
#define TUNER_CPU_TEXEL(name, T, many)  \
  template <>                           \
  struct tuner_cpu_texel<name> {        \
    typedef T number;                   \
    static const unsigned count = many; \
  };
#define TUNER_CPU_TEXELS(name, T) \
  TUNER_CPU_TEXEL(T, T, 1)        \
  TUNER_CPU_TEXEL(name##1, T, 1)  \
  TUNER_CPU_TEXEL(name##2, T, 2)  \
  TUNER_CPU_TEXEL(name##4, T, 4)
TUNER_CPU_TEXELS(char, signed char)
TUNER_CPU_TEXELS(uchar, unsigned char)
TUNER_CPU_TEXELS(short, short)
TUNER_CPU_TEXELS(ushort, unsigned short)
TUNER_CPU_TEXELS(int, int)
TUNER_CPU_TEXELS(uint, unsigned)
TUNER_CPU_TEXELS(float, float)
TUNER_CPU_TEXEL(char, char, 1)
#undef TUNER_CPU_TEXELS
#undef TUNER_CPU_TEXEL

inline double tuner_cpu_half(unsigned bits) {
  const int exponent = (int)(bits >> 10 & 31);
  const double fraction = (double)(bits & 1023);
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? __builtin_nan("") : sign * __builtin_inf();
  if (exponent == 0) return sign * __builtin_ldexp(fraction, -24);
  return sign * __builtin_ldexp(1024 + fraction, exponent - 25);
}

// One number; as_floats: integers as parts of their largest.
inline double tuner_cpu_number(const tuner_cpu_texture& it, long long place) {
  double value = 0;
  double most = 1;
#define TUNER_CPU_CASE(type, T, largest)        \
  case type:                                    \
    value = (double)((const T*)it.data)[place]; \
    most = largest;                             \
    break;
  switch (it.type) {
    TUNER_CPU_CASE(0, float, 1)
    case 2:
      value = tuner_cpu_half(((const unsigned short*)it.data)[place]);
      break;
      TUNER_CPU_CASE(4, signed char, 127)
      TUNER_CPU_CASE(5, short, 32767)
      TUNER_CPU_CASE(6, int, 1)
      TUNER_CPU_CASE(8, unsigned char, 255)
      TUNER_CPU_CASE(9, unsigned short, 65535)
      TUNER_CPU_CASE(10, unsigned, 1)
    default:
      break;
  }
#undef TUNER_CPU_CASE
  if (!it.as_floats) return value;
  value /= most;
  return value < -1 ? -1 : value;
}

// The element that stands for number `i` of `count`; -1: none, it is zero.
inline long long tuner_cpu_inside(unsigned outside, long long i, long long count) {
  if (i >= 0 && i < count) return i;
  if (outside == 3) return -1;
  if (outside == 0) return i < 0 ? 0 : count - 1;
  const long long period = outside == 1 ? count : 2 * count;
  const long long rest = (i % period + period) % period;
  return rest < count ? rest : period - 1 - rest;
}

inline double tuner_cpu_at(const tuner_cpu_texture& it, long long x, long long y, unsigned lane) {
  x = tuner_cpu_inside(it.outside, x, it.width);
  y = tuner_cpu_inside(it.outside, y, it.height);
  if (x < 0 || y < 0 || lane >= it.lanes) return 0;
  return tuner_cpu_number(it, (y * it.width + x) * it.lanes + lane);
}

inline double tuner_cpu_part(double fraction) {
  return __builtin_floor(fraction * 256 + 0.5) / 256;
}

inline double tuner_cpu_sampled(const tuner_cpu_texture& it, double x, double y, unsigned lane) {
  if (it.filter == 0) {
    return tuner_cpu_at(it, (long long)__builtin_floor(x), (long long)__builtin_floor(y), lane);
  }
  const double left = __builtin_floor(x - 0.5);
  const double top = __builtin_floor(y - 0.5);
  const double right_part = tuner_cpu_part(x - 0.5 - left);
  const double low_part = tuner_cpu_part(y - 0.5 - top);
  const long long i = (long long)left;
  const long long j = (long long)top;
  const double above = (1 - right_part) * tuner_cpu_at(it, i, j, lane) +
                       right_part * tuner_cpu_at(it, i + 1, j, lane);
  const double below = (1 - right_part) * tuner_cpu_at(it, i, j + 1, lane) +
                       right_part * tuner_cpu_at(it, i + 1, j + 1, lane);
  return (1 - low_part) * above + low_part * below;
}

inline const tuner_cpu_texture& tuner_cpu_texture_at(cudaTextureObject_t handle) {
  return *(const tuner_cpu_texture*)handle;
}

// A scalar that a texture is read as is its only number.
template <typename T, typename Read>
inline T tuner_cpu_texel_of(Read read) {
  T out;
  typedef typename tuner_cpu_texel<T>::number Number;
  for (unsigned lane = 0; lane < tuner_cpu_texel<T>::count; ++lane) {
    ((Number*)&out)[lane] = (Number)read(lane);
  }
  return out;
}

template <typename T>
inline T tex1Dfetch(cudaTextureObject_t handle, int i) {
  const tuner_cpu_texture& it = tuner_cpu_texture_at(handle);
  if (it.height != 0) tuner_cpu_fault("tex1Dfetch reads textures over vectors", 0, 0);
  return tuner_cpu_texel_of<T>([&](unsigned lane) {
    const bool is_inside = i >= 0 && i < it.width && lane < it.lanes;
    return is_inside ? tuner_cpu_number(it, (long long)i * it.lanes + lane) : 0.0;
  });
}
template <typename T>
inline T tex2D(cudaTextureObject_t handle, float x, float y) {
  const tuner_cpu_texture& it = tuner_cpu_texture_at(handle);
  if (it.height == 0) tuner_cpu_fault("tex2D reads textures over matrices", 0, 0);
  const double column = it.normalized ? (double)x * (double)it.width : (double)x;
  const double row = it.normalized ? (double)y * (double)it.height : (double)y;
  return tuner_cpu_texel_of<T>(
      [&](unsigned lane) { return tuner_cpu_sampled(it, column, row, lane); });
}
template <typename T>
inline T tex2DLod(cudaTextureObject_t handle, float x, float y, float) {
  return tex2D<T>(handle, x, y);
}
template <typename T>
inline void tex1Dfetch(T* out, cudaTextureObject_t handle, int i) {
  *out = tex1Dfetch<T>(handle, i);
}
template <typename T>
inline void tex2D(T* out, cudaTextureObject_t handle, float x, float y) {
  *out = tex2D<T>(handle, x, y);
}
