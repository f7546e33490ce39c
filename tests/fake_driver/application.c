/* Launches kernels as an application does, by the driver's functions that it finds as CUDA's
   runtime does. Words: HOW launches, KERNEL's mangled name, N, and COUNT launches. It prints what
   it has launched. */
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef CUresult (*Launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                           unsigned, CUstream, void**, void**);
typedef CUresult (*LaunchEx)(const CUlaunchConfig*, CUfunction, void**, void**);
typedef CUresult (*Cooperative)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                unsigned, unsigned, CUstream, void**);
typedef CUresult (*Find)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);

static const char* how;
static CUfunction kernel;
static Launch launch;
static LaunchEx launch_ex;
static Cooperative cooperative;
static int size, count;

typedef CUresult (*AddNode)(CUgraphNode*, CUgraph, const CUgraphNode*, size_t,
                            const CUDA_KERNEL_NODE_PARAMS*);
static AddNode add_node;

static int is(const char* word) { return strcmp(how, word) == 0; }

static CUresult launch_once(void** parameters) {
  const unsigned grid = (unsigned)(size + 31) / 32;
  if (is("cooperative")) return cooperative(kernel, grid, 1, 1, 32, 1, 1, 0, NULL, parameters);
  if (is("ex") || is("attribute") || is("programmatic")) {
    CUlaunchAttribute attribute;
    memset(&attribute, 0, sizeof attribute);
    attribute.id = is("attribute") ? CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT
                   : is("ex")      ? CU_LAUNCH_ATTRIBUTE_PRIORITY
                                   : CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    const CUlaunchConfig config = {grid, 1, 1, 32, 1, 1, 0, NULL, &attribute, 1};
    return launch_ex(&config, kernel, parameters, NULL);
  }
  if (is("node")) {
    CUDA_KERNEL_NODE_PARAMS node;
    memset(&node, 0, sizeof node);
    node.func = kernel;
    node.gridDimX = grid;
    node.gridDimY = node.gridDimZ = node.blockDimY = node.blockDimZ = 1;
    node.blockDimX = 32;
    node.kernelParams = parameters;
    return add_node(NULL, NULL, NULL, 0, &node);
  }
  if (is("packed")) {
    char buffer[24] = {0};
    size_t bytes = sizeof buffer;
    memcpy(buffer + 16, parameters[2], 4);
    memcpy(buffer + 20, parameters[3], 4);
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    return launch(kernel, grid, 1, 1, 32, 1, 1, 0, NULL, NULL, extra);
  }
  return launch(kernel, grid, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL);
}

static void* launch_all(void* unused) {
  char* x = NULL;
  char* y = NULL;
  for (int i = 0; i < count; ++i) {
    float a = 0.5F + (float)i;
    int n = size;
    void* parameters[] = {&x, &y, &a, &n};
    if (launch_once(parameters) != CUDA_SUCCESS) exit(3);
  }
  return unused;
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  how = argv[1];
  size = atoi(argv[3]);
  count = atoi(argv[4]);
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == NULL) return 4;
  kernel = ((CUfunction(*)(const char*))dlsym(driver, "fake_kernel"))(argv[2]);
  if (is("dlsym")) {
    launch = (Launch)dlsym(driver, "cuLaunchKernel");
  } else {
    Find find = NULL;
    const Find first = (Find)dlsym(driver, "cuGetProcAddress_v2");
    const cuuint64_t flags = is("thread") ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM : 0;
    first("cuGetProcAddress", (void**)&find, 12000, 0, NULL); /* as the runtime looks it up again */
    find("cuLaunchKernel", (void**)&launch, 12000, flags, NULL);
    find("cuLaunchKernelEx", (void**)&launch_ex, 12000, flags, NULL);
    find("cuGraphAddKernelNode", (void**)&add_node, 12000, flags, NULL);
    find("cuLaunchCooperativeKernel", (void**)&cooperative, 12000, flags, NULL);
  }
  if (is("capture")) ((void (*)(int))dlsym(driver, "fake_capture"))(1);
  struct timespec begun, ended;
  clock_gettime(CLOCK_MONOTONIC, &begun);
  if (is("threads")) {
    pthread_t threads[8];
    for (int i = 0; i < 8; ++i) pthread_create(&threads[i], NULL, launch_all, NULL);
    for (int i = 0; i < 8; ++i) pthread_join(threads[i], NULL);
  } else {
    launch_all(NULL);
  }
  if (is("unload")) { /* the handle means another kernel afterwards */
    CUresult (*unload)(CUmodule) = (CUresult(*)(CUmodule))dlsym(driver, "cuModuleUnload");
    unload(NULL);
    ((void (*)(CUfunction, const char*))dlsym(driver, "fake_rename"))(kernel, "_Z5otherPKfPffi");
    launch_all(NULL);
  }
  clock_gettime(CLOCK_MONOTONIC, &ended);
  const double seconds =
      (double)(ended.tv_sec - begun.tv_sec) + 1e-9 * (double)(ended.tv_nsec - begun.tv_nsec);
  printf("launched %d of %d in %.6f s\n", count, size, seconds);
  return is("failing") ? 5 : 0;
}
