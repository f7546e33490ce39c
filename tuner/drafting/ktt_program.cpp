// Finds a KTT program's calls, and says what they add up to for each kernel.

#include "tuner/drafting/ktt_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>

#include "tuner/base/text.h"
#include "tuner/drafting/launch_hint.h"
#include "tuner/drafting/live_code.h"

namespace tuner {
namespace {

constexpr int kMostNames = 8;  // from a name to what it stands for
constexpr std::size_t kMostValues = 10000;

using ThreeAxes = std::array<std::string, 3>;
using Numbers = std::map<std::string, std::int64_t>;

struct Call {
  std::string name;    // as KTT 2 has it
  std::string result;  // the variable that it sets
  std::vector<Tokens> given;
  std::size_t at = 0;  // of its name, among the body's tokens
};

struct Function {
  std::vector<std::string> parameters;
  Tokens body;
};

// The key of a study in place of a call that is not taken; empty: the call changes no study.
std::string key_for(const std::string& call) {
  const std::pair<const char*, const char*> all[] = {
      {"reference", "SetReferenceKernel SetReferenceComputation SetReferenceArgument"},
      {"verify", "SetValidationMethod SetValidationRange SetValueComparator"},
      {"launch", "SetLauncher AddScriptThreadModifier"},
      {"launch: then", "CreateCompositeKernel"},
      {"constants", "AddArgumentSymbol"},
      {"constraints", "AddGenericConstraint AddScriptConstraint"},
      {"parameters", "AddScriptParameter"},
      {"options", "SetCompilerOptions"},
      {"search", "SetSearcher SetProfileBasedSearcher"}};
  for (const auto& [key, calls] : all) {
    if (is_one_of(calls, call)) return key;
  }
  return {};
}

std::string_view last_word(Tokens tokens) {
  return tokens.empty() ? std::string_view() : tokens.back().text;
}

// ---- calls --------------------------------------------------------------------------------------

// Gives a call of KTT 1 the name and the order of KTT 2.
void modernise(Call& call) {
  call.name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(call.name[0])));
  if (call.name == "AddKernelFromFile" && call.given.size() > 1) {
    call.name = "AddKernelDefinitionFromFile";
    std::swap(call.given[0], call.given[1]);
  } else if (call.name == "SetThreadModifier" && !call.given.empty()) {
    call.name = "AddThreadModifier";
    call.given.insert(call.given.begin() + 1, Tokens());
  } else if (call.name == "SetKernelArguments") {
    call.name = "SetArguments";
  } else if (call.name == "SetTuningManipulator") {
    call.name = "SetLauncher";
  }
}

// "x[1] = tuner.Name<T>(..)" at Name.
std::optional<Call> call_at(Tokens code, std::size_t at) {
  if (at < 2 || !code[at].is_word() || !(code[at - 1].is(".") || code[at - 1].is("->"))) {
    return std::nullopt;
  }
  std::size_t open = at + 1;
  if (open < code.size() && code[open].is("<")) open = behind_angles(code, open);
  if (open == 0 || open >= code.size() || !code[open].is("(")) return std::nullopt;
  Call out{std::string(code[at].text), "", items(code, open), at};
  if (at > 3 && code[at - 3].is("=")) {
    std::size_t from = at - 4;
    while (from > 0 && code[at - 4].is("]") && !code[from].is("[")) --from;
    if (code[at - 4].is("]") && from > 0) --from;
    out.result = joined(code.subspan(from, at - 3 - from));
  }
  modernise(out);
  return out;
}

// Returns the code that is compiled for CUDA; KTT's own examples ask for that by a macro.
std::string compiled(const std::string& text) {
  const std::string macro = "KTT_CUDA_EXAMPLE";
  return live_code(replaced(text, macro, "1" + std::string(macro.size() - 1, ' ')));
}

class Program {
 public:
  explicit Program(const SourceText& program)
      : file_(program.name), text_(compiled(program.text)), source_(text_) {
    for (const Declaration& one : source_.declarations) {
      std::vector<Call> calls;
      for (std::size_t at = 0; at < one.body.size(); ++at) {
        if (auto call = call_at(one.body, at)) calls.push_back(*call);
      }
      const bool defines = std::ranges::any_of(
          calls, [](const Call& call) { return call.name.starts_with("AddKernelDefinition"); });
      if (!defines) continue;
      frame_ = {one.body, one.body, {}, {}};
      calls_ = std::move(calls);
      return;
    }
  }

