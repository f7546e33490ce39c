#pragma once
// Compiles generated C++ with the compilers of the machine and runs it.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace tuner {

struct CommandOutput {
  int status = -1;
  std::string text;  // stdout and stderr
};

inline CommandOutput run_command(const std::string& command) {
  CommandOutput out;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return out;
  char block[4096];
  std::size_t got = 0;
  while ((got = std::fread(block, 1, sizeof block, pipe)) > 0) out.text.append(block, got);
  out.status = ::pclose(pipe);
  return out;
}

inline bool has_command(const std::string& name) {
  return run_command("command -v " + name).status == 0;
}

// A folder with the header as tuned.h.
class HeaderFolder {
 public:
  explicit HeaderFolder(const std::string& header) {
    std::string pattern = (std::filesystem::temp_directory_path() / "tuner-hdr-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
    write("tuned.h", header);
  }
  ~HeaderFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  HeaderFolder(const HeaderFolder&) = delete;
  HeaderFolder& operator=(const HeaderFolder&) = delete;

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
  }
  CommandOutput run(const std::string& command) const {
    return run_command("cd " + path_.string() + " && " + command);
  }
  // Compiled without any warning and run; what it printed.
  CommandOutput run_program(const std::string& main, const std::string& compiler = "g++") const {
    write("main.cpp", main);
    CommandOutput compiled = run(compiler +
                                 " -std=c++17 -O1 -Wall -Wextra -Wpedantic -Wconversion -Wshadow "
                                 "-Werror main.cpp -o main");
    return compiled.status != 0 ? compiled : run("./main");
  }

 private:
  std::filesystem::path path_;
};

template <class Files>
void write_launcher(const HeaderFolder& folder, const Files& files) {
  folder.write("matmul_launcher.hpp", files.header);
  folder.write("matmul_launcher.cu", files.source);
  folder.write("matmul_launcher.inl", files.text);
}

}  // namespace tuner
