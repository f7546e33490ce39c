// The part of an exported header that selects a configuration: cpp/selection.hpp for the dimensions
// of one study.

#include <fmt/format.h>

#include "tuner/exporters/embedded_text.h"
#include "tuner/exporters/header_model.h"
#include "tuner/exporters/selection.h"

namespace tuner {
namespace {

void replace(std::string& text, const std::string& what, const std::string& with) {
  text.replace(text.find(what), what.size(), with);
}

}  // namespace

std::string header_selection(const HeaderModel& model) {
  std::string positive;
  std::string same;
  std::string query;
  std::string distance;
  std::string example = "90";
  const SizeDistance weighted(model.table->weights);
  for (std::size_t d = 0; d < model.dims.size(); ++d) {
    const std::string& name = model.dims[d].name;
    positive += fmt::format("{}d.{} > 0", d > 0 ? " && " : "", name);
    same += fmt::format("{0}e.size.{1} == d.{1}", d > 0 ? " && " : "", name);
    example += ", 1024";
    const std::int64_t factor = weighted.factor(d);
    if (factor == 0) continue;
    query += fmt::format("  const int q{} = detail::lg256(d.{});\n", d, name);
    distance += fmt::format("{0}{1}detail::square(q{2} - e.lg[{2}])", distance.empty() ? "" : " + ",
                            factor == 1 ? "" : fmt::format("{} * ", factor), d);
  }
  std::string out(kSelectionText);
  replace(out, "TUNER_POSITIVE", positive.empty() ? "true" : positive);
  replace(out, "  TUNER_QUERY;\n", query.empty() ? "  static_cast<void>(d);\n" : query);
  replace(out, "TUNER_DISTANCE", distance.empty() ? "0" : distance);
  replace(out, "TUNER_UNIT", fmt::format("{:.17g}", weighted.unit()));
  replace(out, "TUNER_SAME", same.empty() ? "true" : same);
  replace(out, "TUNER_EXAMPLE", example);
  return out;
}

}  // namespace tuner
