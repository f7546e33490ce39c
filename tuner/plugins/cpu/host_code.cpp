// Makes host code pass a C++ compiler: what is never called has only to be read.

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/plugins/cpu/host_compiler.h"

namespace tuner::cpu {
namespace {

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// A word or a sign of the text.
struct Piece {
  std::size_t at = 0;
  std::string_view text;
};

// Pieces of a preprocessed text, which has no comments and whose directives are line markers.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : text_(text) {}

  std::vector<Piece> all() {
    std::vector<Piece> out;
    bool line_begins = true;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#' && line_begins) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        line_begins = line_begins || c == '\n';
        ++at_;
      } else {
        line_begins = false;
        const std::size_t begin = at_;
        skip_piece();
        out.push_back({begin, text_.substr(begin, at_ - begin)});
      }
    }
    return out;
  }

 private:
  void skip_piece() {
    const char c = text_[at_];
    if (is_letter(c)) {
      while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
      if (at_ < text_.size() && text_[at_] == '"' && text_[at_ - 1] == 'R') skip_raw_string();
    } else if (c == '"' || c == '\'') {
      skip_quoted(c);
    } else {
      at_ += text_.substr(at_, 3) == "<<<" || text_.substr(at_, 3) == ">>>" ? 3 : 1;
    }
  }

  void skip_quoted(char mark) {
    for (++at_; at_ < text_.size() && text_[at_] != mark && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  void skip_raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == text_.npos) return;
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = text_.find(close, open);
    at_ = end == text_.npos ? text_.size() : end + close.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// ---- names of the host's libraries --------------------------------------------------------------

constexpr std::array<std::string_view, 10> kFamilies{
    "cuda", "cublas", "cufft", "curand", "cusparse", "cusolver", "cudnn", "nccl", "nvml", "nvtx"};
constexpr std::array<std::string_view, 8> kCapitals{"CUDA_",  "CUDART_", "CUBLAS_",   "CUFFT_",
                                                    "CUDNN_", "CURAND_", "CUSPARSE_", "MPI_"};

// Names that the helpers of NVIDIA's samples declare.
constexpr std::array<std::string_view, 8> kHelpers{
    "checkCudaErrors", "getLastCudaError",   "findCudaDevice",   "compareData",
    "sdkCreateTimer",  "StopWatchInterface", "checkCmdLineFlag", "getCmdLineArgumentInt"};

// "cudaMalloc", "cuMemAlloc", "CUdevice", "CUBLAS_OP_N", but no "cuda_pointer".
bool is_of_a_library(std::string_view word) {
  const auto behind = [&](std::string_view family) {
    return word.starts_with(family) && word.size() > family.size()
               ? static_cast<unsigned char>(word[family.size()])
               : 0U;
  };
  return std::isupper(static_cast<int>(behind("cu"))) != 0 ||
         std::islower(static_cast<int>(behind("CU"))) != 0 ||
         std::ranges::any_of(
             kFamilies,
             [&](auto family) { return std::isupper(static_cast<int>(behind(family))) != 0; }) ||
         std::ranges::any_of(kCapitals, [&](auto family) { return word.starts_with(family); }) ||
         std::isupper(static_cast<int>(behind("sdk"))) != 0 ||
         std::ranges::find(kHelpers, word) != kHelpers.end();
}

bool is_word(std::string_view piece) {
  return !piece.empty() && is_letter(piece[0]) &&
         std::isdigit(static_cast<unsigned char>(piece[0])) == 0;
}

// Behind these words a name is used, not declared.
bool is_before_a_use(std::string_view word) {
  constexpr std::array<std::string_view, 20> kWords{
      "return", "else",     "case",    "throw",    "new",      "delete", "const",
      "static", "inline",   "extern",  "sizeof",   "typename", "do",     "constexpr",
      "struct", "volatile", "virtual", "template", "operator", "goto"};
  return std::ranges::find(kWords, word) != kWords.end();
}

// Whether pieces[at] is declared there: "T name(", "T* name =", "struct name {".
bool is_declared_at(const std::vector<Piece>& pieces, std::size_t at) {
  const std::string_view before = pieces[at - 1].text;
  const std::string_view behind = pieces[at + 1].text;
  if (before == "struct" || before == "class" || before == "enum") {
    return behind == "{" || behind == ":";
  }
  if (std::string_view("(;=[,{").find(behind[0]) == std::string_view::npos) return false;
  if (is_word(before)) return !is_before_a_use(before);
  const std::string_view type = at > 1 ? pieces[at - 2].text : "";
  return (before == "*" || before == "&") && is_word(type) && !is_before_a_use(type);
}

struct Name {
  bool is_type = false;
  bool is_declared = false;  // by the text itself
};

// Finds the libraries' names in the text. Members ("x.cudaThing", "n::cudaThing") are skipped.
std::map<std::string_view, Name> names_in(const std::vector<Piece>& pieces) {
  std::map<std::string_view, Name> out;
  for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {
    const std::string_view word = pieces[i].text;
    if (!is_word(word) || !is_of_a_library(word)) continue;
    const std::string_view before = pieces[i - 1].text;
    const std::string_view behind = pieces[i + 1].text;
    if (before == "." || (before == ":" && i > 1 && pieces[i - 2].text == ":")) continue;
    Name& name = out[word];
    if (word.ends_with("_t") || word.ends_with("Interface") || is_word(behind)) name.is_type = true;
    if (is_declared_at(pieces, i)) name.is_declared = true;
  }
  return out;
}

// Returns the status type that functions of the name's library return, if the text uses that type;
// else the type that stands for anything.
std::string status_of(std::string_view word, const std::map<std::string_view, Name>& names) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kStatus{
      {{"cuda", "cudaError_t"},
       {"cublas", "cublasStatus_t"},
       {"cufft", "cufftResult"},
       {"curand", "curandStatus_t"},
       {"cusparse", "cusparseStatus_t"},
       {"cusolver", "cusolverStatus_t"},
       {"cudnn", "cudnnStatus_t"},
       {"nccl", "ncclResult_t"},
       {"nvml", "nvmlReturn_t"},
       {"cu", "CUresult"},
       {"", ""}}};
  const auto* const found =
      std::ranges::find_if(kStatus, [&](const auto& one) { return word.starts_with(one.first); });
  const auto type = names.find(found->second);
  const bool is_known = type != names.end() && type->second.is_type && !type->second.is_declared;
  return std::string(is_known ? found->second : "tuner_cpu_anything");
}

