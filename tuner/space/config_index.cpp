#include "tuner/space/config_index.h"

#include <algorithm>

namespace tuner {

std::string to_decimal(ConfigIndex index) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(index % 10));
    index /= 10;
  } while (index != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace tuner
