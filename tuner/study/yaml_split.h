#pragma once
// Expressions that YAML has split at their commas.

#include "tuner/study/yaml_tree.h"

namespace tuner {

// YAML splits the unquoted flow list [ceil_div(N, BN)] at the comma inside the parentheses, and a
// flow map {t: min(a, b)} likewise. Recognises the pieces, says to quote them, and puts them
// together again so that the rest of the file can be read for its other mistakes.
void rejoin_split_expressions(YamlNode& flow, Diagnostics& diagnostics);

}  // namespace tuner
