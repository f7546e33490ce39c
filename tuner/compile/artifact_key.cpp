#include "tuner/compile/artifact_key.h"

#include <algorithm>
#include <set>

namespace tuner {
namespace {

// Changes what equal keys mean: raise it when the key or the artifact's form changes.
constexpr std::uint64_t kFormat = 2;

bool starts_with(const std::string& text, const char* head) { return text.rfind(head, 0) == 0; }

bool includes_a_file(const std::string& option) {
  return starts_with(option, "--pre-include") || starts_with(option, "-include") ||
         starts_with(option, "-imacros") || starts_with(option, "@");
}

std::string identifier_of(const std::string& definition) {  // "MIN(a, b)" defines MIN
  return definition.substr(0, definition.find('('));
}

}  // namespace

std::vector<std::string> include_dirs_of(const CompileRequest& request) {
  std::vector<std::string> dirs = request.include_dirs;
  for (std::size_t i = 0; i < request.options.size(); ++i) {
    const std::string& option = request.options[i];
    for (const char* head : {"--include-path=", "-I", "-isystem"}) {
      if (!starts_with(option, head)) continue;
      const std::string rest = option.substr(std::string(head).size());
      if (!rest.empty()) {
        dirs.push_back(rest);
      } else if (i + 1 < request.options.size()) {
        dirs.push_back(request.options[i + 1]);
      }
      break;
    }
  }
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

std::optional<std::string> artifact_key(const CompileRequest& request, const SourceBundle& bundle,
                                        const std::string& compiler_identity) {
  if (!bundle.complete() ||
      std::any_of(request.options.begin(), request.options.end(), includes_a_file)) {
    return std::nullopt;
  }
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
