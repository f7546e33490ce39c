// Builds programs, asks for what they hold, makes images of them, and binds their arguments.

#include "tuner/plugins/opencl/image.h"

#include <algorithm>
#include <utility>

namespace tuner::opencl {
namespace {

constexpr std::string_view kMark = "tuner OpenCL image 1\n";

[[noreturn]] void refuse_image() { throw sdk::Error(TUNER_INVALID, "no image of this plugin"); }

// Takes a line from the front of `rest`.
std::string_view line_of(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) refuse_image();
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

std::string log_of(cl_program program, cl_device_id device) {
  std::size_t size = 0;
  const ClApi& api = cl_api();
  if (api.get_build_info(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS ||
      size == 0) {
    return {};
  }
  std::string text(size, '\0');
  api.get_build_info(program, device, CL_PROGRAM_BUILD_LOG, size, text.data(), nullptr);
  text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
  return text;
}

Build built(Program program, const Device& device, const std::string& options) {
  Build out;
  out.code =
      cl_api().build_program(program.get(), 1, &device.id, options.c_str(), nullptr, nullptr);
  out.log = log_of(program.get(), device.id);
  out.program = std::move(program);
  return out;
}

std::string argument_type(cl_kernel kernel, cl_uint index) {
  char name[256] = {};
  const cl_int code = cl_api().get_argument_info(kernel, index, CL_KERNEL_ARG_TYPE_NAME,
                                                 sizeof name - 1, name, nullptr);
  return code == CL_SUCCESS ? name : "";
}

Takes argument_of(cl_kernel kernel, cl_uint index) {
  cl_uint qualifier = 0;
  if (cl_api().get_argument_info(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof qualifier,
                                 &qualifier, nullptr) != CL_SUCCESS) {
    return Takes::kUnknown;
  }
  const std::string type = argument_type(kernel, index);
  // Images are in global memory, too, and are no buffers.
  if (type.starts_with("image") || type.starts_with("sampler_t") || type.starts_with("pipe")) {
    return Takes::kOther;
  }
  if (qualifier == CL_KERNEL_ARG_ADDRESS_LOCAL) return Takes::kLocal;
  const bool is_buffer =
      qualifier == CL_KERNEL_ARG_ADDRESS_GLOBAL || qualifier == CL_KERNEL_ARG_ADDRESS_CONSTANT;
  return is_buffer ? Takes::kBuffer : Takes::kValue;
}

template <typename Number>
std::int64_t work_group_number(cl_kernel kernel, const Device& device, cl_uint what) {
  Number number{};
  const cl_int code =
      cl_api().get_work_group_info(kernel, device.id, what, sizeof number, &number, nullptr);
  return code == CL_SUCCESS ? static_cast<std::int64_t>(number) : -1;
}

}  // namespace

// A line for each kernel, an empty one, and what the driver gave.
std::string packed(const Image& image) {
  std::string out(kMark);
  for (const ImageKernel& kernel : image.kernels) {
    out += kernel.name + ' ';
    for (const Takes one : kernel.arguments) out += static_cast<char>(one);
    out += '\n';
  }
  return out + '\n' + image.binary;
}

Image unpacked(std::string_view bytes) {
  if (!bytes.starts_with(kMark)) refuse_image();
  bytes.remove_prefix(kMark.size());
  Image image;
  for (std::string_view line = line_of(bytes); !line.empty(); line = line_of(bytes)) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) refuse_image();
    ImageKernel& kernel = image.kernels.emplace_back();
    kernel.name = line.substr(0, blank);
    for (const char one : line.substr(blank + 1)) {
      if (std::string_view("blvo?").find(one) == std::string_view::npos) refuse_image();
      kernel.arguments.push_back(static_cast<Takes>(one));
    }
  }
  image.binary = bytes;
  return image;
}

Context make_context(const Device& device) {
  cl_int code = 0;
  Context context(cl_api().create_context(nullptr, 1, &device.id, nullptr, nullptr, &code));
  check(code, "clCreateContext");
  return context;
}

Build build_source(cl_context context, const Device& device, const std::string& source,
                   const std::string& options) {
  cl_int code = 0;
  const char* text = source.data();
  const std::size_t size = source.size();
  Program program(cl_api().create_program(context, 1, &text, &size, &code));
  check(code, "clCreateProgramWithSource");
  return built(std::move(program), device, options);
}

Build build_binary(cl_context context, const Device& device, const std::string& binary) {
  cl_int code = 0;
  cl_int of_binary = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t size = binary.size();
  Program program(cl_api().create_program_from_binary(context, 1, &device.id, &size, &bytes,
                                                      &of_binary, &code));
  check(code, "clCreateProgramWithBinary");
  check(of_binary, "clCreateProgramWithBinary");
  return built(std::move(program), device, "");
}

std::string binary_of(cl_program program) {
  const ClApi& api = cl_api();
  std::size_t size = 0;
  check(api.get_program_info(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr),
        "clGetProgramInfo");
  std::string binary(size, '\0');
  char* place = binary.data();
  check(api.get_program_info(program, CL_PROGRAM_BINARIES, sizeof(char*), &place, nullptr),
        "clGetProgramInfo");
  return binary;
}

Kernel make_kernel(cl_program program, const std::string& name) {
  constexpr cl_int kInvalidName = -46;
  cl_int code = 0;
  Kernel kernel(cl_api().create_kernel(program, name.c_str(), &code));
  if (code == kInvalidName) throw sdk::Error(TUNER_INVALID, "there is no kernel '" + name + "'");
  check(code, "clCreateKernel");
  return kernel;
}

