// Writes kernels that do nothing but multiply on tensor cores.

#include <fmt/format.h>

#include <algorithm>

#include "tuner/trust/ceilings.h"

namespace tuner {
namespace {

constexpr int kInstructions = 4;  // in a round
constexpr int kWarp = 32;

// m rows times n columns, k deep, of numbers of so many bits; sums of so many, held in registers
// for the kind of 'f' (float), 'd' (double) or 'r' (32 bits of anything).
struct Form {
  std::vector<std::string> types;  // that a study's work names
  int m, n, k, bits;
  char kind;
  int sum_bits;
  const char* names;      // PTX's of the types
  const char* tail = "";  // what follows the operands

  bool of_group() const { return m == 64; }  // four warps multiply as one
  int threads() const { return of_group() ? 4 * kWarp : kWarp; }
  // Counts for each thread: registers of sums and of operands, operations.
  int sums() const { return m * n / threads() * sum_bits / std::max(32, sum_bits); }
  int a() const { return m * k / kWarp * bits / std::max(32, bits); }
  int b() const { return k * n / kWarp * bits / std::max(32, bits); }
  double operations() const { return 2.0 * m * n * k / threads(); }
  std::string instruction() const {
    return fmt::format("{}.sync.aligned.m{}n{}k{}{}.{}", of_group() ? "wgmma.mma_async" : "mma", m,
                       n, k, of_group() ? "" : ".row.col", names);
  }
};

// Those that no other instruction of such a device surpasses. Where sums may have 16 bits they do:
// GeForce adds floats at half the rate.
std::vector<Form> forms_of(int capability) {
  if (capability == 90) {
    return {{{"float16"}, 64, 256, 16, 16, 'r', 16, "f16.f16.f16", ", 1, 1, 0, 0"},
            {{"bfloat16"}, 64, 256, 16, 16, 'f', 32, "f32.bf16.bf16", ", 1, 1, 0, 0"},
            {{"tf32"}, 64, 256, 8, 32, 'f', 32, "f32.tf32.tf32", ", 1, 1"},
            {{"float8_e4m3", "float8_e5m2"}, 64, 256, 32, 8, 'r', 16, "f16.e4m3.e4m3", ", 1, 1"},
            {{"int8", "uint8"}, 64, 256, 32, 8, 'r', 32, "s32.s8.s8"},
            {{"float64"}, 16, 8, 8, 64, 'd', 64, "f64.f64.f64.f64"},
            {{"float64"}, 16, 8, 16, 64, 'd', 64, "f64.f64.f64.f64"}};
  }
  std::vector<Form> forms;
  if (capability < 80 || capability > 89) return forms;
  forms = {{{"float16"}, 16, 8, 16, 16, 'r', 16, "f16.f16.f16.f16"},
           {{"bfloat16"}, 16, 8, 16, 16, 'f', 32, "f32.bf16.bf16.f32"},
           {{"tf32"}, 16, 8, 8, 32, 'f', 32, "f32.tf32.tf32.f32"},
           {{"int8", "uint8"}, 16, 8, 32, 8, 'r', 32, "s32.s8.s8.s32"}};
  if (capability == 80) forms.push_back({{"float64"}, 8, 8, 4, 64, 'd', 64, "f64.f64.f64.f64"});
  return forms;
}

const char* type_of(char kind) {
  if (kind == 'f') return "float";
  return kind == 'd' ? "double" : "unsigned";
}

// "%4, %5, %6"
std::string numbers(int first, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{}%{}", i == 0 ? "" : ", ", first + i);
  return text;
}

// "+f"(d[k][0]), "+f"(d[k][1])
std::string operands(const char* mark, char kind, const char* name, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += fmt::format("{}\"{}{}\"({}[{}])", i == 0 ? "" : ", ", mark, kind, name, i);
  }
  return text;
}

// Zeros are multiplied: they take the least power, so that no clock is lowered on their account.
std::string warp_kernel(const Form& form) {
  const char kind = form.kind == 'd' ? 'd' : 'r';
  const int sums = form.sums(), a = form.a(), b = form.b();
  return fmt::format(
      "  {0} d[{1}][{2}] = {{}};\n"
      "  {3} a[{4}] = {{}}, b[{5}] = {{}};\n"
      "  for (long long r = 0; r < rounds; ++r) {{\n"
      "#pragma unroll\n"
      "    for (int k = 0; k < {1}; ++k)\n"
      "      asm volatile(\"{6} {{{7}}}, {{{8}}}, {{{9}}}, {{{7}}};\"\n"
      "                   : {10} : {11}, {12});\n"
      "  }}\n"
      "  {0} sum = 0;\n"
      "  for (int k = 0; k < {1} * {2}; ++k) sum += d[k / {2}][k % {2}];\n",
      type_of(form.kind), kInstructions, sums, type_of(kind), a, b, form.instruction(),
      numbers(0, sums), numbers(sums, a), numbers(sums + a, b),
      operands("+", form.kind, "d[k]", sums), operands("", kind, "a", a),
      operands("", kind, "b", b));
}

// Both operands lie in shared memory, in rows of 128 bytes as the instruction wants them.
std::string group_kernel(const Form& form) {
  const int sums = form.sums();
  return fmt::format(
      "  __shared__ __align__(1024) uint4 tiles[(64 + 256) * 8];\n"
      "  for (int i = threadIdx.x; i < (64 + 256) * 8; i += blockDim.x) tiles[i] = uint4{{}};\n"
      "  asm volatile(\"fence.proxy.async;\" ::: \"memory\");\n"
      "  __syncthreads();\n"
      "  const unsigned at = unsigned(__cvta_generic_to_shared(tiles));\n"
      "  const unsigned long long form = 1ull << 62 | 64ull << 32;\n"
      "  const unsigned long long a = form | at >> 4, b = form | (at + 64 * 128) >> 4;\n"
      "  {0} d[{1}] = {{}};\n"
      "  asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");\n"
      "  for (long long r = 0; r < rounds; ++r) {{\n"
      "#pragma unroll\n"
      "    for (int k = 0; k < {2}; ++k)\n"
      "      asm volatile(\"{{ .reg .pred add; setp.ne.b32 add, %{3}, 0;\\n\"\n"
      "                   \"{4} {{{5}}}, %{6}, %{7}, add{8}; }}\"\n"
      "                   : {9} : \"l\"(a), \"l\"(b), \"r\"(1));\n"
      "    asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\");\n"
      "    asm volatile(\"wgmma.wait_group.sync.aligned 1;\" ::: \"memory\");\n"
      "  }}\n"
      "  asm volatile(\"wgmma.wait_group.sync.aligned 0;\" ::: \"memory\");\n"
      "  {0} sum = 0;\n"
      "  for (int k = 0; k < {1}; ++k) sum += d[k];\n",
      type_of(form.kind), sums, kInstructions, sums + 2, form.instruction(), numbers(0, sums), sums,
      sums + 1, form.tail, operands("+", form.kind, "d", sums));
}

}  // namespace

