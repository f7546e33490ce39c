#pragma once
// Whether a text has another one in it, for EXPECT_TRUE and EXPECT_FALSE: what fails shows both.

#include <gtest/gtest.h>

#include <string_view>

namespace tuner {

inline testing::AssertionResult says(std::string_view text, std::string_view part) {
  const bool is_there = text.find(part) != std::string_view::npos;
  return testing::AssertionResult(is_there)
         << "'" << part << "' is " << (is_there ? "" : "not ") << "in:\n"
         << text;
}

}  // namespace tuner
