// Tells host code from device code by what a declaration says of itself, and finds kernels that can
// be left out.

#include "tuner/source/device_part.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "tuner/base/text.h"
#include "tuner/source/declarations.h"
#include "tuner/source/own_names.h"

namespace tuner {
namespace {

// Headers that a kernel cannot use anything of.
constexpr std::string_view kHostHeaders =
    "iostream fstream sstream iomanip ostream istream vector string map unordered_map set "
    "unordered_set list deque queue stack memory mutex thread future condition_variable "
    "chrono random stdexcept exception system_error filesystem regex locale numeric iterator "
    "bits/stdc++.h sys/utsname.h sys/mman.h sys/resource.h sys/wait.h "
    "optional variant any string_view typeinfo getopt.h unistd.h sys/time.h sys/stat.h "
    "signal.h fcntl.h pthread.h omp.h mpi.h cuda.h curand.h cusparse.h "
    " cusolverDn.h cudnn.h nccl.h nvml.h nvToolsExt.h cuda_profiler_api.h helper_cuda.h "
    "helper_functions.h";
constexpr std::array<std::string_view, 9> kHostFolders{"thrust/",    "torch/",    "ATen/",
                                                       "c10/cuda/",  "pybind11/", "gtest/",
                                                       "benchmark/", "nvtx3/",    "boost/"};
// Names of namespace std that a kernel cannot use.
constexpr std::string_view kHostNames =
    "vector string map unordered_map set unordered_set mutex thread atomic unique_ptr "
    "ostream shared_ptr ofstream ifstream list deque function mt19937";

bool is_host_header(std::string_view name) {
  return is_one_of(kHostHeaders, name) ||
         std::ranges::any_of(kHostFolders, [&](auto folder) { return name.starts_with(folder); });
}

// "vector" of "#include <vector>"; empty for another directive.
std::string_view included(const Token& directive) {
  if (directive_name(directive) != "include") return {};
  const std::string_view rest = directive_rest(directive);
  if (rest.size() < 3 || (rest.front() != '<' && rest.front() != '"')) return {};
  return rest.substr(1, rest.find_first_of(">\"", 1) - 1);
}

bool is_annotation(std::string_view word) {
  return is_one_of("__global__ __device__ constexpr consteval __constant__ __shared__ __managed__",
                   word);
}

// Whether a word looks like a macro: it has three characters at least, and no small letter.
bool looks_like_a_macro(const Token& token) {
  return token.is_word() && token.text.size() > 2 && token.text != "FILE" &&
         is_in_capitals(token.text);
}

// Whether a macro stands for an annotation, or may.
using Annotations = std::map<std::string, bool, std::less<>>;

// Adds the macros of a text. One that is defined twice may be an annotation where one of the two
// is.
void add_macros(const std::vector<Token>& tokens, std::vector<MacroDefinition>& all) {
  for (const Token& token : tokens) {
    if (auto macro = definition_in(token)) all.push_back(*macro);
  }
}

// A macro may stand for another one: "#define HD __host__ __device__", "#define FN HD inline".
Annotations annotations_of(const std::vector<MacroDefinition>& all) {
  Annotations out;
  for (const MacroDefinition& macro : all) out[std::string(macro.name)] = false;
  for (bool grew = true; grew;) {
    grew = false;
    for (const MacroDefinition& macro : all) {
      bool& annotates = out.find(macro.name)->second;
      if (annotates) continue;
      for (const Token& word : macro.tokens()) {
        const auto known = out.find(word.text);
        const bool may = known != out.end() ? known->second : looks_like_a_macro(word);
        annotates = annotates || is_annotation(word.text) || may;
      }
      grew = grew || annotates;
    }
  }
  return out;
}

class Sorter {
 public:
  explicit Sorter(Annotations macros) : macros_(std::move(macros)) {}

  // Remembers the names of a declaration that is left out: no other can use them either.
  void leave_out(const Declaration& one) {
    if (one.kind == Declaration::Kind::kFunction) host_functions_.insert(one.name);
    if (one.kind != Declaration::Kind::kType) return;
    for (std::size_t i = 0; i + 1 < one.all.size() && !one.all[i].is("{"); ++i) {
      const bool names = one.all[i].is("class") || one.all[i].is("struct");
      if (names && one.all[i + 1].is_word()) host_types_.insert(one.all[i + 1].text);
    }
  }

