#include "tuner/worker/artifact_cache.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "tests/unit/source/scratch.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/hash.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

Artifact sample(std::size_t size = 1000) {
  Artifact out;
  out.image = std::string(size, 'x') + std::string("\0\xff", 2);
  out.entry = "_Z1kv";
  out.log = "caf\xe9 is not UTF-8";
  out.symbols = {{"table", "_Z5table"}, {"n::x", ""}};
  out.resources = {40, 1024, -1, 0, 8, 512};
  out.milliseconds = 83.25;
  out.opened = {{{"/inc/a.h", to_hex(hash_of("a"))}, {"/inc/b.h", to_hex(hash_of("b"))}}};
  out.then = {{"_Z6finishv", {30, 0, 0, 0, 0, 1024}}, {"last", {}}};
  return out;
}

void expect_same(const Artifact& a, const Artifact& b) {
  EXPECT_EQ(a.image, b.image);
  EXPECT_EQ(a.entry, b.entry);
  EXPECT_EQ(a.log, b.log);
  EXPECT_EQ(a.symbols, b.symbols);
  EXPECT_EQ(a.opened, b.opened);
  EXPECT_EQ(a.milliseconds, b.milliseconds);
  EXPECT_EQ(a.resources.registers, b.resources.registers);
  EXPECT_EQ(a.resources.static_shared_bytes, b.resources.static_shared_bytes);
  EXPECT_EQ(a.resources.constant_bytes, b.resources.constant_bytes);
  EXPECT_EQ(a.resources.local_bytes, b.resources.local_bytes);
  EXPECT_EQ(a.resources.spill_bytes, b.resources.spill_bytes);
  EXPECT_EQ(a.resources.max_threads, b.resources.max_threads);
  ASSERT_EQ(a.then.size(), b.then.size());
  for (std::size_t i = 0; i < a.then.size(); ++i) {
    EXPECT_EQ(a.then[i].entry, b.then[i].entry);
    EXPECT_EQ(a.then[i].resources.registers, b.then[i].resources.registers);
    EXPECT_EQ(a.then[i].resources.max_threads, b.then[i].resources.max_threads);
  }
}

std::string key(int number) { return to_hex(hash_of(std::to_string(number))); }

TEST(ArtifactFile, ReadsBackWhatItPacked) {
  const auto back = unpack(key(1), pack(key(1), sample()));
  ASSERT_TRUE(back);
  expect_same(*back, sample());
  for (const OpenedFiles& opened : {OpenedFiles(), OpenedFiles(std::vector<FileState>())}) {
    Artifact other = sample();
    other.opened = opened;
    expect_same(unpack(key(1), pack(key(1), other)).value_or(Artifact{}), other);
  }
}

TEST(ArtifactFile, NoticesEveryCutAndEveryChangedByte) {
  const std::string bytes = pack(key(1), sample(40));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_FALSE(unpack(key(1), bytes.substr(0, i))) << "cut at " << i;
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(unpack(key(1), changed)) << "changed at " << i;
  }
  EXPECT_FALSE(unpack(key(1), bytes + "x"));
}

TEST(ArtifactFile, IsNotReadUnderAnotherKey) {
  EXPECT_FALSE(unpack(key(2), pack(key(1), sample())));
}

class Cache : public Scratch {
 protected:
  fs::path dir() const { return root / "cache"; }
  fs::path only_entry() const {
    for (const auto& one : fs::recursive_directory_iterator(dir())) {
      if (one.is_regular_file()) return one.path();
    }
    return {};
  }
  std::vector<std::string> warnings;
  std::function<void(const std::string&)> warn = [this](const std::string& text) {
    warnings.push_back(text);
  };
};

TEST_F(Cache, FindsWhatAnotherObjectPut) {
  ArtifactCache(dir()).put(key(1), sample());
  ArtifactCache cache(dir());
  const auto found = cache.find(key(1));
  ASSERT_TRUE(found);
  expect_same(*found, sample());
  EXPECT_FALSE(cache.find(key(2)));
  const CacheStats stats = cache.stats();
  EXPECT_EQ(stats.entries, 1U);
  EXPECT_EQ(stats.bytes, pack(key(1), sample()).size());
}

