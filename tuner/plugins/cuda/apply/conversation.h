#pragma once
// The conversation with the `tuner apply` that has started the application: lines of JSON over a
// Unix socket ($TUNER_APPLY). All that is chosen is chosen there.

#include <sys/types.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

namespace tuner::apply {

class Conversation {
 public:
  // Says once, in each process, that this one uses CUDA.
  void greet() noexcept;
  // Asks, and waits for the answer. Throws where there is nobody, or no answer in time: then
  // nobody is asked any more.
  nlohmann::json ask(const nlohmann::json& question);
  // Reports what needs no answer. Where nobody listens it is lost.
  void tell(const nlohmann::json& message) noexcept;

 private:
  bool is_open();
  void send(const std::string& line);
  std::string receive();

  std::mutex mutex_;
  int socket_ = -1;
  pid_t process_ = 0;   // whose connection it is: a fork has none
  std::string behind_;  // what has come behind the last line
};

}  // namespace tuner::apply
