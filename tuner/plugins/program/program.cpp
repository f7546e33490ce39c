// The plugin `program`: the host as a device whose kernels are programs, a launch being a process
// and a buffer memory that files are made of. A variant is built in an empty folder that has the
// study's sources; its image is that folder as it is then.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/plugins/program/array_file.h"
#include "tuner/plugins/program/measured_values.h"
#include "tuner/plugins/program/variant_folder.h"
#include "tuner/plugins/program/variant_text.h"
#include "tuner/plugins/program/visible_devices.h"
#include "tuner/plugins/programs/child_process.h"
#include "tuner/plugins/programs/host_backend.h"

namespace tuner::program {
namespace {

namespace fs = std::filesystem;

// ---- building -----------------------------------------------------------------------------------

// Copies: a build may write to them.
void put_sources(const Command& command, const fs::path& folder) {
  for (const std::string& source : command.sources) {
    const fs::path to = folder / source;
    fs::create_directories(to.parent_path());
    fs::copy_file(fs::path(command.folder) / source, to, fs::copy_options::overwrite_existing);
  }
}

class ProgramCompiler : public sdk::Compiler {
 public:
  static constexpr const char* kName = "program";
  static constexpr const char* kSummary = "runs the command that builds a variant";

  ProgramCompiler() { programs::remove_abandoned_scratch(); }
  std::string identity() override { return "program 1"; }
  sdk::CompileResult compile(const sdk::CompileRequest& request) override {
    sdk::CompileResult result;
    result.entry = request.entry;
    try {
      build(request, result);
    } catch (const fs::filesystem_error& error) {
      if (error.code() != std::errc::no_such_file_or_directory) {  // no room, above all
        throw sdk::Error(TUNER_DEVICE_LOST, std::string("temporary files: ") + error.what());
      }
      result.log = error.what();
    }
    return result;
  }

 private:
  static void build(const sdk::CompileRequest& request, sdk::CompileResult& result) {
    Image image{command_of(request), {}};
    const VariantFolder folder(image.command);
    put_sources(image.command, folder.path());
    if (!image.command.build.empty()) {
      result.log = folder.run(image.command.build, "the build");
      if (!result.log.empty()) {
        programs::excuse(result.log);
        return;
      }
    }
    image.files = packed(folder.path());
    result.image = text_of(image);
    result.compiled = true;
  }
};

// ---- running ------------------------------------------------------------------------------------

// A line of /proc/driver/nvidia/gpus/*/information behind its name.
std::string told(const std::string& information, const std::string& name) {
  const std::size_t at = information.find(name);
  if (at == std::string::npos) return {};
  const std::size_t begin = information.find_first_not_of(" \t", at + name.size());
  return information.substr(begin, information.find('\n', begin) - begin);
}

// Names the models of the devices that a program may find, each once, as NVIDIA's driver lists
// them: " + NVIDIA H100 80GB HBM3".
std::string accelerators() {
  std::set<fs::path> folders;  // by their places on the bus
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/proc/driver/nvidia/gpus", none)) {
    folders.insert(entry.path());
  }
  std::vector<std::string> models;
  std::vector<std::string> uuids;
  for (const fs::path& folder : folders) {
    std::ostringstream text;
    text << std::ifstream(folder / "information").rdbuf();
    models.push_back(told(text.str(), "Model:"));
    uuids.push_back(told(text.str(), "GPU UUID:"));
  }
  std::string out;
  for (const std::size_t device : visible_devices(std::getenv("CUDA_VISIBLE_DEVICES"), uuids)) {
    const std::string name = " + " + models[device];
    if (!models[device].empty() && out.find(name) == std::string::npos) out += name;
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

class ProgramBackend : public programs::HostBackend {
 public:
  static constexpr const char* kName = "program";
  static constexpr const char* kSummary = "runs the programs of a study's 'command'";
  static constexpr const char* kLanguage = "program";
  static int device_count() { return 1; }

  ProgramBackend(std::uint32_t device, const sdk::Options& /*options*/) : HostBackend(1) {
    if (device > 0) throw sdk::Error(TUNER_INVALID, "there is only device 0");
  }

  tuner_device_facts facts() override {
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

  sdk::LoadedKernel load(std::string_view image, std::string_view /*entry*/) override {
    Image unpacked = image_of(image);
    auto folder = std::make_unique<VariantFolder>(unpacked.command);
    unpack(unpacked.files, folder->path());
    variants_[++last_] = {std::string(image), std::move(unpacked.command), std::move(folder)};
    return {last_, sdk::kUnknownResources};
  }

  void unload(std::uint64_t kernel) override { variants_.erase(kernel); }
  void set_symbol(std::uint64_t, std::string_view, const void*, std::uint64_t) override {
    throw sdk::Error(TUNER_UNSUPPORTED, "a program has no symbols");
  }

  void launch(std::uint64_t kernel, const tuner_launch& launch) override {
    run(variants_.at(kernel), launch);
  }

  // Times runs of the program. Caches are not flushed: what they hold is each process's own affair.
  void time(std::uint64_t kernel, const tuner_launch& launch, const tuner_timing& timing,
            std::span<double> milliseconds) override {
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

 private:
  struct Variant {
    std::string image;
    Command command;
    std::unique_ptr<VariantFolder> folder;
  };
  // Milliseconds, seen from outside. What an earlier run has left is never taken for what this
  // one writes.
  double run(const Variant& variant, const tuner_launch& launch) {
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

  std::map<std::uint64_t, Variant> variants_;
  std::uint64_t last_ = 0;
};

}  // namespace
}  // namespace tuner::program

TUNER_PLUGIN("program", "1.0", tuner::sdk::Backends<tuner::program::ProgramBackend>,
             tuner::sdk::Compilers<tuner::program::ProgramCompiler>,
             tuner::sdk::Observers<tuner::program::MetricObserver>);