TEST_F(Cache, RemovesADamagedEntryAndTakesItsSuccessor) {
  ArtifactCache cache(dir(), ArtifactCache::kDefaultLimit, warn);
  cache.put(key(1), sample());
  fs::resize_file(only_entry(), 100);
  EXPECT_FALSE(cache.find(key(1)));
  EXPECT_EQ(cache.stats().entries, 0U);
  cache.put(key(1), sample());
  EXPECT_TRUE(cache.find(key(1)));
  EXPECT_TRUE(warnings.empty());
}

TEST_F(Cache, AnEntryThatWasCopiedOverAnotherIsNotTaken) {
  ArtifactCache cache(dir());
  cache.put(key(1), sample());
  cache.put(key(2), sample(50));
  const auto path = [&](int n) { return dir() / key(n).substr(0, 2) / (key(n) + ".artifact"); };
  fs::copy_file(path(1), path(2), fs::copy_options::overwrite_existing);
  EXPECT_FALSE(cache.find(key(2)));
  EXPECT_EQ(cache.stats().entries, 1U);
  EXPECT_TRUE(cache.find(key(1)));
}

TEST_F(Cache, ItsFolderIsForItsUserAlone) {
  const mode_t before = ::umask(0);
  ArtifactCache(dir()).put(key(1), sample());
  ::umask(before);
  EXPECT_EQ(fs::status(dir()).permissions(), fs::perms::owner_all);
}

TEST_F(Cache, AFolderThatOthersMayWriteIsNotUsed) {
  ArtifactCache(dir()).put(key(1), sample());
  for (const auto others : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(dir(), fs::perms::owner_all | others);
    warnings.clear();
    ArtifactCache cache(dir(), ArtifactCache::kDefaultLimit, warn);
    EXPECT_FALSE(cache.find(key(1)));
    cache.put(key(2), sample());
    cache.put(key(3), sample());
    EXPECT_EQ(warnings, std::vector<std::string>{
                            "artifacts are not kept for later runs: others may write to " +
                            dir().string() + " (chmod go-w changes that)"});
    EXPECT_EQ(cache.stats().entries, 1U);
  }
  fs::permissions(dir(), fs::perms(0755));
  EXPECT_TRUE(ArtifactCache(dir()).find(key(1)));
}

TEST_F(Cache, AnotherUsersFolderIsNotUsedEvenByRoot) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make such a folder";
  ArtifactCache cache(dir(), ArtifactCache::kDefaultLimit, warn);
  cache.put(key(1), sample());
  ASSERT_EQ(::chown(dir().c_str(), 12345, 12345), 0);
  EXPECT_FALSE(cache.find(key(1)));
  cache.put(key(2), sample());
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("belongs to another user"), std::string::npos) << warnings[0];
  ASSERT_EQ(::chown(dir().c_str(), ::geteuid(), ::getegid()), 0);
  ASSERT_TRUE(cache.find(key(1)));
  fs::create_directory_symlink(dir(), root / "link");
  ASSERT_EQ(::lchown((root / "link").c_str(), 12345, 12345), 0);
  EXPECT_FALSE(ArtifactCache(root / "link").find(key(1)));
}

TEST_F(Cache, DropsWhatWasNotUsedForLongest) {
  const std::uint64_t each = pack(key(1), sample()).size();
  ArtifactCache cache(dir(), each * 8);
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 8; ++i) {
    cache.put(key(i), sample());
    const auto path = dir() / key(i).substr(0, 2) / (key(i) + ".artifact");
    fs::last_write_time(path, now - std::chrono::hours(100 - i));
  }
  EXPECT_TRUE(cache.find(key(0)));  // used again: now the newest
  cache.put(key(8), sample());
  EXPECT_EQ(cache.stats().entries, 7U);  // an eighth below the limit
  EXPECT_TRUE(cache.find(key(0)));
  EXPECT_FALSE(cache.find(key(1)));
  EXPECT_FALSE(cache.find(key(2)));
  EXPECT_TRUE(cache.find(key(3)));
  EXPECT_TRUE(cache.find(key(8)));
}

TEST_F(Cache, CountsWhatWasThereBefore) {
  const std::uint64_t each = pack(key(1), sample()).size();
  for (int i = 0; i < 4; ++i) ArtifactCache(dir()).put(key(i), sample());
  ArtifactCache small(dir(), each * 4);
  small.put(key(9), sample());
  EXPECT_LE(small.stats().bytes, each * 4);
}

