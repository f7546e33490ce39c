#pragma once
// Functions of the driver that the application has opened. Nothing here opens one: an application
// without CUDA stays one.

#include <cuda.h>

#include <stdexcept>
#include <string>

namespace tuner::apply {

// The C library's dlsym(), in front of which this object has put its own.
using Lookup = void* (*)(void* handle, const char* name);
Lookup real_dlsym();

// A function of the driver by its exported name; null where there is no driver yet, or it lacks it.
void* driver_symbol(const char* name);

// Throws where this driver lacks it.
template <typename Function>
Function required(const char* name) {
  void* const found = driver_symbol(name);
  if (found == nullptr) throw std::runtime_error(std::string("this driver has no ") + name);
  return reinterpret_cast<Function>(found);
}

// The name as cuda.h maps it to the newest version ("cuEventDestroy_v2").
#define TUNER_TEXT_OF(name) #name
#define TUNER_NAME_OF(name) TUNER_TEXT_OF(name)
// Looked up once, since a lookup costs more than most of these calls.
#define TUNER_NAMED(Function, name)                                     \
  ([] {                                                                 \
    static const auto found = ::tuner::apply::required<Function>(name); \
    return found;                                                       \
  }())
// NOLINTNEXTLINE(bugprone-macro-parentheses): the operand of decltype is a name
#define TUNER_DRIVER(name) TUNER_NAMED(decltype(&name), TUNER_NAME_OF(name))

// "CUDA_ERROR_INVALID_IMAGE".
std::string name_of(CUresult result);
// Throws with the driver's name of the error.
void must(CUresult result, const char* call);

// Lets what a graph cannot hold go on while the thread's streams are captured: else it would end
// the capture.
class RelaxedCapture {
 public:
  RelaxedCapture() { exchange(); }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  void exchange();
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

// Whether launches into the stream are recorded; also where that cannot be asked now.
bool is_captured(CUstream stream) noexcept;

}  // namespace tuner::apply
