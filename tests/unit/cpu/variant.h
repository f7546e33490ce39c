#pragma once
// A device, a compiler and one compiled variant, in few words.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tuner/plugins/cpu/cpu_backend.h"
#include "tuner/plugins/cpu/cpu_compiler.h"

namespace tuner::cpu {

inline sdk::CompileRequest request_for(const std::string& source,
                                       const std::string& entry = "kernel") {
  sdk::CompileRequest request;
  request.source = source;
  request.source_name = "kernel.cu";
  request.entry = entry;
  request.arch = "x86-64";
  return request;
}

inline sdk::CompileResult compiled(const sdk::CompileRequest& request) {
  static CpuCompiler compiler;
  return compiler.compile(request);
}

using OptionList = std::vector<std::pair<std::string, std::string>>;

inline std::unique_ptr<CpuBackend> open_backend(const OptionList& options = {}) {
  std::vector<tuner_pair> pairs;
  for (const auto& [key, value] : options) pairs.push_back({sdk::str(key), sdk::str(value)});
  return std::make_unique<CpuBackend>(0, sdk::Options(CpuBackend::kOptions, pairs));
}

// A buffer with contents, which are there again after the launch.
template <typename T>
struct Buffer {
  std::vector<T> values;
  std::uint64_t id = 0;
};

struct Shape {
  std::uint32_t grid = 1;
  std::uint32_t block = 1;
  std::uint64_t dynamic_shared_bytes = 0;
  bool cooperative = false;
};

inline tuner_launch launch_of(std::span<const tuner_argument> arguments, const Shape& shape = {}) {
  tuner_launch launch{};
  launch.struct_size = sizeof launch;
  std::fill_n(launch.grid, 3, 1U);
  std::fill_n(launch.block, 3, 1U);
  launch.grid[0] = shape.grid;
  launch.block[0] = shape.block;
  launch.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  launch.arguments = arguments.data();
  launch.argument_count = arguments.size();
  return launch;
}

class Variant {
 public:
  explicit Variant(const std::string& source, const std::string& entry = "kernel",
                   const OptionList& options = {})
      : Variant(request_for(source, entry), options) {}

  explicit Variant(const sdk::CompileRequest& request, const OptionList& options = {})
      : backend(open_backend(options)), result(compiled(request)) {
    EXPECT_TRUE(result.compiled) << result.log;
    if (result.compiled) kernel = backend->load(result.image, result.entry).kernel;
  }

  // Arguments: Buffer<T>& (uploaded before, downloaded after) or scalars.
  template <typename... Arguments>
  void run(const Shape& shape, Arguments&&... arguments) {
    // Lists, since a fold is nested as deeply as there are arguments, which clang takes 256 of.
    launch(shape, std::vector<tuner_argument>{argument(arguments)...});
    [[maybe_unused]] const int fetched[] = {0, (fetch(arguments), 0)...};
  }

  // What the launch complains of; empty when it does not.
  template <typename... Arguments>
  std::string fault(tuner_status expected, const Shape& shape, Arguments&&... arguments) {
    try {
      run(shape, arguments...);
    } catch (const sdk::Error& error) {
      EXPECT_EQ(error.status(), expected);
      return error.what();
    }
    return "";
  }

  std::unique_ptr<CpuBackend> backend;
  sdk::CompileResult result;
  std::uint64_t kernel = 0;

 private:
  template <typename T>
  tuner_argument argument(Buffer<T>& buffer) {
    const std::uint64_t bytes = buffer.values.size() * sizeof(T);
    if (buffer.id == 0) buffer.id = backend->allocate(bytes);
    backend->upload({buffer.id, 0}, buffer.values.data(), bytes);
    return {1, 0, {buffer.id, 0}, nullptr};
  }
  template <typename T>
  tuner_argument argument(const T& scalar) {
    return {0, sizeof(T), {0, 0}, &scalar};
  }
  template <typename T>
  void fetch(Buffer<T>& buffer) {
    backend->download({buffer.id, 0}, buffer.values.data(), buffer.values.size() * sizeof(T));
  }
  template <typename T>
  void fetch(const T&) {}

  void launch(const Shape& shape, const std::vector<tuner_argument>& list) {
    tuner_launch launch = launch_of(list, shape);
    tuner_launch_attributes attributes{};
    attributes.struct_size = sizeof attributes;
    attributes.cluster[0] = attributes.cluster[1] = attributes.cluster[2] = 1;
    attributes.cooperative = 1;
    if (shape.cooperative) launch.attributes = &attributes;
    backend->launch(kernel, launch);
  }
};

// What a kernel(int* out) writes.
inline int answer_of(const sdk::CompileRequest& request) {
  Variant variant(request);
  Buffer<int> out{{0}};
  variant.run({1, 1}, out);
  return out.values[0];
}

}  // namespace tuner::cpu
