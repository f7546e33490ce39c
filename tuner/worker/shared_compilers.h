#pragma once
// A compile pool for several threads, each with a search of its own: what two of them ask for is
// compiled once, and whoever has little to ask leaves the workers to the others.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <vector>

#include "tuner/base/child_process.h"
#include "tuner/worker/compile_pool.h"
#include "tuner/worker/compilers.h"

namespace tuner {

class SharedCompilers {
 public:
  // Shares `pool`, which nobody else may use as long as this lives.
  SharedCompilers(CompilePool& pool, std::size_t shares);
  SharedCompilers(const SharedCompilers&) = delete;
  SharedCompilers& operator=(const SharedCompilers&) = delete;
  ~SharedCompilers();

  // Returns the share of one thread. Its jobs() are an equal part of the workers: so much its
  // search asks for. No worker is reserved; all of them take what was asked first.
  Compilers& share(std::size_t number);

  // Talks to the workers, on a thread of its own, until stop().
  void serve();
  void stop();

 private:
  class Share;

  void hand_out(std::vector<CompileResult> results);

  CompilePool& pool_;
  FileDescriptor wake_;       // serve()
  mutable std::mutex mutex_;  // of what follows, and of the pool
  std::deque<Share> shares_;
  std::map<std::uint64_t, Share*> askers_;  // by the pool's id
  std::vector<std::uint64_t> cancelled_;
  std::exception_ptr failure_;  // the pool's, which is that of all
  bool is_over_ = false;
};

}  // namespace tuner
