// Compiles terms to straight-line code over lanes, and runs it.

#include "tuner/space/lane_program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tuner::detail {

void LaneStorage::reserve(std::size_t registers, std::size_t lanes) {
  stride_ = (lanes + 7) / 8 * 8;
  if (registers * stride_ <= capacity_) return;
  capacity_ = registers * stride_ * 2;
  data_.reset(new double[capacity_]);  // not initialised: untouched pages cost nothing
}

// Emits in single assignment: one register for each term. Then registers are shared.
class LaneProgram::Builder {
 public:
  Builder(const TermGraph& graph, const std::function<bool(TermId)>& is_input, LaneProgram& program)
      : graph_(graph), is_input_(is_input), program_(program), register_of_(graph.size(), kNone) {}

  std::uint32_t emit(TermId id) {
    if (register_of_[id] != kNone) return register_of_[id];
    const Term& term = graph_[id];
    if (term.op == TermOp::kConstant) {
      const std::uint32_t reg = fresh();
      program_.constants_.emplace_back(reg, term.lo);
      return register_of_[id] = reg;
    }
    if (is_input_(id)) {
      const std::uint32_t reg = fresh();
      program_.inputs_.push_back(id);
      input_registers_.push_back(reg);
      return register_of_[id] = reg;
    }
    const auto args = graph_.args(id);
    std::vector<std::uint32_t> regs;
    for (TermId arg : args) regs.push_back(emit(arg));
    return register_of_[id] = emit_operation(id, term, regs);
  }

  void filter(TermId condition) {
    Instruction filter;
    filter.kind = Instruction::Kind::kFilter;
    filter.c = emit(condition);
    program_.code_.push_back(filter);
    program_.drops_ = true;
  }

