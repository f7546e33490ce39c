// A salvage that is killed at any moment, and a user who then deletes files: what is left is the
// whole salvage or nothing of it.

#include "tuner/store/replace_damaged.h"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <functional>

#include "faults.h"
#include "tests/fakes/scratch_folder.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/store/store.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr int kTrials = 120;

class ReplaceDamaged : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const ScratchFolder folder;
    {
      Store store = Store::open(folder.path());
      std::vector<Trial> trials;
      for (int i = 0; i < kTrials; ++i) trials.push_back(sample_trial(i));
      store.record(store.context(sample_key()), trials);
    }
    damaged_ = read_file(folder.path() / "tuner.sqlite");
    const auto middle = static_cast<std::ptrdiff_t>(damaged_.size() / 4096 / 2 * 4096);
    std::fill_n(damaged_.begin() + middle, 4096, '\x5a');
    const ScratchFolder copy;
    salvageable_ = trials_in(put_damaged(copy.path()).parent_path());
    ASSERT_GT(salvageable_, 60U);
    ASSERT_LT(salvageable_, std::size_t{kTrials});
    // The log of a healthy database of the same shape: where it meets another one, its trials,
    // from 1000 on, appear there.
    EXPECT_EQ(status_of(start([&]() -> int {
                Store store = Store::open(folder.path());
                store.record(store.context(sample_key()), sample_trial(1000));
                ::_exit(0);
              })),
              0);
    stray_log_ = read_file(folder.path() / "tuner.sqlite-wal");
    ASSERT_FALSE(stray_log_.empty());
  }

  static fs::path put_damaged(const fs::path& folder) {
    write_file_atomically(folder / "tuner.sqlite", damaged_, false);
    return folder / "tuner.sqlite";
  }

  // Opens it as the next run does; what is believed must be right.
  static std::size_t trials_in(const fs::path& folder) {
    Store store = Store::open(folder);
    const auto found = all_trials(store);
    for (const auto& [number, trial] : found) {
      EXPECT_LT(number, kTrials) << "from a foreign log";
      EXPECT_TRUE(same_trial(trial, sample_trial(number))) << number;
    }
    return found.size();
  }

  static std::vector<fs::path> files_of(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != ".lock") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
  }

  // Whatever of the files is deleted: all that can be salvaged as long as the database or the whole
  // salvage is there, else nothing, and no remains. `make` puts the same files into any folder.
  static void expect_all_or_nothing(const std::function<void(const fs::path& file)>& make) {
    unsigned deletions = 1;
    for (unsigned deleted = 0; deleted < deletions; ++deleted) {
      const ScratchFolder folder;
      make(folder.path() / "tuner.sqlite");
      const std::vector<fs::path> files = files_of(folder.path());
      deletions = 1U << files.size();
      std::string names;
      for (std::size_t i = 0; i < files.size(); ++i) {
        if ((deleted >> i & 1U) == 0) continue;
        fs::remove(files[i]);
        names += " " + files[i].filename().string();
      }
      const bool source = fs::exists(folder.path() / "tuner.sqlite") ||
                          fs::exists(folder.path() / "tuner.sqlite.salvaged");
      EXPECT_EQ(trials_in(folder.path()), source ? salvageable_ : 0) << "deleted:" << names;
      for (const fs::path& file : files_of(folder.path())) {
        EXPECT_EQ(file.string().find(".salvag"), std::string::npos) << file;
      }
      EXPECT_TRUE(Store::open(folder.path()).notes().empty()) << "nothing left to mend";
    }
  }

  // The notes of the next run, in one text.
  static std::string notes_in(const fs::path& folder) {
    const Store store = Store::open(folder);
    std::string all;
    for (const std::string& note : store.notes()) all += note + "\n";
    return all;
  }

  static inline std::string damaged_;
  static inline std::string stray_log_;
  static inline std::size_t salvageable_ = 0;
};

// A limit for the size of files ends the process at the very write that would exceed it.
TEST_F(ReplaceDamaged, AKillAtAnyWriteLeavesNothingThatIsTakenForWhole) {
  int half_written = 0;
  for (std::size_t limit = 1000; limit < damaged_.size() + 20000; limit += 20000) {
    const ScratchFolder folder;
    const fs::path file = put_damaged(folder.path());
    const int status = status_of(start([&] {
      const rlimit none{0, 0};
      setrlimit(RLIMIT_CORE, &none);
      const rlimit bytes{limit, limit};
      setrlimit(RLIMIT_FSIZE, &bytes);
      write_salvaged(file);
      return 0;
    }));
    EXPECT_TRUE(status == 0 || status == -SIGXFSZ) << limit << ": " << status;
    EXPECT_EQ(status == 0, fs::exists(file.string() + ".salvaged")) << limit;
    if (status != 0 && fs::exists(file.string() + ".salvaging")) ++half_written;
    fs::remove(file);
    EXPECT_EQ(trials_in(folder.path()), status == 0 ? salvageable_ : 0) << limit;
  }
  EXPECT_GE(half_written, 4);
}

