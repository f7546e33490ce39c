#pragma once
// Writing a backend: derive from sdk::Backend, list the class in sdk::Backends<...>.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/plugin/sdk_core.h"

namespace tuner::sdk {

// None from a host that knows nothing of them.
inline std::span<const tuner_tensor_map> maps_of(const tuner_launch& launch) {
  constexpr std::size_t kEnd = offsetof(tuner_launch, map_count) + sizeof launch.map_count;
  if (launch.struct_size < kEnd) return {};
  return {launch.maps, launch.map_count};
}

// None from a host that knows nothing of them.
inline std::span<const tuner_zeros> zeros_of(const tuner_launch& launch) {
  constexpr std::size_t kEnd = offsetof(tuner_launch, zeros_count) + sizeof launch.zeros_count;
  if (launch.struct_size < kEnd) return {};
  return {launch.zeros, launch.zeros_count};
}

// One of the launches that follow each other.
struct Step {
  std::uint64_t kernel = 0;
  const tuner_launch* launch = nullptr;
};

// All of them, `launch` first; it alone from a host that knows nothing of others.
inline std::vector<Step> steps_of(std::uint64_t kernel, const tuner_launch& launch) {
  constexpr std::size_t kEnd = offsetof(tuner_launch, next) + sizeof(void*);
  std::vector<Step> steps{{kernel, &launch}};
  const tuner_launch* last = &launch;
  while (last->struct_size >= kEnd && last->next != nullptr) {
    steps.push_back({last->next_kernel, last->next});
    last = last->next;
  }
  return steps;
}

struct LoadedKernel {
  std::uint64_t kernel = 0;
  tuner_resources resources{-1, -1, -1, -1, -1, -1};
};

// A class T with a constructor T(std::uint32_t device, const Options&) and
//   static constexpr const char* kName = "cuda";
//   static constexpr const char* kSummary = "one line";
//   static constexpr tuner_option_info kOptions[] = {...};  // if any
//   static int device_count();  // throws an Error that says why none can be used
// Functions throw an Error with the status that fits; see tuner_backend for their meaning.
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
  // Mean watts while launches follow each other without a pause, for about a second.
  virtual double power(std::uint64_t /*kernel*/, const tuner_launch& /*launch*/) {
    throw Error(TUNER_UNSUPPORTED, "this backend measures no power");
  }
  // Another kernel of the image that `kernel` was loaded from; it goes with it.
  virtual LoadedKernel load_next(std::uint64_t /*kernel*/, std::string_view /*entry*/) {
    throw Error(TUNER_UNSUPPORTED, "this backend launches single kernels only");
  }
  // Whether launches look at their zeros_of(). Without that they are given none.
  virtual bool zeroes() const { return false; }
};

