// Makes a plugin's problem look like the port.

#include <cmath>
#include <limits>

#include "tuner/plugin/abi_text.h"
#include "tuner/plugin/adapters.h"

namespace tuner {
namespace {

using Bytes = std::vector<std::byte>;

std::uint64_t bytes_of(const ProblemArray& array) { return array.elements * size_of(array.type); }

// A view of `array`.
tuner_array abi_array(const ProblemArray& array) {
  return {to_abi(array.name),
          static_cast<std::uint32_t>(array.type),
          static_cast<std::uint32_t>(array.extents.size()),
          array.extents.data(),
          array.elements,
          array.data.empty() ? nullptr : array.data.data()};
}

class PluginProblem : public Problem {
 public:
  explicit PluginProblem(std::string name) : name_(std::move(name)) {}
  ~PluginProblem() override {
    if (table_.self != nullptr) table_.destroy(table_.self);
  }
  PluginProblem(const PluginProblem&) = delete;
  PluginProblem& operator=(const PluginProblem&) = delete;

  tuner_problem* table() { return &table_; }
  bool is_whole() const {
    return table_.struct_size >= sizeof(tuner_problem) && table_.destroy != nullptr &&
           table_.fill != nullptr && table_.answer != nullptr && table_.judge != nullptr;
  }

  Expected<Bytes, std::string> fill(std::uint32_t set, const ProblemArray& input) override {
    const tuner_array array = abi_array(input);
    Bytes data(bytes_of(input));
    StringSink error;
    if (table_.fill(table_.self, set, &array, data.data(), error.sink()) == TUNER_OK) return data;
    return Unexpected{named("fill", error.text)};
  }

  Expected<Bytes, std::string> answer(std::uint32_t set, const std::vector<ProblemArray>& inputs,
                                      const ProblemArray& output) override {
    std::vector<tuner_array> arrays;
    for (const ProblemArray& one : inputs) arrays.push_back(abi_array(one));
    const tuner_array array = abi_array(output);
    Bytes data(bytes_of(output));
    StringSink error;
    if (table_.answer(table_.self, set, arrays.data(), arrays.size(), &array, data.data(),
                      error.sink()) == TUNER_OK) {
      return data;
    }
    return Unexpected{named("answer", error.text)};
  }

  Expected<Judgement, std::string> judge(std::uint32_t set, const ProblemArray& actual,
                                         const ProblemArray& expected) override {
    const tuner_array left = abi_array(actual);
    const tuner_array right = abi_array(expected);
    tuner_judgement judgement{sizeof(tuner_judgement), 0, 0};
    StringSink why;
    StringSink error;
    if (table_.judge(table_.self, set, &left, &right, &judgement, why.sink(), error.sink()) !=
        TUNER_OK) {
      return Unexpected{named("judge", error.text)};
    }
    const bool is_number = !std::isnan(judgement.error);
    return Judgement{judgement.right != 0,
                     is_number ? judgement.error : std::numeric_limits<double>::infinity(),
                     std::move(why.text)};
  }

 private:
  std::string named(const char* function, const std::string& reason) const {
    return "problem '" + name_ + "', " + function + ": " + reason;
  }

  std::string name_;
  tuner_problem table_{sizeof(tuner_problem), nullptr, nullptr, nullptr, nullptr, nullptr};
};

}  // namespace

Expected<std::unique_ptr<Problem>, std::string> make_plugin_problem(
    const tuner_problem_factory& factory, std::uint32_t item, const std::string& name,
    const OptionList& options, const std::vector<std::pair<std::string, std::int64_t>>& extents) {
  const std::vector<tuner_pair> pairs = abi_pairs(options);
  std::vector<tuner_extent> sizes;
  for (const auto& [dimension, extent] : extents) sizes.push_back({to_abi(dimension), extent});
  const tuner_problem_setup setup{sizeof(tuner_problem_setup), pairs.data(), pairs.size(),
                                  sizes.data(), sizes.size()};
  auto made = std::make_unique<PluginProblem>(name);
  StringSink error;
  if (factory.create(item, &setup, made->table(), error.sink()) != TUNER_OK) {
    return Unexpected{"problem '" + name + "': " + error.text};
  }
  if (!made->is_whole()) return Unexpected{"problem '" + name + "': its table is not whole"};
  return std::unique_ptr<Problem>(std::move(made));
}

}  // namespace tuner
