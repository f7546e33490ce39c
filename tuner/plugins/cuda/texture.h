#pragma once
// Texture and surface objects over device memory, and over arrays that hold what it holds.

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/plugin/abi.h"
#include "tuner/plugins/cuda/driver.h"

namespace tuner::cuda {

std::uint64_t texture_bytes(const tuner_texture& how);

// An array of the driver's own, with elements in an order that only it knows.
class Array {
 public:
  // Throws sdk::Error where the driver makes none.
  Array(const DriverApi& api, CUdeviceptr data, const tuner_texture& how);
  ~Array() { api_->array_destroy(array_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  // Puts into the stream: the array gets what the memory holds, or gives it what it holds.
  void fill(CUstream stream) const { copy(true, stream); }
  void give_back(CUstream stream) const { copy(false, stream); }
  bool is(CUdeviceptr data, const tuner_texture& how) const;
  CUdeviceptr data() const { return data_; }
  CUarray get() const { return array_; }

 private:
  void copy(bool to_array, CUstream stream) const;

  const DriverApi* api_;
  CUdeviceptr data_;
  tuner_texture how_;
  CUarray array_ = nullptr;
};

// One object, until this ends.
class Texture {
 public:
  // Over the memory itself where there is no array. Throws sdk::Error where the driver makes none.
  Texture(const DriverApi& api, CUdeviceptr data, const Array* array, const tuner_texture& how);
  ~Texture() {
    if (object_ == 0) return;
    how_.kind == TUNER_SURFACE ? api_->surf_object_destroy(object_)
                               : api_->tex_object_destroy(object_);
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
  // The arrays that hold what begins at `data`.
  std::vector<const Array*> arrays(std::uint64_t buffer, CUdeviceptr data) const;
  void release(std::uint64_t buffer) { all_.erase(buffer); }

 private:
  struct OfBuffer {
    std::vector<std::unique_ptr<Array>> arrays;  // which outlive the objects
    std::vector<Texture> objects;
  };
  std::unordered_map<std::uint64_t, OfBuffer> all_;
};

}  // namespace tuner::cuda
