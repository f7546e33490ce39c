#pragma once
// Opens the cuda backend as the program does: through its plugin and the ports.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tuner/plugin/catalogue.h"

namespace tuner {

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

inline Catalogue gpu_catalogue() {
  // <build>/bin/test_gpu, or <prefix>/bin/tests/test_gpu once installed.
  const auto here = std::filesystem::canonical("/proc/self/exe").parent_path();
  PluginSearch search = plugin_search(here, "", {});
  search.directories.push_back(here.parent_path().parent_path() / "lib" / "tuner" / "plugins");
  return Catalogue::load(search);
}

// Why there is no GPU to test on; empty when there is one.
inline std::string why_no_gpu(const Catalogue& catalogue) {
  if (catalogue.find(PluginKind::kBackend, "cuda") == nullptr) return "no cuda plugin was built";
  const auto count = catalogue.device_count("cuda");
  return count ? "" : count.error().message;
}

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = why_no_gpu(catalogue);
    if (!reason.empty()) GTEST_SKIP() << "NO GPU: " << reason;
    auto opened = catalogue.open_backend("cuda", 0);
    ASSERT_TRUE(opened) << opened.error().message;
    backend = std::move(*opened);
    compiler = catalogue.make_compiler("cuda");
  }

  LoadedKernel load(const std::string& source, const std::string& entry,
                    const std::vector<std::string>& symbols = {},
                    const std::vector<std::string>& then = {}) {
    CompileRequest request;
    request.source = source;
    request.source_name = "test.cu";
    request.entry = entry;
    request.arch = backend->facts().arch;
    request.symbols = symbols;
    request.then = then;
    auto compiled = compiler->compile(request);
    EXPECT_TRUE(compiled) << compiled.error().log;
    if (!compiled) return {};
    artifact = *compiled;
    const auto loaded = backend->load(artifact);
    EXPECT_TRUE(loaded) << loaded.error().message;
    return loaded ? *loaded : LoadedKernel{};
  }

  // Of a single kernel.
  DeviceResult<Ok> launch(KernelId kernel, const LaunchGeometry& shape,
                          const std::vector<LaunchArgument>& arguments) {
    return backend->launch({{kernel, shape, arguments}});
  }
  DeviceResult<std::vector<double>> time(KernelId kernel, const LaunchGeometry& shape,
                                         const std::vector<LaunchArgument>& arguments,
                                         const TimingRequest& request) {
    return backend->time({{kernel, shape, arguments}}, request);
  }

  BufferId allocate(std::uint64_t bytes) {
    const auto buffer = backend->memory().allocate(bytes);
    EXPECT_TRUE(buffer) << buffer.error().message;
    return buffer ? *buffer : 0;
  }

  template <typename T>
  void upload(BufferRange to, const std::vector<T>& values) {
    const auto done = backend->memory().upload(to, std::as_bytes(std::span(values)));
    ASSERT_TRUE(done) << done.error().message;
  }

  template <typename T>
  std::vector<T> download(BufferRange from, std::size_t count) {
    std::vector<T> out(count);
    const auto done = backend->memory().download(from, std::as_writable_bytes(std::span(out)));
    EXPECT_TRUE(done) << done.error().message;
    return out;
  }

  static LaunchArgument at(BufferId buffer, std::uint64_t offset = 0) {
    return {true, {buffer, offset}, {}};
  }
  template <typename T>
  static LaunchArgument scalar(T value) {
    LaunchArgument out;
    out.scalar.resize(sizeof value);
    std::memcpy(out.scalar.data(), &value, sizeof value);
    return out;
  }
  static LaunchGeometry geometry(std::uint32_t grid, std::uint32_t block,
                                 std::uint64_t dynamic = 0) {
    return {{grid, 1, 1}, {block, 1, 1}, dynamic};
  }

  Catalogue catalogue = gpu_catalogue();
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Compiler> compiler;
  Artifact artifact;  // of the last load()
};

}  // namespace tuner
