#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

std::string with(const std::string& rest) {
  return usual_study(R"yaml(parameters: {B: [32, 64]}
arguments:
  - {name: x, type: float32, shape: [N], fill: {uniform: [0, 1]}}
  - {name: y, type: float32, shape: [N], role: out}
  - {name: n, type: int32, shape: [N], role: out}
)yaml") + rest;
}

struct Mistake {
  const char* text;
  const char* message;
};

void expect_mistakes(const std::vector<Mistake>& all) {
  for (const Mistake& one : all) {
    const std::string said = complaints_of(with(std::string(one.text) + "\n"));
    EXPECT_EQ(said.substr(0, said.find('\n')), one.message) << one.text;
  }
}

TEST(Judgement, RulesOfOutputsAreRead) {
  const Study study = accepted(with(R"yaml(verify:
  y: {norm: l2, rtol: 1e-5, equal_nan: true}
  n: {order: any}
)yaml"));
  EXPECT_EQ(study.verify[0].second.how, (CompareRule{CompareRule::Norm::kL2, false, false, true}));
  EXPECT_EQ(study.verify[1].second.how,
            (CompareRule{CompareRule::Norm::kNone, true, false, false}));
  const Study largest = accepted(with("verify: {y: {rtol: 1e-5, relative_to: largest}, n: }\n"));
  EXPECT_TRUE(largest.verify[0].second.how.to_largest);
}

TEST(Judgement, EveryMistakeHasItsPlace) {
  expect_mistakes(
      {{"verify: {y: {norm: l3, rtol: 1}, n: }",
        "study.yaml:11:20: 'norm' must be l1, l2 or max, not 'l3' (did you mean 'l1'?)"},
       {"verify: {y: {norm: l2}, n: }",
        "study.yaml:11:14: 'norm' has no effect without 'rtol' or 'atol' (rtol: 1e-5)"},
       {"verify: {y: {norm: l2, rtol: 1e-5, relative_to: largest}, n: }",
        "study.yaml:11:36: 'norm' compares the output as a whole, 'relative_to' its elements "
        "(norm: max, or no norm)"},
       {"verify: {y: {normal: l2, rtol: 1e-5}, n: }",
        "study.yaml:11:14: unknown key 'normal' in the tolerance of 'y' (did you mean 'norm'?)"},
       {"verify: {y: {norm: [l2], rtol: 1e-5}, n: }",
        "study.yaml:11:20: 'norm' must be text, not a list"},
       {"verify: {y: {order: given}, n: }", "study.yaml:11:21: 'order' can only be any"},
       {"verify: {y: {order: [any]}, n: }", "study.yaml:11:21: 'order' can only be any"},
       {"verify: {y: {order: ascending}, n: }", "study.yaml:11:21: 'order' can only be any"},
       {"verify: {y: {orders: any}, n: }",
        "study.yaml:11:14: unknown key 'orders' in the tolerance of 'y' (did you mean 'order'?)"},
       {"verify: {x: {order: any}, n: }",
        "study.yaml:11:10: 'x' is not an output, so there is nothing to verify (role: out or "
        "inout)"},
       {"verify: {y: {relative_to: max, rtol: 1e-5}, n: }",
        "study.yaml:11:27: 'relative_to' can only be largest"},
       {"verify: {y: {relative_to: [largest], rtol: 1e-5}, n: }",
        "study.yaml:11:27: 'relative_to' can only be largest"},
       {"verify: {y: {relative: largest, rtol: 1e-5}, n: }",
        "study.yaml:11:14: unknown key 'relative' in the tolerance of 'y' (did you mean "
        "'relative_to'?)"},
       {"verify: {y: {relative_to: largest}, n: }",
        "study.yaml:11:14: 'relative_to' has no effect without 'rtol' or 'atol' (rtol: 1e-5)"},
       {"verify: {y: {relative_to: largest, atol: 1}, n: }",
        "study.yaml:11:14: 'relative_to' has no effect without 'rtol'"},
       {"verify: {y: , n: {equal_nan: true}}", "study.yaml:11:30: 'n' is int32, which has no NaN"},
       {"verify: {y: {equal_nan: 2}, n: }",
        "study.yaml:11:25: 'equal_nan' must be true or false, not 2"},
       {"verify: {y: {equal_nan: yes}, n: }",
        "study.yaml:11:25: 'equal_nan' must be true or false, not yes"},
       {"verify: {y: {equal_nan: [true]}, n: }",
        "study.yaml:11:25: 'equal_nan' must be a number, a boolean or text, not a list"},
       {"verify: {y: {equal_nans: true}, n: }",
        "study.yaml:11:14: unknown key 'equal_nans' in the tolerance of 'y' (did you mean "
        "'equal_nan'?)"},
       {"verify: {equal_nan: true, y: , n: }",
        "study.yaml:11:10: the kernel has no argument 'equal_nan' (known: y and n)"},
       {"verify: {x: {equal_nan: true}, y: , n: }",
        "study.yaml:11:10: 'x' is not an output, so there is nothing to verify (role: out or "
        "inout)"}});
}

TEST(Compiled, ConditionsAndNamesAreRead) {
  const Study study = accepted(with(R"yaml(compiled: ["spill_bytes == 0", registers <= 4 * B]
metrics: {waste: time * registers}
objective: {minimize: image_bytes}
)yaml"));
  EXPECT_EQ(study.compiled.size(), 2U);
  EXPECT_EQ(study.metrics.back().name, "image_bytes");
  // Names of the study's own go first.
  EXPECT_TRUE(accepted("schema: 1\nparameters: {registers: [32]}\nconstraints: [registers > 1]\n")
                  .compiled.empty());
}

TEST(Compiled, EveryMistakeHasItsPlace) {
  expect_mistakes(
      {{"compiled: registers <= 128", "study.yaml:11:11: 'compiled' must be a list, not text"},
       {"compiled: [register <= 128]",
        "study.yaml:11:12: unknown name 'register' (did you mean 'registers'?)"},
       {"compiled: [registers * time < 1]",
        "study.yaml:11:24: 'time' is a measured quantity; a condition of 'compiled' may "
        "use only problem sizes, device facts, parameters, derived names and registers "
        "and the like"},
       {"compiled: [registers = 128]", "study.yaml:11:22: '=' does not compare (write '==')"},
       {"compiled: [{registers: 128}]",
        "study.yaml:11:12: a condition of 'compiled' must be an expression, not a map "
        "(quote text that begins with [ or {)"},
       {"constraints: [registers <= 128]",
        "study.yaml:11:15: 'registers' is what compilers say; a constraint may use only "
        "problem sizes, device facts, parameters and derived names (conditions on it go to "
        "'compiled')"},
       {"objective: {minimize: registers_used}",
        "study.yaml:11:23: the objective 'registers_used' is neither time, power, "
        "energy nor a metric (known: energy, power and time)"}});
  const std::string said =
      warnings_of(with("verify: {y: , n: }\nbackend: cpu\ncompiled: [registers <= 128, B < 64]\n"));
  EXPECT_NE(said.find("on 'cpu' nothing says registers, spill_bytes and occupancy: this condition "
                      "rules nothing out there"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("this condition names nothing that compilers say"), std::string::npos);
}

}  // namespace
}  // namespace tuner::testing
