#pragma once
// Writing a compiler: derive from sdk::Compiler, list the class in sdk::Compilers<...>.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/plugin/sdk_core.h"

namespace tuner::sdk {

struct CompileRequest {
  std::string source, source_name, entry, arch;
  std::vector<std::string> include_dirs, options;
  std::vector<std::pair<std::string, std::string>> defines;  // name, replacement
  std::vector<std::string> symbols;                          // __constant__ names that will be set
  std::vector<std::string> next_entries;                     // further kernels of the same source
  std::vector<std::string> units;  // paths of further sources: their device code is linked with it
  bool is_host_function = false;   // the entry is a function of the host, which launches by itself
};

inline constexpr tuner_resources kUnknownResources{-1, -1, -1, -1, -1, -1};

struct NextKernel {
  std::string entry;  // lowered name
  tuner_resources resources = kUnknownResources;
};

struct CompileResult {
  bool compiled = false;
  std::string image;
  std::string entry;                                         // lowered name of the kernel
  std::vector<std::pair<std::string, std::string>> symbols;  // as asked, lowered
  tuner_resources resources = kUnknownResources;
  std::vector<NextKernel> next;  // one for each of the request's next_entries
  std::string log;               // warnings, or why it does not compile
  // Every file that was read, also by a compilation that failed, but the source and what belongs to
  // the compiler itself. Empty: not known.
  std::optional<std::vector<std::string>> opened;
};

// A class T with a constructor T() or T(const Options&), which throws when the compiler is not
// there, and
//   static constexpr const char* kName = "cuda";  // of the backend that it compiles for
//   static constexpr const char* kSummary = "one line";
//   static constexpr tuner_option_info kOptions[] = {...};  // if any
//   static constexpr const char* kSecondFor = "cuda";   // these two are tuner_compiler_traits and
//   static constexpr auto kReads = TUNER_OPTIONS_NVCC;  // may be left out
class Compiler {
 public:
  virtual ~Compiler() = default;
  // Name and version of everything that turns a request into an image: part of every cache key.
  virtual std::string identity() = 0;
  virtual CompileResult compile(const CompileRequest& request) = 0;
};

template <typename... T>
struct Compilers {
  static constexpr const char* kKind = TUNER_KIND_COMPILER;

  static const void* factory() {
    static const tuner_compiler_factory table{sizeof(tuner_compiler_factory), sizeof...(T),
                                              detail::info_of<T...>, create, traits};
    return &table;
  }

 private:
  template <typename One>
  static constexpr tuner_compiler_traits traits_of() {
    tuner_compiler_traits traits{};
    if constexpr (requires { One::kSecondFor; }) traits.second_for = One::kSecondFor;
    if constexpr (requires { One::kReads; }) traits.options = One::kReads;
    return traits;
  }

  static tuner_compiler_traits traits(std::uint32_t item) {
    constexpr tuner_compiler_traits kAll[] = {traits_of<T>()...};
    return item < sizeof...(T) ? kAll[item] : tuner_compiler_traits{};
  }

  static int create(std::uint32_t item, const tuner_pair* options, std::size_t option_count,
                    tuner_compiler* out, tuner_sink error) {
    return detail::guarded(error, [&] {
      auto made = detail::make<Compiler, T...>(item, std::span(options, option_count));
      *out = {sizeof(tuner_compiler), made.release(), detail::destroy<Compiler>, identity, compile};
    });
  }

  static void identity(void* self, tuner_sink out) {
    detail::guarded({}, [&] { emit(out, static_cast<Compiler*>(self)->identity()); });
  }

  static std::vector<std::string> texts(const tuner_str* from, std::size_t count) {
    std::vector<std::string> to;
    for (const tuner_str& one : std::span(from, count)) to.push_back(text(one));
    return to;
  }

  static CompileRequest request_from(const tuner_compile_request& from) {
    CompileRequest to{text(from.source),
                      text(from.source_name),
                      text(from.entry),
                      text(from.arch),
                      texts(from.include_dirs, from.include_dir_count),
                      texts(from.options, from.option_count),
                      {},
                      texts(from.symbols, from.symbol_count),
                      texts(from.next_entries, from.next_entry_count),
                      texts(from.units, from.unit_count),
                      from.is_host_function != 0};
    for (const auto& one : std::span(from.defines, from.define_count)) {
      to.defines.emplace_back(text(one.key), text(one.value));
    }
    return to;
  }

  static void tell_opened(const CompileResult& result, const tuner_compile_sinks& out) {
    if (!result.opened) return;
    for (const std::string& path : *result.opened) out.opened(out.context, str(path));
    out.opened_all(out.context);
  }

  static int compile(void* self, const tuner_compile_request* request,
                     const tuner_compile_sinks* out) {
    return detail::guarded(out->log, [&] {
      const CompileResult result = static_cast<Compiler*>(self)->compile(request_from(*request));
      tell_opened(result, *out);
      // A failure's log leaves as the error's message, so that it is emitted once.
      if (!result.compiled) throw Error(TUNER_INVALID, result.log);
      emit(out->log, result.log);
      emit(out->image, result.image);
      emit(out->entry, result.entry);
      for (const auto& [asked, lowered] : result.symbols) {
        out->symbol(out->context, str(asked), str(lowered));
      }
      out->resources(out->context, &result.resources);
      for (const NextKernel& one : result.next) {
        out->next_kernel(out->context, str(one.entry), &one.resources);
      }
    });
  }
};

}  // namespace tuner::sdk
