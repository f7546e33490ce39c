#pragma once
// A kernel of a program beside the kernel of a study: is it the same, and which of its parameters
// say what size it works on?

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tuner/model/study.h"

namespace tuner {

// A kernel as the driver has it.
struct ProgramKernel {
  std::string name;                     // mangled
  std::vector<std::size_t> parameters;  // bytes of each
};

// Whether it has the name of the study's kernel: that of `entry`, in whatever namespace. Template
// arguments that stand there without a parameter have to be the same. With a pattern: whether the
// demangled name has that text in it, or fits it as a whole where it has a '*'.
bool is_kernel_of(const Study& study, const std::string& pattern, const std::string& mangled);

// Template arguments of a program's kernel that are parameters of the study, with their values.
std::vector<std::pair<std::string, std::string>> template_values(const Study& study,
                                                                 const std::string& mangled);

// Throws InputError where no launch of a program can be one of the study's.
void require_one_launch(const Study& study);

// Compares parameters with the study's arguments: their number, sizes and, where the name shows
// them, the types of numbers that they point to. Returns what is not the same; empty: nothing.
std::string misfit(const Study& study, const ProgramKernel& kernel);

// A number in the parameters that follows from the problem size.
struct SizePart {
  std::size_t parameter = 0;  // of the kernel
  std::size_t offset = 0;     // in it, bytes
  DataType type = DataType::kInt32;
  Expression value;
  std::string name;  // of the argument, with its member
};
std::vector<SizePart> size_parts(const Study& study);

// The places of the study's arguments that the kernel takes, in its order.
std::vector<std::uint32_t> kernel_arguments(const Study& study);

}  // namespace tuner
