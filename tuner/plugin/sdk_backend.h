#pragma once
// Writing a backend: derive from sdk::Backend, list the class in sdk::Backends<...>.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/plugin/sdk_abilities.h"
#include "tuner/plugin/sdk_core.h"
#include "tuner/plugin/sdk_types.h"

namespace tuner::sdk {

inline std::span<const tuner_tensor_map> maps_of(const tuner_launch& launch) {
  return {launch.maps, launch.map_count};
}

inline std::span<const tuner_zeros> zeros_of(const tuner_launch& launch) {
  return {launch.zeros, launch.zeros_count};
}

inline std::span<const tuner_restore> restores_of(const tuner_timing& timing) {
  return {timing.restores, timing.restore_count};
}

inline std::span<const tuner_byte_fill> fills_of(const tuner_timing& timing) {
  return {timing.fills, timing.fill_count};
}

// Turns a fill of bytes into the argument of Backend::fill().
inline tuner_fill fill_with(const tuner_byte_fill& one) {
  return {TUNER_FILL_BYTES, TUNER_UINT8, static_cast<double>(one.value), 0, 0};
}

// The launches that take turns in a timing: `launch` alone where the timing names no others.
inline std::vector<const tuner_launch*> turns_of(const tuner_launch& launch,
                                                 const tuner_timing& timing) {
  if (timing.turn_count == 0) return {&launch};
  return {timing.turns, timing.turns + timing.turn_count};
}

// One of the launches that follow each other.
struct Step {
  std::uint64_t kernel = 0;
  const tuner_launch* launch = nullptr;
};

// All of them, `launch` first.
inline std::vector<Step> steps_of(std::uint64_t kernel, const tuner_launch& launch) {
  std::vector<Step> steps{{kernel, &launch}};
  for (const tuner_launch* last = &launch; last->next != nullptr; last = last->next) {
    steps.push_back({last->next_kernel, last->next});
  }
  return steps;
}

// An Error for a number that is no type, and for more than memory can hold.
inline std::uint64_t bytes_of_elements(std::uint32_t type, std::uint64_t elements) {
  const std::uint64_t each = facts_of(type).bytes;
  if (elements > ~std::uint64_t{0} / each) throw Error(TUNER_INVALID, "too many elements");
  return elements * each;
}

// Writes a text of the device's facts, as far as it fits.
template <std::size_t kSize>
void put(char (&to)[kSize], const std::string& text) {
  const std::size_t length = std::min(text.size(), kSize - 1);
  std::copy_n(text.data(), length, to);
  to[length] = '\0';
}

// Refuses a launch with other groups of threads than the device has.
inline void check_shape(const tuner_launch& launch, const tuner_device_facts& facts) {
  const auto check = [](const std::string& what, std::int64_t value, std::int64_t limit) {
    if (value >= 1 && value <= limit) return;
    throw Error(TUNER_LAUNCH_REFUSED, what + " is " + std::to_string(value) +
                                          "; it must be from 1 to " + std::to_string(limit));
  };
  for (std::size_t i = 0; i < 3; ++i) {
    check(std::string("block.") + "xyz"[i], launch.block[i], facts.max_block[i]);
    check(std::string("grid.") + "xyz"[i], launch.grid[i], facts.max_grid[i]);
  }
}

struct LoadedKernel {
  std::uint64_t kernel = 0;
  tuner_resources resources{-1, -1, -1, -1, -1, -1};
};

// A class T with a constructor T(std::uint32_t device, const Options&) and
//   static constexpr const char* kName = "cuda";
//   static constexpr const char* kSummary = "one line";
//   static constexpr tuner_option_info kOptions[] = {...};  // if any
//   static constexpr const char* kLanguage = "opencl";  // these three are tuner_backend_traits
//   static constexpr bool kRunsOnHost = true;           // and may be left out
//   static constexpr bool kIsSanitized = true;
//   static int device_count();  // throws an Error; TUNER_DEVICE_LOST: there is one, which fails
// Functions throw an Error with the status that fits; tuner_memory and tuner_kernels say what they
// mean. An ability beyond these is a further base class: MeasuresPower, ShufflesThreads,
// MapsTensors, AdoptsMemory, TellsAddresses, MakesTextures, TimesGraphs, RotatesBuffers,
// SetsLaunchAttributes, TellsConditions, SetsLimits, ReadsCounters.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual tuner_device_facts facts() = 0;
  virtual std::uint64_t allocate(std::uint64_t bytes) = 0;
  virtual void release(std::uint64_t buffer) = 0;
  virtual void upload(tuner_range to, const void* data, std::uint64_t bytes) = 0;
  virtual void download(tuner_range from, void* data, std::uint64_t bytes) = 0;
  virtual void fill(tuner_range to, std::uint64_t elements, const tuner_fill& how) = 0;
  virtual void copy(tuner_range to, tuner_range from, std::uint64_t bytes) = 0;
  virtual tuner_comparison compare(tuner_range actual, tuner_range expected, tuner_type type,
                                   std::uint64_t elements, double rtol, double atol) = 0;
  virtual LoadedKernel load(std::string_view image, std::string_view entry) = 0;
  virtual void unload(std::uint64_t kernel) = 0;
  virtual void set_symbol(std::uint64_t kernel, std::string_view lowered_name, const void* data,
                          std::uint64_t bytes) = 0;
  // A launch may have others behind it: see steps_of().
  virtual void launch(std::uint64_t kernel, const tuner_launch& launch) = 0;
  // Milliseconds of one launch each, with those behind it.
  virtual void time(std::uint64_t kernel, const tuner_launch& launch, const tuner_timing& timing,
                    std::span<double> milliseconds) = 0;
  // Another kernel of the image that `kernel` was loaded from; it goes with it.
  virtual LoadedKernel load_next(std::uint64_t /*kernel*/, std::string_view /*entry*/) {
    throw Error(TUNER_UNSUPPORTED, "this backend launches single kernels only");
  }
  // Whether launches look at their zeros_of(). Those that have some are refused otherwise.
  virtual bool zeroes() const { return false; }
};

