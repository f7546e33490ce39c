// Drafts, tries, learns and drafts again.

#include "tuner/commands/draft_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tuner/base/stopwatch.h"
#include "tuner/commands/draft_compile.h"
#include "tuner/commands/draft_lessons.h"
#include "tuner/commands/draft_own_launches.h"
#include "tuner/commands/draft_trial.h"
#include "tuner/source/declarations.h"

namespace tuner {

namespace fs = std::filesystem;

std::string relative_to(const fs::path& folder, const fs::path& path) {
  std::error_code ignored;
  const fs::path name = fs::relative(path, folder.empty() ? fs::path(".") : folder, ignored);
  return ignored || name.empty() ? fs::absolute(path).string() : name.string();
}

namespace {

class Drafts {
 public:
  Drafts(const DraftSearch& search, DraftRequest request)
      : search_(search), request_(std::move(request)) {}

  // Drafts the study for a launcher, which is not tried: `check` needs its file.
  DraftedStudy of_launcher() {
    DraftedStudy draft = drafted();
    draft.guessed.emplace_back("the launcher is not tried: it needs a GPU, and nvcc");
    return draft;
  }

  // Makes a draft that `check` takes; without the host code's launch where that makes none.
  DraftedStudy accepted() {
    for (;; request_.without_host = true) {
      DraftedStudy draft = drafted();
      const std::string refused = why_refused({search_.study, draft.yaml});
      if (refused.empty()) return draft;
      if (!request_.without_host) continue;
      reject(request_.source_name, "no study can be drafted for " + draft.kernel + ": " + refused,
             "write one by hand: docs/study-file.md");
    }
  }

  DraftedStudy tried() {
    if (!request_.captured.empty()) {
      compare_own_launches({search_.study, accepted().yaml},
                           {search_.plugin_dirs, search_.catalogue, search_.timeout}, request_);
    }
    DraftedStudy draft = tried_somewhere();
    const bool says_all = is_tried_on_gpu_ && draft.has_knobs;
    return says_all ? draft : compiled_for_gpu(std::move(draft));
  }

 private:
  static constexpr double kPatience = 1.9, kPatienceForQuestions = 2.75;  // trials, from the first

  // Tries drafts on the CPU and a GPU until one runs, and asks more of that one.
  DraftedStudy tried_somewhere() {
    const DraftRequest plain = request_;
    std::optional<DraftRequest> known;  // lessons of the first place that is there
    bool has_begun = false;
    for (const bool on_gpu : places()) {
      request_ = plain;
      lessons_ = {};
      request_.whole = on_gpu_ = on_gpu;
      const Stopwatch since;
      DraftedStudy draft = accepted();
      if (!std::exchange(has_begun, true)) search_.before_trials();
      const DraftTrial trial = taught(draft, since);
      if (trial.end == DraftTrial::End::kNoDevice) continue;
      is_tried_on_gpu_ = is_tried_on_gpu_ || on_gpu;
      if (trial.is_verified) return completed(std::move(draft), trial, since);
      failed_.push_back("tried on the " + place() + ", and it did not run: " + trial.message);
      if (trial.end == DraftTrial::End::kCrash) {  // these were no help
        request_.room = plain.room;
        request_.small = false;
      }
      request_.any_order.clear();  // no trial has shown that it is the order alone
      if (!known) known = request_;
    }
    request_ = known.value_or(plain);
    request_.remarks = failed_;
    DraftedStudy draft = accepted();
    std::ranges::copy(failed_, std::back_inserter(draft.guessed));
    return draft;
  }

  // Says whether a compiler for GPUs takes the draft, where there is one and no GPU has said it.
  DraftedStudy compiled_for_gpu(DraftedStudy draft) {
    const DraftCompile compiled = compile_draft(
        {search_.study, draft.yaml}, {search_.plugin_dirs, search_.catalogue, search_.timeout});
    if (compiled.arch.empty()) return draft;
    if (is_tried_on_gpu_) return with_limits(std::move(draft), compiled.registers);
    if (compiled.error.empty()) {
      const std::string said = "it compiles for " + compiled.arch;
      const bool was_tried = draft.found.back().starts_with("tried on the CPU: ");
      if (was_tried) draft.found.back() += "; " + said;
      if (!was_tried) draft.found.push_back(said);
      if (!compiled.note.empty()) draft.found.push_back(compiled.note);
      return with_limits(std::move(draft), compiled.registers);
    }
    const std::string said = "it does not compile for " + compiled.arch + ": " + compiled.error;
    request_.remarks.push_back(said);
    draft.yaml = accepted().yaml;
    draft.guessed.push_back(said);
    return draft;
  }

  // Drafts limits of registers where nothing but the block varies; 0 registers: not known.
  DraftedStudy with_limits(DraftedStudy draft, std::int64_t registers) {
    if (draft.has_knobs || registers == 0) return draft;
    request_.registers = registers;
    DraftedStudy limited = accepted();
    draft.yaml = limited.yaml;
    if (limited.has_knobs) std::erase(draft.guessed, kNothingToTune);
    return draft;
  }

