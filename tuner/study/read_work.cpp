// Reads the section work: what a kernel has to do at least.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/resolve/device_limit.h"
#include "tuner/study/sections.h"

namespace tuner {
namespace {

// What a size alone decides can be looked at now, at each of them; the first that is wrong stands
// for all.
void check_amount(Reader& reader, const YamlNode& node, const Expression& amount,
                  const std::string& what) {
  if (amount.empty()) return;
  const auto is_extent = [&](const std::string& name) {
    return reader.names.knows(name, kSizeName);
  };
  if (!std::ranges::all_of(amount.names(), is_extent)) return;
  for (const ProblemSize& size : reader.study.sizes) {
    Bindings names;
    for (const auto& [name, extent] : size.dims) names[name] = extent;
    const auto value = amount.evaluate(names);
    const std::string at = size.dims.empty() ? "" : " at " + size.label();
    if (!value) {
      return node.error(what + " has no value" + at + ": " + value.error().message);
    }
    const auto number = amount_of(*value);
    if (number) continue;
    return node.error(fmt::format("{} is {}{}", what, to_text(*value), at), "a number, 0 or more");
  }
}

void read_type(Reader& reader, const YamlNode& node, std::string& out) {
  const auto text = read_text(node, "'type'");
  if (!text) return;
  out = *text;
  if (text->find('{') != std::string::npos) {
    return check_placeholders(reader, node, kSpaceNames, "the type of 'work'");
  }
  const auto type = work_type_named(*text);
  if (type) {
    out = *type;
  } else {
    node.error("unknown type '" + *text + "' of 'work'", suggestion_for(*text, work_types()));
  }
}

}  // namespace

void read_work(Reader& reader, const YamlNode& node, const Position& where) {
  const Fields fields(node, where, "'work'", {"bytes", "flops", "type"});
  if (!fields.is_map()) return;
  if (!fields.mentions("bytes") && !fields.mentions("flops")) {
    return reader.error(where, "'work' says neither 'bytes' nor 'flops'", "work: {bytes: 8 * N}");
  }
  LeastWork work;
  const auto read = [&](const char* key, Expression& out) {
    const YamlNode* amount = fields.require(key);
    if (amount == nullptr) return;
    const std::string what = "'" + std::string(key) + "' of 'work'";
    out = reader.names.read(*amount, what, kSpaceNames, what);
    check_amount(reader, *amount, out, what);
  };
  if (fields.mentions("bytes")) read("bytes", work.bytes);
  if (fields.mentions("flops")) read("flops", work.flops);
  if (const YamlNode* type = fields.find("type")) {
    read_type(reader, *type, work.type);
    if (!fields.mentions("flops")) {
      type->error("'type' is that of 'flops', which are not there");
    }
  }
  reader.study.least_work = std::move(work);
}

}  // namespace tuner
