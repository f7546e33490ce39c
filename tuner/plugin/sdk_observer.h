#pragma once
// Writing an observer: derive from sdk::Observer, list the class in sdk::Observers<...>.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "tuner/plugin/sdk_core.h"

namespace tuner::sdk {

// A class T with a constructor T(const Options&), or a default one, and the static members kName,
// kSummary and, if any, kOptions, as a Strategy has them, and what it gives:
//   static constexpr tuner_value_info kValues[] = {{"code_bytes", "bytes", "size of the code"}};
class Observer {
 public:
  virtual ~Observer() = default;
  // How often the variant is to be launched between begin() and end().
  virtual std::uint32_t launches() const { return 0; }
  virtual void begin(const tuner_observed& variant) { static_cast<void>(variant); }
  // One value for each of kValues, in their order; NaN where there is none.
  virtual std::vector<double> end(const tuner_observed& variant) = 0;
};

template <typename... T>
struct Observers {
  static constexpr const char* kKind = TUNER_KIND_OBSERVER;

  static const void* factory() {
    static const tuner_observer_factory table{sizeof(tuner_observer_factory), sizeof...(T),
                                              detail::info_of<T...>, values, create};
    return &table;
  }

 private:
  static const tuner_value_info* values(std::uint32_t item, std::uint32_t* value_count) {
    const std::span<const tuner_value_info> all[] = {
        std::span<const tuner_value_info>(T::kValues)...};
    if (item >= sizeof...(T)) return nullptr;
    *value_count = static_cast<std::uint32_t>(all[item].size());
    return all[item].data();
  }

  static int create(std::uint32_t item, const tuner_pair* options, std::size_t option_count,
                    tuner_observer* out, tuner_sink error) {
    return detail::guarded(error, [&] {
      auto made = detail::make<Observer, T...>(item, std::span(options, option_count));
      const std::uint32_t launches = made->launches();
      *out = {sizeof(tuner_observer),    launches, made.release(),
              detail::destroy<Observer>, begin,    end};
    });
  }

  static int begin(void* self, const tuner_observed* variant, tuner_sink error) {
    return detail::guarded(error, [&] { static_cast<Observer*>(self)->begin(*variant); });
  }

  static int end(void* self, const tuner_observed* variant, double* values, std::size_t value_count,
                 tuner_sink error) {
    return detail::guarded(error, [&] {
      const std::vector<double> seen = static_cast<Observer*>(self)->end(*variant);
      if (seen.size() != value_count) {
        throw std::length_error("the observer gave another number of values than it lists");
      }
      std::copy(seen.begin(), seen.end(), values);
    });
  }
};

}  // namespace tuner::sdk
