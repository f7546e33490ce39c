// The tables of interface 2.0, as plugins that were built with its headers have them for good. What
// a later minor adds goes behind them: a number here never changes.
#include <gtest/gtest.h>

#include "tuner/plugin/abi.h"

#define AT(type, member, bytes) static_assert(offsetof(type, member) == (bytes))
#define SIZE(type, bytes) static_assert(sizeof(type) == (bytes))
#define AT_LEAST(type, bytes) static_assert(sizeof(type) >= (bytes))

namespace {

// No struct_size: these never grow.
SIZE(tuner_str, 16);
SIZE(tuner_sink, 16);
SIZE(tuner_pair, 32);
SIZE(tuner_option_info, 32);
SIZE(tuner_resources, 48);
SIZE(tuner_fill, 32);
SIZE(tuner_range, 16);
SIZE(tuner_comparison, 40);
SIZE(tuner_argument, 32);
SIZE(tuner_tensor_map, 80);
SIZE(tuner_zeros, 24);
SIZE(tuner_restore, 24);
SIZE(tuner_loaded_kernel, 56);
SIZE(tuner_index, 16);
SIZE(tuner_prior_result, 24);

AT(tuner_plugin, get_factory, 32);
AT_LEAST(tuner_plugin, 40);
AT(tuner_item_info, option_count, 32);
AT_LEAST(tuner_item_info, 40);

AT(tuner_compile_request, next_entry_count, 144);
AT_LEAST(tuner_compile_request, 152);
AT(tuner_compile_sinks, opened_all, 96);
AT_LEAST(tuner_compile_sinks, 104);
AT(tuner_compiler, compile, 32);
AT(tuner_compiler_factory, create, 16);

AT(tuner_device_facts, name, 8);
AT(tuner_device_facts, max_grid, 432);
AT_LEAST(tuner_device_facts, 456);
AT(tuner_launch, zeros_count, 96);
AT_LEAST(tuner_launch, 104);
AT(tuner_timing, restore_count, 24);
// From 2.1 on.
AT(tuner_launch, attributes, 104);
AT(tuner_launch_attributes, programmatic, 28);
AT(tuner_timing, turns, 32);
AT(tuner_timing, turn_count, 40);
AT(tuner_rotation, reserved, 4);
AT(tuner_launch_attribute_use, reserved, 4);
AT(tuner_conditions, last, 8);
AT(tuner_memory, compare, 56);
AT(tuner_kernels, time, 40);
AT(tuner_backend, ability, 48);
AT(tuner_backend_factory, open, 24);
AT(tuner_power, watts, 8);
AT(tuner_thread_order, launch, 8);
AT(tuner_adopt, adopt, 8);
AT(tuner_tensor_maps, max_rank, 4);
AT(tuner_graph, time, 8);
AT(tuner_counters, read, 8);

AT(tuner_space, neighbours, 80);
AT(tuner_strategy_setup, option_count, 48);
AT(tuner_observation, compile_seconds, 48);
AT(tuner_under_way, seconds, 24);
AT(tuner_machine, under_way_count, 48);
AT(tuner_prior, result_count, 24);
AT(tuner_strategy, machine, 48);
AT(tuner_strategy_factory, create, 16);
AT(tuner_exporter_factory, write, 16);

// Since minor 1.
AT(tuner_machine, devices, 56);
AT(tuner_strategy, order, 56);
SIZE(tuner_extent, 24);
SIZE(tuner_array, 48);
SIZE(tuner_value_info, 24);
AT(tuner_problem_setup, extent_count, 32);
AT(tuner_judgement, error, 8);
AT(tuner_problem, judge, 40);
AT(tuner_problem_factory, create, 16);
AT(tuner_observed, sample_count, 176);
AT(tuner_observer, end, 32);
AT(tuner_observer_factory, create, 24);

TEST(Interface, IsTwo) {
  EXPECT_EQ(TUNER_ABI_MAJOR, 2);
  EXPECT_STREQ(TUNER_KIND_BACKEND, "tuner.backend/2");
  EXPECT_STREQ(TUNER_KIND_COMPILER, "tuner.compiler/2");
  EXPECT_STREQ(TUNER_KIND_STRATEGY, "tuner.strategy/2");
  EXPECT_STREQ(TUNER_KIND_EXPORTER, "tuner.exporter/2");
  EXPECT_STREQ(TUNER_KIND_PROBLEM, "tuner.problem/1");
  EXPECT_STREQ(TUNER_KIND_OBSERVER, "tuner.observer/1");
}

}  // namespace
