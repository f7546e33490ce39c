// What of a file system has to be laid out elsewhere.

#include "tuner/base/file_tree.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/fakes/scratch_folder.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

class Tree : public testing::Test {
 protected:
  Tree() { tree_.folder = home(); }
  std::string home() const { return fs::canonical(folder_.path()).string(); }
  void write(const std::string& name) const {
    fs::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << name;
  }
  void add(const std::string& name) {
    FileDigests digests;
    tree_.add(name, false, digests);
  }
  // By their names in the home, each followed by a blank.
  std::string files() const {
    std::string out;
    for (const auto& file : tree_.files) out += file.path.substr(home().size() + 1) + " ";
    return out;
  }

  ScratchFolder folder_;
  FileTree tree_;
};

TEST_F(Tree, HasAFileOnceUnderHoweverManyNames) {
  write("a/x.h");
  write("b/y.h");
  for (const std::string name : {"a/x.h", "./a//x.h", "b/../a/x.h"}) add(name);
  add(home() + "/a/x.h");
  EXPECT_EQ(files(), "a/x.h ");
  EXPECT_EQ(tree_.files[0].digest, file_digest_of("a/x.h"));
  EXPECT_EQ(tree_.files[0].size, 5U);
  EXPECT_EQ(tree_.folders.back(), home() + "/b") << "the third name leads through it";
  EXPECT_TRUE(tree_.links.empty());
}

TEST_F(Tree, HasTheLinksThatANameLeadsThrough) {
  write("real/deep/x.h");
  fs::create_directory_symlink("real/deep", folder_.path() / "short");
  fs::create_symlink(home() + "/short/x.h", folder_.path() / "link.h");
  add("link.h");
  EXPECT_EQ(files(), "real/deep/x.h ");
  const std::vector<std::pair<std::string, std::string>> links{
      {home() + "/link.h", home() + "/short/x.h"}, {home() + "/short", "real/deep"}};
  EXPECT_EQ(tree_.links, links);
}

TEST_F(Tree, HasNothingOfWhatIsNoFile) {
  write("a/x.h");
  fs::create_symlink("round", folder_.path() / "round");
  for (const std::string name : {"a", "a/missing", "a/x.h/y", "round"}) add(name);
  EXPECT_EQ(files(), "");
}

}  // namespace
}  // namespace tuner
