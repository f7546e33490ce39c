// Prints a run's progress: a live line or plain lines; JSON lines are JsonEvents'.

#include "tuner/terminal/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "tuner/base/error.h"
#include "tuner/base/exit_status.h"
#include "tuner/base/terminal_text.h"
#include "tuner/engine/objective.h"
#include "tuner/exporters/ranked_table.h"

namespace tuner {
namespace {

constexpr double kLiveSeconds = 0.1;
constexpr double kPlainSeconds = 5;

std::size_t columns(std::FILE* out) {
  winsize size{};
  if (::ioctl(::fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 20) return size.ws_col;
  return 120;
}

}  // namespace

Progress::Progress(const std::string& choice, const Colours& colours, std::FILE* out)
    : colours_(colours), out_(out) {
  if (choice == "json") events_.emplace(out);
  if (choice == "none" || choice == "json") {
    style_ = Style::kNone;
  } else if (choice == "plain" || ::isatty(::fileno(out)) == 0) {
    style_ = Style::kPlain;
  } else {
    style_ = Style::kLive;
  }
}

std::string Progress::duration_text(double seconds) {
  if (!(seconds >= 0) || seconds > 1e8) return "?";
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

void Progress::begin(const RunPart& part, const Study& study) {
  study_ = &study;
  total_text_ = part.total;
  total_ = std::strtod(total_text_.c_str(), nullptr);
  seconds_ = part.seconds;
  done_ = recalled_ = 0;
  states_ = {};
  have_best_ = false;
  last_line_ = -1e9;
  last_round_ = {};
  if (events_) {
    events_->begin(part, study);
  } else {
    note(part.title);
  }
}

std::optional<double> Progress::remaining(double elapsed) const {
  const auto fresh = static_cast<double>(done_ - recalled_);
  const double open = total_ - static_cast<double>(done_);
  std::optional<double> left;
  if (fresh >= 3 && open > 0) left = elapsed / fresh * open;
  if (!seconds_) return left;
  const double granted = std::max(0.0, *seconds_ - elapsed);
  return std::min(granted, left.value_or(granted));
}

std::string Progress::status(double elapsed) const {
  std::string text = fmt::format("{}/{}", done_, total_text_);
  if (have_best_) {
    text += study_->objective.name == "time"
                ? fmt::format("  best {:.4g} ms", best_.timing.median)
                : fmt::format("  best {} {:.5g}", study_->objective.name, best_.objective.value());
  }
  for (std::size_t state = 0; state < states_.size(); ++state) {
    if (states_[state] == 0) continue;
    text += fmt::format("  {} {}", states_[state], shown_name(static_cast<TrialState>(state)));
  }
  if (recalled_ > 0) text += fmt::format("  ({} from the store)", recalled_);
  const double fresh = static_cast<double>(done_ - recalled_);
  if (fresh >= 3 && elapsed > 0) text += fmt::format("  {:.3g}/s", fresh / elapsed);
  if (const auto left = remaining(elapsed)) text += "  ETA " + duration_text(*left);
  if (have_best_) {
    text += "  " + for_terminal(configuration_text(study_->parameters, best_.configuration));
  }
  return text;
}

void Progress::erase() {
  if (line_shown_) fmt::print(out_, "\r\033[K");
  line_shown_ = false;
}

void Progress::line(double elapsed, bool force) {
  if (style_ != Style::kLive && style_ != Style::kPlain) return;
  const double pause = style_ == Style::kLive ? kLiveSeconds : kPlainSeconds;
  if (!force && elapsed - last_line_ < pause) return;
  last_line_ = elapsed;
  const std::string text = status(elapsed);
  if (style_ == Style::kPlain) {
    fmt::print(out_, "  {}\n", text);
  } else {
    erase();
    fmt::print(out_, "{}", text.substr(0, columns(out_) - 1));
    line_shown_ = true;
  }
  std::fflush(out_);
}

void Progress::trial(const Trial& trial, double elapsed) {
  ++done_;
  if (trial.from_store) ++recalled_;
  ++states_.at(static_cast<std::size_t>(trial.state));
  if (trial.state == TrialState::kOk &&
      (!have_best_ || better(study_->objective, trial.objective, best_.objective))) {
    best_ = trial;
    have_best_ = true;
  }
  if (events_) events_->trial(trial, elapsed);
  line(elapsed, false);
}

void Progress::note(const std::string& text) {
  if (events_) events_->note(text);
  if (style_ == Style::kNone) return;
  erase();
  fmt::print(out_, "{}\n", colours_.note(lines_for_terminal(text)));
  std::fflush(out_);
}

void Progress::round(int done, int rounds) {
  if (events_) events_->round(done, rounds);
  if (style_ == Style::kNone) return;
  const auto now = std::chrono::steady_clock::now();
  const double pause = style_ == Style::kLive ? kLiveSeconds : kPlainSeconds;
  if (last_round_ == std::chrono::steady_clock::time_point{}) last_round_ = now;
  if (std::chrono::duration<double>(now - last_round_).count() < pause) return;
  last_round_ = now;
  erase();
  const std::string text = fmt::format("  final: round {} of {}", done, rounds);
  fmt::print(out_, "{}{}", text, style_ == Style::kLive ? "" : "\n");
  line_shown_ = style_ == Style::kLive;
  std::fflush(out_);
}

void Progress::end(double elapsed) {
  if (events_) events_->end(elapsed);
  if (style_ == Style::kNone) return;
  line(elapsed, true);
  if (style_ == Style::kLive) fmt::print(out_, "\n");
  line_shown_ = false;
  std::fflush(out_);
}

void Progress::ranked(const SizeOutcome& outcome) {
  erase();
  if (events_) events_->ranked(outcome);
}

int with_progress(const std::string& choice, const Colours& colours,
                  const std::function<int(Progress&)>& work) {
  Progress progress(choice, colours, stderr);
  if (!progress.is_for_programs()) return work(progress);
  const auto failed = [&](const std::exception& error, int status) {
    progress.error(error.what(), status);
    return status;
  };
  int status = kExitDone;
  try {
    status = work(progress);
  } catch (const InputError& error) {
    status = failed(error, kExitBadInput);
  } catch (const UnavailableError& error) {
    status = failed(error, kExitUnavailable);
  } catch (const std::exception& error) {
    status = failed(error, kExitNothingValid);
  }
  progress.finish(status);
  return status;
}

void Progress::finish(int status) {
  if (events_) events_->finish(status);
}

void Progress::error(const std::string& message, int status) {
  if (events_) events_->error(message, status);
}

}  // namespace tuner
