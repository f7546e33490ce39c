#include <string>
#include <utility>
#include <vector>

#include "application.h"
#include "convolution2d_launcher.hpp"
#include "convolution2d_tuned.h"
#include "kept.h"

namespace {

constexpr std::size_t kFilter = 17;
constexpr double kAllowed = 2e-7 * 289;

// An image and what a launch makes of it.
class Picture {
 public:
  Picture(int rows, int cols)
      : rows_(rows),
        cols_(cols),
        stride_(static_cast<std::size_t>(cols) + kFilter - 1),
        image_(random_floats((static_cast<std::size_t>(rows) + kFilter - 1) * stride_)),
        in_(image_),
        out_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols)),
        places_(places(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols))) {}

  convolution2d_launcher::launched launch(const float* weights, cudaStream_t stream = nullptr) {
    return convolution2d_launcher::convolution2d(in_.get(), out_.get(), rows_, cols_, weights,
                                                 stream);
  }
  void spoil() const { out_.fill(0xff); }
  double error(const std::vector<float>& weights) const {
    const auto got = out_.fetch();
    const auto width = static_cast<std::size_t>(cols_);
    double most = 0;
    for (const std::size_t place : places_) {
      const std::size_t corner = place / width * stride_ + place % width;
      double sum = 0;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        sum += static_cast<double>(weights[i]) *
               static_cast<double>(image_[corner + i / kFilter * stride_ + i % kFilter]);
      }
      most = worse(std::abs(static_cast<double>(got[place]) - sum), most);
    }
    return most;
  }

 private:
  int rows_;
  int cols_;
  std::size_t stride_;
  std::vector<float> image_;
  DeviceArray<float> in_;
  DeviceArray<float> out_;
  std::vector<std::size_t> places_;
};

std::string text_of(int rows, int cols) {
  return std::to_string(rows) + " x " + std::to_string(cols);
}

void check(Report& report, const cudaDeviceProp& properties, int H, int W) {
  Picture picture(H, W);
  const auto weights = random_floats(kFilter * kFilter);
  const auto done = picture.launch(weights.data());
  must(done.status, "convolution2d");
  must(cudaDeviceSynchronize(), "convolution2d");
  const auto header =
      convolution2d_tuned::select(convolution2d_tuned::device_from(properties), {H, W});
  report.line(text_of(H, W).c_str(), static_cast<int>(done.chosen.how), done.chosen.config_id,
              header.config_id == done.chosen.config_id, picture.error(weights), kAllowed);
}

KeptJob job_of(Picture& picture) {
  return {[&](const float* weights, cudaStream_t stream) {
            return picture.launch(weights, stream).status;
          },
          [&] { picture.spoil(); },
          [&](const std::vector<float>& weights) { return picture.error(weights) <= kAllowed; }};
}

void set_once(Report& report, std::pair<int, int> one, std::pair<int, int> other) {
  Picture first(one.first, one.second);
  Picture second(other.first, other.second);
  KeptConstant kept(
      report,
      text_of(one.first, one.second) + " and " + text_of(other.first, other.second) +
          ", weights set once",
      [](const float* from, cudaStream_t stream) {
        return convolution2d_launcher::set_weights(from, stream);
      },
      [] { return convolution2d_launcher::release_constants(); },
      {random_floats(kFilter * kFilter), random_floats(kFilter * kFilter)});
  kept.check({job_of(first), job_of(second)});
}

}  // namespace

int main() {
  Report report;
  const auto properties = device_properties();
  for (const auto& entry : convolution2d_tuned::entries) {
    check(report, properties, static_cast<int>(entry.size.H), static_cast<int>(entry.size.W));
  }
  for (int i = 0; i < 20; ++i) {
    check(report, properties, random_extent(1, 3000), random_extent(1, 3000));
  }
  set_once(report, {300, 500}, {1080, 1920});
  set_once(report, {1080, 1920}, {4096, 4096});
  return report.end("convolution2d");
}
