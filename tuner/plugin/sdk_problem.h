#pragma once
// Writing a problem: derive from sdk::Problem, list the class in sdk::Problems<...>.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "tuner/plugin/sdk_core.h"
#include "tuner/plugin/sdk_types.h"

namespace tuner::sdk {

namespace detail {

// Whether elements of a tuner_type are T. Floats of which C++ has none are read as their bits.
template <typename T>
constexpr bool holds(std::uint32_t type) {
  static_assert(std::is_arithmetic_v<T> && !std::same_as<T, bool>);
  if (type >= kTypes.size() || kTypes[type].bytes != sizeof(T)) return false;
  const bool is_float = kTypes[type].kind == NumberKind::kFloat;
  if constexpr (std::is_floating_point_v<T>) return is_float;
  if constexpr (std::is_signed_v<T>) return kTypes[type].kind == NumberKind::kSigned;
  return kTypes[type].kind == NumberKind::kUnsigned || (is_float && sizeof(T) < sizeof(float));
}

}  // namespace detail

// An argument or a constant of the kernel, to be read (Byte = const void) or written (Byte = void).
template <typename Byte>
class ArrayOf {
 public:
  ArrayOf(const tuner_array& from, Byte* data) : from_(&from), data_(data) {}

  std::string_view name() const { return view(from_->name); }
  tuner_type type() const { return static_cast<tuner_type>(from_->type); }
  std::uint64_t size() const { return from_->elements; }
  std::span<const std::uint64_t> extents() const { return {from_->extents, from_->extent_count}; }
  Byte* data() const { return data_; }
  const tuner_array& described() const { return *from_; }

  // Its elements; an Error where the study gives it another type.
  template <typename T>
  auto as() const {
    using Element = std::conditional_t<std::is_const_v<Byte>, const T, T>;
    if (!detail::holds<T>(from_->type)) {
      throw Error(TUNER_INVALID,
                  "'" + std::string(name()) + "' has another type than this problem works with");
    }
    return std::span<Element>(static_cast<Element*>(data_), from_->elements);
  }

 private:
  const tuner_array* from_;
  Byte* data_;
};
using Array = ArrayOf<const void>;
using ArrayToWrite = ArrayOf<void>;

// The arrays that a launch begins with, by name.
class Inputs {
 public:
  explicit Inputs(std::span<const tuner_array> all) : all_(all) {}

  Array operator[](std::string_view name) const {
    for (const tuner_array& one : all_) {
      if (view(one.name) == name) return {one, one.data};
    }
    throw Error(TUNER_INVALID, "the study has no input '" + std::string(name) + "'");
  }
  std::span<const tuner_array> all() const { return all_; }

 private:
  std::span<const tuner_array> all_;
};

struct ProblemSetup {
  Options options;
  std::span<const tuner_extent> extents;

  // Returns an extent of the problem size; throws an Error where it has no such dimension.
  std::int64_t extent(std::string_view name) const {
    for (const tuner_extent& one : extents) {
      if (view(one.name) == name) return one.value;
    }
    throw Error(TUNER_INVALID, "the problem size has no '" + std::string(name) + "'");
  }
};

struct Judgement {
  bool right = false;
  double error = 0;  // how far off, in the problem's own measure
  std::string why;   // where it is not right
};

// A class T with a constructor T(const ProblemSetup&) and the static members kName, kSummary and,
// if any, kOptions, as a Strategy has them. It defines what studies are to leave to it. The same
// options, extents and set must give the same bytes each time.
class Problem {
 public:
  virtual ~Problem() = default;
  // All elements of an input. Set 0 is what is timed; answers are compared on others, too.
  virtual void fill(std::uint32_t set, const ArrayToWrite& input) {
    static_cast<void>(set);
    refuse("fill", input.name());
  }
  // The right answer of an output.
  virtual void answer(std::uint32_t set, const Inputs& inputs, const ArrayToWrite& output) {
    static_cast<void>(set);
    static_cast<void>(inputs);
    refuse("answer", output.name());
  }
  // Whether an output counts as right.
  virtual Judgement judge(std::uint32_t set, const Array& actual, const Array& expected) {
    static_cast<void>(set);
    static_cast<void>(expected);
    refuse("judge", actual.name());
  }

 protected:
  [[noreturn]] static void refuse(const char* what, std::string_view name) {
    throw Error(TUNER_UNSUPPORTED,
                std::string("it does not ") + what + " '" + std::string(name) + "'");
  }
};

template <typename... T>
struct Problems {
  static constexpr const char* kKind = TUNER_KIND_PROBLEM;

  static const void* factory() {
    static const tuner_problem_factory table{sizeof(tuner_problem_factory), sizeof...(T),
                                             detail::info_of<T...>, create};
    return &table;
  }

 private:
  static int create(std::uint32_t item, const tuner_problem_setup* setup, tuner_problem* out,
                    tuner_sink error) {
    return detail::guarded(error, [&] {
      auto made = detail::make<Problem, T...>(
          item, std::span(setup->options, setup->option_count), [&](const Options& options) {
            return ProblemSetup{options, std::span(setup->extents, setup->extent_count)};
          });
      *out = {sizeof(tuner_problem), made.release(), detail::destroy<Problem>, fill, answer, judge};
    });
  }

  static int fill(void* self, std::uint32_t set, const tuner_array* input, void* data,
                  tuner_sink error) {
    return detail::guarded(
        error, [&] { static_cast<Problem*>(self)->fill(set, ArrayToWrite(*input, data)); });
  }

  static int answer(void* self, std::uint32_t set, const tuner_array* inputs,
                    std::size_t input_count, const tuner_array* output, void* data,
                    tuner_sink error) {
    return detail::guarded(error, [&] {
      static_cast<Problem*>(self)->answer(set, Inputs(std::span(inputs, input_count)),
                                          ArrayToWrite(*output, data));
    });
  }

  static int judge(void* self, std::uint32_t set, const tuner_array* actual,
                   const tuner_array* expected, tuner_judgement* out, tuner_sink why,
                   tuner_sink error) {
    return detail::guarded(error, [&] {
      const Judgement judgement = static_cast<Problem*>(self)->judge(
          set, Array(*actual, actual->data), Array(*expected, expected->data));
      *out = {sizeof(tuner_judgement), judgement.right ? 1U : 0U, judgement.error};
      if (!judgement.right) emit(why, judgement.why);
    });
  }
};

}  // namespace tuner::sdk