  ReadScript read() const {
    ReadScript out;
    const auto tunes = [](const Call& one) { return one.name == "AddParameter"; };
    const bool has_parameters = std::ranges::any_of(calls_, tunes);
    for (const Call& one : calls_) {
      if (!one.name.starts_with("AddKernelDefinition") || one.given.size() < 4) continue;
      TunerScript script = script_of(one);
      const bool is_tuned = !script.parameters.empty() || !script.unknown.empty();
      if (has_parameters && !is_tuned) continue;  // a reference
      const std::filesystem::path file = string_of(one.given[1]);
      if (one.name.ends_with("FromFile")) {
        out.sources.push_back(file.filename());
        out.sources.push_back(file);
      }
      out.calls.push_back(std::move(script));
    }
    for (const Token& token : source_.tokens) {  // R"(..)"
      if (!out.kernel.empty() || token.text.find("__global__") == token.text.npos) continue;
      const std::size_t from = token.text.find('(') + 1;
      if (token.text.starts_with("R\"")) {
        out.kernel = token.text.substr(from, token.text.rfind(')') - from);
        out.kernel.erase(0, out.kernel.find_first_not_of('\n'));
      }
    }
    return out;
  }

 private:
  TunerScript script_of(const Call& definition) const {
    std::vector<std::string> kernels{definition.result};  // as KTT 1 calls them, and as KTT 2 does
    const std::string all = definition.result.substr(0, definition.result.find(' '));
    for (const Call& one : calls_) {
      const bool creates = one.name == "CreateSimpleKernel" || one.name == "CreateCompositeKernel";
      if (!creates || one.given.size() < 2) continue;
      if (mentions(one.given[1], all)) kernels.push_back(one.result);
    }
    TunerScript out;
    out.kernel = string_of(definition.given[0]);
    ThreeAxes grid = axes(definition.given[2]), block = axes(definition.given[3]);
    const Call* place = &definition;
    bool is_opencl = false;
    for (const Call& one : calls_) {
      const std::string of = one.given.empty() ? "" : joined(one.given[0]);
      const bool is_its = std::ranges::find(kernels, of) != kernels.end();
      if (one.name == "SetGlobalSizeType") is_opencl = of.ends_with("OpenCL");
      if (one.name == "SetArguments" && of == definition.result) place = &one;
      if (one.name == "AddParameter" && is_its) take_parameter(one, out);
      if (one.name == "AddConstraint" && is_its) take_constraint(one, out);
      if (one.name == "AddThreadModifier" && is_its && one.given.size() > 4) {
        take_modifier(one, definition.result, grid, block, out);
      }
      take_setting(one, out);
    }
    for (std::size_t axis = 0; is_opencl && axis < 3; ++axis) {
      grid[axis] = shared_out(grid[axis], block[axis]);
    }
    out.place = place_of(*place);
    take_launch(definition, *place, grid, block, out);
    return out;
  }

  // Says how many blocks have so many threads along an axis.
  static std::string shared_out(const std::string& threads, const std::string& block) {
    const std::string factor = " * " + block + ")";
    if (block == "1") return threads;
    if (threads == block) return "1";
    if (!threads.ends_with(factor)) return fmt::format("ceil_div({}, {})", threads, block);
    return threads.substr(1, threads.size() - factor.size() - 1);
  }

  // ---- what is said of one kernel ---------------------------------------------------------------

  void take_parameter(const Call& call, TunerScript& out) const {
    if (call.given.size() < 3) return;
    const std::string name = string_of(call.given[1]);
    const auto has = [&](const auto& one) { return one.first == name; };
    if (std::ranges::any_of(out.parameters, has)) return;
    const std::vector<std::int64_t> values = numbers(call.given[2]);
    if (!values.empty()) {
      out.parameters.emplace_back(name, values);
      out.given[name] = "AddParameter, " + place_of(call);
    } else {
      out.unknown.push_back(name);
      out.left_out.push_back("the values of " + name);
    }
  }

