#pragma once
// Constraints as a hash-consed graph of numeric terms, the form that is analysed and compiled.
//
// Every number is a double: booleans are 0/1, texts their rank among all texts of the space, and
// NaN stands for "has no value" (division by zero, ...). What could leave the range in which
// doubles agree with 64-bit integers is not representable here; make() then says kNoTerm and the
// constraint is evaluated by the exact tree evaluator instead.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace tuner::detail {

// Numbers for different things, in the order of their first appearance, found by hash. Open
// addressing over the hashes alone: whoever has the things says which of them are the same.
class HashIndex {
 public:
  // The number of the thing that has this hash and of which same(number) is true. When there is
  // none, size() before the call: a new number.
  template <typename Same>
  std::uint32_t insert(std::uint64_t hash, Same same) {
    std::size_t at = slot(hash);
    for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
      const std::uint32_t number = slots_[at] - 1;
      if (hashes_[number] == hash && same(number)) return number;
    }
    hashes_.push_back(hash);
    slots_[at] = size();
    if (hashes_.size() * 2 > slots_.size()) grow();
    return size() - 1;
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(hashes_.size()); }
  std::size_t bytes() const {
    return hashes_.capacity() * sizeof(std::uint64_t) + slots_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::size_t slot(std::uint64_t hash) const { return hash & (slots_.size() - 1); }
  void grow() {
    slots_.assign(slots_.size() * 4, 0);
    for (std::uint32_t number = 0; number < size(); ++number) {
      std::size_t at = slot(hashes_[number]);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = number + 1;
    }
  }

  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64);  // number + 1; 0 is free
};

// ---- terms --------------------------------------------------------------------------------------

enum class TermOp : std::uint8_t {
  kConstant,
  kVariable,  // the value of a parameter
  kPosition,  // the place of a parameter's value among all its values
  kNegate,
  kAbs,
  kCeil,
  kFloor,
  kTruncate,
  kRound,
  kLog2,
  kLog,
  kExp,
  kSqrt,
  kNot,
  kDivide,
  kFloorDivide,
  kModulo,
  kCeilDivide,
  kPower,
  kBitAnd,  // of whole numbers that are no floats
  kBitOr,
  kBitXor,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kSum,  // this and the next ones take any number of arguments
  kProduct,
  kMin,
  kMax,
  kAnd,
  kOr,
  kSelect,  // condition, value when true, value when false
  kOpaque,  // a condition known only to the tree evaluator; arguments are positions
};

using TermId = std::uint32_t;
constexpr TermId kNoTerm = ~TermId{0};

struct Term {
  TermOp op = TermOp::kConstant;
  bool integral = false;      // always a whole number
  bool boolean = false;       // always 0 or 1
  bool text = false;          // a rank, not a quantity
  bool may_fault = false;     // may be NaN
  std::uint32_t payload = 0;  // parameter, or opaque rule
  std::int32_t first = 0;     // lowest and highest level of the parameters below; constants have -1
  std::int32_t last = -1;
  std::uint32_t args_begin = 0;
  std::uint32_t args_count = 0;
  double lo = 0;  // bounds, when there is a value; a constant has both equal
  double hi = 0;
};

inline bool is_comparison(TermOp op) { return op >= TermOp::kEqual && op <= TermOp::kLessEqual; }

inline bool is_leaf(const Term& term) {
  return term.op == TermOp::kVariable || term.op == TermOp::kPosition;
}

// The value of an operator with at most three arguments. NaN in, NaN out.
double apply_term(TermOp op, double a, double b, double c);

// Applies an operator to any number of arguments, of which value(i) is the i-th.
template <typename Value>
double apply_term(TermOp op, std::size_t count, Value value) {
  double result = apply_term(op, value(0), count > 1 ? value(1) : 0, count > 2 ? value(2) : 0);
  if (op == TermOp::kSelect) return result;
  for (std::size_t i = 2; i < count; ++i) result = apply_term(op, result, value(i), 0);
  return result;
}