namespace detail {

inline Backend& backend(void* self) { return *static_cast<Backend*>(self); }

// Refuses a launch that wants memory zeroed by a backend that does not do it.
inline Backend& launching(void* self, std::uint64_t kernel, const tuner_launch& launch) {
  Backend& it = backend(self);
  if (it.zeroes()) return it;
  for (const Step& step : steps_of(kernel, launch)) {
    if (zeros_of(*step.launch).empty()) continue;
    throw Error(TUNER_UNSUPPORTED,
                "this backend cannot zero memory before each launch ('zero: each')");
  }
  return it;
}

inline const tuner_memory kMemoryTable{
    sizeof(tuner_memory),
    [](void* it, std::uint64_t bytes, std::uint64_t* buffer, tuner_sink error) {
      return guarded(error, [&] { *buffer = backend(it).allocate(bytes); });
    },
    [](void* it, std::uint64_t buffer) { guarded({}, [&] { backend(it).release(buffer); }); },
    [](void* it, tuner_range to, const void* data, std::uint64_t bytes, tuner_sink error) {
      return guarded(error, [&] { backend(it).upload(to, data, bytes); });
    },
    [](void* it, tuner_range from, void* data, std::uint64_t bytes, tuner_sink error) {
      return guarded(error, [&] { backend(it).download(from, data, bytes); });
    },
    [](void* it, tuner_range to, std::uint64_t elements, const tuner_fill* how, tuner_sink error) {
      return guarded(error, [&] { backend(it).fill(to, elements, *how); });
    },
    [](void* it, tuner_range to, tuner_range from, std::uint64_t bytes, tuner_sink error) {
      return guarded(error, [&] { backend(it).copy(to, from, bytes); });
    },
    [](void* it, tuner_range actual, tuner_range expected, std::uint32_t type,
       std::uint64_t elements, double rtol, double atol, tuner_comparison* out, tuner_sink error) {
      return guarded(error, [&] {
        *out = backend(it).compare(actual, expected, static_cast<tuner_type>(type), elements, rtol,
                                   atol);
      });
    }};

// The first kernel of an image, then those that follow it; nothing stays when one is not there.
inline void load_all(Backend& it, std::string_view image, std::span<const tuner_str> entries,
                     tuner_loaded_kernel* out) {
  const LoadedKernel first = it.load(image, view(entries[0]));
  out[0] = {first.kernel, first.resources};
  try {
    for (std::size_t i = 1; i < entries.size(); ++i) {
      const LoadedKernel next = it.load_next(first.kernel, view(entries[i]));
      out[i] = {next.kernel, next.resources};
    }
  } catch (...) {
    guarded({}, [&] { it.unload(first.kernel); });  // the first reason counts
    throw;
  }
}

inline const tuner_kernels kKernelTable{
    sizeof(tuner_kernels),
    [](void* it, tuner_str image, const tuner_str* entries, std::size_t entry_count,
       tuner_loaded_kernel* loaded, tuner_sink error) {
      return guarded(error, [&] {
        load_all(backend(it), view(image), std::span(entries, entry_count), loaded);
      });
    },
    [](void* it, std::uint64_t kernel) { guarded({}, [&] { backend(it).unload(kernel); }); },
    [](void* it, std::uint64_t kernel, tuner_str name, const void* data, std::uint64_t bytes,
       tuner_sink error) {
      return guarded(error, [&] { backend(it).set_symbol(kernel, view(name), data, bytes); });
    },
    [](void* it, std::uint64_t kernel, const tuner_launch* launch, tuner_sink error) {
      return guarded(error, [&] { launching(it, kernel, *launch).launch(kernel, *launch); });
    },
    [](void* it, std::uint64_t kernel, const tuner_launch* launch, const tuner_timing* timing,
       double* milliseconds, tuner_sink error) {
      return guarded(error, [&] {
        launching(it, kernel, *launch)
            .time(kernel, *launch, *timing, std::span(milliseconds, timing->samples));
      });
    }};

inline const tuner_power kPowerTable{
    sizeof(tuner_power), [](void* it, std::uint64_t kernel, const tuner_launch* launch,
                            double* watts, tuner_sink error) {
      return guarded(error, [&] {
        auto& meter = dynamic_cast<MeasuresPower&>(launching(it, kernel, *launch));
        *watts = meter.power(kernel, *launch);
      });
    }};
inline const tuner_thread_order kThreadOrderTable{
    sizeof(tuner_thread_order), [](void* it, std::uint64_t kernel, const tuner_launch* launch,
                                   std::uint64_t seed, tuner_sink error) {
      return guarded(error, [&] {
        auto& shuffler = dynamic_cast<ShufflesThreads&>(launching(it, kernel, *launch));
        shuffler.launch_shuffled(kernel, *launch, seed);
      });
    }};
inline const tuner_addresses kAddressesTable{
    sizeof(tuner_addresses),
    [](void* it, tuner_range at, std::uint64_t* out, tuner_sink error) {
      return guarded(error,
                     [&] { *out = dynamic_cast<TellsAddresses&>(backend(it)).address_of(at); });
    },
    [](void* it, std::uint64_t address, std::uint64_t bytes, std::uint64_t* buffer,
       tuner_sink error) {
      return guarded(error, [&] {
        *buffer = dynamic_cast<TellsAddresses&>(backend(it)).allocate_at(address, bytes);
      });
    }};

inline const tuner_textures kTexturesTable{
    sizeof(tuner_textures),
    [](void* it, tuner_range at, const tuner_texture* how, std::uint64_t* out, tuner_sink error) {
      return guarded(
          error, [&] { *out = dynamic_cast<MakesTextures&>(backend(it)).texture_of(at, *how); });
    }};
inline const tuner_adopt kAdoptTable{
    sizeof(tuner_adopt), [](void* it, std::uint64_t address, std::uint64_t bytes,
                            std::uint64_t* buffer, tuner_sink error) {
      return guarded(
          error, [&] { *buffer = dynamic_cast<AdoptsMemory&>(backend(it)).adopt(address, bytes); });
    }};
inline constexpr tuner_tensor_maps kTensorMapsTable{sizeof(tuner_tensor_maps), 5};
inline const tuner_graph kGraphTable{
    sizeof(tuner_graph), [](void* it, std::uint64_t kernel, const tuner_launch* launch,
                            const tuner_timing* timing, double* milliseconds, tuner_sink error) {
      return guarded(error, [&] {
        dynamic_cast<TimesGraphs&>(launching(it, kernel, *launch))
            .time_graph(kernel, *launch, *timing, std::span(milliseconds, timing->samples));
      });
    }};
inline constexpr tuner_rotation kRotationTable{sizeof(tuner_rotation), 0};
inline constexpr tuner_launch_attribute_use kAttributesTable{sizeof(tuner_launch_attribute_use), 0};
inline const tuner_conditions kConditionsTable{
    sizeof(tuner_conditions),
    [](void* it, double* megahertz, double* watts, tuner_sink error) {
      return guarded(error, [&] {
        const Conditions now = dynamic_cast<TellsConditions&>(backend(it)).conditions();
        *megahertz = now.megahertz;
        *watts = now.watts;
      });
    },
    [](void* it, tuner_sink out, tuner_sink error) {
      return guarded(error,
                     [&] { emit(out, dynamic_cast<TellsConditions&>(backend(it)).remark()); });
    }};

inline const tuner_limits kLimitsTable{
    sizeof(tuner_limits), [](void* it, std::uint64_t heap, std::uint64_t stack,
                             std::uint64_t printf_bytes, tuner_sink error) {
      return guarded(error, [&] {
        dynamic_cast<SetsLimits&>(backend(it)).set_limits(heap, stack, printf_bytes);
      });
    }};

inline const tuner_counters kCountersTable{
    sizeof(tuner_counters),
    [](void* it, std::uint64_t kernel, const tuner_launch* launch, const tuner_str* /*names*/,
       std::size_t count, double* values, tuner_sink error) {
      return guarded(error, [&] {
        dynamic_cast<ReadsCounters&>(launching(it, kernel, *launch))
            .count(kernel, *launch, std::span(values, count));
      });
    },
    [](void* it, const tuner_str* names, std::size_t count, std::uint32_t launches,
       std::uint32_t flush_cache, std::uint32_t* passes, tuner_sink error) {
      return guarded(error, [&] {
        std::vector<std::string> all;
        for (const tuner_str& name : std::span(names, count)) all.push_back(text(name));
        *passes = dynamic_cast<ReadsCounters&>(backend(it))
                      .begin_counting(all, launches, flush_cache != 0);
      });
    }};

template <typename Able, typename Table>
const void* table_if(Backend* it, const Table& table) {
  return dynamic_cast<Able*>(it) != nullptr ? &table : nullptr;
}

inline const void* ability_of(void* self, const char* name) {
  const std::string_view asked(name);
  Backend* it = &backend(self);
  if (asked == TUNER_ABILITY_POWER) return table_if<MeasuresPower>(it, kPowerTable);
  if (asked == TUNER_ABILITY_THREAD_ORDER) return table_if<ShufflesThreads>(it, kThreadOrderTable);
  if (asked == TUNER_ABILITY_TENSOR_MAPS) return table_if<MapsTensors>(it, kTensorMapsTable);
  if (asked == TUNER_ABILITY_GRAPH) return table_if<TimesGraphs>(it, kGraphTable);
  if (asked == TUNER_ABILITY_ROTATION) return table_if<RotatesBuffers>(it, kRotationTable);
  if (asked == TUNER_ABILITY_LAUNCH_ATTRIBUTES) {
    return table_if<SetsLaunchAttributes>(it, kAttributesTable);
  }
  if (asked == TUNER_ABILITY_ADDRESSES) return table_if<TellsAddresses>(it, kAddressesTable);
  if (asked == TUNER_ABILITY_ADOPT) return table_if<AdoptsMemory>(it, kAdoptTable);
  if (asked == TUNER_ABILITY_TEXTURES) return table_if<MakesTextures>(it, kTexturesTable);
  if (asked == TUNER_ABILITY_CONDITIONS) return table_if<TellsConditions>(it, kConditionsTable);
  if (asked == TUNER_ABILITY_LIMITS) return table_if<SetsLimits>(it, kLimitsTable);
  if (asked == TUNER_ABILITY_COUNTERS) return table_if<ReadsCounters>(it, kCountersTable);
  return nullptr;
}

inline tuner_backend backend_table(Backend* self) {
  return {
      sizeof(tuner_backend),
      self,
      &kMemoryTable,
      &kKernelTable,
      destroy<Backend>,
      [](void* it, tuner_device_facts* out) { guarded({}, [&] { *out = backend(it).facts(); }); },
      ability_of};
}

}  // namespace detail

