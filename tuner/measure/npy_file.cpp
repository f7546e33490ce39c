// Parses the header of .npy files: a magic word, a version, a length, and a dictionary of Python.

#include "tuner/measure/npy_file.h"

#include <charconv>
#include <optional>
#include <system_error>

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

// The value behind a key; false when there is none, or the key is unknown or comes twice.
bool read_entry(Words& words, const std::string& key, NpyHeader& header, unsigned& seen) {
  unsigned bit = 0;
  bool good = false;
  if (key == "descr") {
    bit = 1;
    if (auto type = words.quoted()) {
      header.type = std::move(*type);
      good = true;
    }
  } else if (key == "fortran_order") {
    bit = 2;
    if (const auto flag = words.flag()) {
      header.column_major = *flag;
      good = true;
    }
  } else if (key == "shape") {
    bit = 4;
    if (auto shape = words.tuple()) {
      header.shape = std::move(*shape);
      good = true;
    }
  }
  const bool is_first = (seen & bit) == 0;
  seen |= bit;
  return good && is_first;
}

Expected<NpyHeader, std::string> parse_dictionary(std::string_view text, std::size_t data_at) {
  constexpr unsigned kAllKeys = 7;
  NpyHeader header;
  header.data_at = data_at;
  Words words(text);
  unsigned seen = 0;
  if (!words.passes("{")) return refused("its header is no dictionary");
  while (!words.passes("}")) {
    const auto key = words.quoted();
    if (!key || !words.passes(":")) return refused("its header cannot be read");
    if (*key == "descr" && words.passes("[")) return refused("it holds records, not numbers");
    if (!read_entry(words, *key, header, seen)) {
      return refused("its header has no good '" + *key + "'");
    }
    if (words.passes(",")) continue;
    if (words.passes("}")) break;
    return refused("its header cannot be read");
  }
  if (seen != kAllKeys) return refused("its header lacks 'descr', 'fortran_order' or 'shape'");
  if (!words.at_end()) return refused("there is something behind its header");
  return header;
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

}  // namespace tuner
