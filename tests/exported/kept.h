#pragma once
// Uses a launcher whose constant is set once: in several streams and threads, beside calls that are
// given values, in captured graphs, and after a release.

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "application.h"

// One problem whose answer, which follows from the constant's values, can be looked at and spoilt.
struct KeptJob {
  std::function<cudaError_t(const float*, cudaStream_t)> launch;  // null: what was set
  std::function<void()> spoil;
  std::function<bool(const std::vector<float>&)> right;  // waits
};

class KeptConstant {
 public:
  using Jobs = std::array<KeptJob, 2>;

  // `values`: two sets with different answers.
  KeptConstant(Report& report, std::string name,
               std::function<cudaError_t(const float*, cudaStream_t)> set,
               std::function<cudaError_t()> release, std::array<std::vector<float>, 2> values)
      : report_(report),
        name_(std::move(name)),
        set_(std::move(set)),
        release_(std::move(release)),
        values_(std::move(values)),
        device_{DeviceArray<float>(values_[0]), DeviceArray<float>(values_[1])} {}

  // Jobs of different sizes, and of different variants where there are some.
  void check(const Jobs& jobs) {
    note("nothing set", jobs[0].launch(nullptr, nullptr) == cudaErrorInvalidValue);
    note("set from the host, repeated", set_and_repeated(jobs));
    note("set from the device, behind work in its stream", set_in_a_stream(jobs));
    note("beside calls with a pointer", beside_pointers(jobs));
    note("two threads, two streams", threads(jobs));
    note("captured, replayed, set anew", captured(jobs));
    note("a pointer captured", pointer_captured(jobs));
    note("released, then again", released(jobs));
    print_times(jobs[0]);
    must(release_(), "release");
  }

 private:
  void note(const char* what, bool right) { report_.note((name_ + ", " + what).c_str(), right); }

  // One launch, whose answer must be that of values_[which].
  bool launched(const KeptJob& job, const float* given, std::size_t which,
                cudaStream_t stream = nullptr) const {
    job.spoil();
    must(cudaDeviceSynchronize(), "spoil");
    must(job.launch(given, stream), "launch");
    must(cudaStreamSynchronize(stream), "launch");
    return job.right(values_[which]);
  }

  bool set_and_repeated(const Jobs& jobs) const {
    std::vector<float> passing = values_[0];
    must(set_(passing.data(), nullptr), "set");
    passing.assign(passing.size(), 0.0F);  // nobody may look there any more
    bool right = true;
    for (int i = 0; i < 6; ++i) right = launched(jobs[i % 2], nullptr, 0) && right;
    return right;
  }

  // The values are still on their way when the function is called; other streams do not wait.
  bool set_in_a_stream(const Jobs& jobs) const {
    const Stream setting;
    const Stream first;
    const Stream second;
    const DeviceArray<float> from(values_[1].size(), 0);
    const DeviceArray<char> busy(std::size_t{256} << 20);
    for (const KeptJob& job : jobs) job.spoil();
    must(cudaDeviceSynchronize(), "spoil");
    for (int i = 0; i < 20; ++i) {
      must(cudaMemsetAsync(busy.get(), i, std::size_t{256} << 20, setting.id), "cudaMemsetAsync");
    }
    must(cudaMemcpyAsync(from.get(), device_[1].get(), values_[1].size() * sizeof(float),
                         cudaMemcpyDeviceToDevice, setting.id),
         "cudaMemcpyAsync");
    must(set_(from.get(), setting.id), "set");
    must(jobs[0].launch(nullptr, first.id), "launch");
    must(jobs[1].launch(nullptr, second.id), "launch");
    must(cudaDeviceSynchronize(), "launch");
    bool right = jobs[0].right(values_[1]) && jobs[1].right(values_[1]);
    for (const KeptJob& job : jobs) right = launched(job, nullptr, 1, second.id) && right;
    return right;
  }

  bool beside_pointers(const Jobs& jobs) const {
    const Stream other;
    bool right = true;
    for (int i = 0; i < 4; ++i) {
      const KeptJob& job = jobs[i % 2];
      right = launched(job, i < 2 ? values_[0].data() : device_[0].get(), 0) && right;
      right = launched(job, nullptr, 1, other.id) && right;
      right = launched(job, nullptr, 1) && right;
      right = launched(job, nullptr, 1, other.id) && right;
    }
    return right;
  }

  bool threads(const Jobs& jobs) const {
    std::array<bool, 2> right{true, true};
    const auto work = [&](std::size_t which) {
      for (int round = 0; round < 10; ++round) {
        const Stream fresh;
        jobs[which].spoil();
        must(cudaDeviceSynchronize(), "spoil");
        for (int i = 0; i < 20; ++i) must(jobs[which].launch(nullptr, fresh.id), "launch");
        fresh.wait();
        right[which] = jobs[which].right(values_[1]) && right[which];
      }
    };
    must(set_(values_[1].data(), nullptr), "set");
    std::thread other(work, 1);
    work(0);
    other.join();
    return right[0] && right[1];
  }

