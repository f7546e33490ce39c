#pragma once
// Writing an advisor: a class with a static propose(), listed in sdk::Advisors<...>.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tuner/plugin/sdk_core.h"

namespace tuner::sdk {

// A class T with kName, kSummary and, if any, kOptions, as an exporter has them, and
//   static std::string propose(std::string_view question_json);  // a JSON list of maps
// or, with options,
//   static std::string propose(std::string_view question_json, const Options& options);
template <typename... T>
struct Advisors {
  static constexpr const char* kKind = TUNER_KIND_ADVISOR;

  static const void* factory() {
    static const tuner_advisor_factory table{sizeof(tuner_advisor_factory), sizeof...(T),
                                             detail::info_of<T...>, propose};
    return &table;
  }

 private:
  using Proposer = std::string(std::string_view, std::span<const tuner_pair>);

  template <typename One>
  static std::string proposed(std::string_view question, std::span<const tuner_pair> given) {
    const Options options(detail::options_of<One>(), given);
    if constexpr (requires { One::propose(question, options); }) {
      return One::propose(question, options);
    } else {
      return One::propose(question);
    }
  }

  static int propose(std::uint32_t item, const tuner_pair* options, std::size_t option_count,
                     tuner_str question, tuner_sink out, tuner_sink error) {
    return detail::guarded(error, [&] {
      emit(out, detail::pick<Proposer>(item, proposed<T>...)(view(question),
                                                             std::span(options, option_count)));
    });
  }
};

}  // namespace tuner::sdk
