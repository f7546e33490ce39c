#pragma once
// How large the buffers of a draft are, as lists of extents.

#include <optional>
#include <string>
#include <vector>

#include "tuner/drafting/draft_context.h"
#include "tuner/drafting/guesses.h"

namespace tuner {

inline constexpr int kRowLength = 16;  // of compressed rows

class BufferShapes {
 public:
  explicit BufferShapes(DraftContext& context) : c_(context) {}

  // As many elements as the host code has memory for.
  std::optional<std::string> allocated(const FoundArgument& one) const;
  // At least as large as what the kernel can address.
  std::string by_use(const FoundArgument& one, const Use& use) const;
  // With the room that trials asked for, and lanes.
  std::string finished(const FoundArgument& one, std::vector<std::string> extents) const;

 private:
  DraftContext& c_;
};

}  // namespace tuner
