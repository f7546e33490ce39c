// Studies that take sizes, inputs and answers from captured launches, on the CPU.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "program.h"
#include "tuner/base/archives.h"

namespace tuner::cli {
namespace {

using nlohmann::json;

constexpr std::uint64_t kIn = std::uint64_t{0x7e10} << 32;
constexpr std::uint64_t kOut = std::uint64_t{0x7e20} << 32;

template <typename T>
std::string bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

json parameter(std::uint64_t offset, const std::string& bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return {{"offset", offset}, {"size", bytes.size()}, {"bytes", text}};
}

// A captured launch of a program, as `tuner capture` writes it.
class Capture {
 public:
  Capture(const Sandbox& sandbox, const std::string& folder) : folder_(sandbox.path(folder)) {
    std::filesystem::create_directories(folder_);
    described_ = {{"geometry", {1, 1, 1, 64, 1, 1, 0}},
                  {"attributes", json::object()},
                  {"parameters", json::array()},
                  {"allocations", json::array()},
                  {"variables", json::array()},
                  {"image", "image.cubin"},
                  {"device", {{"name", "a device"}, {"arch", "sm_90"}}}};
    put("image.cubin", "an image");
  }
  ~Capture() { write_text("capture.json", described_.dump()); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  void kernel(const std::string& mangled, const std::string& name) {
    described_["kernel"] = {{"mangled", mangled}, {"name", name}};
  }
  void grid(int x) { described_["geometry"][0] = x; }
  template <typename T>
  void passes(std::uint64_t offset, T value) {
    described_["parameters"].push_back(parameter(offset, bytes_of<T>({value})));
  }
  void memory(std::uint64_t address, const std::vector<float>& before,
              const std::vector<float>& after = {}) {
    const std::string name = fmt::format("{:x}.gz", address);
    put(name, bytes_of(before));
    if (!after.empty()) put("after-" + name, bytes_of(after));
    described_["allocations"].push_back({{"address", address},
                                         {"size", before.size() * sizeof(float)},
                                         {"file", name},
                                         {"written", after.empty() ? "" : "after-" + name}});
  }

 private:
  void put(const std::string& name, const std::string& bytes) const {
    GzipFile file(folder_ / name);
    file.write(bytes);
    file.close();
  }
  void write_text(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  std::filesystem::path folder_;
  json described_;
};

constexpr const char* kScale =
    "template <int PER>\n"
    "__global__ void scale(float* y, const float* x, float factor, int n) {\n"
    "  for (int i = 0; i < PER; ++i) {\n"
    "    int at = (blockIdx.x * blockDim.x + threadIdx.x) * PER + i;\n"
    "    if (at < n) y[at] = factor * x[at];\n"
    "  }\n"
    "}\n";

// A launch of scale<2> on `count` numbers with a block of 64 threads. A later one finds its answers
// where it writes them.
void capture_scale(const Sandbox& sandbox, int number, int count, bool is_later = false) {
  Capture one(sandbox, fmt::format("captured/scale-{}", number));
  one.kernel("_Z5scaleILi2EEvPfPKffi", "void scale<2>(float*, float const*, float, int)");
  one.grid((count + 127) / 128);
  one.passes<std::uint64_t>(0, kOut);
  one.passes<std::uint64_t>(8, kIn);
  one.passes<float>(16, 0.1F);
  one.passes<std::int32_t>(20, count);
  const auto size = static_cast<std::size_t>(count);
  std::vector<float> in(size), out(size);
  for (std::size_t i = 0; i < size; ++i) {
    in[i] = 1 + static_cast<float>(i % 13);
    out[i] = 0.1F * in[i];
  }
  one.memory(kIn, in);
  if (is_later) return one.memory(kOut, out);
  one.memory(kOut, std::vector<float>(size), out);
}

TEST(CapturedStudy, IsDraftedWithTheSizesGridsAndAnswersOfTheProgramAndRuns) {
  const Sandbox sandbox;
  sandbox.write("scale.cu", kScale);
  capture_scale(sandbox, 1, 1000);
  capture_scale(sandbox, 2, 77);
  const Finished drafted = run_to(0, sandbox, {"init", "scale.cu", "--captured", "captured"});
  EXPECT_TRUE(says(drafted.err, "found: 2 captured launches"));
  EXPECT_TRUE(says(drafted.err, "found: tried on the CPU: "));
  const std::string yaml = text_of(sandbox.path("scale.yaml"));
  EXPECT_TRUE(says(yaml, "entry: \"scale<{PER}>\""));
  EXPECT_TRUE(says(yaml, "  - {n: 1000}\n  - {n: 77}\n"));
  EXPECT_TRUE(says(yaml, "grid: [\"ceil_div(n, BLOCK * PER)\"]"));
  EXPECT_TRUE(says(yaml, "{name: x, type: float32, shape: [n], fill: {captured: x}}"));
  EXPECT_TRUE(says(yaml, "{name: factor, type: float32, value: 0.1}"));
  EXPECT_TRUE(says(yaml, "reference: captured"));
  // No device takes the image of this launch, so the kernel is not launched itself.
  EXPECT_TRUE(says(yaml,
                   "  y: {tolerance: usual}  # that of float32; a guess: no launches of the "
                   "program's own kernel were compared"));
  EXPECT_TRUE(says(drafted.err,
                   "the tolerance: ten launches of the program's own kernel could not "
                   "be compared with what it wrote ("));
  EXPECT_TRUE(says(drafted.err, "and 'tuner replay captured/scale-1' says how far")) << drafted.err;
  const Finished done =
      run_to(0, sandbox, {"run", "scale.yaml", "--backend", "cpu", "--progress", "none"});
  EXPECT_TRUE(says(done.out, "scale/") && says(done.out, "n77.csv")) << done.out;
  EXPECT_FALSE(says(done.out, "correctness"));
}

TEST(CapturedStudy, CheckNamesANumberThatTheLaunchWasNotGiven) {
  const Sandbox sandbox;
  sandbox.write("scale.cu", kScale);
  capture_scale(sandbox, 1, 1000);
  run_to(0, sandbox, {"init", "scale.cu", "--captured", "captured", "--no-try"});
  const std::string yaml = text_of(sandbox.path("scale.yaml"));
  std::string other = yaml;
  other.replace(other.find("value: 0.1"), 10, "value: 0.2");
  sandbox.write("other.yaml", other);
  const Finished checked = run_to(2, sandbox, {"check", "other.yaml"});
  EXPECT_TRUE(says(checked.err, "'factor' is 0.2, and the launch in "));
  EXPECT_TRUE(says(checked.err, "scale-1 had 0.1"));
  other = yaml;
  other.replace(other.find("{captured: x}"), 13, "{captured: 0xfffffffffffffffffff}");
  sandbox.write("nowhere.yaml", other);
  EXPECT_TRUE(says(run_to(2, sandbox, {"check", "nowhere.yaml"}).err, "is no address"));
  other = yaml;
  other.replace(other.find("  - \"captured/scale-1\"\n"), 23, "  []\n");
  sandbox.write("none.yaml", other);
  EXPECT_TRUE(says(run_to(2, sandbox, {"check", "none.yaml"}).err,
                   "'captured' names 0 launches, and there are 1 problem sizes"));
}

TEST(CapturedStudy, FollowsPointersInStructsWithAllMemoryWhereItWas) {
  const Sandbox sandbox;
  sandbox.write("square.cu",
                "struct View { const float* x; float* y; long n; };\n"
                "__global__ void square(View v) {\n"
                "  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;\n"
                "  if (i < v.n) v.y[i] = v.x[i] * v.x[i];\n"
                "}\n");
  {
    Capture one(sandbox, "captured/square-1");
    one.kernel("_Z6square4View", "square(View)");
    one.grid(2);
    struct {
      std::uint64_t x = kIn, y = kOut, n = 100;
    } const view;
    one.passes(0, view);
    std::vector<float> in(100), out(100);
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = static_cast<float>(i);
      out[i] = in[i] * in[i];
    }
    one.memory(kIn, in);
    one.memory(kOut, std::vector<float>(100), out);
  }
  run_to(0, sandbox, {"init", "square.cu", "--captured", "captured"});
  const std::string yaml = text_of(sandbox.path("square.yaml"));
  EXPECT_TRUE(says(yaml, "memory: captured"));
  EXPECT_TRUE(says(yaml, "grid: [\"ceil_div(threads_x, BLOCK)\"]"));
  EXPECT_TRUE(says(yaml, "{name: v, value: captured}"));
  const Finished done =
      run_to(0, sandbox, {"run", "square.yaml", "--backend", "cpu", "--progress", "none"});
  EXPECT_TRUE(says(done.out, "6 trials: "));
  EXPECT_FALSE(says(done.out, "correctness"));
  // A kernel that leaves out its last number is found out by memory that no argument names.
  std::string wrong = text_of(sandbox.path("square.cu"));
  wrong.replace(wrong.find("i < v.n"), 7, "i < v.n - 1");
  sandbox.write("square.cu", wrong);
  const Finished found =
      run(sandbox, {"run", "square.yaml", "--backend", "cpu", "--progress", "none"});
  EXPECT_NE(found.status, 0);
  EXPECT_TRUE(says(found.out + found.err, "memory at 0x7e2000000000"));
}

// An extension of PyTorch: rows are counted by the grid alone, and its headers are not here.
TEST(CapturedStudy, GridsThatDifferAreSizesWhereNoNumberSaysThem) {
  const Sandbox sandbox;
  sandbox.write("rows.cu",
                "#include <torch/extension.h>\n"
                "#include <c10/cuda/CUDAGuard.h>\n"
                "template <typename T>\n"
                "__global__ void add_one(const T* x, T* y, int cols) {\n"
                "  for (int i = threadIdx.x; i < cols; i += blockDim.x)\n"
                "    y[blockIdx.x * cols + i] = x[blockIdx.x * cols + i] + T(1);\n"
                "}\n"
                "torch::Tensor run(torch::Tensor x) {\n"
                "  const at::cuda::OptionalCUDAGuard guard(device_of(x));\n"
                "  auto y = torch::empty_like(x);\n"
                "  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), \"run\", [&] {\n"
                "    add_one<scalar_t><<<x.size(0), 64>>>(x.data_ptr<scalar_t>(),\n"
                "                                         y.data_ptr<scalar_t>(), x.size(1));\n"
                "  });\n"
                "  return y;\n"
                "}\n");
  for (const int rows : {7, 3}) {
    Capture one(sandbox, fmt::format("captured/add_one-{}", rows));
    one.kernel("_Z7add_oneIfEvPKT_PS0_i", "void add_one<float>(float const*, float*, int)");
    one.grid(rows);
    one.passes<std::uint64_t>(0, kIn);
    one.passes<std::uint64_t>(8, kOut);
    one.passes<std::int32_t>(16, 33);
    const auto size = static_cast<std::size_t>(rows) * 33;
    one.memory(kIn, std::vector<float>(size, 2));
    one.memory(kOut, std::vector<float>(size), std::vector<float>(size, 3));
  }
  const Finished drafted = run_to(0, sandbox, {"init", "rows.cu", "--captured", "captured"});
  EXPECT_TRUE(says(drafted.err, "found: 2 captured launches")) << drafted.err;
  const Finished done =
      run_to(0, sandbox, {"run", "rows.yaml", "--backend", "cpu", "--progress", "none"});
  EXPECT_FALSE(says(done.out, "correctness")) << done.out;
}

TEST(CapturedStudy, AnswersThatWereThereBeforeMustBeWrittenAgain) {
  const Sandbox sandbox;
  sandbox.write("scale.cu", kScale);
  capture_scale(sandbox, 1, 1000, true);
  run_to(0, sandbox, {"init", "scale.cu", "--captured", "captured", "--no-try"});
  sandbox.write("scale.yaml", "memory: captured\n" + text_of(sandbox.path("scale.yaml")));
  const std::vector<std::string> words{"run", "scale.yaml", "--backend",
                                       "cpu", "--progress", "none"};
  EXPECT_FALSE(says(run_to(0, sandbox, words).out, "correctness"));
  std::string wrong = kScale;
  wrong.replace(wrong.find("at < n"), 6, "at < n - 1");
  sandbox.write("scale.cu", wrong);
  const Finished found = run(sandbox, words);
  EXPECT_EQ(found.status, 1) << found.out;
  EXPECT_TRUE(says(found.out, ".y[0][999] = nan, expected 1.2 (1 of 1000 elements differ"))
      << found.out;
}

TEST(CapturedStudy, InitSaysWhatAFolderLacks) {
  const Sandbox sandbox;
  sandbox.write("scale.cu", kScale);
  EXPECT_TRUE(says(run_to(2, sandbox, {"init", "scale.cu", "--captured", "nothing"}).err,
                   "nothing: holds no captured launch"));
  capture_scale(sandbox, 1, 64);
  sandbox.write("other.cu", "__global__ void other(float* x) { x[threadIdx.x] = 1; }\n");
  EXPECT_TRUE(says(run_to(2, sandbox, {"init", "other.cu", "--captured", "captured"}).err,
                   "holds no launch of a kernel in other.cu"));
  sandbox.write("fewer.cu", "__global__ void scale(float* x) { x[threadIdx.x] = 1; }\n");
  EXPECT_TRUE(says(run_to(2, sandbox, {"init", "fewer.cu", "--captured", "captured"}).err,
                   "the launch has 4 parameters, and scale in the source has 1"));
}

}  // namespace
}  // namespace tuner::cli
