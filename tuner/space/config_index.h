#pragma once
// The number of a valid configuration in its space. Spaces beyond 2^64 are real; beyond 2^128 they
// can be counted, not indexed.

namespace tuner {

__extension__ typedef unsigned __int128 ConfigIndex;

}  // namespace tuner
