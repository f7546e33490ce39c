// The link that MPI makes, and sockets that are waited for, read and written without ever waiting
// for long.

#include "tuner/remote/link.h"

#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <ctime>
#include <string>

#include "tuner/base/error.h"
#include "tuner/plugin/abi_ranks.h"
#include "tuner/plugin/loader.h"

namespace tuner {
namespace {

class MpiLink final : public RankLink {
 public:
  explicit MpiLink(const tuner_ranks& calls)
      : calls_(calls),
        rank_(static_cast<unsigned>(calls.rank())),
        count_(static_cast<unsigned>(calls.count())),
        node_(calls.node()) {}

  unsigned rank() const override { return rank_; }
  unsigned count() const override { return count_; }
  std::string node() const override { return node_; }
  bool send(unsigned rank, const std::string& bytes) override {
    return calls_.send(static_cast<int>(rank), bytes.data(), bytes.size()) == nullptr;
  }
  std::optional<Message> receive() override {
    const void* bytes = nullptr;
    std::size_t size = 0;
    const int from = calls_.receive(&bytes, &size);
    if (from < 0) return std::nullopt;
    return Message{static_cast<unsigned>(from), std::string(static_cast<const char*>(bytes), size)};
  }
  bool is_sending() const override { return calls_.unsent() > 0; }
  void finish() override { calls_.finish(); }

 private:
  const tuner_ranks& calls_;
  unsigned rank_;
  unsigned count_;
  std::string node_;
};

}  // namespace

std::unique_ptr<RankLink> make_mpi_link(const std::filesystem::path& module) {
  const auto table = load_table(module, TUNER_RANKS_SYMBOL);
  if (!table) throw UnavailableError(module.string() + ": " + table.error());
  const auto& calls = *static_cast<const tuner_ranks*>(*table);
  if (calls.struct_size != sizeof(tuner_ranks)) {
    throw UnavailableError(module.string() + " is of another build than this program");
  }
  if (const char* failed = calls.start()) {
    throw UnavailableError(std::string("MPI cannot be started: ") + failed);
  }
  return std::make_unique<MpiLink>(calls);
}

// ---- how often a link is looked at --------------------------------------------------------------

void Pace::poll(std::vector<pollfd>& fds) {
  const timespec time{0, microseconds_ * 1000};
  ::ppoll(fds.data(), fds.size(), &time, nullptr);
  microseconds_ = std::min(kLongest, microseconds_ + microseconds_ / 4);
}

std::optional<std::string> read_some(int socket) {
  constexpr int kMost = 1 << 18;
  int waiting = 0;
  ::ioctl(socket, FIONREAD, &waiting);
  std::string bytes(static_cast<std::size_t>(std::clamp(waiting, 1, kMost)), '\0');
  const auto got = ::recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  return bytes;
}

bool write_some(int socket, std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto sent =
        ::send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    done = sent < 0 ? bytes.size() : done + static_cast<std::size_t>(sent);
  }
  bytes.erase(0, done);
  return done > 0;
}

}  // namespace tuner
