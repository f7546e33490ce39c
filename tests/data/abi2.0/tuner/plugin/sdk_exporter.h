#pragma once
// Writing an exporter: a class with a static write(), listed in sdk::Exporters<...>.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tuner/plugin/sdk_core.h"

namespace tuner::sdk {

// A class T with
//   static constexpr const char* kName = "cmake";
//   static constexpr const char* kSummary = "one line";
//   static std::string write(std::string_view results_json);  // the bytes of the exported file
// or, with options,
//   static constexpr tuner_option_info kOptions[] = {...};
//   static std::string write(std::string_view results_json, const Options& options);
template <typename... T>
struct Exporters {
  static constexpr const char* kKind = TUNER_KIND_EXPORTER;

  static const void* factory() {
    static const tuner_exporter_factory table{sizeof(tuner_exporter_factory), sizeof...(T),
                                              detail::info_of<T...>, write};
    return &table;
  }

 private:
  using Writer = std::string(std::string_view, std::span<const tuner_pair>);

  template <typename One>
  static std::string written(std::string_view results, std::span<const tuner_pair> given) {
    const Options options(detail::options_of<One>(), given);
    if constexpr (requires { One::write(results, options); }) {
      return One::write(results, options);
    } else {
      return One::write(results);
    }
  }

  static int write(std::uint32_t item, const tuner_pair* options, std::size_t option_count,
                   tuner_str results, tuner_sink out, tuner_sink error) {
    return detail::guarded(error, [&] {
      emit(out, detail::pick<Writer>(item, written<T>...)(view(results),
                                                          std::span(options, option_count)));
    });
  }
};

}  // namespace tuner::sdk
