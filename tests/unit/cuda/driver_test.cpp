#include "tuner/plugins/cuda/driver.h"

#include <gtest/gtest.h>

#include "tuner/plugins/cuda/dynamic_library.h"

namespace tuner::cuda {
namespace {

TEST(DriverError, StickyErrorsAreRuntimeFaultsWhereverTheyShow) {
  for (const CUresult result :
       {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_ASSERT,
        CUDA_ERROR_MISALIGNED_ADDRESS, CUDA_ERROR_ILLEGAL_INSTRUCTION, CUDA_ERROR_LAUNCH_TIMEOUT}) {
    for (const Phase phase : {Phase::kCall, Phase::kLaunch, Phase::kWait}) {
      EXPECT_EQ(classify(result, phase), TUNER_RUNTIME_FAULT) << result;
    }
  }
}

TEST(DriverError, ADamagedDeviceIsLost) {
  EXPECT_EQ(classify(CUDA_ERROR_ECC_UNCORRECTABLE, Phase::kWait), TUNER_DEVICE_LOST);
  EXPECT_EQ(classify(CUDA_ERROR_NVLINK_UNCORRECTABLE, Phase::kCall), TUNER_DEVICE_LOST);
}

TEST(DriverError, AmbiguousErrorsAreReadByPhase) {
  EXPECT_EQ(classify(CUDA_ERROR_INVALID_VALUE, Phase::kLaunch), TUNER_LAUNCH_REFUSED);
  EXPECT_EQ(classify(CUDA_ERROR_INVALID_VALUE, Phase::kCall), TUNER_INVALID);
  EXPECT_EQ(classify(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, Phase::kLaunch), TUNER_LAUNCH_REFUSED);
  EXPECT_EQ(classify(CUDA_ERROR_UNKNOWN, Phase::kWait), TUNER_RUNTIME_FAULT);
  EXPECT_EQ(classify(CUDA_ERROR_OUT_OF_MEMORY, Phase::kLaunch), TUNER_OUT_OF_MEMORY);
}

TEST(DynamicLibrary, NamesWhatItTried) {
  try {
    DynamicLibrary::open_first({"libnever-1.so", "libnever-2.so"});
    FAIL() << "nothing was thrown";
  } catch (const sdk::Error& error) {
    EXPECT_EQ(error.status(), TUNER_UNSUPPORTED);
    EXPECT_STREQ(error.what(), "libnever-1.so, libnever-2.so not found");
  }
}

TEST(DynamicLibrary, SaysWhichSymbolAnOldLibraryLacks) {
  const auto library = DynamicLibrary::open_first({"libnever-1.so", "libm.so.6"});
  EXPECT_NE(library.require("cos"), nullptr);
  try {
    library.require("cuInit");
    FAIL() << "nothing was thrown";
  } catch (const sdk::Error& error) {
    EXPECT_STREQ(error.what(), "libm.so.6 is too old: it has no cuInit");
  }
}

TEST(DriverVersion, ComesFromTheKernelModuleWhereThereIsOne) {
  EXPECT_EQ(driver_version_text("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  "
                                "580.65.06  Release Build  (x@y)  Sun Jul 27\nGCC version: 12.2.0",
                                13000),
            "580.65.06 (CUDA 13.0)");
  EXPECT_EQ(driver_version_text("", 12080), "CUDA 12.8");
}

}  // namespace
}  // namespace tuner::cuda
