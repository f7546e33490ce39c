// Every kind of mistake, with its place.

#include <gtest/gtest.h>

#include "tests/unit/study/study_folder.h"

namespace tuner::testing {
namespace {

TEST(KernelSections, PartOfARunnableStudyNeedsTheRest) {
  EXPECT_EQ(complaints_of(R"yaml(schema: 1
parameters: {B: [1, 2]}
launch: {block: [B], grid: [1]}
)yaml"),
            R"text(study.yaml:1:1: missing key 'kernel' in the study
study.yaml:1:1: missing key 'arguments' in the study)text");
}

TEST(KernelSections, KernelNeedsNameSourceAndEntry) {
  EXPECT_EQ(complaints_of(usual_study("kernel: {define_prefix: X_}\n")),
            R"text(study.yaml:2:1: missing key 'name' in 'kernel'
study.yaml:2:1: missing key 'source' in 'kernel'
study.yaml:2:1: missing key 'entry' in 'kernel')text");
}

TEST(KernelSections, KernelNameBecomesAFolder) {
  EXPECT_EQ(complaints_of(usual_study("kernel: {name: ../k, source: k.cu, entry: k}\n")),
            "study.yaml:2:16: '../k' cannot be a kernel's name (letters, digits, _ . + and -)");
}

TEST(KernelSections, SourceThatIsNotThere) {
  EXPECT_EQ(
      complaints_of(usual_study("kernel: {name: k, source: nope.cu, entry: k}\n")),
      "study.yaml:2:27: 'source': there is no file nope.cu (names are relative to the study file)");
}

TEST(KernelSections, SourceThatIsADirectory) {
  EXPECT_EQ(complaints_of(usual_study("kernel: {name: k, source: sub, entry: k}\n")),
            "study.yaml:2:27: 'source': sub is not a regular file (names are relative to the study "
            "file)");
}

constexpr const char* kRestOfIt = R"yaml(
problem_sizes: [{N: 64}]
parameters: {B: [1, 2]}
launch: {block: [B], grid: [N]}
arguments:
  - {name: Y, type: float, shape: [N], role: out}
reference: {entry: r, block: [1], grid: [N]}
)yaml";

TEST(KernelSections, WhatIsReplacedIsAParameterOrASize) {
  const auto with = [](const std::string& keys) {
    return "schema: 1\nkernel: {name: k, source: k.cu, entry: k, " + keys + "}" + kRestOfIt;
  };
  const Study study = accepted(with("replace: [B, N]"));
  EXPECT_EQ(study.kernel.replaced, (std::vector<std::string>{"B", "N"}));
  EXPECT_EQ(study.kernel.options, std::vector<std::string>{"-DTUNE_N={N}"});
  const Study plain = accepted(with("replace: [N], define_prefix: '', options: ['-DTUNE_N={N}']"));
  EXPECT_EQ(plain.kernel.options, std::vector<std::string>{"-DTUNE_N={N}"}) << "once";
  EXPECT_NE(complaints_of(with("replace: [M]")).find("unknown name 'M'"), std::string::npos);
}

TEST(KernelSections, IncludeFoldersAreRelativeToTheStudy) {
  const Study study = accepted(
      std::string("schema: 1\nkernel: {name: k, source: k.cu, entry: k, include_dirs: [sub, .]}") +
      kRestOfIt);
  ASSERT_EQ(study.kernel.include_dirs.size(), 2U);
  EXPECT_EQ(study.kernel.include_dirs[0], study.kernel.source.parent_path() / "sub");
  EXPECT_EQ(
      complaints_of(
          std::string(
              "schema: 1\nkernel: {name: k, source: k.cu, entry: k, include_dirs: [subs]}") +
          kRestOfIt),
      "study.yaml:2:58: 'include_dirs': there is no folder subs (names are relative to the study "
      "file)");
}

std::string complaints_of_kernel(const std::string& keys) {
  const std::string all =
      complaints_of("schema: 1\nkernel: {name: k, entry: k, " + keys + "}" + kRestOfIt);
  return all.substr(0, all.find('\n'));
}

TEST(KernelSections, SeveralSourcesBeginWithTheKernels) {
  const Study study =
      accepted(std::string("schema: 1\nkernel: {name: k, entry: k, compiler: nvcc, sources: [k.cu, "
                           "./sub/../study.yaml]}") +
               kRestOfIt);
  const auto folder = study.kernel.source.parent_path();
  EXPECT_EQ(study.kernel.source, folder / "k.cu");
  EXPECT_EQ(study.kernel.units, std::vector<std::filesystem::path>{folder / "study.yaml"});
  EXPECT_EQ(study.kernel.compiler, KernelCompiler::kNvcc);
}

TEST(KernelSections, MistakesOfSourcesAndCompiler) {
  EXPECT_EQ(complaints_of_kernel("source: k.cu, sources: [k.cu]"),
            "study.yaml:2:37: there is 'sources', too (one of the two)");
  EXPECT_EQ(complaints_of_kernel("sources: []"),
            "study.yaml:2:38: 'sources' is empty (the kernel's file first)");
  EXPECT_EQ(complaints_of_kernel("sources: [k.cu, l.cu]"),
            "study.yaml:2:45: 'sources': there is no file l.cu (names are relative to the study "
            "file)");
  EXPECT_EQ(complaints_of_kernel("sources: [k.cu, k.cu]"),
            "study.yaml:2:45: 'sources' names k.cu twice");
  EXPECT_EQ(complaints_of_kernel("sources: k.cu"),
            "study.yaml:2:38: 'sources' must be a list, not text");
  EXPECT_EQ(complaints_of_kernel("source: k.cu, compiler: nvc"),
            "study.yaml:2:53: 'compiler' must be auto, nvrtc or nvcc, not 'nvc' (did you mean "
            "'nvcc'?)");
  EXPECT_EQ(complaints_of_kernel("source: k.cu, compiler: gcc"),
            "study.yaml:2:53: 'compiler' must be auto, nvrtc or nvcc, not 'gcc'");
  EXPECT_EQ(complaints_of_kernel("source: k.cu, compiler: [nvcc]"),
            "study.yaml:2:53: 'compiler' must be text, not a list");
  EXPECT_EQ(complaints_of_kernel("source: k.cu, compiler: {name: nvcc}"),
            "study.yaml:2:53: 'compiler' must be text, not a map");
  EXPECT_EQ(complaints_of_kernel("source: k.cu, compilers: nvcc"),
            "study.yaml:2:43: unknown key 'compilers' in 'kernel' (did you mean 'compiler'?)");
  EXPECT_EQ(complaints_of_kernel("source: k.cu, compiler: nvcc, compiler: nvrtc"),
            "study.yaml:2:59: duplicate key 'compiler', first on line 2");
  EXPECT_EQ(complaints_of_kernel("sources: [k.cu, study.yaml], compiler: nvrtc"),
            "study.yaml:2:68: NVRTC takes one source, and 'sources' names several ('compiler: "
            "nvcc', or auto)");
}

TEST(KernelSections, ALanguageHasWhatItHas) {
  const std::string head = "schema: 1\nkernel: {name: k, source: k.cu, entry: k, ";
  EXPECT_EQ(accepted(head + "language: opencl}" + kRestOfIt).kernel.language, "opencl");
  EXPECT_EQ(accepted(head + "language: cuda}" + kRestOfIt).kernel.language, "cuda");
  EXPECT_EQ(complaints_of_kernel("source: k.cu, language: OpenCL"),
            "study.yaml:2:53: 'language' must be cuda or opencl, not 'OpenCL' (did you mean "
            "'opencl'?)");
  EXPECT_EQ(complaints_of_kernel("source: k.cu, language: opencl, compiler: nvcc"),
            "study.yaml:2:71: 'compiler' chooses between compilers of CUDA C++ (OpenCL C is "
            "compiled by the device's driver)");
  EXPECT_EQ(complaints_of_kernel("sources: [k.cu, study.yaml], language: opencl"),
            "study.yaml:2:38: OpenCL C is compiled from one source, and these are several (a "
            "source that includes the others)");
  const std::string said = complaints_of(head + "language: opencl}" + kRestOfIt +
                                         "constants: [{name: w, type: float, value: 1}]\n");
  EXPECT_EQ(said.substr(0, said.find('\n')),
            "study.yaml:9:12: OpenCL's '__constant' variables cannot be set from outside (an "
            "argument of the kernel, '__constant T*')");
}

TEST(KernelSections, PrefixMustBeginAnIdentifier) {
  EXPECT_EQ(complaints_of(
                usual_study("kernel: {name: k, source: k.cu, entry: k, define_prefix: '-D'}\n")),
            "study.yaml:2:58: '-D' cannot begin the name of a macro");
}

TEST(KernelSections, UnknownPlaceholder) {
  EXPECT_EQ(complaints_of(usual_study(R"yaml(kernel:
  name: k
  source: k.cu
  entry: k<{BB}>
  options: ['-DX={N', '-DY=}', '-DZ={}', -O3]
)yaml")),
            R"text(study.yaml:5:13: unknown name 'BB'
study.yaml:6:18: this brace has no partner; {NAME} stands for a value
study.yaml:6:28: this brace has no partner; {NAME} stands for a value
study.yaml:6:37: {} names nothing; {NAME} stands for a value)text");
}

TEST(KernelSections, OptionsThatWriteAreRefusedWithTheirPlace) {
  EXPECT_EQ(
      complaints_of(usual_study(R"yaml(kernel:
  name: k
  source: k.cu
  entry: k
  options: [-O3 -lineinfo, --create-pch=thesis.txt, --fmad=maybe]
)yaml")),
      R"text(study.yaml:6:28: '--create-pch=thesis.txt' is no compiler option that a study may name (allowed are definitions, include folders and nvcc's options for code and warnings: see 'Compiler options' in docs/study-kernel.md)
study.yaml:6:53: the value of '--fmad' is 'maybe' (it must be true or false))text");
}

TEST(KernelSections, OptionsMustBeAListOfTexts) {
  EXPECT_EQ(complaints_of(usual_study("kernel: {name: k, source: k.cu, entry: k, options: -O3}\n")),
            "study.yaml:2:52: 'options' must be a list, not text");
}

TEST(KernelSections, LaunchNeedsBlockAndGrid) {
  EXPECT_EQ(complaints_of(usual_study("launch: {dynamic_shared_bytes: 0}\n")),
            R"text(study.yaml:5:1: missing key 'block' in 'launch'
study.yaml:5:1: missing key 'grid' in 'launch')text");
}

TEST(KernelSections, UpToThreeAxes) {
  EXPECT_EQ(complaints_of(usual_study("launch: {block: [B, 1, 1, 1], grid: []}\n")),
            R"text(study.yaml:5:17: 'block' takes 1 to 3 expressions, not 4
study.yaml:5:37: 'grid' takes 1 to 3 expressions, not 0)text");
}

TEST(KernelSections, LaunchesAskForAttributes) {
  const Study study = accepted(R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{N: 64}]
parameters: {C: [1, 2]}
launch:
  block: [32]
  grid: [N]
  cluster: [C, 1]
  carveout: 50 * C
  work: 4 * N
  then:
    - {entry: f, block: [32], grid: [1], cooperative: True, programmatic: C > 1}
arguments: [{name: Y, type: float, shape: [N], role: out}]
)yaml");
  EXPECT_EQ(study.launch.attributes.cluster[0].text(), "C");
  EXPECT_EQ(study.launch.attributes.carveout.text(), "50 * C");
  EXPECT_EQ(study.then[0].launch.attributes.cooperative.text(), "True");
  EXPECT_EQ(study.then[0].launch.attributes.programmatic.text(), "C > 1");
  EXPECT_EQ(study.work.text(), "4 * N");
}

TEST(KernelSections, LimitsAreBytes) {
  const std::string head = R"yaml(schema: 1
kernel: {name: k, source: k.cu, entry: k}
problem_sizes: [{N: 64}]
parameters: {C: [1, 2]}
arguments: [{name: Y, type: float, shape: [N], role: out}]
)yaml";
  const Study study =
      accepted(head + "launch: {block: [32], grid: [N], limits: {heap: 67108864, stack: 4096}}\n");
  EXPECT_EQ(study.limits, (KernelLimits{67108864, 4096, 0}));
  EXPECT_NE(complaints_of(head + "launch: {block: [32], grid: [N], limits: {stack: 0}}\n")
                .find("'stack' must be at least 1, not 0"),
            std::string::npos);
}

TEST(KernelSections, AxesByName) {
  EXPECT_EQ(complaints_of(usual_study(R"yaml(launch:
  block: {x: B, w: 1}
  grid: {y: 2}
)yaml")),
            R"text(study.yaml:6:17: unknown key 'w' in 'block' (known: x, y and z)
study.yaml:7:3: missing key 'x' in 'grid')text");
}

}  // namespace
}  // namespace tuner::testing
