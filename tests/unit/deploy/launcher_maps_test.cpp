// Exported launchers of kernels that take tensor maps: run on the host, with a stand-in for the
// driver's function that makes them.

#include <gtest/gtest.h>

#include <string>

#include "compiled.h"
#include "fake_cuda.h"
#include "launchers.h"

namespace tuner {
namespace {

ArgumentSpec map_of(const std::string& matrix, const std::string& rows) {
  ArgumentSpec spec;
  spec.name = matrix + "_map";
  spec.is_scalar = true;
  spec.map = TensorMapSpec{matrix,
                           {},
                           {Expression::parse_or_throw(rows), Expression::parse_or_throw("64")},
                           Expression::parse_or_throw("128"),
                           {}};
  return spec;
}

// The map comes before its matrix, as it may.
Study study_with_box(const std::string& rows) {
  Study study = sample_study();
  study.arguments = {map_of("A", rows), buffer("A", {"M", "N"}, Role::kIn, DataType::kBFloat16),
                     buffer("C", {"M", "N"}, Role::kOut, DataType::kFloat32)};
  return study;
}

constexpr const char* kTwice =
    "__global__ void matmul(CUtensorMap, const __nv_bfloat16*, float* C) { C[0] = TUNE_BM; }\n";

// Of cuda.h what maps need. The driver's function is found by its name alone.
constexpr const char* kDriver = R"(#pragma once
typedef unsigned long long cuuint64_t;
typedef unsigned cuuint32_t;
enum CUresult { CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE };
enum CUtensorMapDataType { CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = 7, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9 };
enum CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE };
enum CUtensorMapSwizzle { CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
  CU_TENSOR_MAP_SWIZZLE_128B };
enum CUtensorMapL2promotion { CU_TENSOR_MAP_L2_PROMOTION_L2_128B };
enum CUtensorMapFloatOOBfill { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE };
struct alignas(64) CUtensorMap { void* matrix; unsigned long long opaque[15]; };
CUresult cuTensorMapEncodeTiled(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
    const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
    CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound };
enum { cudaEnableDefault };
inline bool is_old_driver = false;
inline CUresult made(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* matrix,
    const cuuint64_t* extents, const cuuint64_t* strides, const cuuint32_t* box, const cuuint32_t* every,
    CUtensorMapInterleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  if (matrix == nullptr) return CUDA_ERROR_INVALID_VALUE;
  map->matrix = matrix;
  std::printf("type %d, %u of %llu x %llu, %llu bytes apart, box %u x %u, every %u %u, swizzle %d\n", type,
              rank, extents[0], extents[1], strides[0], box[0], box[1], every[0], every[1], swizzle);
  return CUDA_SUCCESS;
}
inline cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** to, unsigned version, int,
                                                    cudaDriverEntryPointQueryResult* result) {
  const bool known = !is_old_driver && std::strcmp(name, "cuTensorMapEncodeTiled") == 0 && version == 12000;
  *result = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  *to = known ? reinterpret_cast<void*>(&made) : nullptr;
  return cudaSuccess;
}
)";

// The output of a program with this body, in which call(A, M) calls the launcher. What a launch was
// given first, the beginning of the map, is in passed[0].
std::string output_of(const Study& study, const std::string& body) {
  const HeaderFolder folder("");
  folder.write("cuda_runtime.h", std::string(kFakeCudaRuntime) +
                                     "constexpr auto cudaErrorNotSupported = cudaError_t(3);\n");
  folder.write("cuda_bf16.h", "#pragma once\nstruct __nv_bfloat16 { unsigned short bits; };\n");
  folder.write("cuda.h", kDriver);
  return output_with(launcher_of(study, kTwice), folder, R"(
__nv_bfloat16 A[2];
float C[1];
int call(const __nv_bfloat16* a, long long m) { return matmul_launcher::matmul(a, C, m, 1024).status; }
int main() {
)" + body + "}\n");
}

TEST(LauncherMaps, AreNoParametersOfTheCall) {
  const auto files = launcher_of(study_with_box("64"), kTwice);
  EXPECT_NE(files.header.find("launched matmul(const __nv_bfloat16* A, float* C, long long M, "
                              "long long N, cudaStream_t stream = nullptr);"),
            std::string::npos)
      << files.header.substr(files.header.find("launched matmul"), 300);
  Study without = study_with_box("64");
  without.arguments.erase(without.arguments.begin());
  EXPECT_EQ(launcher_of(without, kTwice).source.find("matrix_map"), std::string::npos);
}

TEST(LauncherMaps, DescribeTheMatrixOfTheCallAndAreMadeAgainWhereItLiesElsewhere) {
  EXPECT_EQ(
      output_of(study_with_box("BM * 2 if M > 1024 else 64"), R"(
  for (const auto* a : {A, A, A + 1}) {
    const int status = call(a, 512);
    std::printf("%d %d\n", status, passed[0] == a);
  }
)"),
      "type 9, 2 of 1024 x 512, 2048 bytes apart, box 64 x 64, every 1 1, swizzle 3\n0 1\n0 1\n"
      "type 9, 2 of 1024 x 512, 2048 bytes apart, box 64 x 64, every 1 1, swizzle 3\n0 1\n");
}

TEST(LauncherMaps, NumbersOfEightBitsAreMovedAsBytes) {
  for (const DataType type : {DataType::kFloat8E4M3, DataType::kFloat8E5M2, DataType::kInt8}) {
    Study study = study_with_box("64");
    study.arguments[1].type = type;
    const std::string source = launcher_of(study, kTwice).source;
    EXPECT_NE(source.find("CU_TENSOR_MAP_DATA_TYPE_UINT8"), std::string::npos) << name_of(type);
  }
}

TEST(LauncherMaps, AnotherSizeHasAnotherMap) {
  EXPECT_EQ(output_of(study_with_box("64"), R"(
  call(A, 512);
  call(A, 768);
  call(A, 512);
)"),
            "type 9, 2 of 1024 x 512, 2048 bytes apart, box 64 x 64, every 1 1, swizzle 3\n"
            "type 9, 2 of 1024 x 768, 2048 bytes apart, box 64 x 64, every 1 1, swizzle 3\n");
}

TEST(LauncherMaps, WhatCannotBeMadeIsAnErrorAndNothingIsLaunched) {
  const std::string body = R"(
  const int status = call(A, 512);
  std::printf("%d launched %d\n", status, launches.load());
)";
  EXPECT_EQ(output_of(study_with_box("M"), body), "1 launched 0\n");       // a box above 256
  EXPECT_EQ(output_of(study_with_box("M // 0"), body), "1 launched 0\n");  // no value
  EXPECT_EQ(output_of(study_with_box("64"), "  is_old_driver = true;\n" + body), "3 launched 0\n");
  EXPECT_EQ(output_of(study_with_box("64"), R"(
  const int status = call(nullptr, 512);
  std::printf("%d launched %d\n", status, launches.load());
)"),
            "1 launched 0\n");
}

}  // namespace
}  // namespace tuner
