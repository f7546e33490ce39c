// `tuner init`: drafts a study for a kernel, and reports what was found and what was guessed.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "tuner/base/atomic_file.h"
#include "tuner/base/stopwatch.h"
#include "tuner/commands/captured_folder.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/draft_compile.h"
#include "tuner/commands/draft_lessons.h"
#include "tuner/commands/draft_trial.h"
#include "tuner/drafting/draft.h"
#include "tuner/run/output_guard.h"
#include "tuner/source/declarations.h"
#include "tuner/worker/plugins.h"

namespace tuner {
namespace {

struct InitOptions {
  Strings sources;               // one study for each that has a kernel
  std::string source;            // the one that is drafted for
  std::filesystem::path script;  // in which the source was found; empty: it was named itself
  std::string output;            // the study; empty = beside the source, with its name
  std::string kernel;            // empty = the first that is not a reference
  std::string captured;          // folder of captured launches; empty = there are none
  std::string project;           // its root; empty = what is around the source
  Strings include_dirs;          // beside those that are found
  Strings knobs;                 // numbers of the source to be tuned, besides those that look so
  bool launcher = false;
  bool force = false;
  bool no_try = false;
  double timeout = 8;  // seconds for one trial, of which all limits are multiples
  Strings plugin_dirs;
};

namespace fs = std::filesystem;

void require_folder(const char* option, const std::string& name) {
  std::error_code ignored;
  if (!fs::is_directory(name, ignored))
    wrong_usage(std::string(option) + ": '" + name + "' is no folder");
}

InitOptions parse_init(const Strings& words) {
  InitOptions o;
  OptionTable add;
  add("output,o", o.output,
      "the study to write, '-' for standard output; default: the source's name with .yaml");
  add("kernel", o.kernel, "draft for this kernel of several");
  add("knobs", o.knobs, "tune these numbers, too: A,B (#define, const, template parameter)");
  add("project", o.project,
      "the project's root: its build files say folders, macros and the standard, and all its files "
      "may launch the kernel");
  add("include-dir,I", o.include_dirs, "a folder to search for headers (may be repeated)");
  add("launcher", o.launcher,
      "draft a function of the host that launches the kernel, for one with arguments that no study "
      "can give");
  add.force(o.force);
  add("captured", o.captured,
      "a folder that 'tuner capture' has written: sizes, numbers, inputs and answers of the "
      "kernel");
  add("no-try", o.no_try,
      "do not compile and run the kernel, which shows what the draft got wrong");
  add.timeout(o.timeout,
              "seconds for one trial; all trials take three times that, or little more, and as "
              "much again on "
              "a GPU");
  add.plugin_dirs(o.plugin_dirs);
  o.sources = inputs(add.parse(words, "tuner init KERNEL.cu... [-o STUDY.yaml]"));
  if (o.sources.empty()) wrong_usage("which CUDA source? Give its path (see --help)");
  if (o.sources.size() > 1 && (!o.output.empty() || !o.captured.empty())) {
    wrong_usage("--output and --captured are for one source, and there are " +
                std::to_string(o.sources.size()));
  }
  for (const std::string& one : o.include_dirs) require_folder("--include-dir", one);
  if (!o.project.empty()) require_folder("--project", o.project);
  return o;
}

std::string text_of(const fs::path& source) {
  try {
    return without_byte_order_mark(read_file(source));
  } catch (const FatalError& error) {
    reject(source, error.what(), "init takes a CUDA source");
  }
}

// The first source that a script for another tuner names and that is there; else the kernel that it
// holds as a text, which is written beside it.
std::string source_of_script(const fs::path& script) {
  const ReadScript read = read_tuner_scripts({{script.string(), text_of(script)}}).front();
  if (!read.problem.empty()) reject(script, read.problem);
  std::error_code ignored;
  for (const std::string& name : read.sources) {
    const fs::path file = script.parent_path() / name;
    if (fs::is_regular_file(file, ignored)) return file.string();
  }
  const fs::path file = fs::path(script).replace_extension(".cu");
  if (fs::exists(file, ignored)) return file.string();
  if (!read.kernel.empty()) {
    OutputGuard(false).write(file, read.kernel);
    std::cerr << fmt::format("found: the kernel's text; wrote it to {}\n", file.string());
    return file.string();
  }
  reject(script, "names no file with a kernel, or the file does not exist",
         "write the kernel's text into a file beside it, and draft for that");
}

ProjectHints hints_of(const InitOptions& options) {
  ProjectHints out{options.project, {}, {}};
  std::error_code ignored;
  for (const std::string& one : options.include_dirs) {
    out.include_dirs.push_back(fs::weakly_canonical(one, ignored));
  }
  out.hosts.assign(options.sources.begin(), options.sources.end());
  return out;
}

// A second kernel of the file has a study of its own.
fs::path study_of(const InitOptions& options, const std::string& text) {
  if (!options.output.empty()) return options.output;
  std::string ending = ".yaml";
  if (!options.kernel.empty()) {
    DraftRequest request{text, options.source, {}, options.kernel};
    request.project = project_files(options.source, text, hints_of(options));
    const std::string kernel = kernel_to_draft(request);
    request.kernel.clear();
    const bool is_first = kernel == kernel_to_draft(request);
    if (!is_first) ending = "." + kernel.substr(kernel.rfind(':') + 1) + ending;
  }
  return fs::path(options.source).replace_extension(ending);
}

void say(const std::string& head, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) std::cerr << head << for_terminal(line) << "\n";
}

std::string relative_to(const fs::path& folder, const fs::path& path) {
  std::error_code ignored;
  const fs::path name = fs::relative(path, folder, ignored);
  return ignored || name.empty() ? fs::absolute(path).string() : name.string();
}

fs::path folder_of(const fs::path& study) {
  return study.has_parent_path() ? study.parent_path() : fs::path(".");
}

// Finds include folders and scripts around the source. A script that the user names counts alone.
void take_project(const fs::path& source, const InitOptions& options, const fs::path& folder,
                  DraftRequest& request) {
  const fs::path& script = options.script;
  request.project = project_files(source, request.source, hints_of(options));
  request.include_dirs.clear();
  for (const fs::path& one : request.project.include_dirs) {
    request.include_dirs.push_back(relative_to(folder, one));
  }
  request.scripts.clear();
  std::vector<SourceText>& scripts = request.project.scripts;
  std::error_code ignored;
  if (!script.empty()) {
    std::erase_if(
        scripts, [&](const SourceText& one) { return !fs::equivalent(one.name, script, ignored); });
  }
  std::vector<ReadScript> read = read_tuner_scripts(scripts);
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (!read[i].problem.empty()) say("note: ", {scripts[i].name + " " + read[i].problem});
    std::ranges::move(read[i].calls, std::back_inserter(request.scripts));
  }
}

