// The 128-bit content hash, and files hashed by their contents, each once.

#include "tuner/base/hash.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "tuner/base/child_process.h"

namespace tuner {

void Hasher::mix(std::uint64_t word) {
  a_ = splitmix64(a_ ^ word);
  b_ = std::rotl(b_, 23) + splitmix64(word * 0x9FB21C651E98DF25ULL + a_);
}

Hasher& Hasher::add(std::uint64_t number) {
  mix(1);
  mix(number);
  return *this;
}

Hasher& Hasher::add(std::string_view piece) {
  mix(2);
  mix(piece.size());
  for (std::size_t at = 0; at < piece.size(); at += 8) {
    std::uint64_t word = 0;
    const std::size_t count = piece.size() - at < 8 ? piece.size() - at : 8;
    for (std::size_t i = 0; i < count; ++i) {
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(piece[at + i])) << (8 * i);
    }
    mix(word);
  }
  return *this;
}

Digest Hasher::digest() const {
  return {splitmix64(a_ ^ std::rotl(b_, 32)), splitmix64(b_ + 0xD6E8FEB86659FD93ULL * a_)};
}

std::string to_hex(const Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (std::uint64_t word : {digest.high, digest.low}) {
    for (int shift = 60; shift >= 0; shift -= 4) out += kDigits[(word >> shift) & 15];
  }
  return out;
}

Digest hash_of(std::string_view text) { return Hasher().add(text).digest(); }

// ---- files --------------------------------------------------------------------------------------

namespace {

// A file's digest is a Hasher's, of its blocks: all but the last have this many bytes, and the last
// has fewer, or none.
constexpr std::size_t kFileBlock = std::size_t{1} << 20;

// A whole block, or what is left of the file; negative when it cannot be read.
ssize_t fill(int fd, std::vector<char>& block) {
  std::size_t have = 0;
  while (have < block.size()) {
    const ssize_t got = ::read(fd, block.data() + have, block.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(have);
}

std::optional<std::string> digest_of(int fd) {
  std::vector<char> block(kFileBlock);
  Hasher hasher;
  for (;;) {
    const ssize_t got = fill(fd, block);
    if (got < 0) return std::nullopt;
    hasher.add(std::string_view(block.data(), static_cast<std::size_t>(got)));
    if (static_cast<std::size_t>(got) < kFileBlock) return to_hex(hasher.digest());
  }
}

}  // namespace

std::string file_digest_of(std::string_view bytes) {
  Hasher hasher;
  for (;;) {
    const std::string_view block = bytes.substr(0, kFileBlock);
    hasher.add(block);
    if (block.size() < kFileBlock) return to_hex(hasher.digest());
    bytes.remove_prefix(block.size());
  }
}

std::optional<FileDigests::State> FileDigests::of(const std::filesystem::path& path) {
  // Not blocking: opening a FIFO that has no writer would never return.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return std::nullopt;
  std::optional<State> state;
  struct stat facts {};
  if (::fstat(file.get(), &facts) == 0 && S_ISREG(facts.st_mode)) {
    const Stamp stamp{facts.st_dev, facts.st_ino, static_cast<std::uint64_t>(facts.st_size),
                      facts.st_ctim.tv_sec, facts.st_ctim.tv_nsec};
    const auto known = known_.find(path.string());
    if (known != known_.end() && known->second.first == stamp) {
      state = known->second.second;
    } else if (auto digest = digest_of(file.get())) {
      state = State{std::move(*digest),
                    std::chrono::system_clock::time_point(
                        std::chrono::duration_cast<std::chrono::system_clock::duration>(
                            std::chrono::seconds(stamp.seconds) +
                            std::chrono::nanoseconds(stamp.nanoseconds)))};
      known_.insert_or_assign(path.string(), std::pair{stamp, *state});
    }
  }
  return state;
}

std::string FileDigests::text_of(const std::filesystem::path& path) {
  const auto state = of(path);
  return state ? state->digest : std::string();
}

}  // namespace tuner
