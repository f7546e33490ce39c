#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "tests/fuzz/targets.h"
#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/check/checked_study.h"
#include "tuner/study/t1_reader.h"
#include "tuner/study/value_list.h"

namespace tuner::fuzz {
namespace {

// "KernelFile": "100" is found beside the file: both are open descriptors, nothing is on a disk.
constexpr int kKernelFile = 100;

void open_kernel_file() {
  if (::fcntl(kKernelFile, F_GETFD) >= 0) return;
  const FileDescriptor empty(::memfd_create("kernel", MFD_CLOEXEC));
  ::dup2(empty.get(), kKernelFile);
}

void check_reference(const Study& study) {
  Bindings names;
  for (const auto& [name, value] : study.reference->configuration) names[name] = value;
  for (const Parameter& parameter : study.parameters) {
    const auto value = names.find(parameter.name);
    require(value != names.end() && names.size() == study.parameters.size(),
            "the reference has the parameters' names");
    require(std::any_of(parameter.values.begin(), parameter.values.end(),
                        [&](const Value& v) { return same_value(v, value->second); }),
            "the reference has only values of the parameters");
  }
  for (const Expression& constraint : study.constraints) {
    const auto value = constraint.evaluate(names);
    require(value && truth(*value), "the reference is valid");
  }
}

void read(const std::string& json) {
  const FileDescriptor file(::memfd_create("t1", MFD_CLOEXEC));
  if (::write(file.get(), json.data(), json.size()) != static_cast<ssize_t>(json.size())) return;
  try {
    const Study study = read_t1_file("/proc/self/fd/" + std::to_string(file.get())).study;
    require(!study.parameters.empty(), "a T1 file that is accepted has parameters");
    for (const Parameter& parameter : study.parameters) {
      require(!parameter.values.empty(), "a parameter that is accepted has values");
    }
    if (study.is_runnable()) require(!study.arguments.empty(), "what can be run has arguments");
    if (study.reference) check_reference(study);
  } catch (const InputError& error) {
    require(!error.complaints().empty(), "who refuses a T1 file says why");
  }
}

// The lines of the text as a file's values, condition, size, grid, fill, shared memory and problem.
std::string file_of(const std::string& bytes) {
  std::array<std::string, 7> parts{"[1, 2]", "a < 3", "8", "a", "i", "0", "64"};
  std::size_t begin = 0;
  for (std::string& part : parts) {
    if (begin >= bytes.size()) break;
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    if (end > begin) part = bytes.substr(begin, end - begin);
    begin = end + 1;
  }
  const auto& [values, condition, size, grid, fill, shared, problem] = parts;
  using nlohmann::json;
  const json root{
      {"ConfigurationSpace",
       {{"TuningParameters", json::array({{{"Name", "a"}, {"Values", values}, {"Default", 1}},
                                          {{"Name", "b"}, {"Values", {1, 2, 4}}, {"Default", 2}}})},
        {"Conditions", json::array({{{"Expression", condition}}})}}},
      {"KernelSpecification",
       {{"Language", "CUDA"},
        {"KernelName", "k"},
        {"KernelFile", std::to_string(kKernelFile)},
        {"LocalSize", {{"X", "32"}}},
        {"GlobalSize", {{"X", grid}}},
        {"ProblemSize", json::array({100, problem})},
        {"SharedMemory", shared},
        {"Arguments", json::array({{{"Name", "x"},
                                    {"Type", "float"},
                                    {"MemoryType", "Vector"},
                                    {"Size", size},
                                    {"FillType", "Generator"},
                                    {"DataSource", fill}}})}}}};
  return root.dump(1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

// The bytes as a file, and as the Python in one.
void t1(const std::string& bytes) {
  open_kernel_file();
  read(bytes);
  read(file_of(bytes));
  try {
    const auto values = parse_value_list(bytes);
    require(values.size() <= 3'000'000, "a list of values has an end");
  } catch (const InputError& error) {
    require(!error.complaints().empty(), "who refuses a list says why");
  }
}

}  // namespace tuner::fuzz
