#pragma once
// A run worker without a process: a thread of the test that serves the protocol on a FakeBackend.

#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "tests/fakes/fake_backend.h"
#include "tuner/base/child_process.h"
#include "tuner/plugin/catalogue.h"
#include "tuner/worker/channel.h"
#include "tuner/worker/child.h"

namespace tuner {

class FakeDeviceThread final : public Peer {
 public:
  explicit FakeDeviceThread(std::unique_ptr<Backend> backend) {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
    socket_.reset(ends[0]);
    thread_ = std::thread([theirs = ends[1], device = std::move(backend)]() mutable {
      const FileDescriptor closes(theirs);
      serve_device(theirs, Catalogue(), std::move(device), false);
    });
  }
  ~FakeDeviceThread() override {
    kill();
    wait();
  }
  int socket() const override { return socket_.get(); }
  pid_t pid() const override { return ::getpid(); }
  void kill() override { ::shutdown(socket_.get(), SHUT_RDWR); }
  void let_end() override { kill(); }
  std::string wait() override {
    if (thread_.joinable()) thread_.join();
    return "ended";
  }
  bool killed_from_outside() const override { return false; }
  std::string output_tail() const override { return {}; }
  void clear_output() override {}

 private:
  FileDescriptor socket_;
  std::thread thread_;
};

}  // namespace tuner
