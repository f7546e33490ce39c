#pragma once
// Runs programs: a launch is a process, a buffer is memory that files are made of.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tuner/plugins/program/variant_folder.h"
#include "tuner/plugins/program/variant_text.h"
#include "tuner/plugins/programs/host_backend.h"

namespace tuner::program {

class ProgramBackend : public programs::HostBackend {
 public:
  static constexpr const char* kName = "program";
  static constexpr const char* kSummary = "runs the programs of a study's 'command'";
  static constexpr const char* kLanguage = "program";
  static int device_count() { return 1; }

  ProgramBackend(std::uint32_t device, const sdk::Options& options);

  tuner_device_facts facts() override;
  sdk::LoadedKernel load(std::string_view image, std::string_view entry) override;
  void unload(std::uint64_t kernel) override { variants_.erase(kernel); }
  void set_symbol(std::uint64_t kernel, std::string_view name, const void* data,
                  std::uint64_t bytes) override;
  void launch(std::uint64_t kernel, const tuner_launch& launch) override;
  void time(std::uint64_t kernel, const tuner_launch& launch, const tuner_timing& timing,
            std::span<double> milliseconds) override;

 private:
  struct Variant {
    std::string image;
    Command command;
    std::unique_ptr<VariantFolder> folder;
  };
  // Milliseconds, seen from outside.
  double run(const Variant& variant, const tuner_launch& launch);

  std::map<std::uint64_t, Variant> variants_;
  std::uint64_t last_ = 0;
};

}  // namespace tuner::program
