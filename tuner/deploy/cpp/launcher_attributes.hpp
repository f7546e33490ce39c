
// As above, with what the launch asks for besides.
cudaError_t put_in_stream(device_state& state, int number, const void* kernel, const extent& grid,
                          const extent& block, long long shared, const launch_attributes& asked,
                          void** list, cudaStream_t stream) {
  const unsigned blocks = detail::blocks_of(asked.cluster);
  static std::map<const void*, int> carveouts;  // what kernels were last given
  {
    const std::lock_guard<std::mutex> held(guard());
    const auto last = carveouts.emplace(kernel, -1).first;
    if (last->second != asked.carveout) {
      const cudaError_t failed = cudaFuncSetAttribute(
          kernel, cudaFuncAttributePreferredSharedMemoryCarveout, asked.carveout);
      if (failed != cudaSuccess) return failed;
      last->second = asked.carveout;
    }
    if (blocks > 8) {
      const cudaError_t failed =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
      if (failed != cudaSuccess) return failed;
    }
  }
  cudaLaunchAttribute attributes[4];
  unsigned count = 0;
  if (blocks > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count].val.clusterDim.x = asked.cluster.x;
    attributes[count].val.clusterDim.y = asked.cluster.y;
    attributes[count++].val.clusterDim.z = asked.cluster.z;
  }
  if (asked.cooperative) {
    attributes[count].id = cudaLaunchAttributeCooperative;
    attributes[count++].val.cooperative = 1;
  }
  if (asked.scheduling != 0) {
    attributes[count].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
    attributes[count++].val.clusterSchedulingPolicyPreference =
        asked.scheduling == 1 ? cudaClusterSchedulingPolicySpread
                              : cudaClusterSchedulingPolicyLoadBalancing;
  }
  if (asked.programmatic) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (count == 0) return put_in_stream(state, number, kernel, grid, block, shared, list, stream);
  if (shared > 0) {
    const cudaError_t failed = allow_shared(state, number, kernel);
    if (failed != cudaSuccess) return failed;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(grid.x, grid.y, grid.z);
  config.blockDim = dim3(block.x, block.y, block.z);
  config.dynamicSmemBytes = static_cast<std::size_t>(shared);
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
  return cudaLaunchKernelExC(&config, kernel, list);
}
