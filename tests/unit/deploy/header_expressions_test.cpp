#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "compiled.h"
#include "tests/unit/deploy/sample_study.h"
#include "tuner/deploy/header.h"

namespace tuner {
namespace {

std::string text_of(const Value& value) {
  return std::holds_alternative<std::string>(value) ? "'" + to_text(value) + "'" : to_text(value);
}

// Expressions at random, over every operator; more failures than a study would ever have.
class RandomExpression {
 public:
  explicit RandomExpression(unsigned seed) : random_(seed) {}
  std::string make(int depth) {
    const auto part = [&] { return make(depth - 1); };
    const int kind = depth == 0 ? pick(3) : 3 + pick(17);
    switch (kind) {
      case 0:
        return name();
      case 1:
        return std::vector<std::string>{"0",   "1",   "3",    "7",
                                        "2.5", "0.5", "True", "4611686018427387904"}[pick(8)];
      case 2:
        return pick(4) == 0 ? "'static'" : name();
      case 3:
        return "(" + part() + " + " + part() + ")";
      case 4:
        return "(" + part() + " - " + part() + ")";
      case 5:
        return "(" + part() + " * " + part() + ")";
      case 6:
        return "(" + part() + " // " + part() + ")";
      case 7:
        return "(" + part() + " % " + part() + ")";
      case 8:
        return "(" + part() + " / " + part() + ")";
      case 9:
        return "(" + part() + " and " + part() + " or not " + part() + ")";
      case 10:
        return "(" + part() + " < " + part() + " <= " + part() + ")";
      case 11:
        return "(" + part() + " if " + part() + " else " + part() + ")";
      case 12:
        return "(" + part() + " in [" + part() + ", " + part() + "])";
      case 13:
        return "max(" + part() + ", min(" + part() + ", " + part() + "), -" + part() + ")";
      case 14:
        return "(" + part() + std::vector<std::string>{" & ", " | ", " ^ "}[pick_index(3)] +
               part() + ")";
      case 15:
        return "(" + part() + std::vector<std::string>{" << ", " >> "}[pick_index(2)] + part() +
               ")";
      case 16:
        return "~" + part();
      case 17:
        return std::vector<std::string>{"any([", "all(["}[pick_index(2)] + part() + ", " + part() +
               "])";
      case 18:
        return "((" + part() + ", " + part() + ") in [(1, " + part() + "), (3, 7)])";
      default:
        return call(part());
    }
  }

 private:
  std::size_t pick_index(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }
  int pick(int n) { return static_cast<int>(pick_index(static_cast<std::size_t>(n))); }
  std::string name() {
    return std::vector<std::string>{
        "BM", "VEC", "SHARED", "SCALE", "FAST", "M", "N", "device.multiprocessors"}[pick_index(8)];
  }
  std::string call(const std::string& operand) {
    return std::vector<std::string>{"abs", "ceil",  "floor", "log2", "int",
                                    "log", "round", "float", "sqrt", "exp"}[pick_index(10)] +
           "(" + operand + ")" + (pick(6) == 0 ? " == " + std::string("ceil_div(N, 3)") : "");
  }
  std::mt19937 random_;
};

// The header's rules against the interpreter's, on random expressions, configurations and sizes.
TEST(Header, ExpressionsMeanWhatTheyMeanInTheStudy) {
  RandomExpression random(7);
  Study study = sample_study();
  study.derived.clear();
  study.constraints.clear();
  study.launch = {};
  std::vector<std::string> texts;
  while (texts.size() < 200) {
    const std::string text = random.make(1 + static_cast<int>(texts.size() % 3));
    if (!Expression::parse(text)) continue;
    texts.push_back(text);
    study.derived.push_back(named("e" + std::to_string(texts.size()), text));
  }
  std::string list = "(BM, N) in [";
  for (int i = 0; i < 260; ++i) list += "(" + std::to_string(i) + ", 1023), ";
  texts.push_back(list + "]");
  study.derived.push_back(named("e" + std::to_string(texts.size()), texts.back()));
  const HeaderFolder folder(export_header(study, sample_results()));
  std::string main = R"(#include "tuned.h"
#include <cstdio>
using namespace matmul_tuned;
static void show(const detail::num& v) {
  if (v.k == detail::kind::failed) std::puts("failed");
  if (v.k == detail::kind::integer) std::printf("%lld\n", v.i);
  if (v.k == detail::kind::real) std::printf("%.9g\n", v.f);
  if (v.k == detail::kind::text) std::puts(v.s);
}
int main() {
  for (const config& c : configs) for (int i = 0; i < 2; ++i) {
    const dims d = i == 0 ? dims{1024, 1023} : dims{1, 7};
    const detail::names n(c, d, device_of(90));
)";
  for (std::size_t i = 1; i <= texts.size(); ++i)
    main += "    show(n.e" + std::to_string(i) + "_);\n";
  const auto out = folder.run_program(main + "  }\n}");
  ASSERT_EQ(out.status, 0) << out.text.substr(0, 3000);
  std::istringstream lines(out.text);
  const TunedTable table = tuned_table(study, sample_results());
  int failures = 0;
  int values = 0;
  for (const Configuration& configuration : table.configurations) {
    for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{1024, 1023}, {1, 7}}) {
      Bindings names = sample_device("NVIDIA H200", 90).bindings();
      names["M"] = m;
      names["N"] = n;
      for (std::size_t p = 0; p < configuration.size(); ++p) {
        names[study.parameters[p].name] = configuration[p];
      }
      for (const std::string& text : texts) {
        std::string got;
        ASSERT_TRUE(std::getline(lines, got));
        const auto value = Expression::parse_or_throw(text).evaluate(names);
        std::string expected = "failed";
        if (value) {
          ++values;
          if (const auto* real = std::get_if<double>(&*value)) {
            char buffer[64];
            std::snprintf(buffer, sizeof buffer, "%.9g", *real == 0 ? 0.0 : *real);
            expected = buffer;
            if (got == "-0") got = "0";
          } else if (const auto* flag = std::get_if<bool>(&*value)) {
            expected = *flag ? "1" : "0";
          } else {
            expected = to_text(*value);
          }
        } else {
          ++failures;
        }
        EXPECT_EQ(got, expected) << text << " with BM " << text_of(configuration[0]);
      }
    }
  }
  EXPECT_GT(values, 500);
  EXPECT_GT(failures, 80);
}

}  // namespace
}  // namespace tuner
