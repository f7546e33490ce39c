#pragma once
// <cuda_fp16.h>: half precision in software.
#include "small_floats.h"

#define TUNER_CPU_T __half
#define TUNER_CPU_T2 __half2
#define TUNER_CPU_N half
#define TUNER_CPU_TWICE __half2half2
#define TUNER_CPU_BITS tuner_cpu_half_bits
#include "sixteen_bits.h"

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
