// Reads studies, checks their sizes, and compares them with their sources.

#include "tuner/check/checked_study.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/check/signature_check.h"
#include "tuner/check/size_check.h"
#include "tuner/model/size_sampler.h"
#include "tuner/resolve/study_sources.h"
#include "tuner/source/own_names.h"
#include "tuner/study/t1_reader.h"

namespace tuner {
namespace {

// The first size that breaks an expression stands for all; of a domain some are looked at.
std::vector<Complaint> complaints_of_sizes(const Study& study, DataFiles data) {
  constexpr std::size_t kOfDomain = 32;
  std::vector<Complaint> complaints;
  std::set<std::pair<int, int>> reported;
  std::vector<ProblemSize> sizes = study.sizes;
  if (study.domain) {
    for (ProblemSize& size : distinct_sizes(*study.domain, kOfDomain, 1)) {
      sizes.push_back(std::move(size));
    }
  }
  for (const ProblemSize& size : sizes) {
    for (Complaint& one : check_size(study, size, data)) {
      if (reported.emplace(one.where.line, one.where.column).second) {
        complaints.push_back(std::move(one));
      }
    }
  }
  return complaints;
}

StudyReading reading(DataFiles data) {
  return {data, [data](const Study& study) { return complaints_of_sizes(study, data); }};
}

}  // namespace

StudyFile read_study_file(const std::filesystem::path& path) {
  return parse_study_file(path, reading(DataFiles::kNeeded));
}

StudyFile study_of_text(const std::filesystem::path& path, const std::string& text) {
  return parse_study_text(path, text, reading(DataFiles::kNeeded));
}

Study read_study(const std::filesystem::path& path, DataFiles data) {
  return parse_study_file(path, reading(data)).study;
}

StudyFile read_t1_file(const std::filesystem::path& path) {
  return parse_t1_file(path, reading(DataFiles::kNeeded));
}

Study load_study(const std::string& file, const std::vector<std::string>& sizes, const Note& note) {
  return checked_study(read_study_file(file), sizes, note);
}

Study checked_study(StudyFile read, const std::vector<std::string>& sizes, const Note& note) {
  for (const Complaint& warning : read.warnings) {
    note("warning: " + render(warning, read.study.text));
  }
  Study study = std::move(read.study);
  check_sources(study, note);
  if (!study.is_runnable()) {
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

namespace {

// Lists a line for each symbol of the kernel's source that host code is to set and that the study
// does not: it is zero for kernel and reference alike.
std::vector<std::string> constant_warnings(const Study& study) {
  std::vector<std::string> out;
  if (study.kernel.runs_on_host()) return out;  // it sets its own
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
                  ": nothing sets " + std::string(one.space) + " '" + std::string(one.name.text) +
                  "': it is zero for kernel and reference alike, and wrong answers may pass "
                  "('constants' sets it)");
  }
  return out;
}

// How the study's arguments differ from what its kernels take, as far as the sources show it.
SignatureComplaints signature_complaints(const Study& study) {
  if (!study.is_runnable() || study.kernel.runs_on_host()) return {};
  try {
    const bool own_file = study.reference && study.reference->source;
    return check_signatures(
        study, source_texts(study, study.kernel.source),
        own_file ? source_texts(study, *study.reference->source) : std::vector<SourceText>{});
  } catch (const FatalError&) {
    return {};  // whoever needs the file will say so
  }
}

}  // namespace

void check_sources(const Study& study, const Note& note) {
  for (const std::string& warning : constant_warnings(study)) note("warning: " + warning);
  for (const std::string& warning : unreached_parameters(study)) note("warning: " + warning);
  for (const std::string& warning : untied_blocks(study)) note("warning: " + warning);
  SignatureComplaints unlike = signature_complaints(study);
  for (const Complaint& warning : unlike.warnings) note("warning: " + render(warning, study.text));
  if (!unlike.errors.empty()) throw InputError(std::move(unlike.errors), study.text);
}

}  // namespace tuner
