#pragma once
// A device of the application's own process: how it is chosen and opened, and the worker's thread
// whose operations on it wait until the application has time for them.

#include <sys/types.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "tuner/base/child_process.h"
#include "tuner/library/call_queue.h"
#include "tuner/library/tuner.h"
#include "tuner/model/study.h"
#include "tuner/plugin/catalogue.h"
#include "tuner/ports/backend.h"
#include "tuner/worker/channel.h"

namespace libtuner {

struct OpenedBackend {
  std::string name;
  tuner::OptionList options;
  std::unique_ptr<tuner::Backend> backend;
};

// As `tuner run` chooses: what the settings name, else what the study names, else the first that
// works, the cpu last. Throws Error with all reasons.
OpenedBackend open_device(const tuner::Catalogue& catalogue, const tuner::Study& study,
                          const TuningSettings& settings);

// The device, and who may be at it: one thread at a time.
struct SharedDevice {
  std::unique_ptr<tuner::Backend> backend;
  std::mutex mutex{};
};

// Serves as a run worker does (worker/child), on a thread, with a device whose operations go
// through `calls`. All of these outlive this.
class DeviceThread final : public tuner::Peer {
 public:
  DeviceThread(SharedDevice& device, CallQueue& calls, const tuner::Catalogue& catalogue);
  ~DeviceThread() override;
  DeviceThread(const DeviceThread&) = delete;
  DeviceThread& operator=(const DeviceThread&) = delete;

  int socket() const override { return socket_.get(); }
  pid_t pid() const override;
  void kill() override;
  void let_end() override {}
  std::string wait() override;
  bool killed_from_outside() const override { return false; }
  std::string output_tail() const override { return {}; }
  void clear_output() override {}

 private:
  CallQueue& calls_;
  tuner::FileDescriptor socket_;
  std::string last_words_;
  std::thread thread_;
};

}  // namespace libtuner
