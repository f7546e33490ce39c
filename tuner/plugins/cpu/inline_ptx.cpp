// Translates inline PTX into C++: each instruction becomes a call of a function of
// runtime/inline_ptx.h, and one that is not known there an error that only a caller gets to see.

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/plugins/cpu/host_compiler.h"
#include "tuner/plugins/cpu/inline_assembly.h"
#include "tuner/plugins/programs/make_rule.h"

namespace tuner::cpu {
namespace {

using inline_assembly::Assembly;
using inline_assembly::behind_closing;
using inline_assembly::lines_in;
using inline_assembly::Operand;
using Words = std::vector<std::string>;

std::string stripped(std::string_view text, std::string_view of = " \t\r\n") {
  const std::size_t begin = text.find_first_not_of(of);
  if (begin == text.npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin));
}

// Splits at a sign outside of brackets and braces.
Words split_at(std::string_view text, char sign) {
  Words out;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size()) depth += text[at] == '{' || text[at] == '[';
    if (at < text.size()) depth -= text[at] == '}' || text[at] == ']';
    if (at < text.size() && (text[at] != sign || depth > 0)) continue;
    out.push_back(stripped(text.substr(from, at - from)));
    from = at + 1;
  }
  return out;
}

// ---- instructions -------------------------------------------------------------------------------

struct Instruction {
  std::string guard;  // "@p" or "@!p" before it, as a condition; empty: none
  std::string spelled, name;
  Words modifiers, operands;

  bool has(std::string_view modifier) const {
    return std::ranges::find(modifiers, modifier) != modifiers.end();
  }
};

// Functions of runtime/inline_ptx.h that take operands of the instruction's type, and how many.
const std::map<std::string_view, std::size_t> kFunctions{
    {"add", 2},  {"sub", 2},  {"min", 2},   {"max", 2},   {"div", 2}, {"rem", 2},  {"and", 2},
    {"or", 2},   {"xor", 2},  {"shl", 2},   {"shr", 2},   {"not", 1}, {"neg", 1},  {"abs", 1},
    {"popc", 1}, {"clz", 1},  {"brev", 1},  {"bfind", 1}, {"bfe", 3}, {"bfi", 4},  {"prmt", 3},
    {"lop3", 4}, {"fma", 3},  {"ex2", 1},   {"lg2", 1},   {"rcp", 1}, {"sqrt", 1}, {"sin", 1},
    {"cos", 1},  {"tanh", 1}, {"rsqrt", 1}, {"mul", 2},   {"mad", 3}, {"dp4a", 3}};

const std::map<std::string_view, std::string_view> kTypes{{"b8", "unsigned char"},
                                                          {"u8", "unsigned char"},
                                                          {"s8", "signed char"},
                                                          {"b16", "unsigned short"},
                                                          {"u16", "unsigned short"},
                                                          {"s16", "short"},
                                                          {"b32", "unsigned"},
                                                          {"u32", "unsigned"},
                                                          {"s32", "int"},
                                                          {"b64", "unsigned long long"},
                                                          {"u64", "unsigned long long"},
                                                          {"s64", "long long"},
                                                          {"f32", "float"},
                                                          {"f64", "double"},
                                                          {"pred", "bool"}};

const std::map<std::string_view, std::string_view> kComparisons{
    {"eq", "=="}, {"ne", "!="}, {"lt", "<"},  {"le", "<="}, {"gt", ">"},
    {"ge", ">="}, {"lo", "<"},  {"ls", "<="}, {"hi", ">"},  {"hs", ">="}};

const std::map<std::string_view, std::string_view> kRegisters{
    {"laneid", "tuner_ptx_lane()"},
    {"warpid", "tuner_ptx_warp()"},
    {"lanemask_eq", "(1u << tuner_ptx_lane())"},
    {"lanemask_lt", "((1u << tuner_ptx_lane()) - 1)"},
    {"lanemask_le", "((2u << tuner_ptx_lane()) - 1)"},
    {"lanemask_gt", "~((2u << tuner_ptx_lane()) - 1)"},
    {"lanemask_ge", "~((1u << tuner_ptx_lane()) - 1)"},
    {"clock", "clock64()"},
    {"clock64", "clock64()"},
    {"globaltimer", "clock64()"},
    {"smid", "0u"},
    {"tid", "threadIdx"},
    {"ntid", "blockDim"},
    {"ctaid", "blockIdx"},
    {"nctaid", "gridDim"}};

