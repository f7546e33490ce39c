// Reads a script of Kernel Tuner's, and says its launch as host code, which drafts know how to
// read.

#include "tuner/drafting/tuner_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "tuner/base/text.h"
#include "tuner/drafting/python_text.h"
#include "tuner/expression/expression.h"
#include "tuner/source/tokens.h"

namespace tuner {
namespace {

class Call {
 public:
  Call(const PythonNames& names, const std::vector<Pieces>& given) : names_(names) {
    static constexpr std::array<std::string_view, 10> kInOrder{
        "kernel_name", "kernel_source", "problem_size", "arguments",    "tune_params",
        "grid_div_x",  "grid_div_y",    "grid_div_z",   "restrictions", "answer"};
    for (std::size_t n = 0; n < given.size(); ++n) {
      const Pieces& one = given[n];
      const bool has_name = one.size() > 1 && one[0].kind == Piece::Kind::kWord && one[1].is("=");
      if (has_name) {
        given_[one[0].text] = {one.begin() + 2, one.end()};
      } else if (n < kInOrder.size()) {
        given_[std::string(kInOrder[n])] = one;
      }
    }
  }

  std::string kernel() const {
    const auto name = names_.texts(of("kernel_name"));
    return name && name->size() == 1 ? name->front().substr(0, name->front().find('<')) : "";
  }

  void take_space(TunerScript& out) const {
    for (const auto& [name, values] : names_.entries(of("tune_params"))) {
      const auto numbers = names_.numbers(values);
      if (numbers && !numbers->empty()) {
        out.parameters.emplace_back(name, *numbers);
      } else {
        out.unknown.push_back(name);
        out.left_out.push_back("the values of " + name);
      }
    }
    if (of("restrictions").empty()) return;
    const auto texts = names_.texts(of("restrictions"));
    if (texts) out.restrictions = *texts;
    if (!texts) out.left_out.emplace_back("restrictions");
  }

  // The launch, behind what its names are set to; empty where its grid is not literal.
  std::string host_code(const std::string& kernel, const TunerScript& script) const {
    const auto has = [&](const std::string& name) {
      return std::ranges::any_of(script.parameters,
                                 [&](const auto& one) { return one.first == name; });
    };
    auto block_names = names_.texts(of("block_size_names")).value_or(std::vector<std::string>{});
    for (std::size_t axis = block_names.size(); axis < 3; ++axis) {
      block_names.push_back(fmt::format("block_size_{}", "xyz"[axis]));
    }
    std::string grid, block;
    const std::vector<Pieces> sizes = axes_of_problem();
    for (std::size_t axis = 0; axis < sizes.size() && axis < 3; ++axis) {
      const std::string& name = block_names[axis];
      const auto extent = extent_of_grid(sizes[axis], axis, has(name) ? name : "");
      if (!extent) return {};
      grid += (axis == 0 ? "" : ", ") + *extent;
    }
    for (std::size_t axis = 0; axis < 3 && has(block_names[axis]); ++axis) {
      block += (axis == 0 ? "" : ", ") + block_names[axis];
    }
    if (block.empty()) block = "256";
    std::string buffers;
    const std::string arguments = arguments_and(buffers);
    return fmt::format(
        "void tune_{}() {{{}{} dim3 grid({}); dim3 block({}); {}<<<grid, block>>>({}); }}", kernel,
        numbers_in_cpp(), buffers, grid, block, kernel, arguments);
  }

 private:
  Pieces of(const std::string& name) const {
    const auto known = given_.find(name);
    return known == given_.end() || (known->second.size() == 1 && known->second[0].is("None"))
               ? Pieces{}
               : known->second;
  }

  std::string numbers_in_cpp() const {
    std::string out;
    for (const auto& [name, value] : names_.all()) {
      const auto number = names_.number(value);
      if (!number) continue;
      out +=
          fmt::format(" const int {} = {};", name, said(value).value_or(std::to_string(*number)));
    }
    return out;
  }

