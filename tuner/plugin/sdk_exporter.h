#pragma once
// Writing an exporter: a class with a static write(), listed in sdk::Exporters<...>.

#include <cstdint>
#include <string>
#include <string_view>

#include "tuner/plugin/sdk_core.h"

namespace tuner::sdk {

// A class T with
//   static constexpr const char* kName = "cmake";
//   static constexpr const char* kSummary = "one line";
//   static std::string write(std::string_view results_json);  // the bytes of the exported file
template <typename... T>
struct Exporters {
  static constexpr const char* kKind = TUNER_KIND_EXPORTER;

  static const void* factory() {
    static const tuner_exporter_factory table{sizeof(tuner_exporter_factory), sizeof...(T),
                                              detail::info_of<T...>, write};
    return &table;
  }

 private:
  using Writer = std::string(std::string_view);

  static int write(std::uint32_t item, tuner_str results, tuner_sink out, tuner_sink error) {
    return detail::guarded(
        error, [&] { emit(out, detail::pick<Writer>(item, &T::write...)(view(results))); });
  }
};

}  // namespace tuner::sdk
