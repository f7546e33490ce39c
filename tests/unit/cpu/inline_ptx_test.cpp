// Inline PTX: what kernels use most of it runs as C++.

#include <cmath>

#include "tests/unit/cpu/variant.h"

namespace tuner::cpu {
namespace {

// Returns the x that `body` leaves, by thread; `x` is the thread's own element and `i` its number.
std::vector<unsigned> after(const std::string& body, std::vector<unsigned> x, unsigned threads) {
  Variant variant(
      "extern \"C\" __global__ void kernel(unsigned* all) {\n"
      "  __shared__ __align__(16) unsigned shared[64];\n  const unsigned i = threadIdx.x;\n"
      "  unsigned& x = all[i];\n  shared[i] = x;\n" +
      body + "\n}");
  Buffer<unsigned> buffer{std::move(x)};
  variant.run({1, threads}, buffer);
  return buffer.values;
}

unsigned after(const std::string& body, unsigned x) {
  return after(body, std::vector{x}, 1).front();
}

std::string one(const std::string& instruction) {
  return "asm volatile(\"" + instruction + "\" : \"+r\"(x));";
}

TEST(InlinePtx, InstructionsOfIntegersGiveWhatADeviceGives) {
  EXPECT_EQ(after(one("add.u32 %0, %0, 0x10;"), 1), 17U);
  EXPECT_EQ(after(one("shl.b32 %0, %0, 33;"), 1), 0U);
  EXPECT_EQ(after(one("shr.s32 %0, %0, 40;"), 0x80000000U), ~0U);
  EXPECT_EQ(after(one("bfe.u32 %0, %0, 4, 8;"), 0x12345U), 0x34U);
  EXPECT_EQ(after(one("bfe.s32 %0, %0, 4, 4;"), 0x80U), ~7U);
  EXPECT_EQ(after(one("bfi.b32 %0, 5, %0, 4, 3;"), 0xffffU), 0xffdfU);
  EXPECT_EQ(after(one("bfind.u32 %0, %0;"), 0x900U), 11U);
  EXPECT_EQ(after(one("brev.b32 %0, %0;"), 1), 0x80000000U);
  EXPECT_EQ(after(one("prmt.b32 %0, %0, 0, 0x4321;"), 0x44332211U), 0x00443322U);
  EXPECT_EQ(after(one("lop3.b32 %0, %0, 0xff00, 0x0ff0, 0x96;"), 0x1111U), 0x1111U ^ 0xf0f0U);
  EXPECT_EQ(after(one("mul.hi.u32 %0, %0, 0x10;"), 0x80000000U), 8U);
  EXPECT_EQ(after(one("mad.lo.s32 %0, %0, -3, 10;"), 2), 4U);
}

TEST(InlinePtx, RegistersPredicatesAndHalvesAreKept) {
  EXPECT_EQ(after(R"(unsigned y, z; asm("{\n\t.reg .pred p, q;\n .reg .u64 wide;\n"
    "setp.lt.u32 p, %0, 5; /* small */ mul.wide.u32 wide, %0, 0x80000000;\n"
    "@p add.u32 %0, %0, 100;\n@!p sub.u32 %0, %0, 1;\n"
    "mov.b64 {%1, %2}, wide;\n}" : "+r"(x), "=r"(y), "=r"(z)); x += y + 1000 * z;)",
                  4),
            2104U);
}

TEST(InlinePtx, MemoryIsReadAndWrittenWithAnyHint) {
  EXPECT_EQ(after(R"(unsigned address; __syncthreads();
    asm("{ .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }"
        : "=r"(address) : "l"(shared));
    uint2 v;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2 + 8];" : "=r"(v.x), "=r"(v.y) : "r"(address));
    asm volatile("bar.sync 0;" ::: "memory");
    asm volatile("st.global.cs.u32 [%[to]], %[what];" :: [to] "l"(&x), [what] "r"(v.x + v.y));)",
                  {1, 2, 30, 40}, 4),
            (std::vector<unsigned>(4, 70)));
  EXPECT_EQ(after(R"(unsigned old;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;"
                 :: "r"((unsigned)__cvta_generic_to_shared(shared)), "l"(all), "r"(4));
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;\n" ::);
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(all), "r"(shared[1] + 5));
    x += old;)",
                  {7, 9, 9, 9}, 1)
                .front(),
            19U);
}

TEST(InlinePtx, LanesAndWarpsAreAsked) {
  std::vector<unsigned> expected(64);
  for (unsigned i = 0; i < 64; ++i) expected[i] = i % 32 + 10 * (i ^ 1);
  std::vector<unsigned> x(64);
  for (unsigned i = 0; i < 64; ++i) x[i] = i;
  EXPECT_EQ(after(R"(unsigned lane, other;
    asm("mov.u32 %0, %laneid;" : "=r"(lane));
    asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(other) : "r"(x));
    x = lane + 10 * other;)",
                  x, 64),
            expected);
}

