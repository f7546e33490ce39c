#pragma once
// Runs programs: a launch is a process, a buffer is memory that files are made of.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/program/variant_folder.h"
#include "tuner/plugins/program/variant_text.h"
#include "tuner/plugins/programs/memory.h"

namespace tuner::program {

class ProgramBackend : public sdk::Backend {
 public:
  static constexpr const char* kName = "program";
  static constexpr const char* kSummary = "runs the programs of a study's 'command'";
  static constexpr const char* kLanguage = "program";
  static int device_count() { return 1; }

  ProgramBackend(std::uint32_t device, const sdk::Options& options);

  tuner_device_facts facts() override;
  std::uint64_t allocate(std::uint64_t bytes) override { return memory_.allocate(bytes); }
  void release(std::uint64_t buffer) override { memory_.release(buffer); }
  void upload(tuner_range to, const void* data, std::uint64_t bytes) override;
  void download(tuner_range from, void* data, std::uint64_t bytes) override;
  void fill(tuner_range to, std::uint64_t elements, const tuner_fill& how) override;
  void copy(tuner_range to, tuner_range from, std::uint64_t bytes) override;
  tuner_comparison compare(tuner_range actual, tuner_range expected, tuner_type type,
                           std::uint64_t elements, double rtol, double atol) override;
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

  programs::Memory memory_;
  std::map<std::uint64_t, Variant> variants_;
  std::uint64_t last_ = 0;
};

}  // namespace tuner::program
