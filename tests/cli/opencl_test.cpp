// Kernels in OpenCL C on whatever OpenCL device there is: PoCL is one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "program.h"

namespace tuner::cli {
namespace {

// Sets a variable of the environment for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    const char* before = ::getenv(name);
    if (before != nullptr) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::setenv(name_, before_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
};

std::string line_of_backend() {
  const Sandbox sandbox;
  const std::string listed = run(sandbox, {"list", "backends"}).out;
  const std::size_t at = listed.find("\nopencl ");
  return at == std::string::npos ? "the plugin is not there"
                                 : listed.substr(at + 1, listed.find('\n', at + 1) - at - 1);
}

// Tests that need a device skip, and say so, where there is none.
#define NEEDS_DEVICE()                                                               \
  if (const std::string line = line_of_backend(); line.find("works") == line.npos) { \
    GTEST_SKIP() << "NO OPENCL DEVICE, NOTHING WAS TESTED: " << line;                \
  }                                                                                  \
  static_assert(true)

std::string study(const std::string& name) { return data("opencl/" + name).string(); }

TEST(OpenCl, EveryFaultIsItsVariantsAndTheHealthyOneIsRanked) {
  NEEDS_DEVICE();
  const std::map<std::string, std::string> expected{{"ok", "ok"},
                                                    {"compile", "compile"},
                                                    {"wrong", "correctness"},
                                                    {"nan", "correctness"},
                                                    {"past_the_end", "correctness"},
                                                    {"unwritten", "correctness"},
                                                    {"crash", "runtime"},
                                                    {"hang", "timeout"},
                                                    {"over_a_limit", "constraints"}};
  const Sandbox sandbox;
  std::vector<std::string> words{"run",    study("faults.yaml"), "--backend",
                                 "opencl", "--timeout",          "10"};
  // Ten seconds may be little for what a slow machine compiles: what ends by itself comes first.
  std::vector<std::string> patient = words;
  patient.at(5) = "200";
  patient.insert(patient.end(), {"--where", "FAULT != 'hang'"});
  run_to(0, sandbox, patient);
  run_to(0, sandbox, words);
  const auto rows = ranking_of(sandbox, "twice_opencl");
  ASSERT_EQ(rows.size(), expected.size());
  for (const auto& row : rows) {
    EXPECT_EQ(row.at("state"), expected.at(row.at("FAULT")))
        << row.at("FAULT") << ": " << row.at("message");
    EXPECT_EQ(row.at("rank").empty(), row.at("FAULT") != "ok");
    if (row.at("FAULT") == "compile") {
      EXPECT_TRUE(says(row.at("message"), "faults.cl:6"));
      EXPECT_TRUE(says(row.at("message"), " compiles OpenCL C "));
    }
    if (row.at("FAULT") == "past_the_end") {
      EXPECT_EQ(row.at("message"), "write past the end of y: element 1000 of 1000, counted from 0");
    }
  }
  EXPECT_TRUE(no_process_left(sandbox));
}

TEST(OpenCl, LocalMemoryIsAVariableOrAnArgumentAndBinariesAreKept) {
  NEEDS_DEVICE();
  const Sandbox sandbox;
  const std::vector<std::string> words{"run", study("turn.yaml")};
  auto done = run_to(0, sandbox, words);
  auto rows = ranking_of(sandbox, "turn_opencl");
  ASSERT_EQ(rows.size(), 4U);
  std::set<std::string> shared;
  for (const auto& row : rows) {
    EXPECT_TRUE(row.at("state") == "ok" || row.at("state") == "dropped") << row.at("message");
    EXPECT_EQ(row.at("verified"), "true");
    shared.insert(row.at("SHARED"));
  }
  EXPECT_EQ(shared, (std::set<std::string>{"static", "dynamic"}));

  std::filesystem::remove_all(sandbox.path("results"));
  done = run_to(0, sandbox, {"run", study("turn.yaml"), "--results", "again"});
  std::size_t kept = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(sandbox.path("again"))) {
    if (file.path().extension() != ".csv") continue;
    for (const auto& row : read_csv(file.path())) kept += row.at("cache_hit") == "true" ? 1U : 0U;
  }
  EXPECT_EQ(kept, 4U);
}

TEST(OpenCl, AT1FileOfOthersRuns) {
  NEEDS_DEVICE();
  const Sandbox sandbox;
  const auto done = run_to(0, sandbox, {"run", study("t1.json")});
  EXPECT_TRUE(says(done.err, "mean nothing to opencl and are left out: -std=c++11"));
  const auto rows = ranking_of(sandbox, "add");
  ASSERT_EQ(rows.size(), 4U);
  for (const auto& row : rows) {
    EXPECT_TRUE(row.at("state") == "ok" || row.at("state") == "dropped") << row.at("message");
  }
}

TEST(OpenCl, TheShippedStudiesAreRight) {
  NEEDS_DEVICE();
  const std::pair<std::string, const char*> samples[] = {{"transpose", "M=67,N=45"},
                                                         {"matmul", "M=37,N=45,K=19"}};
  for (const auto& [name, size] : samples) {
    SCOPED_TRACE(name);
    const Sandbox sandbox;
    run_to(0, sandbox,
           {"run", std::string(TUNER_SOURCE_DIR) + "/search_spaces/opencl/" + name + ".yaml",
            "--strategy", "random", "--seed", "5", "--budget", "4", "--size", size, "--where",
            "FORM not in ['naive', 'coalesced_read'] and threads <= 256"});
    const auto rows = ranking_of(sandbox, name + "_opencl");
    EXPECT_EQ(rows.size(), 4U);
    for (const auto& row : rows) {
      EXPECT_TRUE(row.at("state") == "ok" || row.at("state") == "dropped")
          << row.at("state") << ": " << row.at("message");
    }
  }
}

constexpr const char* kApplication = R"cpp(#include "transpose_opencl_launcher.hpp"
#include <cstdio>
#include <vector>
                                           int main() {
                                             cl_platform_id platform;
                                             cl_device_id device;
                                             if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS) return 2;
                                             if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) return 2;
                                             cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
                                             cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);
                                             const int M = 67, N = 45;
                                             std::vector<float> a(M * N), b(M * N);
                                             for (int i = 0; i < M * N; ++i) a[i] = static_cast<float>(i);
                                             cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4 * M * N, a.data(), nullptr);
                                             cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * M * N, nullptr, nullptr);
                                             for (int time = 0; time < 2; ++time) {
                                               const auto done = transpose_opencl_launcher::transpose_opencl(in, out, M, N, queue);
                                               if (done.status != CL_SUCCESS) {
                                                 std::printf("%d\n%s\n", done.status, transpose_opencl_launcher::build_log().c_str());
                                                 return 3;
                                               }
                                               std::printf("%d ", static_cast<int>(done.chosen.how));
                                             }
                                             if (transpose_opencl_launcher::transpose_opencl(in, out, 0, N, queue).status != CL_INVALID_VALUE)
                                               return 4;
                                             clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4 * M * N, b.data(), 0, nullptr, nullptr);
                                             for (int r = 0; r < M; ++r)
                                               for (int c = 0; c < N; ++c)
                                                 if (b[c * M + r] != a[r * N + c]) return 5;
                                             transpose_opencl_launcher::release();
                                             std::printf("right\n");
                                           }
)cpp";

