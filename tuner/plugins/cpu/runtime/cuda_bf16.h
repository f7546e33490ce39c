#pragma once
// <cuda_bf16.h>: bfloat16 in software.
#include "small_floats.h"

#define TUNER_CPU_T __nv_bfloat16
#define TUNER_CPU_T2 __nv_bfloat162
#define TUNER_CPU_N bfloat16
#define TUNER_CPU_TWICE __bfloat162bfloat162
#define TUNER_CPU_BITS tuner_cpu_bfloat16_bits
#include "sixteen_bits.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
