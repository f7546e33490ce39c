#pragma once
// Reads textures in software: what cudaTextureObject_t points to is a buffer and how it is read;
// and surfaces, which write, too. Fractions of linear filters have eight bits, as those of devices.
#include "interface.h"
#include "language.h"

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long CUtexObject;
typedef unsigned long long cudaSurfaceObject_t;
typedef unsigned long long CUsurfObject;

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

// The element that stands for number `i` of `count`; -1: none, it is zero. Without a count there is
// no such direction.
inline long long tuner_cpu_inside(unsigned outside, long long i, long long count) {
  if (count == 0) return 0;
  if (i >= 0 && i < count) return i;
  if (outside == 3) return -1;
  if (outside == 0) return i < 0 ? 0 : count - 1;
  const long long period = outside == 1 ? count : 2 * count;
  const long long rest = (i % period + period) % period;
  return rest < count ? rest : period - 1 - rest;
}

inline double tuner_cpu_at(const tuner_cpu_texture& it, long long x, long long y, long long z,
                           unsigned lane) {
  x = tuner_cpu_inside(it.outside, x, it.width);
  y = tuner_cpu_inside(it.outside, y, it.height);
  z = tuner_cpu_inside(it.outside, z, it.depth);
  if (x < 0 || y < 0 || z < 0 || lane >= it.lanes) return 0;
  return tuner_cpu_number(it, ((z * it.height + y) * it.width + x) * it.lanes + lane);
}

// Between the two elements around `place` in a direction of `count` elements.
template <typename At>
inline double tuner_cpu_between(double place, long long count, At at) {
  if (count == 0) return at(0);
  const double first = __builtin_floor(place - 0.5);
  const double part = __builtin_floor((place - 0.5 - first) * 256 + 0.5) / 256;
  return (1 - part) * at((long long)first) + part * at((long long)first + 1);
}

inline double tuner_cpu_sampled(const tuner_cpu_texture& it, double x, double y, double z,
                                unsigned lane) {
  if (it.filter == 0) {
    return tuner_cpu_at(it, (long long)__builtin_floor(x), (long long)__builtin_floor(y),
                        (long long)__builtin_floor(z), lane);
  }
  return tuner_cpu_between(z, it.depth, [&](long long k) {
    return tuner_cpu_between(y, it.height, [&](long long j) {
      return tuner_cpu_between(x, it.width,
                               [&](long long i) { return tuner_cpu_at(it, i, j, k, lane); });
    });
  });
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

// Of as many extents as the function reads.
template <typename T>
inline T tuner_cpu_read_at(cudaTextureObject_t handle, const char* name, int extents, double x,
                           double y, double z) {
  const tuner_cpu_texture& it = tuner_cpu_texture_at(handle);
  const int own = it.depth != 0 ? 3 : it.height != 0 ? 2 : 1;
  if (own != extents || (own == 1 && it.kind == 0)) tuner_cpu_fault(name, 0, 0);
  if (it.normalized) {
    x *= (double)it.width;
    y *= (double)it.height;
    z *= (double)it.depth;
  }
  return tuner_cpu_texel_of<T>([&](unsigned lane) { return tuner_cpu_sampled(it, x, y, z, lane); });
}

template <typename T>
inline T tex1Dfetch(cudaTextureObject_t handle, int i) {
  const tuner_cpu_texture& it = tuner_cpu_texture_at(handle);
  if (it.height != 0 || it.kind != 0) {
    tuner_cpu_fault("tex1Dfetch reads textures over vectors, not over arrays", 0, 0);
  }
  return tuner_cpu_texel_of<T>([&](unsigned lane) {
    const bool is_inside = i >= 0 && i < it.width && lane < it.lanes;
    return is_inside ? tuner_cpu_number(it, (long long)i * it.lanes + lane) : 0.0;
  });
}
template <typename T>
inline void tex1Dfetch(T* out, cudaTextureObject_t handle, int i) {
  *out = tex1Dfetch<T>(handle, i);
}
template <typename T>
inline T tex1D(cudaTextureObject_t handle, float x) {
  return tuner_cpu_read_at<T>(handle, "tex1D reads textures over arrays that are vectors", 1, x, 0,
                              0);
}
template <typename T>
inline T tex2D(cudaTextureObject_t handle, float x, float y) {
  return tuner_cpu_read_at<T>(handle, "tex2D reads textures over matrices", 2, x, y, 0);
}
template <typename T>
inline T tex3D(cudaTextureObject_t handle, float x, float y, float z) {
  return tuner_cpu_read_at<T>(handle, "tex3D reads textures over volumes", 3, x, y, z);
}
// There is one level, and the other form of each function writes to where it is told.
#define TUNER_CPU_TEXTURE_FORMS(name, coordinates, ...)                                   \
  template <typename T>                                                                   \
  inline T name##Lod(cudaTextureObject_t handle, TUNER_CPU_UNPACKED coordinates, float) { \
    return name<T>(handle, __VA_ARGS__);                                                  \
  }                                                                                       \
  template <typename T>                                                                   \
  inline void name(T* out, cudaTextureObject_t handle, TUNER_CPU_UNPACKED coordinates) {  \
    *out = name<T>(handle, __VA_ARGS__);                                                  \
  }
