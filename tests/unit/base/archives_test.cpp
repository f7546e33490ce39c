// Archives are read; damaged ones are refused.

#include "tuner/base/archives.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tuner/base/error.h"

namespace tuner {
namespace {

// A head with its text, filled up to blocks.
std::string entry(const std::string& name, const std::string& text, char type = '0',
                  const std::string& folder = {}) {
  std::string head(512, '\0');
  head.replace(0, name.size(), name);
  head.replace(124, 11, fmt::format("{:011o}", text.size()));
  head[156] = type;
  head.replace(257, 5, "ustar");
  head.replace(345, folder.size(), folder);
  return head + text + std::string((512 - text.size() % 512) % 512, '\0');
}

std::vector<std::string> names_in(const std::string& archive) {
  std::vector<std::string> names;
  for (const PackedFile& one : files_in_tar(archive, "x.tar")) names.push_back(one.name);
  return names;
}

TEST(TarFile, HasTheTextsOfItsRegularFiles) {
  const std::string archive = entry("k/", "", '5') + entry("k/a.csv", std::string(512, 'a')) +
                              entry("k/b.csv", "b") + std::string(1024, '\0');
  EXPECT_TRUE(is_tar(archive));
  const auto files = files_in_tar(archive, "x.tar");
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].text, std::string(512, 'a'));
  EXPECT_EQ(files[1].name, "k/b.csv");
  EXPECT_EQ(files[1].text, "b");
}

TEST(TarFile, KnowsTheThreeWaysToWriteALongName) {
  const std::string name = std::string(150, 'n') + ".csv";
  EXPECT_EQ(names_in(entry("cut", name + '\0', 'L') + entry("cut", "1") + entry("b", "2")),
            (std::vector<std::string>{name, "b"}));
  EXPECT_EQ(
      names_in(entry("cut", "30 mtime=1.5\n165 path=" + name + "\n", 'x') + entry("cut", "1")),
      std::vector<std::string>{name});
  EXPECT_EQ(names_in(entry("b.csv", "1", '0', "folder")), std::vector<std::string>{"folder/b.csv"});
}

TEST(TarFile, WhatIsDamagedIsRefused) {
  const std::string whole = entry("a.csv", "text");
  std::string no_size = whole;
  no_size[124] = '?';
  for (const std::string& archive :
       {whole + "rest", no_size, entry("a", std::string(999, 'a')).substr(0, 999)}) {
    try {
      files_in_tar(archive, "x.tar");
      ADD_FAILURE();
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()),
                "x.tar: is a damaged archive: after a file comes neither another file nor the end");
    }
  }
  EXPECT_FALSE(is_tar("rank,state"));
}

}  // namespace
}  // namespace tuner
