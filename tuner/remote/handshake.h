#pragma once
// Messages between ranks: about which worker, and what (frames of workers travel as they are); at
// first what a rank is, and why it may have to be left out.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/model/study.h"
#include "tuner/plugin/catalogue.h"

namespace tuner {

enum class Topic : std::uint8_t {
  kWelcome,  // to a rank: tell of yourself {plugin_dirs, files: SharedFiles}
  kFacts,    // from it: RankFacts
  kStart,    // a worker {role}
  kBytes,    // of frames, to a worker or from it
  kKill,     // a worker
  kClear,    // what a worker has printed until now
  kEnded,    // a worker has {how, from_outside, tail}
  kAlive,    // nothing else was to be said for a while
  kFinish,   // to a rank: end all that is left
  kDone,     // from it: that is done
  kLeave,    // to a rank: all ranks leave now {all}
};

struct Envelope {
  Topic topic = Topic::kAlive;
  std::uint32_t worker = 0;  // 0: none
  std::string body;
};

std::string sealed(const Envelope& envelope);
// Throws ProtocolError on anything malformed.
Envelope unsealed(const std::string& bytes);

// A body that is a document.
std::string body_of(const nlohmann::json& document);
// Throws ProtocolError on anything malformed.
nlohmann::json document_of(const Envelope& envelope);

// ---- before a rank is asked to do anything ------------------------------------------------------

struct RankFacts {
  std::string version;   // of its program
  std::string build;     // the digest of its program's file
  std::string node;      // where it runs
  unsigned cores = 1;    // that it may use
  std::string affinity;  // numbers of these cores: ranks of a node with equal ones share them
  std::map<std::string, std::string> plugins;  // their versions, by name
  std::string unseen;  // the first of rank 0's files that it does not see as rank 0 does; or empty
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankFacts, version, build, node, cores, affinity, plugins,
                                   unseen)

// Collects the facts of this process; where it runs is left open.
RankFacts facts_here(const std::string& version, const Catalogue& catalogue);

// Ranks share a file system: these must be the same for all of them.
struct SharedFiles {
  std::string folder;                         // in which relative names begin
  std::map<std::string, std::string> states;  // by name: what contents of a file can be told by
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SharedFiles, folder, states)

// Reads the state of these files as this process sees them.
SharedFiles shared_files(const std::vector<std::string>& names);

// Enters the folder, and looks for the files there. Returns the first that is missing or has other
// contents (of a large file: another size); empty when there is none.
std::string enter(const SharedFiles& files);

// Names of plugins.
struct NeededPlugins {
  std::set<std::string> needed;  // a rank must have them
  std::set<std::string> shared;  // a rank that has them must have the same
};

// Lists the plugins that a study needs on its backend; any backend will do for "auto".
NeededPlugins needed_plugins(const Study& study, const Catalogue& catalogue);

// Why a rank cannot take part, after its name; empty when it can.
std::optional<std::string> refusal(const RankFacts& rank_0, const RankFacts& other,
                                   const NeededPlugins& plugins);

// How many of its cores are a rank's own, where those of its node that may use the same divide
// them; at least 1. The first of `all` is rank 0.
unsigned own_cores(const std::vector<RankFacts>& all, std::size_t rank);

}  // namespace tuner
