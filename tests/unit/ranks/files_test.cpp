// Files of rank 0 as they come to other ranks.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/unit/ranks/rank_fixture.h"
#include "tuner/base/atomic_file.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

class FilesOfRanks : public Ranks {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((home_.path() / name).parent_path());
    std::ofstream(home_.path() / name, std::ios::binary) << text;
    return (home_.path() / name).string();
  }
  FileTree tree(const Texts& names) const {
    FileTree tree;
    tree.folder = home_.path().string();
    FileDigests digests;
    for (const std::string& name : names) tree.add(name, true, digests);
    return tree;
  }
  // What a worker of that host is told of its files: its echo of what it hears.
  static nlohmann::json told(const LentHost& host) {
    const auto worker = host.start("run");
    return worker->wait(late())->at("files");
  }
  bool no_folder_is_left() const { return fs::is_empty(scratch_.path()); }

  ScratchFolder home_;  // of rank 0's files
};

TEST_F(FilesOfRanks, AreFoundUnderTheirNamesWhereverTheyWere) {
  const std::string large(5 * kFileBlock / 2, 'x');
  write("real/tile.cuh", "int tile;");
  write("x.bin", large);
  fs::create_directory_symlink("real", home_.path() / "include");
  const FileTree files = tree({"include/tile.cuh", "x.bin", "include/../x.bin", "missing"});
  start(3, "exec cat <&3 >&3");  // an echo
  const LentHosts lent = hosts(files);
  ASSERT_EQ(lent.hosts.size(), 2U) << ::testing::PrintToString(notes_);
  fs::remove_all(home_.path());
  for (const LentHost& host : lent.hosts) {
    const nlohmann::json there = told(host);
    EXPECT_EQ(there.at("folder"), home_.path().string());
    const std::string home = there.at("root").get<std::string>() + home_.path().string();
    EXPECT_EQ(read_file(home + "/include/tile.cuh"), "int tile;");
    EXPECT_EQ(read_file(home + "/include/../x.bin"), large);
    EXPECT_EQ(fs::canonical(home + "/include/tile.cuh"), home + "/real/tile.cuh");
  }
  EXPECT_EQ(end(), (Texts{"served", "served"}));
  EXPECT_TRUE(no_folder_is_left());
}

TEST_F(FilesOfRanks, ARankWithoutRoomForThemIsLeftOutAndTheOthersGoOn) {
  roomless_ = 1;
  start(3, "exec sleep 600");
  const LentHosts lent = hosts();
  ASSERT_EQ(lent.hosts.size(), 1U);
  EXPECT_EQ(lent.hosts[0].rank, 2U);
  EXPECT_EQ(notes_, Texts{"rank 1 on node1 is left out: cannot make a folder in /dev/null: Not a "
                          "directory"});
}

TEST_F(FilesOfRanks, AFileThatChangesBeforeItIsThereIsNotTaken) {
  const std::string file = write("x.bin", "one");
  const FileTree files = tree({"x.bin"});
  for (const std::string now : {"two", "longer"}) {
    write("x.bin", now);
    start(2, "exec sleep 600");
    EXPECT_TRUE(hosts(files).hosts.empty());
    end();
  }
  const std::string note =
      "rank 1 on node1 is left out: " + file + " of rank 0 changed before it was here";
  EXPECT_EQ(notes_, (Texts{note, note}));
  EXPECT_TRUE(no_folder_is_left());
}

TEST_F(FilesOfRanks, AFileThatRankZeroCannotReadAnyMoreIsNamed) {
  const std::string file = write("x.bin", "one");
  const FileTree files = tree({"x.bin"});
  fs::remove(file);
  start(2, "exec sleep 600");
  EXPECT_TRUE(hosts(files).hosts.empty());
  EXPECT_EQ(notes_, Texts{"rank 1 on node1 is left out: rank 0 cannot read " + file +
                          ": No such file or directory"});
}

TEST_F(FilesOfRanks, WhereHeadersAreNotAllKnownOtherRanksLendTheirDevicesOnly) {
  start(2, "exec sleep 600");
  const LentHosts lent = hosts({}, "k.cu names an #include through a macro");
  ASSERT_EQ(lent.hosts.size(), 1U);
  EXPECT_EQ(lent.hosts[0].jobs, 0U);
  EXPECT_EQ(notes_, Texts{"other ranks compile nothing, since it is not known which headers they "
                          "need: k.cu names an #include through a macro"});
}

TEST_F(FilesOfRanks, GoWithARankThatIsToldToEnd) {
  write("x.bin", "one");
  start(2, "exec sleep 600", {0.05, 0.5});
  hosts(tree({"x.bin"}));
  EXPECT_FALSE(no_folder_is_left());
  nobody_.ask();
  EXPECT_FALSE(jobs_.at(1)->serve(nobody_));
  EXPECT_TRUE(no_folder_is_left());
  jobs_.pop_back();
  fake_->cut_off(1);
}

TEST_F(FilesOfRanks, GoWhenRankZeroIsGone) {
  write("x.bin", "one");
  start(2, "exec sleep 600", {0.05, 0.5});
  hosts(tree({"x.bin"}));
  fake_->cut_off(0);
  EXPECT_FALSE(jobs_.at(1)->serve(nobody_));
  EXPECT_TRUE(no_folder_is_left());
  jobs_.pop_back();
}

}  // namespace
}  // namespace tuner
