#include <gtest/gtest.h>

#include "program.h"

namespace tuner::cli {
namespace {

std::string expected_state(const std::string& fault) {
  if (fault == "compile" || fault == "compile_hang" || fault == "shared") return "compile";
  if (fault == "threads") return "constraints";
  if (fault == "illegal" || fault == "misaligned" || fault == "trap") return "runtime";
  if (fault == "hang") return "timeout";
  if (fault == "ok") return "ok";
  return "correctness";
}

TEST(Faults, EveryVariantGetsItsOwnStateAndTheHealthyAreRanked) {
  const Sandbox sandbox;
  std::vector<std::string> words{
      "run",  data("faults/faults.yaml"), "--backend", "cpu", "--timeout", "10", "--progress",
      "plain"};
  // Ten seconds may be little for what a slow machine compiles: what ends by itself comes first.
  std::vector<std::string> patient = words;
  patient.at(5) = "200";
  patient.insert(patient.end(), {"--where", "FAULT != 'compile_hang' and FAULT != 'hang'"});
  auto done = run_to(0, sandbox, patient);
  done = run_to(0, sandbox, words);
  std::size_t ranked = 0;
  const auto folder = sandbox.path("results/twice");
  ASSERT_TRUE(std::filesystem::exists(folder));
  const auto device = *std::filesystem::directory_iterator(folder);
  const auto rows = read_csv(device.path() / "n1000.csv");
  ASSERT_EQ(rows.size(), 26U);
  for (const auto& row : rows) {
    // On a busy machine one of the healthy two may look clearly slower than the other.
    const std::string state = row.at("state") == "dropped" ? "ok" : row.at("state");
    EXPECT_EQ(state, expected_state(row.at("FAULT")))
        << row.at("FAULT") << ": " << row.at("message");
    if (row.at("rank").empty()) {
      EXPECT_FALSE(row.at("message").empty()) << row.at("FAULT");
    } else {
      ++ranked;
      EXPECT_EQ(row.at("FAULT"), "ok");
    }
  }
  EXPECT_EQ(ranked, 2U);
  EXPECT_TRUE(no_process_left(sandbox));
}

TEST(Faults, NothingValidIsStatusOne) {
  const Sandbox sandbox;
  std::filesystem::copy(data("faults/faults.cu"), sandbox.path("faults.cu"));
  sandbox.write("bad.yaml", R"yaml(schema: 1
kernel: {name: twice, source: faults.cu, entry: twice}
problem_sizes: [{n: 100}]
parameters: {FAULT: [nan, compile], BLOCK: [64]}
launch: {block: [BLOCK], grid: ["ceil_div(n, BLOCK)"]}
arguments:
  - {name: x, type: float32, shape: [n], fill: {uniform: [1, 2]}}
  - {name: y, type: float32, shape: [n], role: out}
  - {name: n, type: int32, value: n}
reference: {entry: twice_reference, block: [64], grid: ["ceil_div(n, 64)"]}
verify: {y: {rtol: 0, atol: 0}}
)yaml");
  run_to(1, sandbox, {"run", "bad.yaml", "--backend", "cpu", "--strategy", "random"});
}

}  // namespace
}  // namespace tuner::cli
