// Drafts of kernels that a host program of KTT's tunes.

#include "tuner/drafting/ktt_program.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/drafting/drafted.h"

namespace tuner {
namespace {

const std::string kScaled =
    "__global__ void scaled(float* out, float* in, float factor, int n) {\n"
    "  int i = blockIdx.x * BLOCK * PER_THREAD + threadIdx.x;\n"
    "  for (int k = 0; k < PER_THREAD; ++k, i += BLOCK) if (i < n) out[i] = factor * in[i];\n}\n";

// A program with these calls behind its arguments.
std::string program(const std::string& calls) {
  return R"(#include <Ktt.h>
const bool kLarge = false;
const auto api = ktt::ComputeApi::CUDA;
bool Divides(const uint64_t a, const uint64_t b) { return b % a == 0; }
bool Sorted(const std::vector<uint64_t>& v) { for (auto i : v) { if (i > 3) return false; } return true; }
int main(int argc, char** argv) {
  const std::string file = std::string("../kernels/") + "scaled.cu";
  int n;
  if constexpr (kLarge) { n = 1 << 28; } else { n = argc > 1 ? std::atoi(argv[1]) : 65536; }
  std::vector<float> source(n);
  std::vector<float> result(n, 0.0f);
  ktt::Tuner tuner(0, 0, api);
  const ktt::DimensionVector grid(n);
  const ktt::DimensionVector block;
  const auto definition = tuner.AddKernelDefinitionFromFile("scaled", file, grid, block);
  const auto plain = tuner.AddKernelDefinitionFromFile("plain", file, grid, block);
  const auto kernel = tuner.CreateSimpleKernel("Scaled", definition);
  const auto reference = tuner.CreateSimpleKernel("Plain", plain);
  const auto outId = tuner.AddArgumentVector(result, ktt::ArgumentAccessType::WriteOnly);
  const auto inId = tuner.AddArgumentVector(source, ktt::ArgumentAccessType::ReadOnly);
  const auto factorId = tuner.AddArgumentScalar(0.5f);
  const auto nId = tuner.AddArgumentScalar(n);
  tuner.SetArguments(definition, {outId, inId, factorId, nId});
)" + calls +
         "\n}\n";
}

const std::string kParameters =
    "tuner.AddParameter(kernel, \"BLOCK\", std::vector<uint64_t>{32, 64});\n"
    "tuner.AddParameter(kernel, \"PER_THREAD\", std::vector<uint64_t>{1, 2, 4});\n"
    "tuner.AddThreadModifier(kernel, {definition}, ktt::ModifierType::Local,\n"
    "  ktt::ModifierDimension::X, \"BLOCK\", ktt::ModifierAction::Multiply);\n";

TunerScript script(const std::string& calls) {
  const ReadScript read = read_ktt_program({"scaled.cpp", program(calls)});
  EXPECT_EQ(read.calls.size(), 1U);
  return read.calls.front();
}

DraftedStudy drafted_with(const std::string& calls) {
  DraftRequest request{kScaled, "scaled.cu", "scaled.cu", ""};
  request.scripts = read_ktt_program({"scaled.cpp", program(calls)}).calls;
  return draft_study(request);
}

using Values = std::vector<std::int64_t>;

TEST(KttProgram, GivesParametersSizesArgumentsAndTheLaunch) {
  const DraftedStudy study = drafted_with(
      kParameters +
      "tuner.AddThreadModifier(kernel, {definition}, ktt::ModifierType::Global,\n"
      "  ktt::ModifierDimension::X, {\"BLOCK\", \"PER_THREAD\"},\n"
      "  [](const uint64_t size, const std::vector<uint64_t>& v) {\n"
      "    const auto share = v[0] * v.at(1); return (size + share - 1) / share; });\n"
      "tuner.AddConstraint(kernel, {\"BLOCK\", \"PER_THREAD\"},\n"
      "  [n](const std::vector<uint64_t>& v) {return v[0] * v[1] <= n / 512;});\n"
      "tuner.SetCompilerOptions(\"-use_fast_math\");\n"
      "tuner.SetValidationMethod(ktt::ValidationMethod::SideBySideComparison, 0.001f);\n"
      "tuner.SetReferenceKernel(outId, reference, ktt::KernelConfiguration());\n");
  says(study.yaml,
       {"  options: [\"-use_fast_math\"]", "  define_prefix: \"\"", "  - {n: 65536}\n",
        "  BLOCK: [32, 64]  # AddParameter, line 24 of scaled.cpp\n",
        "  PER_THREAD: [1, 2, 4]  # AddParameter, line 25 of scaled.cpp\n",
        "  - \"BLOCK * PER_THREAD <= 65536 // 512\"\n", "  block: [BLOCK]\n",
        "  grid: [\"ceil_div(n, BLOCK * PER_THREAD)\"]\n",
        "  - {name: out, type: float32, shape: [n], role: out}\n",
        "  - {name: in, type: float32, shape: [n], fill: {uniform: [-1, 1]}}\n",
        "  - {name: factor, type: float32, value: 0.5}\n",
        "  out: {rtol: 0, atol: 0.001}  # SetValidationMethod, line 35 of scaled.cpp\n"});
  EXPECT_EQ(study.guessed, std::vector<std::string>{"not taken from line 23 of scaled.cpp: "
                                                    "SetReferenceKernel (reference)"});
}

TEST(KttProgram, ThreadsAreSharedOutToBlocksWhereSizesAreThoseOfOpenCl) {
  const std::string first = "tuner.SetGlobalSizeType(ktt::GlobalSizeType::OpenCL);\n" + kParameters;
  EXPECT_TRUE(has(script(first).host.text, "scaled<<<dim3(ceil_div(n, BLOCK)), dim3(BLOCK)>>>("));
  EXPECT_TRUE(
      has(script(first + "tuner.AddThreadModifier(kernel, {definition}, ktt::ModifierType::Global, "
                         "ktt::ModifierDimension::X, \"BLOCK\", ktt::ModifierAction::Multiply);")
              .host.text,
          "scaled<<<dim3(n), dim3(BLOCK)>>>(result, source, 0.5f, n);"));
  EXPECT_TRUE(has(script(kParameters +
                         "tuner.AddThreadModifier(kernel, {definition}, ktt::ModifierType::Global, "
                         "ktt::ModifierDimension::X, \"BLOCK\", ktt::ModifierAction::DivideCeil);")
                      .host.text,
                  "scaled<<<dim3(ceil_div(n, BLOCK)), dim3(BLOCK)>>>("));
}

TEST(KttProgram, EvaluatesValues) {
  const TunerScript read = script(
      "std::vector<uint64_t> sizes; if (kLarge) sizes = {1}; else sizes = {8, 16};\n"
      "std::vector<uint64_t> powers; for (int i = 1; i <= n / 16384; i *= 2) powers.push_back(3 * "
      "i);\n"
      "if constexpr (api == ktt::ComputeApi::OpenCL) { tuner.AddParameter(kernel, \"A\", {1}); }\n"
      "tuner.AddParameter(kernel, \"A\", sizes);\n"
      "tuner.AddParameter(kernel, \"B\", powers);\n"
      "tuner.AddParameter(kernel, \"C\", "
      "std::vector<uint64_t>{tuner.GetCurrentDeviceInfo().x});\n");
  EXPECT_EQ(read.parameters,
            (std::vector<std::pair<std::string, Values>>{{"A", {8, 16}}, {"B", {3, 6, 12}}}));
  EXPECT_EQ(read.unknown, std::vector<std::string>{"C"});
  EXPECT_EQ(read.left_out, std::vector<std::string>{"the values of C"});
}

TEST(KttProgram, ConstraintsAreExpressionsOrRemarks) {
  const DraftedStudy study =
      drafted_with(kParameters +
                   "auto fits = [](const std::vector<uint64_t>& v) {\n"
                   "  if (v[0] == 32) {return Divides(v[1], v[0]);} else {return v[1] < 4;} };\n"
                   "tuner.AddConstraint(kernel, {\"BLOCK\", \"PER_THREAD\"}, fits);\n"
                   "tuner.AddConstraint(kernel, {\"PER_THREAD\"}, Sorted);\n");
  says(study.yaml,
       {"  - \"((BLOCK % PER_THREAD == 0)) if (BLOCK == 32) else (PER_THREAD < 4)\"\n",
        "  # not taken: line 31 of scaled.cpp, of PER_THREAD: for (auto i : v) { if (i > 3) return "
        "false; } return true;\n"});
  EXPECT_EQ(std::ranges::count(study.guessed,
                               std::string("not literal in line 23 of scaled.cpp: the constraint "
                                           "of PER_THREAD in line 31 of scaled.cpp; write it in "
                                           "the study")),
            1);
}

TEST(KttProgram, TheFirstInterfaceOfKttIsReadToo) {
  const ReadScript read = read_ktt_program({"old.cpp", R"(#include "tuner_api.h"
int main() {
  ktt::KernelId id = tuner.addKernelFromFile("scaled.cu", "scaled", ktt::DimensionVector(1024), {});
  tuner.addParameter(id, "BLOCK", {1, 2});
  tuner.setThreadModifier(id, ktt::ModifierType::Local, ktt::ModifierDimension::X, "BLOCK",
    ktt::ModifierAction::Multiply);
  ktt::ArgumentId a = tuner.addArgumentVector(std::vector<float>(1024), ktt::ArgumentAccessType::ReadWrite);
  tuner.setKernelArguments(id, std::vector<ktt::ArgumentId>{a});
})"});
  EXPECT_EQ(read.sources, (std::vector<std::string>{"scaled.cu", "scaled.cu"}));
  ASSERT_EQ(read.calls.size(), 1U);
  says(read.calls.front().host.text,
       {"std :: vector < float >ktt_argument0( 1024 ); scaled<<<dim3(1024), dim3(BLOCK)>>>("
        "ktt_argument0);\n}"});
}

TEST(KttProgram, AKernelMayBeAText) {
  const ReadScript read = read_ktt_program(
      {"", "#include <Ktt.h>\nconst char* s = R\"(\n__global__ void k() {}\n)\";"});
  EXPECT_EQ(read.kernel, "__global__ void k() {}\n");
}

TEST(KttProgram, TakesNoHarmOfWhatHasNoMeaning) {
  for (const char* text :
       {"", "tuner.AddParameter(", "kernel.AddParameter(kernel, \"A\", {1, 0})",
        "tuner.AddParameter(kernel, \"A\", a);\nfor (a.push_back(a);;) a = a;",
        "for (int i = 0; i < 9; i += 0) a.push_back(i); tuner.AddParameter(kernel, \"A\", a);",
        "auto f = [](v) {return v; v[; }; tuner.AddConstraint(kernel, {\"A\"}, f);",
        "tuner.AddConstraint(kernel, {}, [](const T& v) {return v[9];});",
        "tuner.AddThreadModifier(kernel, , , , , );", "if (kLarge)", "} } ) if ("}) {
    for (const TunerScript& one : read_ktt_program({"", program(text)}).calls) {
      DraftRequest request{kScaled, "scaled.cu", "scaled.cu", ""};
      request.scripts = {one};
      EXPECT_TRUE(has(draft_study(request).yaml, "name: scaled")) << text;
    }
  }
}

}  // namespace
}  // namespace tuner
