#pragma once
// Drafts for tests.

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "tuner/base/error.h"
#include "tuner/drafting/draft.h"

namespace tuner {

inline DraftedStudy drafted(const std::string& source, const std::string& kernel = {}) {
  return draft_study({source, "k.cu", "k.cu", kernel});
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline void says(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_TRUE(has(text, part)) << part << "\n" << text;
}

inline void lacks(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_FALSE(has(text, part)) << part << "\n" << text;
}

inline std::string refusal(const std::string& source, const std::string& kernel = {}) {
  try {
    drafted(source, kernel);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

inline const std::string kAxpy =
    "__global__ void axpy(float a, const float* __restrict__ x, float* y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = a * x[i] + y[i];\n}\n";

}  // namespace tuner
