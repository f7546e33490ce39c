#include <gtest/gtest.h>

#include "tests/unit/opencl/device.h"
#include "tuner/plugins/opencl/opencl_compiler.h"

namespace tuner::opencl {
namespace {

sdk::CompileRequest request_of(const std::string& source, std::vector<std::string> options = {}) {
  sdk::CompileRequest request;
  request.source = source;
  request.source_name = "k.cl";
  request.entry = "k";
  request.options = std::move(options);
  return request;
}

Device plain_device() {
  Device device;
  device.name = "Toy";
  device.c_version = "OpenCL C 1.2";
  return device;
}

TEST(SourceWithDefines, DefinitionsNeedNoQuotesAndLinesKeepTheirNumbers) {
  sdk::CompileRequest request = request_of("x");
  request.source_name = "a \"b\"\n.cl";
  request.defines = {{"T", "unsigned int"}, {"S", "\"a b\""}};
  EXPECT_EQ(source_with_defines(request),
            "#define T unsigned int\n#define S \"a b\"\n#line 1 \"a ?b??.cl\"\nx");
}

TEST(PlacesInSource, AreThoseOfTheFileWhereACompilerHeedsNoLineDirective) {
  sdk::CompileRequest request = request_of("x");
  request.source_name = "k.cl";
  request.defines = {{"A", "1"}, {"B", "2"}};
  EXPECT_EQ(with_places_in_source("<kernel>:10:5: error: y\n  ^\n<kernel>:2:1: note: z\n", request),
            "k.cl:7:5: error: y\n  ^\n<kernel>:2:1: note: z\n");
  EXPECT_EQ(with_places_in_source("k.cl:7:5: error: y\n", request), "k.cl:7:5: error: y\n");
}

TEST(BuildOptions, FoldersWithBlanksAreOneWord) {
  sdk::CompileRequest request = request_of("", {"-cl-mad-enable"});
  request.include_dirs = {"/a", "/b c"};
  Device device = plain_device();
  EXPECT_EQ(build_options(request, device), "-cl-kernel-arg-info -cl-mad-enable -I/a \"-I/b c\"");
  device.has_verbose_compiler = true;
  EXPECT_EQ(build_options(request, device),
            "-cl-kernel-arg-info -cl-nv-verbose -cl-mad-enable -I/a \"-I/b c\"");
}

TEST(Refusal, ALaterLanguageThanTheDevicesIsNamed) {
  EXPECT_EQ(refusal_of(request_of("", {"-cl-std=CL3.0"}), plain_device()),
            "the study asks for '-cl-std=CL3.0', and Toy compiles OpenCL C 1.2");
  EXPECT_EQ(refusal_of(request_of("", {"-cl-std=CL1.2"}), plain_device()), "");
  EXPECT_EQ(refusal_of(request_of("", {"-cl-std=CL1.1"}), plain_device()), "");
}

TEST(Refusal, ConstantsAndSeveralSourcesAreRefused) {
  sdk::CompileRequest request = request_of("");
  request.symbols = {"weights"};
  EXPECT_EQ(refusal_of(request, plain_device()),
            "OpenCL's '__constant' variables cannot be set: make 'weights' an argument, "
            "'__constant T*'");
  request = request_of("");
  request.units = {"b.cl"};
  EXPECT_EQ(refusal_of(request, plain_device()),
            "OpenCL C is compiled from one source, and these are several");
}

TEST(RegistersIn, AreThoseOfTheKernel) {
  const std::string log =
      "ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
      "ptxas info    : Function properties for a\n"
      "ptxas info    : Used 12 registers, 368 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
      "ptxas info    : Used 40 registers, 368 bytes cmem[0]\n";
  EXPECT_EQ(
      without_statistics(log + "<kernel>:1:2: warning: x\n    0 bytes stack frame, 0 bytes\n"),
      "<kernel>:1:2: warning: x\n");
  EXPECT_EQ(registers_in(log, "a"), 12);
  EXPECT_EQ(registers_in(log, "b"), 40);
  EXPECT_EQ(registers_in(log, "c"), -1);
  EXPECT_EQ(registers_in("", "a"), -1);
}

TEST(Compiler, TellsWhatAKernelTakesAndUses) {
  TUNER_NEEDS_DEVICE();
  sdk::CompileRequest request = request_of(
      "__kernel void k(__global float* a, __constant float* c, __local int* l, float2 x, uint n) {"
      "  l[get_local_id(0)] = n; a[get_global_id(0)] = c[0] + x.x + l[0] * SCALE; }\n"
      "__kernel void next(__global float* a) { a[0] = 1; }");
  request.defines = {{"SCALE", "(1 + 1)"}};
  request.next_entries = {"next"};
  request.arch = all_devices().front().facts.arch;
  const sdk::CompileResult result = OpenClCompiler().compile(request);
  ASSERT_TRUE(result.compiled) << result.log;
  const Image image = unpacked(result.image);
  ASSERT_EQ(image.kernels.size(), 2U);
  EXPECT_EQ(image.kernels[0].arguments,
            (std::vector<Takes>{Takes::kBuffer, Takes::kBuffer, Takes::kLocal, Takes::kValue,
                                Takes::kValue}));
  EXPECT_EQ(image.kernels[1].name, "next");
  ASSERT_EQ(result.next.size(), 1U);
  EXPECT_GT(result.resources.max_threads, 0);
}

TEST(Compiler, SaysWhatIsWrongAndWhereAndWhatTheDeviceCompiles) {
  TUNER_NEEDS_DEVICE();
  const sdk::CompileResult result =
      OpenClCompiler().compile(request_of("\n__kernel void k(__global int* a) { a[0] = wrong; }"));
  EXPECT_FALSE(result.compiled);
  EXPECT_NE(result.log.find("wrong"), std::string::npos) << result.log;
  EXPECT_NE(result.log.find("note: "), std::string::npos) << result.log;
  EXPECT_NE(result.log.find(" compiles OpenCL C "), std::string::npos) << result.log;
}

TEST(Compiler, AKernelThatIsNotThereIsNamed) {
  TUNER_NEEDS_DEVICE();
  try {
    OpenClCompiler().compile(request_of("__kernel void other(__global int* a) { a[0] = 1; }"));
    FAIL() << "it compiled";
  } catch (const sdk::Error& error) {
    EXPECT_STREQ(error.what(), "there is no kernel 'k'");
    EXPECT_EQ(error.status(), TUNER_INVALID);
  }
}

TEST(Compiler, ADeviceThatIsNotHereIsNoFaultOfTheSource) {
  TUNER_NEEDS_DEVICE();
  sdk::CompileRequest request = request_of("");
  request.arch = "opencl-0123456789abcdef";
  try {
    OpenClCompiler().compile(request);
    FAIL() << "it compiled";
  } catch (const sdk::Error& error) {
    EXPECT_EQ(error.status(), TUNER_DEVICE_LOST);
  }
}

}  // namespace
}  // namespace tuner::opencl
