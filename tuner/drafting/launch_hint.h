#pragma once
// How host code beside a kernel launches it: kernel<<<grid, block, bytes>>>(arguments).

#include <optional>
#include <string>
#include <vector>

#include "tuner/drafting/found_source.h"

namespace tuner {

// A function of the host code on the way to a launch, and what its caller, the next frame, passes.
struct HostFrame {
  Tokens body, before;  // before: what stands above the launch, or the call
  std::vector<std::string> parameters;
  std::vector<Tokens> arguments;  // of the call, or the parameters' defaults; fewer: not known
  std::vector<std::string> templates{};      // the function's template parameters
  std::vector<Tokens> template_arguments{};  // of the call, in the same way
  std::vector<Tokens> declared{};            // the parameters with their types
};

struct LaunchHint {
  std::string place;  // "line 4", "main.cu:4"
  std::vector<Tokens> template_arguments;
  std::vector<Tokens> grid, block;  // one for each axis that is spelled
  std::string grid_variable;        // as the launch spells it: a variable, maybe of type dim3
  Tokens shared;                    // empty: none
  std::vector<Tokens> arguments;
  std::vector<HostFrame> frames;  // first the function in which it stands
  std::string function;           // its name
};

// The first launch of `kernel`, in `function` where one is named; none when nothing launches it.
std::optional<LaunchHint> launch_of(const FoundSource& source, const FoundKernel& kernel,
                                    const std::string& function = {});

// Returns the last value that a variable is set to above the launch; else that of initialiser_of().
Tokens set_above(const HostFrame& frame, const std::string& variable);

// The axes of a variable of type dim3; the variable itself where it is none.
std::vector<Tokens> axes_of(Tokens expression, Tokens function, int depth = 0);

// Returns the condition under which a function makes a variable, or a member as "b.x", larger by
// one: "if (n % t) b++;", "b += n % t != 0;".
Tokens increased_if(Tokens function, const std::string& variable);

// Returns the first value that a function sets a variable to. If that is an element of an array,
// takes the one in the middle of the array. "a.n" is a variable, too. Empty: there is none.
Tokens initialiser_of(Tokens function, const std::string& variable);

// Returns all values that a function sets a variable to, in order.
std::vector<Tokens> all_set(Tokens function, const std::string& variable);

// ---- memory of what it passes -------------------------------------------------------------------

// cudaMalloc(&p, size), malloc(size), new T[size], std::vector<T> p(size), T p[size].
struct HostMemory {
  std::vector<Tokens> factors;  // of the size
  std::size_t frame = 0;        // of the launch, where their names are to be read
  bool is_bytes = false;        // else elements
  std::string place;            // "line 4"
};

// Finds the memory behind what the host code passes, seen through casts, offsets and further names.
std::optional<HostMemory> host_memory(const FoundSource& source, const LaunchHint& hint,
                                      Tokens passed, std::size_t frame = 0);

}  // namespace tuner
