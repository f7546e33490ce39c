// Devices of one model share a search: the cpu backend shows itself as four, to one process and to
// the four of an MPI job.

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "program.h"
#include "spin_study.h"

namespace tuner::cli {
namespace {

using Rows = std::vector<std::map<std::string, std::string>>;

// Ninety variants, of which those with WORK=1 do an eighth of what those with WORK=8 do.
class SeveralDevices : public testing::Test {
 protected:
  SeveralDevices() {
    write_spin_study(sandbox_, "WORK * 100 + PAD", R"yaml(problem_sizes: [{n: 2000}]
parameters: {BLOCK: [32, 64, 128, 256, 512], WORK: [1, 4, 8], PAD: [0, 1, 2, 3, 4, 5]}
)yaml");
  }
  void TearDown() override { EXPECT_TRUE(no_process_left(sandbox_)); }

  static std::vector<std::string> words(const std::string& devices, const std::string& results) {
    return {"run",       "spin.yaml", "--backend",  "cpu:devices=4", "--device", devices,
            "--results", results,     "--progress", "json",          "--jobs",   "2"};
  }
  Rows ranking(const std::string& results) const {
    for (const auto& file : std::filesystem::recursive_directory_iterator(sandbox_.path(results))) {
      if (file.path().extension() == ".csv") return read_csv(file.path());
    }
    return {};
  }
  // Each variant once, and none has failed.
  static void expect_all(const Rows& rows) {
    std::set<std::string> seen;
    for (const auto& row : rows) {
      seen.insert(row.at("BLOCK") + " " + row.at("WORK") + " " + row.at("PAD"));
      EXPECT_TRUE(row.at("state") == "ok" || row.at("state") == "dropped") << row.at("message");
    }
    EXPECT_EQ(rows.size(), 90U);
    EXPECT_EQ(seen.size(), 90U);
  }
  static nlohmann::json event(const std::string& lines, const std::string& name) {
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);) {
      const auto json = nlohmann::json::parse(line, nullptr, false);
      if (json.is_object() && json.value("event", "") == name) return json;
    }
    return {};
  }
  std::vector<int> run_workers() const {
    std::vector<int> found;
    for (const int pid : program_processes(sandbox_)) {
      const std::string line = text_of("/proc/" + std::to_string(pid) + "/cmdline");
      if (line.find(std::string("worker\0run", 10)) != std::string::npos) found.push_back(pid);
    }
    return found;
  }

  Sandbox sandbox_;
};

TEST_F(SeveralDevices, FindTheWinnerOfOneAndMeasureEachVariantOnce) {
  const Finished one = run_to(0, sandbox_, words("0", "one"));
  const Finished all = run_to(0, sandbox_, words("all", "four"));
  const Rows rows = ranking("four");
  expect_all(rows);
  EXPECT_EQ(rows.front().at("WORK"), "1");
  EXPECT_EQ(ranking("one").front().at("WORK"), "1");
  // All was compiled before: there is work for each from the beginning.
  std::map<std::string, std::size_t> by_device;
  for (const auto& row : rows) ++by_device[row.at("device_uuid")];
  EXPECT_EQ(by_device.size(), 4U);
  const nlohmann::json ranked = event(all.err, "ranked");
  ASSERT_EQ(ranked.at("devices").size(), 4U);
  for (const nlohmann::json& device : ranked.at("devices")) {
    EXPECT_EQ(device.at("trials"), by_device[device.at("uuid")]) << device;
    EXPECT_GT(device.at("busy"), 0) << device;
    EXPECT_TRUE(device.at("lost").is_null()) << device;
  }
  EXPECT_TRUE(says(all.err, "measured by device 0: "));
}

TEST_F(SeveralDevices, LoseNothingWhenARunWorkerIsKilled) {
  Running running(sandbox_, words("all", "results"));
  ASSERT_TRUE(eventually([&] { return occurrences(running.errors_so_far(), "\"trial\"") >= 10; }))
      << running.errors_so_far();
  const std::vector<int> workers = run_workers();
  ASSERT_FALSE(workers.empty());
  ::kill(workers.back(), SIGKILL);
  const Finished done = running.wait();
  EXPECT_EQ(done.status, 0) << done.err;
  expect_all(ranking("results"));
}