  DraftTrial trial_of(const DraftedStudy& draft, const Assignments& other = {}) const {
    return try_draft({search_.study, draft.yaml},
                     {search_.plugin_dirs, search_.catalogue, search_.timeout, on_gpu_}, other);
  }

  std::string place() const { return on_gpu_ ? "GPU" : "CPU"; }

  // Tries the draft, and better ones, until a trial teaches nothing more. Returns that trial.
  DraftTrial taught(DraftedStudy& draft, const Stopwatch& since) {
    DraftTrial trial = trial_of(draft);
    bool is_last = false;
    while (learn(trial, draft)) {
      draft = accepted();
      // A trial that takes too long leaves no time for another one; a smaller one takes little.
      if (since.seconds() >= kPatience * search_.timeout) {
        const bool is_less =
            trial.end == DraftTrial::End::kSlow || DraftLessons::ask_for_less(draft, request_);
        if (std::exchange(is_last, true) || !is_less) {
          trial.message += "; what that teaches is in the study, but there was no time to try it";
          break;
        }
        draft = accepted();
      }
      trial = trial_of(draft);
    }
    return trial;
  }

  // Lists the places where the draft is tried until it runs. A CPU says more of what fails, a GPU
  // takes kernels that no CPU does, and sizes that cannot be chosen: those of captured launches.
  std::vector<bool> places() const {
    const bool gpu_first = !request_.captured.empty();
    return {gpu_first, !gpu_first};
  }

  // Asks more of a draft that runs, and says what was tried.
  DraftedStudy completed(DraftedStudy draft, const DraftTrial& trial, const Stopwatch& since) {
    for (const std::string& one : trial.doubts) {
      request_.remarks.push_back("tried on the " + place() + ": " + one);
    }
    draft = asked(std::move(draft), since);
    if (!on_gpu_ && failed_.empty()) draft = held_against_gpu(std::move(draft));
    std::ranges::copy(found_, std::back_inserter(draft.found));
    for (const Strings* some : {&failed_, &guessed_, &request_.remarks}) {
      std::ranges::copy(*some, std::back_inserter(draft.guessed));
    }
    return draft;
  }

  // Tries on a GPU, if there is one, what a CPU has run: at the host code's sizes, which were too
  // large for the CPU, and else at those of the draft. Returns the draft with the sizes that run.
  DraftedStudy held_against_gpu(DraftedStudy draft) {
    request_.whole = on_gpu_ = true;
    DraftedStudy whole = accepted();
    DraftTrial trial = trial_of(whole);
    is_tried_on_gpu_ = trial.end != DraftTrial::End::kNoDevice;
    if (!is_tried_on_gpu_) request_.whole = false;
    if (!is_tried_on_gpu_) return draft;
    const bool has_other_sizes = whole.yaml != draft.yaml;
    if (!trial.is_verified && has_other_sizes) {
      guessed_.push_back("at the host code's sizes it " + shown_end(trial.end) +
                         " on the GPU: " + trial.message);
      trial = trial_of(draft);
    } else {
      draft = std::move(whole);
    }
    if (trial.is_verified) {
      found_.emplace_back("tried on the GPU: it runs there, too");
    } else {
      guessed_.push_back("tried on the GPU, and it did not run: " + trial.message);
    }
    return draft;
  }

  // Asks of a draft that runs what else it says: whether it holds at odd sizes, where a kernel may
  // go past the end of a tile, and with each other value of each parameter.
  DraftedStudy asked(DraftedStudy draft, const Stopwatch& since) {
    if (draft.has_guessed_extents) try_odd_sizes(draft);
    request_.asks = draft.outputs > 0;  // else no answer is compared
    if (request_.asks) draft = accepted();
    std::set<std::pair<std::string, std::int64_t>> known;
    std::size_t right = 1;
    while (const auto next = next_value(draft, known)) {
      if (since.seconds() > kPatienceForQuestions * search_.timeout) break;
      const auto& [knob, value] = *next;
      const DraftTrial trial = trial_of(draft, {{knob.name, std::to_string(value)}});
      if (trial.end == DraftTrial::End::kRight) ++right;
      if (take_answer(knob, value, trial)) {
        draft = accepted();  // of which the value is asked again
      } else {
        known.emplace(knob.name, value);
      }
    }
    if (next_value(draft, known)) {
      guessed_.emplace_back("not every value was tried: it takes too long");
    }
    found_.push_back(fmt::format(
        "tried on the {}: {}", place(),
        right == 1
            ? "one configuration runs"
            : fmt::format("{} configurations run, each with one other value, and agree", right)));
    request_.asks = false;
    return accepted();
  }