std::optional<TensorKernels> tensor_kernels(int compute_capability) {
  const std::vector<Form> forms = forms_of(compute_capability);
  if (forms.empty()) return std::nullopt;
  TensorKernels kernels;
  kernels.source =
      "extern \"C\" __global__ void __launch_bounds__(256) ceiling(int* to, long long rounds) {\n";
  std::string waves;  // of blocks: those of a group fill the device alone
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const Form& form = forms[i];
    kernels.source += fmt::format("#if TUNE_FORM == {}\n{}#endif\n", i,
                                  form.of_group() ? group_kernel(form) : warp_kernel(form));
    if (form.of_group()) waves = fmt::format("1 if FORM <= {} else ", i);
    kernels.forms.push_back({form.types, kInstructions * form.operations()});
  }
  // Without a use of the sum, the compiler would leave out the multiplications.
  kernels.source += "  if (sum == -1) to[0] = 1;\n}\n";
  kernels.study = fmt::format(R"yaml(schema: 1
kernel:
  name: tensor_ceilings
  source: ceilings.cu
  entry: ceiling
  options: ["--gpu-architecture=sm_{{device.compute_capability}}{}"]
problem_sizes: [{{ROUNDS: 4096}}]
parameters: {{FORM: {{range: [0, {}]}}}}
launch: {{block: [256], grid: ["device.multiprocessors * ({}4)"]}}
arguments:
  - {{name: to, type: int32, shape: [1], role: out}}
  - {{name: rounds, type: int64, value: ROUNDS}}
verify: none
measure: {{cache: hot, min_samples: 7, max_samples: 15, max_milliseconds: 100, finalists: 0}}
)yaml",
                              compute_capability == 90 ? "a" : "", forms.size() - 1, waves);
  return kernels;
}

}  // namespace tuner
