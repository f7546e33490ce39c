// Counts the trials of searches, and prints how they go: as a live line or plain lines.

#include "tuner/commands/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "tuner/base/error.h"
#include "tuner/files/ranked_table.h"
#include "tuner/resolve/objective.h"

namespace tuner {

namespace {

// The fewest measured configurations that a rate is shown for.
constexpr double kFewestMeasured = 3;

std::string counts_text(const std::array<std::size_t, kTrialStates>& states, std::size_t recalled) {
  std::string text;
  for (std::size_t state = 0; state < states.size(); ++state) {
    if (states[state] == 0) continue;
    text += fmt::format("  {} {}", states[state], shown_name(static_cast<TrialState>(state)));
  }
  if (recalled > 0) text += fmt::format("  ({} from the store)", recalled);
  return text;
}

std::string pace_text(double rate, const std::optional<double>& remaining) {
  std::string text;
  if (rate > 0) text += fmt::format("  {:.3g}/s", rate);
  if (remaining) text += "  ETA " + duration_text(*remaining);
  return text;
}

}  // namespace

std::string duration_text(double seconds) {
  if (!(seconds >= 0) || seconds > 1e8) return "?";
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

SearchTally::SearchTally(const RunPart& part, const Study& study)
    : study_(&study),
      total_text_(part.total),
      total_(std::strtod(part.total.c_str(), nullptr)),
      seconds_(part.seconds) {}

void SearchTally::add(const Trial& trial) {
  ++done_;
  if (trial.from_store) ++recalled_;
  ++states_.at(static_cast<std::size_t>(trial.state));
  if (trial.state == TrialState::kOk &&
      (!best_ || better(study_->objective, trial.objective, best_->objective))) {
    best_ = trial;
  }
}

double SearchTally::rate(double seconds) const {
  return fresh() >= kFewestMeasured && seconds > 0 ? fresh() / seconds : 0;
}

std::optional<double> SearchTally::remaining(double seconds) const {
  const double open = total_ - static_cast<double>(done_);
  if (total_ > 0 && open <= 0) return std::nullopt;  // nothing is left to do
  std::optional<double> left;
  if (fresh() >= kFewestMeasured && open > 0) left = seconds / fresh() * open;
  if (!seconds_) return left;
  const double granted = std::max(0.0, *seconds_ - seconds);
  return std::min(granted, left.value_or(granted));
}

std::string SearchTally::text(double seconds) const {
  std::string text = fmt::format("{}/{}", done_, total_text_);
  if (best_) {
    text += study_->objective.name == "time"
                ? fmt::format("  best {:.4g} ms", best_->timing.median)
                : fmt::format("  best {} {:.5g}", study_->objective.name, best_->objective.value());
  }
  text += counts_text(states_, recalled_) + pace_text(rate(seconds), remaining(seconds));
  if (best_) {
    text += "  " + for_terminal(configuration_text(study_->parameters, best_->configuration));
  }
  return text;
}

void TallySum::add(const SearchTally& search, double seconds) {
  ++searches;
  done += search.done_;
  recalled += search.recalled_;
  total += search.total_;
  rate += search.rate(seconds);
  if (const auto left = search.remaining(seconds)) {
    remaining = std::max(*left, remaining.value_or(0));
  }
  for (std::size_t state = 0; state < states.size(); ++state)
    states[state] += search.states_[state];
}

std::string TallySum::text() const {
  return fmt::format("{} sizes: {}/{:.15g}", searches, done, total) +
         counts_text(states, recalled) + pace_text(rate, remaining);
}

namespace {

constexpr double kLiveSeconds = 0.1;
constexpr double kPlainSeconds = 5;

// Behind the indentation.
std::string labelled(std::string text, const std::string& label) {
  return text.insert(std::min(text.find_first_not_of(' '), text.size()), label);
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

void Progress::hear(const RunEvent& event, const Study& study) {
  if (events_) return events_->hear(event, study);
  using Kind = RunEvent::Kind;
  Lane& lane = lanes_[event.lane];
  lane.label = event.lane > 0 ? event.size.label() + ": " : "";
  switch (event.kind) {
    case Kind::kNote:
      return print_note(labelled(std::string(event.text), lane.label));
    case Kind::kStep:
      return;  // of which only programs are told
    case Kind::kBegin:
      return begin(lane, *event.part, study);
    case Kind::kTrial:
      return trial(lane, *event.trial, event.seconds);
    case Kind::kSearched:
      return end(lane, event.seconds);
    case Kind::kRound:
      return round(lane, event.done, event.rounds);
    case Kind::kRanked:
      erase();
      lane.final.clear();
  }
}

void Progress::begin(Lane& lane, const RunPart& part, const Study& study) {
  lane = {lane.label, SearchTally(part, study), true};
  print_note(part.title);
}

std::size_t Progress::at_work() const {
  return static_cast<std::size_t>(std::ranges::count_if(lanes_, [](const auto& lane) {
    return lane.second.is_searching || !lane.second.final.empty();
  }));
}

std::string Progress::text_of_all() const {
  TallySum sum;
  std::string finals;
  for (const auto& [number, lane] : lanes_) {
    if (lane.is_searching) sum.add(*lane.tally, lane.elapsed);
    if (!lane.final.empty()) finals += "  " + lane.label + lane.final;
  }
  return (sum.searches > 0 ? sum.text() : "") + finals;
}

// Whether it arrives or not: a run goes on when nobody reads its progress any more, or there is no
// room for it.
void Progress::put(const std::string& text) { std::fputs(text.c_str(), out_); }

void Progress::erase() {
  if (line_shown_) put("\r\033[K");
  line_shown_ = false;
}

void Progress::show(const std::string& text) {
  if (style_ == Style::kPlain) {
    put("  " + text + "\n");
  } else {
    erase();
    put(text.substr(0, terminal_columns(out_) - 1));
    line_shown_ = true;
  }
  std::fflush(out_);
}

// However many sizes there are, plain lines do not come faster.
double Progress::pause() const {
  if (style_ == Style::kLive) return kLiveSeconds;
  return kPlainSeconds * static_cast<double>(std::max<std::size_t>(1, at_work()));
}

void Progress::line(Lane& lane, double elapsed, bool force) {
  if (style_ == Style::kNone) return;
  if (!force && elapsed - lane.last_line < pause()) return;
  lane.last_line = elapsed;
  const bool is_of_all = style_ == Style::kLive && !force && at_work() > 1;
  show(is_of_all ? text_of_all() : lane.label + lane.tally->text(elapsed));
}

void Progress::trial(Lane& lane, const Trial& trial, double elapsed) {
  lane.tally->add(trial);
  lane.elapsed = elapsed;
  line(lane, elapsed, false);
}

void Progress::note(const std::string& text) {
  if (events_) {
    RunEvent event;
    event.text = text;
    events_->hear(event, {});
  }
  print_note(text);
}

void Progress::print_note(const std::string& text) {
  if (style_ == Style::kNone) return;
  erase();
  put(colours_.lines(colours_.note(lines_for_terminal(text))) + "\n");
  std::fflush(out_);
}

void Progress::round(Lane& lane, int done, int rounds) {
  if (style_ == Style::kNone) return;
  if (!lane.since_round) lane.since_round.emplace();
  lane.final = fmt::format("final: round {} of {}", done, rounds);
  if (lane.since_round->seconds() < pause()) return;
  lane.since_round.emplace();
  const bool is_of_all = style_ == Style::kLive && at_work() > 1;
  show(is_of_all ? text_of_all() : (style_ == Style::kLive ? "  " : "") + lane.label + lane.final);
}

void Progress::end(Lane& lane, double elapsed) {
  lane.is_searching = false;
  if (style_ == Style::kNone) return;
  line(lane, elapsed, true);
  if (style_ == Style::kLive) put("\n");
  line_shown_ = false;
  std::fflush(out_);
}

int with_progress(const std::string& choice, const Colours& colours,
                  const std::function<int(Progress&)>& work) {
  Progress progress(choice, colours, stderr);
  JsonEvents* const programs = progress.programs();
  if (programs == nullptr) return work(progress);
  const auto failed = [&](const std::exception& error, int status) {
    programs->error(error.what(), status);
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
  programs->finish(status);
  return status;
}

}  // namespace tuner
