#pragma once
// Failures that end a command. What fails of a configuration is none of these: it is a Verdict.

#include <stdexcept>
#include <string>
#include <vector>

namespace tuner {

// A place in a text file. Line and column count from 1; 0 means "not known".
struct Position {
  std::string file;
  int line = 0;
  int column = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

// One thing that is wrong with an input, and what would be right.
struct Complaint {
  Position where;
  std::string message;     // what is wrong and what is allowed
  std::string suggestion;  // "did you mean 'BM'?", or empty
};

// "file:line:column: message" as compilers write it; the source line and a caret follow when the
// text of the file is given.
std::string render(const Complaint& complaint, const std::string& file_text = {});

// Bad input: exit status 2. Carries every complaint of the file, not only the first.
class InputError : public std::runtime_error {
 public:
  explicit InputError(Complaint complaint);
  InputError(std::vector<Complaint> complaints, const std::string& file_text);
  const std::vector<Complaint>& complaints() const { return complaints_; }

 private:
  std::vector<Complaint> complaints_;
};

// An InputError about a whole file, or about none where `file` is empty.
[[noreturn]] void reject(const std::string& file, const std::string& message,
                         const std::string& suggestion = {});

// A backend or device that was requested and is not there: exit status 3.
class UnavailableError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A backend or device that is there and cannot be used, so that nothing else should stand in for
// it.
class RefusedError : public UnavailableError {
 public:
  using UnavailableError::UnavailableError;
};

// Anything else that makes going on impossible (disk full, broken installation): exit status 1.
class FatalError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The name in `known` closest to `name`, if near enough to be a slip of the fingers; else empty.
std::string nearest_name(const std::string& name, const std::vector<std::string>& known);

// "did you mean 'X'?" for a near miss, else empty.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& known);

// ---- how the program ends -----------------------------------------------------------------------

inline constexpr int kExitDone = 0;
inline constexpr int kExitNothingValid = 1;  // or a FatalError
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitUnavailable = 3;
inline constexpr int kExitInterrupted = 130;

}  // namespace tuner
