// The host as a device whose kernels are programs.

#include "tuner/plugins/program/program_backend.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "tuner/plugins/program/array_file.h"
#include "tuner/plugins/program/measured_values.h"

namespace tuner::program {
namespace {

namespace fs = std::filesystem;

// What NVIDIA's driver says of the devices that a program may find, each model once: " + NVIDIA
// H100 80GB HBM3".
std::string accelerators() {
  std::string out;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/proc/driver/nvidia/gpus", none)) {
    std::ifstream file(entry.path() / "information");
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with("Model:")) continue;
      const std::string name = " + " + line.substr(line.find_first_not_of(" \t", 6));
      if (out.find(name) == std::string::npos) out += name;
    }
  }
  return out;
}

std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  const std::size_t digits = line.find("  ");
  return digits == std::string::npos ? "" : ", NVIDIA " + line.substr(digits + 2, 12);
}

}  // namespace

ProgramBackend::ProgramBackend(std::uint32_t device, const sdk::Options& /*options*/)
    : HostBackend(1) {
  if (device > 0) throw sdk::Error(TUNER_INVALID, "there is only device 0");
}

tuner_device_facts ProgramBackend::facts() {
  tuner_device_facts facts = programs::host_facts();
  sdk::put(facts.name, facts.name + accelerators());
  sdk::put(facts.arch, "program");
  sdk::put(facts.driver, facts.driver + driver_version());
  for (std::int64_t* unknown :
       {&facts.warp_size, &facts.max_threads_per_multiprocessor,
        &facts.max_blocks_per_multiprocessor, &facts.registers_per_block,
        &facts.registers_per_multiprocessor, &facts.l2_bytes, &facts.clock_khz}) {
    *unknown = -1;
  }
  facts.max_threads_per_block = 1;
  std::fill(std::begin(facts.max_block), std::end(facts.max_block), 1);
  std::fill(std::begin(facts.max_grid), std::end(facts.max_grid), 1);
  return facts;
}

// ---- programs -----------------------------------------------------------------------------------

sdk::LoadedKernel ProgramBackend::load(std::string_view image, std::string_view /*entry*/) {
  Image unpacked = image_of(image);
  auto folder = std::make_unique<VariantFolder>(unpacked.command);
  unpack(unpacked.files, folder->path());
  variants_[++last_] = {std::string(image), std::move(unpacked.command), std::move(folder)};
  return {last_, sdk::kUnknownResources};
}

void ProgramBackend::set_symbol(std::uint64_t, std::string_view, const void*, std::uint64_t) {
  throw sdk::Error(TUNER_UNSUPPORTED, "a program has no symbols");
}

// What an earlier run has left is never taken for what this one writes.
double ProgramBackend::run(const Variant& variant, const tuner_launch& launch) {
  const fs::path folder = variant.folder->path();
  const Command& command = variant.command;
  const auto buffer_of = [&](const FileArgument& one) -> std::span<std::byte> {
    const tuner_argument& argument = launch.arguments[one.position];
    return {memory_.at(argument.buffer, bytes_of(one)), bytes_of(one)};
  };
  std::error_code none;
  if (command.metrics.contains("json")) {
    fs::remove(folder / command.metrics["json"].get<std::string>(), none);
  }
  for (const FileArgument& one : command.arguments) {
    fs::remove(folder / one.file, none);
    if (one.is_read) write_array(one, buffer_of(one), folder);
  }
  const auto begin = std::chrono::steady_clock::now();
  const std::string wrong = variant.folder->run(command.run, "the program");
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  if (!wrong.empty()) throw sdk::Error(TUNER_RUNTIME_FAULT, wrong);
  for (const FileArgument& one : command.arguments) {
    if (one.is_written) read_array(one, buffer_of(one), folder);
  }
  return took.count();
}

void ProgramBackend::launch(std::uint64_t kernel, const tuner_launch& launch) {
  run(variants_.at(kernel), launch);
}

// What the processor's caches hold is each process's own affair: there is nothing to flush.
void ProgramBackend::time(std::uint64_t kernel, const tuner_launch& launch,
                          const tuner_timing& timing, std::span<double> milliseconds) {
  const Variant& variant = variants_.at(kernel);
  for (double& sample : milliseconds) {
    restore(timing);
    const double clock_ms = run(variant, launch);
    const SelfReport report = report_of(variant.command.metrics, variant.folder->output(),
                                        variant.folder->path(), clock_ms);
    LastReports::instance().add(variant.image, report);
    sample = report.milliseconds;
  }
}

}  // namespace tuner::program
