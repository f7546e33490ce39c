/* Stands in for a CUDA driver: it has one device and one context, and appends a line to
   $FAKE_DRIVER_LOG for each launch: the kernel's name, its geometry, and its third and fourth
   parameter as a float and an int. Kernels take (pointer, pointer, float, int), whatever their
   name. An image is taken if it is an ELF file that has the kernel's name in it. */
#define _GNU_SOURCE
#include <cuda.h>
#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CUfunc_st {
  char name[256];
};
struct CUmod_st {
  const char* image;
  size_t bytes;
};
struct CUevent_st {
  int recorded;
};
static struct CUctx_st { int unused; } the_context;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int captures; /* whether streams are being captured */

static int is_set(const char* name) { return getenv(name) != NULL; }

/* For the application: a kernel of its own, as a runtime would have registered it. */
CUfunction fake_kernel(const char* name) {
  CUfunction made = calloc(1, sizeof *made);
  snprintf(made->name, sizeof made->name, "%s", name);
  return made;
}
void fake_capture(int on) { captures = on; }
/* The kernel's handle means another one from now on. */
void fake_rename(CUfunction kernel, const char* name) {
  snprintf(kernel->name, sizeof kernel->name, "%s", name);
}

CUresult cuInit(unsigned flags) {
  (void)flags;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  *name =
      error == CUDA_ERROR_INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE" : "CUDA_ERROR_INVALID_IMAGE";
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = &the_context;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  (void)device;
  snprintf(name, (size_t)length, "NVIDIA H200");
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device) {
  (void)device;
  *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? 9
           : which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
                                                                   : 132;
  return CUDA_SUCCESS;
}

/* ---- modules and kernels ---- */

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  const Elf64_Ehdr* const head = image;
  if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return CUDA_ERROR_INVALID_IMAGE;
  if (is_set("FAKE_DRIVER_REFUSES_IMAGES")) return CUDA_ERROR_INVALID_IMAGE;
  *module = calloc(1, sizeof **module);
  (*module)->bytes = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
  char* const kept = malloc((*module)->bytes);
  memcpy(kept, image, (*module)->bytes);
  (*module)->image = kept;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* kernel, CUmodule module, const char* name) {
  if (memmem(module->image, module->bytes, name, strlen(name)) == NULL) return CUDA_ERROR_NOT_FOUND;
  char tuned[256];
  snprintf(tuned, sizeof tuned, "tuned:%s", name);
  *kernel = fake_kernel(tuned);
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
  (void)module;

  return CUDA_SUCCESS;
}
CUresult cuFuncGetName(const char** name, CUfunction kernel) {
  *name = kernel->name;
  return CUDA_SUCCESS;
}
CUresult cuFuncGetModule(CUmodule* module, CUfunction kernel) {
  (void)kernel;
  *module = NULL;
  return CUDA_SUCCESS;
}
CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  return cuFuncGetName(name, (CUfunction)kernel);
}
CUresult cuFuncGetParamInfo(CUfunction kernel, size_t index, size_t* offset, size_t* size) {
  static const size_t offsets[] = {0, 8, 16, 20}, sizes[] = {8, 8, 4, 4};
  (void)kernel;
  if (index >= 4) return CUDA_ERROR_INVALID_VALUE;
  *offset = offsets[index];
  *size = sizes[index];
  return CUDA_SUCCESS;
}
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* size) {
  return cuFuncGetParamInfo((CUfunction)kernel, index, offset, size);
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction kernel) {
  (void)which, (void)kernel;
  *value = 49152;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction kernel, CUfunction_attribute which, int value) {
  (void)kernel, (void)which, (void)value;
  return CUDA_SUCCESS;
}

/* ---- launches ---- */

