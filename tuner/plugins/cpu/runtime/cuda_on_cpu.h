#pragma once
// The CUDA C++ that the cpu backend understands. Every variant is compiled behind this text; a
// source never includes it. It includes no standard header: a variant compiles in tenths of a
// second. What is not declared here is rejected with the compiler's message.
//
// TUNER_CPU is defined for sources that want to know. __CUDA_ARCH__ is 800.
#include "entry.h"
#include "execution.h"
#include "interface.h"
#include "language.h"
#include "mathematics.h"
