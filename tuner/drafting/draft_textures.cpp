// Writes texture objects in the words of a study: what they are over is seen by how they are read.

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "tuner/drafting/draft_records.h"
#include "tuner/source/parameters.h"

namespace tuner {
namespace {

struct Reading {
  std::string type;  // C's name
  bool is_matrix = false;
};

// tex2D<float>(name, x, y), tex1Dfetch<float4>(&v, name, i)
std::optional<Reading> reading_of(const DraftContext& c, const std::string& name) {
  const Tokens body = c.kernel.body;
  for (std::size_t at = 0; at + 3 < body.size(); ++at) {
    const bool is_matrix = body[at].is("tex2D") || body[at].is("tex2DLod");
    if ((!is_matrix && !body[at].is("tex1Dfetch")) || !body[at + 1].is("<")) continue;
    const Tokens rest = body.subspan(at + 2);
    if (!mentions(part_before(part_behind(rest, ">"), ";"), name)) continue;
    return Reading{c.seen_through(joined(part_before(rest, ">"))), is_matrix};
  }
  return std::nullopt;
}

// What the host code sets in its cudaTextureDesc, in so far as a texture over a matrix can have it.
std::string view_text(const DraftContext& c, const Reading& reading, bool as_floats, bool is_real) {
  std::string out = as_floats ? ", read: normalized_float" : "";
  if (!reading.is_matrix) return out;
  if (mentions(c.source.code, "cudaFilterModeLinear") && is_real) out += ", filter: linear";
  const auto& code = c.source.code;
  bool is_normalized = false;
  for (std::size_t i = 0; i + 2 < code.size(); ++i) {
    is_normalized = is_normalized || (code[i].is("normalizedCoords") && code[i + 1].is("=") &&
                                      (code[i + 2].is("1") || code[i + 2].is("true")));
  }
  if (is_normalized) out += ", normalized: true";
  if (mentions(c.source.code, "cudaAddressModeBorder")) return out + ", address: border";
  if (is_normalized && mentions(c.source.code, "cudaAddressModeWrap"))
    return out + ", address: wrap";
  if (is_normalized && mentions(c.source.code, "cudaAddressModeMirror"))
    return out + ", address: mirror";
  return out;
}

}  // namespace

std::optional<DraftedArgument> drafted_texture(DraftContext& context, const FoundArgument& one) {
  if (one.c_type != "cudaTextureObject_t" || one.is_pointer()) return std::nullopt;
  const auto reading = reading_of(context, one.name);
  const auto element = reading ? element_type(reading->type) : std::nullopt;
  if (!element || element->lanes == 3) return std::nullopt;
  const bool is_real = element->name == "float32";
  if (!is_real && element->name.find("int") == std::string::npos) return std::nullopt;
  if (bytes_of({element->name, 1}) > 4) return std::nullopt;
  const bool as_floats = is_real && mentions(context.source.code, "cudaReadModeNormalizedFloat");
  const std::string lanes = element->lanes > 1 ? std::to_string(element->lanes) : "";
  const std::string type = as_floats ? lanes.empty() ? "uint8" : "uchar" + lanes : reading->type;
  const std::string name = context.new_name(one.name + "_data");
  context.plan.buffers.push_back(
      {name,
       fmt::format("type: {}, shape: [{}], fill: {}", type,
                   reading->is_matrix ? "256, 256" : "65536",
                   is_real && !as_floats ? "{uniform: [-1, 1]}" : "{integers: [0, 9]}"),
       "a guess: the shape, and that nothing else takes it"});
  return DraftedArgument{
      one.name,
      fmt::format("texture: {{of: {}{}}}", name, view_text(context, *reading, as_floats, is_real)),
      ""};
}

}  // namespace tuner