std::string declarations_of(const std::vector<Piece>& pieces) {
  const std::map<std::string_view, Name> names = names_in(pieces);
  std::string types;
  std::string others;
  for (const auto& [word, name] : names) {
    const std::string text(word);
    if (name.is_declared) continue;
    if (name.is_type) {
      types += "struct " + text + " : tuner_cpu_anything { using ";
      types += "tuner_cpu_anything::tuner_cpu_anything; };\n";
    } else if (text.ends_with("String") || text.ends_with("Name")) {
      others += "template <class... A> const char* " + text + "(A&&...);\n";
    } else {
      others += "static tuner_cpu_function<" + status_of(word, names) + "> " + text + ";\n";
    }
  }
  return types + others;
}

}  // namespace

std::string with_host_code(const std::string& preprocessed) {
  const std::vector<Piece> pieces = Pieces(preprocessed).all();
  constexpr std::string_view kMark = "struct tuner_cpu_names;";  // of runtime/anything.h
  const std::size_t mark = preprocessed.find(kMark);
  if (mark == std::string::npos) return preprocessed;
  std::size_t copied = mark + kMark.size();
  std::string out = preprocessed.substr(0, copied) + declarations_of(pieces);
  std::size_t open = 0;  // launches whose ">>>" is to come
  const auto put = [&](const Piece& piece, std::string_view instead) {
    out.append(preprocessed, copied, piece.at - copied).append(instead);
    copied = piece.at + piece.text.size();
  };
  for (const Piece& piece : pieces) {
    if (piece.text == "<<<") {
      put(piece, " *tuner_cpu_launch(");
      ++open;
    } else if (piece.text == ">>>" && open > 0) {
      put(piece, ")");
      --open;
    }
  }
  return out.append(preprocessed, copied);
}

// ---- inline assembly ----------------------------------------------------------------------------

std::string place_of_inline_assembly(const std::string& preprocessed) {
  std::string file;
  std::size_t line = 0;
  bool is_own = false;  // the texts that stand in for a toolkit's have none of PTX
  for (std::size_t at = 0; at < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', at), preprocessed.size());
    const std::string_view text = std::string_view(preprocessed).substr(at, end - at);
    at = end + 1;
    const std::size_t quote = text.find('"');
    if (text.starts_with("# ") && quote != text.npos) {
      line = static_cast<std::size_t>(std::atoll(text.data() + 2));
      file = std::string(text.substr(quote + 1, text.rfind('"') - quote - 1));
      is_own = file == "cuda_on_cpu.h";
      continue;
    }
    for (const Piece& piece : Pieces(text).all()) {
      const bool found = piece.text == "asm" || piece.text == "__asm__" || piece.text == "__asm";
      if (found && !is_own && !file.starts_with("/usr/")) return file + ":" + std::to_string(line);
    }
    ++line;
  }
  return "";
}

bool may_be_cured(const std::string& log) {
  if (!refused_header_in(log).empty()) return false;
  constexpr std::array kSigns{"No such file",        "file not found",    "redefinition",
                              "conflicting",         "must be available", "not declared",
                              "been declared",       "not name a type",   "undeclared identifier",
                              "unknown type",        "no member",         "expected primary",
                              "expected expression", "is not a member",   "no template"};
  return std::ranges::any_of(kSigns,
                             [&](const char* sign) { return log.find(sign) != std::string::npos; });
}

}  // namespace tuner::cpu
