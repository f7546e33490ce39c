// texture, surface, tensor_map: objects through which a kernel reaches another argument's buffer.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tuner/study/keys.h"
#include "tuner/study/sections.h"
#include "tuner/study/yaml_values.h"

namespace tuner {

namespace {

template <typename Meaning>
using Words = std::vector<std::pair<std::string, Meaning>>;  // the first one where none is said

const Words<TextureView::Filter> kFilters{{"point", TextureView::Filter::kPoint},
                                          {"linear", TextureView::Filter::kLinear}};
const Words<TextureView::Outside> kOutside{{"clamp", TextureView::Outside::kClamp},
                                           {"wrap", TextureView::Outside::kWrap},
                                           {"mirror", TextureView::Outside::kMirror},
                                           {"border", TextureView::Outside::kBorder}};
const Words<bool> kReadAsFloats{{"element", false}, {"normalized_float", true}};

constexpr auto kOf = key("of", "text", "The buffer.").needed();
constexpr auto kSurface = key_table("'surface'", kOf);
constexpr auto kTexture = key_table(
    "'texture'", kOf,
    key("filter", R"({"enum": ["point", "linear"]})", "Of what is read as floating-point numbers."),
    key("address", R"({"enum": ["clamp", "wrap", "mirror", "border"]})", "Outside of the buffer."),
    key("normalized", R"({"type": "boolean"})", "Coordinates from 0 to 1."),
    key("read", R"({"enum": ["element", "normalized_float"]})", "How integers are read."),
    key("array", R"({"type": "boolean"})", "Over an array that holds what the buffer holds."));

template <typename Meaning>
Meaning word_of(const Fields& fields, const char* key, const Words<Meaning>& words) {
  std::vector<std::string> all;
  for (const auto& [word, meaning] : words) all.push_back(word);
  const YamlNode* node = fields.find(key);
  return words[node == nullptr ? 0 : read_word(*node, key, all).value_or(0)].second;
}

bool flag_of(const Fields& fields, const char* key) {
  const YamlNode* node = fields.find(key);
  return node != nullptr && read_flag(*node, "'" + std::string(key) + "'");
}

void read_buffer(const Fields& fields, MemberSpec& member) {
  const YamlNode* of = fields.require("of");
  if (of == nullptr) return;
  member.of = read_text(*of, "'of'").value_or("");
  member.where = of->where();
}

void read_surface(const YamlNode& node, const Position& where, MemberSpec& member) {
  const Fields fields = kSurface.fields(node, where);
  if (fields.is_map()) read_buffer(fields, member);
}

void read_view(const YamlNode& node, const Position& where, MemberSpec& member) {
  const Fields fields = kTexture.fields(node, where);
  if (!fields.is_map()) return;
  read_buffer(fields, member);
  TextureSpec& texture = *member.texture;
  texture.filter = word_of(fields, "filter", kFilters);
  texture.outside = word_of(fields, "address", kOutside);
  texture.as_floats = word_of(fields, "read", kReadAsFloats);
  texture.normalized = flag_of(fields, "normalized");
  if (flag_of(fields, "array")) texture.kind = TextureView::Kind::kOverArray;
}

std::string type_of(const ArgumentSpec& argument) {
  return argument.choice ? to_text(argument.choice->value) : argument.type_name;
}

// Describes what is wrong with a texture over this buffer, and what is allowed; empty texts when
// nothing is.
std::pair<std::string, std::string> texture_mistake(const TextureSpec& how,
                                                    const ArgumentSpec& of) {
  const std::string name = "'" + of.name + "'";
  const bool is_surface = how.kind == TextureView::Kind::kSurface;
  const bool is_over_memory = how.kind == TextureView::Kind::kOverMemory;
  const bool is_vector = of.shape.size() == 1;
  const std::size_t bytes = size_of(of.type);
  const bool is_linear = how.filter == TextureView::Filter::kLinear;
  const bool is_plain =
      !is_linear && how.outside == TextureView::Outside::kClamp && !how.normalized;
  const bool has_type = facts_of(of.type).has_textures && !of.record && of.lanes != 3;
  if (is_working_space(of.role)) {
    return {name + " is scratch or a workspace, which has no fixed extents", ""};
  }
  const std::string extents = name + " has " + std::to_string(of.shape.size()) + " extents: ";
  if (of.shape.size() > 3) return {extents + "there are no arrays of more than 3", ""};
  if (of.shape.size() == 3 && is_over_memory) {
    return {extents + "a texture over memory has one or two", "array: true"};
  }
  if (!has_type) {
    return {(is_surface ? "a surface" : "a texture") + std::string(" cannot have elements of ") +
                type_of(of),
            "float32, float16 and integers of 8 to 32 bits; vectors of 2 or 4 of them"};
  }
  if (is_vector && !is_plain && is_over_memory) {
    return {
        "a texture over a vector is read by tex1Dfetch, which knows no filter, address or "
        "normalized coordinate",
        "a matrix of one row, for tex2D"};
  }
  const bool repeats =
      how.outside == TextureView::Outside::kWrap || how.outside == TextureView::Outside::kMirror;
  if (repeats && !how.normalized) {
    return {"'wrap' and 'mirror' are of normalized coordinates", "normalized: true"};
  }
  if (how.as_floats && (is_floating(of.type) || bytes > 2)) {
    return {"only integers of 8 or 16 bits are read as normalized floats, and " + name + " is " +
                type_of(of),
            "read: element"};
  }
  if (is_linear && !is_floating(of.type) && !how.as_floats) {
    return {"'linear' takes means of elements, and those of " + name + " are integers",
            bytes <= 2 ? "read: normalized_float" : "filter: point"};
  }
  return {};
}

}  // namespace

bool read_texture(const Fields& fields, ArgumentSpec& argument) {
  const bool is_surface = fields.mentions("surface");
  const std::string what = is_surface ? "surface" : "texture";
  if (!fields.mentions(what)) return false;
  std::vector<std::string> others{"type",  "shape",      "role",   "fill",   "zero",
                                  "value", "tensor_map", "buffer", "offset", "pointers"};
  if (is_surface) others.emplace_back("texture");
  fields.refuse(others, "'" + argument.name + "' is a " + what);
  argument.is_scalar = true;
  argument.type = DataType::kUInt64;
  argument.record.emplace().bytes = sizeof(std::uint64_t);
  MemberSpec& member = argument.record->members.emplace_back();
  member.is_address = true;
  member.where = argument.where;
  TextureSpec& texture = member.texture.emplace();
  if (is_surface) texture.kind = TextureView::Kind::kSurface;
  if (const YamlNode* node = fields.require(what)) {
    (is_surface ? read_surface : read_view)(*node, fields.where(what), member);
  }
  return true;
}

void check_textures(Reader& reader) {
  for (const ArgumentSpec& argument : reader.study.arguments) {
    if (!is_texture(argument)) continue;
    const MemberSpec& member = argument.record->members.front();
    for (const ArgumentSpec& of : reader.study.arguments) {
      if (of.name != member.of || of.is_scalar || of.shape.empty()) continue;
      auto [wrong, allowed] = texture_mistake(*member.texture, of);
      if (!wrong.empty()) reader.error(member.where, wrong, allowed);
    }
  }
}

// ---- tensor_map ---------------------------------------------------------------------------------

namespace {

constexpr auto kTensorMap = key_table(
    "'tensor_map'", kOf,
    key("box",
        R"({"type": "array", "minItems": 1, "maxItems": 5, "items": {"$ref": "#/definitions/expression"}})",
        "One extent for each of the buffer's.")
        .needed(),
    key("swizzle", "expression", "Bytes: 0, 32, 64 or 128."));

void read_box(Reader& reader, const YamlNode& node, TensorMapSpec& map) {
  for (const YamlRef& item : items_of(node, "'box'")) {
    map.box.push_back(reader.names.read(*item, "'box'", kSpaceNames, "'box'"));
  }
}

void check_tensor_map(Reader& reader, TensorMapSpec& map) {
  const std::vector<ArgumentSpec>& all = reader.study.arguments;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ArgumentSpec& other) { return other.name == map.of; });
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const ArgumentSpec& other : all) {
      if (!other.is_scalar) names.push_back(other.name);
    }
    reader.error(map.where, "there is no argument '" + map.of + "'", suggestion_for(map.of, names));
  } else if (found->is_scalar) {
    reader.error(map.where, "'" + map.of + "' is no buffer: there is nothing to make a map of");
  } else if (!map.box.empty() && !found->shape.empty() && map.box.size() != found->shape.size()) {
    reader.error(map.where, "the box has " + std::to_string(map.box.size()) +
                                " extents, the shape of '" + map.of + "' " +
                                std::to_string(found->shape.size()));
  } else {
    map.extents = found->shape;
  }
}

}  // namespace

