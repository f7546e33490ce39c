// Writes and reads arrays in raw form and in NumPy's.

#include "tuner/plugins/program/array_file.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace tuner::program {
namespace {

const sdk::TypeFacts& facts_of(const std::string& type) {
  const auto found = std::ranges::find(sdk::kTypes, type, &sdk::TypeFacts::name);
  if (found == sdk::kTypes.end()) throw sdk::Error(TUNER_INVALID, "no file holds type " + type);
  return *found;
}

// "<f4"; empty where NumPy has no such type.
std::string numpy_type(const std::string& type) {
  const sdk::TypeFacts& facts = facts_of(type);
  if (facts.numpy.empty() || facts.numpy.starts_with('V')) return {};
  return (facts.bytes == 1 ? "|" : "<") + std::string(facts.numpy);
}

bool is_numpy(const FileArgument& argument) {
  if (!argument.file.ends_with(".npy")) return false;
  if (!numpy_type(argument.type).empty()) return true;
  throw sdk::Error(TUNER_INVALID,
                   "'" + argument.file + "': NumPy has no " + argument.type + "; a raw file has");
}

std::string header_of(const FileArgument& argument) {
  std::string shape;
  for (const std::uint64_t extent : argument.shape) shape += std::to_string(extent) + ",";
  std::string text = "{'descr': '" + numpy_type(argument.type) +
                     "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr std::size_t kAlignment = 64;
  constexpr std::size_t kPrefix = 10;
  text.resize((kPrefix + text.size()) / kAlignment * kAlignment + kAlignment - kPrefix - 1, ' ');
  text += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(text.size() & 0xFF);
  out += static_cast<char>(text.size() >> 8);
  return out + text;
}

[[noreturn]] void wrong(const FileArgument& argument, const std::string& why) {
  throw sdk::Error(TUNER_RUNTIME_FAULT, "'" + argument.file + "' " + why);
}

// Returns the header's text behind 'KEY': up to `end`; empty: there is none.
std::string entry_of(const std::string& header, const std::string& key, char end) {
  const std::size_t at = header.find("'" + key + "':");
  if (at == std::string::npos) return {};
  const std::size_t begin = header.find_first_not_of(' ', at + key.size() + 3);
  const std::size_t last = header.find(end, begin);
  return last == std::string::npos ? "" : header.substr(begin, last - begin);
}

// Reads the header and complains of another array than the study says. Dimensions of 1 and their
// order are the program's: the elements count, as in memory.
void check_header(const FileArgument& argument, std::istream& in) {
  std::string head(8, '\0');
  in.read(head.data(), 8);
  if (!in || head.compare(0, 6, "\x93NUMPY") != 0) wrong(argument, "is no .npy file");
  const int size_bytes = head[6] == 1 ? 2 : 4;
  std::size_t size = 0;
  for (int i = 0; i < size_bytes; ++i) {
    size |= static_cast<std::size_t>(static_cast<unsigned char>(in.get())) << (8 * i);
  }
  constexpr std::size_t kLargestHeader = 1 << 16;
  std::string header(std::min(size, kLargestHeader), '\0');
  in.read(header.data(), static_cast<std::streamsize>(header.size()));
  const std::string type = entry_of(header, "descr", ',');
  if (type != "'" + numpy_type(argument.type) + "'") {
    wrong(argument, "holds " + type + ", not " + argument.type);
  }
  if (entry_of(header, "fortran_order", ',') != "False") {
    wrong(argument, "is in Fortran's order (NumPy: numpy.ascontiguousarray)");
  }
}

}  // namespace

std::size_t bytes_of(const FileArgument& argument) {
  std::size_t bytes = facts_of(argument.type).bytes;
  for (const std::uint64_t extent : argument.shape) bytes *= extent;
  return bytes;
}

void write_array(const FileArgument& argument, std::span<const std::byte> bytes,
                 const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / argument.file;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  if (is_numpy(argument)) out << header_of(argument);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw sdk::Error(TUNER_DEVICE_LOST, "temporary files: cannot write " + path.string());
}

void read_array(const FileArgument& argument, std::span<std::byte> bytes,
                const std::filesystem::path& folder) {
  std::ifstream in(folder / argument.file, std::ios::binary | std::ios::ate);
  if (!in) wrong(argument, "was not written by the program");
  const auto end = static_cast<std::size_t>(in.tellg());
  in.seekg(0);
  if (is_numpy(argument)) check_header(argument, in);
  const std::size_t there = end - static_cast<std::size_t>(in.tellg());
  if (there != bytes.size()) {
    wrong(argument, "holds " + std::to_string(there) + " bytes of numbers, and the study says " +
                        std::to_string(bytes.size()));
  }
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace tuner::program
