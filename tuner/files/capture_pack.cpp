// Packs what was captured: joins memory that is close together, and compresses it.

#include "tuner/files/capture_pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <optional>

#include "tuner/base/archives.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/interrupt.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Placing rounds to 32 MiB (plugins/cuda/placed_memory): pieces that would share such a range are
// one, and so are those whose guard words would.
constexpr std::uint64_t kStep = std::uint64_t{32} << 20;
constexpr std::uint64_t kMargin = 4096;

struct RawMemory {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::string file, written;
};

struct Piece {
  std::vector<RawMemory> parts;  // by address
  std::uint64_t begin() const { return parts.front().address; }
  std::uint64_t end() const { return parts.back().address + parts.back().size; }
};

std::vector<Piece> pieces_of(std::vector<RawMemory> all) {
  std::ranges::sort(all, {}, &RawMemory::address);
  std::vector<Piece> out;
  for (RawMemory& one : all) {
    const bool is_near =
        !out.empty() && (one.address - kMargin) / kStep <= (out.back().end() + kMargin) / kStep;
    if (!is_near) out.emplace_back();
    out.back().parts.push_back(std::move(one));
  }
  return out;
}

constexpr std::size_t kChunk = std::size_t{4} << 20;

void append(GzipFile& to, const fs::path& raw, std::uint64_t size) {
  std::ifstream from(raw, std::ios::binary);
  std::string chunk(std::min<std::uint64_t>(size, kChunk), '\0');
  for (std::uint64_t left = size; left > 0;) {
    if (stop_signals() > 0) throw InterruptedError("interrupted: nothing of this launch is kept");
    const auto wanted = static_cast<std::streamsize>(std::min<std::uint64_t>(left, kChunk));
    from.read(chunk.data(), wanted);
    if (from.gcount() != wanted) throw FatalError(raw.string() + " is shorter than it was");
    to.write(std::string_view(chunk).substr(0, static_cast<std::size_t>(wanted)));
    left -= static_cast<std::uint64_t>(wanted);
  }
}

void append_zeros(GzipFile& to, std::uint64_t size) {
  const std::string zeros(std::min<std::uint64_t>(size, kChunk), '\0');
  for (; size > 0; size -= std::min<std::uint64_t>(size, kChunk)) {
    to.write(std::string_view(zeros).substr(0, std::min<std::uint64_t>(size, kChunk)));
  }
}

void compress(const fs::path& raw, const Piece& piece, const fs::path& target, bool afterwards) {
  GzipFile file(target);
  std::uint64_t at = piece.begin();
  for (const RawMemory& part : piece.parts) {
    append_zeros(file, part.address - at);
    append(file, raw / (afterwards && !part.written.empty() ? part.written : part.file), part.size);
    at = part.address + part.size;
  }
  file.close();
}

std::vector<RawMemory> raw_memory(const json& described) {
  std::vector<RawMemory> out;
  for (const json& one : described.at("allocations")) {
    out.push_back({one.at("address"), one.at("size"), one.at("file"), one.at("written")});
  }
  return out;
}

json pack_piece(const fs::path& raw, const Piece& piece, const fs::path& folder, std::size_t number,
                std::vector<std::future<void>>& work) {
  const bool is_written =
      std::ranges::any_of(piece.parts, [](const RawMemory& part) { return !part.written.empty(); });
  const std::string file = fmt::format("memory-{}.gz", number);
  const std::string written = is_written ? fmt::format("written-{}.gz", number) : "";
  work.push_back(std::async(std::launch::async, compress, raw, piece, folder / file, false));
  if (is_written) {
    work.push_back(std::async(std::launch::async, compress, raw, piece, folder / written, true));
  }
  json parts = json::array();
  for (const RawMemory& part : piece.parts) {
    parts.push_back({part.address - piece.begin(), part.size});
  }
  return {{"address", piece.begin()},
          {"size", piece.end() - piece.begin()},
          {"file", file},
          {"written", written},
          {"parts", std::move(parts)}};
}

}  // namespace

CapturedLaunch pack_capture(const fs::path& raw, const std::string& description,
                            const fs::path& folder) {
  const fs::path making = folder.string() + ".part";
  try {
    json described = json::parse(read_file(raw / description));
    fs::remove_all(making);  // of a run that was ended
    fs::create_directories(making);
    std::vector<std::future<void>> work;
    json allocations = json::array();
    for (const Piece& piece : pieces_of(raw_memory(described))) {
      allocations.push_back(pack_piece(raw, piece, making, allocations.size(), work));
    }
    for (std::future<void>& one : work) one.get();
    fs::copy_file(raw / described.at("image").get<std::string>(), making / "image.cubin");
    described["allocations"] = std::move(allocations);
    described["image"] = "image.cubin";
    write_file_atomically(making / "capture.json", described.dump(1) + "\n");
    fs::rename(making, folder);
  } catch (const std::exception& error) {
    std::error_code ignored;
    fs::remove_all(making, ignored);
    if (dynamic_cast<const InterruptedError*>(&error) != nullptr) throw;
    throw FatalError(folder.string() + " cannot be written: " + error.what());
  }
  return read_capture(folder);
}

}  // namespace tuner
