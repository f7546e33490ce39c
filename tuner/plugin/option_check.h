#pragma once
// What the options that an item of a plugin declares allow.

#include <optional>
#include <string>

#include "tuner/base/error.h"
#include "tuner/plugin/adapters.h"
#include "tuner/plugin/catalogue.h"

namespace tuner {

// Nothing when `value` is one that `allowed` (tuner_option_info) describes, else what it must be:
// "a whole number from 1 to 10".
std::optional<std::string> value_misfit(const std::string& allowed, const std::string& value);

// Why a plugin's description of its options cannot be used; empty when it can.
std::string description_fault(const std::vector<PluginOption>& options);

// What is wrong with options that the items declare together: names that none of them has, values
// that it does not take. `owner` is what they belong to: "strategy 'genetic'". An option without a
// position of its own is at `where`.
std::vector<Complaint> option_complaints(const std::vector<const PluginItem*>& items,
                                         const std::string& owner, const OptionList& options,
                                         const Position& where);

// Those of `options` that the item declares.
OptionList options_for(const PluginItem& item, const OptionList& options);

}  // namespace tuner
