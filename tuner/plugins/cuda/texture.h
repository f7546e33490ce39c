#pragma once
// Texture objects over device memory.

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/plugin/abi.h"
#include "tuner/plugins/cuda/driver.h"

namespace tuner::cuda {

std::uint64_t texture_bytes(const tuner_texture& how);

// One object, until this ends.
class Texture {
 public:
  // Throws sdk::Error where the driver makes none.
  Texture(const DriverApi& api, CUdeviceptr data, const tuner_texture& how);
  ~Texture() {
    if (object_ != 0) api_->tex_object_destroy(object_);
  }
  Texture(Texture&& other) noexcept
      : api_(other.api_),
        data_(other.data_),
        how_(other.how_),
        object_(std::exchange(other.object_, 0)) {}
  Texture& operator=(Texture&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(data_, other.data_);
    std::swap(how_, other.how_);
    std::swap(object_, other.object_);
    return *this;
  }

  bool is(CUdeviceptr data, const tuner_texture& how) const;
  std::uint64_t object() const { return object_; }

 private:
  const DriverApi* api_;
  CUdeviceptr data_;
  tuner_texture how_;
  CUtexObject object_ = 0;
};

// Those of all buffers. Each is made once: a launch asks for it each time.
class Textures {
 public:
  CUtexObject object(const DriverApi& api, std::uint64_t buffer, CUdeviceptr data,
                     const tuner_texture& how);
  void release(std::uint64_t buffer) { all_.erase(buffer); }

 private:
  std::unordered_map<std::uint64_t, std::vector<Texture>> all_;
};

}  // namespace tuner::cuda
