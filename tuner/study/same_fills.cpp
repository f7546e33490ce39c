// Arguments and constants that hold what another one holds.

#include <algorithm>
#include <string>
#include <vector>

#include "tuner/study/sections.h"

namespace tuner {
namespace {

class SameFills {
 public:
  explicit SameFills(Reader& reader) : reader_(reader) {
    for (auto* list : {&reader.study.arguments, &reader.study.constants}) {
      for (ArgumentSpec& one : *list) all_.push_back(&one);
    }
  }

  void resolve() {
    warn_of_twins();
    for (ArgumentSpec* one : all_) {
      if (!one->fill.same_as.empty()) follow(*one);
    }
  }

 private:
  static bool are_alike(const ArgumentSpec& a, const ArgumentSpec& b) {
    const bool is_random = a.fill.kind == FillSpec::Kind::kUniform ||
                           a.fill.kind == FillSpec::Kind::kNormal ||
                           a.fill.kind == FillSpec::Kind::kIntegers;
    const auto text = [](const Expression& e) { return e.text(); };
    return is_random && a.name != b.name && a.type == b.type && a.fill.kind == b.fill.kind &&
           a.fill.a == b.fill.a && a.fill.b == b.fill.b &&
           std::ranges::equal(a.shape, b.shape, {}, text, text);
  }

  // One array may be meant, of which a kernel that uses the constant gets another than the
  // reference.
  void warn_of_twins() {
    for (const ArgumentSpec& constant : reader_.study.constants) {
      for (const ArgumentSpec& argument : reader_.study.arguments) {
        if (constant.is_scalar || argument.is_scalar || !are_alike(constant, argument)) continue;
        reader_.warning(constant.where,
                        "'" + constant.name + "' has the fill of the argument '" + argument.name +
                            "', and holds other numbers",
                        "fill: {same_as: " + argument.name + "}, where they are one array");
      }
    }
  }

  // The other one of this name: a constant may be called like an argument.
  const ArgumentSpec* other(const std::string& name, const ArgumentSpec& self) const {
    const auto found = std::ranges::find_if(
        all_, [&](const ArgumentSpec* one) { return one != &self && one->name == name; });
    return found == all_.end() ? nullptr : *found;
  }

  void complain(const ArgumentSpec& one, const std::string& message, std::string suggestion = {}) {
    reader_.error(one.where, "'" + one.name + "' " + message, std::move(suggestion));
  }

  void follow(ArgumentSpec& one) {
    const ArgumentSpec* source = &one;
    for (std::size_t steps = 0; !source->fill.same_as.empty(); ++steps) {
      const std::string name = source->fill.same_as;
      source = other(name, *source);
      if (source == nullptr) {
        std::vector<std::string> names;
        for (const ArgumentSpec* each : all_) {
          if (each != &one && !each->is_scalar) names.push_back(each->name);
        }
        return complain(one, "is filled as '" + name + "', which is no argument or constant",
                        suggestion_for(name, names));
      }
      if (source == &one || steps > all_.size()) {
        return complain(one, "is filled as itself in the end");
      }
      if (source->is_scalar) {
        return complain(one, "is filled as '" + name + "', which is no buffer");
      }
      if (source->role != Role::kIn && source->role != Role::kInOut) {
        return complain(one, "is filled as '" + name + "', which nothing fills");
      }
    }
    const auto type = [](const ArgumentSpec& argument) {
      return argument.choice ? argument.type_name : std::string(name_of(argument.type));
    };
    if (type(*source) != type(one)) {
      return complain(one, "is " + type(one) + " and filled as '" + source->name + "', which is " +
                               type(*source));
    }
    if (source->fill.kind == FillSpec::Kind::kProblem) {
      return complain(one, "is filled as '" + source->name + "', which the problem fills");
    }
    resolved(one, *source);
  }

  // What stands for another one is still followed through its name.
  void resolved(ArgumentSpec& one, const ArgumentSpec& source) {
    FillSpec fill = source.fill;
    fill.same_as = source.name;
    one.fill = std::move(fill);
  }

  Reader& reader_;
  std::vector<ArgumentSpec*> all_;
};

}  // namespace

void resolve_same_fills(Reader& reader) { SameFills(reader).resolve(); }

}  // namespace tuner