  void finish(std::span<const TermId> outputs) {
    for (TermId output : outputs) program_.outputs_.push_back(emit(output));
    share_registers();
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t fresh() { return static_cast<std::uint32_t>(count_++); }

  std::uint32_t emit_operation(TermId id, const Term& term, std::span<const std::uint32_t> regs) {
    Instruction next;
    next.op = term.op;
    next.may_fault = term.may_fault;
    next.exact = true;
    for (TermId arg : graph_.args(id)) next.exact = next.exact && graph_[arg].integral;
    if (term.op == TermOp::kOpaque) {
      next.kind = Instruction::Kind::kOpaque;
      next.a = static_cast<std::uint32_t>(program_.lists_.size());
      next.b = static_cast<std::uint32_t>(regs.size());
      next.c = term.payload;
      program_.lists_.insert(program_.lists_.end(), regs.begin(), regs.end());
      next.out = fresh();
      program_.code_.push_back(next);
      return next.out;
    }
    next.a = regs[0];
    if (regs.size() == 1 || term.op == TermOp::kSelect) {
      if (regs.size() > 1) next.b = regs[1];
      if (regs.size() > 2) next.c = regs[2];
      next.out = fresh();
      program_.code_.push_back(next);
      return next.out;
    }
    for (std::size_t i = 1; i < regs.size(); ++i) {
      next.b = regs[i];
      next.out = fresh();
      program_.code_.push_back(next);
      next.a = next.out;
    }
    return next.out;
  }

  template <typename Visit>
  void operands(Instruction& code, Visit visit) {
    if (code.kind == Instruction::Kind::kFilter) return visit(code.c);
    if (code.kind == Instruction::Kind::kOpaque) {
      for (std::size_t i = 0; i < code.b; ++i) visit(program_.lists_[code.a + i]);
      return;
    }
    visit(code.a);
    if (code.op >= TermOp::kDivide) visit(code.b);
    if (code.op == TermOp::kSelect) visit(code.c);
  }

  // Gives registers that are not needed at the same time one place, by a linear scan: fewer places
  // mean that a tile stays in the cache. Constants keep theirs, because all their lanes are equal
  // and a filter need not move them. A filter gets the list of places that are live where it
  // stands: these it must move.
  void share_registers() {
    constexpr std::size_t kAlways = ~std::size_t{0};
    std::vector<std::size_t> last_use(count_, 0);
    for (std::size_t i = 0; i < program_.code_.size(); ++i) {
      operands(program_.code_[i], [&](std::uint32_t& reg) { last_use[reg] = i; });
    }
    for (std::uint32_t reg : program_.outputs_) last_use[reg] = kAlways;
    std::vector<std::uint32_t> place(count_, 0);
    std::vector<std::uint32_t> live;  // places are given while live
    std::vector<std::uint32_t> free;
    std::uint32_t used = 0;
    for (std::uint32_t reg : input_registers_) {
      place[reg] = used++;
      live.push_back(reg);
    }
    for (auto& [reg, value] : program_.constants_) reg = place[reg] = used++;
    for (std::size_t i = 0; i < program_.code_.size(); ++i) {
      Instruction& code = program_.code_[i];
      const bool filter = code.kind == Instruction::Kind::kFilter;
      if (!filter) {
        if (free.empty()) free.push_back(used++);
        place[code.out] = free.back();
        free.pop_back();
        live.push_back(code.out);
        code.out = place[code.out];
      }
      operands(code, [&](std::uint32_t& reg) { reg = place[reg]; });
      std::erase_if(live, [&](std::uint32_t reg) {
        if (last_use[reg] > i) return false;
        free.push_back(place[reg]);
        return true;
      });
      if (!filter) continue;
      code.a = static_cast<std::uint32_t>(program_.lists_.size());
      code.b = static_cast<std::uint32_t>(live.size());
      for (std::uint32_t reg : live) program_.lists_.push_back(place[reg]);
    }
    for (std::uint32_t& reg : program_.outputs_) reg = place[reg];
    program_.registers_ = used;
  }

  const TermGraph& graph_;
  const std::function<bool(TermId)>& is_input_;
  LaneProgram& program_;
  std::vector<std::uint32_t> register_of_;
  std::vector<std::uint32_t> input_registers_;
  std::size_t count_ = 0;
};

LaneProgram::LaneProgram(const TermGraph& graph, const std::function<bool(TermId)>& is_input,
                         std::span<const TermId> conditions, std::span<const TermId> outputs) {
  Builder builder(graph, is_input, *this);
  for (TermId condition : conditions) builder.filter(condition);
  builder.finish(outputs);
}

// ---- the operations: plain loops, of which the compiler makes vectors ---------------------------

namespace {

constexpr double kFault = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounder = 0x1.8p52;  // adding and subtracting it rounds to the nearest integer

template <typename F>
void each(double* __restrict out, const double* __restrict a, std::size_t count, F f) {
  for (std::size_t i = 0; i < count; ++i) out[i] = f(a[i]);
}
template <typename F>
void each(double* __restrict out, const double* a, const double* b, std::size_t count, F f) {
  for (std::size_t i = 0; i < count; ++i) out[i] = f(a[i], b[i]);
}

// a - n * b for the integer n nearest to a / b: exact, at most one b away from Python's a % b.
// A zero divisor makes it NaN by itself.
double near_remainder(double a, double b, double& n) {
  n = (a / b + kRounder) - kRounder;
  return a - n * b;
}
double wrong_sign(double r, double b) {
  const bool wrong = (r < 0 && b > 0) || (r > 0 && b < 0);
  return wrong ? 1.0 : 0.0;
}
double whole_modulo(double a, double b) {
  double n = 0;
  const double r = near_remainder(a, b, n);
  return r + wrong_sign(r, b) * b;
}
double whole_floor_divide(double a, double b) {
  double n = 0;
  const double r = near_remainder(a, b, n);
  return (n - wrong_sign(r, b)) + (r - r);
}

bool whole(double x) { return std::fabs(x) <= 0x1p51 && (x + kRounder) - kRounder == x; }

double any_modulo(double a, double b) {
  return whole(a) && whole(b) ? whole_modulo(a, b) : apply_term(TermOp::kModulo, a, b, 0);
}

template <typename F>
void compare(double* __restrict out, const double* a, const double* b, std::size_t count,
             bool may_fault, F f) {
  if (!may_fault)
    return each(out, a, b, count, [f](double x, double y) { return f(x, y) ? 1.0 : 0.0; });
  each(out, a, b, count, [f](double x, double y) {
    return std::isnan(x) || std::isnan(y) ? kFault : (f(x, y) ? 1.0 : 0.0);
  });
}

}  // namespace

void LaneProgram::apply(const Instruction& code, LaneStorage& lanes, std::size_t count) {
  double* out = lanes[code.out];
  const double* a = lanes[code.a];
  const double* b = lanes[code.b];
  switch (code.op) {
    case TermOp::kNegate:
      return each(out, a, count, [](double x) { return -x; });
    case TermOp::kNot:
      return each(out, a, count, [](double x) { return std::isnan(x) ? x : (x == 0 ? 1.0 : 0.0); });
    case TermOp::kSum:
      return each(out, a, b, count, [](double x, double y) { return x + y; });
    case TermOp::kProduct:
      return each(out, a, b, count, [](double x, double y) { return x * y; });
    case TermOp::kAnd:
      return each(out, a, b, count, [](double x, double y) { return x == 1 ? y : x; });
    case TermOp::kOr:
      return each(out, a, b, count, [](double x, double y) { return x == 0 ? y : x; });
    case TermOp::kEqual:
      return compare(out, a, b, count, code.may_fault, [](double x, double y) { return x == y; });
    case TermOp::kNotEqual:
      return compare(out, a, b, count, code.may_fault, [](double x, double y) { return x != y; });
    case TermOp::kLess:
      return compare(out, a, b, count, code.may_fault, [](double x, double y) { return x < y; });
    case TermOp::kLessEqual:
      return compare(out, a, b, count, code.may_fault, [](double x, double y) { return x <= y; });
    case TermOp::kDivide:
      if (!code.may_fault) return each(out, a, b, count, [](double x, double y) { return x / y; });
      break;
    case TermOp::kModulo:
      if (code.exact) return each(out, a, b, count, whole_modulo);
      return each(out, a, b, count, any_modulo);
    case TermOp::kFloorDivide:
      if (code.exact) return each(out, a, b, count, whole_floor_divide);
      break;
    case TermOp::kCeilDivide:
      if (code.exact) {
        return each(out, a, b, count,
                    [](double x, double y) { return -whole_floor_divide(-x, y); });
      }
      break;
    case TermOp::kSelect: {
      const double* c = lanes[code.c];
      for (std::size_t i = 0; i < count; ++i)
        out[i] = apply_term(TermOp::kSelect, a[i], b[i], c[i]);
      return;
    }
    default:
      break;
  }
  for (std::size_t i = 0; i < count; ++i) out[i] = apply_term(code.op, a[i], b[i], 0);
}

// ---- running ------------------------------------------------------------------------------------

void LaneProgram::prepare(LaneStorage& lanes, std::size_t count) const {
  lanes.reserve(registers_, count);
  for (const auto& [reg, value] : constants_) std::fill_n(lanes[reg], count, value);
}

std::size_t LaneProgram::run(LaneStorage& lanes, std::size_t count,
                             const OpaqueEvaluator& opaque) const {
  std::uint32_t* ids = lanes.ids();
  if (drops_) std::iota(ids, ids + count, 0U);
  std::uint32_t kept[kLanes];
  std::vector<double> positions;
  for (const Instruction& code : code_) {
    if (count == 0) return 0;
    if (code.kind == Instruction::Kind::kApply) {
      apply(code, lanes, count);
      continue;
    }
    if (code.kind == Instruction::Kind::kOpaque) {
      for (std::size_t lane = 0; lane < count; ++lane) {
        positions.clear();
        for (std::size_t i = 0; i < code.b; ++i) {
          positions.push_back(lanes[lists_[code.a + i]][lane]);
        }
        lanes[code.out][lane] = opaque(code.c, positions) ? 1.0 : 0.0;
      }
      continue;
    }
    // A filter: moves the lanes where the condition holds together, in all registers that are still
    // needed, so that what follows works on fewer lanes.
    const double* condition = lanes[code.c];
    std::size_t survivors = 0;
    for (std::size_t lane = 0; lane < count; ++lane) {
      kept[survivors] = static_cast<std::uint32_t>(lane);
      survivors += static_cast<std::size_t>(condition[lane] == 1.0);
    }
    if (survivors == count) continue;
    count = survivors;
    for (std::size_t lane = 0; lane < count; ++lane) ids[lane] = ids[kept[lane]];
    for (std::size_t i = 0; i < code.b; ++i) {
      double* reg = lanes[lists_[code.a + i]];
      for (std::size_t lane = 0; lane < count; ++lane) reg[lane] = reg[kept[lane]];
    }
  }
  return count;
}

}  // namespace tuner::detail
