#pragma once
// A process between a program and the parent of both. Whatever the program starts becomes its child
// sooner or later, whatever session, group or environment that gives itself, and ends with it.

#include <string>
#include <vector>

namespace tuner {

// Runs a program, as the whole work of this process, which has one thread. Ends it and all that it
// has started when it ends, when this process gets SIGTERM, and when its parent dies. Then ends as
// the program did.
[[noreturn]] void keep(const std::vector<std::string>& argv);

}  // namespace tuner