std::vector<Takes> arguments_of(cl_kernel kernel) {
  cl_uint count = 0;
  check(cl_api().get_kernel_info(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr),
        "clGetKernelInfo");
  std::vector<Takes> out;
  for (cl_uint i = 0; i < count; ++i) out.push_back(argument_of(kernel, i));
  return out;
}

tuner_resources resources_of(cl_kernel kernel, const Device& device) {
  tuner_resources out{-1, -1, -1, -1, -1, -1};
  out.static_shared_bytes = work_group_number<cl_ulong>(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE);
  out.local_bytes = work_group_number<cl_ulong>(kernel, device, CL_KERNEL_PRIVATE_MEM_SIZE);
  out.max_threads = work_group_number<std::size_t>(kernel, device, CL_KERNEL_WORK_GROUP_SIZE);
  return out;
}

// ---- arguments of a launch ----------------------------------------------------------------------

namespace {

[[noreturn]] void refuse(const std::string& why) { throw sdk::Error(TUNER_LAUNCH_REFUSED, why); }
[[noreturn]] void reject(const std::string& why) { throw sdk::Error(TUNER_INVALID, why); }

void check_groups(const LoadedEntry& entry, const tuner_launch& launch,
                  const tuner_device_facts& facts) {
  sdk::check_shape(launch, facts);
  const std::int64_t threads = std::int64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  std::int64_t most = facts.max_threads_per_block;
  if (entry.resources.max_threads > 0) most = std::min(most, entry.resources.max_threads);
  if (threads > most) {
    refuse(std::to_string(threads) + " work-items in a group; of this kernel there may be " +
           std::to_string(most));
  }
  const std::int64_t fixed = std::max<std::int64_t>(entry.resources.static_shared_bytes, 0);
  const auto room = static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, facts.max_shared_memory_per_block - fixed));
  if (launch.dynamic_shared_bytes > room) {
    refuse(std::to_string(fixed) + " bytes of static and " +
           std::to_string(launch.dynamic_shared_bytes) +
           " of dynamic local memory; together there may be " +
           std::to_string(facts.max_shared_memory_per_block));
  }
}

std::string counted(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " argument" : " arguments");
}

void check_kind(const ImageKernel& kernel, std::size_t place, bool is_buffer) {
  const std::string which =
      "argument " + std::to_string(place + 1) + " of kernel '" + kernel.name + "' ";
  const Takes takes = kernel.arguments[place];
  if (takes == Takes::kOther) {
    reject(which + "is an image or a sampler: a study gives buffers and numbers");
  }
  if (takes == Takes::kBuffer && !is_buffer) reject(which + "is a buffer, and a number is given");
  if (takes == Takes::kValue && is_buffer) reject(which + "is a number, and a buffer is given");
}

}  // namespace

std::vector<int> argument_places(const ImageKernel& kernel, std::size_t given,
                                 std::uint64_t dynamic_bytes) {
  std::vector<int> places;
  int next = 0;
  for (const Takes takes : kernel.arguments) places.push_back(takes == Takes::kLocal ? -1 : next++);
  const auto local = static_cast<std::size_t>(std::ranges::count(places, -1));
  const std::string name = "kernel '" + kernel.name + "' ";
  if (local > 1) {
    reject(name + "has " + std::to_string(local) +
           " __local arguments: a launch gives one, of 'dynamic_shared_bytes'");
  }
  if (local == 1 && dynamic_bytes == 0) {
    refuse(name + "has a __local argument, and 'dynamic_shared_bytes' is 0");
  }
  if (local == 0 && dynamic_bytes > 0) {
    refuse(name + "has no __local argument that " + std::to_string(dynamic_bytes) +
           " 'dynamic_shared_bytes' could be");
  }
  if (std::cmp_not_equal(next, given)) {
    reject(name + "takes " + counted(static_cast<std::size_t>(next)) +
           (local > 0 ? " beside its __local one, not " : ", not ") + std::to_string(given));
  }
  return places;
}

BoundLaunch bound(const LoadedEntry& entry, const tuner_launch& launch,
                  const tuner_device_facts& facts, const MemoryOf& memory_of) {
  check_groups(entry, launch, facts);
  BoundLaunch out;
  out.entry = &entry;
  const std::vector<int> places =
      argument_places(entry.image, launch.argument_count, launch.dynamic_shared_bytes);
  for (std::size_t i = 0; i < places.size(); ++i) {
    BoundArgument& to = out.arguments.emplace_back();
    if (places[i] < 0) {
      to.bytes = launch.dynamic_shared_bytes;
      continue;
    }
    const tuner_argument& from = launch.arguments[places[i]];
    check_kind(entry.image, i, from.is_buffer != 0);
    if (from.is_buffer != 0) {
      to.memory = memory_of(from.buffer);
    } else {
      to.value = from.scalar;
      to.bytes = from.scalar_size;
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    out.local[i] = launch.block[i];
    out.global[i] = std::size_t{launch.grid[i]} * launch.block[i];
  }
  return out;
}

void set_arguments(const BoundLaunch& launch) {
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const BoundArgument& one = launch.arguments[i];
    const bool is_buffer = one.memory != nullptr;
    const void* value = is_buffer ? static_cast<const void*>(&one.memory) : one.value;
    const cl_int code = cl_api().set_argument(launch.entry->kernel.get(), static_cast<cl_uint>(i),
                                              is_buffer ? sizeof(cl_mem) : one.bytes, value);
    if (code == CL_SUCCESS) continue;
    throw sdk::Error(classify(code, Phase::kCall), "argument " + std::to_string(i + 1) +
                                                       " of kernel '" + launch.entry->image.name +
                                                       "': " + describe(code, "clSetKernelArg"));
  }
}

}  // namespace tuner::opencl
