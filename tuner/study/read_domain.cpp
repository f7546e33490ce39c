// Reads problem_sizes where it is a domain: ranges of the dimensions, kinds and their weights.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tuner/model/size_sampler.h"
#include "tuner/study/keys.h"
#include "tuner/study/sections.h"

namespace tuner {
namespace {

constexpr auto kDomain = key_table(
    "'problem_sizes'",
    key("domain", R"({"type": "object", "minProperties": 1, "additionalProperties": {
          "type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer", "minimum": 1}}})",
        "By dimension: [lowest, highest].")
        .needed(),
    key("kinds",
        R"({"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/expression"}})",
        "Conditions on the dimensions: a size is of a kind where it is true."),
    key("weights", R"({"type": "array", "items": {"type": "number", "exclusiveMinimum": 0}})",
        "One for each kind: how much it counts."));

constexpr std::uint64_t kExampleSeed = 1;
constexpr std::int64_t kLargest = std::int64_t{1} << 40;

std::optional<ExtentRange> read_extents(const YamlNode& key, const YamlNode& node) {
  const std::string what = "dimension '" + key.text + "'";
  if (!node.is_sequence() || node.items.size() != 2) {
    (node.is_null() ? key : node)
        .error(what + " must be [lowest, highest]",
               node.is_scalar() ? fmt::format("[{0}, {0}]", node.text) : "");
    return std::nullopt;
  }
  const auto low = read_extent(*node.items[0], what);
  const auto high = read_extent(*node.items[1], what);
  if (!low || !high) return std::nullopt;
  if (*low < 1) {
    node.error(fmt::format("{} must begin at 1 at least, not {}", what, *low));
  } else if (*low > *high) {
    node.error(fmt::format("{} begins at {}, above its end {}", what, *low, *high));
  } else if (*high > kLargest) {
    node.error(fmt::format("{} ends at {}, above 2^40", what, *high));
  } else {
    return ExtentRange{key.text, *low, *high};
  }
  return std::nullopt;
}

// False when a range is wrong.
bool read_ranges(Reader& reader, const YamlNode& node, SizeDomain& domain) {
  if (!expect_map(node, "'domain'")) return false;
  if (node.entries.empty()) {
    node.error("'domain' is empty: it has no dimension");
    return false;
  }
  bool good = true;
  for (const auto& [key, value] : node.entries) {
    reader.names.declare(*key, kSizeName);
    const auto range = read_extents(*key, *value);
    good = good && range;
    domain.extents.push_back(range.value_or(ExtentRange{key->text, 1, 1}));
  }
  return good;
}

bool read_kinds(Reader& reader, const YamlNode& node, SizeDomain& domain) {
  if (!expect_list(node, "'kinds'")) return false;
  if (node.items.empty()) {
    node.error("'kinds' is empty; without it there is one kind, every size");
    return false;
  }
  bool good = true;
  for (const YamlRef& item : node.items) {
    Expression rule = reader.names.read(*item, "a kind", kSizeName, "a kind");
    good = good && !rule.empty();
    domain.kinds.push_back({std::move(rule), 1});
  }
  return good;
}

void read_weights(const YamlNode& node, SizeDomain& domain) {
  if (!expect_list(node, "'weights'")) return;
  const std::size_t kinds = domain.kinds.size();
  if (node.items.size() != kinds) {
    node.error(fmt::format("'weights' has {} number{}; there {} {} kind{}", node.items.size(),
                           node.items.size() == 1 ? "" : "s", kinds == 1 ? "is" : "are", kinds,
                           kinds == 1 ? "" : "s"));
    return;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const auto weight = read_number(*node.items[i], "a weight");
    if (!weight) continue;
    if (*weight > 0) {
      domain.kinds[i].weight = *weight;
    } else {
      node.items[i]->error("a weight must be above 0, not " + node.items[i]->text);
    }
  }
}

// An example of each kind, which stand for the domain where one size is wanted. A domain of a
// single size is that size.
void take_over(Reader& reader, SizeDomain domain, const Position& where) {
  SizeSampler sampler(domain, kExampleSeed);
  std::vector<ProblemSize>& sizes = reader.study.sizes;
  for (std::size_t k = 0; k < domain.kinds.size(); ++k) {
    const auto example = sampler.draw_of(k);
    const Expression& rule = domain.kinds[k].rule;
    if (!example) {
      reader.error(
          rule.empty() ? where : rule.origin(),
          fmt::format("no size of the domain is of this kind: {} draws within {} found none",
                      SizeSampler::kMostDraws, ranges_text(domain.extents)));
      break;  // the search has taken seconds, and would for each of the others
    } else if (std::ranges::find(sizes, *example) == sizes.end()) {
      sizes.push_back(*example);
    }
  }
  const bool single = std::ranges::all_of(
      domain.extents, [](const ExtentRange& range) { return range.low == range.high; });
  if (!single) reader.study.domain = std::move(domain);
}

}  // namespace

void read_domain(Reader& reader, const YamlNode& node) {
  const Position where = node.where();
  const Fields fields = kDomain.fields(node, where);
  const YamlNode* ranges = fields.require("domain");
  if (ranges == nullptr) {
    reader.names.set_incomplete();
    return;
  }
  SizeDomain domain;
  bool good = read_ranges(reader, *ranges, domain);
  if (const YamlNode* kinds = fields.find("kinds"))
    good = read_kinds(reader, *kinds, domain) && good;
  if (domain.kinds.empty()) domain.kinds.emplace_back();
  if (const YamlNode* weights = fields.find("weights")) read_weights(*weights, domain);
  if (good) {
    take_over(reader, std::move(domain), where);
    return;
  }
  ProblemSize any;  // so that the other sections know the dimensions
  for (const ExtentRange& range : domain.extents) any.dims.emplace_back(range.name, range.low);
  reader.study.sizes.push_back(std::move(any));
}

void describe_domain(SchemaParts& parts) {
  const Schema sizes = Schema::parse(R"({"type": "array", "minItems": 1, "items": {
    "type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}})");
  parts.sections["problem_sizes"] = {
      {"description",
       "Maps of dimension to extent, all with the same dimensions; or a domain, of which the run "
       "chooses sizes."},
      {"anyOf", Schema::array({sizes, kDomain.schema()})}};
}

}  // namespace tuner
