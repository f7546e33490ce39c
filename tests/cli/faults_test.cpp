#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <utility>
#include <vector>

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

constexpr char kDeedReference[] =
    "reference: {entry: plain, arguments: [x, y, n], block: [32], grid: ['ceil_div(n, 32)']}\n";

// Variants, of which that with ID 0 does something else first. Host functions are declared where
// they are called, since a variant is compiled without the host's part of its source.
void write_deed(const Sandbox& sandbox, const std::string& declaration, const std::string& deed,
                const std::string& more = kDeedReference) {
  sandbox.write("deed.cu", "__global__ void twice(const float* x, float* y, int n, int id) {\n  " +
                               declaration +
                               "\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "  if (i == 0 && id == 0) {" +
                               deed +
                               "}\n  if (i < n) y[i] = 2 * x[i];\n}\n"
                               "__global__ void plain(const float* x, float* y, int n) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "  if (i < n) y[i] = 2 * x[i];\n}\n");
  sandbox.write("deed.yaml", R"yaml(schema: 1
kernel: {name: deed, source: deed.cu, entry: twice}
problem_sizes: [{n: 100}]
parameters: {ID: [0, 1, 2, 3]}
launch: {block: [32], grid: ["ceil_div(n, 32)"]}
arguments:
  - {name: x, type: float32, shape: [n], fill: {uniform: [1, 2]}}
  - {name: y, type: float32, shape: [n], role: out}
  - {name: n, type: int32, value: n}
  - {name: id, type: int32, value: ID}
search: {strategy: exhaustive}
)yaml" + more);
}

Finished run_deed(const Sandbox& sandbox) {
  return run_to(0, sandbox,
                {"run", "deed.yaml", "--backend", "cpu", "--jobs", "1", "--progress", "none"});
}

TEST(Deeds, ProcessesThatAKernelStartsWithoutSessionAndEnvironmentEndWithTheRun) {
  const Sandbox sandbox;
  write_deed(
      sandbox, R"(int system(const char*) __asm__("system");)",
      R"(system("test -s pid || env -i /usr/bin/setsid /bin/sh -c 'echo $$ > pid; exec /bin/sleep 600' & "
                       "while ! test -s pid; do sleep 0.01; done");)");
  run_deed(sandbox);
  const int left = std::stoi(text_of(sandbox.path("pid")));
  EXPECT_EQ(::kill(left, 0), -1);
}

TEST(Deeds, AVariantThatLeavesTheProcessUnfitCondemnsNoOtherAndIsNamed) {
  const std::vector<std::pair<std::string, std::string>> deeds{
      {R"(int open(const char*, int, ...) __asm__("open");)",
       R"(while (open("/dev/null", 0) >= 0) {})"},
      {R"(int setrlimit(int, const unsigned long*) __asm__("setrlimit");)",
       "const unsigned long most[2] = {5, 5}; setrlimit(7, most);"},
      {R"(unsigned alarm(unsigned) __asm__("alarm");)", "alarm(1);"},
      {R"(int sched_setscheduler(int, int, const int*) __asm__("sched_setscheduler");)",
       "const int none = 0; sched_setscheduler(0, 5, &none);"},
      // A thread that waits until its time comes.
      {R"(int create(unsigned long*, void*, int (*)(unsigned), unsigned long) __asm__("pthread_create");
          int usleep(unsigned) __asm__("usleep");)",
       "unsigned long thread; create(&thread, nullptr, usleep, 100000000);"},
      {R"(int fork() __asm__("fork"); int usleep(unsigned) __asm__("usleep");)",
       "if (fork() == 0) usleep(100000000);"}};
  for (const auto& [declaration, deed] : deeds) {
    const Sandbox sandbox;
    write_deed(sandbox, declaration, deed);
    run_deed(sandbox);
    for (const auto& row : ranking_of(sandbox, "deed")) {
      if (row.at("ID") == "0") {  // which may fail itself, by what it has done
        EXPECT_TRUE(says(row.at("message"), "changes the process")) << deed;
        continue;
      }
      EXPECT_TRUE(row.at("state") == "ok" || row.at("state") == "dropped")
          << deed << ": " << row.at("message");
    }
  }
}

// It is by far the fastest, and so the first in a final; behind it nothing loads. A reference would
// not, either, and show what it is.
TEST(Deeds, AFinalistThatTakesAllDescriptorsCondemnsNoOther) {
  const Sandbox sandbox;
  write_deed(sandbox,
             R"(int open(const char*, int, ...) __asm__("open");
  if (id != 0) for (volatile int k = 0; k < 20000; ++k) {})",
             R"(while (open("/dev/null", 0) >= 0) {})",
             "measure: {drop_above: 0}\nbaseline: {ID: 1}\n");
  run_deed(sandbox);
  for (const auto& row : ranking_of(sandbox, "deed")) {
    EXPECT_EQ(row.at("state"), "ok") << row.at("ID") << ": " << row.at("message");
  }
}

}  // namespace
}  // namespace tuner::cli
