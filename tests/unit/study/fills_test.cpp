#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

// A study whose input x has this type, shape and fill.
std::string with_fill(const std::string& type, const std::string& shape, const std::string& fill) {
  return R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{N: 1000, NNZ: 5000}]
parameters: {B: [32, 64]}
launch: {block: [B], grid: [1]}
arguments:
  - {name: y, type: float32, shape: [N], role: out}
  - {name: x, type: )yaml" +
         type + ", shape: [" + shape + "], fill: " + fill + "}\nverify: none\n";
}

// Without the lines that show the place.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(Fills, ThoseWithARuleAreRead) {
  const auto fill = [](const std::string& type, const std::string& text) {
    return accepted(with_fill(type, "N + 1", text)).arguments[1].fill;
  };
  EXPECT_EQ(fill("int32", "{permutation: true}").kind, FillSpec::Kind::kPermutation);
  EXPECT_EQ(fill("float32", "{choice: [0, 1.5]}").values, (std::vector<double>{0, 1.5}));
  EXPECT_EQ(fill("int32", "{formula: i % 7 * N}").rule.text(), "i % 7 * N");
  EXPECT_TRUE(fill("float32", "{sorted: {uniform: [0, 1]}}").sorted);
  const FillSpec ragged = fill("int32", "{ragged: {mean: 8, of: NNZ}}");
  EXPECT_EQ(ragged.a, 8);
  EXPECT_EQ(ragged.rule.text(), "NNZ");
  const FillSpec indices = fill("int32", "{integers: [1, N - 1]}");
  EXPECT_EQ(indices.a, 1);
  EXPECT_EQ(indices.rule.text(), "N - 1");
  EXPECT_TRUE(indices.is_random() && indices.is_drawn_by_device());
  EXPECT_TRUE(fill("int32", "{integers: [1, 7 + 1]}").rule.empty());
  EXPECT_EQ(fill("int32", "{integers: [1, 7 + 1]}").b, 8);
  const FillSpec zipf = fill("float32", "{zipf: {alpha: 1.1, of: NNZ}}");
  EXPECT_EQ(zipf.kind, FillSpec::Kind::kZipf);
  EXPECT_EQ(zipf.a, 1.1);
  EXPECT_EQ(zipf.rule.text(), "NNZ");
  EXPECT_TRUE(zipf.is_random() && zipf.is_drawn_by_device());
}

