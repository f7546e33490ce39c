// Splits Python into statements, and says what names are set to.

#include "tuner/drafting/python_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "tuner/base/text.h"
#include "tuner/expression/expression.h"
#include "tuner/source/tokens.h"

namespace tuner {
namespace {

constexpr int kMostNames = 8;  // on the way from a name to its number
constexpr std::int64_t kMostValues = 10000;

class Scanner {
 public:
  explicit Scanner(const std::string& text) : text_(text) {}

  std::vector<Pieces> statements() {
    while (at_ < text_.size()) step();
    end_statement();
    return std::move(out_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') {
      if (depth_ == 0) end_statement();
      ++line_, ++at_;
    } else if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '\\' && text_.substr(at_, 2) == "\\\n") {
      ++line_, at_ += 2;
    } else if (c == '"' || c == '\'') {
      take_text(c);
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else if (is_word_part(c)) {
      take_word();
    } else {
      take_sign();
    }
  }

  void take_text(char quote) {
    const bool is_long = text_.compare(at_, 3, std::string(3, quote)) == 0;
    const std::string end = is_long ? std::string(3, quote) : std::string(1, quote);
    const int line = line_;
    std::string inside;
    for (at_ += end.size(); at_ < text_.size() && text_.compare(at_, end.size(), end) != 0; ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      inside += text_[at_];
    }
    at_ = std::min(at_ + end.size(), text_.size());
    now_.push_back({Piece::Kind::kText, inside, line});
  }

  void take_word() {
    const std::size_t from = at_;
    const bool is_number = std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
    while (at_ < text_.size() && (is_word_part(text_[at_]) || (is_number && text_[at_] == '.')))
      ++at_;
    now_.push_back({is_number ? Piece::Kind::kNumber : Piece::Kind::kWord,
                    text_.substr(from, at_ - from), line_});
  }

  void take_sign() {
    static constexpr std::string_view kLong[] = {"**", "//", "==", "!=", "<=", ">="};
    std::string sign(1, text_[at_]);
    for (const std::string_view one : kLong) {
      if (text_.compare(at_, one.size(), one) == 0) sign = one;
    }
    if (is_one_of("( [ {", sign)) ++depth_;
    if (is_one_of(") ] }", sign) && depth_ > 0) --depth_;
    now_.push_back({Piece::Kind::kSign, sign, line_});
    at_ += sign.size();
  }