std::string bits_of(const std::string& type, const std::string& value) {
  return "tuner_ptx_get<" + type + ">(" + value + ")";
}

std::string stored(const std::string& to, const std::string& value) {
  return "tuner_ptx_set(" + to + ", " + value + "); ";
}

using Text = std::optional<std::string>;

// An assembly as a statement of C++. Registers that it declares hold bits, as its operands do.
class Statement {
 public:
  explicit Statement(const Assembly& from) : from_(from) {}

  std::string text() {
    std::string body;
    for (const std::string& one : split_at(without_remarks(), ';')) {
      body += translated(stripped(one, " \t\r\n{}"));
    }
    std::string out = "do { ";
    for (std::size_t i = 0; i < from_.operands.size(); ++i) {
      out += (i < from_.outputs ? "auto& " : "const auto ") + operand(i) + " = (" +
             from_.operands[i].expression + "); ";
    }
    for (const std::string& one : registers_) out += "unsigned long long " + one + " = 0; ";
    return out + body + "} while (0)";
  }

 private:
  static std::string operand(std::size_t place) { return "tuner_ptx_" + std::to_string(place); }

  // Blanks braces of blocks, so that those that are left are of vectors.
  std::string without_remarks() const {
    std::string out;
    bool begins = true;  // a statement
    for (std::size_t at = 0; at < from_.text.size(); ++at) {
      const char c = from_.text[at];
      const std::string_view two = std::string_view(from_.text).substr(at, 2);
      if (two == "//") at = std::min(from_.text.find('\n', at), from_.text.size());
      if (two == "/*") at = std::min(from_.text.find("*/", at), from_.text.size() - 2) + 1;
      if (two == "//" || two == "/*" || (begins && (c == '{' || c == '}'))) {
        out += ' ';
        continue;
      }
      begins = c == ';' || (begins && std::isspace(static_cast<unsigned char>(c)) != 0);
      out += c;
    }
    return out;
  }

  std::string translated(const std::string& text) {
    if (text.empty()) return {};
    if (text.starts_with(".reg")) return declare(text);
    const Instruction one = parsed(text);
    const Text said = one.guard == "?" ? std::nullopt : call(one);
    const std::string body = said ? *said : refusal(one.spelled);
    return one.guard.empty() ? body : "if (" + one.guard + ") { " + body + "} ";
  }

  // ".reg .u32 a, b<4>"
  std::string declare(const std::string& text) {
    const std::size_t type = text.find('.', 1), names = text.find_first_of(" \t\n", type);
    if (type == text.npos || names == text.npos) return refusal(text);
    for (const std::string& one : split_at(std::string_view(text).substr(names), ',')) {
      const std::size_t open = one.find('<');
      const int count = open == one.npos ? 1 : std::atoi(one.c_str() + open + 1);
      for (int i = 0; i < std::min(count, 256); ++i) {
        registers_.insert("tuner_ptx_r_" + named(one.substr(0, open)) +
                          (open == one.npos ? "" : std::to_string(i)));
      }
    }
    return {};
  }

  // Only the compiler of a kernel that calls it says this.
  static std::string refusal(const std::string& instruction) {
    std::string function = "tuner_ptx_no_", name;
    for (const char c : instruction) {
      function += is_word_part(c) ? c : '_';
      name += is_word_part(c) || c == '.' || c == ':' ? c : ' ';
    }
    return "{ extern void " + function + "() __attribute__((error(\"" +
           std::string(kNoInstruction) + name + "'\"))); " + function + "(); } ";
  }

  static bool is_word_part(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }

  // A register's name, which may begin with '%' and have a '$'.
  static std::string named(std::string_view name) {
    std::string out;
    for (const char c : name) {
      if (c != '%') out += is_word_part(c) ? c : '_';
    }
    return out;
  }

