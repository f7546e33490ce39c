#include "tests/unit/study/t1_file.h"

#include <unistd.h>

#include <fstream>

#include "tuner/base/error.h"
#include "tuner/check/checked_study.h"

namespace tuner::testing {

T1File::T1File(const std::string& json) {
  static int number = 0;
  folder_ = std::filesystem::temp_directory_path() /
            ("tuner_t1_" + std::to_string(::getpid()) + "_" + std::to_string(number++));
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "t1.json", std::ios::binary) << json;
  std::ofstream(folder_ / "k.cu") << "\n";
}

T1File::~T1File() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Study T1File::accepted() const { return read_study_file(folder_ / "t1.json").study; }

std::string T1File::warnings() const {
  std::string text;
  for (const Complaint& c : read_study_file(folder_ / "t1.json").warnings) {
    text += render(c) + "\n";
  }
  return text;
}

std::string T1File::complaints() const {
  try {
    accepted();
    return {};
  } catch (const InputError& error) {
    std::string text = error.what();
    const std::string folder = folder_.string() + "/";
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder)) {
      text.erase(at, folder.size());
    }
    return text;
  }
}

std::string whole_t1() {
  return R"json({
  "General": {"BenchmarkName": "blur", "FormatVersion": 1, "OutputFormat": "JSON"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "block_size_x", "Type": "int", "Values": "[2**i for i in range(5, 9)]", "Default": 64},
      {"Name": "tile", "Type": "uint", "Values": "[1] + [2*i for i in range(1, 3)]", "Default": [2]}],
		"Conditions": [{"Expression": "block_size_x * tile <= 512", "Parameters": ["block_size_x", "tile"]}]
  },
  "BenchmarkConfig": {"PRECISION": 32, "iterations": 10, "tile": 4, "note": "text"},
  "KernelSpecification": {
    "Language": "CUDA", "CompilerOptions": ["-std=c++11"], "KernelName": "blur_kernel",
    "KernelFile": "k.cu", "GlobalSizeType": "CUDA", "Stream": null,
    "LocalSize": {"X": "block_size_x", "Y": "1"},
    "GlobalSize": {"X": "262144 // block_size_x", "Y": "1"},
    "ProblemSize": [1000, 20], "GridDivX": ["block_size_x", "tile"], "GridDivY": [],
    "SharedMemory": "4 * block_size_x",
    "Arguments": [
      {"Name": "out", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly",
       "FillType": "Constant", "FillValue": 0.0, "Size": "ProblemSize[0]*ProblemSize[1]", "Output": 1},
      {"Name": "in", "Type": "float4", "MemoryType": "Vector", "AccessType": "ReadOnly",
       "FillType": "Random", "FillValue": 20.0, "Size": "ProblemSize[0] + max(tile) - 1"},
      {"Name": "weights", "Type": "float", "MemoryType": "Vector", "MemType": "Constant",
       "AccessType": "ReadOnly", "FillType": "Generator", "DataSource": "i * 0.5 + 1", "Size": 9},
      {"Name": "factor", "Type": "float", "MemoryType": "Scalar", "FillValue": 2.5}]
  }
})json";
}

std::string small_t1(const std::string& launch, const std::string& more,
                     const std::string& condition) {
  return R"({"ConfigurationSpace": {"TuningParameters": [
  {"Name": "B", "Type": "int", "Values": [1, 2, 4], )" +
         more + R"(}], "Conditions": [)" + condition + R"(]},
"KernelSpecification": {"Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu",
  )" + launch +
         R"(,
  "Arguments": [{"Name": "x", "Type": "float", "Size": 64, "MemoryType": "Vector",
                 "AccessType": "ReadWrite", "FillType": "Constant", "FillValue": 1}]}})";
}

std::string texts(const std::vector<Value>& values) {
  std::string out;
  for (const Value& value : values) out += (out.empty() ? "" : " ") + to_text(value);
  return out;
}

}  // namespace tuner::testing
