// A complete observer: how large a variant's compiled image is, and how much processor time of the
// host its launches take.

#include <sys/resource.h>

#include <cstdint>
#include <vector>

#include "tuner/plugin/sdk.h"

namespace {

using namespace tuner::sdk;

// Of this process, which launches; on the backend `cpu` that is the kernel's own.
double processor_ms() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto ms = [](const timeval& time) {
    return 1000 * static_cast<double>(time.tv_sec) + 0.001 * static_cast<double>(time.tv_usec);
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

class Footprint : public Observer {
 public:
  static constexpr const char* kName = "footprint";
  static constexpr const char* kSummary = "size of the image, processor time of a launch";
  static constexpr tuner_option_info kOptions[] = {
      {"launches", "10", "that the processor time is a mean of", "integer 1..1000"}};
  static constexpr tuner_value_info kValues[] = {
      {"image_bytes", "bytes", "size of the compiled image"},
      {"cpu_ms", "ms", "processor time of the host for one launch"}};

  explicit Footprint(const Options& options)
      : launches_(static_cast<std::uint32_t>(options.integer("launches", 1, 1000))) {}

  std::uint32_t launches() const override { return launches_; }
  void begin(const tuner_observed&) override { before_ = processor_ms(); }
  std::vector<double> end(const tuner_observed& variant) override {
    const double used = processor_ms() - before_;
    return {static_cast<double>(variant.image.size), used / launches_};
  }

 private:
  std::uint32_t launches_;
  double before_ = 0;
};

}  // namespace

TUNER_PLUGIN("footprint", "1.0", Observers<Footprint>);
