// Refuses to write over what belongs to the user.

#include "tuner/run/output_guard.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/model/file_marks.h"
#include "tuner/resolve/resolve.h"
#include "tuner/source/known_sources.h"
#include "tuner/store/store.h"
#include "tuner/worker/artifact_cache.h"
#include "tuner/worker/artifact_shelf.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBeginning = 4096;
constexpr std::uintmax_t kMostSealed = 8 << 20;  // bytes: twice the longest study
constexpr std::string_view kSeal = "# Unedited, so that tuner may replace it: ";

std::string beginning_of(const fs::path& file) {
  std::string text(kBeginning, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

// Without the blanks and line ends of a JSON text.
std::string dense(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out),
               [](char c) { return c != ' ' && c != '\n'; });
  return out;
}

// JSON: results, T4, wisdom. The second of each pair is what the version before wrote.
bool is_own_json(const std::string& beginning) {
  const std::string text = dense(beginning);
  if (text.starts_with("{\"generator\":\"tuner") ||
      text.starts_with("{\"schema\":1,\"kernel\":{\"name\":")) {
    return true;
  }
  if (text.starts_with("{\"schema_version\":\"1.1.0\",\"metadata\":{\"autotuner\":\"tuner\",")) {
    return true;
  }
  return text.starts_with("{\"version\":\"1.0\",\"key\":") &&
         text.find(",\"objective\":\"time\",\"tunable_parameters\":[") != std::string::npos;
}

fs::path kept_digest(const std::string& digest) {
  const fs::path cache = user_cache_directory();
  return cache.empty() ? fs::path() : cache / "exported" / digest;
}

// Whether the last line is the digest of all lines before it.
bool is_sealed(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error || size > kMostSealed) return false;
  const std::string text = read_file(file);
  const std::size_t at = text.rfind(kSeal);
  return at != text.npos && text == sealed(text.substr(0, at));
}

bool is_remembered(const fs::path& file) {
  const fs::path kept = kept_digest(FileDigests().text_of(file));
  std::error_code error;
  return !kept.empty() && fs::exists(kept, error);
}

// Whether a file's beginning says that this program wrote it, as in all that it writes itself.
bool is_own_output(const std::string& beginning) {
  const std::string_view line(beginning.data(), std::min(beginning.find('\n'), beginning.size()));
  const auto has = [&](std::string_view part) { return line.find(part) != line.npos; };
  if (line.starts_with("// Tuned configurations of the kernel ") && has(". Made by tuner")) {
    return true;  // header, launcher's header
  }
  if (line.starts_with("// Made by tuner") && has("; do not edit.")) return true;  // launcher
  if (line.starts_with("rank,state,") && has(",time_ms,ci_low_ms,ci_high_ms,min_ms,samples")) {
    return true;
  }
  if (line.starts_with("run,eval,time_s,objective")) return true;
  if (beginning.starts_with(kDefinesMark) || beginning.starts_with(kReportMark)) return true;
  return beginning.starts_with('{') && is_own_json(beginning);
}

void remember(const std::string& text) {
  const fs::path kept = kept_digest(file_digest_of(text));
  if (kept.empty() || is_own_output(text.substr(0, kBeginning))) return;
  make_private_directory(kept.parent_path().parent_path());
  std::error_code ignored;
  fs::create_directory(kept.parent_path(), ignored);
  std::ofstream{kept};  // without a cache the next export asks for --force
}

}  // namespace

std::string sealed(const std::string& text) {
  return text + std::string(kSeal) + file_digest_of(text) + "\n";
}

void OutputGuard::protect(const fs::path& file, const std::string& what) {
  protected_.emplace_back(file, what);
}

void OutputGuard::protect(const Study& study) {
  protect(study.file, "is the study");
  const auto source = [&](const fs::path& file, const std::string& what) {
    if (file.empty()) return;
    protect(file, "is " + what + " of this study");
    CompileRequest request;
    request.source_name = file.string();
    try {
      request.source = read_file(file);
    } catch (const FatalError&) {
      return;  // whoever needs it says so
    }
    request.include_dirs = include_dirs_for(study, file);
    request.options = study.kernel.options;
    const SourceBundle bundle = bundle_of(request);
    for (const BundledFile& one : bundle.files()) {
      if (!one.path.empty()) protect(one.path, "is included by a source of this study");
    }
  };
  source(study.kernel.source, "the source");
  for (const auto& unit : study.kernel.units) source(unit, "a source");
  if (study.reference && study.reference->source) {
    source(*study.reference->source, "the reference's source");
  }
  for (const auto* list : {&study.arguments, &study.constants}) {
    for (const ArgumentSpec& argument : *list) {
      if (argument.fill.kind != FillSpec::Kind::kFile) continue;
      protect_data(study, argument.fill.file,
                   "holds the contents of '" + argument.name + "' of this study");
    }
  }
  for (const CapturedSize& one : study.captured) {
    for (const auto& file : one.launch.files()) protect(file, "is of a captured launch");
  }
  for (const AdviceSource& one : study.search.advice) {
    if (one.kind == AdviceSource::Kind::kFile) protect(one.words.front(), "advises this study");
  }
  if (study.problem) {
    for (const OptionValue& option : study.problem->options) {
      if (option.name == "file")
        protect(option.value, "is what the answers of this study come from");
    }
  }
  if (!study.reference) return;
  for (const auto& file : study.reference->files) {
    if (file.second.kind != FillSpec::Kind::kFile) continue;
    protect_data(study, file.second.file,
                 "holds the right answer of '" + file.first + "' of this study");
  }
}

// A name with {NAME} in it stands for one file for each size, and for other values of that name.
void OutputGuard::protect_data(const Study& study, const fs::path& file, const std::string& what) {
  std::vector<Bindings> cases;
  for (const ProblemSize& size : study.sizes) cases.push_back(facts_of(size, {}));
  if (cases.empty()) cases.emplace_back();
  for (const Bindings& names : cases) {
    if (const auto path = substitute(file.string(), names)) protect(*path, what);
  }
}

void OutputGuard::protect_store(const fs::path& folder) { stores_.push_back(folder); }

void OutputGuard::check(const fs::path& target) const {
  if (target.empty() || target == "-") return;
  const std::string name = target.filename().string();
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  for (const fs::path& store : stores_) {
    if (name.starts_with("tuner.sqlite") && same_file(folder, store)) {
      reject(target, "belongs to the database of the results", "choose another name");
    }
    if (same_file(target, store / "tuner.sqlite")) {
      reject(target, "is the database of the results", "choose another name");
    }
  }
  std::error_code error;
  using enum fs::file_type;
  const fs::file_type type = fs::status(target, error).type();
  if (type == directory) reject(target, "is a folder", "name a file");
  if (type == block || type == socket) {
    reject(target, type == block ? "is a disk" : "is a socket", "choose another name");
  }
  if (type != regular) return;
  if (is_store(target)) reject(target, "is a database of results", "choose another name");
  if (force_) return;
  for (const auto& [file, what] : protected_) {
    if (same_file(target, file)) reject(target, what, "choose another name; --force replaces it");
  }
  const std::string beginning = beginning_of(target);
  if (beginning.empty() || is_own_output(beginning)) return;
  if (is_sealed(target) || is_remembered(target)) return;
  reject(target, "was not written by tuner, or was edited since", "--force replaces it");
}

void OutputGuard::write(const fs::path& target, const std::string& text) const {
  check(target);
  write_file_atomically(file_behind_links(target), text);
  remember(text);
}

}  // namespace tuner
