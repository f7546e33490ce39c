// Compiles an exported header with NVRTC, warnings being errors: nvrtc_check HEADER
#include <nvrtc.h>

#include <fstream>
#include <iostream>
#include <sstream>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::stringstream header;
  header << std::ifstream(argv[1]).rdbuf();
  const std::string text = header.str();
  const char* const texts[] = {text.c_str()};
  const char* const names[] = {"tuned.h"};
  const char* const source =
      "#include \"tuned.h\"\nextern \"C\" __global__ void kernel(int* out) { out[0] = 1; }\n";
  const char* const options[] = {"-arch=sm_90", "-std=c++17"};
  nvrtcProgram program = nullptr;
  if (nvrtcCreateProgram(&program, source, "kernel.cu", 1, texts, names) != NVRTC_SUCCESS) return 2;
  const nvrtcResult result = nvrtcCompileProgram(program, 2, options);
  std::size_t size = 0;
  nvrtcGetProgramLogSize(program, &size);
  std::string log(size, ' ');
  nvrtcGetProgramLog(program, log.data());
  std::cout << log.c_str();
  nvrtcDestroyProgram(&program);
  const bool warned = log.find("warning") != std::string::npos;
  return text.empty() || warned || result != NVRTC_SUCCESS ? 1 : 0;
}
