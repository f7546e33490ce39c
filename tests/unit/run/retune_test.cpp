// When an export is to be written anew.

#include <gtest/gtest.h>

#include "tuner/run/tuning_run.h"

namespace tuner {
namespace {

RetunedSize gaining(double ratio, double low, double high) {
  return {{{{"N", 8}}}, {std::int64_t{1}}, Speedup{ratio, low, high, true}};
}

TEST(IsLost, WhatTheIntervalHoldsIsNotLost) {
  EXPECT_TRUE(is_lost(gaining(1.03, 1.01, 1.05)));
  EXPECT_FALSE(is_lost(gaining(1.03, 0.99, 1.07)));
  EXPECT_FALSE(is_lost(gaining(1, 1, 1))) << "the export has the best";
}

TEST(IsLost, AnExportThatHasNothingValidLosesWhereSomethingIs) {
  EXPECT_TRUE(is_lost({{{{"N", 8}}}, {std::int64_t{1}}, {}}));
  EXPECT_FALSE(is_lost({{{{"N", 8}}}, {}, {}})) << "nor has the search";
}

RankedResults results_of(const std::string& device, std::int64_t n) {
  RankedResults results;
  results.device.name = device;
  results.size = {{{"N", n}}};
  results.trials.resize(1);
  results.ranked = 1;
  return results;
}

TEST(EntriesBeyond, AreThoseThatTheResultsDoNotHold) {
  TunedTable table;
  for (const char* name : {"A", "B"}) {
    DeviceFacts device;
    device.name = name;
    table.devices.push_back(device);
  }
  const auto add = [&](std::size_t device, std::int64_t n) {
    TunedEntry entry;
    entry.device = device;
    entry.size = {{{"N", n}}};
    table.entries.push_back(entry);
  };
  add(0, 8);
  add(0, 16);
  add(1, 8);
  RankedResults empty = results_of("B", 8);
  empty.ranked = 0;
  EXPECT_EQ(entries_beyond(table, {results_of("A", 16), empty}),
            (std::vector<std::string>{"A N8", "B N8"}));
  EXPECT_TRUE(
      entries_beyond(table, {results_of("A", 8), results_of("A", 16), results_of("B", 8)}).empty());
}

}  // namespace
}  // namespace tuner
