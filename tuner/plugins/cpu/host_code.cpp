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

}  // namespace

std::vector<Piece> pieces_of(std::string_view preprocessed) { return Pieces(preprocessed).all(); }

namespace {

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
  const std::vector<Piece> pieces = pieces_of(preprocessed);
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

// ---- declarations that do not compile -----------------------------------------------------------

std::set<Place> places_of_errors(const std::string& log) {
  std::set<Place> out;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string_view line = std::string_view(log).substr(at, end - at);
    at = end + 1;
    const std::size_t error = std::min(line.find(": error: "), line.find(": fatal error: "));
    if (error == line.npos) continue;
    const std::size_t column = line.rfind(':', error - 1);
    if (column == line.npos || column == 0) continue;
    const std::size_t number = line.rfind(':', column - 1);
    if (number == line.npos) continue;
    const std::string counted(line.substr(number + 1, column - number - 1));
    out.emplace(line.substr(0, number), static_cast<std::size_t>(std::atoll(counted.c_str())));
  }
  return out;
}

namespace {

// A declaration at namespace scope: its pieces, and its lines of a file.
struct Span {
  std::size_t begin = 0, end = 0;
  std::string file;
  std::size_t first = 0, last = 0;
};

class Spans {
 public:
  explicit Spans(const std::string& text) : text_(text), pieces_(pieces_of(text)) {}

  std::vector<Span> all() {
    std::size_t from = 0;
    for (std::size_t at = 0; at < pieces_.size(); ++at) {
      const std::string_view word = pieces_[at].text;
      if (word == "}" || (word == "{" && opens_a_namespace(from))) {
        from = at + 1;
        continue;
      }
      bool ends = word == ";";
      if (word == "{" || word == "(" || word == "[") {
        const bool is_body = word == "{";
        at = closing(at);
        ends = is_body && !needs_a_semicolon(from, at);
      }
      if (!ends) continue;
      add(from, std::min(at, pieces_.size() - 1));
      from = at + 1;
    }
    return out_;
  }

 private:
  bool opens_a_namespace(std::size_t from) const {
    if (pieces_[from].text == "inline") ++from;
    const bool is_language = pieces_[from].text == "extern" && from + 2 < pieces_.size() &&
                             pieces_[from + 2].text == "{";
    return pieces_[from].text == "namespace" || is_language;
  }

  std::size_t closing(std::size_t at) const {
    std::size_t depth = 0;
    for (; at < pieces_.size(); ++at) {
      const std::string_view word = pieces_[at].text;
      if (word == "{" || word == "(" || word == "[") ++depth;
      if ((word == "}" || word == ")" || word == "]") && --depth == 0) return at;
    }
    return pieces_.size() - 1;
  }

  // Whether braces are those of a type or of a value, behind which a semicolon has to be.
  bool needs_a_semicolon(std::size_t from, std::size_t at) const {
    return at + 1 < pieces_.size() && (pieces_[at + 1].text == ";" || pieces_[at + 1].text == "," ||
                                       pieces_[from].text == "typedef");
  }

  void add(std::size_t from, std::size_t to) {
    Span one;
    one.begin = pieces_[from].at;
    one.end = pieces_[to].at + pieces_[to].text.size();
    go_to(one.begin);
    one.file = file_;
    one.first = line_;
    go_to(one.end);
    one.last = file_ == one.file ? line_ : one.first;
    out_.push_back(std::move(one));
  }

  // Follows the line markers up to a place of the text.
  void go_to(std::size_t to) {
    while (at_ < to) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      if (end >= to) return;
      const std::string_view line = std::string_view(text_).substr(at_, end - at_);
      at_ = end + 1;
      ++line_;
      const std::size_t open = line.find('"'), close = line.rfind('"');
      if (!line.starts_with("# ") || open == line.npos || close == open) continue;
      line_ = static_cast<std::size_t>(std::atoll(line.data() + 2));
      file_ = line.substr(open + 1, close - open - 1);
    }
  }

  const std::string& text_;
  std::vector<Piece> pieces_;
  std::vector<Span> out_;
  std::size_t at_ = 0, line_ = 1;  // how far the markers have been followed, and what they say
  std::string file_;
};

std::string lines_of(const std::string& text, std::size_t first, std::size_t last) {
  std::size_t from = 0;
  for (std::size_t line = 1; line < first && from < text.size(); ++line) {
    from = std::min(text.find('\n', from), text.size() - 1) + 1;
  }
  std::size_t to = from;
  for (std::size_t line = first; line <= last && to < text.size(); ++line) {
    to = std::min(text.find('\n', to), text.size() - 1) + 1;
  }
  return text.substr(from, to - from);
}

}  // namespace

std::string without_declarations(const std::string& preprocessed, const std::set<Place>& places,
                                 const std::function<std::string(const std::string&)>& text_of) {
  std::string out = preprocessed;
  if (places.empty()) return out;
  for (const Span& one : Spans(preprocessed).all()) {
    const auto place = places.lower_bound({one.file, one.first});
    const bool is_wrong =
        place != places.end() && place->first == one.file && place->second <= one.last;
    if (!is_wrong || one.file.starts_with("/usr/")) continue;
    const std::string lines = lines_of(text_of(one.file), one.first, one.last);
    const auto says = [&](const char* word) { return lines.find(word) != std::string::npos; };
    if (lines.empty() || says("__device__") || says("__global__") || says("__constant__")) continue;
    for (std::size_t at = one.begin; at < one.end; ++at) {
      const bool begins_line = at == 0 || preprocessed[at - 1] == '\n';
      if (begins_line && preprocessed[at] == '#')
        at = std::min(preprocessed.find('\n', at), one.end);
      if (at < one.end && preprocessed[at] != '\n') out[at] = ' ';
    }
  }
  return out;
}

bool may_be_cured(const std::string& log) {
  constexpr std::array kSigns{"No such file",
                              "file not found",
                              "redefinition",
                              "conflicting",
                              "must be available",
                              "not declared",
                              "been declared",
                              "not name a type",
                              "undeclared identifier",
                              "unknown type",
                              "no member",
                              "expected primary",
                              "expected expression",
                              "is not a member",
                              "no template",
                              "asm",
                              "Assembler"};
  return std::ranges::any_of(kSigns,
                             [&](const char* sign) { return log.find(sign) != std::string::npos; });
}

}  // namespace tuner::cpu
