// Tells the driver how a texture reads memory.

#include "tuner/plugins/cuda/texture.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/device_kernels.h"

namespace tuner::cuda {
namespace {

CUarray_format format_of(std::uint32_t type) {
  switch (type) {
    case TUNER_FLOAT32:
      return CU_AD_FORMAT_FLOAT;
    case TUNER_FLOAT16:
      return CU_AD_FORMAT_HALF;
    case TUNER_INT8:
      return CU_AD_FORMAT_SIGNED_INT8;
    case TUNER_INT16:
      return CU_AD_FORMAT_SIGNED_INT16;
    case TUNER_INT32:
      return CU_AD_FORMAT_SIGNED_INT32;
    case TUNER_UINT8:
      return CU_AD_FORMAT_UNSIGNED_INT8;
    case TUNER_UINT16:
      return CU_AD_FORMAT_UNSIGNED_INT16;
    case TUNER_UINT32:
      return CU_AD_FORMAT_UNSIGNED_INT32;
    default:
      throw sdk::Error(TUNER_LAUNCH_REFUSED,
                       "texture: there are none of type " + std::to_string(type));
  }
}

CUDA_RESOURCE_DESC memory_of(CUdeviceptr data, const tuner_texture& how) {
  CUDA_RESOURCE_DESC out{};
  if (how.height == 0) {
    out.resType = CU_RESOURCE_TYPE_LINEAR;
    out.res.linear.devPtr = data;
    out.res.linear.format = format_of(how.type);
    out.res.linear.numChannels = how.lanes;
    out.res.linear.sizeInBytes = texture_bytes(how);
    return out;
  }
  out.resType = CU_RESOURCE_TYPE_PITCH2D;
  out.res.pitch2D.devPtr = data;
  out.res.pitch2D.format = format_of(how.type);
  out.res.pitch2D.numChannels = how.lanes;
  out.res.pitch2D.width = how.width;
  out.res.pitch2D.height = how.height;
  out.res.pitch2D.pitchInBytes = how.width * how.lanes * element_size(how.type);
  return out;
}

CUaddress_mode mode_of(std::uint32_t outside) {
  switch (outside) {
    case TUNER_OUTSIDE_WRAP:
      return CU_TR_ADDRESS_MODE_WRAP;
    case TUNER_OUTSIDE_MIRROR:
      return CU_TR_ADDRESS_MODE_MIRROR;
    case TUNER_OUTSIDE_BORDER:
      return CU_TR_ADDRESS_MODE_BORDER;
    default:
      return CU_TR_ADDRESS_MODE_CLAMP;
  }
}

}  // namespace

std::uint64_t texture_bytes(const tuner_texture& how) {
  const std::uint64_t rows = how.height == 0 ? 1 : how.height;
  return rows * how.width * how.lanes * element_size(how.type);
}

Texture::Texture(const DriverApi& api, CUdeviceptr data, const tuner_texture& how)
    : api_(&api), data_(data), how_(how) {
  if (api.tex_object_create == nullptr || api.tex_object_destroy == nullptr) {
    throw sdk::Error(TUNER_UNSUPPORTED, "this driver is too old for texture objects");
  }
  const CUDA_RESOURCE_DESC memory = memory_of(data, how);
  CUDA_TEXTURE_DESC reading{};
  for (CUaddress_mode& mode : reading.addressMode) mode = mode_of(how.outside);
  reading.filterMode =
      how.filter == TUNER_FILTER_LINEAR ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  if (how.as_floats == 0) reading.flags |= CU_TRSF_READ_AS_INTEGER;
  if (how.normalized != 0) reading.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  check(api, api.tex_object_create(&object_, &memory, &reading, nullptr), "cuTexObjectCreate",
        Phase::kLaunch);
}

CUtexObject Textures::object(const DriverApi& api, std::uint64_t buffer, CUdeviceptr data,
                             const tuner_texture& how) {
  std::vector<Texture>& known = all_[buffer];
  const auto same = [&](const Texture& one) { return one.is(data, how); };
  const auto found = std::find_if(known.begin(), known.end(), same);
  return (found != known.end() ? *found : known.emplace_back(api, data, how)).object();
}

bool Texture::is(CUdeviceptr data, const tuner_texture& how) const {
  return data_ == data && std::memcmp(&how_, &how, sizeof how) == 0;
}

}  // namespace tuner::cuda
