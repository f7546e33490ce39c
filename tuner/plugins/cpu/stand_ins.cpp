// Writes the headers that stand in for those of a CUDA toolkit.

#include <algorithm>
#include <filesystem>
#include <regex>

#include "tuner/plugins/cpu/host_compiler.h"
#include "tuner/plugins/programs/make_rule.h"

namespace tuner::cpu {
namespace {

// Headers of which everything that a kernel uses is there already, or of which it uses nothing.
// Where a toolkit lies in a folder of the system they would be found, and make a hundred errors.
constexpr const char* kHabitualHeaders =
    "cuda.h cuda_runtime.h cuda_runtime_api.h device_launch_parameters.h driver_types.h "
    "vector_types.h";
constexpr const char* kEmptyHeaders =
    "cuda_device_runtime_api.h device_functions.h device_atomic_functions.h device_types.h "
    "builtin_types.h host_defines.h library_types.h math_functions.h "
    "sm_20_atomic_functions.h sm_30_intrinsics.h vector_functions.h curand.h cusolverDn.h "
    "cusparse.h cuda_gl_interop.h cuda_profiler_api.h nvml.h nccl.h cudnn.h "
    "nvtx3/nvToolsExt.h nvtx3/nvToolsExtCudaRt.h nvtx3/nvtx3.hpp nvToolsExt.h";
// Headers of others that host code includes; a project's own ones come first.
constexpr const char* kEmptyElsewhere =
    "cutil.h helper_cuda.h mpi.h helper_image.h helper_functions.h helper_timer.h "
    "helper_gl.h helper_string.h";

// Headers whose contents there is no stand-in for.
constexpr const char* kRefusedHeaders =
    "curand_kernel.h cuda/atomic cuda/barrier cuda/functional cuda/pipeline "
    "cuda/ptx cuda/semaphore cuda/std/algorithm cuda/std/array cuda/std/atomic "
    "cuda/std/cmath cuda/std/complex cuda/std/cstddef cuda/std/cstdint cuda/std/functional "
    "cuda/std/limits cuda/std/span cuda/std/tuple cuda/std/type_traits cuda/std/utility";

constexpr const char* kLastResort = "last_resort";
constexpr const char* kEmptied = "emptied";

// Types that a kernel shares with a call of cuFFT.
constexpr const char* kOfCufft =
    "#pragma once\n#include <cuComplex.h>\n"
    "typedef float cufftReal;\ntypedef double cufftDoubleReal;\n"
    "typedef cuFloatComplex cufftComplex;\ntypedef cuDoubleComplex cufftDoubleComplex;\n";

constexpr const char* kConstants =
    "#pragma once\n"
    "#define CUDART_INF_F __builtin_inff()\n#define CUDART_INF __builtin_inf()\n"
    "#define CUDART_NAN_F __builtin_nanf(\"\")\n#define CUDART_NAN __builtin_nan(\"\")\n"
    "#define CUDART_PI_F 3.141592654f\n#define CUDART_PI 3.1415926535897931e+0\n"
    "#define CUDART_PIO2_F 1.570796327f\n#define CUDART_PIO2 1.5707963267948966e+0\n"
    "#define CUDART_SQRT_HALF_F 0.707106781f\n#define CUDART_SQRT_HALF 7.0710678118654757e-1\n"
    "#define CUDART_SQRT_TWO_F 1.414213562f\n#define CUDART_SQRT_TWO 1.4142135623730951e+0\n"
    "#define CUDART_L2E_F 1.442695041f\n#define CUDART_LN2_F 0.693147181f\n"
    "#define CUDART_MAX_NORMAL_F 3.402823466e38f\n#define CUDART_MIN_DENORM_F 1.401298464e-45f\n"
    "#define CUDART_ZERO_F 0.0f\n#define CUDART_ONE_F 1.0f\n";

// The library's own has an object that must be made, by the library, before main(): an image is not
// linked to it, and none of its kernels prints so.
constexpr const char* kStreams =
    "#pragma once\n#include <istream>\n#include <ostream>\n"
    "namespace std {\nextern istream cin;\nextern ostream cout, cerr, clog;\n}\n";

constexpr std::string_view kMissing = "there is no <";

enum class When { kNamed, kOftenIncluded };

struct StandIn {
  std::string path;
  std::string text;
  When when = When::kNamed;
};

std::vector<StandIn> make_all() {
  std::vector<StandIn> all;
  // The sources' own #pragma once is gone where they are embedded without their includes.
  const auto once = [](std::string_view text) { return "#pragma once\n" + std::string(text); };
  for (const auto& header : programs::words_of(kHabitualHeaders))
    all.push_back({header, "", When::kOftenIncluded});
  for (const auto& header : programs::words_of(kEmptyHeaders)) all.push_back({header, ""});
  for (const auto& header : programs::words_of(kEmptyElsewhere)) {
    all.push_back({std::string(kLastResort) + "/" + header, ""});
  }
  for (const auto& header : programs::words_of(kRefusedHeaders)) {
    all.push_back({header, "#error \"" + std::string(kMissing) + header + ">\"\n"});
  }
  for (const char* header : {"cublas.h", "cublas_v2.h", "cublasLt.h"}) {  // as theirs do
    all.push_back({header, "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"});
  }
  for (const char* header : {"cufft.h", "cufftXt.h"}) all.push_back({header, kOfCufft});
  all.push_back({"cuComplex.h", once(kComplexNumbers), When::kOftenIncluded});
  all.push_back({"math_constants.h", kConstants});
  all.push_back({"iostream", kStreams, When::kOftenIncluded});
  for (const char* header : {"cuda_pipeline.h", "cuda_pipeline_primitives.h"}) {
    all.push_back({header, once(kAsynchronousCopies)});
  }
  all.push_back({"mma.h", std::string(kTensorCores)});
  for (const char* header : {"cub.cuh", "block/block_reduce.cuh", "block/block_scan.cuh",
                             "warp/warp_reduce.cuh", "warp/warp_scan.cuh"}) {
    all.push_back({std::string("cub/") + header,
                   "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n" + once(kCub)});
  }
  for (const std::string part : {"reduce", "scan", "memcpy_async"}) {
    all.push_back({"cooperative_groups/" + part + ".h", "#include <cooperative_groups.h>\n"});
  }
  all.push_back({"cooperative_groups.h", once(kCooperativeGroups), When::kOftenIncluded});
  all.push_back({"small_floats.h", once(kSmallFloats), When::kOftenIncluded});
  all.push_back({"sixteen_bits.h", std::string(kSixteenBits), When::kOftenIncluded});
  all.push_back({"cuda_fp16.h", std::string(kHalf), When::kOftenIncluded});
  all.push_back({"cuda_bf16.h", std::string(kBFloat16), When::kOftenIncluded});
  all.push_back({"cuda_fp8.h", std::string(kFp8)});
  all.push_back({kMoreFunctionsHeader, once(kMoreFunctions)});
  all.push_back({kTexturesHeader, once(kTextures)});
  all.push_back({kThrustHeader, std::string(kThrust)});
  all.push_back({kInlinePtxHeader, std::string(kInlinePtx)});
  all.push_back({kAnythingHeader, std::string(kAnything)});
  return all;
}

const std::vector<StandIn>& all_stand_ins() {
  static const std::vector<StandIn> all = make_all();
  return all;
}

// Whether it includes more than stand-ins of its own naming: files, whose includes nobody has seen,
// and stand-ins that include others.
bool may_include_more(std::string_view source) {
  constexpr std::string_view kInclude = "include";
  for (auto at = source.find(kInclude); at != source.npos; at = source.find(kInclude, at + 1)) {
    const auto next = source.find_first_not_of(" \t", at + kInclude.size());
    if (next != source.npos && source[next] != '<') return true;
  }
  return source.find("cooperative_groups/") != source.npos || source.find("_fp") != source.npos ||
         source.find("_bf16") != source.npos || source.find("cublas") != source.npos ||
         source.find("cub/") != source.npos || source.find("cufft") != source.npos ||
         source.find("mma.h") != source.npos;
}

}  // namespace

void write_stand_ins(const ScratchDirectory& scratch, std::string_view source, bool all) {
  const bool more = all || may_include_more(source);
  for (const StandIn& one : all_stand_ins()) {
    const std::filesystem::path path = one.path;
    const bool named = source.find(path.filename().string()) != source.npos;
    if (!all && !named && !(more && one.when == When::kOftenIncluded)) continue;
    if (path.has_parent_path()) {
      std::filesystem::create_directories(scratch.path() / path.parent_path());
    }
    scratch.write(one.path, one.text);
  }
}

std::vector<std::string> stand_in_options(const ScratchDirectory& scratch) {
  return {"-I" + scratch.file(kEmptied), "-I" + scratch.path().string(), "-idirafter",
          scratch.file(kLastResort)};
}

std::string missing_header_in(const std::string& log) {
  if (const std::size_t found = log.find(kMissing); found != std::string::npos) {
    const std::size_t begin = found + kMissing.size();
    return log.substr(begin, log.find('>', begin) - begin);
  }
  // Finds the messages of g++ and of clang for a header of a toolkit's library that is missing.
  static const std::regex kUnknown(
      "error: '?((?:cub|thrust|cuda)/[^\\s:']+)(?:: No such file|' file not found)");
  std::smatch parts;
  return std::regex_search(log, parts, kUnknown) ? parts[1].str() : "";
}

void write_empty_headers(const ScratchDirectory& scratch, const std::string& missing,
                         const std::string& source) {
  const auto stands_in = [&](const StandIn& one) {
    return one.path == missing && !one.text.starts_with("#error");
  };
  if (std::ranges::any_of(all_stand_ins(), stands_in)) {  // a header named it
    return write_stand_ins(scratch, source, true);
  }
  static const std::regex kNamed(R"(include\s*<((?:thrust|cuda)/[^>\s]+)>)");
  std::set<std::string> headers{missing};
  for (auto one = std::sregex_iterator(source.begin(), source.end(), kNamed);
       one != std::sregex_iterator(); ++one) {
    headers.insert((*one)[1].str());
  }
  for (const std::string& header : headers) {
    const std::filesystem::path path = std::filesystem::path(kEmptied) / header;
    std::filesystem::create_directories(scratch.path() / path.parent_path());
    scratch.write(path.string(), "");
  }
}

std::string refusal_for(const std::string& missing, const std::string& log) {
  const std::string space = missing.substr(0, missing.find_first_of("/_"));
  if (missing.empty() || log.find("'" + space) == log.npos) return "";
  return "the cpu backend has no <" + missing + ">: kernels that use it need a GPU";
}

std::string stand_in_texts() {
  std::string all(kRuntimeHeader);
  for (const std::string_view text :
       {kCooperativeGroups, kSmallFloats, kSixteenBits, kHalf, kBFloat16, kFp8, kMoreFunctions,
        kTextures, kAnything, kComplexNumbers, kAsynchronousCopies, kTensorCores, kCub, kInlinePtx,
        kThrust}) {
    all += text;
  }
  return all;
}

}  // namespace tuner::cpu
