#pragma once
// The mark that some editors begin a file with.

#include <string>

namespace tuner {

// A source without it: compilers take it at the head of a file only, and NVRTC nowhere.
inline std::string without_byte_order_mark(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

}  // namespace tuner