static CUresult launched(CUfunction kernel, const unsigned* g, CUstream stream, void** parameters,
                         void** extra) {
  float a = 0;
  int n = 0;
  if (parameters != NULL) {
    memcpy(&a, parameters[2], sizeof a);
    memcpy(&n, parameters[3], sizeof n);
  } else {
    memcpy(&a, (char*)extra[1] + 16, sizeof a);
    memcpy(&n, (char*)extra[1] + 20, sizeof n);
  }
  if (is_set("FAKE_DRIVER_REFUSES_TUNED") && strncmp(kernel->name, "tuned:", 6) == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const char* const path = getenv("FAKE_DRIVER_LOG");
  if (path == NULL) return CUDA_SUCCESS;
  pthread_mutex_lock(&lock);
  FILE* const file = fopen(path, "a");
  fprintf(file, "%s %u %u %u %u %u %u %u %s %g %d\n", kernel->name, g[0], g[1], g[2], g[3], g[4],
          g[5], g[6],
          stream == CU_STREAM_PER_THREAD ? "thread"
          : stream == NULL               ? "null"
                                         : "stream",
          a, n);
  fclose(file);
  pthread_mutex_unlock(&lock);
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream stream,
                        void** parameters, void** extra) {
  const unsigned geometry[] = {gx, gy, gz, bx, by, bz, shared};
  return launched(kernel, geometry, stream, parameters, extra);
}
CUresult cuLaunchKernel_ptsz(CUfunction kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                             unsigned by, unsigned bz, unsigned shared, CUstream stream,
                             void** parameters, void** extra) {
  const unsigned geometry[] = {gx, gy, gz, bx, by, bz, shared};
  return launched(kernel, geometry, stream == NULL ? CU_STREAM_PER_THREAD : stream, parameters,
                  extra);
}
CUresult cuLaunchCooperativeKernel(CUfunction kernel, unsigned gx, unsigned gy, unsigned gz,
                                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                   CUstream stream, void** parameters) {
  const unsigned geometry[] = {gx, gy, gz, bx, by, bz, shared};
  return launched(kernel, geometry, stream, parameters, NULL);
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* how, CUfunction kernel, void** parameters,
                          void** extra) {
  const unsigned geometry[] = {how->gridDimX,  how->gridDimY,  how->gridDimZ,      how->blockDimX,
                               how->blockDimY, how->blockDimZ, how->sharedMemBytes};
  return launched(kernel, geometry, how->hStream, parameters, extra);
}

CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                              size_t count, const CUDA_KERNEL_NODE_PARAMS* what) {
  (void)node, (void)graph, (void)after, (void)count;
  const unsigned geometry[] = {what->gridDimX,      what->gridDimY,  what->gridDimZ,
                               what->blockDimX,     what->blockDimY, what->blockDimZ,
                               what->sharedMemBytes};
  return launched(what->func, geometry, NULL, what->kernelParams, NULL);
}

/* ---- streams and events ---- */

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  (void)stream;
  *status = captures ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  (void)mode;
  return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent* event, unsigned flags) {
  (void)flags;
  *event = calloc(1, sizeof **event);
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  (void)stream;
  event->recorded = 1;
  return captures ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuEventQuery(CUevent event) {
  return event->recorded ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}
#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float* ms, CUevent begin, CUevent end) {
  (void)begin, (void)end;
  *ms = 0.25F;
  return CUDA_SUCCESS;
}

/* ---- lookups ---- */

CUresult cuGetProcAddress(const char* name, void** found, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult* status) {
  const int per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  (void)version;
  *found = strcmp(name, "cuLaunchKernel") == 0
               ? per_thread ? (void*)&cuLaunchKernel_ptsz : (void*)&cuLaunchKernel
           : strcmp(name, "cuLaunchKernelEx") == 0          ? (void*)&cuLaunchKernelEx
           : strcmp(name, "cuLaunchCooperativeKernel") == 0 ? (void*)&cuLaunchCooperativeKernel
           : strcmp(name, "cuGraphAddKernelNode") == 0      ? (void*)&cuGraphAddKernelNode
           : strcmp(name, "cuModuleUnload") == 0            ? (void*)&cuModuleUnload
           : strcmp(name, "cuGetProcAddress") == 0          ? (void*)&cuGetProcAddress
                                                            : NULL;
  if (status != NULL) *status = CU_GET_PROC_ADDRESS_SUCCESS;
  return *found != NULL ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
