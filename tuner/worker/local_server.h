#pragma once
// A process of this program that answers requests of its own user over a Unix socket, one after the
// other. What takes long is ready before a request comes.

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tuner/base/interrupt.h"

namespace tuner {

// A message to who waits; with "type": "answer" it is the last one, and nobody waits any more.
using TellClient = std::function<void(const nlohmann::json&)>;

// `gone`: the one who asked does not wait any more. What it throws ends the connection.
using AnswerClient = std::function<void(const nlohmann::json& request, const StopRequest& gone,
                                        const TellClient& tell)>;

// Serves at this path, whose folder is the user's alone, until nobody has asked for so many
// seconds, the path is somebody else's, or the current folder is gone. At once where another
// process serves there.
void serve_locally(const std::filesystem::path& socket, double idle_seconds,
                   const AnswerClient& answer);

// The answer of the server at this path; `start` is the command that starts one where none is.
// Nothing: there is none, it ended, or it is stopped, which ends it; the caller has to do without.
// `told` hears what comes before the answer. Throws InterruptedError.
std::optional<nlohmann::json> ask_locally(const std::filesystem::path& socket,
                                          const std::vector<std::string>& start,
                                          const nlohmann::json& request, const StopRequest& stop,
                                          const std::function<void(const nlohmann::json&)>& told);

}  // namespace tuner