  bool is_host(const Declaration& one) const {
    switch (one.kind) {
      case Declaration::Kind::kFunction:
      case Declaration::Kind::kPrototype:
        return is_host_function(one);
      case Declaration::Kind::kOther:
      case Declaration::Kind::kType:  // a class about the launch, whose members are the host's
        return !mentions_annotation(one.all) &&
               (mentions_host_name(one.all) || mentions_host_type(one.all) ||
                instantiates_host_function(one.all));
    }
    return false;
  }

 private:
  bool is_host_function(const Declaration& one) const {
    if (one.head.empty()) return calls_host_macro(one);
    return !mentions_annotation(one.head) &&
           std::ranges::none_of(one.head, [&](const Token& t) { return may_annotate(t); });
  }

  // Recognises macros that are host code. A call without a return type is a macro, and only the
  // meaning of some is known.
  bool calls_host_macro(const Declaration& one) const {
    return is_one_of("PYBIND11_MODULE TORCH_LIBRARY TORCH_LIBRARY_IMPL TEST BENCHMARK", one.name);
  }

  bool mentions_annotation(Tokens tokens) const {
    return std::ranges::any_of(tokens, [&](const Token& token) {
      if (is_annotation(token.text)) return true;
      const auto macro = macros_.find(token.text);
      return macro != macros_.end() && macro->second;
    });
  }

  // A macro of a file that was not read: written in capitals, and defined nowhere else.
  bool may_annotate(const Token& token) const {
    return looks_like_a_macro(token) && !macros_.contains(token.text);
  }

  static bool mentions_host_name(Tokens tokens) {
    for (std::size_t i = 2; i < tokens.size(); ++i) {
      if (!tokens[i - 2].is("std") || !tokens[i - 1].is("::")) continue;
      // "cuda::std::atomic" is the device's.
      const bool is_inner = i > 3 && tokens[i - 3].is("::") && tokens[i - 4].is_word();
      if (!is_inner && is_one_of(kHostNames, tokens[i].text)) return true;
    }
    return false;
  }

  bool mentions_host_type(Tokens tokens) const {
    return std::ranges::any_of(tokens,
                               [&](const Token& t) { return host_types_.contains(t.text); });
  }

  // "template void launch<float>(float*);"
  bool instantiates_host_function(Tokens tokens) const {
    return tokens.size() > 2 && tokens[0].is("template") && !tokens[1].is("<") &&
           std::ranges::any_of(tokens, [&](const Token& token) {
             return host_functions_.contains(std::string(token.text));
           });
  }