  std::string arguments_and(std::string& buffers) const {
    std::string out;
    const Pieces given = names_.resolved(of("arguments"));
    if (given.empty() || !given[0].is("[")) return out;
    for (const Pieces& one : python_items(given, 0)) {
      const auto elements = elements_of(one, 0);
      const std::string& name = one[0].text;
      if (elements) buffers += fmt::format(" float* {} = new float[{}];", name, *elements);
      out += (out.empty() ? "" : ", ") + (elements ? name : said(one).value_or("?"));
    }
    return out;
  }

  std::vector<Pieces> axes_of_problem() const {
    const Pieces size = names_.resolved(of("problem_size"));
    if (!size.empty() && (size[0].is("(") || size[0].is("["))) return python_items(size, 0);
    return {of("problem_size")};
  }

  std::optional<std::string> extent_of_grid(const Pieces& size, std::size_t axis,
                                            const std::string& block) const {
    const Pieces value = names_.resolved(size);
    const bool is_text = value.size() == 1 && value[0].kind == Piece::Kind::kText;
    const auto whole = is_text ? value[0].text : said(size);
    const Pieces given = of(fmt::format("grid_div_{}", "xyz"[axis]));
    const auto divisors = given.empty()
                              ? std::vector<std::string>{}
                              : names_.texts(given).value_or(std::vector<std::string>{"?"});
    if (!whole) return std::nullopt;
    std::string product = given.empty() ? block : "";
    for (const std::string& one : divisors) {
      if (one == "?") return std::nullopt;  // a function
      product += (product.empty() ? "" : " * ") +
                 (one.find_first_of("+-/") == one.npos ? one : "(" + one + ")");
    }
    return product.empty() ? *whole : fmt::format("ceil_div({}, {})", *whole, product);
  }

  // In C++, names of numbers as they stand; nothing for what is no number.
  std::optional<std::string> said(const Pieces& pieces) const {
    const bool is_float = pieces.size() > 1 && std::ranges::any_of(pieces, [](const Piece& one) {
                            return one.text.starts_with("float");
                          });
    if (is_float) return pieces.rbegin()[1].text;  // numpy.float32(2.5)
    const auto number = names_.number(pieces);
    if (!number) return names_.all().contains(pieces[0].text) ? said_of_name(pieces) : std::nullopt;
    const Pieces value = pieces.size() == 1 ? names_.resolved(pieces) : Pieces{};
    const bool is_other_name = value.size() > 3 && value.back().is(")") &&
                               value.rbegin()[2].is("(") &&
                               names_.all().contains(value.rbegin()[1].text);
    if (is_other_name) return said({value.rbegin()[1]});  // n = numpy.int32(size)
    if (pieces.size() > 3 && pieces.back().is(")") && pieces[0].kind == Piece::Kind::kWord) {
      const auto open = std::ranges::find_if(pieces, [](const Piece& one) { return one.is("("); });
      const bool is_cast = (open - 1)->text.find("int") != std::string::npos;
      return is_cast ? said({open + 1, pieces.end() - 1}) : std::to_string(*number);
    }
    std::string out;
    for (const Piece& one : pieces) {
      const bool is_known = one.kind != Piece::Kind::kWord || names_.all().contains(one.text);
      if (!is_known || is_one_of("// ** [ .", one.text)) return std::to_string(*number);
      out += one.text;
    }
    return out;
  }

  std::optional<std::string> said_of_name(const Pieces& pieces) const {
    const Pieces value = names_.resolved(pieces);
    return pieces.size() == 1 && value.size() > 1 ? said(value) : std::nullopt;
  }

  // "numpy.zeros(n).astype(numpy.float32)", "numpy.zeros((h, w))", "numpy.random.randn(*size)",
  // "numpy.zeros_like(x)" (what x has), and names of these.
  std::optional<std::string> elements_of(const Pieces& pieces, int depth) const {
    const Pieces value = names_.resolved(pieces);
    for (std::size_t at = 1; at + 1 < value.size() && depth < 8; ++at) {
      if (!value[at].is("(")) continue;
      const std::string& function = value[at - 1].text;
      const auto items = python_items(value, at);
      if (items.empty()) return std::nullopt;
      if (function.ends_with("_like") || function == "copy")
        return elements_of(items[0], depth + 1);
      if (!is_one_of("zeros ones empty full rand randn random", function)) return std::nullopt;
      Pieces size = items[0];
      if (size[0].is("*")) size.erase(size.begin());
      if (const Pieces axes = names_.resolved(size); axes[0].is("(")) return product_of(axes);
      return said(size);
    }
    return std::nullopt;
  }