TEST(Fills, EveryMistakeHasItsPlace) {
  struct Mistake {
    const char* type;
    const char* shape;
    const char* fill;
    const char* message;
  };
  for (const Mistake& one : std::vector<Mistake>{
           {"int32", "N", "{permutation: 7}",
            "study.yaml:8:60: fill 'permutation' takes true: the numbers from 0 in any order"},
           {"int8", "N", "{permutation: true}",
            "study.yaml:8:12: the fill of 'x': int8 holds no permutation of 1000 numbers for "
            "N=1000, NNZ=5000"},
           {"int32", "N", "{permutations: true}",
            "study.yaml:8:47: unknown key 'permutations' in 'fill' (did you mean 'permutation'?)"},
           {"int32", "N", "{permutation: [true]}",
            "study.yaml:8:60: fill 'permutation' takes true: the numbers from 0 in any order"},
           {"int32", "N", "{permutation: true, choice: [1]}",
            "study.yaml:8:46: 'fill' must have exactly one of file, captured, same_as, sorted, "
            "constant, uniform, normal, sequence, integers, permutation, choice, formula, ragged "
            "or zipf"},
           {"float16", "3 * N", "{permutation: true}",
            "study.yaml:8:12: the fill of 'x': float16 holds no permutation of 3000 numbers for "
            "N=1000, NNZ=5000"},
           {"int32", "N", "{choice: []}",
            "study.yaml:8:55: fill 'choice' takes the values to choose from, as in [0, 1]"},
           {"int32", "N", "{choice: [0, 0.5]}",
            "study.yaml:8:12: the fill of 'x': 0.5 is no int32 for N=1000, NNZ=5000"},
           {"uint8", "N", "{choice: [0, 256]}",
            "study.yaml:8:12: the fill of 'x': 256 is no uint8 for N=1000, NNZ=5000"},
           {"int32", "N", "{choices: [0, 1]}",
            "study.yaml:8:47: unknown key 'choices' in 'fill' (did you mean 'choice'?)"},
           {"int32", "N", "{choice: [one]}",
            "study.yaml:8:56: fill 'choice' must be a number, not text"},
           {"int32", "N", "{formula: i % M}", "study.yaml:8:60: unknown name 'M'"},
           {"int32", "N", "{formula: i * B}",
            "study.yaml:8:60: 'B' is a parameter; a formula may use only problem "
            "sizes"},
           {"int32", "N", "{formula: i / 2}",
            "study.yaml:8:56: the fill of 'x': 499.5 is no int32, at i = 999 for N=1000, NNZ=5000"},
           {"int32", "N", "{formula: N // i}",
            "study.yaml:8:56: the fill of 'x': division by zero at i = 0 for N=1000, NNZ=5000"},
           {"int32", "N", "{formula: [i]}",
            "study.yaml:8:56: fill 'formula' must be an expression, not a list (quote text that "
            "begins with [ or {)"},
           {"int32", "N", "{sorted: uniform}",
            "study.yaml:8:55: fill 'sorted' takes another fill, as in {uniform: [0, 1]}"},
           {"int32", "N", "{sorted: {permutation: true}}",
            "study.yaml:8:55: only uniform, normal, integers and choice can be sorted"},
           {"int32", "N", "{sorted: {uniform: [1, 0]}}",
            "study.yaml:8:65: fill 'uniform': the lowest value is above the highest"},
           {"int32", "N", "{sorted: {normals: [0, 1]}}",
            "study.yaml:8:56: unknown key 'normals' in 'fill' (did you mean 'normal'?)"},
           {"int32", "N", "{sorted: true}",
            "study.yaml:8:55: fill 'sorted' takes another fill, as in {uniform: [0, 1]}"},
           {"int32", "N", "{ragged: {mean: 8}}",
            "study.yaml:8:55: missing key 'of' in fill 'ragged'"},
           {"int32", "N", "{ragged: {mean: 0, of: NNZ}}",
            "study.yaml:8:62: 'mean' must be above 0 and at most 1e9"},
           {"int8", "N", "{ragged: {of: NNZ}}",
            "study.yaml:8:59: the fill of 'x': int8 does not hold the last offset, 5000 for "
            "N=1000, NNZ=5000"},
           {"int32", "N", "{integers: [1, N - 1000]}",
            "study.yaml:8:61: the fill of 'x': the highest value is 0, below the lowest for "
            "N=1000, NNZ=5000"},
           {"uint8", "N", "{integers: [0, N]}",
            "study.yaml:8:61: the fill of 'x': 1000 is no uint8 for N=1000, NNZ=5000"},
           {"int32", "N", "{integers: [1, B]}",
            "study.yaml:8:61: 'B' is a parameter; fill 'integers' may use only problem sizes"},
           {"int32", "N", "{integers: [1]}",
            "study.yaml:8:57: fill 'integers' takes [lowest, highest]"},
           {"int32", "N", "{integers: [3, 1]}",
            "study.yaml:8:12: the fill of 'x': the highest value is 1, below the lowest for "
            "N=1000, NNZ=5000"},
           {"int32", "N", "{zipf: {of: NNZ}}",
            "study.yaml:8:53: missing key 'alpha' in fill 'zipf'"},
           {"int32", "N", "{zipf: {alpha: 1.1}}",
            "study.yaml:8:53: missing key 'of' in fill 'zipf'"},
           {"int32", "N", "{zipf: 1.1}",
            "study.yaml:8:53: fill 'zipf' must be a map (key: value), not a number"},
           {"int32", "N", "{zipf: {alpha: 0, of: NNZ}}",
            "study.yaml:8:61: 'alpha' must be above 0 and at most 1000"},
           {"int32", "N", "{zipf: {alpha: 1.1, of: B}}",
            "study.yaml:8:70: 'B' is a parameter; 'of' may use only problem sizes"},
           {"int32", "N", "{zipf: {alpha: 1.1, of: N - 1000}}",
            "study.yaml:8:70: the fill of 'x': it draws from 0 numbers, must be at least 1 for "
            "N=1000, NNZ=5000"},
           {"uint8", "N", "{zipf: {alpha: 1.1, of: N}}",
            "study.yaml:8:70: the fill of 'x': uint8 does not hold the largest number, 999 for "
            "N=1000, NNZ=5000"},
           {"int32", "N", "{sorted: {zipf: {alpha: 1.1, of: N}}}",
            "study.yaml:8:55: only uniform, normal, integers and choice can be sorted"},
           {"int32", "1", "{ragged: {of: NNZ}}",
            "study.yaml:8:60: the fill of 'x': one offset is both 0 and 5000: a ragged array of n "
            "rows has n + 1 for N=1000, NNZ=5000"},
           {"int32", "N", "{ragged: {of: NNZ / 3}}",
            "study.yaml:8:60: the fill of 'x': 1666.6666666666667 is no whole number of elements "
            "for N=1000, NNZ=5000"}}) {
    EXPECT_EQ(first_line(complaints_of(with_fill(one.type, one.shape, one.fill))), one.message)
        << one.fill;
  }
}

}  // namespace
}  // namespace tuner::testing
