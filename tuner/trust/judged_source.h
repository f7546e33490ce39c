#pragma once
// Limits what a source that nobody trusts may hold and read, and what is told of others' files.

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/model/study.h"
#include "tuner/model/trial.h"

namespace tuner {

// A judged kernel runs for who sends it, on a machine whose files are not his: its includes come
// from the study's folders, the toolkit's and the system's, and a message has lines of no file but
// its own.
class JudgedSource {
 public:
  // The study with its own kernel, and with the judged one. Both outlive this.
  JudgedSource(const Study& own, const Study& judged);

  // Returns why it is not judged, by its text; empty: it is. Reads the file; throws FatalError.
  std::string refusal() const;
  // Returns why it is not judged, by the files that a compiler reports to have opened; empty: it
  // is.
  std::string refusal(const Trial& trial) const;

  // The compiler's log without lines of other files.
  std::string tellable(const std::string& log) const;

 private:
  bool may_read(const std::filesystem::path& file) const;
  std::string reading_elsewhere(const std::string& text) const;
  std::string missing_kernel() const;

  const Study& own_;
  const Study& judged_;
  std::vector<std::filesystem::path> folders_;  // canonical
};

}  // namespace tuner
