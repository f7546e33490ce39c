#include "program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tuner/base/atomic_file.h"

namespace tuner::cli {

namespace fs = std::filesystem;

namespace {

/// A file of /proc/PID, as far as it could be read: a process may end between open() and read(),
/// and a stream would throw then.
std::string process_file(int pid, const std::string& name) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + name;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::string text;
  char part[4096];
  for (ssize_t size; (size = ::read(file, part, sizeof part)) > 0;) text.append(part, size);
  ::close(file);
  return text;
}

}  // namespace

Sandbox::Sandbox() {
  std::string name = (fs::temp_directory_path() / "tuner-cli-XXXXXX").string();
  root_ = ::mkdtemp(name.data());
}

Sandbox::~Sandbox() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

fs::path Sandbox::write(const std::string& name, const std::string& text) const {
  write_file_atomically(path(name), text);
  return path(name);
}

Running::Running(const Sandbox& sandbox, const std::vector<std::string>& words,
                 const std::vector<std::string>& launcher) {
  static int count = 0;
  ++count;
  out_ = sandbox.path("stdout" + std::to_string(count));
  err_ = sandbox.path("stderr" + std::to_string(count));
  std::vector<std::string> all = launcher;
  all.emplace_back(TUNER_PROGRAM);
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ != 0) return;
  if (::chdir(sandbox.path().c_str()) != 0) ::_exit(99);
  const char* shared = std::getenv("TUNER_TEST_ARTIFACTS");
  const std::filesystem::path cache = shared != nullptr ? shared : sandbox.path("cache");
  ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  const int in = ::open("/dev/null", O_RDONLY);
  const int out = ::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  const int err = ::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  ::dup2(in, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  ::execvp(argv.front(), argv.data());
  ::_exit(98);
}

Running::~Running() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Running::signal(int number) const {
  ::kill(pid_, number);
  const auto taken = [&] {
    std::istringstream status(process_file(pid_, "status"));
    for (std::string word; status >> word;) {
      if (word == "State:" && status >> word && word == "Z") return true;
      if (word != "ShdPnd:") continue;
      std::uint64_t pending = 0;
      status >> std::hex >> pending;
      return (pending >> (number - 1) & 1) == 0;
    }
    return true;
  };
  eventually(taken);
}

std::string Running::errors_so_far() const {
  return fs::exists(err_) ? read_file(err_) : std::string();
}

Finished Running::wait() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  Finished finished;
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  finished.out = read_file(out_);
  finished.err = read_file(err_);
  return finished;
}

bool eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 30000 && !holds(); ++i) ::usleep(10000);
  return holds();
}

bool measured_again(const Finished& done) {
  return done.err.find("than when these results were measured") != std::string::npos ||
         done.err.find("stored results are measured again") != std::string::npos;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

Finished run(const Sandbox& sandbox, const std::vector<std::string>& words,
             const std::vector<std::string>& launcher) {
  return Running(sandbox, words, launcher).wait();
}

Finished run_to(int status, const Sandbox& sandbox, const std::vector<std::string>& words,
                const std::vector<std::string>& launcher) {
  Finished done = run(sandbox, words, launcher);
  EXPECT_EQ(done.status, status) << "tuner" << testing::PrintToString(words) << "\n"
                                 << done.out << done.err;
  return done;
}

std::string text_of(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::vector<std::map<std::string, std::string>> read_csv(const fs::path& path) {
  std::vector<std::vector<std::string>> rows(1);
  std::string field;
  bool quoted = false;
  const std::string text = read_file(path);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == ',' || c == '\n')) {
      rows.back().push_back(std::move(field));
      field.clear();
      if (c == '\n') rows.emplace_back();
    } else if (c != '\r') {
      field += c;
    }
  }
  std::vector<std::map<std::string, std::string>> out;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    if (rows[r].size() != rows[0].size()) continue;
    std::map<std::string, std::string> row;
    for (std::size_t c = 0; c < rows[0].size(); ++c) row[rows[0][c]] = rows[r][c];
    out.push_back(std::move(row));
  }
  return out;
}

std::vector<std::map<std::string, std::string>> ranking_of(const Sandbox& sandbox,
                                                           const std::string& kernel) {
  for (const auto& device :
       std::filesystem::directory_iterator(sandbox.path("results/" + kernel))) {
    for (const auto& file : std::filesystem::directory_iterator(device)) {
      if (file.path().extension() == ".csv") return read_csv(file.path());
    }
  }
  return {};
}

std::vector<int> program_processes(const Sandbox& sandbox) {
  std::vector<int> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    const std::string line = process_file(pid, "cmdline");
    std::error_code gone;
    if (std::strcmp(line.c_str(), TUNER_PROGRAM) == 0 &&
        fs::equivalent(entry.path() / "cwd", sandbox.path(), gone)) {
      found.push_back(pid);
    }
  }
  return found;
}

fs::path data(const std::string& name) { return fs::path(TUNER_SOURCE_DIR) / "tests/data" / name; }

bool no_process_left(const Sandbox& sandbox) {
  return eventually([&] { return program_processes(sandbox).empty(); });
}

}  // namespace tuner::cli