// Drafts until `check` takes the study and, if it is to be tried, until the trial teaches nothing
// more.
class Drafts {
 public:
  Drafts(const InitOptions& options, fs::path study, DraftRequest request)
      : options_(options), study_(std::move(study)), request_(std::move(request)) {}

  DraftedStudy best() {
    if (options_.launcher || options_.no_try) return untried();
    const Catalogue catalogue = load_plugins(options_.plugin_dirs);
    DraftedStudy draft = tried_somewhere(catalogue);
    return is_tried_on_gpu_ ? draft : compiled_for_gpu(std::move(draft), catalogue);
  }

 private:
  static constexpr double kPatience = 1.9, kPatienceForQuestions = 2.75;  // trials, from the first

  DraftedStudy untried() {
    if (options_.launcher) {  // `check` needs its file
      DraftedStudy draft = drafted();
      draft.guessed.emplace_back("the launcher is not tried: it needs a GPU, and nvcc");
      return draft;
    }
    return accepted();
  }

  // Tries drafts on the CPU and a GPU until one runs, and asks more of that one.
  DraftedStudy tried_somewhere(const Catalogue& catalogue) {
    say("",
        {"trying the draft: the kernel is compiled and run on the CPU, and on a GPU if there is "
         "one (--no-try: it is not)"});
    const DraftRequest plain = request_;
    std::optional<DraftRequest> known;  // lessons of the first place that is there
    for (const bool on_gpu : places()) {
      request_ = plain;
      lessons_ = {};
      request_.whole = on_gpu_ = on_gpu;
      const Stopwatch since;
      DraftedStudy draft = accepted();
      const DraftTrial trial = taught(draft, catalogue, since);
      if (trial.end == DraftTrial::End::kNoDevice) continue;
      is_tried_on_gpu_ = is_tried_on_gpu_ || on_gpu;
      if (trial.is_verified) return completed(std::move(draft), trial, catalogue, since);
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

  // Says whether a compiler for GPUs takes the draft, where there is one.
  DraftedStudy compiled_for_gpu(DraftedStudy draft, const Catalogue& catalogue) {
    const DraftCompile compiled =
        compile_draft({study_, draft.yaml}, {options_.plugin_dirs, catalogue, options_.timeout});
    if (compiled.arch.empty()) return draft;
    if (compiled.error.empty()) {
      const std::string said = "it compiles for " + compiled.arch;
      const bool was_tried = draft.found.back().starts_with("tried on the CPU: ");
      if (was_tried) draft.found.back() += "; " + said;
      if (!was_tried) draft.found.push_back(said);
      if (!compiled.note.empty()) draft.found.push_back(compiled.note);
      return draft;
    }
    const std::string said = "it does not compile for " + compiled.arch + ": " + compiled.error;
    request_.remarks.push_back(said);
    draft.yaml = accepted().yaml;
    draft.guessed.push_back(said);
    return draft;
  }

  DraftTrial tried(const DraftedStudy& draft, const Catalogue& catalogue,
                   const Assignments& other = {}) const {
    return try_draft({study_, draft.yaml},
                     {options_.plugin_dirs, catalogue, options_.timeout, on_gpu_}, other);
  }

  std::string place() const { return on_gpu_ ? "GPU" : "CPU"; }

  // Tries the draft, and better ones, until a trial teaches nothing more. Returns that trial.
  DraftTrial taught(DraftedStudy& draft, const Catalogue& catalogue, const Stopwatch& since) {
    DraftTrial trial = tried(draft, catalogue);
    bool is_last = false;
    while (learn(trial, draft)) {
      draft = accepted();
      // A trial that takes too long leaves no time for another one; a smaller one takes little.
      if (since.seconds() >= kPatience * options_.timeout) {
        const bool is_less =
            trial.end == DraftTrial::End::kSlow || DraftLessons::ask_for_less(draft, request_);
        if (std::exchange(is_last, true) || !is_less) {
          trial.message += "; what that teaches is in the study, but there was no time to try it";
          break;
        }
        draft = accepted();
      }
      trial = tried(draft, catalogue);
    }
    return trial;
  }

  // Where the draft is tried, until it runs. A CPU says more of what fails, a GPU takes kernels
  // that no CPU does, and sizes that cannot be chosen: those of captured launches.
  std::vector<bool> places() const {
    const bool gpu_first = !request_.captured.empty();
    return {gpu_first, !gpu_first};
  }

  // Asks more of a draft that runs, and says what was tried.
  DraftedStudy completed(DraftedStudy draft, const DraftTrial& trial, const Catalogue& catalogue,
                         const Stopwatch& since) {
    for (const std::string& one : trial.doubts) {
      request_.remarks.push_back("tried on the " + place() + ": " + one);
    }
    draft = asked(std::move(draft), catalogue, since);
    if (!on_gpu_ && failed_.empty()) draft = held_against_gpu(std::move(draft), catalogue);
    std::ranges::copy(found_, std::back_inserter(draft.found));
    for (const Strings* some : {&failed_, &guessed_, &request_.remarks}) {
      std::ranges::copy(*some, std::back_inserter(draft.guessed));
    }
    return draft;
  }

  // Tries on a GPU, if there is one, what a CPU has run: at the host code's sizes, which were too
  // large for the CPU, and else at those of the draft. Returns the draft with the sizes that run.
  DraftedStudy held_against_gpu(DraftedStudy draft, const Catalogue& catalogue) {
    request_.whole = on_gpu_ = true;
    DraftedStudy whole = accepted();
    DraftTrial trial = tried(whole, catalogue);
    is_tried_on_gpu_ = trial.end != DraftTrial::End::kNoDevice;
    if (!is_tried_on_gpu_) request_.whole = false;
    if (!is_tried_on_gpu_) return draft;
    const bool has_other_sizes = whole.yaml != draft.yaml;
    if (!trial.is_verified && has_other_sizes) {
      guessed_.push_back("at the host code's sizes it " + shown_end(trial.end) +
                         " on the GPU: " + trial.message);
      trial = tried(draft, catalogue);
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
  DraftedStudy asked(DraftedStudy draft, const Catalogue& catalogue, const Stopwatch& since) {
    if (draft.has_guessed_extents) try_odd_sizes(draft, catalogue);
    std::set<std::pair<std::string, std::int64_t>> known;
    std::size_t right = 1;
    while (const auto next = next_value(draft, known)) {
      if (since.seconds() > kPatienceForQuestions * options_.timeout) break;
      const auto& [knob, value] = *next;
      const DraftTrial trial = tried(draft, catalogue, {{knob.name, std::to_string(value)}});
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
    return accepted();
  }

  // Takes odd sizes in the place of guessed ones, if the draft holds at them; else says why not.
  void try_odd_sizes(DraftedStudy& draft, const Catalogue& catalogue) {
    request_.odd = true;
    const DraftedStudy odd = accepted();
    if (odd.yaml == draft.yaml) return;
    const DraftTrial trial = tried(odd, catalogue);
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
    if (trial.is_verified || trial.end == End::kRefused || trial.end == End::kSlow) return false;
    const bool is_wrong = trial.end == End::kWrong || trial.end == End::kUnwritten;
    if (is_wrong && knob.is_untied && request_.follow.insert(knob.name).second) return true;
    if (trial.end == End::kRounding && request_.atol.emplace(trial.name, trial.atol).second) {
      return true;
    }
    if (is_wrong && knob.is_given && request_.per.insert(knob.name).second) return true;
    request_.refused[knob.name][value] = shown_end(trial.end);
    return false;
  }

  // Makes a draft that `check` takes; without the host code's launch where that makes none.
  DraftedStudy accepted() {
    for (;; request_.without_host = true) {
      DraftedStudy draft = drafted();
      const std::string refused = why_refused({study_, draft.yaml});
      if (refused.empty()) return draft;
      if (!request_.without_host) continue;
      reject(request_.source_name, "no study can be drafted for " + draft.kernel + ": " + refused,
             "write one by hand: docs/study-file.md");
    }
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
    request_.source = text_of(includer);
    request_.source_name = relative_to(".", includer);
    request_.relative_name = relative_to(folder_of(study_), includer);
    take_project(includer, options_, folder_of(study_), request_);
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
      const std::string unit = relative_to(folder_of(study_), host.name);
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

  const InitOptions& options_;
  fs::path study_;
  DraftRequest request_;
  DraftLessons lessons_{};
  bool is_tried_on_gpu_ = false;
  bool on_gpu_ = false;                     // trials are
  Strings found_{}, guessed_{}, failed_{};  // by trials, and why a place had none that ran
  std::set<fs::path> sources_;              // that include the kernel's, of which a draft was made
};

void draft_for(InitOptions options) {
  const bool is_script = fs::path(options.source).extension() == ".py";
  if (is_script || is_ktt_program(text_of(options.source))) {
    options.script = options.source;
    options.source = source_of_script(options.script);
  }
  const fs::path source = options.source;
  if (source.extension() == ".yaml" || source.extension() == ".yml") {
    reject(source, "is a study",
           "init takes a CUDA source, or a script of Kernel Tuner, or a program of KTT");
  }
  const std::string text = text_of(source);
  const fs::path study = study_of(options, text);
  std::error_code ignored;
  if (fs::equivalent(source, study, ignored)) {
    reject(study, "is the kernel's source", "choose another name");
  }
  if (study.extension() == ".json") reject(study, "a study is YAML", "name a .yaml file");
  const OutputGuard guard(options.force);
  guard.check(study);
  // Nothing lies beside what standard output or a device takes.
  const bool is_file = study != "-" && is_seekable_file(study);
  const fs::path folder = is_file ? folder_of(study) : fs::path(".");
  DraftRequest request{text, options.source, relative_to(folder, source), options.kernel};
  for (const std::string& some : options.knobs) {
    for (const std::string& one : split(some, ',')) request.knobs.insert(one);
  }
  take_project(source, options, folder, request);
  const std::string launcher = study.stem().string() + "_launcher.cu";
  if (options.launcher) {
    if (!is_file || !options.captured.empty()) {
      wrong_usage(
          "--launcher writes a second file: it needs a study that is a file, without --captured");
    }
    request.launcher_name = launcher;
    guard.check(folder / launcher);
  }
  if (!options.captured.empty()) take_captured(options.captured, request);
  for (const CapturedLaunch& one : request.captured) {
    request.captured_names.push_back(relative_to(folder, one.folder));
  }
  if (!options.script.empty() && request.scripts.empty()) {
    say("note: ", {options.script.string() + " tunes no kernel: only its text is taken"});
  }
  const DraftedStudy draft =
      study == "-" ? draft_study(request)
                   : Drafts(options, is_file ? study : fs::path("draft.yaml"), request).best();
  if (options.launcher) guard.write(folder / launcher, draft.launcher);
  if (study == "-") std::cout << draft.yaml;
  if (study != "-") guard.write(study, is_file ? sealed(draft.yaml) : draft.yaml);
  const std::string refused = options.launcher ? why_refused({study, draft.yaml}) : "";
  if (!refused.empty()) say("note: ", {"check refuses the study: " + refused});
  say("found: ", draft.found);
  say("guessed: ", draft.guessed);
  if (study == "-") return;
  std::cerr << fmt::format("wrote {}; look at it, then: tuner check {}, tuner run {}\n",
                           study.string(), shell_word(study.string()), shell_word(study.string()));
}

// Whether a study of its own is drafted for one of several files: it has the kernel that is asked
// for, or one at all. What has none is host code of the others.
bool has_kernel(const InitOptions& options, const std::string& source) {
  const DraftRequest request{text_of(source), source, {}, options.kernel};
  try {
    kernel_to_draft(request);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

int init_command(const Strings& words) {
  InitOptions options = parse_init(words);
  Strings wanted = options.sources;
  if (wanted.size() > 1) {
    std::erase_if(wanted, [&](const std::string& one) { return !has_kernel(options, one); });
    if (wanted.empty()) reject(options.sources.front(), "no file of these has the kernel");
  }
  std::vector<Complaint> complaints;
  for (const std::string& source : wanted) {
    options.source = source;
    try {
      draft_for(options);
    } catch (const InputError& error) {  // the others have their studies all the same
      if (wanted.size() == 1) throw;
      std::ranges::copy(error.complaints(), std::back_inserter(complaints));
    }
  }
  if (!complaints.empty()) throw InputError(complaints, "");
  return kExitDone;
}

}  // namespace tuner
