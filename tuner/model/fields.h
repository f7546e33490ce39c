#pragma once
// The fields of the nouns that are written down or sent, each once: its name and where it is. What
// is made of them (the wire, the store, exports, the names in expressions) goes through these
// lists, or selects from them by name.
//
//   for_each_field(noun, visit)   calls visit(name, member) for each, in their order

#include <boost/preprocessor/seq/for_each.hpp>
#include <boost/preprocessor/stringize.hpp>
#include <boost/preprocessor/variadic/to_seq.hpp>
#include <concepts>
#include <string_view>
#include <type_traits>

#include "tuner/model/artifact.h"
#include "tuner/model/device_facts.h"
#include "tuner/model/launch.h"
#include "tuner/model/trial.h"

namespace tuner {

// A text whose bytes need not be UTF-8: an image, a path, what a compiler or a kernel said.
template <typename Text>
struct Bytes {
  Text& text;
};
template <typename Text>
Bytes(Text&) -> Bytes<Text>;

// The noun itself, const or not.
template <typename T, typename Noun>
concept Is = std::same_as<std::remove_const_t<T>, Noun>;

// for_each_field() of a noun whose fields are called what its members are. Nouns with a field that
// is called something else, or that is Bytes, have theirs written out.
#define TUNER_FIELDS(Noun, ...)                                                           \
  template <Is<Noun> T, typename Visit>                                                   \
  void for_each_field(T& noun, Visit&& visit) {                                           \
    BOOST_PP_SEQ_FOR_EACH(TUNER_VISIT_FIELD, noun, BOOST_PP_VARIADIC_TO_SEQ(__VA_ARGS__)) \
  }
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define TUNER_VISIT_FIELD(unused, noun, member) visit(BOOST_PP_STRINGIZE(member), noun.member);

TUNER_FIELDS(Resources, registers, static_shared_bytes, constant_bytes, local_bytes, spill_bytes,
             max_threads)

TUNER_FIELDS(NextKernel, entry, resources)

template <Is<FileState> T, typename Visit>
void for_each_field(T& file, Visit&& visit) {
  visit("path", Bytes{file.path});
  visit("digest", file.digest);
}

template <Is<Artifact> T, typename Visit>
void for_each_field(T& artifact, Visit&& visit) {
  visit("image", Bytes{artifact.image});
  visit("entry", artifact.entry);
  visit("log", Bytes{artifact.log});
  visit("milliseconds", artifact.milliseconds);
  visit("resources", artifact.resources);
  visit("then", artifact.then);
  visit("opened", artifact.opened);
  visit("symbols", artifact.symbols);
}

template <Is<CompileFailure> T, typename Visit>
void for_each_field(T& failure, Visit&& visit) {
  visit("log", Bytes{failure.log});
  visit("retryable", failure.retryable);
  visit("opened", failure.opened);
}

TUNER_FIELDS(DeviceFacts, backend, name, uuid, arch, driver, compute_capability, multiprocessors,
             warp_size, max_threads_per_block, max_threads_per_multiprocessor,
             max_blocks_per_multiprocessor, registers_per_block, registers_per_multiprocessor,
             max_shared_memory_per_block, max_shared_memory_per_block_optin,
             shared_memory_per_multiprocessor, reserved_shared_memory_per_block, l2_bytes,
             memory_bytes, clock_khz, max_block, max_grid, abilities)

// Whether the study's expressions can name a fact, as "device.warp_size". Exported headers have
// these facts, too: there the same expressions decide.
constexpr bool is_in_expressions(std::string_view fact) {
  return fact != "backend" && fact != "uuid" && fact != "driver" &&
         fact != "reserved_shared_memory_per_block" && fact != "clock_khz" && fact != "max_block" &&
         fact != "max_grid" && fact != "abilities";
}

TUNER_FIELDS(KernelLimits, heap, stack, printf)
TUNER_FIELDS(LaunchAttributes, cluster, cooperative, carveout, scheduling, programmatic)

TUNER_FIELDS(LaunchGeometry, grid, block, dynamic_shared_bytes, attributes)

template <Is<Timing> T, typename Visit>
void for_each_field(T& timing, Visit&& visit) {
  visit("samples_ms", timing.samples);
  visit("median_ms", timing.median);
  visit("ci_low_ms", timing.ci_low);
  visit("ci_high_ms", timing.ci_high);
  visit("min_ms", timing.min);
  visit("counted", timing.counted);
}

TUNER_FIELDS(Ceilings, memory_bytes_per_second, cache_bytes_per_second, cache_bytes, launch_ms,
             operations_per_second)

TUNER_FIELDS(DeviceLimit, ms, of)

TUNER_FIELDS(Conditions, clock_mhz, watts)

TUNER_FIELDS(Advised, by, after_s)

template <Is<FinalResult> T, typename Visit>
void for_each_field(T& final, Visit&& visit) {
  visit("samples_ms", final.samples);
  visit("median_ms", final.median_ms);
  visit("ci_low_ms", final.ci_low_ms);
  visit("ci_high_ms", final.ci_high_ms);
  visit("metrics", final.metrics);
  visit("objective", final.objective);
}

template <typename T, typename Visit>
void for_each_measured(T& measured, Visit&& visit) {
  visit("state", measured.state);
  for_each_field(measured.timing, visit);
  visit("resources", measured.resources);
  visit("max_error", measured.max_error);
  visit("message", Bytes{measured.message});
  visit("evidence", measured.evidence);
  visit("watts", measured.watts);
  visit("observed", measured.observed);
  visit("conditions", measured.conditions);
  visit("deterministic", measured.deterministic);
}

// Visits all fields but the configuration, which each format writes in its own way, and index and
// from_store, which have a meaning within one run only.
template <Is<Trial> T, typename Visit>
void for_each_field(T& trial, Visit&& visit) {
  for_each_measured(trial, visit);
  visit("metrics", trial.metrics);
  visit("objective", trial.objective);
  visit("final", trial.final);
  for_each_field(trial.geometry, visit);
  visit("image_bytes", trial.image_bytes);
  visit("occupancy", trial.occupancy);
  visit("counters", trial.counters);
  visit("device_uuid", trial.device_uuid);
  visit("device_scale", trial.device_scale);
  visit("compile_ms", trial.compile_ms);
  visit("cache_hit", trial.cache_hit);
  visit("cost_seconds", trial.cost_seconds);
  visit("further_files", trial.further_files);
  visit("sources_known", trial.sources_known);
  visit("reference_ms", trial.reference_ms);
  visit("limit", trial.limit);
  visit("advised", trial.advised);
  visit("outdated", trial.outdated);
  visit("outside", trial.outside);
}

template <typename T>
concept HasFields = requires(T& noun) {
  for_each_field(noun, [](const char*, auto&&) {});
};

}  // namespace tuner
