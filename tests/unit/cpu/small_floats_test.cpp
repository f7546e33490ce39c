#include <cmath>
#include <cstring>

#include "tests/unit/cpu/variant.h"
#include "tuner/model/data_type.h"

namespace tuner::cpu {
namespace {

std::uint16_t bits_of(DataType type, double value) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, scalar_bytes(type, value).data(), sizeof bits);
  return bits;
}

// Its exponent has `exponent_bits`, the rest is behind the point but for a sign.
double number_of(unsigned bits, int exponent_bits, int total_bits) {
  const int stored = total_bits - 1 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int field = static_cast<int>(bits >> stored & ((1U << exponent_bits) - 1));
  const int fraction = static_cast<int>(bits & ((1U << stored) - 1));
  const double magnitude = field == 0 ? std::ldexp(fraction, 1 - bias - stored)
                                      : std::ldexp(fraction + (1 << stored), field - bias - stored);
  return bits >> (total_bits - 1) != 0 ? -magnitude : magnitude;
}

// What buffers are filled with and compared as.
TEST(SmallFloats, EightBitNumbersOfBuffersAreTheProgramsOwn) {
  for (const DataType type : {DataType::kFloat8E4M3, DataType::kFloat8E5M2}) {
    const auto number = static_cast<std::uint32_t>(type);
    for (int pattern = 0; pattern < 256; ++pattern) {
      const auto bits = static_cast<std::uint8_t>(pattern);
      const double value = sdk::elements::load_element(&bits, 0, number);
      if (std::isnan(value)) continue;
      for (const double near : {value, value * 1.02, value * 1.0625, value / 1.0625}) {
        std::byte stored{};
        sdk::elements::store_element(&stored, 0, number, near);
        EXPECT_EQ(stored, scalar_bytes(type, near).front()) << near;
      }
      if (std::isinf(value)) continue;
      EXPECT_EQ(std::byte(bits), scalar_bytes(type, value).front());
    }
  }
}

struct Format {
  DataType type;
  const char* definitions;
  int exponent_bits;
  unsigned infinity;
};
const Format kHalfFormat{
    DataType::kFloat16,
    "#include <cuda_fp16.h>\n#define T __half\n#define OF __ushort_as_half\n"
    "#define BITS __half_as_ushort\n#define TO __half2float\n#define FROM __float2half\n",
    5, 0x7C00};
const Format kBFloatFormat{
    DataType::kBFloat16,
    "#include <cuda_bf16.h>\n#define T __nv_bfloat16\n#define OF __ushort_as_bfloat16\n"
    "#define BITS __bfloat16_as_ushort\n#define TO __bfloat162float\n#define FROM "
    "__float2bfloat16\n",
    8, 0x7F80};

// Between each pattern and the next there are two more floats: halfway, where the even one is
// taken, and right above.
TEST(SmallFloats, AllPatternsAreConvertedAsTheProgramConvertsThem) {
  for (const Format& format : {kHalfFormat, kBFloatFormat}) {
    Variant variant(std::string(format.definitions) + R"(
extern "C" __global__ void kernel(float* number, unsigned short* there_and_back,
                                  unsigned short* halfway, unsigned short* above, int shift) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  number[i] = TO(OF(i));
  there_and_back[i] = BITS(FROM(number[i]));
  const unsigned between = __float_as_uint(number[i]) + (1u << shift);
  halfway[i] = BITS(FROM(__uint_as_float(between)));
  above[i] = BITS(FROM(__uint_as_float(between + 1)));
})");
    Buffer<float> number{std::vector<float>(65536)};
    Buffer<std::uint16_t> back{std::vector<std::uint16_t>(65536)};
    Buffer<std::uint16_t> halfway = back;
    Buffer<std::uint16_t> above = back;
    const int shift = 22 - (15 - format.exponent_bits);
    variant.run({64, 1024}, number, back, halfway, above, shift);
    for (unsigned i = 0; i < 65536; ++i) {
      const float it = number.values[i];
      const unsigned magnitude = i & 0x7FFFU;
      if (magnitude > format.infinity) {
        ASSERT_TRUE(std::isnan(it)) << i;
        continue;
      }
      const double expected = magnitude == format.infinity ? (i < 32768 ? INFINITY : -INFINITY)
                                                           : number_of(i, format.exponent_bits, 16);
      ASSERT_EQ(it, expected) << i;
      ASSERT_EQ(back.values[i], i);
      if (magnitude == format.infinity) continue;
      std::uint32_t bits = 0;
      std::memcpy(&bits, &it, sizeof bits);
      for (const std::uint32_t more : {0U, 1U}) {
        const std::uint32_t between = bits + (1U << shift) + more;
        float value = 0;
        std::memcpy(&value, &between, sizeof value);
        const std::uint16_t got = more == 0 ? halfway.values[i] : above.values[i];
        ASSERT_EQ(got, bits_of(format.type, static_cast<double>(value))) << i << "+" << more;
      }
    }
  }
}

