// `tuner init`: drafts a study for a kernel, and reports what was found and what was guessed.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "tuner/base/atomic_file.h"
#include "tuner/commands/captured_folder.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/draft_search.h"
#include "tuner/commands/draft_trial.h"
#include "tuner/drafting/draft.h"
#include "tuner/run/output_guard.h"
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

DraftedStudy best_draft(const InitOptions& options, const fs::path& study,
                        const DraftRequest& request) {
  const Catalogue catalogue = load_plugins(options.plugin_dirs);
  const auto take_source = [&](const fs::path& source, DraftRequest& to) {
    to.source = text_of(source);
    to.source_name = relative_to(".", source);
    to.relative_name = relative_to(folder_of(study), source);
    take_project(source, options, folder_of(study), to);
  };
  const auto before_trials = [] {
    say("",
        {"trying the draft: the kernel is compiled and run on the CPU, and on a GPU if there is "
         "one (--no-try: it is not)"});
  };
  const DraftSearch search{study,           options.plugin_dirs, catalogue,
                           options.timeout, before_trials,       take_source};
  if (options.launcher) return draft_of_launcher(search, request);
  if (options.no_try) return accepted_draft(search, request);
  return tried_draft(search, request);
}

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
                   : best_draft(options, is_file ? study : fs::path("draft.yaml"), request);
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