TEST(OpenCl, TheLauncherOfAnApplicationGivesTheRightAnswer) {
  NEEDS_DEVICE();
  if (std::system("echo '#include <CL/cl.h>' | c++ -x c++ -fsyntax-only - 2> /dev/null") != 0) {
    GTEST_SKIP() << "NO CL/cl.h, NOTHING WAS TESTED";
  }
  const Sandbox sandbox;
  const std::string shipped =
      std::string(TUNER_SOURCE_DIR) + "/search_spaces/opencl/transpose.yaml";
  run_to(0, sandbox,
         {"run", shipped, "--strategy", "random", "--budget", "2", "--size", "M=67,N=45", "--where",
          "SHARED == 'dynamic' and TILE == 16"});
  run_to(0, sandbox, {"export", shipped, "--format", "launcher", "-o", "."});
  sandbox.write("app.cpp", kApplication);
  const std::string in = "cd " + sandbox.path().string() + " && ";
  const std::string compile =
      "c++ -std=c++17 -Wall -Wextra -Werror -DCL_TARGET_OPENCL_VERSION=120 app.cpp -o app "
      "-l:libOpenCL.so.1";
  ASSERT_EQ(std::system((in + compile).c_str()), 0);
  ASSERT_EQ(std::system((in + "./app > said").c_str()), 0) << text_of(sandbox.path("said"));
  EXPECT_EQ(text_of(sandbox.path("said")), "0 0 right\n");  // the size that was tuned
}

TEST(OpenCl, ABackendTakesKernelsOfItsLanguageOnly) {
  const Sandbox sandbox;
  const std::string cuda = std::string(TUNER_SOURCE_DIR) + "/search_spaces/transpose.yaml";
  const auto on_opencl = run_to(3, sandbox, {"run", cuda, "--backend", "opencl"});
  EXPECT_TRUE(on_opencl.err.starts_with(
      "tuner: the kernel is written in CUDA C++, and 'opencl' takes OpenCL: give it such a source, "
      "with 'language: opencl', or run this one on "))
      << on_opencl.err;
  const auto on_cpu = run_to(3, sandbox, {"run", study("turn.yaml"), "--backend", "cpu"});
  EXPECT_EQ(
      on_cpu.err,
      "tuner: the kernel is written in OpenCL, and 'cpu' takes CUDA C++: give it such a source, "
      "with 'language: cuda', or run this one on opencl\n");
  const auto checked =
      run_to(2, sandbox, {"check", study("turn.yaml"), "--compile", "--arch", "sm_90"});
  EXPECT_TRUE(says(checked.err,
                   "the kernel is written in OpenCL, which is not compiled for sm_90 "
                   "(--arch opencl)"));
}

TEST(OpenCl, ADriverThatCrashesTakesAWorkerAlone) {
  const Sandbox sandbox;
  sandbox.write(
      "crash.c",
      "#include <stdlib.h>\n__attribute__((constructor)) static void f(void) { abort(); }");
  const std::string library = sandbox.path("libOpenCL.so.1").string();
  ASSERT_EQ(
      std::system(
          ("cc -shared -fPIC " + sandbox.path("crash.c").string() + " -o " + library).c_str()),
      0);
  const Variable path("LD_LIBRARY_PATH", sandbox.path().string());
  const auto listed = run_to(0, sandbox, {"list", "backends"});
  EXPECT_TRUE(says(listed.out, "opencl  not available: opencl: its worker was killed by signal 6"));
  EXPECT_TRUE(says(listed.out, "cpu     works, "));
  const auto done = run(sandbox, {"run", study("turn.yaml")});
  EXPECT_NE(done.status, 0);
  EXPECT_LT(done.status, 128) << done.err;
}

TEST(OpenCl, WithoutAPlatformItIsSaidWhatIsMissing) {
  NEEDS_DEVICE();  // else there may be no loader of drivers
  const Sandbox sandbox;
  const Variable vendors("OCL_ICD_VENDORS", sandbox.path("nothing").string());
  const auto listed = run_to(0, sandbox, {"list", "devices"});
  EXPECT_TRUE(says(listed.out, "no OpenCL platform: no driver is installed"));
}

}  // namespace
}  // namespace tuner::cli
