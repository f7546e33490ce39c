// A complete problem: a sparse matrix in CSR form whose row lengths follow a power law, its product
// with a vector, and an error for it that no tolerance of a study can say.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "tuner/plugin/sdk.h"

namespace {

using namespace tuner::sdk;

struct Matrix {
  std::vector<std::int32_t> starts;   // of each row among the nonzeros, and their number
  std::vector<std::int32_t> columns;  // of each nonzero
  std::vector<float> values;
  std::vector<float> vector;       // that it is multiplied with
  std::vector<double> product;     // the right answer
  std::vector<double> magnitudes;  // of each row: the sum of its terms' magnitudes
};

// How many nonzeros each row has: row number r of a random order gets a share like 1 / (r + 1)^e,
// and all together have `nonzeros`.
std::vector<std::int64_t> row_lengths(std::int64_t rows, std::int64_t nonzeros, double exponent,
                                      Rng& random) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  std::vector<double> shares(order.size());
  for (std::size_t r = 0; r < order.size(); ++r) {
    shares[r] = std::pow(static_cast<double>(r + 1), -exponent);
  }
  double left = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<std::int64_t> lengths(order.size());
  for (std::size_t r = 0; r < order.size(); ++r) {
    // No row is longer than it is wide, and what is left over goes to the rows after it.
    const double wanted = static_cast<double>(nonzeros) * shares[r] / left;
    const std::int64_t after = static_cast<std::int64_t>(order.size() - r - 1) * rows;
    const std::int64_t length =
        std::clamp(std::llround(wanted), std::max<long long>(0, nonzeros - after),
                   std::min<long long>(rows, nonzeros));
    lengths[static_cast<std::size_t>(order[r])] = length;
    nonzeros -= length;
    left = std::max(left - shares[r], shares[r]);
  }
  return lengths;
}

class PowerLawCsr : public Problem {
 public:
  static constexpr const char* kName = "power_law_csr";
  static constexpr const char* kSummary = "a sparse matrix with few long rows, times a vector";
  static constexpr tuner_option_info kOptions[] = {
      {"exponent", "0.8", "of the power law of row lengths; 0: all alike", "number 0..3"},
      {"tolerance", "1e-5", "of a row, relative to the magnitudes that it adds up", "number 0..1"},
      {"seed", "1", "of the random numbers", "integer 0..1000000"}};

  explicit PowerLawCsr(const ProblemSetup& setup)
      : rows_(setup.extent("ROWS")),
        nonzeros_(setup.extent("NNZ")),
        exponent_(setup.options.number("exponent", 0, 3)),
        tolerance_(setup.options.number("tolerance", 0, 1)),
        seed_(static_cast<std::uint64_t>(setup.options.integer("seed", 0, 1000000))) {
    if (nonzeros_ > rows_ * rows_) {
      throw Error(TUNER_INVALID, "NNZ is above ROWS * ROWS: there is no room for so many nonzeros");
    }
  }

  void fill(std::uint32_t set, const ArrayToWrite& input) override {
    const Matrix& m = matrix(set);
    if (input.name() == "starts") return copy(m.starts, input);
    if (input.name() == "columns") return copy(m.columns, input);
    if (input.name() == "values") return copy(m.values, input);
    if (input.name() == "x") return copy(m.vector, input);
    refuse("fill", input.name());
  }

  void answer(std::uint32_t set, const Inputs&, const ArrayToWrite& output) override {
    const Matrix& m = matrix(set);
    copy(std::vector<float>(m.product.begin(), m.product.end()), output);
  }

  // The rounding of a sum grows with the magnitudes of its terms, not with the sum: where terms
  // cancel, a tolerance relative to the sum would refuse what is as right as can be.
  Judgement judge(std::uint32_t set, const Array& actual, const Array&) override {
    const Matrix& m = matrix(set);
    const auto found = actual.as<float>();
    Judgement out{true, 0, {}};
    std::size_t worst = 0;
    for (std::size_t row = 0; row < m.product.size(); ++row) {
      const double error =
          std::abs(found[row] - m.product[row]) / std::max(m.magnitudes[row], 1e-30);
      if (error <= out.error) continue;  // not for NaN
      worst = row;
      out.error = std::isnan(error) ? HUGE_VAL : error;
    }
    out.right = out.error <= tolerance_;
    char why[160];
    std::snprintf(why, sizeof why,
                  "row %zu is %g, expected %g: off by %g of the magnitudes that it adds up", worst,
                  double{found[worst]}, m.product[worst], out.error);
    out.why = why;
    return out;
  }

 private:
  template <typename T>
  static void copy(const std::vector<T>& from, const ArrayToWrite& to) {
    const auto room = to.as<T>();
    if (room.size() != from.size()) {
      throw Error(TUNER_INVALID, "'" + std::string(to.name()) + "' must have " +
                                     std::to_string(from.size()) + " elements, not " +
                                     std::to_string(room.size()));
    }
    std::copy(from.begin(), from.end(), room.begin());
  }

  // One is kept, because one after the other is worked with.
  const Matrix& matrix(std::uint32_t set) {
    if (!made_ || made_set_ != set) made_ = made(set);
    made_set_ = set;
    return *made_;
  }

  Matrix made(std::uint32_t set) const {
    Rng random(seed_, set);
    Matrix m;
    m.starts.push_back(0);
    for (std::int64_t i = 0; i < rows_; ++i) {
      m.vector.push_back(static_cast<float>(random.uniform(-1, 1)));
    }
    for (const std::int64_t length : row_lengths(rows_, nonzeros_, exponent_, random)) {
      add_row(length, random, m);
    }
    return m;
  }

  // Columns are spread evenly, from a random one on.
  void add_row(std::int64_t length, Rng& random, Matrix& m) const {
    double sum = 0;
    double magnitude = 0;
    const auto first = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(rows_)));
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t column = (first + i * (rows_ / length)) % rows_;
      const auto value = static_cast<float>(random.uniform(-1, 1));
      const double term = double{value} * m.vector[static_cast<std::size_t>(column)];
      m.columns.push_back(static_cast<std::int32_t>(column));
      m.values.push_back(value);
      sum += term;
      magnitude += std::abs(term);
    }
    m.starts.push_back(static_cast<std::int32_t>(m.columns.size()));
    m.product.push_back(sum);
    m.magnitudes.push_back(magnitude);
  }

  std::int64_t rows_, nonzeros_;
  double exponent_, tolerance_;
  std::uint64_t seed_;
  std::optional<Matrix> made_;
  std::uint32_t made_set_ = 0;
};

}  // namespace

TUNER_PLUGIN("sparse", "1.0", Problems<PowerLawCsr>);
