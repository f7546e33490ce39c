// `tuner init`: drafts a study for a kernel, and says what was found and what was guessed.

#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <filesystem>
#include <iostream>
#include <string>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/base/text.h"
#include "tuner/commands/commands.h"
#include "tuner/commands/output_guard.h"
#include "tuner/drafting/draft.h"

namespace tuner {
namespace {

namespace po = boost::program_options;

struct InitOptions {
  std::string source;  // a CUDA source
  std::string output;  // the study; empty = beside the source, with its name
  std::string kernel;  // empty = the first that is not a reference
  bool force = false;
};

InitOptions parse_init(const Words& words) {
  InitOptions o;
  po::options_description visible("options");
  auto add = visible.add_options();
  add("help,h", "show this");
  add("output,o", po::value(&o.output),
      "the study to write, '-' for standard output; default: the source's name with .yaml");
  add("kernel", po::value(&o.kernel), "draft for this kernel of several");
  add("force", po::bool_switch(&o.force), kForceHelp);
  const auto values = parse_words(words, "tuner init KERNEL.cu [-o STUDY.yaml]", visible);
  o.source = one_input(values, "CUDA source", true);
  return o;
}

namespace fs = std::filesystem;

std::string text_of(const fs::path& source) {
  try {
    return without_byte_order_mark(read_file(source));
  } catch (const FatalError& error) {
    throw InputError(Complaint{{source.string(), 0, 0}, error.what(), "init takes a CUDA source"});
  }
}

fs::path study_of(const InitOptions& options) {
  if (!options.output.empty()) return options.output;
  return fs::path(options.source).replace_extension(".yaml");
}

void say(const std::string& head, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) std::cerr << head << for_terminal(line) << "\n";
}

}  // namespace

int init_command(const Words& words) {
  const InitOptions options = parse_init(words);
  const fs::path source = options.source;
  const std::string text = text_of(source);
  const fs::path study = study_of(options);
  const bool to_terminal = study == "-";
  std::error_code ignored;
  if (fs::equivalent(source, study, ignored)) {
    throw InputError(
        Complaint{{study.string(), 0, 0}, "is the kernel's source", "choose another name"});
  }
  OutputGuard guard(options.force);
  guard.check(study);
  const fs::path folder =
      to_terminal || !study.has_parent_path() ? fs::path(".") : study.parent_path();
  fs::path name = fs::relative(source, folder, ignored);
  if (ignored || name.empty()) name = fs::absolute(source);
  const DraftedStudy draft = draft_study({text, options.source, name.string(), options.kernel});
  if (to_terminal) {
    std::cout << draft.yaml;
  } else {
    write_file_atomically(study, draft.yaml);
  }
  say("found: ", draft.found);
  say("guessed: ", draft.guessed);
  if (to_terminal) return kExitDone;
  std::cerr << fmt::format("wrote {}; look at it, then: tuner check {}, tuner run {}\n",
                           study.string(), shell_word(study.string()), shell_word(study.string()));
  return kExitDone;
}

}  // namespace tuner