  // A graph of three launches, and how many copies it holds.
  static cudaGraphExec_t capture(const Stream& stream, const KeptJob& job, const float* given,
                                 std::size_t& copies) {
    must(cudaStreamBeginCapture(stream.id, cudaStreamCaptureModeGlobal), "capture");
    for (int i = 0; i < 3; ++i) must(job.launch(given, stream.id), "launch in a capture");
    cudaGraph_t graph = nullptr;
    must(cudaStreamEndCapture(stream.id, &graph), "end of the capture");
    copies = count_nodes(graph, cudaGraphNodeTypeMemcpy).of_type;
    cudaGraphExec_t ready = nullptr;
    must(cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
    cudaGraphDestroy(graph);
    return ready;
  }

  static bool replayed(const KeptJob& job, cudaGraphExec_t graph,
                       const std::vector<float>& values) {
    const Stream stream;
    job.spoil();
    must(cudaDeviceSynchronize(), "spoil");
    must(cudaGraphLaunch(graph, stream.id), "cudaGraphLaunch");
    stream.wait();
    return job.right(values);
  }

  // In a stream that has copied the values already, which a graph must not rely on.
  bool captured(const Jobs& jobs) const {
    const Stream stream;
    bool right = launched(jobs[0], nullptr, 1, stream.id);
    std::size_t copies = 0;
    const cudaGraphExec_t graph = capture(stream, jobs[0], nullptr, copies);
    right = right && copies == 3;
    right = launched(jobs[0], values_[0].data(), 0) && right;
    right = replayed(jobs[0], graph, values_[1]) && right;
    right = launched(jobs[0], nullptr, 1, stream.id) && right;
    must(set_(values_[0].data(), nullptr), "set");
    right = replayed(jobs[0], graph, values_[0]) && right;
    right = launched(jobs[0], nullptr, 0, stream.id) && right;
    must(cudaStreamBeginCapture(stream.id, cudaStreamCaptureModeGlobal), "capture");
    right = set_(values_[1].data(), stream.id) == cudaErrorStreamCaptureUnsupported && right;
    cudaGraph_t empty = nullptr;
    must(cudaStreamEndCapture(stream.id, &empty), "end of a capture that was left alone");
    cudaGraphDestroy(empty);
    cudaGraphExecDestroy(graph);
    return right;
  }

  // The graph writes its values whenever it is launched, of which no later call is told.
  bool pointer_captured(const Jobs& jobs) const {
    const Stream stream;
    std::size_t copies = 0;
    const cudaGraphExec_t graph = capture(stream, jobs[1], device_[1].get(), copies);
    bool right = copies == 3;
    for (int i = 0; i < 3; ++i) {
      right = launched(jobs[1], nullptr, 0) && right;
      right = launched(jobs[1], nullptr, 0, stream.id) && right;
      right = replayed(jobs[1], graph, values_[1]) && right;
    }
    right = launched(jobs[1], nullptr, 0) && right;
    cudaGraphExecDestroy(graph);
    return right;
  }

  bool released(const Jobs& jobs) const {
    must(cudaDeviceSynchronize(), "release");
    must(release_(), "release");
    bool right = jobs[0].launch(nullptr, nullptr) == cudaErrorInvalidValue;
    must(set_(device_[0].get(), nullptr), "set");
    for (const KeptJob& job : jobs) right = launched(job, nullptr, 0) && right;
    return right;
  }

  // Not judged: how long the host takes for a call, and the device for a call and what it copies.
  void print_times(const KeptJob& job) const {
    for (const bool is_given : {false, true}) {
      constexpr int kCalls = 200;
      const float* given = is_given ? device_[0].get() : nullptr;
      for (int i = 0; i < 20; ++i) must(job.launch(given, nullptr), "launch");
      must(cudaDeviceSynchronize(), "times");
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < kCalls; ++i) must(job.launch(given, nullptr), "launch");
      const std::chrono::duration<double, std::micro> host =
          std::chrono::steady_clock::now() - begin;
      must(cudaDeviceSynchronize(), "times");
      const std::chrono::duration<double, std::micro> all =
          std::chrono::steady_clock::now() - begin;
      std::printf("%s, %s: %.2f us of the host, %.2f us until all is done\n", name_.c_str(),
                  is_given ? "given each time" : "set once", host.count() / kCalls,
                  all.count() / kCalls);
    }
  }

  Report& report_;
  std::string name_;
  std::function<cudaError_t(const float*, cudaStream_t)> set_;
  std::function<cudaError_t()> release_;
  std::array<std::vector<float>, 2> values_;
  std::array<DeviceArray<float>, 2> device_;
};