TEST_F(Cache, PrunesAndClearsOnDemand) {
  ArtifactCache cache(dir());
  for (int i = 0; i < 4; ++i) cache.put(key(i), sample());
  cache.prune(pack(key(1), sample()).size() * 2);
  EXPECT_EQ(cache.stats().entries, 2U);
  cache.clear();
  EXPECT_EQ(cache.stats().entries, 0U);
  cache.put(key(1), sample());
  EXPECT_TRUE(cache.find(key(1)));
}

TEST_F(Cache, PruningRemovesWhatDeadWritersLeftAndNothingElse) {
  ArtifactCache cache(dir());
  cache.put(key(1), sample());
  const std::string place = "cache/" + key(2).substr(0, 2) + "/" + key(2) + ".artifact";
  const auto old_file = write(place + ".tmp77", "half");
  const auto new_file = write(place + ".tmp78-0", "half");
  std::vector<fs::path> foreign;
  for (const char* name : {"notes.txt", "clay.artifact", "ab/clay.artifact", "ab/my.artifact.tmp-1",
                           "pots/abc/clay.artifact"}) {
    foreign.push_back(write("cache/" + std::string(name), "mine"));
  }
  foreign.push_back(write("cache/pots/" + key(2) + ".artifact", "mine"));
  foreign.push_back(write(place + ".tmp-of-mine", "mine"));
  for (const auto& file : foreign) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(2));
  }
  fs::last_write_time(old_file, fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache.clear();
  EXPECT_FALSE(fs::exists(old_file));
  EXPECT_TRUE(fs::exists(new_file));
  for (const auto& file : foreign) EXPECT_TRUE(fs::exists(file)) << file;
}

TEST_F(Cache, WorksWithoutADirectoryThatCanBeWritten) {
  write("file", "not a directory");
  ArtifactCache cache(root / "file" / "cache", ArtifactCache::kDefaultLimit, warn);
  cache.put(key(1), sample());
  cache.put(key(2), sample());
  EXPECT_FALSE(cache.find(key(1)));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].rfind("artifacts are not kept for later runs: cannot write", 0), 0U)
      << warnings[0];
  ArtifactCache none("", ArtifactCache::kDefaultLimit, warn);
  none.put(key(1), sample());
  EXPECT_FALSE(none.find(key(1)));
  none.clear();
  EXPECT_EQ(none.stats().entries, 0U);
  EXPECT_EQ(warnings.size(), 1U);
}

TEST_F(Cache, WorksWithAFullDisk) {
  // A limit on the size of files fails a write as a full disk does, without having to fill one.
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit tiny{16, before.rlim_max};
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &tiny);
  ArtifactCache cache(dir(), ArtifactCache::kDefaultLimit, warn);
  cache.put(key(1), sample());
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  EXPECT_FALSE(cache.find(key(1)));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("File too large"), std::string::npos) << warnings[0];
}

TEST_F(Cache, IsSharedByProcesses) {
  constexpr int kProcesses = 4;
  constexpr int kKeys = 20;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      // Every process writes and reads all entries while the limit makes others remove them.
      ArtifactCache cache(dir(), pack(key(1), sample()).size() * kKeys / 2);
      for (int round = 0; round < 5; ++round) {
        for (int i = 0; i < kKeys; ++i) {
          const auto found = cache.find(key(i));
          if (found && found->image != sample().image) ::_exit(1);
          cache.put(key(i), sample());
        }
      }
      ::_exit(0);
    }
  }
  for (int p = 0; p < kProcesses; ++p) {
    int status = 0;
    ::wait(&status);
    EXPECT_EQ(status, 0);
  }
}

TEST_F(Cache, TheDefaultDirectoryFollowsTheBaseDirectorySpecification) {
  EXPECT_EQ(default_cache_directory("/x", "/h"), "/x/tuner");
  EXPECT_EQ(default_cache_directory("", "/h"), "/h/.cache/tuner");
  EXPECT_EQ(default_cache_directory("relative", "/h"), "/h/.cache/tuner");
  EXPECT_EQ(default_cache_directory(nullptr, nullptr), "");
}

}  // namespace
}  // namespace tuner
