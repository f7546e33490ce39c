// Reads a study's sources, names the artifacts that come of them, and says where the cache lies.

#include "tuner/run/sources.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/base/text.h"
#include "tuner/base/trust.h"
#include "tuner/choice/domain_plan.h"
#include "tuner/resolve/compiler_options.h"
#include "tuner/resolve/reference_plan.h"
#include "tuner/resolve/resolve.h"
#include "tuner/source/device_part.h"
#include "tuner/source/own_names.h"
#include "tuner/study/signature_check.h"
#include "tuner/study/size_check.h"
#include "tuner/study/yaml_reader.h"

namespace tuner {

Study load_study(const std::string& file, const std::vector<std::string>& sizes, const Note& note) {
  return checked_study(read_study_file(file), sizes, note);
}

Study checked_study(StudyFile read, const std::vector<std::string>& sizes, const Note& note) {
  for (const Complaint& warning : read.warnings) {
    note("warning: " + render(warning, read.study.text));
  }
  Study study = std::move(read.study);
  check_sources(study, note);
  if (!study.runnable) {
    reject(study.file,
           "there is nothing to run: 'kernel', 'launch' and 'arguments' are "
           "needed beside the parameters");
  }
  std::vector<ProblemSize> wanted;
  for (const std::string& text : sizes) {
    const ProblemSize size = parse_size_option(text, study);
    if (std::ranges::find(wanted, size) == wanted.end()) wanted.push_back(size);
  }
  if (wanted.empty()) return study;
  study.sizes = std::move(wanted);
  study.domain.reset();
  return study;
}

Study with_source(Study study, const std::filesystem::path& source) {
  auto& reference = study.reference;
  if (reference && !reference->source && !reference->by_problem && reference->files.empty()) {
    reference->source = study.kernel.source;
    reference->shares_source = true;
  }
  study.kernel.source = source;
  return study;
}

namespace {

// Adds a source with everything that it includes, and returns that.
SourceBundle read_bundle(const Study& study, const std::filesystem::path& file,
                         const std::string& text, KnownSources& known) {
  CompileRequest request;
  request.source = text;
  request.source_name = file.string();
  request.include_dirs = include_dirs_for(study, file);
  request.options = study.kernel.options;
  SourceBundle bundle = bundle_of(request);
  add_sources(known, request, bundle);
  return bundle;
}

// The source without kernels that a variant does not launch, and that no header names.
std::string variant_text(const Study& study, const std::string& text, const SourceBundle& bundle) {
  std::vector<std::string> entries{study.kernel.entry};
  for (const NextLaunchSpec& next : study.then) entries.push_back(next.entry);
  std::set<std::string, std::less<>> words;
  for (const BundledFile& file : bundle.files()) {
    if (!file.path.empty()) words.merge(words_of(file.text));
  }
  return wanted_kernels(text, entries, words);
}

// Bundles by what they are read from: a run has one or two, and ten thousand requests.
class Bundles {
 public:
  const SourceBundle& of(const CompileRequest& request) {
    std::string name = request.source_name + '\n' + request.source;
    for (const auto* list : {&request.include_dirs, &request.options}) {
      for (const std::string& word : *list) name += '\n' + word;
    }
    const auto known = bundles_.find(name);
    if (known != bundles_.end()) return known->second;
    return bundles_.emplace(std::move(name), bundle_of(request)).first->second;
  }

