// What may happen to a results directory while tuners work on it: kills, damage, full disks.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "faults.h"
#include "sample_trials.h"
#include "tests/fakes/scratch_folder.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/store/store.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

// Every trial that is there is as it was recorded; returns how many there are.
std::size_t intact_trials(const fs::path& folder) {
  Store store = Store::open(folder);
  const auto found = all_trials(store);
  for (const auto& [number, trial] : found) {
    EXPECT_TRUE(same_trial(trial, sample_trial(number))) << number;
  }
  return found.size();
}

TEST(StoreFaults, NothingThatWasReportedIsLostByAKill) {
  const ScratchFolder folder;
  fill(folder.path(), 0);
  int next = 0;
  for (int round = 0; round < 15; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const pid_t child = start([&] {
      Store store = Store::open(folder.path());
      const Context context = store.context(sample_key());
      for (int i = next;; ++i) {
        store.mark_in_flight(context, sample_configuration(i));
        store.record(context, sample_trial(i));
        if (::write(pipe_ends[1], &i, sizeof i) != sizeof i) return 1;
      }
    });
    int reported = -1;
    const int wanted = next + 1 + (round * 7) % 11;
    while (reported < wanted &&
           ::read(pipe_ends[0], &reported, sizeof reported) == sizeof reported) {
    }
    ::usleep(static_cast<useconds_t>(round * 300));  // a different moment of the next trial
    ::kill(child, SIGKILL);
    EXPECT_EQ(status_of(child), -SIGKILL);
    ::close(pipe_ends[1]);
    while (::read(pipe_ends[0], &reported, sizeof reported) == sizeof reported) {
    }
    ::close(pipe_ends[0]);
    Store store = Store::open(folder.path());
    EXPECT_TRUE(store.notes().empty());
    const auto found = all_trials(store);
    ASSERT_GE(static_cast<int>(found.size()), reported + 1) << "round " << round;
    EXPECT_LE(static_cast<int>(found.size()), reported + 2);
    for (const auto& [number, trial] : found) EXPECT_TRUE(same_trial(trial, sample_trial(number)));
    next = static_cast<int>(found.size());
  }
}

// A power cut leaves any prefix of what was written to the log.
TEST(StoreFaults, ALogCutAtAnyPlaceLosesOnlyTrialsAtItsEnd) {
  const ScratchFolder folder;
  const fs::path file = folder.path() / "tuner.sqlite";
  EXPECT_EQ(status_of(start([&]() -> int {
              Store store = Store::open(folder.path());
              const Context context = store.context(sample_key());
              for (int i = 0; i < 6; ++i) store.record(context, sample_trial(i));
              ::_exit(0);  // the log stays behind
            })),
            0);
  const std::string database = read_file(file);
  const std::string log = read_file(file.string() + "-wal");
  ASSERT_GT(log.size(), 30000U);
  std::size_t before = 0;
  for (std::size_t size = 0; size < log.size() + 3700; size += 3700) {
    const ScratchFolder copy;
    write_file_atomically(copy.path() / "tuner.sqlite", database);
    write_file_atomically(copy.path() / "tuner.sqlite-wal", log.substr(0, size));
    const std::size_t found = intact_trials(copy.path());
    EXPECT_GE(found, before);
    before = found;
  }
  EXPECT_EQ(before, 6U);
}