  void take_constraint(const Call& call, TunerScript& out) const {
    if (call.given.size() < 3) return;
    const std::vector<std::string> names = texts(call.given[1]);
    const std::string said = returned(call.given[2], names, "");
    const std::vector<Token> words = tokens_of(said);
    const Meaning meaning = [&](const std::string& name) -> std::optional<std::string> {
      if (std::ranges::find(names, name) != names.end()) return name;
      return meaning_of(name, {}, 0);
    };
    const auto rule =
        said.empty() ? std::nullopt : study_expression(expanded(words, source_.callables), meaning);
    if (rule) return out.restrictions.push_back(*rule);
    const std::string at = place_of(call);
    const auto function = function_of(call.given[2]);
    out.left_out.push_back(fmt::format("the constraint of {} in {}", fmt::join(names, ", "), at));
    out.remarks.push_back(fmt::format("{}, of {}: {}", at, fmt::join(names, ", "),
                                      as_written(function ? function->body : call.given[2])));
  }

  void take_modifier(const Call& call, const std::string& id, ThreeAxes& grid, ThreeAxes& block,
                     TunerScript& out) const {
    const std::string of = joined(call.given[1]);  // "{ a , b [ 0 ] }", or a variable
    if (!of.empty() && of.find(id) == of.npos && of != id.substr(0, id.find(' '))) return;
    const std::string axis(last_word(call.given[3]));
    if (axis.empty() || axis.back() < 'X' || axis.back() > 'Z') return;
    const bool is_local = last_word(call.given[2]) == "Local";
    std::string& extent = (is_local ? block : grid)[static_cast<std::size_t>(axis.back() - 'X')];
    const std::vector<std::string> names = texts(call.given[4]);
    const Tokens how = call.given.size() > 5 ? call.given[5] : Tokens();
    const std::map<std::string_view, const char*> forms{
        {"Multiply", "({} * {})"}, {"Divide", "({} / {})"}, {"DivideCeil", "ceil_div({}, {})"}};
    const auto form = forms.find(last_word(how));
    std::string now = form == forms.end() ? returned(how, names, extent) : "";
    if (!now.empty()) now = "(" + now + ")";
    if (form != forms.end() && !names.empty()) {
      const bool is_first = extent == "1" && form->first == "Multiply";
      now = fmt::format(fmt::runtime(is_first ? "{1}" : form->second), extent, names.front());
    }
    if (!now.empty()) {
      extent = now;
    } else {
      out.left_out.push_back(fmt::format("the {} along {} in {}", is_local ? "block" : "grid",
                                         axis.back(), place_of(call)));
    }
  }

  void take_setting(const Call& call, TunerScript& out) const {
    const std::string key = key_for(call.name);
    if (key.empty()) return;
    if (call.name == "SetCompilerOptions" && !call.given.empty()) {
      std::istringstream all(string_of(call.given[0]));
      const std::vector<std::string> options{std::istream_iterator<std::string>(all), {}};
      const auto is_taken = [](const std::string& one) {
        return one.starts_with("-D") || one.find("-std=") < 2 || one.ends_with("-use_fast_math");
      };
      out.options = options;
      if (std::ranges::all_of(options, is_taken)) return;
      out.options.clear();
    }
    if (call.name == "SetValidationMethod" && call.given.size() > 1) {
      const bool is_number =
          !call.given[1].empty() && call.given[1][0].kind == Token::Kind::kNumber;
      const std::string said = joined(call.given[1]), how(last_word(call.given[0]));
      const std::string most = said.substr(0, said.find('f'));
      const bool is_relative = how == "SideBySideRelativeComparison";
      if (is_number && (is_relative || how == "SideBySideComparison")) {
        out.tolerance = is_relative ? fmt::format("{{rtol: {}, atol: 1e-4}}", most)
                                    : fmt::format("{{rtol: 0, atol: {}}}", most);
        out.tolerance += "  # " + call.name + ", " + place_of(call);
        return;
      }
    }
    const std::string said = fmt::format("{} ({})", call.name, key);
    if (std::ranges::count(out.not_taken, said) == 0) out.not_taken.push_back(said);
  }

