#pragma once
// A ranking as a table for a terminal.

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/base/terminal_text.h"
#include "tuner/model/ranked_results.h"

namespace tuner {

// A state for people: "over a device limit" where files say "constraints", which is also a key of
// the study.
std::string_view shown_name(TrialState state);

// How many trials ended in each state; and as "5 ok, 2 dropped".
using StateCounts = std::array<std::size_t, kTrialStates>;
StateCounts states_of(const RankedResults& results);
std::string states_text(const StateCounts& states);

// "9 stored results are outside of the study now: kept, not ranked".
std::string outside_text(const RankedResults& results);

// "BM=64 BN=32", with what a terminal must not see made harmless.
std::string named_values(std::span<const std::string> names, const Configuration& configuration);

// "advice heuristics: 4 % from the best, after 0.4 s", a line for each source.
std::vector<std::string> advice_lines(const RankedResults& results);

// "4 %", "0.35 %", "not right yet".
std::string loss_text(const std::optional<double>& loss);

// An aligned table of the best `top` for a terminal: time with the half width of its interval,
// metrics, and the parameters that vary; "=" marks those tied with the best, "*" those on the front
// of several objectives, all of which are shown. Lines follow: what all shown have in common, how
// many trials ended in which state, how many are outside of the study, and warnings.
// The best row is coloured as good, its absence as bad.
std::string ranked_table(const RankedResults& results, std::span<const std::string> parameters,
                         std::size_t top = 10, const Colours& colours = {});

// How many ranked trials that table leaves out.
std::size_t left_out_of_table(const RankedResults& results, std::size_t top);

}  // namespace tuner
