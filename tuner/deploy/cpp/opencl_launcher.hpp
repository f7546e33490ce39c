//part launcher_computations.hpp

namespace detail {
constexpr int variant_of[] = {TUNER_OF_CONFIGURATION};
inline const char* source_text() {
  return TUNER_SOURCE;
}
inline const char* defines_of(int variant) {
  switch (variant) {
//each VARIANTS
    case TUNER_V: return TUNER_DEFINES;
//end
  }
  return "";
}
inline const char* entry_of(int variant) {
  switch (variant) {
//each VARIANTS
    case TUNER_V: return TUNER_ENTRY;
//end
  }
  return "";
}
}  // namespace detail
namespace detail {
// What is known of a device of a context, and what was built for both.
struct built_kernel {
  cl_context context = nullptr;
  cl_device_id id = nullptr;
  int variant = 0;
  cl_program program = nullptr;
  cl_kernel kernel = nullptr;
};
struct known_device {
  cl_device_id id = nullptr;
  std::string name{};
  device facts{};
};
struct launcher_state {
  std::mutex mutex;  // of the kernels, too: their arguments are set before they are launched
  std::list<known_device> devices;
  std::vector<built_kernel> kernels;
  std::string log;
};
inline launcher_state& state() {
  static launcher_state one;
  return one;
}

template <class T>
long long number_of(cl_device_id id, cl_device_info what) {
  T value{};
  return clGetDeviceInfo(id, what, sizeof value, &value, nullptr) == CL_SUCCESS
             ? static_cast<long long>(value)
             : 0;
}

// As they were when the kernel was tuned.
inline const device& facts_of(cl_device_id id) {
  for (const known_device& one : state().devices) {
    if (one.id == id) return one.facts;
  }
  known_device& fresh = state().devices.emplace_back();
  fresh.id = id;
  char name[256] = {};
  clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof name - 1, name, nullptr);
  fresh.name = name;
  while (!fresh.name.empty() && fresh.name.back() == ' ') fresh.name.pop_back();
  fresh.name = fresh.name.substr(0, 127);
  device& v = fresh.facts;
  v.name = fresh.name.c_str();
  v.multiprocessors = number_of<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS);
  v.max_threads_per_block = number_of<std::size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  v.max_shared_memory_per_block = number_of<cl_ulong>(id, CL_DEVICE_LOCAL_MEM_SIZE);
  v.max_shared_memory_per_block_optin = v.max_shared_memory_per_block;
  v.shared_memory_per_multiprocessor = v.max_shared_memory_per_block;
  v.l2_bytes = number_of<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
  v.memory_bytes = number_of<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
  v.compute_capability = 10 * number_of<cl_uint>(id, 0x4000) + number_of<cl_uint>(id, 0x4001);
  const auto told = [id](cl_device_info what) {
    const long long number = number_of<cl_uint>(id, what);
    return number > 0 ? number : -1;
  };
  v.registers_per_block = told(0x4002);
  v.warp_size = told(0x4003) > 0 ? told(0x4003) : told(0x4043);
  v.max_threads_per_multiprocessor = -1;  // OpenCL does not tell these
  v.max_blocks_per_multiprocessor = -1;
  v.registers_per_multiprocessor = -1;
  return v;
}

inline cl_int build(cl_context context, cl_device_id id, int variant, built_kernel& out) {
  const char* parts[] = {defines_of(variant), source_text()};
  cl_int failed = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(context, 2, parts, nullptr, &failed);
  if (failed != CL_SUCCESS) return failed;
  failed = clBuildProgram(program, 1, &id, TUNER_OPTIONS, nullptr, nullptr);
  if (failed == CL_SUCCESS) {
    out = {context, id, variant, program, clCreateKernel(program, entry_of(variant), &failed)};
  }
  if (failed == CL_SUCCESS) failed = clRetainContext(context);  // no other gets its address
  if (failed == CL_SUCCESS) return failed;
  std::size_t size = 0;
  clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  state().log.assign(size, ' ');
  clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, size, &state().log[0], nullptr);
  if (out.kernel != nullptr) clReleaseKernel(out.kernel);
  clReleaseProgram(program);
  return failed;
}

inline cl_int kernel_for(cl_context context, cl_device_id id, int variant, cl_kernel& out) {
  for (const built_kernel& one : state().kernels) {
    if (one.context != context || one.id != id || one.variant != variant) continue;
    out = one.kernel;
    return CL_SUCCESS;
  }
  built_kernel fresh{};
  const cl_int failed = build(context, id, variant, fresh);
  if (failed != CL_SUCCESS) return failed;
  state().kernels.push_back(fresh);
  out = fresh.kernel;
  return CL_SUCCESS;
}

