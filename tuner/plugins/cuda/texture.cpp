// Tells the driver how a texture reads memory, and keeps arrays for what memory cannot do.

#include "tuner/plugins/cuda/texture.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "tuner/plugin/sdk.h"
#include "tuner/plugins/cuda/device_kernels.h"

namespace tuner::cuda {
namespace {

CUarray_format format_of(std::uint32_t type) {
  switch (static_cast<tuner_type>(type)) {
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
    case TUNER_FLOAT64:
    case TUNER_BFLOAT16:
    case TUNER_INT64:
    case TUNER_UINT64:
    case TUNER_FLOAT8_E4M3:
    case TUNER_FLOAT8_E5M2:
      break;
  }
  throw sdk::Error(TUNER_LAUNCH_REFUSED, "texture: there are none of type " + std::to_string(type));
}

std::uint64_t row_bytes(const tuner_texture& how) {
  return how.width * how.lanes * sdk::facts_of(how.type).bytes;
}

std::uint64_t rows_of(const tuner_texture& how) { return std::max<std::uint64_t>(how.height, 1); }

CUDA_RESOURCE_DESC memory_of(CUdeviceptr data, const Array* array, const tuner_texture& how) {
  CUDA_RESOURCE_DESC out{};
  if (array != nullptr) {
    out.resType = CU_RESOURCE_TYPE_ARRAY;
    out.res.array.hArray = array->get();
    return out;
  }
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
  out.res.pitch2D.pitchInBytes = row_bytes(how);
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
  return std::max<std::uint64_t>(how.depth, 1) * rows_of(how) * row_bytes(how);
}

// ---- arrays -------------------------------------------------------------------------------------

Array::Array(const DriverApi& api, CUdeviceptr data, const tuner_texture& how)
    : api_(&api), data_(data), how_(how) {
  if (api.array_create == nullptr) {
    throw sdk::Error(TUNER_UNSUPPORTED, "this driver is too old for arrays");
  }
  CUDA_ARRAY3D_DESCRIPTOR shape{};
  shape.Width = how.width;
  shape.Height = how.height;
  shape.Depth = how.depth;
  shape.Format = format_of(how.type);
  shape.NumChannels = how.lanes;
  shape.Flags = CUDA_ARRAY3D_SURFACE_LDST;  // a surface and a texture may be over the same one
  check(api, api.array_create(&array_, &shape), "cuArray3DCreate", Phase::kLaunch);
}

bool Array::is(CUdeviceptr data, const tuner_texture& how) const {
  return data_ == data && how_.type == how.type && how_.lanes == how.lanes &&
         how_.width == how.width && how_.height == how.height && how_.depth == how.depth;
}

void Array::copy(bool to_array, CUstream stream) const {
  CUDA_MEMCPY3D all{};
  all.WidthInBytes = row_bytes(how_);
  all.Height = rows_of(how_);
  all.Depth = std::max<std::uint64_t>(how_.depth, 1);
  all.srcDevice = all.dstDevice = data_;
  all.srcPitch = all.dstPitch = all.WidthInBytes;
  all.srcHeight = all.dstHeight = all.Height;
  all.srcArray = all.dstArray = array_;
  all.srcMemoryType = to_array ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_ARRAY;
  all.dstMemoryType = to_array ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_DEVICE;
  check(*api_, api_->memcpy_3d_async(&all, stream), "cuMemcpy3DAsync");
}

// ---- objects ------------------------------------------------------------------------------------

Texture::Texture(const DriverApi& api, CUdeviceptr data, const Array* array,
                 const tuner_texture& how)
    : api_(&api), data_(data), how_(how) {
  if (api.tex_object_create == nullptr || api.tex_object_destroy == nullptr) {
    throw sdk::Error(TUNER_UNSUPPORTED, "this driver is too old for texture objects");
  }
  const CUDA_RESOURCE_DESC memory = memory_of(data, array, how);
  if (how.kind == TUNER_SURFACE) {
    check(api, api.surf_object_create(&object_, &memory), "cuSurfObjectCreate", Phase::kLaunch);
    return;
  }
  CUDA_TEXTURE_DESC reading{};
  for (CUaddress_mode& mode : reading.addressMode) mode = mode_of(how.outside);
  reading.filterMode =
      how.filter == TUNER_FILTER_LINEAR ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
  if (how.as_floats == 0) reading.flags |= CU_TRSF_READ_AS_INTEGER;
  if (how.normalized != 0) reading.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  check(api, api.tex_object_create(&object_, &memory, &reading, nullptr), "cuTexObjectCreate",
        Phase::kLaunch);
}

bool Texture::is(CUdeviceptr data, const tuner_texture& how) const {
  return data_ == data && std::memcmp(&how_, &how, sizeof how) == 0;
}

CUtexObject Textures::object(const DriverApi& api, std::uint64_t buffer, CUdeviceptr data,
                             const tuner_texture& how) {
  OfBuffer& known = all_[buffer];
  const auto same = [&](const Texture& one) { return one.is(data, how); };
  const auto found = std::find_if(known.objects.begin(), known.objects.end(), same);
  if (found != known.objects.end()) return found->object();
  const Array* array = nullptr;
  if (how.kind != TUNER_TEXTURE_OVER_MEMORY) {
    const auto held = std::find_if(known.arrays.begin(), known.arrays.end(),
                                   [&](const auto& one) { return one->is(data, how); });
    array = held != known.arrays.end()
                ? held->get()
                : known.arrays.emplace_back(std::make_unique<Array>(api, data, how)).get();
  }
  return known.objects.emplace_back(api, data, array, how).object();
}

std::vector<const Array*> Textures::arrays(std::uint64_t buffer, CUdeviceptr data) const {
  std::vector<const Array*> out;
  const auto found = all_.find(buffer);
  if (found == all_.end()) return out;
  for (const auto& one : found->second.arrays) {
    if (one->data() == data) out.push_back(one.get());
  }
  return out;
}

}  // namespace tuner::cuda
