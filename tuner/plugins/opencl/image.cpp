// Builds programs, asks for what they hold, and puts both into one string of bytes.

#include "tuner/plugins/opencl/image.h"

#include <algorithm>

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

}  // namespace tuner::opencl
