#pragma once
// A listener to what a user should know.

#include <functional>
#include <string>

namespace tuner {

// Hears what a user should know.
using Note = std::function<void(const std::string& text)>;

}  // namespace tuner
