// Captures a stream in a graph.

#include "tuner/plugins/cuda/graph.h"

#include "tuner/plugin/sdk.h"

namespace tuner::cuda {

GraphExec captured(const DriverApi& api, CUstream stream, const std::function<void()>& queue) {
  if (!api.has_graphs()) throw sdk::Error(TUNER_UNSUPPORTED, "this driver is too old for graphs");
  // Relaxed: a kernel may be loaded now, which strict captures forbid.
  check(api, api.stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
        "cuStreamBeginCapture");
  CUgraph raw = nullptr;
  try {
    queue();
  } catch (...) {
    api.stream_end_capture(stream, &raw);  // else the stream could not be used any more
    const Graph ended(raw, {&api});
    throw;
  }
  check(api, api.stream_end_capture(stream, &raw), "cuStreamEndCapture", Phase::kLaunch);
  const Graph graph(raw, {&api});
  CUgraphExec exec = nullptr;
  check(api, api.graph_instantiate(&exec, graph.get(), 0), "cuGraphInstantiate", Phase::kLaunch);
  GraphExec out(exec, {&api});
  check(api, api.graph_upload(out.get(), stream), "cuGraphUpload", Phase::kLaunch);
  return out;
}

}  // namespace tuner::cuda