TEST_F(SeveralDevices, GoOnAfterAKillOfAllWithWhatIsNotMeasuredYet) {
  std::size_t seen = 0;
  {
    Running running(sandbox_, words("all", "results"));
    ASSERT_TRUE(eventually([&] { return occurrences(running.errors_so_far(), "\"trial\"") >= 20; }))
        << running.errors_so_far();
    running.signal(SIGKILL);
    seen = occurrences(running.wait().err, "\"trial\"");
  }
  const Finished done = run_to(0, sandbox_, words("all", "results"));
  expect_all(ranking("results"));
  if (measured_again(done)) return;  // the machine is busy: all the stored ones are old
  EXPECT_GE(occurrences(done.err, "\"from_store\":true"), seen) << done.err;
}

TEST_F(SeveralDevices, AreThereAndNamedOnceEach) {
  const auto expect_refused = [&](const std::string& devices, int status, const char* why) {
    const Finished done = run(sandbox_, words(devices, "results"));
    EXPECT_EQ(done.status, status);
    EXPECT_TRUE(says(done.err, why));
  };
  expect_refused("0,4", 3, "there is no device 4; the backend has devices 0 to 3");
  expect_refused("1,1", 2, "--device names device 1 twice: each number once, or 'all'");
}

// ---- four ranks ---------------------------------------------------------------------------------

class Ranks : public SeveralDevices {
 protected:
  Ranks() {
    // A short final: what is tested is the search.
    sandbox_.write("spin.yaml", text_of(sandbox_.path("spin.yaml")) + "measure: {finalists: 2}\n");
  }
  void SetUp() override {
    if (kMpirun.empty()) GTEST_SKIP() << "left out: there is no MPI on this machine";
  }
  // As root, too, on fewer cores than ranks, with no network. MPI keeps memory when it ends, in
  // parts that it has unloaded by then: only a whole stack shows whose it was.
  std::vector<std::string> launcher() const {
    const auto leaks = sandbox_.write(
        "leaks", "leak:libmpi\nleak:libopen-\nleak:libpmix\nleak:libevent\nleak:mca_\n");
    return {"env",
            "OMPI_ALLOW_RUN_AS_ROOT=1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
            "OMPI_MCA_rmaps_base_oversubscribe=1",
            "OMPI_MCA_btl=self,vader",
            "ASAN_OPTIONS=fast_unwind_on_malloc=0",
            "LSAN_OPTIONS=suppressions=" + leaks.string() + ":print_suppressions=0",
            kMpirun,
            "-n",
            "4"};
  }
  static std::vector<std::string> tuning() {
    return {"run", "spin.yaml", "--backend", "cpu:devices=4,threads=1", "--progress", "json"};
  }
  int process_of_rank(const std::string& rank) const {
    for (const int pid : program_processes(sandbox_)) {
      const std::string folder = "/proc/" + std::to_string(pid);
      const std::string variables = '\0' + text_of(folder + "/environ");
      const bool is_worker = text_of(folder + "/cmdline").find("worker") != std::string::npos;
      const std::string mark = "OMPI_COMM_WORLD_RANK=" + rank + '\0';
      if (!is_worker && variables.find('\0' + mark) != std::string::npos) return pid;
    }
    return 0;
  }

  inline static const std::string kMpirun = TUNER_MPIRUN;
};

TEST_F(Ranks, MeasureEachVariantOnceAndTheFirstSpeaksForAll) {
  const Finished done = run_to(0, sandbox_, tuning(), launcher());
  const Rows rows = ranking("results");
  expect_all(rows);
  std::set<std::string> devices;
  for (const auto& row : rows) devices.insert(row.at("device_uuid"));
  EXPECT_EQ(devices, (std::set<std::string>{"cpu-0", "cpu-1", "cpu-2", "cpu-3"}));
  const nlohmann::json ranked = event(done.err, "ranked");
  ASSERT_EQ(ranked.at("devices").size(), 4U);
  for (unsigned rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(ranked.at("devices")[rank].at("rank"), rank);
    EXPECT_EQ(ranked.at("devices")[rank].at("device"), rank) << "they take turns";
  }
  EXPECT_EQ(ranked.at("bound").at("compile_workers"), 4) << "each rank has a core at least";
  EXPECT_EQ(occurrences(done.err, "\"event\":\"ranked\""), 1U);
  EXPECT_EQ(occurrences(done.out, "90 trials: "), 1U);
}