  Instruction parsed(const std::string& text) const {
    Instruction out;
    std::string_view rest = text;
    if (rest.front() == '@') {
      const std::size_t end = std::min(rest.find_first_of(" \t\n"), rest.size());
      const bool is_not = rest.substr(1, 1) == "!";
      const Text value = value_of(std::string(rest.substr(is_not ? 2 : 1, end - (is_not ? 2 : 1))));
      out.guard = value ? (is_not ? "!" : "") + *value : "?";
      rest = rest.substr(std::min(rest.find_first_not_of(" \t\n", end), rest.size()));
    }
    const std::size_t end = std::min(rest.find_first_of(" \t\n"), rest.size());
    out.spelled = rest.substr(0, end);
    Words words = split_at(out.spelled, '.');
    out.name = words.front();
    out.modifiers.assign(words.begin() + 1, words.end());
    if (end < rest.size()) out.operands = split_at(rest.substr(end), ',');
    return out;
  }

  // ---- operands ---------------------------------------------------------------------------------

  // Says an operand in C++; nothing for a symbol, and for what is no operand.
  Text value_of(const std::string& text) const {
    if (text.empty()) return std::nullopt;
    if (text[0] == '%' && text.size() > 1 &&
        std::isdigit(static_cast<unsigned char>(text[1])) != 0) {
      if (text.find_first_not_of("0123456789", 1) != text.npos) return std::nullopt;  // "%0|p"
      const auto place = static_cast<std::size_t>(std::atoi(text.c_str() + 1));
      return place < from_.operands.size() ? Text(operand(place)) : std::nullopt;
    }
    if (text.starts_with("%[")) {
      const std::string name = text.substr(2, text.size() - 3);
      const auto found = std::ranges::find(from_.operands, name, &Operand::name);
      const auto place = static_cast<std::size_t>(found - from_.operands.begin());
      return place < from_.operands.size() ? Text(operand(place)) : std::nullopt;
    }
    if (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-')
      return number(text);
    const std::string own = "tuner_ptx_r_" + named(text);
    if (registers_.contains(own)) return own;
    const std::string name = text.substr(std::min(text.find_first_not_of('%'), text.size()));
    const std::size_t dot = std::min(name.find('.'), name.size());
    const auto found = kRegisters.find(name.substr(0, dot));
    if (found == kRegisters.end() || text[0] != '%') return std::nullopt;
    return std::string(found->second) + name.substr(dot);
  }

  // Integers have 64 bits; "0f3F800000" is a float's bits.
  static Text number(const std::string& text) {
    const std::string kind = text.substr(0, 2);
    const bool is_bits = kind == "0f" || kind == "0F" || kind == "0d" || kind == "0D";
    if (is_bits) return "0x" + text.substr(2) + "ull";
    const bool is_hexadecimal = kind == "0x" || kind == "0X";
    for (std::size_t at = is_hexadecimal ? 2 : text[0] == '-' ? 1 : 0; at < text.size(); ++at) {
      const auto c = static_cast<unsigned char>(text[at]);
      if (at + 1 == text.size() && c == 'U') return text.substr(0, at) + "ull";
      if ((is_hexadecimal ? std::isxdigit(c) : std::isdigit(c)) == 0) return std::nullopt;
    }
    return "(" + text + "ll)";
  }

  // All of them, or nothing.
  std::optional<Words> values_of(const Words& texts, std::size_t from = 0) const {
    Words out;
    for (std::size_t i = from; i < texts.size(); ++i) {
      Text one = value_of(texts[i]);
      if (!one) return std::nullopt;
      out.push_back(std::move(*one));
    }
    return out;
  }

  // "{a, b}" as its parts, anything else as one.
  static Words parts_of(const std::string& text) {
    if (!text.starts_with("{") || !text.ends_with("}")) return {text};
    return split_at(std::string_view(text).substr(1, text.size() - 2), ',');
  }

  // "[p + 16]"
  Text address(const std::string& text, bool is_shared, const std::string& type) const {
    if (!text.starts_with("[") || !text.ends_with("]")) return std::nullopt;
    const std::string inside = stripped(std::string_view(text).substr(1, text.size() - 2));
    const std::size_t sign = std::min(inside.find_first_of("+-", 1), inside.size());
    const Text base = value_of(stripped(std::string_view(inside).substr(0, sign)));
    const std::string more = stripped(std::string_view(inside).substr(sign), " \t\n+");
    const Text offset = more.empty() ? Text("0") : value_of(more);
    if (!base || !offset) return std::nullopt;
    return "((" + type + "*)tuner_ptx_" + (is_shared ? "shared" : "generic") + "(" +
           bits_of("unsigned long long", *base) + " + " + bits_of("unsigned long long", *offset) +
           "))";
  }

  // ---- kinds of instructions --------------------------------------------------------------------

  static Words types_of(const Instruction& one) {
    Words out;
    for (const std::string& modifier : one.modifiers) {
      const auto found = kTypes.find(modifier);
      if (found != kTypes.end()) out.emplace_back(found->second);
    }
    return out;
  }

  static bool is_shared(const Instruction& one) {
    return one.has("shared") || one.has("shared::cta");
  }

  Text call(const Instruction& one) const {
    const std::string& name = one.name;
    const Words types = types_of(one);
    const auto is = [&](std::string_view words) {
      return std::ranges::count(programs::words_of(std::string(words)), name) > 0;
    };
    if (is("prefetch prefetchu griddepcontrol nanosleep pmevent discard")) return "";
    if (is("membar fence")) return "__threadfence(); ";
    if (is("trap brkpt")) return "__trap(); ";
    if (is("bar barrier")) return barrier(one);
    if (name == "cp") return copy(one);
    if (is("shfl vote activemask redux match")) return of_a_warp(one);
    if (is("ldmatrix stmatrix")) return matrices(one);
    if (name == "mma") return product(one);
    if (types.empty() || one.has("cc") || one.has("sat") || one.has("shared::cluster")) {
      return std::nullopt;
    }
    if (is("ld ldu")) return load(one, types.back());
    if (name == "st") return store(one, types.back());
    if (is("atom red")) return atomic(one, types.back());
    if (name == "mov") return move(one, types.back());
    if (name == "cvt") return converted(one, types);
    return of_values(one, types);
  }

  static Text barrier(const Instruction& one) {
    if (!one.has("sync")) return std::nullopt;
    if (one.has("warp")) return "__syncwarp(); ";
    return one.operands.size() > 1 ? std::nullopt : Text("__syncthreads(); ");
  }

  // Copies at once: nobody may rely on an asynchronous copy being late.
  Text copy(const Instruction& one) const {
    if (!one.has("async") || one.has("bulk")) return std::nullopt;
    if (one.has("commit_group") || one.has("wait_group") || one.has("wait_all")) return "";
    const auto sizes = values_of(one.operands, 2);
    if (one.operands.size() < 3 || !sizes) return std::nullopt;
    const Text to = address(one.operands[0], true, "char");
    const Text from = address(one.operands[1], false, "char");
    if (!to || !from) return std::nullopt;
    const bool has_size = sizes->size() > (one.has("L2::cache_hint") ? 2 : 1);
    const std::string read = bits_of("unsigned", has_size ? (*sizes)[1] : (*sizes)[0]);
    return "tuner_ptx_copy(" + *to + ", " + *from + ", " + bits_of("unsigned", (*sizes)[0]) + ", " +
           read + "); ";
  }

  Text load(const Instruction& one, const std::string& type) const {
    if (one.operands.size() < 2 || one.has("param")) return std::nullopt;
    const Text from = address(one.operands[1], is_shared(one), "const " + type);
    const auto parts = values_of(parts_of(one.operands[0]));
    if (!from || !parts) return std::nullopt;
    std::string out = "const auto tuner_ptx_from = " + *from + "; ";
    for (std::size_t i = 0; i < parts->size(); ++i) {
      out += stored((*parts)[i], "tuner_ptx_from[" + std::to_string(i) + "]");
    }
    return "{ " + out + "} ";
  }

  Text store(const Instruction& one, const std::string& type) const {
    if (one.operands.size() < 2) return std::nullopt;
    const Text to = address(one.operands[0], is_shared(one), type);
    const auto parts = values_of(parts_of(one.operands[1]));
    if (!to || !parts) return std::nullopt;
    std::string out = "const auto tuner_ptx_to = " + *to + "; ";
    for (std::size_t i = 0; i < parts->size(); ++i) {
      out += "tuner_ptx_to[" + std::to_string(i) + "] = " + bits_of(type, (*parts)[i]) + "; ";
    }
    return "{ " + out + "} ";
  }

  Text atomic(const Instruction& one, const std::string& type) const {
    static const std::map<std::string, std::string> kNames{
        {"add", "Add"}, {"min", "Min"}, {"max", "Max"},   {"and", "And"},
        {"or", "Or"},   {"xor", "Xor"}, {"exch", "Exch"}, {"cas", "CAS"}};
    const bool has_result = one.name == "atom";
    const auto which = std::ranges::find_if(
        one.modifiers, [&](const std::string& modifier) { return kNames.contains(modifier); });
    const auto values = values_of(one.operands, has_result ? 2 : 1);
    if (which == one.modifiers.end() || !values || values->empty()) return std::nullopt;
    const Text at = address(one.operands[has_result ? 1 : 0], is_shared(one), type);
    const Text result = has_result ? value_of(one.operands[0]) : Text("");
    if (!at || !result) return std::nullopt;
    std::string out = "atomic" + kNames.at(*which) + "(" + *at;
    for (const std::string& value : *values) out += ", " + bits_of(type, value);
    out += ")";
    return has_result ? stored(*result, out) : out + "; ";
  }

  // Two halves may be put together and taken apart.
  Text move(const Instruction& one, const std::string& type) const {
    if (one.operands.size() != 2) return std::nullopt;
    const auto to = values_of(parts_of(one.operands[0]));
    const auto from = values_of(parts_of(one.operands[1]));
    if (!to || !from || to->size() + from->size() > 3) return std::nullopt;
    if (to->size() == from->size()) return stored((*to)[0], bits_of(type, (*from)[0]));
    const bool is_long = type == "unsigned long long";
    const std::string half = is_long ? "unsigned" : "unsigned short", bits = is_long ? "32" : "16";
    if (to->size() == 1) {
      return stored((*to)[0], "(" + type + ")" + bits_of(half, (*from)[0]) + " | (" + type + ")" +
                                  bits_of(half, (*from)[1]) + " << " + bits);
    }
    const std::string value = bits_of(type, (*from)[0]);
    return "{ const auto tuner_ptx_whole = " + value + "; " +
           stored((*to)[0], "(" + half + ")tuner_ptx_whole") +
           stored((*to)[1], "(" + half + ")(tuner_ptx_whole >> " + bits + ")") + "} ";
  }

  Text converted(const Instruction& one, const Words& types) const {
    const auto values = values_of(one.operands);
    const bool is_usual = has_only(one, "rn rz rni rzi rmi rpi ftz");
    if (!is_usual || !values || values->size() != 2 || types.size() != 2) return std::nullopt;
    std::string value = bits_of(types[1], (*values)[1]);
    if (one.has("rni")) value = "__builtin_rint(" + value + ")";
    if (one.has("rmi")) value = "__builtin_floor(" + value + ")";
    if (one.has("rpi")) value = "__builtin_ceil(" + value + ")";
    return stored((*values)[0], "(" + types[0] + ")" + value);
  }

  Text of_a_warp(const Instruction& one) const {
    const auto values = values_of(one.operands);
    if (!values || values->empty()) return std::nullopt;
    const auto number = [&](std::size_t place) { return bits_of("unsigned", (*values)[place]); };
    if (one.name == "activemask") return stored((*values)[0], "__activemask()");
    if (one.name == "shfl" && values->size() == 5) {
      static const std::map<std::string, std::string> kWays{
          {"up", "_up"}, {"down", "_down"}, {"bfly", "_xor"}, {"idx", ""}};
      const auto way = std::ranges::find_if(
          one.modifiers, [&](const std::string& modifier) { return kWays.contains(modifier); });
      if (way == one.modifiers.end()) return std::nullopt;
      return stored((*values)[0], "__shfl" + kWays.at(*way) + "_sync(" + number(4) + ", " +
                                      number(1) + ", " + number(2) + ", 32 - (" + number(3) +
                                      " >> 8))");
    }
    if (values->size() != 3 || one.modifiers.size() < 2) return std::nullopt;
    const std::string& what = one.modifiers[one.name == "match" ? 0 : 1];
    if (one.name == "vote") {
      return stored((*values)[0], "(unsigned)__" + what + "_sync(" + number(2) + ", " +
                                      bits_of("bool", (*values)[1]) + ")");
    }
    const Words types = types_of(one);
    if (types.empty() || (one.name == "match" && what != "any")) return std::nullopt;
    const std::string function =
        one.name == "match" ? "__match_any_sync" : "__reduce_" + what + "_sync";
    return stored((*values)[0],
                  function + "(" + number(2) + ", " + bits_of(types.back(), (*values)[1]) + ")");
  }

  // "unsigned name[] = {...}; " of what the registers hold.
  static std::string array(const std::string& name, const std::string& type, const Words& values) {
    std::string out = type + " " + name + "[" + std::to_string(values.size()) + "] = {";
    for (const std::string& value : values) out += bits_of(type, value) + ", ";
    return out + "}; ";
  }

  Text matrices(const Instruction& one) const {
    const bool stores = one.name == "stmatrix";
    if (!one.has("m8n8") || !one.has("b16") || one.operands.size() != 2) return std::nullopt;
    const auto parts = values_of(parts_of(one.operands[stores ? 1 : 0]));
    const Text at = address(one.operands[stores ? 0 : 1], true, "void");
    if (!parts || !at) return std::nullopt;
    std::string out = "{ " + array("tuner_ptx_parts", "unsigned", *parts) + "tuner_ptx_matrices<" +
                      (stores ? "true" : "false") + (one.has("trans") ? ", true>(" : ", false>(") +
                      "tuner_ptx_parts, " + *at + "); ";
    for (std::size_t i = 0; i < parts->size() && !stores; ++i) {
      out += stored((*parts)[i], "tuner_ptx_parts[" + std::to_string(i) + "]");
    }
    return out + "} ";
  }

  // mma.sync.aligned.m16n8kK.row.col.D.A.B.C d, a, b, c
  Text product(const Instruction& one) const {
    const Words& all = one.modifiers;
    const auto column = std::ranges::find(all, "col");
    if (all.end() - column < 5 || one.operands.size() != 4 || all[2].substr(0, 5) != "m16n8") {
      return std::nullopt;
    }
    const Words types(column + 1, column + 5);
    static const std::set<std::string> kFactors{"f16", "bf16", "tf32", "s8", "u8"};
    const bool is_packed = types[0] == "f16", is_whole = types[0] == "s32";
    if (types[0] != types[3] || !kFactors.contains(types[1]) || !kFactors.contains(types[2]) ||
        (!is_packed && !is_whole && types[0] != "f32")) {
      return std::nullopt;
    }
    std::vector<Words> values;
    for (const std::string& operand : one.operands) {
      const auto parts = values_of(parts_of(operand));
      if (!parts) return std::nullopt;
      values.push_back(*parts);
    }
    if (values[0].size() != (is_packed ? 2U : 4U) || values[3].size() != values[0].size() ||
        values[1].size() != 2 * values[2].size()) {
      return std::nullopt;
    }
    const std::string sum = is_whole ? "int" : "float", sums = "tuner_ptx_sums";
    std::string out = "{ " + array("tuner_ptx_a", "unsigned", values[1]) +
                      array("tuner_ptx_b", "unsigned", values[2]);
    out += is_packed ? array("tuner_ptx_c", "unsigned", values[3]) + "float " + sums +
                           "[4]; tuner_ptx_unpack(tuner_ptx_c, " + sums + "); "
                     : array(sums, sum, values[3]);
    out += "tuner_ptx_mma<tuner_ptx_" + types[1] + ", tuner_ptx_" + types[2] + ">(" + sums +
           ", tuner_ptx_a, tuner_ptx_b); ";
    for (std::size_t i = 0; i < values[0].size(); ++i) {
      const auto element = [&](std::size_t place) {
        return sums + "[" + std::to_string(place) + "]";
      };
      out += stored(values[0][i], is_packed ? "tuner_ptx_packed(" + element(2 * i) + ", " +
                                                  element(2 * i + 1) + ")"
                                            : element(i));
    }
    return out + "} ";
  }

  // Whether it has no modifiers but types and these: any other one may change the result.
  static bool has_only(const Instruction& one, const std::string& words) {
    const Words known = programs::words_of(words);
    return std::ranges::all_of(one.modifiers, [&](const std::string& modifier) {
      return kTypes.contains(modifier) || std::ranges::find(known, modifier) != known.end();
    });
  }

  // Translates an instruction that computes one value of others.
  Text of_values(const Instruction& one, const Words& types) const {
    const auto values = values_of(one.operands);
    const std::string known = one.name == "cvta"   ? "to global shared local const"
                              : one.name == "setp" ? one.modifiers.front() + " ftz"
                                                   : "lo hi wide rn approx full ftz";
    if (!values || values->size() < 2 || !has_only(one, known)) return std::nullopt;
    const std::string& type = types.front();
    const auto value = [&](std::size_t place) { return bits_of(type, (*values)[place]); };
    if (one.name == "cvta") return stored((*values)[0], value(1));
    if (one.name == "selp" && values->size() == 4) {
      return stored((*values)[0],
                    bits_of("bool", (*values)[3]) + " ? " + value(1) + " : " + value(2));
    }
    if (one.name == "setp" && values->size() == 3) {
      const auto sign = kComparisons.find(one.modifiers.front());
      if (sign == kComparisons.end()) return std::nullopt;
      return stored((*values)[0], value(1) + " " + std::string(sign->second) + " " + value(2));
    }
    const auto function = kFunctions.find(one.name);
    if (function == kFunctions.end() || values->size() != function->second + 1) return std::nullopt;
    if (one.name == "mad" && one.has("wide")) return std::nullopt;
    const char* part = one.has("hi") ? "_hi" : one.has("wide") ? "_wide" : "";
    std::string out = "tuner_ptx_" + one.name + part + "<" + type + ">(";
    for (std::size_t i = 1; i < values->size(); ++i) out += (i > 1 ? ", " : "") + value(i);
    return stored((*values)[0], out + ")");
  }

  const Assembly& from_;
  std::set<std::string> registers_;
};

// Whether it stands in a file of the system's, or in the runtime itself.
bool is_of_the_system(const std::string& text, std::size_t at) {
  const std::size_t marker = text.rfind("\n# ", at);
  const std::size_t open = marker == text.npos ? text.npos : text.find('"', marker);
  const std::string_view file = open == text.npos ? "" : std::string_view(text).substr(open + 1);
  return file.starts_with("/usr/") || file.starts_with("cuda_on_cpu.h");
}

}  // namespace

std::string with_inline_ptx(const std::string& preprocessed) {
  const std::vector<Piece> pieces = pieces_of(preprocessed);
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; at + 1 < pieces.size(); ++at) {
    const auto is = [&](std::size_t place, const char* words) {
      const Words all = programs::words_of(words);
      return place < pieces.size() && std::ranges::find(all, pieces[place].text) != all.end();
    };
    if (!is(at, "asm __asm__ __asm")) continue;
    std::size_t open = at + 1;
    while (is(open, "volatile __volatile__ __volatile")) ++open;
    if (!is(open, "(") || is_of_the_system(preprocessed, pieces[at].at)) continue;
    const Piece& close = pieces[behind_closing(pieces, open) - 1];
    const std::size_t from = pieces[at].at, end = close.at + close.text.size();
    out.append(preprocessed, copied, from - copied)
        .append(Statement(inline_assembly::assembly_at(preprocessed, pieces, open)).text())
        .append(lines_in(std::string_view(preprocessed).substr(from, end - from)));
    copied = end;
  }
  return out.append(preprocessed, copied);
}

}  // namespace tuner::cpu
