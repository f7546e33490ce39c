// A keeper is a child of the test that runs a shell: what the shell leaves behind tells its number
// on standard output.

#include "tuner/base/keeper.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace tuner {
namespace {

class Kept {
 public:
  // `between`: another process is the keeper's parent, and dies when the test says so.
  explicit Kept(const std::string& commands, bool between = false) {
    int ends[2];
    int input[2];
    if (::pipe(ends) != 0 || ::pipe2(input, O_CLOEXEC) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(input[0], STDIN_FILENO);
      ::dup2(ends[1], STDOUT_FILENO);
      if (between && ::fork() != 0) {
        for (;;) ::pause();
      }
      keep({"/bin/sh", "-c", commands});
    }
    ::close(ends[1]);
    ::close(input[0]);
    input_ = input[1];
    output_ = ::fdopen(ends[0], "r");
  }
  ~Kept() {
    std::fclose(output_);
    ::close(input_);
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  pid_t pid() const { return pid_; }
  // A number that the shell, or a process that it started, printed.
  pid_t told() const {
    int number = 0;
    return std::fscanf(output_, "%d", &number) == 1 ? number : 0;
  }
  // The shell's "read" returns.
  void say() const { ASSERT_EQ(::write(input_, "\n", 1), 1); }
  int status() const {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return status;
  }
  // Once nobody has the shell's output any more.
  bool is_all_gone() const {
    while (std::fgetc(output_) != EOF) {
    }
    return true;
  }

 private:
  pid_t pid_;
  int input_;
  std::FILE* output_;
};

constexpr char kLeavesItsSession[] =
    "env -i /usr/bin/setsid /bin/sh -c 'echo $$; exec /bin/sleep 600' & ";

TEST(Keeper, EndsAsItsProgramDoes) {
  EXPECT_EQ(WEXITSTATUS(Kept("exit 3").status()), 3);
  const int status = Kept("kill -SEGV $$").status();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
}

TEST(Keeper, EndsWhatHasLeftItsSessionAndItsEnvironment) {
  const Kept kept(std::string("(") + kLeavesItsSession + ") ; read line");
  const pid_t left = kept.told();
  ASSERT_GT(left, 0);
  kept.say();
  kept.status();
  EXPECT_EQ(::kill(left, 0), -1);
}

TEST(Keeper, EndsWhatTakesNoNoticeOfSignals) {
  const Kept kept(
      "(trap '' TERM; setsid sh -c 'echo $$; while :; do sleep 600; done' & ); read line");
  const pid_t left = kept.told();
  ASSERT_GT(left, 0);
  kept.say();
  kept.status();
  EXPECT_EQ(::kill(left, 0), -1);
}

TEST(Keeper, EndsAllWhenItIsToldTo) {
  const Kept kept(std::string(kLeavesItsSession) + "exec sleep 600");
  const pid_t left = kept.told();
  ASSERT_GT(left, 0);
  ::kill(kept.pid(), SIGTERM);
  const int status = kept.status();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  EXPECT_EQ(::kill(left, 0), -1);
}

TEST(Keeper, EndsAllWhenItsParentIsKilled) {
  const Kept kept(std::string(kLeavesItsSession) + "exec sleep 600", true);
  ASSERT_GT(kept.told(), 0);
  ::kill(kept.pid(), SIGKILL);
  kept.status();
  EXPECT_TRUE(kept.is_all_gone());
}

}  // namespace
}  // namespace tuner
