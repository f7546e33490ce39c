#pragma once
// Arguments that are more than a number or a buffer of them: structs, vectors by value, null,
// tables of pointers.

#include <optional>

#include "tuner/drafting/draft_context.h"

namespace tuner {

// None for what is a number, a buffer of numbers, or cannot be given.
std::optional<DraftedArgument> drafted_record(DraftContext& context, const FoundArgument& argument);

// A texture object, over a buffer that is made up for it; nothing where it is none, or over what no
// study has.
std::optional<DraftedArgument> drafted_texture(DraftContext& context,
                                               const FoundArgument& argument);

}  // namespace tuner
