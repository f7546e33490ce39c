// Packs an artifact with a checksum and refuses bytes that do not match it.

#include "tuner/compile/artifact_file.h"

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tuner/base/hash.h"
#include "tuner/model/fields.h"

namespace tuner {
namespace {

constexpr std::string_view kHead = "tuner artifact 3\n";
constexpr std::size_t kChecksum = 32;

// In place of the number of files that were opened.
constexpr std::uint64_t kNotKnown = ~std::uint64_t{0};

using Symbols = decltype(Artifact::symbols);

// Numbers as eight bytes, texts with their size before them, lists with their length; fields in the
// order of their noun's list.
class Writer {
 public:
  void put(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i));
  }
  void put(std::int64_t value) { put(static_cast<std::uint64_t>(value)); }
  void put(double value) { put(std::bit_cast<std::uint64_t>(value)); }
  void put(const std::string& value) {
    put(std::uint64_t{value.size()});
    bytes += value;
  }
  void put(Bytes<const std::string> value) { put(value.text); }
  void put(const OpenedFiles& opened) { opened ? put(*opened) : put(kNotKnown); }
  // The last field: it goes on to the end.
  void put(const Symbols& symbols) {
    for (const auto& [asked, lowered] : symbols) {
      put(asked);
      put(lowered);
    }
  }
  template <typename T>
  void put(const std::vector<T>& list) {
    put(std::uint64_t{list.size()});
    for (const T& one : list) put(one);
  }
  template <HasFields Noun>
  void put(const Noun& noun) {
    for_each_field(noun, [this](const char*, const auto& field) { this->put(field); });
  }
  std::string bytes;
};

// Reads what Writer wrote; after the first thing that does not fit, `good` is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  void get(std::uint64_t& value) {
    value = 0;
    good = good && rest_.size() >= 8;
    if (!good) return;
    for (std::size_t i = 0; i < 8; ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    }
    rest_.remove_prefix(8);
  }
  void get(std::int64_t& value) { value = static_cast<std::int64_t>(number()); }
  void get(double& value) { value = std::bit_cast<double>(number()); }
  void get(std::string& value) {
    const std::uint64_t size = number();
    good = good && size <= rest_.size();
    if (!good) return;
    value = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  void get(Bytes<std::string> value) { get(value.text); }
  void get(OpenedFiles& opened) {
    const std::uint64_t count = number();
    if (count != kNotKnown) get(opened.emplace(), count);
  }
  void get(Symbols& symbols) {
    while (good && !rest_.empty()) {
      auto& [asked, lowered] = symbols.emplace_back();
      get(asked);
      get(lowered);
    }
  }
  template <typename T>
  void get(std::vector<T>& list) {
    get(list, number());
  }
  template <HasFields Noun>
  void get(Noun& noun) {
    for_each_field(noun, [this](const char*, auto&& field) { this->get(field); });
  }
  bool good = true;

 private:
  std::uint64_t number() {
    std::uint64_t value = 0;
    get(value);
    return value;
  }
  template <typename T>
  void get(std::vector<T>& list, std::uint64_t count) {
    for (std::uint64_t i = 0; good && i < count; ++i) get(list.emplace_back());
  }

  std::string_view rest_;
};

}  // namespace

std::string pack(const std::string& key, const Artifact& artifact) {
  Writer body;
  body.put(key);
  body.put(artifact);
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
  std::string written_for;
  reader.get(written_for);
  if (written_for != key) return std::nullopt;
  Artifact out;
  reader.get(out);
  if (!reader.good) return std::nullopt;
  return out;
}

}  // namespace tuner
