#pragma once
// Processes that a child of ours started and did not end: a kernel on the host may fork. Such an
// orphan comes to us when its own parent is gone, and is known by a mark in its environment.

#include <string>

namespace tuner {

// A variable of the environment, "NAME=value", that no other child has.
std::string unique_mark();

// From now on orphans below this process become its children.
void adopt_orphans();

// Kills and reaps those of our children that were started with `mark`, and what they leave.
void end_leftovers(const std::string& mark);

}  // namespace tuner
