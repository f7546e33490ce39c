#pragma once
// Terms compiled to straight-line code over lanes: each instruction works on up to kLanes values at
// once, and each condition drops the lanes where it does not hold.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tuner/space/terms.h"

namespace tuner::detail {

constexpr std::size_t kLanes = 512;  // registers of a program stay in the second-level cache

// Decides an opaque rule for one lane, given positions of the rule's parameters.
using OpaqueEvaluator = std::function<bool(std::uint32_t rule, std::span<const double> positions)>;

// Registers for one thread. Kept from program to program: fresh pages cost more than small spaces
// do.
class LaneStorage {
 public:
  // For runs of at most `lanes` lanes; contents are lost.
  void reserve(std::size_t registers, std::size_t lanes);
  double* operator[](std::size_t reg) { return data_.get() + reg * stride_; }
  std::uint32_t* ids() { return ids_; }

 private:
  std::unique_ptr<double[]> data_;
  std::size_t capacity_ = 0;
  std::size_t stride_ = 0;
  std::uint32_t ids_[kLanes];
};

class LaneProgram {
 public:
  // `is_input` says which terms the caller supplies; the search for inputs ends there.
  LaneProgram(const TermGraph& graph, const std::function<bool(TermId)>& is_input,
              std::span<const TermId> conditions, std::span<const TermId> outputs);
  LaneProgram() = default;

  // Terms to be placed in registers 0, 1, ... before run().
  const std::vector<TermId>& inputs() const { return inputs_; }
  // Register of outputs[i] after run().
  std::size_t output_register(std::size_t i) const { return outputs_[i]; }
  std::size_t registers() const { return registers_; }
  bool drops_lanes() const { return drops_; }

  // Fills the registers of constants for runs of up to `count` lanes. Before each series of runs.
  void prepare(LaneStorage& lanes, std::size_t count) const;

  // Returns how many of `count` lanes survive; lanes.ids() tells which, if drops_lanes().
  std::size_t run(LaneStorage& lanes, std::size_t count, const OpaqueEvaluator& opaque) const;

 private:
  struct Instruction {
    enum class Kind : std::uint8_t { kApply, kOpaque, kFilter };
    Kind kind = Kind::kApply;
    TermOp op = TermOp::kConstant;
    bool exact = false;      // operands are whole numbers in exact range
    bool may_fault = false;  // operands may be NaN, or a divisor zero
    std::uint32_t out = 0;
    std::uint32_t a = 0;  // kOpaque, kFilter: first place in lists_
    std::uint32_t b = 0;  // kOpaque, kFilter: number of registers listed there
    std::uint32_t c = 0;  // kOpaque: rule; kFilter: register of the condition
  };
  class Builder;

  static void apply(const Instruction& instruction, LaneStorage& lanes, std::size_t count);

  std::vector<Instruction> code_;
  std::vector<std::uint32_t> lists_;
  std::vector<TermId> inputs_;
  std::vector<std::uint32_t> outputs_;
  std::vector<std::pair<std::uint32_t, double>> constants_;
  std::size_t registers_ = 0;
  bool drops_ = false;
};

}  // namespace tuner::detail
