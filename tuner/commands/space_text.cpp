// Says what is in a search space, and in a domain of sizes.

#include "tuner/commands/space_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tuner/base/terminal_text.h"
#include "tuner/model/size_sampler.h"

namespace tuner {

std::string space_text(const SearchSpace& space) {
  const SpaceReport& report = space.report();
  std::string text =
      fmt::format("cartesian product  {}\nvalid              {}\n", report.cartesian, report.valid);
  for (const auto& group : report.groups) {
    if (group.size() < 2) continue;  // tied to nothing
    text += fmt::format("constrained together: {}\n",
                        for_terminal(fmt::format("{}", fmt::join(group, ", "))));
  }
  for (const ConstraintReport& rule : space.constraint_reports()) {
    std::string remark;
    if (rule.removed_fraction >= 1 && rule.exact) remark = "  <- removes everything: a mistake?";
    if (rule.removed_fraction <= 0 && rule.exact) remark = "  <- removes nothing";
    text += fmt::format("removes {}{:5.1f} %  {}{}\n", rule.exact ? " " : "~",
                        100 * rule.removed_fraction, for_terminal(rule.text), remark);
    if (rule.errors > 0) {
      text += fmt::format("         {} times it cannot be computed: {}\n", rule.errors,
                          for_terminal(rule.first_error));
    }
  }
  return text;
}

nlohmann::json space_json(const SearchSpace& space) {
  const SpaceReport& report = space.report();
  nlohmann::json out{{"cartesian", report.cartesian},
                     {"valid", report.valid},
                     {"build_seconds", report.build_seconds},
                     {"peak_bytes", report.peak_bytes},
                     {"groups", report.groups}};
  // Adding up hashes visits every configuration: not for spaces that nobody could list.
  constexpr ConfigIndex kHashable = 100'000'000;
  if (space.size() <= kHashable) {
    if (const auto hash = space.valid_hash()) out["valid_hash"] = fmt::format("{:016x}", *hash);
  }
  for (const ConstraintReport& rule : space.constraint_reports()) {
    nlohmann::json row{{"constraint", rule.text},
                       {"removed", rule.removed},
                       {"removed_fraction", rule.removed_fraction},
                       {"exact", rule.exact},
                       {"errors", rule.errors}};
    if (rule.errors > 0) row["first_error"] = rule.first_error;
    out["constraints"].push_back(std::move(row));
  }
  return out;
}

std::string domain_text(const SizeDomain& domain) {
  constexpr int kExamples = 3;
  std::string out = fmt::format("domain             {}\n", ranges_text(domain.extents));
  SizeSampler sampler(domain, 1);
  double sum = 0;
  for (const SizeKind& kind : domain.kinds) sum += kind.weight;
  for (std::size_t k = 0; k < domain.kinds.size(); ++k) {
    std::string examples;
    for (int i = 0; i < kExamples; ++i) {
      const auto size = sampler.draw_of(k);
      if (size) examples += (examples.empty() ? "" : ", ") + size->label();
    }
    const SizeKind& kind = domain.kinds[k];
    out += fmt::format("kind {:>5.1f} %       {}: {}\n", 100 * kind.weight / sum,
                       kind.rule.empty() ? "every size" : for_terminal(kind.rule.text()), examples);
  }
  return out;
}

}  // namespace tuner
