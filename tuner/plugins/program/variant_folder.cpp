// Starts programs in a variant's folder and reports how they ended; packs the folder and unpacks
// it.

#include "tuner/plugins/program/variant_folder.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

namespace tuner::program {
namespace {

namespace fs = std::filesystem;

constexpr std::streamoff kMostOutput = 1 << 20;
constexpr std::size_t kShownLines = 8;
constexpr std::size_t kShownBytes = 1000;

std::string last_lines(const std::string& output) {
  std::size_t end = output.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return "it printed nothing";
  ++end;
  std::size_t begin = end;
  for (std::size_t lines = 0; begin > 0 && end - begin < kShownBytes; --begin) {
    if (output[begin - 1] == '\n' && ++lines == kShownLines) break;
  }
  return "its last output:\n" + output.substr(begin, end - begin);
}

// Describes how a program ended, from a status as run_child() and shells have it: 128 + n is signal
// n.
std::string ending(int status) {
  const int number = status - 128;
  const char* name = number > 0 ? sigabbrev_np(number) : nullptr;
  if (name == nullptr) return "ended with status " + std::to_string(status);
  return "was ended by signal " + std::to_string(number) + " (SIG" + name + ", " +
         sigdescr_np(number) + ")";
}

// Why a program that was not found is none. No variant is to blame where none could be executed.
std::string why_no_program(const std::string& word, const fs::path& folder) {
  if (word.find('/') == std::string::npos) return "there is no program '" + word + "' in PATH";
  const fs::path file = folder / word;
  std::error_code none;
  if (!fs::is_regular_file(file, none)) {
    return "there is no program '" + word + "' in the variant's folder";
  }
  struct statvfs facts {};
  if (statvfs(file.c_str(), &facts) == 0 && (facts.f_flag & ST_NOEXEC) != 0) {
    throw sdk::Error(TUNER_DEVICE_LOST,
                     "temporary files: nothing in " + folder.string() +
                         " can be executed, since its file system is mounted noexec (TMPDIR says "
                         "where temporary files are)");
  }
  return "'" + word + "' is not executable";
}

// The path of a program: looked for in PATH, or relative to the folder.
std::string program_at(const std::string& word, const fs::path& folder) {
  if (word.find('/') == std::string::npos) return programs::find_program(word);
  return programs::find_program((folder / word).string());
}

}  // namespace

VariantFolder::VariantFolder(const Command& command) {
  const fs::path temporary = scratch_.path() / "tmp";
  fs::create_directory(path());
  fs::create_directory(temporary);
  environment_ = command.environment;
  environment_.push_back("TUNER_STUDY=" + command.folder);
  // A variable that is there twice means one thing to a shell and another to a program.
  std::set<std::string> names;
  for (const std::string& one : environment_) names.insert(one.substr(0, one.find('=')));
  for (std::string& one : programs::child_environment(temporary)) {
    if (names.count(one.substr(0, one.find('='))) == 0) environment_.push_back(std::move(one));
  }
}

std::string VariantFolder::run(const std::vector<std::string>& words,
                               const std::string& who) const {
  std::vector<std::string> arguments = words;
  arguments.front() = program_at(words.front(), path());
  if (arguments.front().empty()) return who + ": " + why_no_program(words.front(), path());
  const std::string log = scratch_.file("output");
  const int status = programs::run_child({arguments, environment_, log, path().string()});
  if (status == 0) return {};
  return who + " " + ending(status) + "; " + last_lines(output());
}

std::string VariantFolder::output() const {
  std::ifstream in(scratch_.file("output"), std::ios::binary | std::ios::ate);
  const std::streamoff size = in ? static_cast<std::streamoff>(in.tellg()) : 0;
  const std::streamoff wanted = std::min(size, kMostOutput);
  std::string text(static_cast<std::size_t>(wanted), '\0');
  in.seekg(size - wanted);
  in.read(text.data(), wanted);
  return text;
}

// ---- a folder as one value ----------------------------------------------------------------------

namespace {

using nlohmann::json;

constexpr std::uintmax_t kLargest = std::uintmax_t{200} << 20;  // bytes

json packed_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
  const fs::perms mode = fs::status(file).permissions();
  return {{"mode", static_cast<unsigned>(mode & fs::perms::mask)},
          {"bytes", json::binary(std::move(bytes))}};
}

}  // namespace

json packed(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::uintmax_t bytes = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_symlink() && !entry.is_regular_file()) continue;
    paths.push_back(entry.path());
    if (!entry.is_symlink()) bytes += entry.file_size();
  }
  if (bytes > kLargest) {
    throw sdk::Error(TUNER_INVALID, "the folder holds " + std::to_string(bytes >> 20) +
                                        " MiB after the build; a variant has " +
                                        std::to_string(kLargest >> 20) +
                                        " MiB at most (what all variants read can stay in the "
                                        "study's folder, $TUNER_STUDY)");
  }
  std::sort(paths.begin(), paths.end());
  json out = json::array();
  for (const fs::path& path : paths) {
    json one =
        fs::is_symlink(path) ? json{{"link", fs::read_symlink(path).string()}} : packed_file(path);
    one["path"] = path.lexically_relative(folder).string();
    out.push_back(std::move(one));
  }
  return out;
}

void unpack(const json& files, const fs::path& folder) {
  for (const json& one : files) {
    const fs::path path = folder / one.at("path").get<std::string>();
    fs::create_directories(path.parent_path());
    if (one.contains("link")) {
      fs::create_symlink(one.at("link").get<std::string>(), path);
      continue;
    }
    const auto& bytes = one.at("bytes").get_binary();
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) throw sdk::Error(TUNER_DEVICE_LOST, "temporary files: cannot write " + path.string());
    fs::permissions(path, static_cast<fs::perms>(one.at("mode").get<unsigned>()));
  }
}

}  // namespace tuner::program