template <typename... T>
struct Backends {
  static constexpr const char* kKind = TUNER_KIND_BACKEND;

  static const void* factory() {
    static const tuner_backend_factory table{sizeof(tuner_backend_factory),
                                             sizeof...(T),
                                             detail::info_of<T...>,
                                             device_count,
                                             open,
                                             traits};
    return &table;
  }

 private:
  using Maker = std::unique_ptr<Backend>(std::uint32_t, std::span<const tuner_pair>);
  using Counter = int();

  template <typename One>
  static constexpr tuner_backend_traits traits_of() {
    tuner_backend_traits traits{};
    if constexpr (requires { One::kLanguage; }) traits.language = One::kLanguage;
    if constexpr (requires { One::kRunsOnHost; }) traits.runs_on_host = One::kRunsOnHost;
    if constexpr (requires { One::kIsSanitized; }) traits.is_sanitized = One::kIsSanitized;
    return traits;
  }

  static tuner_backend_traits traits(std::uint32_t item) {
    constexpr tuner_backend_traits kAll[] = {traits_of<T>()...};
    return item < sizeof...(T) ? kAll[item] : tuner_backend_traits{};
  }

  template <typename One>
  static std::unique_ptr<Backend> make(std::uint32_t device, std::span<const tuner_pair> options) {
    return std::make_unique<One>(device, Options(detail::options_of<One>(), options));
  }

  static int device_count(std::uint32_t item, tuner_sink error) {
    int count = 0;
    const int status =
        detail::guarded(error, [&] { count = detail::pick<Counter>(item, &T::device_count...)(); });
    return status == TUNER_OK ? count : -status;
  }

  static int open(std::uint32_t item, std::uint32_t device, const tuner_pair* options,
                  std::size_t option_count, tuner_backend* out, tuner_sink error) {
    return detail::guarded(error, [&] {
      auto made = detail::pick<Maker>(item, make<T>...)(device, std::span(options, option_count));
      *out = detail::backend_table(made.release());
    });
  }
};

}  // namespace tuner::sdk