#define TUNER_CPU_UNPACKED(...) __VA_ARGS__
TUNER_CPU_TEXTURE_FORMS(tex1D, (float x), x)
TUNER_CPU_TEXTURE_FORMS(tex2D, (float x, float y), x, y)
TUNER_CPU_TEXTURE_FORMS(tex3D, (float x, float y, float z), x, y, z)
#undef TUNER_CPU_TEXTURE_FORMS

// ---- surfaces -----------------------------------------------------------------------------------

// Constants, since who reads host code sees by their types that they are declared.
enum cudaSurfaceBoundaryMode {
  TUNER_CPU_BOUNDARY_ZERO,
  TUNER_CPU_BOUNDARY_CLAMP,
  TUNER_CPU_BOUNDARY_TRAP
};
constexpr cudaSurfaceBoundaryMode cudaBoundaryModeZero = TUNER_CPU_BOUNDARY_ZERO;
constexpr cudaSurfaceBoundaryMode cudaBoundaryModeClamp = TUNER_CPU_BOUNDARY_CLAMP;
constexpr cudaSurfaceBoundaryMode cudaBoundaryModeTrap = TUNER_CPU_BOUNDARY_TRAP;

// Where in the memory a T is; null: nowhere, it is zero. x counts bytes, and has to be a multiple
// of those of a T.
template <typename T>
inline char* tuner_cpu_surface_place(cudaSurfaceObject_t handle, int extents, int x, int y, int z,
                                     cudaSurfaceBoundaryMode mode) {
  const tuner_cpu_texture& it = *(const tuner_cpu_texture*)handle;
  if (it.kind != 2) tuner_cpu_fault("a texture was passed for a surface", 0, 0);
  if ((it.depth != 0 ? 3 : it.height != 0 ? 2 : 1) != extents) {
    tuner_cpu_fault("this function is for surfaces of other dimensions", 0, 0);
  }
  if (x % (int)sizeof(T) != 0) {
    tuner_cpu_fault("x of a surface counts bytes, in multiples of what is read or written", 0, 0);
  }
  const long long row = it.width * it.element_bytes;
  long long at[3] = {x / (long long)sizeof(T), y, z};
  const long long count[3] = {row / (long long)sizeof(T), it.height, it.depth};
  for (int i = 0; i < extents; ++i) {
    if (at[i] >= 0 && at[i] < count[i]) continue;
    if (mode == cudaBoundaryModeTrap) tuner_cpu_fault("access outside of a surface", 0, 0);
    if (mode == cudaBoundaryModeZero) return nullptr;
    at[i] = at[i] < 0 ? 0 : count[i] - 1;
  }
  const long long line = extents == 3 ? at[2] * it.height + at[1] : extents == 2 ? at[1] : 0;
  return (char*)it.data + line * row + at[0] * (long long)sizeof(T);
}

template <typename T>
inline T tuner_cpu_surface_read(const char* place) {
  T out;
  if (place != nullptr) {
    __builtin_memcpy(&out, place, sizeof(T));
  } else {
    __builtin_memset(&out, 0, sizeof(T));
  }
  return out;
}
#define TUNER_CPU_SURFACE(dimensions, coordinates, x, y, z)                                       \
  template <typename T>                                                                           \
  inline T surf##dimensions##Dread(cudaSurfaceObject_t handle, TUNER_CPU_UNPACKED coordinates,    \
                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {         \
    return tuner_cpu_surface_read<T>(                                                             \
        tuner_cpu_surface_place<T>(handle, dimensions, x, y, z, mode));                           \
  }                                                                                               \
  template <typename T>                                                                           \
  inline void surf##dimensions##Dread(T* out, cudaSurfaceObject_t handle,                         \
                                      TUNER_CPU_UNPACKED coordinates,                             \
                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {      \
    *out =                                                                                        \
        tuner_cpu_surface_read<T>(tuner_cpu_surface_place<T>(handle, dimensions, x, y, z, mode)); \
  }                                                                                               \
  template <typename T>                                                                           \
  inline void surf##dimensions##Dwrite(T value, cudaSurfaceObject_t handle,                       \
                                       TUNER_CPU_UNPACKED coordinates,                            \
                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {     \
    char* place = tuner_cpu_surface_place<T>(handle, dimensions, x, y, z, mode);                  \
    if (place != nullptr) __builtin_memcpy(place, &value, sizeof(T));                             \
  }
TUNER_CPU_SURFACE(1, (int x), x, 0, 0)
TUNER_CPU_SURFACE(2, (int x, int y), x, y, 0)
TUNER_CPU_SURFACE(3, (int x, int y, int z), x, y, z)
#undef TUNER_CPU_SURFACE
#undef TUNER_CPU_UNPACKED
