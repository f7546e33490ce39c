// Packs an artifact with a checksum and refuses bytes that do not match it.

#include "tuner/compile/artifact_file.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "tuner/base/hash.h"

namespace tuner {
namespace {

constexpr std::string_view kHead = "tuner artifact 3\n";
constexpr std::size_t kChecksum = 32;

class Writer {
 public:
  void number(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i));
  }
  void text(const std::string& value) {
    number(value.size());
    bytes += value;
  }
  std::string bytes;
};

// Reads what Writer wrote; after the first thing that does not fit, `good` is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t number() {
    if (rest_.size() < 8) {
      good = false;
      return 0;
    }
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      out |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    }
    rest_.remove_prefix(8);
    return out;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (size > rest_.size()) {
      good = false;
      return {};
    }
    std::string out(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return out;
  }
  bool at_end() const { return rest_.empty(); }
  bool good = true;

 private:
  std::string_view rest_;
};

// The numbers of `resources`, in the order in which they are stored.
template <typename R, typename Visit>
void each_number(R& resources, Visit visit) {
  visit(resources.registers);
  visit(resources.static_shared_bytes);
  visit(resources.constant_bytes);
  visit(resources.local_bytes);
  visit(resources.spill_bytes);
  visit(resources.max_threads);
}

// In place of the number of files that were opened.
constexpr std::uint64_t kNotKnown = ~std::uint64_t{0};

void read_opened(Reader& reader, OpenedFiles& opened) {
  const std::uint64_t count = reader.number();
  if (count == kNotKnown) return;
  opened.emplace();
  for (std::uint64_t i = 0; reader.good && i < count; ++i) {
    FileState& file = opened->emplace_back();
    file.path = reader.text();
    file.digest = reader.text();
  }
}

}  // namespace

std::string pack(const std::string& key, const Artifact& artifact) {
  Writer body;
  body.text(key);
  body.text(artifact.image);
  body.text(artifact.entry);
  body.text(artifact.log);
  body.number(std::bit_cast<std::uint64_t>(artifact.milliseconds));
  each_number(artifact.resources,
              [&](std::int64_t value) { body.number(static_cast<std::uint64_t>(value)); });
  body.number(artifact.then.size());
  for (const NextKernel& next : artifact.then) {
    body.text(next.entry);
    each_number(next.resources,
                [&](std::int64_t value) { body.number(static_cast<std::uint64_t>(value)); });
  }
  body.number(artifact.opened ? artifact.opened->size() : kNotKnown);
  if (artifact.opened) {
    for (const FileState& file : *artifact.opened) {
      body.text(file.path);
      body.text(file.digest);
    }
  }
  for (const auto& [asked, lowered] : artifact.symbols) {
    body.text(asked);
    body.text(lowered);
  }
  return std::string(kHead) + to_hex(hash_of(body.bytes)) + body.bytes;
}

std::optional<Artifact> unpack(const std::string& key, const std::string& bytes) {
  const std::string_view all = bytes;
  if (all.size() < kHead.size() + kChecksum || all.substr(0, kHead.size()) != kHead) {
    return std::nullopt;
  }
  const std::string_view body = all.substr(kHead.size() + kChecksum);
  if (all.substr(kHead.size(), kChecksum) != to_hex(hash_of(body))) return std::nullopt;
  Reader reader(body);
  if (reader.text() != key) return std::nullopt;
  Artifact out;
  out.image = reader.text();
  out.entry = reader.text();
  out.log = reader.text();
  out.milliseconds = std::bit_cast<double>(reader.number());
  each_number(out.resources,
              [&](std::int64_t& value) { value = static_cast<std::int64_t>(reader.number()); });
  const std::uint64_t count = reader.number();
  for (std::uint64_t i = 0; reader.good && i < count; ++i) {
    NextKernel& next = out.then.emplace_back();
    next.entry = reader.text();
    each_number(next.resources,
                [&](std::int64_t& value) { value = static_cast<std::int64_t>(reader.number()); });
  }
  read_opened(reader, out.opened);
  while (reader.good && !reader.at_end()) {
    std::string asked = reader.text();
    out.symbols.emplace_back(std::move(asked), reader.text());
  }
  if (!reader.good) return std::nullopt;
  return out;
}

}  // namespace tuner
