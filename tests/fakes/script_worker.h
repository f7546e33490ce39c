#pragma once
// A shell script that stands for a worker program; descriptor 3 is its connection.

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/fakes/scratch_folder.h"
#include "tuner/worker/channel.h"
#include "tuner/worker/messages.h"

namespace tuner {

class ScriptWorker {
 public:
  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }
  // It runs in its folder.
  WorkerProgram program(const std::string& commands) const {
    std::ofstream(file("worker")) << "#!/bin/sh\ncd '" << folder_.path().string() << "'\n"
                                  << commands << "\n";
    std::filesystem::permissions(file("worker"), std::filesystem::perms::owner_all);
    return {file("worker").string(), {}};
  }
  // Ready-made bytes for the script to send. Returns the file's path.
  std::string write_message(const std::string& name, const nlohmann::json& message) const {
    std::ofstream(file(name), std::ios::binary) << encode_frame(message);
    return file(name).string();
  }

 private:
  ScratchFolder folder_;
};

}  // namespace tuner
