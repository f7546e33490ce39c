// Reads files of numbers, and the header of .npy files: a magic word, a version, a length, and a
// dictionary of Python.

#include "tuner/measure/data_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "tuner/base/archives.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"

namespace tuner {

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::size_t kMostDimensions = 32;

// Reads the words of the dictionary one after the other.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  // Whether this comes next; then it is passed.
  bool passes(std::string_view word) {
    skip_blanks();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string> quoted() {
    skip_blanks();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) return std::nullopt;
    const std::size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string found(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return found;
  }
  std::optional<bool> flag() {
    if (passes("True")) return true;
    if (passes("False")) return false;
    return std::nullopt;
  }
  std::optional<std::vector<std::uint64_t>> tuple() {
    std::vector<std::uint64_t> numbers;
    if (!passes("(")) return std::nullopt;
    while (!passes(")")) {
      skip_blanks();
      std::uint64_t number = 0;
      const char* end = text_.data() + text_.size();
      const auto [rest, error] = std::from_chars(text_.data(), end, number);
      if (error != std::errc() || numbers.size() == kMostDimensions) return std::nullopt;
      text_.remove_prefix(static_cast<std::size_t>(rest - text_.data()));
      numbers.push_back(number);
      if (!passes(",") && !text_.starts_with(")")) return std::nullopt;
    }
    return numbers;
  }
  bool at_end() {
    skip_blanks();
    return text_.empty();
  }

 private:
  void skip_blanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n'))
      text_.remove_prefix(1);
  }
  std::string_view text_;
};

Expected<NpyHeader, std::string> refused(const std::string& why) { return Unexpected{why}; }

// Entries of a header, each of which may appear only once.
struct Entries {
  std::optional<std::string> type;
  std::optional<bool> column_major;
  std::optional<std::vector<std::uint64_t>> shape;
};

template <typename T>
bool set_once(std::optional<T>& place, std::optional<T> value) {
  if (place || !value) return false;
  place = std::move(value);
  return true;
}

// The value behind a key; false when there is none, or the key is unknown or comes twice.
bool read_entry(Words& words, const std::string& key, Entries& entries) {
  if (key == "descr") return set_once(entries.type, words.quoted());
  if (key == "fortran_order") return set_once(entries.column_major, words.flag());
  return key == "shape" && set_once(entries.shape, words.tuple());
}

Expected<NpyHeader, std::string> parse_dictionary(std::string_view text, std::size_t data_at) {
  Entries entries;
  Words words(text);
  if (!words.passes("{")) return refused("its header is no dictionary");
  while (!words.passes("}")) {
    const auto key = words.quoted();
    if (!key || !words.passes(":")) return refused("its header cannot be read");
    if (*key == "descr" && words.passes("[")) return refused("it holds records, not numbers");
    if (!read_entry(words, *key, entries)) {
      return refused("its header has no good '" + *key + "'");
    }
    if (words.passes(",")) continue;
    if (words.passes("}")) break;
    return refused("its header cannot be read");
  }
  auto& [type, column_major, shape] = entries;
  if (!type || !column_major || !shape)
    return refused("its header lacks 'descr', 'fortran_order' or 'shape'");
  if (!words.at_end()) return refused("there is something behind its header");
  return NpyHeader{std::move(*type), *column_major, std::move(*shape), data_at};
}

}  // namespace

Expected<NpyHeader, std::string> parse_npy_header(std::string_view bytes) {
  constexpr std::size_t kVersionAt = 6;
  constexpr std::size_t kLengthAt = 8;
  const auto byte = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at]));
  };
  if (!bytes.starts_with(kMagic)) return refused("it is no .npy file");
  if (bytes.size() < kLengthAt + 4) return refused("it ends within its header");
  const std::size_t version = byte(kVersionAt);
  if (version < 1 || version > 3) {
    return refused("its format is version " + std::to_string(version) + ", known are 1 to 3");
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | byte(kLengthAt + i);
  const std::size_t begin = kLengthAt + length_bytes;
  if (length > kLongestNpyHeader - begin) return refused("its header is too long");
  if (length > bytes.size() - begin) return refused("it ends within its header");
  return parse_dictionary(bytes.substr(begin, length), begin + length);
}

