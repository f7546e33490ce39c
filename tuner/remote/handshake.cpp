// Tells ranks apart that must not be mixed, and divides the cores of a node.

#include "tuner/remote/handshake.h"

#include <sched.h>

#include <algorithm>
#include <filesystem>

#include "tuner/base/child_process.h"
#include "tuner/base/hash.h"
#include "tuner/base/process_state.h"
#include "tuner/worker/messages.h"

namespace tuner {
namespace {

constexpr std::size_t kHeadBytes = 5;  // the topic, and the worker, its lowest byte first

}  // namespace

std::string sealed(const Envelope& envelope) {
  std::string bytes;
  bytes.reserve(kHeadBytes + envelope.body.size());
  bytes += static_cast<char>(envelope.topic);
  for (unsigned shift = 0; shift < 32; shift += 8) {
    bytes += static_cast<char>((envelope.worker >> shift) & 0xFFU);
  }
  return bytes + envelope.body;
}

Envelope unsealed(const std::string& bytes) {
  if (bytes.size() < kHeadBytes) throw ProtocolError("a message of a rank is too short");
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at]));
  };
  if (byte(0) > static_cast<std::uint32_t>(Topic::kLeave)) {
    throw ProtocolError("a message of a rank has an unknown topic");
  }
  Envelope envelope;
  envelope.topic = static_cast<Topic>(byte(0));
  for (std::size_t i = 0; i < 4; ++i) envelope.worker |= byte(1 + i) << (8 * i);
  envelope.body = bytes.substr(kHeadBytes);
  return envelope;
}

std::string body_of(const nlohmann::json& document) { return encode_frame(document); }

nlohmann::json document_of(const Envelope& envelope) {
  FrameReader reader;
  reader.feed(envelope.body.data(), envelope.body.size());
  auto document = reader.next();
  if (!document) throw ProtocolError("a message of a rank is cut off");
  return std::move(*document);
}

// ---- before a rank is asked to do anything ------------------------------------------------------

namespace {

// "0,1,2" of the cores that this process may use.
std::string affinity_here() {
  cpu_set_t cores;
  std::string text;
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return text;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &cores)) text += (text.empty() ? "" : ",") + std::to_string(core);
  }
  return text;
}

// Empty where there is no file that can be read. Contents of large files are not compared: on a
// slow file system that would take longer than anybody waits for a rank.
std::string state_of(const std::string& name, FileDigests& digests) {
  constexpr std::uintmax_t kLargest = std::uintmax_t{16} << 20;
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(name, failed);
  if (failed) return {};
  return size > kLargest ? std::to_string(size) + " bytes" : digests.text_of(name);
}

std::string program_of(const RankFacts& facts) {
  return facts.version + " (build " + facts.build.substr(0, 8) + ")";
}

void add_plugin_of(const Catalogue& catalogue, PluginKind kind, const std::string& name,
                   std::set<std::string>& to) {
  if (const PluginItem* item = catalogue.find(kind, name)) to.insert(item->plugin);
}

}  // namespace

SharedFiles shared_files(const std::vector<std::string>& names) {
  std::error_code failed;
  SharedFiles files{std::filesystem::current_path(failed).string(), {}};
  FileDigests digests;
  for (const std::string& name : names) {
    if (const std::string state = state_of(name, digests); !state.empty())
      files.states[name] = state;
  }
  return files;
}

std::string enter(const SharedFiles& files) {
  std::error_code failed;
  std::filesystem::current_path(files.folder, failed);
  if (failed) return files.folder;
  FileDigests digests;
  for (const auto& [name, state] : files.states) {
    if (state_of(name, digests) != state) return name;
  }
  return {};
}

RankFacts facts_here(const std::string& version, const Catalogue& catalogue) {
  RankFacts facts;
  facts.version = version;
  facts.build = FileDigests().text_of(executable_path());
  facts.cores = usable_cores();
  facts.affinity = affinity_here();
  for (const PluginInfo& plugin : catalogue.plugins()) facts.plugins[plugin.name] = plugin.version;
  return facts;
}

NeededPlugins needed_plugins(const Study& study, const Catalogue& catalogue) {
  const std::string& backend = study.backend.name;
  NeededPlugins plugins;
  for (const PluginKind kind : {PluginKind::kBackend, PluginKind::kCompiler}) {
    for (const PluginItem& item : catalogue.items(kind)) plugins.shared.insert(item.plugin);
    if (backend != "auto") add_plugin_of(catalogue, kind, backend, plugins.needed);
  }
  if (study.problem) {
    add_plugin_of(catalogue, PluginKind::kProblem, study.problem->name, plugins.needed);
  }
  for (const ObserverSpec& one : study.observers) {
    add_plugin_of(catalogue, PluginKind::kObserver, one.name, plugins.needed);
  }
  plugins.shared.insert(plugins.needed.begin(), plugins.needed.end());
  return plugins;
}

std::optional<std::string> refusal(const RankFacts& rank_0, const RankFacts& other,
                                   const NeededPlugins& plugins) {
  if (other.version != rank_0.version || other.build != rank_0.build) {
    return "it runs tuner " + program_of(other) + ", rank 0 " + program_of(rank_0) +
           ": start the same program on all ranks";
  }
  if (!other.unseen.empty()) {
    return "it does not see " + other.unseen +
           " as rank 0 does: ranks need a file system that they share";
  }
  for (const std::string& name : plugins.needed) {
    if (!other.plugins.contains(name)) {
      return "it has no plugin '" + name + "', which the study needs";
    }
  }
  for (const std::string& name : plugins.shared) {
    const auto here = rank_0.plugins.find(name);
    const auto there = other.plugins.find(name);
    if (here == rank_0.plugins.end() || there == other.plugins.end()) continue;
    if (here->second == there->second) continue;
    return "its plugin '" + name + "' is of version " + there->second + ", that of rank 0 of " +
           here->second;
  }
  return std::nullopt;
}

unsigned own_cores(const std::vector<RankFacts>& all, std::size_t rank) {
  const RankFacts& one = all.at(rank);
  const auto sharing = std::ranges::count_if(all, [&](const RankFacts& other) {
    return other.node == one.node && other.affinity == one.affinity;
  });
  return std::max(1U, one.cores / static_cast<unsigned>(std::max<std::ptrdiff_t>(1, sharing)));
}

}  // namespace tuner