  void end_statement() {
    if (!now_.empty()) out_.push_back(std::move(now_));
    now_.clear();
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int line_ = 1, depth_ = 0;
  Pieces now_;
  std::vector<Pieces> out_;
};

Pieces part_of(const Pieces& all, std::size_t from, std::size_t to = Pieces().max_size()) {
  const auto at = [&](std::size_t n) {
    return all.begin() + static_cast<std::ptrdiff_t>(std::min(n, all.size()));
  };
  return {at(from), at(std::max(from, to))};
}

// The bracket that is the last piece, if it belongs to the one at `open`.
bool closes_at_end(const Pieces& all, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < all.size(); ++at) {
    if (all[at].kind != Piece::Kind::kSign) continue;
    depth += is_one_of("( [ {", all[at].text) ? 1 : is_one_of(") ] }", all[at].text) ? -1 : 0;
    if (depth == 0) return at + 1 == all.size();
  }
  return false;
}

// "numpy.int32(8)": where the bracket opens, and the word before it; npos where it is no call.
std::size_t open_of_call(const Pieces& all) {
  std::size_t at = 0;
  while (at + 2 < all.size() && all[at].kind == Piece::Kind::kWord && all[at + 1].is(".")) at += 2;
  const bool is_call = at + 1 < all.size() && all[at].kind == Piece::Kind::kWord &&
                       all[at + 1].is("(") && closes_at_end(all, at + 1);
  return is_call ? at + 1 : Pieces().max_size();
}

}  // namespace

std::vector<Pieces> python_statements(const std::string& text) {
  return Scanner(text).statements();
}

std::vector<Pieces> python_items(const Pieces& pieces, std::size_t open) {
  std::vector<Pieces> out;
  Pieces now;
  int depth = 0;
  for (std::size_t at = open; at < pieces.size(); ++at) {
    const Piece& one = pieces[at];
    const bool opens = one.kind == Piece::Kind::kSign && is_one_of("( [ {", one.text);
    const bool closes = one.kind == Piece::Kind::kSign && is_one_of(") ] }", one.text);
    if (closes && --depth == 0) break;
    if (depth == 1 && one.is(",")) {
      out.push_back(std::move(now));
      now.clear();
    } else if (depth > 0) {
      now.push_back(one);
    }
    if (opens) ++depth;
  }
  if (!now.empty()) out.push_back(std::move(now));
  return out;
}

void PythonNames::take(const Pieces& s) {
  if (s.size() > 2 && s[0].kind == Piece::Kind::kWord && s[1].is("=")) {
    names_[s[0].text] = part_of(s, 2);
    set_in_.erase(s[0].text);
  }
  const bool sets_entry = s.size() > 5 && s[0].kind == Piece::Kind::kWord && s[1].is("[") &&
                          s[2].kind == Piece::Kind::kText && s[3].is("]") && s[4].is("=");
  if (sets_entry) set_in_[s[0].text].emplace_back(s[2].text, part_of(s, 5));
}

Pieces PythonNames::resolved(Pieces pieces) const {
  for (int steps = 0; pieces.size() == 1 && steps < kMostNames; ++steps) {
    const auto known = names_.find(pieces[0].text);
    if (pieces[0].kind != Piece::Kind::kWord || known == names_.end()) break;
    pieces = known->second;
  }
  return pieces;
}

std::optional<std::int64_t> PythonNames::number(const Pieces& pieces, int depth) const {
  if (depth > kMostNames || pieces.empty()) return std::nullopt;
  if (const std::size_t open = open_of_call(pieces); open < pieces.size()) {
    const std::string& function = pieces[open - 1].text;
    const auto items = python_items(pieces, open);
    if (items.size() != 1) return std::nullopt;
    if (function.starts_with("int") || function.starts_with("uint"))
      return number(items[0], depth + 1);
    if (function != "prod") return std::nullopt;
    const auto factors = numbers(items[0]);
    if (!factors) return std::nullopt;
    std::int64_t product = 1;
    for (const std::int64_t one : *factors) product *= one;
    return product;
  }
  std::string text;
  for (const Piece& one : pieces) {
    if (one.kind == Piece::Kind::kText || one.is(".") || one.is("[")) return std::nullopt;
    std::string said = one.text;
    if (const auto known = names_.find(said); known != names_.end()) {
      const auto value = number(known->second, depth + 1);
      if (!value) return std::nullopt;
      said = "(" + std::to_string(*value) + ")";
    }
    text += said + " ";
  }
  const auto expression = Expression::parse(text);
  if (!expression) return std::nullopt;
  const auto value = expression->evaluate({});
  if (!value) return std::nullopt;
  if (const auto* whole = std::get_if<std::int64_t>(&*value)) return *whole;
  const double real = to_number(*value);  // 1e6
  if (!std::holds_alternative<double>(*value) || real != std::floor(real) || std::abs(real) > 9e15)
    return std::nullopt;
  return static_cast<std::int64_t>(real);
}

namespace {

std::optional<std::vector<std::int64_t>> range_of(const std::vector<std::int64_t>& given) {
  if (given.empty() || given.size() > 3) return std::nullopt;
  const std::int64_t from = given.size() > 1 ? given[0] : 0;
  const std::int64_t to = given.size() > 1 ? given[1] : given[0];
  const std::int64_t step = given.size() > 2 ? given[2] : 1;
  if (step < 1 || to - from > kMostValues * step) return std::nullopt;
  std::vector<std::int64_t> out;
  for (std::int64_t one = from; one < to; one += step) out.push_back(one);
  return out;
}

}  // namespace

std::optional<std::vector<std::int64_t>> PythonNames::numbers(const Pieces& pieces) const {
  const Pieces all = resolved(pieces);
  if (all.empty()) return std::nullopt;
  const bool is_list = (all[0].is("[") || all[0].is("(")) && closes_at_end(all, 0);
  const std::size_t open = is_list ? 0 : open_of_call(all);
  if (open >= all.size()) {
    const auto one = number(all);
    return one ? std::optional(std::vector{*one}) : std::nullopt;
  }
  const auto items = python_items(all, open);
  if (!is_list && all[open - 1].is("list") && items.size() == 1) return numbers(items[0]);
  if (!is_list && !all[open - 1].is("range")) {
    const auto one = number(all);
    return one ? std::optional(std::vector{*one}) : std::nullopt;
  }
  const auto has_for = [](const Pieces& item) {
    return std::ranges::find_if(item, [](const Piece& one) { return one.is("for"); });
  };
  std::vector<std::int64_t> out;
  if (items.size() == 1 && has_for(items[0]) != items[0].end()) {  // EXPRESSION for NAME in LIST
    const auto at = static_cast<std::size_t>(has_for(items[0]) - items[0].begin());
    if (at + 3 >= items[0].size() || !items[0][at + 2].is("in")) return std::nullopt;
    const auto over = numbers(part_of(items[0], at + 3));
    if (!over) return std::nullopt;
    PythonNames inside = *this;
    for (const std::int64_t each : *over) {
      inside.names_[items[0][at + 1].text] = {{Piece::Kind::kNumber, std::to_string(each), 0}};
      const auto value = inside.number(part_of(items[0], 0, at));
      if (!value) return std::nullopt;
      out.push_back(*value);
    }
    return out;
  }
  for (const Pieces& item : items) {
    const auto value = number(item);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return is_list ? std::optional(out) : range_of(out);
}

std::optional<std::vector<std::string>> PythonNames::texts(const Pieces& pieces) const {
  const Pieces all = resolved(pieces);
  if (all.size() == 1 && all[0].kind == Piece::Kind::kText) return std::vector{all[0].text};
  if (all.empty() || !all[0].is("[")) return std::nullopt;
  std::vector<std::string> out;
  for (const Pieces& item : python_items(all, 0)) {
    if (item.size() != 1 || item[0].kind != Piece::Kind::kText) return std::nullopt;
    out.push_back(item[0].text);
  }
  return out;
}

std::vector<std::pair<std::string, Pieces>> PythonNames::entries(const Pieces& pieces) const {
  std::vector<std::pair<std::string, Pieces>> out;
  const Pieces all = resolved(pieces);
  const bool is_literal = !all.empty() && all[0].is("{");
  const std::size_t open = is_literal ? 0 : open_of_call(all);  // dict(a=..), OrderedDict()
  if (open < all.size()) {
    for (const Pieces& item : python_items(all, open)) {
      const bool is_entry = item.size() > 2 && item[1].is(is_literal ? ":" : "=");
      if (is_entry) out.emplace_back(item[0].text, part_of(item, 2));
    }
  }
  const auto later = pieces.size() == 1 ? set_in_.find(pieces[0].text) : set_in_.end();
  if (later == set_in_.end()) return out;
  for (const auto& [key, value] : later->second) {
    const auto known = std::ranges::find(out, key, &std::pair<std::string, Pieces>::first);
    if (known == out.end()) {
      out.emplace_back(key, value);
    } else {
      known->second = value;
    }
  }
  return out;
}

}  // namespace tuner
