// Headers of .npy files: good ones, and every way in which a hostile one is refused.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/measure/data_file.h"

namespace tuner {
namespace {

std::string file_with(const std::string& dictionary, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += '\0';
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    bytes += static_cast<char>(dictionary.size() >> (8 * i) & 0xFF);
  }
  return bytes + dictionary;
}

const std::string kGood = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }    \n";

std::string refusal_of(const std::string& bytes) {
  const auto header = parse_npy_header(bytes);
  return header ? "" : header.error();
}

TEST(NpyHeader, SaysTypeOrderShapeAndWhereTheNumbersBegin) {
  for (const char version : {1, 2, 3}) {
    const std::string bytes = file_with(kGood, version);
    const auto header = parse_npy_header(bytes + "numbers");
    ASSERT_TRUE(header) << header.error();
    EXPECT_EQ(header->type, "<f4");
    EXPECT_FALSE(header->column_major);
    EXPECT_EQ(header->shape, (std::vector<std::uint64_t>{3, 4}));
    EXPECT_EQ(header->data_at, bytes.size());
  }
  const auto other =
      parse_npy_header(file_with("{\"shape\":(7,),\"fortran_order\":True,\"descr\":\"|u1\"}"));
  ASSERT_TRUE(other) << other.error();
  EXPECT_TRUE(other->column_major);
  EXPECT_EQ(other->shape, std::vector<std::uint64_t>{7});
  const auto scalar =
      parse_npy_header(file_with("{'descr': '<f8', 'fortran_order': False, 'shape': ()}"));
  ASSERT_TRUE(scalar) << scalar.error();
  EXPECT_TRUE(scalar->shape.empty());
}

TEST(NpyHeader, SaysWhatIsWrong) {
  EXPECT_EQ(refusal_of(""), "it is no .npy file");
  EXPECT_EQ(refusal_of("PK\x03\x04 and more of a zip file"), "it is no .npy file");
  EXPECT_EQ(refusal_of(file_with(kGood, 9)), "its format is version 9, known are 1 to 3");
  EXPECT_EQ(refusal_of(file_with("['descr']")), "its header is no dictionary");
  EXPECT_EQ(refusal_of(file_with("{'descr': '<f4', 'shape': (3,)}")),
            "its header lacks 'descr', 'fortran_order' or 'shape'");
  EXPECT_EQ(refusal_of(file_with("{'descr': [('x', '<f4')], 'fortran_order': False}")),
            "it holds records, not numbers");
  EXPECT_EQ(refusal_of(file_with("{'descr': '<f4', 'descr': '<f8'}")),
            "its header has no good 'descr'");
  EXPECT_EQ(refusal_of(file_with("{'shape': (3, -4)}")), "its header has no good 'shape'");
  EXPECT_EQ(refusal_of(file_with("{'shape': (99999999999999999999,)}")),
            "its header has no good 'shape'");
  EXPECT_EQ(refusal_of(file_with("{'shape': (" + std::string(200, '1') + ")}")),
            "its header has no good 'shape'");
  EXPECT_EQ(refusal_of(file_with("{'colour': 'red'}")), "its header has no good 'colour'");
  EXPECT_EQ(refusal_of(file_with("{'fortran_order': 1}")),
            "its header has no good 'fortran_order'");
  EXPECT_EQ(refusal_of(file_with(kGood + "rm")), "there is something behind its header");
  EXPECT_EQ(refusal_of(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12) + kGood),
            "its header is too long");
}

TEST(NpyHeader, AHeaderThatEndsAnywhereIsRefused) {
  const std::string whole = file_with(kGood);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(refusal_of(whole.substr(0, size)), "") << size;
  }
}

// Whatever stands in a header: it is read or refused, and what is read lies within the file.
TEST(NpyHeader, NoByteMakesItReadBeyondTheFile) {
  const std::string whole = file_with(kGood);
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(byte);
      const auto header = parse_npy_header(bytes);
      if (!header) continue;
      ++accepted;
      EXPECT_LE(header->data_at, bytes.size());
      EXPECT_LE(header->shape.size(), 32U);
    }
  }
  EXPECT_GE(accepted, whole.size()) << "each byte as it is";
}

}  // namespace
}  // namespace tuner
