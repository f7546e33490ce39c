//part launcher_computations.hpp
//if SCRATCH
// Scratch memory of the caller's: scratch_bytes_of(...) bytes, aligned to 256. Without any, each call
// allocates its own in the stream. It is zeroed before the launch, unless `zeroed` vouches that it
// is zero already (kernels that leave it so need it once).
struct scratch_space {
  void* data = nullptr;
  std::size_t bytes = 0;
  bool zeroed = false;
};
//end
//if WORKSPACES
// The kernel's workspaces are no parameters: each stream has its own, made by the first call that
// needs it, and so has each capture of a stream in a graph. They stay until they are released: those
// of one stream of the current device, or all. Nothing may use them any more: wait for the stream,
// and launch no graph that holds such a call. Before a stream is destroyed, release its workspace.
cudaError_t release_workspaces(cudaStream_t stream);
cudaError_t release_workspaces();
//end
//if ARRAYS
// Sets a constant once: calls on the current device that are given a null pointer for it use these
// values, from now until it is set again. `from` is on host or device, and read behind what is in the
// stream; the function waits until that is done. No call that uses other values may be in flight.
//if COUNTED
// `count`: of elements; as many as the sizes to come need, or more.
//end
//each ARRAYS
cudaError_t set_TUNER_NAME(const TUNER_TYPE* from, TUNER_COUNTcudaStream_t stream = nullptr);
//end
// Forgets what was set, on all devices. No call may be in flight, and no graph with one be launched
// again.
cudaError_t release_constants();
//end
// What a call came to. cudaSuccess: the work is in the stream.
//if ARRAYS
// cudaErrorInvalidValue: a size that is not positive, too little scratch memory, a null pointer for a
// constant that was not set.
//else
// cudaErrorInvalidValue: a size that is not positive, too little scratch memory.
//end
// cudaErrorInvalidConfiguration: no configuration can run this size on this device, or it is none
// of those that were tuned and the kernel is compiled for each.
struct launched {
  cudaError_t status;
  selection chosen;
};
launched TUNER_FUNCTION(TUNER_PARAMETERS_DECLARED);