  // Says as host code how the kernel is launched, behind the call that gives it its arguments.
  void take_launch(const Call& definition, const Call& place, const ThreeAxes& grid,
                   const ThreeAxes& block, TunerScript& out) const {
    std::string before, passed, shared;
    const bool has_ids = place.name == "SetArguments" && place.given.size() > 1;
    std::size_t count = 0;
    for (const Tokens id : has_ids ? list(place.given[1]) : std::vector<Tokens>()) {
      const auto argument = std::ranges::find(calls_, joined(id), &Call::result);
      const bool is_known = argument != calls_.end() && !argument->given.empty();
      const Tokens given = is_known ? argument->given[0] : Tokens();
      std::string said = is_known ? joined(given) : "?";
      if (is_known && argument->name == "AddArgumentLocal") {
        shared += (shared.empty() ? ", " : " + ") + said;
        continue;
      }
      const std::size_t open = index_of(given, "(");
      if (mentions(given, "vector") && open < given.size()) {  // made for the call
        said = fmt::format("ktt_argument{}", count);
        before += joined(given.first(open)) + said + joined(given.subspan(open)) + "; ";
      }
      if (is_known && argument->given.size() > 1 && last_word(argument->given[1]) == "ReadOnly") {
        out.inputs.insert(count);
      }
      passed += (count++ == 0 ? "" : ", ") + said;
    }
    const auto dimensions = [](const ThreeAxes& axes) {
      const std::string plane = axes[0] + (axes[2] == "1" && axes[1] == "1" ? "" : ", " + axes[1]);
      return "dim3(" + plane + (axes[2] == "1" ? ")" : ", " + axes[2] + ")");
    };
    std::string types;
    if (definition.given.size() > 4) {
      types = fmt::format("<{}>", fmt::join(texts(definition.given[4]), ", "));
    }
    const std::string launch =
        fmt::format(" {}{}{}<<<{}, {}{}>>>({});", before, string_of(definition.given[0]), types,
                    dimensions(grid), dimensions(block), shared, passed);
    const std::size_t end = index_of(frame_.body, ";", place.at);
    out.host = {file_, text_};
    if (end < frame_.body.size()) out.host.text.insert(frame_.body[end].at + 1, launch);
  }

  // ---- C++ --------------------------------------------------------------------------------------

  std::string place_of(const Call& call) const {
    return fmt::format("line {} of {}", source_.line_of(frame_.body[call.at]),
                       std::filesystem::path(file_).filename().string());
  }

  // Finds the expression that a variable of the function, or a constant of the program, is set to.
  Tokens set_to(const std::string& name) const {
    const Tokens set = set_above(frame_, name);
    const auto constant = source_.computed.find(name);
    return set.empty() && constant != source_.computed.end() ? Tokens(constant->second) : set;
  }

  // The text of the program, in one line.
  std::string as_written(Tokens tokens) const {
    if (tokens.empty()) return {};
    const std::size_t from = tokens.front().at, to = tokens.back().at + tokens.back().text.size();
    std::istringstream words(text_.substr(from, to - from));
    return fmt::format("{}", fmt::join(std::istream_iterator<std::string>(words),
                                       std::istream_iterator<std::string>(), " "));
  }

  // Returns the text in quotes that an expression adds up to, names seen through.
  std::string string_of(Tokens tokens, int depth = 0) const {
    std::string out;
    for (const Token& token : tokens) {
      const bool is_text = token.kind == Token::Kind::kQuoted && token.text.size() > 1;
      if (is_text) out += token.text.substr(1, token.text.size() - 2);
      if (!token.is_word() || depth > kMostNames) continue;
      out += string_of(set_to(std::string(token.text)), depth + 1);
    }
    return out;
  }

  // Lists the pieces of "{a, b}", or of a variable that is set to it.
  std::vector<Tokens> list(Tokens tokens) const {
    const std::size_t open = index_of(tokens, "{");
    if (open < tokens.size()) return items(tokens, open);
    const Tokens body = frame_.body;
    std::vector<Tokens> out;
    for (std::size_t at = 0; tokens.size() == 1 && at + 2 < body.size(); ++at) {
      if (!body[at].is(tokens[0].text)) continue;
      const Tokens set = part_before(body.subspan(at + 1), ";");
      const std::size_t brace = index_of(set, "{");
      const bool is_set = !set.empty() && (set[0].is("{") || (set[0].is("=") && set.size() > 1));
      if (is_set && brace < set.size()) out = items(set, brace);
    }
    return out;
  }

  std::vector<std::string> texts(Tokens tokens) const {
    std::vector<std::string> out;
    if (tokens.size() == 1 && tokens[0].kind == Token::Kind::kQuoted) return {string_of(tokens)};
    for (const Tokens one : list(tokens)) out.push_back(string_of(one));
    return out;
  }