TEST_F(Ranks, LoseNothingThatWasMeasuredWhenOneIsKilled) {
  std::size_t seen = 0;
  {
    Running running(sandbox_, tuning(), launcher());
    ASSERT_TRUE(eventually([&] { return occurrences(running.errors_so_far(), "\"trial\"") >= 20; }))
        << running.errors_so_far();
    const int third = process_of_rank("2");
    ASSERT_NE(third, 0);
    ::kill(third, SIGKILL);
    const Finished killed = running.wait();
    EXPECT_NE(killed.status, 0) << "mpirun ends the job";
    seen = occurrences(killed.err, "\"trial\"");
  }
  ASSERT_TRUE(no_process_left(sandbox_));
  const Finished done = run_to(0, sandbox_, tuning(), launcher());
  expect_all(ranking("results"));
  if (measured_again(done)) return;  // the machine is busy: all the stored ones are old
  EXPECT_GE(occurrences(done.err, "\"from_store\":true"), seen) << done.err;
}

// Under the names of the study's files others lie where ranks other than 0 are started.
TEST_F(Ranks, WorkInTheFolderOfTheFirst) {
  for (const std::string folder : {"study", "other/study"}) {
    const bool is_right = folder == "study";
    std::filesystem::create_directories(sandbox_.path(folder + "/inc"));
    sandbox_.write(folder + "/inc/two.cuh", is_right ? "#define TWO 2\n" : "#error not this one\n");
    sandbox_.write(folder + "/x.bin", std::string(4000, is_right ? '\1' : '\2'));
    sandbox_.write(folder + "/y.bin", std::string(4000, '\2'));
  }
  sandbox_.write("other/study/inc/first.cuh", "#error not there for the first\n");
  sandbox_.write("study/far.cu", R"cuda(
#if __has_include("first.cuh")
#include "first.cuh"
#endif
#include "two.cuh"
extern "C" __global__ void far(const unsigned char* x, unsigned char* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  volatile int sum = 0;
  for (int k = 0; k < WORK * 100 + PAD; ++k) sum = sum + x[i];
  y[i] = TWO * x[i];
}
)cuda");
  sandbox_.write("study/far.yaml", R"yaml(schema: 1
kernel: {name: far, source: far.cu, entry: far, define_prefix: "", include_dirs: [inc]}
problem_sizes: [{n: 4000}]
parameters: {BLOCK: [32, 64, 128, 256], WORK: [4, 8], PAD: [0, 1, 2, 3]}
launch: {block: [BLOCK], grid: ["ceil_div(n, BLOCK)"]}
arguments:
  - {name: x, type: uint8, shape: [n], fill: {file: x.bin}}
  - {name: y, type: uint8, shape: [n], role: out}
  - {name: n, type: int32, value: n}
reference: {file: y.bin}
search: {strategy: exhaustive}
measure: {finalists: 2}
)yaml");
  std::vector<std::string> there = launcher();
  for (const char* word :
       {"sh", "-c", R"sh(test $OMPI_COMM_WORLD_RANK = 0 || cd other; exec "$@")sh", "sh"}) {
    there.emplace_back(word);
  }
  const Finished done = run_to(
      0, sandbox_,
      {"run", "study/far.yaml", "--backend", "cpu:devices=4,threads=1", "--progress", "json"},
      there);
  EXPECT_FALSE(says(done.err, "left out"));
  std::set<std::string> devices;
  for (const auto& row : ranking("results")) {
    devices.insert(row.at("device_uuid"));
    EXPECT_TRUE(row.at("state") == "ok" || row.at("state") == "dropped") << row.at("message");
  }
  EXPECT_GT(devices.size(), 1U);
}

TEST_F(Ranks, SayOnceWhatIsWrong) {
  const Finished done = run_to(2, sandbox_, {"run", "missing.yaml"}, launcher());
  EXPECT_EQ(occurrences(done.err, "missing.yaml: cannot read the study: there is no such file"), 1U)
      << done.err;
}

TEST_F(SeveralDevices, AreOneMachinesWhereTheBuildHasNoMpi) {
  const std::filesystem::path program = sandbox_.path("tuner");  // with nothing beside it
  std::filesystem::copy_file(TUNER_PROGRAM, program);
  const auto as_rank = [&](const std::string& rank) {
    return run(sandbox_, {},
               {"env", "OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_RANK=" + rank, program.string(),
                "run", "spin.yaml", "--device"});
  };
  const Finished first = as_rank("0");
  EXPECT_EQ(first.status, 3);
  EXPECT_EQ(
      first.err,
      "tuner: started as 4 ranks, but this build has no MPI: build it where libopenmpi-dev is "
      "installed, or start one process\n");
  const Finished other = as_rank("3");
  EXPECT_EQ(other.status, 0) << "the first one says it";
  EXPECT_EQ(other.out + other.err, "");
}

}  // namespace
}  // namespace tuner::cli
