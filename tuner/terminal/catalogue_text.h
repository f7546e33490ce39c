#pragma once
// What plugins offer, as `tuner list` shows it.

#include <cstddef>
#include <string>

#include "tuner/model/device_facts.h"
#include "tuner/plugin/catalogue.h"

namespace tuner {

std::string plugins_text(const Catalogue& catalogue);
// All of a kind, with their options.
std::string items_text(const Catalogue& catalogue, PluginKind kind);
// One with all that is known of it; `kind` is what users call its kind.
std::string named_text(const char* kind, const PluginItem& item);
std::string device_line(const std::string& backend, std::size_t number, const DeviceFacts& device);

}  // namespace tuner
