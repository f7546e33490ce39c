#pragma once
// What a user sees while a run goes on: one live line on a terminal, plain lines elsewhere, or
// JSON lines for programs.

#include <array>
#include <cstdio>
#include <string>

#include "tuner/model/study.h"
#include "tuner/model/trial.h"

namespace tuner {

class Progress {
 public:
  enum class Style { kNone, kLive, kPlain, kJson };
  // `choice` as --progress takes it; "auto" looks whether `out` is a terminal.
  Progress(const std::string& choice, std::FILE* out);

  void begin(const std::string& title, std::string total, const Study& study);
  void trial(const Trial& trial, double elapsed_seconds);
  void note(const std::string& text);
  void end(double elapsed_seconds);

  // 12.3 s, 4 min 05 s, 2 h 03 min
  static std::string duration_text(double seconds);

 private:
  std::string status(double elapsed_seconds) const;
  void line(double elapsed_seconds, bool force);
  void erase();

  Style style_;
  std::FILE* out_;
  const Study* study_ = nullptr;
  std::string total_text_;
  double total_ = 0;
  std::size_t done_ = 0;
  std::size_t recalled_ = 0;
  std::array<std::size_t, 8> states_{};
  bool have_best_ = false;
  Trial best_;
  double last_line_ = -1e9;
  bool line_shown_ = false;
};

}  // namespace tuner
