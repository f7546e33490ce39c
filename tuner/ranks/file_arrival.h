#pragma once
// How rank 0's files come to another rank: laid out below a folder of the job, where workers find
// them. What is there already under the same name with the same contents is not sent. Goes on in
// small steps, since the rank has to be heard of meanwhile.

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/base/file_tree.h"
#include "tuner/base/hash.h"
#include "tuner/ranks/rank_folder.h"

namespace tuner {

void to_json(nlohmann::json& j, const FileTree& tree);
void from_json(const nlohmann::json& j, FileTree& tree);

class FileArrival {
 public:
  // A block of one of the tree's files, by its place among them.
  struct Block {
    std::size_t file = 0;
    std::uint64_t offset = 0;
  };

  // In a new folder in `parent`, which goes with this. This and all steps throw FatalError, where
  // there is no room, or where a file is not what rank 0 said that it was.
  FileArrival(FileTree tree, const std::filesystem::path& parent);

  // Stands for rank 0's "/".
  std::string root() const { return folder_.path().string(); }
  bool is_done() const { return at_.file == tree_.files.size(); }
  bool is_waiting() const { return is_waiting_; }
  // A step; only when it does not wait. Which block it needs from rank 0, and waits for then.
  std::optional<Block> go_on();
  void take(const Block& which, std::string_view bytes);

 private:
  const FileTree::File& file() const { return tree_.files[at_.file]; }
  void lay_out();
  void begin();
  void compare_own();
  void await();
  void next();

  FileTree tree_;
  RankFolder folder_;
  Block at_;
  Hasher hasher_;  // of the blocks before
  bool is_begun_ = false;
  bool is_own_ = false;  // what lies here under that name is looked at
  bool is_waiting_ = false;
  FileDescriptor out_;
};

}  // namespace tuner