TEST(StoreFaults, TwoTunersShareADirectory) {
  const ScratchFolder folder;
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    children.push_back(start([&, child] {
      Store store = Store::open(folder.path());  // also while the others create it
      const Context context = store.context(sample_key());
      for (int i = 0; i < 40; ++i) {
        store.mark_in_flight(context, sample_configuration(i * 3 + child));
        store.record(context, sample_trial(i * 3 + child));
      }
      return 0;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  EXPECT_EQ(intact_trials(folder.path()), 120U);
}

class Damage : public ::testing::Test {
 protected:
  void SetUp() override {
    fill(healthy_.path(), 60);
    bytes_ = read_file(healthy_.path() / "tuner.sqlite");
  }
  // Opens a copy with these bytes; every trial found must be right.
  struct Outcome {
    std::size_t trials = 0;
    std::vector<std::string> notes;
    bool old_kept = false;
    bool refused = false;
  };
  static Outcome open_with(const std::string& bytes) {
    const ScratchFolder folder;
    write_file_atomically(folder.path() / "tuner.sqlite", bytes);
    Outcome outcome;
    try {
      Store store = Store::open(folder.path());
      const auto found = all_trials(store);
      for (const auto& [number, trial] : found) {
        EXPECT_TRUE(same_trial(trial, sample_trial(number))) << "a damaged trial is believed";
      }
      outcome.trials = found.size();
      outcome.notes = store.notes();
      store.record(store.context(sample_key()), sample_trial(1000));
      EXPECT_TRUE(find(store, store.context(sample_key()), sample_configuration(1000)));
    } catch (const FatalError&) {
      outcome.refused = true;
    }
    const fs::path old = folder.path() / "tuner.sqlite.corrupt-1";
    outcome.old_kept = fs::exists(old) && read_file(old) == bytes;
    if (!outcome.refused) {
      EXPECT_TRUE(Store::open(folder.path()).notes().empty()) << "healed";
    }
    return outcome;
  }

  ScratchFolder healthy_;
  std::string bytes_;
};

TEST_F(Damage, ADatabaseWithAnOverwrittenPageIsKeptAsItIsAndANewOneIsBegun) {
  ASSERT_GT(bytes_.size(), 40000U);
  for (std::size_t page = 0; page * 4096 < bytes_.size(); ++page) {
    std::string damaged = bytes_;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(page * 4096), 4096, '\x5a');
    const Outcome outcome = open_with(damaged);
    EXPECT_FALSE(outcome.refused) << page;
    EXPECT_TRUE(outcome.trials == 60 || !outcome.notes.empty()) << page;
    EXPECT_TRUE(outcome.trials != 0 || outcome.old_kept) << page;
  }
}

TEST_F(Damage, AChangedByteAnywhereIsNoticedOrHarmless) {
  for (std::size_t at = 100; at < bytes_.size(); at += 2003) {
    std::string damaged = bytes_;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    const Outcome outcome = open_with(damaged);
    EXPECT_FALSE(outcome.refused) << at;
    EXPECT_TRUE(outcome.trials == 60 || !outcome.notes.empty()) << at << " " << outcome.trials;
  }
}

TEST_F(Damage, ATruncatedDatabaseIsSetAside) {
  for (std::size_t size = 600; size < bytes_.size(); size += 1531) {
    const Outcome outcome = open_with(bytes_.substr(0, size));
    EXPECT_FALSE(outcome.refused) << size;
    // What is missing of the last page reads as zeros, which may harm nothing but a trial: that one
    // is left out, with a word.
    const bool harmless = outcome.trials == 60 || !outcome.notes.empty();
    if (size + 4096 > bytes_.size() && !outcome.old_kept && harmless) continue;
    EXPECT_TRUE(outcome.old_kept) << size;
    EXPECT_TRUE(std::any_of(outcome.notes.begin(), outcome.notes.end(), [](const auto& note) {
      return note.find("it is kept as tuner.sqlite.corrupt-1") != std::string::npos;
    })) << size;
  }
}

TEST_F(Damage, AFileThatIsNoDatabaseIsSetAsideWithAWordHowToReadWhatIsLeft) {
  const Outcome outcome = open_with(std::string(10000, 'x'));
  EXPECT_TRUE(outcome.old_kept);
  EXPECT_EQ(outcome.trials, 0U);
  ASSERT_EQ(outcome.notes.size(), 1U);
  EXPECT_NE(
      outcome.notes[0].find("tuner.sqlite.corrupt-1 .dump' writes what can still be read of "
                            "it, and docs/robustness.md says how 'tuner import' takes that over"),
      std::string::npos)
      << outcome.notes[0];
}

// A kill between the database and its log leaves the log, which must not meet the new database.
TEST_F(Damage, ALogWithoutItsDatabaseIsKeptAside) {
  EXPECT_EQ(status_of(start([&]() -> int {
              Store store = Store::open(healthy_.path());
              store.record(store.context(sample_key()), sample_trial(1000));
              ::_exit(0);  // the log stays behind
            })),
            0);
  const std::string log = read_file(healthy_.path() / "tuner.sqlite-wal");
  ASSERT_FALSE(log.empty());
  const ScratchFolder folder;
  write_file_atomically(folder.path() / "tuner.sqlite.corrupt-1", bytes_);
  write_file_atomically(folder.path() / "tuner.sqlite-wal", log);
  EXPECT_EQ(intact_trials(folder.path()), 0U);
  EXPECT_EQ(read_file(folder.path() / "tuner.sqlite.corrupt-1"), bytes_);
  EXPECT_EQ(read_file(folder.path() / "tuner.sqlite.corrupt-2-wal"), log);
}

TEST_F(Damage, ADatabaseInUseIsNotSetAside) {
  Store user = Store::open(healthy_.path());
  std::string damaged = bytes_;
  std::fill_n(damaged.begin() + 4096, 4096, '\x5a');
  const int fd = ::open((healthy_.path() / "tuner.sqlite").c_str(), O_WRONLY);
  ASSERT_EQ(::pwrite(fd, damaged.data(), damaged.size(), 0), static_cast<ssize_t>(damaged.size()));
  ::close(fd);
  try {
    Store::open(healthy_.path());
    FAIL();
  } catch (const FatalError& error) {
    EXPECT_NE(std::string(error.what()).find("another tuner is using it"), std::string::npos);
  }
  EXPECT_FALSE(fs::exists(healthy_.path() / "tuner.sqlite.corrupt-1"));
}

// A file-size limit refuses writes as a full disk does, at any byte we like.
TEST(StoreFaults, AFullDiskIsSaidAndEarlierResultsStay) {
  int refused = 0;
  for (int extra = 0; extra < 60000; extra += 2900) {
    const ScratchFolder folder;
    fill(folder.path(), 5);
    const pid_t child = start([&] {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{static_cast<rlim_t>(extra), static_cast<rlim_t>(extra)};
      setrlimit(RLIMIT_FSIZE, &limit);
      try {
        Store store = Store::open(folder.path());
        const Context context = store.context(sample_key());
        for (int i = 5; i < 10; ++i) store.record(context, sample_trial(i));
      } catch (const FatalError& error) {
        const std::string text = error.what();
        const bool named = text.find(folder.path().string()) != std::string::npos;
        const bool reason = text.find("File too large") != std::string::npos ||
                            text.find("disk I/O error") != std::string::npos;
        if (!named || !reason) std::fprintf(stderr, "%s\n", text.c_str());
        return named && reason ? 7 : 8;
      }
      return 0;
    });
    const int status = status_of(child);
    EXPECT_TRUE(status == 0 || status == 7) << extra << ": " << status;
    if (status == 7) ++refused;
    const std::size_t found = intact_trials(folder.path());
    EXPECT_GE(found, status == 0 ? 10U : 5U) << extra;
  }
  EXPECT_GE(refused, 5);
}

TEST(StoreFaults, AReadOnlyFolderCanBeReadAndIsNamedWhenWritten) {
  // root may write everywhere: the child becomes nobody.
  const ScratchFolder folder;
  fill(folder.path(), 3);
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec |
                                     fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(folder.path() / "tuner.sqlite", fs::perms::owner_read | fs::perms::others_read);
  const int status = status_of(start([&] {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 5;
    Store reader = Store::open(folder.path(), Store::Access::kRead);
    if (reader.trials(reader.contexts().at(0).context).size() != 3) return 1;
    try {
      Store::open(folder.path());
      return 2;
    } catch (const FatalError& error) {
      return std::string(error.what()).find(folder.path().string()) != std::string::npos ? 0 : 3;
    }
  }));
  fs::permissions(folder.path(), fs::perms::owner_all);
  EXPECT_EQ(status, 0);
}

// ---- what is no file ---------------------------------------------------------------------------

TEST(StoreFaults, APipeInPlaceOfTheDatabaseOrOfItsPartsIsRefusedAtOnce) {
  for (const char* name : {"tuner.sqlite", "tuner.sqlite-wal", "tuner.sqlite-shm"}) {
    const ScratchFolder folder;
    const fs::path pipe = folder.path() / name;
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
    for (const auto access : {Store::Access::kRead, Store::Access::kWrite}) {
      try {
        Store::open(folder.path(), access);
        FAIL() << name;
      } catch (const FatalError& error) {
        EXPECT_NE(std::string(error.what()).find("it is a pipe or a device"), std::string::npos)
            << error.what();
      }
    }
  }
}

TEST(StoreFaults, APipeInPlaceOfTheFolderIsRefusedAtOnce) {
  const ScratchFolder folder;
  const fs::path pipe = folder.path() / "results";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0666), 0);
  EXPECT_THROW(Store::open(pipe, Store::Access::kRead), FatalError);
  EXPECT_THROW(Store::open(pipe), FatalError);
}

}  // namespace
}  // namespace tuner