  std::optional<std::string> product_of(const Pieces& axes) const {
    std::string out;
    for (const Pieces& one : python_items(axes, 0)) {
      const auto factor = said(one);
      if (!factor) return std::nullopt;
      out += (out.empty() ? "" : " * ") + *factor;
    }
    return out.empty() ? std::nullopt : std::optional(out);
  }

  const PythonNames& names_;
  std::map<std::string, Pieces> given_;
};

}  // namespace

std::optional<TunerScript> read_tuner_script(const SourceText& script,
                                             const std::vector<std::string>& kernels) {
  PythonNames names;
  for (const Pieces& statement : python_statements(script.text)) {
    const auto call =
        std::ranges::find_if(statement, [](const Piece& one) { return one.is("tune_kernel"); });
    const auto open = static_cast<std::size_t>(call - statement.begin()) + 1;
    if (open >= statement.size() || !statement[open].is("(")) {
      names.take(statement);
      continue;
    }
    const Call found(names, python_items(statement, open));
    TunerScript out;
    out.kernel = found.kernel();
    if (std::ranges::find(kernels, out.kernel) == kernels.end()) continue;
    out.place = fmt::format("line {} of {}", call->line,
                            std::filesystem::path(script.name).filename().string());
    found.take_space(out);
    out.host.name = script.name;
    out.host.text = std::string(static_cast<std::size_t>(call->line - 1), '\n') +
                    found.host_code(out.kernel, out);
    return out;
  }
  return std::nullopt;
}

std::vector<std::int64_t> first_valid(const TunerScript& script) {
  constexpr int kMostTried = 100000;
  std::vector<Expression> rules;
  for (const std::string& one : script.restrictions) {
    if (const auto rule = Expression::parse(one)) rules.push_back(*rule);
  }
  std::vector<std::size_t> at(script.parameters.size(), 0);
  Bindings values;
  const auto bind = [&] {
    for (std::size_t i = 0; i < at.size(); ++i) {
      values[script.parameters[i].first] = script.parameters[i].second[at[i]];
    }
  };
  const auto holds = [&](const Expression& rule) {
    const auto value = rule.evaluate(values);
    return !value || truth(*value);  // of what a study knows and this does not nothing is said
  };
  const auto advance = [&] {
    for (std::size_t i = at.size(); i-- > 0; at[i] = 0) {
      if (++at[i] < script.parameters[i].second.size()) return true;
    }
    return false;
  };
  bind();
  for (int tried = 0; !std::ranges::all_of(rules, holds) && tried < kMostTried && advance();
       ++tried) {
    bind();
  }
  std::vector<std::int64_t> out;
  for (const auto& [name, of_it] : script.parameters) {
    out.push_back(std::get<std::int64_t>(values.at(name)));
  }
  return out;
}

std::vector<std::string> sources_named_in(const std::string& script) {
  std::vector<std::string> out;
  for (const Pieces& statement : python_statements(script)) {
    for (const Piece& one : statement) {
      const bool is_source = one.kind == Piece::Kind::kText &&
                             one.text.find('\n') == one.text.npos &&
                             (one.text.ends_with(".cu") || one.text.ends_with(".cl"));
      if (is_source) out.push_back(one.text);
    }
  }
  return out;
}

std::string kernel_written_in(const std::string& script) {
  for (const Pieces& statement : python_statements(script)) {
    for (const Piece& one : statement) {
      const bool is_kernel = one.text.find("__global__") != one.text.npos;
      if (one.kind != Piece::Kind::kText || !is_kernel) continue;
      return one.text.substr(std::min(one.text.find_first_not_of("\n"), one.text.size()));
    }
  }
  return {};
}

}  // namespace tuner
