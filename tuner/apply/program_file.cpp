// Looks at a program's permissions and at the head of its ELF file.

#include "tuner/apply/program_file.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tuner {
namespace {

namespace fs = std::filesystem;

fs::path found(const std::string& word) {
  if (word.find('/') != std::string::npos) return word;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path file = fs::path(folder.empty() ? "." : folder) / word;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

// An ELF program of 64 bits that names no loader.
bool is_static(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr head{};
  if (!file.read(reinterpret_cast<char*>(&head), sizeof head)) return false;
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64) {
    return false;
  }
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part{};
    file.seekg(static_cast<std::streamoff>(head.e_phoff + i * sizeof part));
    if (!file.read(reinterpret_cast<char*>(&part), sizeof part)) return false;
    if (part.p_type == PT_INTERP) return false;
  }
  return true;
}

}  // namespace

std::string why_not_preloaded(const std::string& word) {
  const fs::path file = found(word);
  struct stat facts {};
  if (file.empty() || ::stat(file.c_str(), &facts) != 0) return {};
  const bool changes_user = (facts.st_mode & S_ISUID) != 0 && facts.st_uid != ::geteuid();
  const bool changes_group = (facts.st_mode & S_ISGID) != 0 && facts.st_gid != ::getegid();
  if (changes_user || changes_group) return "it runs as another user or group (set-user-ID)";
  if (is_static(file)) return "it is linked statically, without a loader";
  return {};
}

}  // namespace tuner