  std::optional<std::string> meaning_of(const std::string& name, const Numbers& known,
                                        int depth) const {
    const auto given = known.find(name);
    if (given != known.end()) return std::to_string(given->second);
    const Tokens set = set_to(name);
    const auto value =
        depth < kMostNames && !set.empty() ? number(set, known, depth + 1) : std::nullopt;
    if (value) return std::to_string(*value);
    const auto constant = source_.numbers.find(name);
    if (constant == source_.numbers.end()) return std::nullopt;
    return std::to_string(constant->second);
  }

  std::optional<std::int64_t> number(Tokens tokens, const Numbers& known = {},
                                     int depth = 0) const {
    const auto text =
        study_expression(expanded(tokens, source_.callables),
                         [&](const std::string& name) { return meaning_of(name, known, depth); });
    return text ? constant_value(*text) : std::nullopt;
  }

  // Evaluates a list: {1, 2}, or a variable that is one or that a loop appends to. Empty where it
  // has something else.
  std::vector<std::int64_t> numbers(Tokens tokens) const {
    std::vector<std::int64_t> out;
    for (const Tokens one : list(tokens)) {
      const auto value = number(one);
      if (!value) return {};
      out.push_back(*value);
    }
    const bool is_name = out.empty() && tokens.size() == 1 && tokens[0].is_word();
    return is_name ? appended(tokens[0].text) : out;
  }

  // Lists what "name.push_back(..)" appends in loops.
  std::vector<std::int64_t> appended(std::string_view name) const {
    const Tokens body = frame_.body;
    std::vector<std::int64_t> out;
    for (std::size_t at = 0, loop = 0; at + 3 < body.size(); ++at) {
      if (body[at].is("for")) loop = at;
      if (!body[at].is(name) || !body[at + 1].is(".") || !body[at + 2].is("push_back")) continue;
      if (at >= behind_statement(body, loop)) return {};
      const auto more = counted(inside(body, loop + 1), inside(body, at + 3));
      out.insert(out.end(), more.begin(), more.end());
    }
    return out;
  }

  // Evaluates an element in each round of "i = 1; i <= 8; i *= 2".
  std::vector<std::int64_t> counted(Tokens head, Tokens element) const {
    const Tokens first = part_before(head, ";"), rest = part_behind(head, ";");
    const Tokens condition = part_before(rest, ";"), step = part_behind(rest, ";");
    const std::size_t equal = index_of(first, "=");
    if (equal == 0 || equal == first.size()) return {};
    const std::string name(first[equal - 1].text);
    const std::string change = step.size() == 3
                                   ? name + " + 1"
                                   : fmt::format("{} ({})", joined(part_before(step, "=")),
                                                 joined(part_behind(step, "=")));
    const std::vector<Token> next = tokens_of(change);
    Numbers known;
    std::vector<std::int64_t> out;
    for (auto now = number(first.subspan(equal + 1)); now; now = number(next, known)) {
      if (known.contains(name) && *now <= known[name]) return {};
      known[name] = *now;
      const auto goes_on = number(condition, known), value = number(element, known);
      if (!goes_on || !value || out.size() > kMostValues) return {};
      if (*goes_on == 0) return out;
      out.push_back(*value);
    }
    return {};
  }

  // "DimensionVector(a, b)", "{a, b}" and variables of the type, as C++.
  ThreeAxes axes(Tokens tokens, int depth = 0) const {
    ThreeAxes out{"1", "1", "1"};
    std::vector<Tokens> pieces;
    const std::size_t open = std::min(index_of(tokens, "{"), index_of(tokens, "("));
    if (open < tokens.size()) {
      pieces = items(tokens, open);
    } else if (tokens.size() == 1 && depth < kMostNames) {
      const Tokens body = frame_.body;
      for (std::size_t at = 1; at + 1 < body.size(); ++at) {
        if (!body[at].is(tokens[0].text) || !body[at - 1].is("DimensionVector")) continue;
        if (opens(body[at + 1])) pieces = items(body, at + 1);
      }
      const Tokens set = set_above(frame_, std::string(tokens[0].text));
      if (pieces.empty() && !set.empty()) return axes(set, depth + 1);
    }
    for (std::size_t i = 0; i < std::min(pieces.size(), out.size()); ++i) {
      out[i] = pieces[i].size() == 1 ? joined(pieces[i]) : "(" + joined(pieces[i]) + ")";
    }
    return out;
  }

  // ---- functions --------------------------------------------------------------------------------

