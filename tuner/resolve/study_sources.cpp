// Reads a study's sources.

#include "tuner/resolve/study_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/base/text.h"
#include "tuner/model/size_sampler.h"
#include "tuner/resolve/compiler_options.h"
#include "tuner/resolve/reference_plan.h"
#include "tuner/resolve/resolve.h"
#include "tuner/source/device_part.h"
#include "tuner/source/inlined_source.h"
#include "tuner/source/needed_part.h"
#include "tuner/source/own_names.h"
#include "tuner/source/replaced_values.h"

namespace tuner {

Study with_source(Study study, const std::filesystem::path& source) {
  auto& reference = study.reference;
  if (reference && !reference->source && reference->is_launched()) {
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

std::vector<std::string> entries_of(const Study& study) {
  std::vector<std::string> entries{study.kernel.entry};
  for (const NextLaunchSpec& next : study.then) entries.push_back(next.entry);
  return entries;
}

// The macros that the options of a study define, as directives.
std::string defined_by_options(const Study& study) {
  std::string defined;
  for (const std::string& option : study.kernel.options) {
    const std::string::size_type value = option.find('=');
    if (!option.starts_with("-D") || value == std::string::npos) continue;
    defined += "#define " + option.substr(2, value - 2) + " " + option.substr(value + 1) + "\n";
  }
  return defined;
}

// The source without kernels that a variant does not launch, and that no header names.
std::string variant_text(const Study& study, const std::string& text, const SourceBundle& bundle) {
  std::set<std::string, std::less<>> words;
  for (const BundledFile& file : bundle.files()) {
    if (!file.path.empty()) words.merge(words_of(file.text));
  }
  return wanted_kernels(text, entries_of(study), words);
}

}  // namespace

std::vector<std::string> header_texts(const Study& study, const std::filesystem::path& source) {
  std::string text = without_byte_order_mark(read_file(source));
  for (const std::string& option : study.kernel.options) {
    const std::string::size_type value = option.find('=');
    if (option.starts_with("-include=") || option.starts_with("--pre-include=")) {
      text += "\n#include \"" + option.substr(value + 1) + "\"\n";
    }
  }
  KnownSources unused;
  std::vector<std::string> texts{defined_by_options(study)};
  const SourceBundle bundle = read_bundle(study, source, text, unused);
  for (const BundledFile& file : bundle.files()) {
    if (!file.path.empty()) texts.push_back(file.text);
  }
  return texts;
}

namespace {

// Whether nothing of a source is for the host, or all of it.
bool is_taken_whole(const Study& study) {
  const bool all_of_it = std::ranges::any_of(study.kernel.options, [](const std::string& option) {
    return option == "-default-device" || option == "--device-as-default-execution-space";
  });
  return all_of_it || study.kernel.runs_on_host() || study.kernel.is_opencl();
}

// The text of a source with what it includes of the user's in place; nothing if that is too long.
std::optional<std::string> inlined(const Study& study, const std::string& text,
                                   const std::filesystem::path& source) {
  CompileRequest request;
  request.include_dirs = include_dirs_for(study, source);
  request.options = study.kernel.options;
  return inlined_source(text, source.string(), include_dirs_of(request));
}

// Whether parameters replace values that a source has not itself, but its headers.
bool replaces_in_headers(const Study& study, const std::string& text) {
  if (study.kernel.replaced.empty()) return false;
  const std::vector<Token> tokens = tokens_of(text);
  const std::vector<GivenValue> own = given_values(tokens);
  return std::ranges::any_of(study.kernel.replaced, [&](const std::string& name) {
    return name != kUnroll && std::ranges::find(own, name, &GivenValue::name) == own.end();
  });
}

// Puts the parameters' macros in the place of the values that they replace.
std::string with_macros(const Study& study, const std::string& text) {
  std::map<std::string, std::string, std::less<>> values;
  for (const std::string& name : study.kernel.replaced) values[name] = study.kernel.macro_of(name);
  return with_values(text, values);
}

// The text of a source, with the parameters' macros for the values that they replace. Headers that
// give such values are a part of it.
std::string source_text(const Study& study, const std::filesystem::path& source) {
  const std::string text = without_byte_order_mark(read_file(source));
  if (!replaces_in_headers(study, text)) return with_macros(study, text);
  return with_macros(study, inlined(study, text, source).value_or(text));
}

std::string for_the_device(const Study& study, const std::filesystem::path& source,
                           const std::string& text) {
  return is_taken_whole(study) ? text : device_part(text, header_texts(study, source)).text;
}

// Adds a source, of which `compiled` is the text, with everything that it includes. Headers are
// files of their own here, written out or not: where they lie is no part of a digest.
SourceBundle bundle_of_files(const Study& study, const std::filesystem::path& source,
                             const std::string& compiled, KnownSources& known) {
  if (study.kernel.replaced.empty()) return read_bundle(study, source, compiled, known);
  const std::string text = without_byte_order_mark(read_file(source));
  if (!replaces_in_headers(study, text)) return read_bundle(study, source, compiled, known);
  return read_bundle(study, source, for_the_device(study, source, with_macros(study, text)), known);
}

}  // namespace

std::string device_text(const Study& study, const std::filesystem::path& source) {
  if (!study.kernel.text.empty()) return study.kernel.text;
  return for_the_device(study, source, source_text(study, source));
}

SourceTexts read_sources(const Study& study) {
  const bool own_file = study.reference && study.reference->source;
  const std::filesystem::path& second = own_file ? *study.reference->source : study.kernel.source;
  SourceTexts texts;
  texts.kernel = device_text(study, study.kernel.source);
  texts.reference = own_file ? device_text(study, second) : texts.kernel;
  const SourceBundle kernel =
      bundle_of_files(study, study.kernel.source, texts.kernel, texts.known);
  const Digest reference = bundle_of_files(study, second, texts.reference, texts.known).digest();
  Hasher digest;
  digest.add(to_hex(kernel.digest())).add(to_hex(reference));
  for (const std::filesystem::path& unit : study.kernel.units) {
    digest.add(to_hex(read_bundle(study, unit, read_file(unit), texts.known).digest()));
    texts.known.reach = std::max(texts.known.reach, Reach::kReported);  // the unit itself
  }
  texts.digest = to_hex(digest.digest());
  // Only now: the digest is of what the user wrote, whatever is left out of it.
  if (!study.kernel.runs_on_host()) texts.kernel = variant_text(study, texts.kernel, kernel);
  return texts;
}

namespace {

// The words of a study by which its kernels, and what they need, are named in a source.
std::set<std::string, std::less<>> words_for_kernels(const Study& study) {
  std::string all = fmt::format("{} {} ", fmt::join(entries_of(study), " "),
                                fmt::join(study.kernel.options, " "));
  for (const ArgumentSpec& constant : study.constants) all += constant.name + " ";
  for (const Parameter& parameter : study.parameters) {
    all += study.kernel.macro_of(parameter.name) + " ";
    for (const Value& value : parameter.values) all += to_text(value) + " ";
  }
  if (study.reference) {
    all += study.reference->entry + " ";
    for (const NextLaunchSpec& next : study.reference->then) all += next.entry + " ";
  }
  return words_of(all);
}

// Returns what a study's kernels need of a source and of what it includes; the other text where
// that cannot be made.
std::string bare_text(const Study& study, const std::filesystem::path& source,
                      const std::string& other) {
  if (!study.kernel.text.empty() || is_taken_whole(study)) return other;
  const auto text = inlined(study, source_text(study, source), source);
  if (!text) return other;
  return needed_part(device_part(*text, {defined_by_options(study)}).text,
                     words_for_kernels(study));
}

}  // namespace

SourceTexts in_form(const Study& study, SourceTexts sources, SourceForm form) {
  if (form == SourceForm::kDevicePart) return sources;
  const bool own_file = study.reference && study.reference->source;
  if (form == SourceForm::kBare) {
    if (own_file) sources.reference = bare_text(study, *study.reference->source, sources.reference);
    sources.kernel = bare_text(study, study.kernel.source, sources.kernel);
    if (!own_file) sources.reference = sources.kernel;
    sources.kernel = wanted_kernels(sources.kernel, entries_of(study));
    return sources;
  }
  sources.kernel = source_text(study, study.kernel.source);
  sources.reference = own_file ? source_text(study, *study.reference->source) : sources.kernel;
  return sources;
}

std::vector<SourceText> source_texts(const Study& study, const std::filesystem::path& source) {
  KnownSources known;
  std::vector<SourceText> texts;
  const SourceBundle bundle = read_bundle(study, source, read_file(source), known);
  for (const BundledFile& file : bundle.files()) {
    texts.push_back({file.path.empty() ? source.string() : file.path, file.text});
  }
  return texts;
}

std::vector<std::string> files_of_workers(const Study& study, const SourceTexts& sources,
                                          std::uint64_t seed) {
  std::vector<std::string> files;
  for (const FileState& header : sources.known.files) files.push_back(header.path);
  for (const std::filesystem::path& unit : study.kernel.units) files.push_back(unit.string());
  const auto add = [&](const std::filesystem::path& file, const Bindings& names) {
    if (const auto path = substitute(file.string(), names)) files.push_back(*path);
  };
  for (const CapturedSize& one : study.captured) {
    for (const std::filesystem::path& file : one.launch.files()) files.push_back(file.string());
  }
  std::vector<ProblemSize> sizes = study.sizes;
  if (study.domain) {
    for (PooledSize& one : size_pool(*study.domain, seed)) sizes.push_back(std::move(one.size));
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
      if (file.kind != FillSpec::Kind::kFile) continue;
      for (const Bindings& one : answer_cases(study, names)) add(file.file, one);
    }
  }
  return files;
}

std::string idle_options_note(const Study& study, const std::string& compiler,
                              std::uint32_t dialect) {
  const std::vector<std::string> idle =
      idle_options(study.kernel.options, dialect, study.kernel.runs_on_host());
  if (idle.empty()) return "";
  return "note: these compiler options mean nothing to " + compiler +
         " and are left out: " + listed(idle);
}

}  // namespace tuner
