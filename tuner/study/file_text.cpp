// Reads the text of a study file.

#include "tuner/study/file_text.h"

#include <fstream>
#include <system_error>
#include <vector>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/study/yaml_tree.h"

namespace tuner {
namespace {

[[noreturn]] void cannot_read(const std::filesystem::path& path, const std::string& reason) {
  throw InputError(Complaint{{path.string(), 0, 0}, "cannot read the study: " + reason, ""});
}

}  // namespace

std::string study_text(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) cannot_read(path, "there is no such file");
  if (std::filesystem::is_directory(status)) cannot_read(path, "it is a directory");
  if (!is_seekable_file(path)) {
    cannot_read(path, "it is a pipe or a device; a study is read from a file");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) cannot_read(path, "permission denied");
  std::string text;
  std::vector<char> block(1 << 16);
  while (in && text.size() <= kMaxYamlBytes) {  // one block more than parse_yaml accepts
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (text.find('\0') != std::string::npos) cannot_read(path, "it is not a text file");
  std::erase(text, '\r');
  return text;
}

}  // namespace tuner