TEST(InlinePtx, FloatsAreBits) {
  EXPECT_EQ(after(R"(float f = x;
    asm("fma.rn.f32 %0, %0, 0f40000000, %1;" : "+f"(f) : "f"(0.5f));
    asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(f));
    asm("cvt.rni.s32.f32 %0, %1;" : "=r"(x) : "f"(f));)",
                  1),
            static_cast<unsigned>(std::nearbyint(std::exp2(2.5))));
}

TEST(InlinePtx, MatricesOfAWarpAreMultiplied) {
  Variant variant(R"(
#include <cuda_fp16.h>
extern "C" __global__ void kernel(const float* a, const float* b, float* c) {
  __shared__ __align__(16) half left[16][16], right[16][8];
  const unsigned lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) left[i / 16][i % 16] = __float2half(a[i]);
  for (int i = lane; i < 128; i += 32) right[i / 8][i % 8] = __float2half(b[i]);
  __syncthreads();
  unsigned x[4], y[2], z[2] = {0, 0};
  float sums[4] = {1, 1, 1, 1};
  const unsigned of_left = __cvta_generic_to_shared(&left[lane % 16][lane / 16 * 8]);
  const unsigned of_right = __cvta_generic_to_shared(&right[lane % 16][0]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(of_left));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(y[0]), "=r"(y[1]) : "r"(of_right));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, "
               "{%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
               : "+r"(z[0]), "+r"(z[1])
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  for (int i = 0; i < 4; ++i) {
    const float packed = __half2float(reinterpret_cast<half*>(z)[i]);
    c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = sums[i] + 1000 * packed;
  }
})");
  Buffer<float> a{std::vector<float>(256)}, b{std::vector<float>(128)};
  Buffer<float> c{std::vector<float>(128)};
  for (int i = 0; i < 256; ++i) a.values[i] = static_cast<float>(i % 7 - 3);
  for (int i = 0; i < 128; ++i) b.values[i] = static_cast<float>(i % 5 - 1);
  std::vector<float> expected(128);
  for (int i = 0; i < 128; ++i) {
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += a.values[i / 8 * 16 + k] * b.values[k * 8 + i % 8];
    expected[i] = sum + 1 + 1000 * sum;
  }
  variant.run({1, 32}, a, b, c);
  EXPECT_EQ(c.values, expected);
}

TEST(InlinePtx, WhatNobodyTranslatesIsNamedWithItsPlace) {
  const auto result =
      compiled(request_for("extern \"C\" __global__ void kernel(unsigned* x) {\n"
                           "  asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(*x));\n"
                           "  asm volatile(\"wgmma.fence.sync.aligned;\");\n}"));
  EXPECT_FALSE(result.compiled);
  EXPECT_EQ(result.log,
            "error: the cpu backend has no PTX instruction 'wgmma.fence.sync.aligned' "
            "(kernel.cu:3)\n");
}

// Ignored, each of these would give another answer without a word.
TEST(InlinePtx, AModifierThatIsNotKnownIsNotIgnored) {
  const std::pair<const char*, const char*> all[] = {
      {"prmt.b32.f4e", "%0, %0, 0, 1"}, {"fma.rn.relu.f32", "%0, %0, %0, %0"},
      {"add.rm.f32", "%0, %0, %0"},     {"min.NaN.f32", "%0, %0, %0"},
      {"cvt.rp.f32.s32", "%0, %0"},     {"shfl.sync.up.b32", "%0|p, %0, 1, 0, -1"}};
  for (const auto& [instruction, operands] : all) {
    const std::string text = std::string("{ .reg .pred p; ") + instruction + " " + operands + "; }";
    const auto result = compiled(
        request_for("extern \"C\" __global__ void kernel(unsigned* x) {\n  asm volatile(\"" + text +
                    "\" : \"+r\"(*x));\n}"));
    EXPECT_FALSE(result.compiled) << instruction;
    EXPECT_NE(result.log.find(std::string("no PTX instruction '") + instruction + "'"),
              std::string::npos)
        << result.log;
  }
}

TEST(InlinePtx, ProductsOfLargeNumbersAreWhole) {
  EXPECT_EQ(after(R"(unsigned long long y = ~0ull; unsigned i2;
    asm("mul.hi.u64 %0, %0, %0;" : "+l"(y));
    asm("{ .reg .u64 w; mul.wide.u32 w, %0, %0; mov.b64 {%0, %1}, w; }" : "+r"(x), "=r"(i2));
    x = (unsigned)y + i2;)",
                  ~0U),
            ~0U - 1 + (~0U - 1));
}

}  // namespace
}  // namespace tuner::cpu