namespace {

using Failed = Unexpected<std::string>;

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// Describes what is wrong with a header, beginning with a verb; empty when nothing is.
std::string wrong_with(const NpyHeader& header, const DataWanted& wanted) {
  const std::string& type = header.type;
  const auto known = std::ranges::find_if(kDataTypes, [&](const TypeFacts& one) {
    return type.size() == 3 && type.substr(1) == one.numpy;
  });
  const bool has_no_order = known != kDataTypes.end() && known->bytes == 1;
  if (type.starts_with('>')) return fmt::format("holds big-endian numbers ('{}')", type);
  if (known == kDataTypes.end() ||
      !(type[0] == '<' || (type[0] == '|' && (has_no_order || type == "|V2")))) {
    return fmt::format("holds numbers of a type ('{}') that no argument has", type);
  }
  if (known->type != wanted.type) {
    return fmt::format("holds {}, '{}' is {}", known->name, wanted.name, name_of(wanted.type));
  }
  if (header.shape != wanted.shape) {
    return fmt::format("has the shape {}, '{}' has {}", shape_text(header.shape), wanted.name,
                       shape_text(wanted.shape));
  }
  // Both orders are the same for one dimension.
  if (header.column_major && header.shape.size() > 1) {
    return "is in Fortran's order, not in C's (numpy.ascontiguousarray changes it)";
  }
  return {};
}

std::string behind(const DataWanted& wanted) {
  return wanted.offset == 0 ? std::string() : fmt::format(" behind byte {}", wanted.offset);
}

struct Opened {
  std::ifstream stream;
  std::uint64_t data_at = 0;
};

// Opens a file at its first number, and makes sure that it has enough of them.
Expected<Opened, std::string> opened(const std::filesystem::path& file, const DataWanted& wanted) {
  std::error_code failed;
  const std::uint64_t held = std::filesystem::file_size(file, failed);
  if (failed) return Failed{file.string() + ": cannot be read: " + failed.message()};
  if (!is_seekable_file(file)) return Failed{file.string() + ": is no file that can be read"};
  Opened out{std::ifstream(file, std::ios::binary)};
  if (!out.stream) return Failed{file.string() + ": cannot be read"};
  if (file.extension() == ".npy") {
    std::string head(std::min<std::uint64_t>(held, kLongestNpyHeader), '\0');
    out.stream.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(out.stream.gcount()));
    auto header = parse_npy_header(head);
    if (!header) return Failed{file.string() + ": " + header.error()};
    const std::string wrong = wrong_with(*header, wanted);
    if (!wrong.empty()) return Failed{file.string() + " " + wrong};
    out.data_at = header->data_at;
    out.stream.clear();
    out.stream.seekg(static_cast<std::streamoff>(out.data_at));
  }
  if (file.extension() != ".npy") {
    out.data_at = std::min(wanted.offset, held);
    out.stream.seekg(static_cast<std::streamoff>(out.data_at));
  }
  if (held - out.data_at < wanted.bytes()) {
    return Failed{fmt::format("{} holds {} bytes{}; '{}' needs {}", file.string(),
                              held - out.data_at,
                              file.extension() == ".npy" ? " behind its header" : behind(wanted),
                              wanted.name, wanted.bytes())};
  }
  return out;
}

// Reads raw bytes that gzip has compressed.
Expected<std::vector<std::byte>, std::string> unpacked(const std::filesystem::path& file,
                                                       const DataWanted& wanted) {
  try {
    std::vector<std::byte> bytes(wanted.bytes());
    const std::size_t held = unpack(file, bytes, wanted.offset);
    if (held == bytes.size()) return bytes;
    return Failed{fmt::format("{} holds {} bytes{} once it is unpacked; '{}' needs {}",
                              file.string(), held, behind(wanted), wanted.name, bytes.size())};
  } catch (const FatalError& error) {
    return Failed{error.what()};
  }
}

}  // namespace

std::uint64_t DataWanted::bytes() const {
  std::uint64_t bytes = size_of(type);
  for (const std::uint64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) {
      return std::numeric_limits<std::uint64_t>::max();
    }
  }
  return bytes;
}

// How much a compressed file holds is known once it is read.
std::optional<std::string> data_mismatch(const std::filesystem::path& file,
                                         const DataWanted& wanted) {
  if (file.extension() == ".gz" && is_seekable_file(file)) return std::nullopt;
  const auto found = opened(file, wanted);
  return found ? std::nullopt : std::optional(found.error());
}

Expected<std::vector<std::byte>, std::string> read_data(const std::filesystem::path& file,
                                                        const DataWanted& wanted) {
  if (file.extension() == ".gz") return unpacked(file, wanted);
  auto found = opened(file, wanted);
  if (!found) return Failed{found.error()};
  std::vector<std::byte> bytes(wanted.bytes());
  found->stream.read(reinterpret_cast<char*>(bytes.data()),
                     static_cast<std::streamsize>(bytes.size()));
  if (static_cast<std::size_t>(found->stream.gcount()) != bytes.size()) {
    return Failed{file.string() + " became shorter while it was read"};
  }
  return bytes;
}

}  // namespace tuner
