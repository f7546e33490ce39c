// A problem whose right answers a function of Python gives, in a process of its own: what is judged
// runs in another one, and on a GPU cannot reach it.

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/plugin/sdk.h"

extern char** environ;

namespace tuner::python {

extern const std::string_view kAnsweringText;  // answering.py

namespace {

using sdk::Error;

// A child of this process, and the socket to it. Both end with this object.
class Answering {
 public:
  explicit Answering(std::vector<std::string> words) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("socketpair");
    socket_ = ends[0];
    const char* const named = std::getenv("TUNER_PYTHON");
    const std::string python = named != nullptr && *named != '\0' ? named : "python3";
    words.insert(words.begin(), {python, "-c", std::string(kAnsweringText)});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    // A descriptor that is 3 already would stay closed on exec.
    const int theirs = ends[1] == 3 ? ::fcntl(ends[1], F_DUPFD_CLOEXEC, 4) : ends[1];
    ::posix_spawn_file_actions_adddup2(&actions, theirs, 3);
    const int error =
        ::posix_spawnp(&child_, python.c_str(), &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (theirs != ends[1]) ::close(theirs);
    ::close(ends[1]);
    if (error == 0) return;
    ::close(socket_);
    throw Error(TUNER_UNSUPPORTED,
                "a reference in Python needs Python: '" + python + "': " + std::strerror(error));
  }
  ~Answering() {
    ::close(socket_);
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;

  void send(const void* data, std::size_t bytes) const {
    const auto* from = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t done = ::send(socket_, from, bytes, MSG_NOSIGNAL);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) gone();
      from += done;
      bytes -= static_cast<std::size_t>(done);
    }
  }

  void receive(void* data, std::size_t bytes) const {
    auto* to = static_cast<char*>(data);
    while (bytes > 0) {
      const ssize_t done = ::recv(socket_, to, bytes, 0);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) gone();
      to += done;
      bytes -= static_cast<std::size_t>(done);
    }
  }

  bool has_ended() const {
    char one = 0;
    return ::recv(socket_, &one, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }

  // "ok 4096" or "error 12".
  std::pair<bool, std::size_t> head() const {
    std::string line;
    for (char c = 0; c != '\n' && line.size() < 64; line += c) receive(&c, 1);
    const std::size_t space = line.find(' ');
    if (space == line.npos) gone();
    return {line.starts_with("ok "), std::strtoull(line.c_str() + space, nullptr, 10)};
  }

 private:
  [[noreturn]] static void fail(const char* what) {
    throw Error(TUNER_RUNTIME_FAULT, std::string(what) + ": " + std::strerror(errno));
  }
  [[noreturn]] static void gone() {
    throw Error(TUNER_RUNTIME_FAULT, "the process of the reference in Python has ended");
  }

  pid_t child_ = -1;
  int socket_ = -1;
};

// One for all sizes that a worker prepares: importing NumPy takes 0.1 s, PyTorch seconds. It ends
// with the worker.
std::shared_ptr<Answering> process_for(const std::vector<std::string>& words) {
  static std::vector<std::string> of;
  static std::shared_ptr<Answering> kept;
  if (!kept || of != words || kept->has_ended()) {
    kept = std::make_shared<Answering>(words);
    of = words;
  }
  return kept;
}

// An argument as JSON. Its name is an identifier.
std::string described(const tuner_array& one) {
  const sdk::TypeFacts& type = sdk::facts_of(one.type);
  std::string shape = "null";
  if (one.extent_count > 0) {
    shape = "[";
    for (std::uint32_t i = 0; i < one.extent_count; ++i) {
      shape += (i > 0 ? "," : "") + std::to_string(one.extents[i]);
    }
    shape += "]";
  }
  return R"({"name":")" + std::string(sdk::view(one.name)) + R"(","type":")" +
         std::string(type.name) + R"(","shape":)" + shape + R"(,"bytes":)" +
         std::to_string(one.elements * type.bytes) + "}";
}

class PythonReference : public sdk::Problem {
 public:
  static constexpr const char* kName = "python";
  static constexpr const char* kSummary = "right answers by a function of Python";
  static constexpr tuner_option_info kOptions[] = {
      {"file", "", "with the function, absolute", nullptr},
      {"function", "reference", "its name there", nullptr},
      {"outputs", "", "names, in the order in which it returns them, with commas", nullptr},
      {"arrays", "numpy", "what it is given", "one of numpy, torch"},
      {"contents", "", "digest of the file: answers of another one are others", nullptr}};

  explicit PythonReference(const sdk::ProblemSetup& setup)
      : words_{setup.options.text_of("file"), setup.options.text_of("function"),
               setup.options.text_of("outputs"), setup.options.get<std::string>("arrays")} {
    for (const tuner_extent& one : setup.extents) {
      extents_ += (extents_.empty() ? "\"" : ",\"") + std::string(sdk::view(one.name)) +
                  "\":" + std::to_string(one.value);
    }
  }

  void answer(std::uint32_t, const sdk::Inputs& inputs, const sdk::ArrayToWrite& output) override {
    const std::shared_ptr<Answering> answering = process_for(words_);
    std::string head = "{\"extents\":{" + extents_ + "},\"inputs\":[";
    for (const tuner_array& one : inputs.all()) {
      head += (head.back() == '[' ? "" : ",") + described(one);
    }
    head += "],\"output\":" + described(output.described()) + "}\n";
    answering->send(head.data(), head.size());
    for (const tuner_array& one : inputs.all()) {
      answering->send(one.data, one.elements * sdk::facts_of(one.type).bytes);
    }
    const auto [is_right, bytes] = answering->head();
    if (!is_right) {
      std::string why(bytes, '\0');
      answering->receive(why.data(), bytes);
      throw Error(TUNER_INVALID, why);
    }
    if (bytes != output.size() * sdk::facts_of(output.type()).bytes) {
      throw Error(TUNER_INVALID, "the reference in Python gives another number of bytes");
    }
    answering->receive(output.data(), bytes);
  }

 private:
  std::vector<std::string> words_;
  std::string extents_;  // "M":4096,"N":64
};

}  // namespace
}  // namespace tuner::python

TUNER_PLUGIN("python", "1.0", tuner::sdk::Problems<tuner::python::PythonReference>);