TEST_F(ReplaceDamaged, AKillBeforeTheSalvageHasItsNameRepeatsIt) {
  expect_all_or_nothing([&](const fs::path& file) {
    put_damaged(file.parent_path());
    salvage(file, file.string() + ".salvaging");
  });
}

TEST_F(ReplaceDamaged, AKillBeforeTheDamagedFileIsKeptRepeatsTheSalvage) {
  expect_all_or_nothing([&](const fs::path& file) {
    put_damaged(file.parent_path());
    write_salvaged(file);
  });
}

TEST_F(ReplaceDamaged, AKillBetweenTheDamagedFileAndItsLogKeepsTheLogAway) {
  expect_all_or_nothing([&](const fs::path& file) {
    put_damaged(file.parent_path());
    write_salvaged(file);
    keep_damaged(file);
    write_file_atomically(file.string() + "-wal", stray_log_, false);
  });
}

TEST_F(ReplaceDamaged, AKillBeforeTheSalvageTakesItsPlaceIsMadeUpFor) {
  expect_all_or_nothing([&](const fs::path& file) {
    put_damaged(file.parent_path());
    write_file_atomically(file.string() + "-wal", "its log", false);
    write_salvaged(file);
    EXPECT_EQ(keep_damaged(file), file.string() + ".corrupt-1");
    EXPECT_EQ(read_file(file.string() + ".corrupt-1-wal"), "its log");
  });
}

TEST_F(ReplaceDamaged, AfterTheLastStepTheDatabaseIsWhole) {
  expect_all_or_nothing([&](const fs::path& file) {
    put_damaged(file.parent_path());
    write_salvaged(file);
    keep_damaged(file);
    take_salvaged(file);
  });
}

TEST_F(ReplaceDamaged, AnUnfinishedSalvageIsNamedWhenItIsRemoved) {
  const ScratchFolder folder;
  const std::string unfinished = put_damaged(folder.path()).string() + ".salvaging";
  write_file_atomically(unfinished, damaged_.substr(0, 20000), false);
  write_file_atomically(unfinished + "-journal", "half", false);
  fs::remove(folder.path() / "tuner.sqlite");
  EXPECT_EQ(notes_in(folder.path()), "an unfinished salvage was removed: " + unfinished + "\n");
  EXPECT_FALSE(fs::exists(unfinished + "-journal"));
}

TEST_F(ReplaceDamaged, ADatabasePutBackByHandCountsMoreThanAnOldSalvage) {
  const ScratchFolder folder;
  const fs::path file = put_damaged(folder.path());
  write_salvaged(file);
  fs::remove(file);
  const ScratchFolder backup;
  fill(backup.path(), 3);
  fs::copy_file(backup.path() / "tuner.sqlite", file);
  EXPECT_NE(notes_in(folder.path()).find("since the database is there"), std::string::npos);
  EXPECT_EQ(trials_in(folder.path()), 3U);
}

TEST_F(ReplaceDamaged, AWholeSalvageThatWaitsIsSaidToReadersAndPutInPlaceByTheNextRun) {
  const ScratchFolder folder;
  const fs::path file = put_damaged(folder.path());
  write_salvaged(file);
  keep_damaged(file);
  try {
    Store::open(folder.path(), Store::Access::kRead);
    FAIL();
  } catch (const FatalError& error) {
    EXPECT_NE(std::string(error.what()).find("puts it in place"), std::string::npos);
  }
  EXPECT_EQ(notes_in(folder.path()),
            file.string() + " was missing; what had been salvaged from it took its place\n");
}

TEST_F(ReplaceDamaged, WhoMeasuredAndHowItIsRankedIsSalvagedToo) {
  const ScratchFolder from;
  const ScratchFolder to;
  {
    Store store = Store::open(from.path());
    store.record(store.context(sample_key()), sample_trial(1));
    store.rank_by(store.context(sample_key()), {}, {});
  }
  salvage(from.path() / "tuner.sqlite", to.path() / "tuner.sqlite");
  const auto contexts = Store::open(to.path(), Store::Access::kRead).contexts();
  ASSERT_EQ(contexts.size(), 1U);
  EXPECT_EQ(contexts[0].hosts.own.size(), 1U);
  EXPECT_TRUE(contexts[0].ranked_by);
}

TEST_F(ReplaceDamaged, ALogThatALostFileLeftIsNotGivenToTheNextOne) {
  const ScratchFolder folder;
  const fs::path file = put_damaged(folder.path());
  write_file_atomically(file.string() + ".corrupt-1-wal", stray_log_, false);
  EXPECT_EQ(keep_damaged(file), file.string() + ".corrupt-1");
  EXPECT_FALSE(fs::exists(file.string() + ".corrupt-1-wal"));
}

}  // namespace
}  // namespace tuner
