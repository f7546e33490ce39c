// Databases of others, made to run code or to fill the memory when they are read.

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "run_sql.h"
#include "sample_trials.h"
#include "tests/fakes/scratch_folder.h"
#include "tuner/base/error.h"
#include "tuner/base/interrupt.h"
#include "tuner/store/merge.h"
#include "tuner/store/sqlite.h"
#include "tuner/store/store.h"

namespace tuner {
namespace {

class ForeignSchema : public testing::Test {
 protected:
  void SetUp() override {
    Store store = Store::open(folder_.path());
    store.record(store.context(sample_key()), sample_trial(1));
  }

  // What reading, writing and merging say of the store, which have to agree.
  std::string complaint() {
    const auto said_by = [](const auto& what) -> std::string {
      try {
        what();
      } catch (const FatalError& error) {
        return error.what();
      }
      return {};
    };
    const ScratchFolder own;
    const std::string reading = said_by([&] { Store::open(folder_.path(), Store::Access::kRead); });
    EXPECT_EQ(said_by([&] { Store::open(folder_.path()); }), reading);
    EXPECT_EQ(said_by([&] {
                Store into = Store::open(own.path());
                merge_store(into, folder_.path());
              }),
              reading);
    const std::string file = file_.string();
    return reading.starts_with(file) ? reading.substr(file.size()) : reading;
  }

  ScratchFolder folder_;
  std::filesystem::path file_ = folder_.path() / "tuner.sqlite";
};

TEST_F(ForeignSchema, AViewInATablesPlaceIsRefused) {
  run_sql(file_, R"(ALTER TABLE trials RENAME TO t0; CREATE VIEW trials AS
    WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT t0.* FROM t0, c)");
  EXPECT_EQ(complaint(),
            " has the view 'trials', which this version of tuner does not make: it is not read");
}

TEST_F(ForeignSchema, EverythingThatTunerHasNotMadeIsRefused) {
  const auto refused = [&](const char* sql, const std::string& what) {
    const std::string before = file_.string() + ".before";
    std::filesystem::copy_file(file_, before, std::filesystem::copy_options::overwrite_existing);
    run_sql(file_, sql);
    EXPECT_EQ(complaint(),
              " has the " + what + ", which this version of tuner does not make: it is not read");
    std::filesystem::rename(before, file_);
  };
  refused("CREATE VIEW v AS SELECT 1", "view 'v'");
  refused("CREATE TRIGGER t AFTER INSERT ON trials BEGIN DELETE FROM contexts; END", "trigger 't'");
  refused("CREATE INDEX i ON trials(abs(checksum))", "index 'i'");
  refused("CREATE TABLE more(x CHECK (x > 1))", "table 'more'");
  refused("ALTER TABLE trials ADD COLUMN g AS (hex(samples))", "table 'trials'");
  refused(
      "DROP TABLE hosts; CREATE TABLE hosts(id INTEGER PRIMARY KEY CHECK (id > 0),"
      " context, host, imported)",
      "table 'hosts'");
}

TEST_F(ForeignSchema, WhatOrdinaryUpkeepLeavesIsRead) {
  run_sql(file_, "ANALYZE; VACUUM");
  EXPECT_EQ(complaint(), "");
}

TEST_F(ForeignSchema, AValueLongerThanAnyOfTunersIsRefused) {
  run_sql(file_, "UPDATE trials SET samples = zeroblob(100000000)");
  Store store = Store::open(folder_.path(), Store::Access::kRead);
  try {
    store.trials({1, sample_key().parameters});
    FAIL();
  } catch (const FatalError& error) {
    EXPECT_EQ(error.what(), "the results database " + file_.string() +
                                " failed: it holds a value that is longer than any that tuner "
                                "writes");
  }
}

TEST_F(ForeignSchema, ASignalToStopEndsALongStatement) {
  const Interrupt interrupt;
  Database database(file_, Database::Mode::kReadOnly);
  const std::string endless =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
  std::thread user([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::kill(::getpid(), SIGINT);
  });
  EXPECT_THROW(database.integer_of(endless), InterruptedError);
  user.join();
  // What is done on the way out is not ended by the same signal.
  EXPECT_EQ(database.integer_of("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c"
                                " WHERE x < 1000000) SELECT count(*) FROM c"),
            1000000);
}

}  // namespace
}  // namespace tuner
