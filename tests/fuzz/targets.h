#pragma once
// What is fuzzed: each function takes any bytes and must return, in little time and memory, having
// thrown nothing but what callers expect. One that finds a wrong answer ends the program.

#include <cstddef>
#include <cstdint>
#include <string>

namespace tuner::fuzz {

using Target = void (*)(const std::string& bytes);

void study(const std::string& bytes);       // a study file
void t1(const std::string& bytes);          // a T1 file, or the Python in one
void expression(const std::string& bytes);  // one expression
void space(const std::string& bytes);       // a space in JSON, built and compared with brute force
void protocol(const std::string& bytes);    // what a worker sends
void recording(const std::string& bytes);   // a Kernel Tuner cache or T4

// Ends the program when a fact does not hold.
void require(bool holds, const char* fact);

}  // namespace tuner::fuzz