void read_tensor_map(Reader& reader, const Fields& fields, ArgumentSpec& argument) {
  argument.is_scalar = true;
  fields.refuse({"type", "shape", "role", "fill", "zero", "value"},
                "'" + argument.name + "' is a tensor map");
  const YamlNode* node = fields.require("tensor_map");
  if (node == nullptr) return;
  const Position where = fields.where("tensor_map");
  const Fields inner = kTensorMap.fields(*node, where);
  if (!inner.is_map()) return;
  TensorMapSpec map;
  const YamlNode* of = inner.require("of");
  const YamlNode* box = inner.require("box");
  if (box != nullptr) {
    read_box(reader, *box, map);
    constexpr std::size_t kMostDimensions = 5;
    if (box->is_sequence() && (box->items.empty() || box->items.size() > kMostDimensions)) {
      box->error("a box has one to five extents");
    }
  }
  map.swizzle = reader.expression(inner, "swizzle", kSpaceNames, "'swizzle'");
  if (of == nullptr) return;
  map.of = read_text(*of, "'of'").value_or("");
  map.where = of->where();
  argument.map = std::move(map);
}

void check_tensor_maps(Reader& reader) {
  for (ArgumentSpec& argument : reader.study.arguments) {
    if (argument.map && !argument.map->of.empty()) check_tensor_map(reader, *argument.map);
  }
}

void describe_views(SchemaParts& parts) {
  parts.definitions["surface"] = kSurface.schema();
  parts.definitions["texture"] = kTexture.schema();
  parts.definitions["tensor_map"] = kTensorMap.schema();
}

}  // namespace tuner