  Annotations macros_;
  std::set<std::string> host_functions_;
  std::set<std::string_view> host_types_;
};

std::string name_of(const Declaration& one) {
  if (!one.name.empty()) return one.name;
  return one.all.size() > 1 ? std::string(one.all[one.all.size() - 2].text) : "";
}

}  // namespace

DevicePart device_part(const std::string& source, const std::vector<std::string>& headers) {
  DevicePart out{source, {}};
  const std::vector<Token> tokens = tokens_of(source);
  const std::vector<Token> code = code_of(tokens);
  std::vector<MacroDefinition> macros;
  add_macros(tokens, macros);
  std::vector<std::vector<Token>> others;
  for (const std::string& text : headers) {
    others.push_back(tokens_of(text));
    add_macros(others.back(), macros);
  }
  Sorter sorter(annotations_of(macros));
  for (const Declaration& one : declarations_of(code)) {
    if (!sorter.is_host(one)) continue;
    sorter.leave_out(one);
    const Token& last = one.all.back();
    blank(out.text, one.all.front().at, last.at + last.text.size(), tokens);
    for (const Token& token : tokens) {  // "int main() { const char* all[] = {#include "list"}; }"
      const bool is_in = token.at > one.all.front().at && token.at < last.at;
      const bool includes =
          is_in && token.kind == Token::Kind::kDirective && directive_name(token) == "include";
      if (includes) blank(out.text, token.at, token.at + token.text.size(), {});
    }
    out.left_out.push_back(name_of(one));
  }
  for (const Token& token : tokens) {
    const std::string_view name = included(token);
    if (token.kind != Token::Kind::kDirective || !is_host_header(name)) continue;
    blank(out.text, token.at, token.at + token.text.size(), {});
    out.left_out.push_back("<" + std::string(name) + ">");
  }
  return out;
}

// ---- kernels that nobody asks for ---------------------------------------------------------------

namespace {

// "extern "C" __global__ void __launch_bounds__(...)": no other word, which might be a macro.
bool is_plain_kernel(const Declaration& one) {
  if (one.kind != Declaration::Kind::kFunction) return false;
  bool is_kernel = false;
  for (std::size_t at = 0; at < one.head.size();) {
    const Token& token = one.head[at++];
    is_kernel = is_kernel || token.is("__global__");
    if (token.is("__launch_bounds__") && at < one.head.size() && one.head[at].is("(")) {
      at = behind_closing(one.head, at);
    } else if (!token.is("__global__") && !token.is("extern") && !token.is("void") &&
               token.kind != Token::Kind::kQuoted) {
      return false;
    }
  }
  return is_kernel;
}

// A directive's text, or that of a quotation, may become code.
bool may_name(const Token& token, std::string_view kernel) {
  if (token.is_word()) return token.text == kernel;
  if (token.kind != Token::Kind::kDirective && token.kind != Token::Kind::kQuoted) return false;
  const std::vector<Token> words = tokens_of(token.text.substr(1));
  return std::ranges::any_of(words, [&](const Token& word) { return may_name(word, kernel); });
}

struct Part {
  std::size_t from = 0, to = 0;
};

// A pragma of a loop goes with it; other directives are about what follows, too.
bool has_directives(const std::vector<Token>& tokens, Part part) {
  return std::ranges::any_of(tokens, [&](const Token& token) {
    return token.kind == Token::Kind::kDirective && token.at >= part.from && token.at < part.to &&
           directive_name(token) != "pragma";
  });
}

bool makes_names(const std::vector<Token>& tokens) {
  return std::ranges::any_of(tokens, [](const Token& token) {
    return token.kind == Token::Kind::kDirective && token.text.find("##") != token.text.npos;
  });
}

// An entry that is not there is perhaps a macro, and any kernel may be meant.
bool are_all_there(const std::set<std::string_view>& wanted,
                   const std::vector<Declaration>& declarations) {
  return std::ranges::all_of(wanted, [&](std::string_view name) {
    return std::ranges::any_of(declarations, [name](const Declaration& one) {
      return one.kind == Declaration::Kind::kFunction && last_name(one.name) == name;
    });
  });
}

}  // namespace

std::string wanted_kernels(const std::string& source, const std::vector<std::string>& entries,
                           const std::set<std::string, std::less<>>& words_elsewhere) {
  std::set<std::string_view> wanted;
  for (const std::string& entry : entries) {
    if (entry.find('{') != entry.npos) return source;
    wanted.insert(last_name(entry));
  }
  const std::vector<Token> tokens = tokens_of(source);
  const std::vector<Token> code = code_of(tokens);
  const std::vector<Declaration> declarations = declarations_of(code);
  if (makes_names(tokens) || !are_all_there(wanted, declarations)) return source;
  std::string out = source;
  for (const Declaration& one : declarations) {
    const std::string_view name = last_name(one.name);
    if (!is_plain_kernel(one) || wanted.contains(name)) continue;
    if (words_elsewhere.contains(name)) continue;
    const Token& last = one.all.back();
    const Part part{one.all.front().at, last.at + last.text.size()};
    const auto uses =
        std::ranges::count_if(tokens, [name](const Token& token) { return may_name(token, name); });
    if (uses == 1 && !has_directives(tokens, part)) blank(out, part.from, part.to, {});
  }
  return out;
}

std::string only_wanted_kernels(const std::string& source,
                                const std::vector<std::string>& entries) {
  std::istringstream before(source);
  std::istringstream after(wanted_kernels(source, entries));
  std::vector<std::string> kept;
  std::string now;
  for (std::string line; std::getline(before, line) && std::getline(after, now);) {
    const bool is_gone = trimmed(now).empty() && !trimmed(line).empty();
    while (is_gone && !kept.empty() && kept.back().starts_with("//")) kept.pop_back();
    if (!is_gone) kept.push_back(now);
  }
  while (!kept.empty() && kept.back().empty()) kept.pop_back();
  std::string out;
  for (const std::string& line : kept) out += line + "\n";
  return out;
}

}  // namespace tuner
