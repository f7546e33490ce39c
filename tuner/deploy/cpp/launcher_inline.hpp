// Made by TUNER_GENERATOR; do not edit. The kernel TUNER_KERNEL_NAME: TUNER_STEM.cu includes this once for each variant.
namespace TUNER_VARIANT {
TUNER_TEXT
inline const void* tuner_kernel(int which) {
  switch (which) {
    case 0: {
      auto* const entry = &TUNER_KERNEL_0;
      return reinterpret_cast<const void*>(entry);
    }
//each NEXT
#ifdef TUNER_KERNEL_TUNER_NUMBER
    case TUNER_NUMBER: {
      auto* const entry = &TUNER_KERNEL_TUNER_NUMBER;
      return reinterpret_cast<const void*>(entry);
    }
#endif
//end
    default: return nullptr;
  }
}
//each CONSTANTS
inline cudaError_t tuner_place_of_TUNER_NAME(std::size_t bytes, void** place) {
  return bytes <= sizeof TUNER_SYMBOL ? cudaGetSymbolAddress(place, TUNER_SYMBOL) : cudaErrorInvalidValue;
}
//end
}  // namespace TUNER_VARIANT
//each FORGOTTEN
#undef TUNER_NAME
//end
