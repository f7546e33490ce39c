#pragma once
// The names of a study's expressions at one size of one device, for one configuration after the
// other.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "tuner/model/device_facts.h"
#include "tuner/model/problem_size.h"
#include "tuner/model/study.h"

namespace tuner {

// bindings_of() and constraints_hold() one configuration after the other: a derived name or a
// constraint is evaluated only when it is asked for and what it names has changed since. The study
// must outlive it.
class NamesAt {
 public:
  NamesAt(const Study& study, const DeviceFacts& device, const ProblemSize& size);
  NamesAt(NamesAt&&) = default;
  NamesAt& operator=(NamesAt&&) = default;

  // Valid until the next call.
  const Bindings& of(const Configuration& configuration);
  // Whether all constraints hold for it.
  bool hold_constraints(const Configuration& configuration);
  // constraints_hold(): the conditions of the run, too.
  bool hold(const Configuration& configuration);

 private:
  // A parameter or a derived name.
  struct Place {
    Bindings::iterator at;         // in names_, unless it is absent
    std::uint64_t changed = 0;     // when
    std::uint64_t looked_at = 0;   // when
    Bindings::node_type absent{};  // of a derived name while it has no value
  };
  // A name that a rule has.
  struct Reference {
    static constexpr std::size_t kNone = ~std::size_t{0};
    std::size_t place = kNone;    // in places_
    const Value* fact = nullptr;  // where it is none of these; null: nobody knows it
  };
  // A derived name's expression, or a constraint.
  struct Rule {
    const Expression* expression = nullptr;
    std::vector<Reference> names{};
    std::uint64_t evaluated = 0;  // when
    bool holds = false;           // a constraint, then
  };
  class ValuesOfRule;

  Rule rule_of(const Expression& expression,
               const std::map<std::string_view, std::size_t>& known) const;
  void bind(const Configuration& configuration);
  void look_at(std::size_t place);
  bool is_stale(const Rule& rule);
  bool evaluate(Rule& rule, Value& out) const;
  bool holds(Rule& rule);

  Bindings names_;
  std::vector<Place> places_;  // the parameters, then the derived names
  std::size_t parameters_;     // of these
  std::vector<Rule> derived_;
  std::vector<Rule> constraints_;
  std::vector<Rule> conditions_;
  std::uint64_t now_ = 0;  // counts configurations; 0 is before the first
};

}  // namespace tuner