  // A lambda, a variable that is one, or a function of the program.
  std::optional<Function> function_of(Tokens given) const {
    Tokens lambda = given;
    const Tokens code = source_.code;
    for (std::size_t at = 0; !given.empty() && given[0].is_word() && at + 2 < code.size(); ++at) {
      const bool is_set = code[at].is(given[0].text) && code[at + 1].is("=");
      if (is_set && code[at + 2].is("[")) lambda = code.subspan(at + 2);
    }
    for (const Declaration& one : source_.declarations) {
      if (!given.empty() && !one.body.empty() && last_name(one.name) == given[0].text) {
        return Function{names_of(pieces_between_commas(one.parameters)), one.body};
      }
    }
    if (lambda.empty() || !lambda[0].is("[")) return std::nullopt;
    const std::size_t open = behind_closing(lambda, 0), brace = index_of(lambda, "{", open);
    if (brace >= lambda.size() || !lambda[open].is("(")) return std::nullopt;
    return Function{names_of(items(lambda, open)), inside(lambda, brace)};
  }

  static std::vector<std::string> names_of(const std::vector<Tokens>& parameters) {
    std::vector<std::string> out;
    for (const Tokens one : parameters) out.push_back(parameter_of(one).name);
    return out;
  }

  // Says what a function returns as an expression of C++, names in the place of the elements of its
  // last parameter, and `size` in that of the first of two. Empty: it is more than an expression.
  std::string returned(Tokens given, const std::vector<std::string>& names,
                       const std::string& size) const {
    const auto function = function_of(given);
    if (!function || function->parameters.empty()) return {};
    std::string code = result_of(function->body);
    for (int step = 0; step < kMostNames; ++step) code = with_locals(code, *function);
    std::string out;
    const std::vector<Token> tokens = tokens_of(code);
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      if (tokens[at].is(function->parameters.back())) {
        const std::size_t open =
            index_of(tokens, at + 1 < tokens.size() && tokens[at + 1].is(".") ? "(" : "[", at);
        const auto place = open < tokens.size() ? number(inside(tokens, open)) : std::nullopt;
        if (!place || *place < 0 || *place >= static_cast<std::int64_t>(names.size())) return {};
        out += names[static_cast<std::size_t>(*place)] + " ";
        at = behind_closing(tokens, open) - 1;
      } else if (function->parameters.size() > 1 && tokens[at].is(function->parameters.front())) {
        out += "(" + size + ") ";
      } else {
        out += std::string(tokens[at].text) + " ";
      }
    }
    return out;
  }

  // Puts what the function's own variables are set to in their place.
  static std::string with_locals(const std::string& code, const Function& function) {
    std::string out;
    for (const Token& token : tokens_of(code)) {
      const std::string word(token.text);
      const Tokens set = token.is_word() ? initialiser_of(function.body, word) : Tokens();
      out += set.empty() ? word + " " : "(" + joined(set) + ") ";
    }
    return out;
  }

  // "if (c) {return a;} return b;" as one expression.
  static std::string result_of(Tokens body) {
    for (std::size_t at = 0; at < body.size(); at = behind_statement(body, at)) {
      if (body[at].is("return")) return joined(part_before(body.subspan(at + 1), ";"));
      if (is_one_of("for while do switch", body[at].text)) return {};
      if (!body[at].is("if")) continue;
      const std::size_t open = at + (body[at + 1].is("constexpr") ? 2 : 1);
      const std::size_t then = behind_closing(body, open);
      const std::size_t next = then < body.size() && body[then].is("{")
                                   ? behind_closing(body, then)
                                   : behind_statement(body, then);
      const bool has_else = next < body.size() && body[next].is("else");
      const auto branch = [](Tokens code) {
        return result_of(!code.empty() && code[0].is("{") ? inside(code, 0) : code);
      };
      const std::string yes = branch(body.subspan(then, next - then));
      const std::string no = branch(body.subspan(std::min(body.size(), next + (has_else ? 1 : 0))));
      if (yes.empty() || no.empty()) return {};
      return fmt::format("(({}) ? ({}) : ({}))", joined(inside(body, open)), yes, no);
    }
    return {};
  }

  std::string file_, text_;
  FoundSource source_;
  HostFrame frame_;
  std::vector<Call> calls_;
};

}  // namespace

ReadScript read_ktt_program(const SourceText& program) { return Program(program).read(); }

}  // namespace tuner