struct given {
  std::size_t bytes;
  const void* value;
};

// The kernel's __local argument is memory of this size; the others are those that are given.
inline cl_int set_arguments(cl_kernel kernel, const given* list, long long local_bytes) {
  cl_uint count = 0;
  cl_int failed = clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
  for (cl_uint i = 0; i < count && failed == CL_SUCCESS; ++i) {
    cl_kernel_arg_address_qualifier where = 0;
    failed = clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof where, &where,
                                nullptr);
    if (failed != CL_SUCCESS) break;
    const bool is_local = where == CL_KERNEL_ARG_ADDRESS_LOCAL;
    failed = is_local ? clSetKernelArg(kernel, i, static_cast<std::size_t>(local_bytes), nullptr)
                      : clSetKernelArg(kernel, i, list->bytes, list->value);
    if (!is_local) ++list;
  }
  return failed;
}

template <class T>
bool number_from(const num& value, T& out) {
  if (!value.number()) return false;
  out = value.k == kind::integer ? static_cast<T>(value.i) : static_cast<T>(value.f);
  return true;
}
}  // namespace detail

// What a call came to. CL_SUCCESS: the work is in the queue. CL_INVALID_VALUE: a size that is not
// positive. CL_INVALID_WORK_GROUP_SIZE: no configuration can run this size on this device.
struct launched {
  cl_int status;
  selection chosen;
};

// What the driver's compiler said of the last variant that it did not compile.
inline std::string build_log() {
  const std::lock_guard<std::mutex> lock(detail::state().mutex);
  return detail::state().log;
}

// Lets go of all programs and contexts. The next call builds anew.
inline void release() {
  const std::lock_guard<std::mutex> lock(detail::state().mutex);
  for (const detail::built_kernel& one : detail::state().kernels) {
    clReleaseKernel(one.kernel);
    clReleaseProgram(one.program);
    clReleaseContext(one.context);
  }
  detail::state().kernels.clear();
}

// Picks a configuration by the queue's device and the size, and puts the kernel in the queue. The
// first call with a variant in a context builds it. `event` as for clEnqueueNDRangeKernel.
inline launched TUNER_FUNCTION(TUNER_PARAMETERScl_command_queue queue, cl_event* event = nullptr) {
  launched done{};
  cl_context context = nullptr;
  cl_device_id id = nullptr;
  done.status = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
  if (done.status != CL_SUCCESS) return done;
  done.status = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof id, &id, nullptr);
  if (done.status != CL_SUCCESS) return done;
  const std::lock_guard<std::mutex> lock(detail::state().mutex);
  const device& facts = detail::facts_of(id);
  dims problem;
//each SIZES
  problem.TUNER_DIM = static_cast<long long>(TUNER_VALUE);
//end
  done.chosen = select(facts, problem);
  const config& cfg = done.chosen.cfg;
  if (!(TUNER_POSITIVE) || !valid(cfg, problem, facts)) {
    done.status = done.chosen.how == match::unsupported ? CL_INVALID_WORK_GROUP_SIZE
                                                        : CL_INVALID_VALUE;
    return done;
  }
#ifndef NDEBUG
  if (done.chosen.how == match::fallback) {
    static const int told = std::fprintf(stderr, "TUNER_SPACE: %s (said once)\n", in_words(match::fallback));
    static_cast<void>(told);
  }
#endif
//each COMPUTED
  TUNER_TYPE TUNER_NAME{};
  if (!detail::number_from(detail::computed_TUNER_N(detail::names(cfg, problem, facts)), TUNER_NAME)) {
    done.status = CL_INVALID_VALUE;
    return done;
  }
//end
  cl_kernel kernel = nullptr;
  done.status =
      detail::kernel_for(context, id, detail::variant_of[done.chosen.config_id], kernel);
  if (done.status != CL_SUCCESS) return done;
  const detail::given list[] = {TUNER_LIST{0, nullptr}};
  done.status =
      detail::set_arguments(kernel, list, dynamic_shared_bytes_of(cfg, problem, facts));
  if (done.status != CL_SUCCESS) return done;
  const extent grid = grid_of(cfg, problem, facts);
  const extent block = block_of(cfg, problem, facts);
  const std::size_t local[] = {block.x, block.y, block.z};
  const std::size_t global[] = {local[0] * grid.x, local[1] * grid.y, local[2] * grid.z};
  done.status =
      clEnqueueNDRangeKernel(queue, kernel, 3, nullptr, global, local, 0, nullptr, event);
  return done;
}
