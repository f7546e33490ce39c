#pragma once
// Runs the program as a worker: serves requests on descriptor kChildSocket until it closes.
// Messages are JSON objects with a "type".
//
//   compile   <- start {plugin_dirs, files}, open {backend, cache_dir}
//             -> ready {identity} | unavailable {reason}
//             <- compile {key, request}          -> compiled {artifact}
//                                                 | failed {log, retryable, opened}
//                                                 | warning {text}
//   run       <- start, open {backend, device, options}
//             -> ready {facts} | unavailable {reason}
//             <- prepare {plan}                  -> prepared {warnings, reference_ms}
//                                                 | failed {message, retryable, constant}
//             <- evaluate {id, variant}          -> phase {phase} ... verdict {id, verdict}
//             <- remeasure {id, variants, plan}       -> phase {phase} ... remeasured {id, samples}
//                                                 | verdict {id, plan, verdict}
//                (an id is a nonce: whoever does not know it cannot answer)
//   probe     <- start, open {backend}           -> devices {facts...} | unavailable {reason}

#include <memory>
#include <string>

#include "tuner/plugin/catalogue.h"
#include "tuner/ports/backend.h"

namespace tuner {

// Serves requests of the role `run`, after `open`, on a socket of an application's process, until
// its other end closes or the device cannot be used any more. Problems and observers of the study
// come from `catalogue`.
void serve_device(int socket, const Catalogue& catalogue, std::unique_ptr<Backend> backend);

// Returns the exit status of the process.
int run_worker_main(const std::string& role);

}  // namespace tuner
