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

// A thread that serves on a socket until that is closed.
class ThreadPeer : public Peer {
 public:
  template <typename Serve>
  explicit ThreadPeer(Serve serve) {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
    socket_.reset(ends[0]);
    thread_ = std::thread([theirs = ends[1], serve = std::move(serve)]() mutable {
      const FileDescriptor closes(theirs);
      serve(theirs);
    });
  }
  ~ThreadPeer() override {
    ThreadPeer::kill();
    ThreadPeer::wait();
  }
  int socket() const override { return socket_.get(); }
  pid_t pid() const override { return ::getpid(); }
  void kill() override { ::shutdown(socket_.get(), SHUT_RDWR); }
  void let_end() override { kill(); }
  std::string wait() override {
    if (thread_.joinable()) thread_.join();
    return "ended";
  }

 private:
  FileDescriptor socket_;
  std::thread thread_;
};

class FakeDeviceThread final : public ThreadPeer {
 public:
  explicit FakeDeviceThread(std::unique_ptr<Backend> backend)
      : ThreadPeer([device = std::move(backend)](int socket) mutable {
          serve_device(socket, Catalogue(), std::move(device));
        }) {}
};

}  // namespace tuner
