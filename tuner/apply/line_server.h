#pragma once
// A Unix socket on which processes of one user send lines of JSON, and get lines back.

#include <atomic>
#include <exception>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tuner/base/child_process.h"

namespace tuner {

class LineServer {
 public:
  // Returns the answer to a line of a connection, which has a number of its own; nothing: none is
  // waited for. What it throws ends the connection.
  using Answer = std::function<std::optional<nlohmann::json>(std::uint64_t connection,
                                                             const nlohmann::json& line)>;

  // Serves on a thread of its own. `path` is in a folder of this user alone. Throws FatalError.
  LineServer(const std::filesystem::path& path, Answer answer);
  // Reads what has been sent, and ends.
  ~LineServer();
  LineServer(const LineServer&) = delete;
  LineServer& operator=(const LineServer&) = delete;

 private:
  struct Connection {
    std::uint64_t number;
    FileDescriptor socket;
    std::string text;  // of a line whose end has not come
  };

  void serve();
  bool read(Connection& from);
  bool answer_lines(Connection& from);

  std::filesystem::path path_;
  Answer answer_;
  FileDescriptor socket_;
  FileDescriptor wake_;
  std::vector<Connection> connections_;
  std::uint64_t count_ = 0;
  std::thread thread_;
};

}  // namespace tuner
