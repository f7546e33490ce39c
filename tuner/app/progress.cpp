// Prints a run's progress: a live line, plain lines, or JSON lines.

#include "tuner/app/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tuner/base/terminal_text.h"
#include "tuner/engine/objective.h"

namespace tuner {
namespace {

constexpr double kLiveSeconds = 0.1;
constexpr double kPlainSeconds = 5;

std::size_t columns(std::FILE* out) {
  winsize size{};
  if (::ioctl(::fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 20) return size.ws_col;
  return 120;
}

// Names and messages may hold any bytes: what is no UTF-8 is replaced.
std::string json_text(const nlohmann::json& event) {
  return event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Progress::Progress(const std::string& choice, std::FILE* out) : out_(out) {
  if (choice == "none") {
    style_ = Style::kNone;
  } else if (choice == "json") {
    style_ = Style::kJson;
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

void Progress::begin(const std::string& title, std::string total, const Study& study) {
  study_ = &study;
  total_text_ = std::move(total);
  total_ = std::strtod(total_text_.c_str(), nullptr);
  done_ = recalled_ = 0;
  states_ = {};
  have_best_ = false;
  last_line_ = -1e9;
  if (style_ == Style::kJson) {
    fmt::print(out_, "{}\n", json_text({{"event", "begin"}, {"title", title}, {"total", total_}}));
  } else {
    note(title);
  }
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
    text += fmt::format("  {} {}", states_[state], name_of(static_cast<TrialState>(state)));
  }
  if (recalled_ > 0) text += fmt::format("  ({} from the store)", recalled_);
  const double fresh = static_cast<double>(done_ - recalled_);
  if (fresh >= 3 && total_ > static_cast<double>(done_)) {
    text += "  ETA " + duration_text(elapsed / fresh * (total_ - static_cast<double>(done_)));
  }
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
  if (style_ == Style::kJson) {
    nlohmann::json event{{"event", "trial"},
                         {"done", done_},
                         {"state", name_of(trial.state)},
                         {"elapsed_s", elapsed},
                         {"from_store", trial.from_store}};
    for (std::size_t i = 0; i < study_->parameters.size(); ++i) {
      event["configuration"][study_->parameters[i].name] = to_text(trial.configuration[i]);
    }
    if (trial.state == TrialState::kOk) event["time_ms"] = trial.timing.median;
    if (!trial.message.empty()) event["message"] = trial.message;
    fmt::print(out_, "{}\n", json_text(event));
    std::fflush(out_);
  }
  line(elapsed, false);
}

void Progress::note(const std::string& text) {
  if (style_ == Style::kNone) return;
  erase();
  if (style_ == Style::kJson) {
    fmt::print(out_, "{}\n", json_text({{"event", "note"}, {"text", text}}));
  } else {
    fmt::print(out_, "{}\n", lines_for_terminal(text));
  }
  std::fflush(out_);
}

void Progress::end(double elapsed) {
  if (style_ == Style::kLive || style_ == Style::kPlain) {
    line(elapsed, true);
    if (style_ == Style::kLive) fmt::print(out_, "\n");
    line_shown_ = false;
  } else if (style_ == Style::kJson) {
    fmt::print(out_, "{}\n",
               json_text({{"event", "end"}, {"done", done_}, {"elapsed_s", elapsed}}));
  }
  std::fflush(out_);
}

}  // namespace tuner
