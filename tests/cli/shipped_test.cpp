// The shipped kernels give right answers on the CPU, at sizes that no tile divides and at sizes
// that vectors fit.
#include <gtest/gtest.h>

#include "program.h"

namespace tuner::cli {
namespace {

struct Sample {
  const char* kernel;
  const char* size;
  const char* where;  // what keeps blocks small, and names the forms that chance would miss
  std::size_t variants = 8;
};

constexpr Sample kSamples[] = {
    {"matmul", "M=75,N=67,K=45", "BM <= 64 and BN <= 64"},
    {"matmul", "M=76,N=68,K=40", "FORM == 'warptile' and VEC == 4 and BM <= 64 and BN <= 64"},
    {"transpose", "M=203,N=137", "FORM != 'skewed'"},
    {"transpose", "M=203,N=137", "FORM == 'skewed'"},
    {"transpose", "M=203,N=137", "CLUSTER > 1"},
    {"transpose", "M=203,N=137", "OCCUPANCY == 'full'"},
    {"transpose", "M=132,N=260", "AHEAD > 0"},
    {"transpose_f16", "M=203,N=137", "threads <= 256"},
    {"transpose_f64", "M=203,N=137", "threads <= 256"},
    {"reduction", "N=10003", "FORM != 'global' and BLOCK <= 128"},
    {"softmax", "M=37,N=1001", "BLOCK <= 128"},
    {"softmax", "M=20,N=256", "BLOCK <= 128"},
    {"scan", "N=20011", "FORM in ['hillis_steele', 'blelloch'] and BLOCK <= 512", 3},
    {"scan", "N=20011", "FORM == 'registers' and BLOCK <= 256", 3},
    {"scan_exclusive", "N=20011", "FORM == 'bulk' and BLOCK <= 256", 3},
    {"scan_max", "N=20011", "FORM in ['registers', 'bulk'] and BLOCK <= 256", 3},
    {"scan_i32", "N=20011", "FORM in ['registers', 'bulk'] and BLOCK <= 256", 3},
    {"scan_f64", "N=20011", "FORM in ['registers', 'bulk'] and BLOCK <= 256", 3},
    {"norm", "M=21,N=1000", "FORM != 'passes' and BLOCK * ROWS <= 256", 3},
    {"norm_f32", "M=21,N=999", "BLOCK * ROWS <= 256", 3},
    {"norm_residual", "M=21,N=1000", "FORM == 'bulk' and BLOCK <= 256", 3},
    {"layer_norm", "M=21,N=1000", "FORM == 'registers' and BLOCK * ROWS <= 256", 3},
    {"thin_product", "M=3,N=67,K=1032", "SPLIT != 1 and warps <= 4 and UNROLL <= 2", 3},
    {"thin_product_fp8", "M=3,N=67,K=1040", "SPLIT != 1 and warps <= 4 and UNROLL <= 2", 3},
    // Groups of no rows, of few, and of more than a tile.
    {"grouped_product", "G=5,ROWS=83,N=40,K=56,SKEW=3", "FORM == 'shared'", 2},
    {"histogram", "N=20012,BINS=1000", "FORM == 'shared' and PAD == 1", 3},
    {"histogram", "N=20011,BINS=4097", "PARTS > 1", 2},
    // Enough in one bin that halves of words are carried.
    {"histogram_skewed", "N=900012,BINS=4097", "COUNTER == 16 and PER_SM == 1", 3},
    {"histogram_edges", "N=20011,BINS=1000", "SEARCH == 'guide'", 3},
    {"histogram_edges", "N=20011,BINS=1001", "SEARCH == 'registers'", 3},
    {"histogram_edges", "N=20012,BINS=64", "SEARCH in ['shared', 'global']", 3},
    {"histogram_u8", "N=20011,BINS=256", "COPIES == 32", 3},
    {"histogram_u8_skewed", "N=20011,BINS=256", "AGGREGATE == 'runs'", 3},
    {"convolution2d", "H=67,W=131", "FORM != 'registers' and BM <= 16"},
    {"convolution2d", "H=67,W=131", "FORM == 'registers' and BM <= 16 and UNROLL <= 2"},
    {"convolution2d", "H=34,W=132", "FORM == 'registers' and BM <= 16 and UNROLL <= 2"},
};

TEST(Shipped, SampledVariantsAreRightOnTheCpu) {
  for (const Sample& sample : kSamples) {
    SCOPED_TRACE(std::string(sample.kernel) + " " + sample.size + " " + sample.where);
    const Sandbox sandbox;
    const std::string kernel = sample.kernel;
    run_to(0, sandbox,
           {"run", std::string(TUNER_SOURCE_DIR) + "/search_spaces/" + kernel + ".yaml",
            "--backend", "cpu", "--strategy", "random", "--seed", "5", "--budget",
            std::to_string(sample.variants), "--size", sample.size, "--where", sample.where});
    const auto rows = ranking_of(sandbox, kernel);
    EXPECT_EQ(rows.size(), sample.variants);
    for (const auto& row : rows) {
      EXPECT_TRUE(row.at("state") == "ok" || row.at("state") == "dropped")
          << row.at("state") << ": " << row.at("message");
    }
  }
}

}  // namespace
}  // namespace tuner::cli