class TermGraph {
 public:
  // Beyond it integer arithmetic in doubles would no longer be exact.
  static constexpr double kLimit = 0x1p51;

  TermId constant(double value, bool text = false);
  TermId fault();  // a constant without value

  // `level` orders parameters; bounds and flags describe the values that are left.
  TermId variable(std::uint32_t parameter, std::int32_t level, double lo, double hi, bool integral,
                  bool text);
  TermId position(std::uint32_t parameter, std::int32_t level, double count);
  TermId opaque(std::uint32_t rule, std::span<const TermId> positions);

  // Folds what bounds decide. kNoTerm when an argument is kNoTerm or the range is exceeded.
  TermId make(TermOp op, std::span<const TermId> args);
  TermId make(TermOp op, TermId a) { return make(op, std::span(&a, 1)); }
  TermId make(TermOp op, TermId a, TermId b) {
    const TermId args[] = {a, b};
    return make(op, args);
  }
  TermId make(TermOp op, TermId a, TermId b, TermId c) {
    const TermId args[] = {a, b, c};
    return make(op, args);
  }

  const Term& operator[](TermId id) const { return terms_[id]; }
  std::span<const TermId> args(TermId id) const {
    return {args_.data() + terms_[id].args_begin, terms_[id].args_count};
  }
  bool is_constant(TermId id) const { return terms_[id].op == TermOp::kConstant; }
  bool is_true(TermId id) const { return is_constant(id) && terms_[id].lo == 1; }
  bool is_false(TermId id) const { return is_constant(id) && terms_[id].lo == 0; }
  std::size_t size() const { return terms_.size(); }

 private:
  TermId new_constant(double value, bool text);
  TermId intern(Term term, std::span<const TermId> args);
  TermId fold(TermOp op, std::span<const TermId> args);
  TermId simplify(TermOp op, std::span<const TermId> args);
  bool bound(Term& term, std::span<const TermId> args) const;
  bool bound_quotient(Term& term, const Term& a, const Term& b) const;
  bool bound_unary(Term& term, const Term& a) const;
  static bool bound_analytic(Term& term, const Term& a);
  static bool bound_bits(Term& term, const Term& a, const Term& b);
  bool bound_variadic(Term& term, std::span<const TermId> args) const;

  std::vector<Term> terms_;
  std::vector<TermId> args_;
  TermId zero_ = kNoTerm;  // asked for all the time
  TermId one_ = kNoTerm;
  HashIndex index_;
};

// ---- programs: terms in the order in which they are computed ------------------------------------

// Decides an opaque rule, given the positions of the rule's parameters.
using OpaqueEvaluator = std::function<bool(std::uint32_t rule, std::span<const double> positions)>;

// The steps that check conditions and compute outputs.
struct TermProgram {
  // `known` are terms whose values are given. Of their parts nothing is computed.
  TermProgram(const TermGraph& graph, std::span<const TermId> conditions,
              std::span<const TermId> outputs, std::span<const TermId> known = {});

  struct Step {
    TermId term;
    bool must_hold;  // a condition, whose value is there already; else a term to compute
  };
  std::vector<Step> steps;
  std::vector<TermId> leaves;  // parameters' values and positions that are not `known`
};

// The values of a graph's terms for one combination.
class TermValues {
 public:
  TermValues(const TermGraph& graph, const OpaqueEvaluator& opaque)
      : graph_(graph), opaque_(opaque), values_(graph.size()) {}

  // Sets the program's leaves and what is known, before run().
  void set(TermId id, double value) { values_[id] = value; }
  // False as soon as a condition does not hold.
  bool run(const TermProgram& program);
  // Returns what the program computed, after run().
  double operator[](TermId id) const {
    return graph_.is_constant(id) ? graph_[id].lo : values_[id];
  }

 private:
  double compute(TermId id);

  const TermGraph& graph_;
  const OpaqueEvaluator& opaque_;
  std::vector<double> values_;
  std::vector<double> positions_;
};

}  // namespace tuner::detail
