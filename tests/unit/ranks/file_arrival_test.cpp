// What a rank asks for, and what it makes of the answers.

#include "tuner/ranks/file_arrival.h"

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/fakes/scratch_folder.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

class Arrival : public testing::Test {
 protected:
  // Of rank 0, which has this text there.
  FileTree::File file(const std::string& name, const std::string& text) const {
    return {(home_.path() / name).string(), file_digest_of(text), text.size()};
  }
  FileTree tree(const FileTree::File& file) const {
    FileTree tree;
    for (const fs::path& folder : {home_.path().parent_path(), home_.path()}) {
      tree.folders.push_back(folder.string());
    }
    tree.files = {file};
    return tree;
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(home_.path() / name) << text;
    return (home_.path() / name).string();
  }
  // The first block that it needs.
  static std::optional<FileArrival::Block> wanted(FileArrival& arrival) {
    while (!arrival.is_done()) {
      if (const auto block = arrival.go_on()) return block;
    }
    return std::nullopt;
  }

  ScratchFolder home_;
  ScratchFolder scratch_;
};

TEST_F(Arrival, WhatIsThereAlreadyIsNotAskedFor) {
  const std::string text(kFileBlock + 7, 'x');
  const std::string path = write("x.npy", text);
  FileArrival arrival(tree(file("x.npy", text)), scratch_.path());
  EXPECT_FALSE(wanted(arrival));
  EXPECT_EQ(fs::read_symlink(arrival.root() + path), path);
}

TEST_F(Arrival, WhatIsAnotherOneThereIsAskedForAndLeftAsItIs) {
  const std::string path = write("x.npy", "here");
  FileArrival arrival(tree(file("x.npy", "sent")), scratch_.path());
  const auto block = wanted(arrival);
  ASSERT_TRUE(block);
  EXPECT_TRUE(arrival.is_waiting());
  arrival.take(*block, "sent");
  EXPECT_TRUE(arrival.is_done());
  EXPECT_EQ(read_file(arrival.root() + path), "sent");
  EXPECT_EQ(read_file(path), "here");
}

TEST_F(Arrival, ACopyIsAskedForEvenWhereTheSameIsThere) {
  write("tile.cuh", "int tile;");
  FileTree::File header = file("tile.cuh", "int tile;");
  header.by_copy = true;
  FileArrival arrival(tree(header), scratch_.path());
  EXPECT_TRUE(wanted(arrival));
}

TEST_F(Arrival, ComesInBlocksOfWhichTheLastIsShorter) {
  const std::string text(2 * kFileBlock, 'x');
  FileArrival arrival(tree(file("x.npy", text)), scratch_.path());
  for (std::uint64_t offset = 0; offset <= 2 * kFileBlock; offset += kFileBlock) {
    const auto block = wanted(arrival);
    ASSERT_TRUE(block);
    EXPECT_EQ(block->offset, offset);
    arrival.take(*block, std::string_view(text).substr(offset, kFileBlock));
  }
  EXPECT_TRUE(arrival.is_done());
}

TEST_F(Arrival, AFullDiskIsSaidWithTheNameOfTheFile) {
  FileArrival arrival(tree(file("x.npy", "sent")), scratch_.path());
  const auto block = wanted(arrival);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit none{0, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &none);
  std::string said;
  try {
    arrival.take(*block, "sent");
  } catch (const FatalError& error) {
    said = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(said, "cannot write " + arrival.root() + (home_.path() / "x.npy").string() +
                      ": File too large");
}

TEST_F(Arrival, ATreeArrivesAsItWasSent) {
  FileTree sent = tree(file("x.npy", "text"));
  sent.folder = "/study";
  sent.links = {{"/a", "b/c"}};
  const nlohmann::json document = sent;
  EXPECT_EQ(nlohmann::json(document.get<FileTree>()), document);
}

TEST_F(Arrival, FoldersOfRanksThatWereKilledAreRemovedByTheNext) {
  const auto made = [this](const std::string& name, std::chrono::minutes age) {
    const fs::path folder = scratch_.path() / name;
    fs::create_directory(folder);
    std::ofstream(folder / "x.npy") << "left";
    fs::last_write_time(folder, fs::file_time_type::clock::now() - age);
    return folder;
  };
  const RankFolder alive(scratch_.path());
  std::string name = alive.path().filename().string();
  name.resize(name.size() - 6);  // what is drawn anew each time
  const fs::path left = made(name + "left", std::chrono::minutes(2));
  const fs::path young = made(name + "young", std::chrono::minutes(0));
  const fs::path other = made("tuner-rank-elsewhere-left", std::chrono::minutes(2));
  fs::last_write_time(alive.path(), fs::file_time_type::clock::now() - std::chrono::minutes(2));
  const RankFolder next(scratch_.path());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(young));
  EXPECT_TRUE(fs::exists(other));
  EXPECT_TRUE(fs::exists(alive.path()));
}

}  // namespace
}  // namespace tuner