  // Takes odd sizes in the place of guessed ones, if the draft holds at them; else says why not.
  void try_odd_sizes(DraftedStudy& draft) {
    request_.odd = true;
    const DraftedStudy odd = accepted();
    if (odd.yaml == draft.yaml) return;
    const DraftTrial trial = trial_of(odd);
    request_.odd = trial.end == DraftTrial::End::kRight;
    if (request_.odd) draft = odd;
    if (!request_.odd) {
      guessed_.push_back("at odd sizes it " + shown_end(trial.end) + ": " + trial.message);
    }
  }

  using KnobValue = std::pair<DraftedKnob, std::int64_t>;

  // Finds a value of the draft that is neither the present one nor among those that are known: one
  // of each parameter before the second of any, since there may be no time for all.
  static std::optional<KnobValue> next_value(
      const DraftedStudy& draft, const std::set<std::pair<std::string, std::int64_t>>& known) {
    std::optional<KnobValue> next;
    std::ptrdiff_t fewest = 0;  // values that are known of its parameter
    for (const DraftedKnob& knob : draft.knobs) {
      const auto is_known = [&](std::int64_t value) {
        return value == knob.present || known.contains({knob.name, value});
      };
      const auto value = std::ranges::find_if_not(knob.values, is_known);
      const auto count = std::ranges::count_if(knob.values, is_known);
      if (value == knob.values.end() || (next && count >= fewest)) continue;
      next = KnobValue{knob, *value};
      fewest = count;
    }
    return next;
  }

  // Learns from a value that was tried. Returns whether another draft may do better with it.
  bool take_answer(const DraftedKnob& knob, std::int64_t value, const DraftTrial& trial) {
    using End = DraftTrial::End;
    const bool is_wrong = trial.end == End::kWrong || trial.end == End::kUnwritten;
    if (is_wrong && knob.is_untied && request_.follow.insert(knob.name).second) return true;
    if (std::ranges::count(knob.open, value) > 0) {
      // With a doubt about the right answer, another value's is no proof.
      const bool is_proven = trial.end == End::kRight && trial.doubts.empty();
      if (is_proven) request_.proven[knob.name].insert(value);
      return false;
    }
    if (trial.is_verified || trial.end == End::kRefused || trial.end == End::kSlow) return false;
    if (trial.end == End::kRounding && request_.atol.emplace(trial.name, trial.atol).second) {
      return true;
    }
    if (is_wrong && knob.is_given && request_.per.insert(knob.name).second) return true;
    request_.refused[knob.name][value] = shown_end(trial.end);
    return false;
  }

  // Drafts the study; if the file means nothing without another one that includes it, drafts from
  // that one.
  DraftedStudy drafted() {
    for (;;) {
      try {
        return draft_study(request_);
      } catch (const InputError&) {
        if (!take_includer()) throw;
      }
    }
  }

  bool take_includer() {
    const fs::path includer = request_.project.includer;
    if (includer.empty()) return false;
    if (!sources_.insert(fs::weakly_canonical(includer)).second) return false;
    request_.kernel = kernel_to_draft(request_);
    search_.take_source(includer, request_);
    return true;
  }

  // Adds the file of the project that defines a function of the device, which the compiler misses.
  bool take_unit(const std::string& function) {
    constexpr std::size_t kMostUnits = 8;
    if (function.empty() || request_.units.size() >= kMostUnits) return false;
    for (const SourceText& host : request_.project.hosts) {
      const std::vector<Token> code = code_of(tokens_of(host.text));
      const bool defines = std::ranges::any_of(declarations_of(code), [&](const Declaration& one) {
        return one.kind == Declaration::Kind::kFunction && last_name(one.name) == function &&
               mentions(one.head, "__device__");
      });
      const std::string unit = relative_to(search_.study.parent_path(), host.name);
      if (!defines || std::ranges::count(request_.units, unit) > 0) continue;
      request_.units.push_back(unit);
      return true;
    }
    return false;
  }

  // Whether another draft may do better.
  bool learn(const DraftTrial& trial, const DraftedStudy& draft) {
    using End = DraftTrial::End;
    if (trial.end == End::kCompile && take_unit(trial.function)) return true;
    if (trial.end == End::kCompile && take_includer()) return true;
    if (trial.end == End::kCompile && !trial.name.empty()) {
      return request_.undefined.insert(trial.name).second;
    }
    return lessons_.learn(trial, draft, request_);
  }

  const DraftSearch& search_;
  DraftRequest request_;
  DraftLessons lessons_{};
  bool is_tried_on_gpu_ = false;
  bool on_gpu_ = false;                     // trials are
  Strings found_{}, guessed_{}, failed_{};  // by trials, and why a place had none that ran
  std::set<fs::path> sources_;              // that include the kernel's, of which a draft was made
};

}  // namespace

DraftedStudy accepted_draft(const DraftSearch& search, const DraftRequest& request) {
  return Drafts(search, request).accepted();
}

DraftedStudy draft_of_launcher(const DraftSearch& search, const DraftRequest& request) {
  return Drafts(search, request).of_launcher();
}

DraftedStudy tried_draft(const DraftSearch& search, const DraftRequest& request) {
  return Drafts(search, request).tried();
}

}  // namespace tuner
