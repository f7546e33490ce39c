// Names an artifact by everything that the compiler can see.

#include "tuner/compile/artifact_key.h"

#include <set>

namespace tuner {
namespace {

// Changes what equal keys mean: raise it when the key or the artifact's form changes.
constexpr std::uint64_t kFormat = 3;

std::string identifier_of(const std::string& definition) {  // "MIN(a, b)" defines MIN
  return definition.substr(0, definition.find('('));
}

}  // namespace

std::vector<std::string> include_dirs_of(const CompileRequest& request) {
  std::vector<std::string> dirs = request.include_dirs;
  for (std::string& dir : include_dirs_in(request.options)) dirs.push_back(std::move(dir));
  return dirs;
}

SourceBundle bundle_of(const CompileRequest& request) {
  return SourceBundle::read(request.source, request.source_name, include_dirs_of(request));
}

std::set<std::string> relevant_defines(const CompileRequest& request, const SourceBundle& bundle) {
  std::set<std::string, std::less<>> words = words_of(request.entry);
  for (const std::string& option : request.options) words.merge(words_of(option));
  for (const std::string& symbol : request.symbols) words.merge(words_of(symbol));
  for (const std::string& entry : request.then) words.merge(words_of(entry));
  std::set<std::string> out;
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& [name, text] : request.defines) {
      const std::string identifier = identifier_of(name);
      if (!bundle.mentions(identifier) && !words.contains(identifier)) continue;
      if (out.insert(name).second) grew = true;
      words.merge(words_of(text));
    }
  }
  return out;
}

Reach reach_of(const CompileRequest& request, const SourceBundle& bundle) {
  const Reach options = reach_of(request.options);
  if (options == Reach::kUnknown || !bundle.compiler_knows()) return Reach::kUnknown;
  return bundle.complete() ? options : Reach::kReported;
}

std::string artifact_key(const CompileRequest& request, const SourceBundle& bundle,
                         const std::string& compiler_identity) {
  Hasher hasher;
  hasher.add(kFormat).add(compiler_identity).add(request.arch).add(request.entry);
  const Digest sources = bundle.digest();
  hasher.add(sources.high).add(sources.low);
  hasher.add(request.source_name);  // __FILE__, line information and warnings carry it
  hasher.add(std::uint64_t{request.options.size()});
  for (const std::string& option : request.options) hasher.add(option);
  hasher.add(std::uint64_t{request.symbols.size()});
  for (const std::string& symbol : request.symbols) hasher.add(symbol);
  hasher.add(std::uint64_t{request.then.size()});
  for (const std::string& entry : request.then) hasher.add(entry);
  const std::set<std::string> names = relevant_defines(request, bundle);
  for (const auto& [name, text] : request.defines) {
    if (names.contains(name)) hasher.add(name).add(text);
  }
  return to_hex(hasher.digest());
}

}  // namespace tuner
