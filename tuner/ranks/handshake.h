#pragma once
// What a rank says of itself before it is asked to do anything, and why it may have to be left out.

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/model/study.h"
#include "tuner/plugin/catalogue.h"

namespace tuner {

struct RankFacts {
  std::string version;   // of its program
  std::string build;     // the digest of its program's file
  std::string node;      // where it runs
  unsigned cores = 1;    // that it may use
  std::string affinity;  // which: ranks of a node with the same ones share them
  std::map<std::string, std::string> plugins;  // their versions, by name
};

void to_json(nlohmann::json& j, const RankFacts& facts);
void from_json(const nlohmann::json& j, RankFacts& facts);

// Of this process; where it runs is left open.
RankFacts facts_here(const std::string& version, const Catalogue& catalogue);

// By name.
struct NeededPlugins {
  std::set<std::string> needed;  // a rank must have them
  std::set<std::string> shared;  // a rank that has them must have the same
};

// What a study needs on a backend, of which "auto" is any.
NeededPlugins needed_plugins(const Study& study, const std::string& backend,
                             const Catalogue& catalogue);

// Why a rank cannot take part, after its name; empty when it can.
std::optional<std::string> refusal(const RankFacts& rank_0, const RankFacts& other,
                                   const NeededPlugins& plugins);

// How many of its cores are a rank's own, where those of its node that may use the same divide
// them; at least 1. The first of `all` is rank 0.
unsigned own_cores(const std::vector<RankFacts>& all, std::size_t rank);

}  // namespace tuner