 private:
  std::map<std::string, SourceBundle> bundles_;
};

std::string why_not_kept(const std::filesystem::path& folder) {
  if (folder.empty()) return "neither XDG_CACHE_HOME nor HOME is set";
  make_private_directory(folder);
  std::error_code failed;
  if (!std::filesystem::is_directory(folder, failed) || ::access(folder.c_str(), W_OK) != 0) {
    return "cannot write " + folder.string();
  }
  return why_not_trusted(folder);
}

}  // namespace

std::vector<std::string> header_texts(const Study& study, const std::filesystem::path& source) {
  std::string text = without_byte_order_mark(read_file(source));
  std::string defined;
  for (const std::string& option : study.kernel.options) {
    const std::string::size_type value = option.find('=');
    if (option.starts_with("-include=") || option.starts_with("--pre-include=")) {
      text += "\n#include \"" + option.substr(value + 1) + "\"\n";
    } else if (option.starts_with("-D") && value != std::string::npos) {
      defined += "#define " + option.substr(2, value - 2) + " " + option.substr(value + 1) + "\n";
    }
  }
  KnownSources unused;
  std::vector<std::string> texts{defined};
  const SourceBundle bundle = read_bundle(study, source, text, unused);
  for (const BundledFile& file : bundle.files()) {
    if (!file.path.empty()) texts.push_back(file.text);
  }
  return texts;
}

std::string device_text(const Study& study, const std::filesystem::path& source) {
  if (!study.kernel.text.empty()) return study.kernel.text;
  const std::string text = without_byte_order_mark(read_file(source));
  const bool all_of_it = std::ranges::any_of(study.kernel.options, [](const std::string& option) {
    return option == "-default-device" || option == "--device-as-default-execution-space";
  });
  const bool is_whole = study.kernel.is_launcher || study.kernel.is_opencl();
  return all_of_it || is_whole ? text : device_part(text, header_texts(study, source)).text;
}

SourceTexts read_sources(const Study& study) {
  const bool own_file = study.reference && study.reference->source;
  const std::filesystem::path& second = own_file ? *study.reference->source : study.kernel.source;
  SourceTexts texts;
  texts.kernel = device_text(study, study.kernel.source);
  texts.reference = own_file ? device_text(study, second) : texts.kernel;
  const SourceBundle kernel = read_bundle(study, study.kernel.source, texts.kernel, texts.known);
  const Digest reference = read_bundle(study, second, texts.reference, texts.known).digest();
  Hasher digest;
  digest.add(to_hex(kernel.digest())).add(to_hex(reference));
  for (const std::filesystem::path& unit : study.kernel.units) {
    digest.add(to_hex(read_bundle(study, unit, read_file(unit), texts.known).digest()));
    texts.known.reach = std::max(texts.known.reach, Reach::kReported);  // the unit itself
  }
  texts.digest = to_hex(digest.digest());
  // Only now: the digest is of what the user wrote, whatever is left out of it.
  if (!study.kernel.is_launcher) texts.kernel = variant_text(study, texts.kernel, kernel);
  return texts;
}

SourceTexts whole_sources(const Study& study, SourceTexts sources) {
  const auto text_of = [](const std::filesystem::path& file) {
    return without_byte_order_mark(read_file(file));
  };
  sources.kernel = text_of(study.kernel.source);
  const bool own_file = study.reference && study.reference->source;
  sources.reference = own_file ? text_of(*study.reference->source) : sources.kernel;
  return sources;
}

std::vector<std::string> files_of_workers(const Study& study, const SourceTexts& sources,
                                          std::uint64_t seed) {
  std::vector<std::string> files;
  for (const FileState& header : sources.known.files) files.push_back(header.path);
  for (const std::filesystem::path& unit : study.kernel.units) files.push_back(unit.string());
  const auto add = [&](const std::filesystem::path& file, const Bindings& names) {
    if (const auto path = substitute(file.string(), names)) files.push_back(*path);
  };
  std::vector<ProblemSize> sizes = study.sizes;
  if (study.domain) {
    std::ranges::move(DomainPlan::choices(*study.domain, seed), std::back_inserter(sizes));
  }
  for (const ProblemSize& size : sizes) {
    const Bindings names = facts_of(size, DeviceFacts{});
    for (const auto* list : {&study.arguments, &study.constants}) {
      for (const ArgumentSpec& argument : *list) {
        if (argument.fill.kind == FillSpec::Kind::kFile) add(argument.fill.file, names);
      }
    }
    if (!study.reference) continue;
    for (const auto& [argument, file] : study.reference->files) {
      for (const Bindings& one : answer_cases(study, names)) add(file, one);
    }
  }
  return files;
}

namespace {

// One line for each __constant__ symbol of the kernel's source that neither the source nor the
// study sets: it is zero for kernel and reference alike.
std::vector<std::string> constant_warnings(const Study& study) {
  std::vector<std::string> out;
  if (study.kernel.is_launcher) return out;  // it sets its own
  std::string text;
  try {
    text = without_byte_order_mark(read_file(study.kernel.source));
  } catch (const FatalError&) {
    return out;  // whoever needs it will say so
  }
  const std::vector<Token> code = code_of(tokens_of(text), Branches::kAll);
  for (const UnsetConstant& one : unset_constants(code)) {
    const auto is_set = [&](const ArgumentSpec& constant) {
      return constant.name.substr(constant.name.rfind(':') + 1) == one.name.text;
    };
    if (std::ranges::any_of(study.constants, is_set)) continue;
    out.push_back(study.kernel.source.string() + ":" + std::to_string(line_in(text, one.name)) +
                  ": nothing sets __constant__ '" + std::string(one.name.text) +
                  "': it is zero for kernel and reference alike, and wrong answers may pass "
                  "('constants' sets it)");
  }
  return out;
}

std::vector<SourceText> texts_of(const Study& study, const std::filesystem::path& source) {
  KnownSources known;
  std::vector<SourceText> texts;
  const SourceBundle bundle = read_bundle(study, source, read_file(source), known);
  for (const BundledFile& file : bundle.files()) {
    texts.push_back({file.path.empty() ? source.string() : file.path, file.text});
  }
  return texts;
}

// How the study's arguments differ from what its kernels take, as far as the sources show it.
SignatureComplaints signature_complaints(const Study& study) {
  if (!study.runnable || study.kernel.is_launcher) return {};
  try {
    const bool own_file = study.reference && study.reference->source;
    return check_signatures(
        study, texts_of(study, study.kernel.source),
        own_file ? texts_of(study, *study.reference->source) : std::vector<SourceText>{});
  } catch (const FatalError&) {
    return {};  // whoever needs the file will say so
  }
}

}  // namespace

void check_sources(const Study& study, const Note& note) {
  for (const std::string& warning : constant_warnings(study)) note("warning: " + warning);
  for (const std::string& warning : unreached_parameters(study)) note("warning: " + warning);
  SignatureComplaints unlike = signature_complaints(study);
  for (const Complaint& warning : unlike.warnings) note("warning: " + render(warning, study.text));
  if (!unlike.errors.empty()) throw InputError(std::move(unlike.errors), study.text);
}

void ArtifactShelf::remember(const std::string& key, const std::string& text) const {
  Artifact note;
  note.log = text;
  cache_->put(key, note);
}

std::optional<std::string> ArtifactShelf::recall(const std::string& key) const {
  const auto note = cache_->find(key);
  return note ? std::optional(note->log) : std::nullopt;
}

std::string idle_options_note(const Study& study, const std::string& compiler) {
  const std::vector<std::string> idle =
      idle_options(study.kernel.options, compiler, study.kernel.is_launcher);
  if (idle.empty()) return "";
  return "note: these compiler options mean nothing to " + compiler +
         " and are left out: " + listed(idle);
}

std::filesystem::path user_cache_directory() {
  return default_cache_directory(std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"));
}

ArtifactShelf::ArtifactShelf() : cache_(std::make_shared<ArtifactCache>(user_cache_directory())) {
  // The workers write; that they cannot is found out here, once.
  const std::string reason = why_not_kept(cache_->directory());
  if (!reason.empty()) trouble_ = "artifacts are not kept for later runs: " + reason;
}

ArtifactLibrary ArtifactShelf::library(const std::string& compiler,
                                       const SourceTexts& sources) const {
  ArtifactLibrary library;
  const auto bundles = std::make_shared<Bundles>();
  const auto known = std::make_shared<const KnownSources>(sources.known);
  const auto digests = std::make_shared<FileDigests>();
  library.key = [compiler, bundles](const CompileRequest& request) {
    return artifact_key(request, bundles->of(request), compiler);
  };
  library.find = [cache = cache_, known, digests](const std::string& key) {
    std::optional<Artifact> found;
    if (const std::string name = cache_name(key, true); !name.empty()) found = cache->find(name);
    if (found && !is_current(*found, *known, *digests)) found.reset();
    return found;
  };
  library.judge = [known](const OpenedFiles& opened) { return provenance_of(opened, *known); };
  return library;
}

SizeTask planned_task(const Study& study, const SearchSpace& space, const ProblemSize& size,
                      const DeviceFacts& facts, const std::string& reference_text) {
  SizeTask task{study, space, size, facts};
  const std::vector<ReferenceCase> cases = reference_cases(study, space);
  auto plan = size_plan(study, size, facts, cases);
  if (!plan) throw InputError({Complaint{study.kernel.where, plan.error(), ""}}, study.text);
  task.plan = std::move(*plan);
  // What follows from it nobody can have seen, whatever messages of earlier runs say.
  if (!task.plan.reference || !study.reference->files.empty()) return task;
  if (study.reference->by_problem) return task;
  for (const ReferenceCase& one : cases) {
    auto request = reference_request(study, space, one, facts, reference_text);
    if (!request) {
      throw InputError(
          {Complaint{study.reference->where, "the reference kernel: " + request.error(), ""}},
          study.text);
    }
    task.references.push_back(std::move(*request));
  }
  return task;
}

}  // namespace tuner