// Rounded twice (to float or to double first) the sums would be ties, and become even.
TEST(SmallFloats, AFusedProductIsRoundedOnce) {
  const auto product = [](const Format& format, float b, float c) {
    Variant variant(std::string(format.definitions) + R"(
extern "C" __global__ void kernel(unsigned short* out, float b, float c) {
  *out = BITS(__hfma(FROM(1.5f), FROM(b), FROM(c)));
})");
    Buffer<std::uint16_t> out{{0}};
    variant.run({1, 1}, out, b, c);
    return out.values[0];
  };
  EXPECT_EQ(product(kHalfFormat, 1.0009765625F, -0x1p-24F), 0x3E01);
  EXPECT_EQ(product(kHalfFormat, 1.0009765625F, 0), 0x3E02);
  EXPECT_EQ(product(kBFloatFormat, 1.0078125F, -0x1p-100F), 0x3FC1);
  EXPECT_EQ(product(kBFloatFormat, 1.0078125F, 0), 0x3FC2);
}

TEST(SmallFloats, OperatorsAndIntrinsicsOfHalf) {
  Variant variant(R"(
#include <cuda_fp16.h>
extern "C" __global__ void kernel(half* y, int* n, half2* both) {
  const half a = 0.1f, b = __float2half_rn(3), nan = __ushort_as_half(0x7fff);
  y[0] = a + b; y[1] = a - b; y[2] = a * b; y[3] = b / a; y[4] = -a; y[5] = hexp(b);
  y[6] = hsqrt(b); y[7] = __hmax(nan, a); y[8] = __hmax_nan(nan, a); y[9] = __hadd_sat(a, b);
  y[10] = __int2half_rn(4097); y[11] = half(70000.0); y[12] = __float2half_rz(70000.0f);
  y[13] = __float2half_ru(2049.0f); y[14] = __float2half_rd(-2049.0f);
  y[15] = __shfl_xor_sync(0xffffffff, threadIdx.x == 0 ? a : b, 1);
  n[0] = __half2int_rz(__float2half(-2.5f)); n[1] = __half2int_rn(__float2half(2.5f));
  n[2] = __hlt(a, b); n[3] = __heq(nan, nan); n[4] = __hneu(nan, a); n[5] = (a > b);
  n[6] = __hbeq2(both[0], both[0]); n[7] = float(__low2half(both[0])) + __high2float(both[0]);
  atomicAdd(both, __floats2half2_rn(0.5f, 0.25f));
  both[1] = __h2div(__half2half2(b), __halves2half2(a, b)) * both[1];
})");
  Buffer<std::uint16_t> y{std::vector<std::uint16_t>(16)};
  Buffer<int> n{std::vector<int>(8)};
  Buffer<std::uint16_t> both{{0x3C00, 0x4000, 0x3C00, 0x3C00}};
  variant.run({1, 1}, y, n, both);
  EXPECT_EQ(y.values, (std::vector<std::uint16_t>{0x4233, 0xC1CD, 0x34CC, 0x4F80, 0xAE66, 0x4D05,
                                                  0x3EEE, 0x2E66, 0x7FFF, 0x3C00, 0x6C00, 0x7C00,
                                                  0x7BFF, 0x6801, 0xE801, 0xFFFF}));
  EXPECT_EQ(n.values, (std::vector<int>{-2, 2, 1, 0, 1, 0, 1, 3}));
  EXPECT_EQ(both.values, (std::vector<std::uint16_t>{0x3E00, 0x4080, 0x4F80, 0x3C00}));
}

TEST(SmallFloats, NumbersOfEightBits) {
  Variant variant(R"(
#include <cuda_fp8.h>
extern "C" __global__ void kernel(float* numbers, unsigned char* back, unsigned char* some) {
  const unsigned i = threadIdx.x;
  if (i < 256) {
    __nv_fp8_e4m3 it;
    it.__x = i;
    numbers[i] = float(it);
    back[i] = __nv_fp8_e4m3(numbers[i]).__x;
  } else {
    __nv_fp8_e5m2 it;
    it.__x = i - 256;
    numbers[i] = float(it);
    back[i] = __nv_fp8_e5m2(numbers[i]).__x;
  }
  some[0] = __nv_fp8_e4m3(1e6f).__x;
  some[1] = __nv_cvt_float_to_fp8(1e6f, __NV_NOSAT, __NV_E4M3);
  some[2] = __nv_cvt_float_to_fp8(1e6f, __NV_NOSAT, __NV_E5M2);
  some[3] = __nv_fp8_e4m3(17.0f).__x;
  some[4] = __nv_fp8x2_e4m3(float2{1, 2}).__x >> 8;
})");
  Buffer<float> numbers{std::vector<float>(512)};
  Buffer<std::uint8_t> back{std::vector<std::uint8_t>(512)};
  Buffer<std::uint8_t> some{std::vector<std::uint8_t>(5)};
  variant.run({1, 512}, numbers, back, some);
  for (unsigned i = 0; i < 512; ++i) {
    const unsigned magnitude = i & 127;
    const bool is_e4m3 = i < 256;
    if (is_e4m3 ? magnitude == 127 : magnitude > 0x7C) {
      EXPECT_TRUE(std::isnan(numbers.values[i])) << i;
    } else if (is_e4m3 || magnitude < 0x7C) {
      EXPECT_EQ(numbers.values[i], number_of(i & 255, is_e4m3 ? 4 : 5, 8)) << i;
      EXPECT_EQ(back.values[i], i & 255);
    }
  }
  EXPECT_EQ(some.values, (std::vector<std::uint8_t>{0x7E, 0x7F, 0x7C, 0x58, 0x40}));
}

}  // namespace
}  // namespace tuner::cpu
