#include "tuner/expression/expression.h"

#include "tests/fuzz/targets.h"

namespace tuner::fuzz {

void expression(const std::string& bytes) {
  const auto parsed = Expression::parse(bytes, {"file", 3, 7});
  if (!parsed) {
    require(!parsed.error().message.empty(), "who refuses an expression says why");
    return;
  }
  require(parsed->text() == bytes, "an expression keeps its text");
  Bindings names;
  std::int64_t next = -1;
  for (const std::string& name : parsed->names()) {
    switch (++next % 4) {
      case 0:
        names.emplace(name, Value{next * 3 - 5});
        break;
      case 1:
        names.emplace(name, Value{0.25 * static_cast<double>(next)});
        break;
      case 2:
        names.emplace(name, Value{std::string("text")});
        break;
      default:
        names.emplace(name, Value{true});
    }
  }
  const auto value = parsed->evaluate(names);
  const auto again = parsed->evaluate(names);
  require(value.has_value() == again.has_value(), "an expression has one value");
  if (!value) {
    require(!value.error().message.empty(), "an expression without a value says why");
    return;
  }
  require(to_text(*value) == to_text(*again), "an expression has one value");
}

}  // namespace tuner::fuzz
