#pragma once
// Uses a launcher as an application does: again and again, from several threads, in captured
// graphs, and after its workspaces were released.

#include <array>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "application.h"

// One problem whose answer can be looked at and spoilt.
struct Job {
  std::function<cudaError_t(cudaStream_t)> launch;
  std::function<void()> spoil;  // so that an old answer is not taken for a new one
  std::function<bool()> right;  // waits
};

class Deployment {
 public:
  // `release`: everything, and what one stream has.
  Deployment(Report& report, std::string size, std::function<cudaError_t()> release,
             std::function<cudaError_t(cudaStream_t)> release_stream)
      : report_(report),
        size_(std::move(size)),
        release_(std::move(release)),
        release_stream_(std::move(release_stream)) {}

  // Two jobs with different answers.
  void check(const Job& one, const Job& other) {
    const std::array<const Job*, 2> jobs{&one, &other};
    note("repeated", repeated(one, 20) && repeated(other, 20));
    note("in turns, not waited for", in_turns(jobs));
    note("two threads, two streams", threads(jobs, false));
    note("two threads, one stream", threads(jobs, true));
    note("captured at once, replayed", captured(jobs, true));
    note("captured later, replayed", captured(jobs, false));
    note("released, then again", released(jobs));
  }

 private:
  void note(const char* what, bool right) { report_.note((size_ + ", " + what).c_str(), right); }

  static bool repeated(const Job& job, int times) {
    bool right = true;
    for (int i = 0; i < times; ++i) {
      job.spoil();
      must(job.launch(nullptr), "launch");
      must(cudaDeviceSynchronize(), "repeated");
      right = job.right() && right;
    }
    return right;
  }

  bool in_turns(const std::array<const Job*, 2>& jobs) {
    for (const Job* one : jobs) one->spoil();
    must(cudaDeviceSynchronize(), "in turns");
    const Stream stream;
    for (int i = 0; i < 100; ++i) must(jobs[i % 2]->launch(stream.id), "launch");
    stream.wait();
    const bool right = jobs[0]->right() && jobs[1]->right();
    must(release_stream_(stream.id), "release");
    return right;
  }

  static bool threads(const std::array<const Job*, 2>& jobs, bool one_stream) {
    const Stream first;
    const Stream second;
    std::array<bool, 2> right{true, true};
    const auto work = [&](std::size_t which) {
      const Stream& stream = one_stream || which == 0 ? first : second;
      for (int round = 0; round < 10; ++round) {
        jobs[which]->spoil();
        must(cudaDeviceSynchronize(), "spoil");
        for (int i = 0; i < 20; ++i) must(jobs[which]->launch(stream.id), "launch");
        stream.wait();
        right[which] = jobs[which]->right() && right[which];
      }
    };
    std::thread other(work, 1);
    work(0);
    other.join();
    return right[0] && right[1];
  }

  // In a graph of one job's launches, replayed in a stream of its own beside direct calls of the
  // other in the stream that was captured. `fresh`: nothing was launched in that stream before.
  // Once captured, a graph holds kernels alone.
  bool captured(const std::array<const Job*, 2>& jobs, bool fresh) {
    const Stream stream;
    const Stream replaying;
    if (!fresh) must(jobs[0]->launch(stream.id), "launch");
    stream.wait();
    must(cudaStreamBeginCapture(stream.id, cudaStreamCaptureModeGlobal), "capture");
    for (int i = 0; i < 3; ++i) must(jobs[0]->launch(stream.id), "launch in a capture");
    cudaGraph_t graph = nullptr;
    must(cudaStreamEndCapture(stream.id, &graph), "end of the capture");
    const NodeCount nodes = count_nodes(graph, cudaGraphNodeTypeKernel);
    bool right = nodes.all > 0 && nodes.of_type == nodes.all;
    cudaGraphExec_t ready = nullptr;
    must(cudaGraphInstantiate(&ready, graph, 0), "cudaGraphInstantiate");
    for (int round = 0; round < 10; ++round) {
      for (const Job* one : jobs) one->spoil();
      must(cudaDeviceSynchronize(), "spoil");
      for (int i = 0; i < 5; ++i) {
        must(cudaGraphLaunch(ready, replaying.id), "cudaGraphLaunch");
        for (int k = 0; k < 3; ++k) must(jobs[1]->launch(stream.id), "launch");
      }
      replaying.wait();
      stream.wait();
      right = jobs[0]->right() && jobs[1]->right() && right;
    }
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    must(release_stream_(stream.id), "release");
    return right;
  }

  bool released(const std::array<const Job*, 2>& jobs) {
    bool right = true;
    for (int i = 0; i < 3; ++i) {
      must(cudaDeviceSynchronize(), "release");
      must(release_(), "release_workspaces");
      right = repeated(*jobs[static_cast<std::size_t>(i) % 2], 2) && right;
    }
    return right && captured(jobs, true);
  }

  Report& report_;
  std::string size_;
  std::function<cudaError_t()> release_;
  std::function<cudaError_t(cudaStream_t)> release_stream_;
};
