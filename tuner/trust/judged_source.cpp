// Refuses a source with code for the host, or with files of others, and cuts these out of messages.

#include "tuner/trust/judged_source.h"

#include <algorithm>
#include <sstream>
#include <system_error>

#include "tuner/base/atomic_file.h"
#include "tuner/base/text.h"
#include "tuner/resolve/resolve.h"
#include "tuner/resolve/study_sources.h"
#include "tuner/source/device_part.h"
#include "tuner/source/directives.h"
#include "tuner/source/host_initialisers.h"
#include "tuner/source/known_sources.h"
#include "tuner/source/tokens.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSystemFolders[] = {"/usr/include", "/usr/local/include", "/usr/lib/gcc"};

// With all links followed, as far as it is there.
fs::path real(const fs::path& path) {
  std::error_code ignored;
  const fs::path out = fs::weakly_canonical(fs::absolute(path), ignored);
  return ignored ? path.lexically_normal() : out;
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  const fs::path way = file.lexically_relative(folder);
  return !way.empty() && *way.begin() != "..";
}

std::string refused_include(const std::string& name) {
  return "it reads '" + name +
         "', which lies neither in the study's folders nor in those of the toolkit and the system";
}

}  // namespace

JudgedSource::JudgedSource(const Study& own, const Study& judged) : own_(own), judged_(judged) {
  CompileRequest request;
  request.options = own.kernel.options;
  request.include_dirs = include_dirs_for(own, own.kernel.source);
  for (const std::string& folder : include_dirs_of(request)) folders_.push_back(real(folder));
  folders_.push_back(real(fs::path(own.file)).parent_path());
  for (const fs::path& unit : own.kernel.units) folders_.push_back(real(unit).parent_path());
  if (own.reference && own.reference->source) {
    folders_.push_back(real(*own.reference->source).parent_path());
  }
  for (const char* folder : kSystemFolders) folders_.push_back(real(folder));
}

bool JudgedSource::may_read(const fs::path& file) const {
  const fs::path place = real(file);
  if (place == real(judged_.kernel.source)) return true;
  const auto is_in = [&](const fs::path& folder) { return lies_in(place, folder); };
  if (std::ranges::any_of(folders_, is_in)) return true;
  // Allows files that the study itself includes into everything ("--pre-include=FILE").
  return std::ranges::any_of(own_.kernel.options, [&](const std::string& option) {
    const std::string named = option.substr(option.find('=') + 1);
    return !named.starts_with("-") && real(named) == place;
  });
}

// Names are looked at as they are spelled, so that nothing tells whether there is such a file.
std::string JudgedSource::reading_elsewhere(const std::string& text) const {
  CompileRequest request;
  request.source = text;
  request.source_name = judged_.kernel.source.string();
  request.options = judged_.kernel.options;
  request.include_dirs = include_dirs_for(judged_, judged_.kernel.source);
  for (const Directive& directive : possible_directives(text)) {
    for (const Include& include : names_in(directive)) {
      const fs::path name = include.name;
      const bool leaves = std::ranges::find(name, "..") != name.end();
      if (!name.is_absolute() && !leaves) continue;
      std::vector<std::string> places = include_dirs_of(request);
      if (name.is_absolute()) places = {"/"};
      for (const std::string& folder : places) {
        if (!may_read(fs::path(folder) / name)) return refused_include(include.name);
      }
    }
  }
  const SourceBundle bundle = bundle_of(request);
  for (const BundledFile& file : bundle.files()) {
    if (!file.path.empty() && !may_read(file.path)) return refused_include(file.name);
  }
  return bundle.complete() ? "" : "what it reads has to be plain to see: " + bundle.gap();
}

std::string JudgedSource::refusal() const {
  const std::string text = without_byte_order_mark(read_file(judged_.kernel.source.string()));
  // First, since the macros of what it includes say which functions are the device's.
  if (std::string elsewhere = reading_elsewhere(text); !elsewhere.empty()) return elsewhere;
  std::vector<std::string> names =
      device_part(text, header_texts(judged_, judged_.kernel.source)).left_out;
  std::erase_if(names, [](const std::string& name) { return name.starts_with("<"); });
  if (!names.empty()) return "functions of the host are not judged: " + listed(names, "and");
  names = host_initialisers_in(text);
  if (!names.empty()) {
    return "code of the host, which makes a variable or runs when it is loaded, is not judged: " +
           listed(names, "and");
  }
  return {};
}

std::string JudgedSource::refusal(const Trial& trial) const {
  for (const FileState& file : trial.further_files) {
    if (file.digest.empty() || may_read(file.path)) continue;  // empty: there is none
    return "a file was read for it that lies neither in the study's folders nor in those of the "
           "toolkit and the system";
  }
  return {};
}

namespace {

// The names behind __global__, where no macro makes them.
std::vector<std::string> kernels_in(const std::vector<Token>& tokens) {
  std::vector<std::string> names;
  bool is_kernel = false;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].is("__global__")) is_kernel = true;
    const bool is_name = tokens[i].is_word() && tokens[i + 1].is("(") &&
                         !tokens[i].is("__launch_bounds__") && !tokens[i].is("__attribute__");
    if (!is_kernel || !is_name) continue;
    names.emplace_back(tokens[i].text);
    is_kernel = false;
  }
  return names;
}

}  // namespace

// Nothing where the file mentions the entry, or where that is more than a name.
std::string JudgedSource::missing_kernel() const {
  const std::string& entry = judged_.kernel.entry;
  std::error_code error;
  const bool is_name = !entry.empty() && std::ranges::all_of(entry, is_word_part);
  if (!is_name || !fs::is_regular_file(judged_.kernel.source, error)) return {};
  const std::string text = read_file(judged_.kernel.source.string());
  const std::vector<Token> tokens = tokens_of(text);
  if (std::ranges::any_of(tokens, [&](const Token& one) { return one.is(entry); })) return {};
  const std::vector<std::string> names = kernels_in(tokens);
  return "the file has no kernel '" + entry + "'" +
         (names.empty() ? ", and no other" : "; it has " + listed(names, "and")) + "\n";
}

// Compilers quote the line of the place that they have named before, indented: some with its number
// and a bar. With #line a source chooses that name.
std::string JudgedSource::tellable(const std::string& log) const {
  const std::string own = judged_.kernel.source.string();
  std::istringstream lines(log);
  std::string out = missing_kernel();
  bool is_own = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_quoted = line.starts_with(" ") || line.starts_with("\t") ||
                           line.find_first_not_of("0123456789") == line.find(" |");
    if (!is_quoted) is_own = line.starts_with(own + ":") || line.starts_with(own + "(");
    if (!is_quoted || is_own || line.empty()) out += line + "\n";
  }
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

}  // namespace tuner