namespace detail {

inline Backend& backend(void* self) { return *static_cast<Backend*>(self); }

// The trampolines, in the order of tuner_backend: first those of the device's memory.
inline void fill_memory_functions(tuner_backend& table) {
  table.allocate = [](void* it, std::uint64_t bytes, std::uint64_t* buffer, tuner_sink error) {
    return guarded(error, [&] { *buffer = backend(it).allocate(bytes); });
  };
  table.release = [](void* it, std::uint64_t buffer) {
    guarded({}, [&] { backend(it).release(buffer); });
  };
  table.upload = [](void* it, tuner_range to, const void* data, std::uint64_t bytes,
                    tuner_sink error) {
    return guarded(error, [&] { backend(it).upload(to, data, bytes); });
  };
  table.download = [](void* it, tuner_range from, void* data, std::uint64_t bytes,
                      tuner_sink error) {
    return guarded(error, [&] { backend(it).download(from, data, bytes); });
  };
  table.fill = [](void* it, tuner_range to, std::uint64_t elements, const tuner_fill* how,
                  tuner_sink error) {
    return guarded(error, [&] { backend(it).fill(to, elements, *how); });
  };
  table.copy = [](void* it, tuner_range to, tuner_range from, std::uint64_t bytes,
                  tuner_sink error) {
    return guarded(error, [&] { backend(it).copy(to, from, bytes); });
  };
  table.compare = [](void* it, tuner_range actual, tuner_range expected, std::uint32_t type,
                     std::uint64_t elements, double rtol, double atol, tuner_comparison* out,
                     tuner_sink error) {
    return guarded(error, [&] {
      *out = backend(it).compare(actual, expected, static_cast<tuner_type>(type), elements, rtol,
                                 atol);
    });
  };
}

inline void fill_kernel_functions(tuner_backend& table) {
  table.load = [](void* it, tuner_str image, tuner_str entry, std::uint64_t* kernel,
                  tuner_resources* resources, tuner_sink error) {
    return guarded(error, [&] {
      const LoadedKernel loaded = backend(it).load(view(image), view(entry));
      *kernel = loaded.kernel;
      *resources = loaded.resources;
    });
  };
  table.unload = [](void* it, std::uint64_t kernel) {
    guarded({}, [&] { backend(it).unload(kernel); });
  };
  table.set_symbol = [](void* it, std::uint64_t kernel, tuner_str name, const void* data,
                        std::uint64_t bytes, tuner_sink error) {
    return guarded(error, [&] { backend(it).set_symbol(kernel, view(name), data, bytes); });
  };
  table.launch = [](void* it, std::uint64_t kernel, const tuner_launch* launch, tuner_sink error) {
    return guarded(error, [&] { backend(it).launch(kernel, *launch); });
  };
  table.time = [](void* it, std::uint64_t kernel, const tuner_launch* launch,
                  const tuner_timing* timing, double* milliseconds, tuner_sink error) {
    return guarded(error, [&] {
      backend(it).time(kernel, *launch, *timing, std::span(milliseconds, timing->samples));
    });
  };
  table.power = [](void* it, std::uint64_t kernel, const tuner_launch* launch, double* watts,
                   tuner_sink error) {
    return guarded(error, [&] { *watts = backend(it).power(kernel, *launch); });
  };
  table.load_next = [](void* it, std::uint64_t kernel, tuner_str entry, std::uint64_t* next,
                       tuner_resources* resources, tuner_sink error) {
    return guarded(error, [&] {
      const LoadedKernel loaded = backend(it).load_next(kernel, view(entry));
      *next = loaded.kernel;
      *resources = loaded.resources;
    });
  };
}

inline tuner_backend backend_table(Backend* self) {
  tuner_backend table{};
  table.struct_size = sizeof table;
  table.self = self;
  table.destroy = [](void* it) { guarded({}, [&] { delete static_cast<Backend*>(it); }); };
  table.facts = [](void* it, tuner_device_facts* out) {
    guarded({}, [&] { hand_over(backend(it).facts(), out); });
  };
  fill_memory_functions(table);
  fill_kernel_functions(table);
  table.zeroes = self->zeroes() ? 1U : 0U;
  return table;
}

}  // namespace detail

template <typename... T>
struct Backends {
  static constexpr const char* kKind = TUNER_KIND_BACKEND;

  static const void* factory() {
    static const tuner_backend_factory table{sizeof(tuner_backend_factory), sizeof...(T),
                                             detail::info_of<T...>, device_count, open};
    return &table;
  }

 private:
  using Maker = std::unique_ptr<Backend>(std::uint32_t, std::span<const tuner_pair>);
  using Counter = int();

  template <typename One>
  static std::unique_ptr<Backend> make(std::uint32_t device, std::span<const tuner_pair> options) {
    return std::make_unique<One>(device, Options(detail::options_of<One>(), options));
  }

  static int device_count(std::uint32_t item, tuner_sink error) {
    int count = 0;
    const int status =
        detail::guarded(error, [&] { count = detail::pick<Counter>(item, &T::device_count...)(); });
    return status == TUNER_OK ? count : -1;
  }

  static int open(std::uint32_t item, std::uint32_t device, const tuner_pair* options,
                  std::size_t option_count, tuner_backend* out, tuner_sink error) {
    return detail::guarded(error, [&] {
      auto made = detail::pick<Maker>(item, make<T>...)(device, std::span(options, option_count));
      detail::hand_over(detail::backend_table(made.get()), out);
      made.release();  // NOLINT(bugprone-unused-return-value): the table owns it now
    });
  }
};

}  // namespace tuner::sdk
