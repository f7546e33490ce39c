// Arguments of a T1 file.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "tuner/study/t1_sections.h"
#include "tuner/study/yaml_values.h"

namespace tuner {
namespace {

struct ElementType {
  DataType type = DataType::kFloat32;
  int width = 1;  // of a vector type such as float4
};

std::optional<ElementType> element_type(const std::string& text) {
  if (text == "bool" || text == "byte") return ElementType{DataType::kUInt8, 1};
  // "float4" is four floats here, although "float16" is a type elsewhere in this program.
  static const std::regex kVector("(half|float|double|int|uint)([234]|8|16)");
  std::smatch parts;
  if (std::regex_match(text, parts, kVector)) {
    const std::string base = parts[1] == "uint" ? "unsigned int" : parts[1].str();
    const bool narrow = (base == "int" || parts[1] == "uint") && parts[2] != "2" &&
                        parts[2] != "3" && parts[2] != "4";  // int8 and int16 are scalars
    const auto type = data_type_named(parts[1] == "uint" ? "uint32" : base);
    if (!narrow && type) return ElementType{*type, std::stoi(parts[2])};
  }
  const auto type = data_type_named(text);
  return type ? std::optional(ElementType{*type, 1}) : std::nullopt;
}

// "problem_x" for ProblemSize[0].
std::string extent_text(const T1Parts& t1, const YamlNode& node, const std::string& axis) {
  const std::string& extent = t1.problem[static_cast<std::size_t>(axis.front() - '0')];
  if (!extent.empty()) return extent;
  node.error("'ProblemSize' has no extent [" + axis + "]");
  return "1";
}

// "max(tile)" of the parameter's values; empty when there is no such parameter.
std::optional<std::string> text_over_values(T1Parts& t1, const std::string& function,
                                            const std::string& name) {
  const auto& all = t1.parameters;
  const auto parameter =
      std::find_if(all.begin(), all.end(), [&](const Parameter& p) { return p.name == name; });
  if (parameter == all.end()) return std::nullopt;
  if (function == "len") return std::to_string(parameter->values.size());
  if (parameter->values.size() > 1 && std::ranges::find(t1.extents, name) == t1.extents.end()) {
    t1.extents.push_back(name);
  }
  const auto is_text = [](const Value& value) {
    return std::holds_alternative<std::string>(value);
  };
  if (std::ranges::any_of(parameter->values, is_text)) return std::nullopt;
  const auto less = [](const Value& a, const Value& b) { return to_number(a) < to_number(b); };
  const auto ends = std::minmax_element(parameter->values.begin(), parameter->values.end(), less);
  const Value& end = function == "max" ? *ends.second : *ends.first;
  return to_number(end) < 0 ? "(" + to_text(end) + ")" : to_text(end);
}

// Replaces the parts of a size that T1 alone knows: there, the name of a parameter is the list of
// its values, as in "ProblemSize[0] + max(filter_width) - 1".
std::string size_text(T1Parts& t1, const YamlNode& node) {
  constexpr std::size_t kLongest = 1000;  // see NameForm
  if (node.text.size() > kLongest) return node.text;
  static const std::regex kPart(
      R"(ProblemSize\s*\[\s*([0-2])\s*\]|\b(max|min|len)\s*\(\s*([A-Za-z_]\w*)\s*\))");
  std::string text;
  auto rest = node.text.begin();
  // Replacements are not searched again: they may hold such a part, for ever.
  for (std::sregex_iterator part(node.text.begin(), node.text.end(), kPart), end; part != end;
       ++part) {
    text.append(rest, (*part)[0].first);
    rest = (*part)[0].second;
    text += (*part)[1].matched
                ? extent_text(t1, node, (*part)[1].str())
                : text_over_values(t1, (*part)[2].str(), (*part)[3].str()).value_or(part->str());
  }
  return text.append(rest, node.text.end());
}

// "(SIZE) * 4" of a vector type of four numbers.
YamlRef size_node(T1Parts& t1, const YamlNode& node, int width) {
  if (!node.is_scalar()) {
    node.error("'Size' must be a number or an expression, not " + kind_of(node));
    return nullptr;
  }
  YamlNode written = node;
  written.text = size_text(t1, node);
  if (width > 1) written.text = fmt::format("({}) * {}", written.text, width);
  const Expression size = t1.names.read(written, "'Size'", kSizeName, "the size of a buffer");
  return text_node(node, size.text());
}

YamlRef number_node(const YamlNode& at, double number) {
  return word_node(at, fmt::format("{}", number));
}

// {sequence: [FIRST, STEP]}
YamlRef numbers_node(const YamlNode& at, const std::string& key, double first, double second) {
  MapNode fill(at);
  fill.add(key, list_node(at, {number_node(at, first), number_node(at, second)}));
  return fill.node();
}

// "DataSource" of a generated fill: an expression in i.
YamlRef generated(const YamlNode& argument) {
  const YamlNode* source = t1_require(argument, "DataSource", "a generated argument");
  if (source == nullptr) return nullptr;
  const auto rule = Expression::parse(source->text, source->where(0));
  const auto at = [&](std::int64_t i) {
    if (!rule) return std::nan("");
    const auto value = rule->evaluate({{"i", Value(i)}});
    return value ? to_number(*value) : std::nan("");
  };
  const double first = at(0);
  const double step = at(1) - first;
  bool line = std::isfinite(first);
  for (const std::int64_t i : {2, 3, 10, 1000, 1000000}) {
    const double expected = first + step * static_cast<double>(i);
    line = line && std::abs(at(i) - expected) <= 1e-9 * std::max(1.0, std::abs(expected));
  }
  if (line) return numbers_node(*source, "sequence", first, step);
  return MapNode(*source).add("formula", text_node(*source, source->text)).node();
}

YamlRef random(const YamlNode& at, DataType type, std::optional<double> value) {
  const double high = value && *value > 0 ? *value : 1.0;
  return is_floating(type) ? numbers_node(at, "uniform", 0, high)
                           : numbers_node(at, "integers", 0, std::floor(high));
}

// Null after an error.
YamlRef fill_node(const T1Parts& t1, const YamlNode& node, DataType element) {
  std::optional<double> value;
  if (const YamlNode* given = t1_find(node, "FillValue")) {
    value = read_number(*given, "'FillValue'");
  }
  const YamlNode* type = t1_find(node, "FillType");
  if (type != nullptr && !read_text(*type, "'FillType'")) return nullptr;
  const std::string name = type == nullptr ? "Constant" : type->text;
  if (name == "Constant") {
    if (!value || *value == 0) return word_node(node, "zeros");
    return MapNode(node).add("constant", number_node(node, *value)).node();
  }
  if (name == "Random") return random(node, element, value);
  if (name == "Generator") return generated(node);
  if (name == "BinaryRaw") {
    const YamlNode* source = t1_require(node, "DataSource", "an argument read from a file");
    if (source == nullptr) return nullptr;
    const auto path = (source->folder() / source->text).lexically_normal();
    return MapNode(*source).add("file", text_node(*source, t1_path(t1, path))).node();
  }
  type->error("the fill '" + name + "' is not understood",
              "Constant, Random, Generator and BinaryRaw are");
  return nullptr;
}

Role role_of(const YamlNode& node) {
  const YamlNode* access = t1_find(node, "AccessType");
  const YamlNode* output = t1_find(node, "Output");
  const bool is_output = output != nullptr && output->text != "0" && output->text != "false";
  const std::string name = access == nullptr ? "ReadWrite" : access->text;
  if (name == "WriteOnly") {
    // Other tuners fill such a buffer all the same, and there are kernels that add to it.
    return t1_find(node, "FillType") == nullptr ? Role::kOut : Role::kInOut;
  }
  if (name == "ReadWrite" || (name == "ReadOnly" && is_output)) return Role::kInOut;
  if (name != "ReadOnly") {
    access->error("unknown access '" + name + "'",
                  suggestion_for(name, {"ReadOnly", "WriteOnly", "ReadWrite"}));
  }
  return Role::kIn;
}

// The expression of a key that may differ between configurations; null after an error.
YamlRef expression_node(T1Parts& t1, const YamlNode& argument, const char* key, const char* of,
                        const std::string& who) {
  const YamlNode* node = t1_require(argument, key, of);
  if (node == nullptr) return nullptr;
  const Expression e =
      t1.names.read(*node, fmt::format("'{}'", key), kParameterName | kSizeName, who);
  return text_node(*node, e.text());
}

// KTT's "Local": so much more dynamic shared memory, which in OpenCL the kernel's __local argument
// is.
void add_local(T1Parts& t1, const YamlNode& node, DataType type) {
  const YamlRef size = expression_node(t1, node, "Size", "a local argument", "'Size'");
  if (size == nullptr) return;
  const std::string more = fmt::format("({}) * {}", size->text, size_of(type));
  t1.shared_bytes = t1.shared_bytes.empty() ? more : "(" + t1.shared_bytes + ") + " + more;
}

const std::vector<std::string> kArgumentKeys{"Name",       "Type",     "MemoryType", "MemType",
                                             "AccessType", "FillType", "FillValue",  "DataSource",
                                             "Size",       "Output"};

// Lists of arguments and constants under construction.
struct ArgumentNodes {
  std::vector<YamlRef> arguments{};
  std::vector<YamlRef> constants{};
};

void add_vector(T1Parts& t1, const YamlNode& node, const YamlRef& name, const ElementType& element,
                ArgumentNodes& to) {
  YamlRef size;
  if (const YamlNode* given = t1_require(node, "Size", "a vector argument")) {
    size = size_node(t1, *given, element.width);
  }
  const YamlRef fill = fill_node(t1, node, element.type);
  const Role role = role_of(node);
  if (size == nullptr || fill == nullptr) return;
  MapNode argument(node);
  MapNode constant(node);
  for (MapNode* one : {&argument, &constant}) {
    one->add("name", name).add("type", word_node(node, std::string(name_of(element.type))));
    one->add("shape", list_node(node, {size}));
  }
  // Kernel Tuner copies constant memory to its symbol and passes it to the kernel as well. In
  // OpenCL it is an argument alone.
  const YamlNode* kind = t1_find(node, "MemType");
  const bool is_symbol = t1_find(node, "MemoryType")->text == "Symbol";
  const bool is_constant = kind != nullptr && kind->text == "Constant" && !t1.is_opencl;
  if (is_symbol || is_constant) {
    to.constants.push_back(constant.add("fill", fill).node());
  } else if (role != Role::kIn) {
    argument.add("role", word_node(node, role == Role::kOut ? "out" : "inout"));
    t1.outputs.emplace_back(name->text, element.type);
  }
  if (is_symbol) return;
  if (role != Role::kOut || is_constant) argument.add("fill", fill);
  to.arguments.push_back(argument.node());
}

void add_scalar(T1Parts& t1, const YamlNode& node, const YamlRef& name, DataType type,
                ArgumentNodes& to) {
  const YamlRef value =
      expression_node(t1, node, "FillValue", "a scalar argument", "the value of a scalar");
  MapNode argument(node);
  argument.add("name", name).add("type", word_node(node, std::string(name_of(type))));
  to.arguments.push_back(argument.add("value", value).node());
}

void add_argument(T1Parts& t1, const YamlNode& node, std::size_t index, ArgumentNodes& to) {
  if (!expect_map(node, "an argument")) return;
  const YamlNode* named = t1_find(node, "Name");
  const YamlRef name = named == nullptr
                           ? text_node(node, fmt::format("argument{}", index))
                           : text_node(*named, read_text(*named, "'Name'").value_or(""));
  static const NameForm kIdentifier("[A-Za-z_][A-Za-z0-9_]*");
  if (!kIdentifier.fits(name->text)) {
    name->error("'" + name->text + "' cannot be a name",
                "a letter or _, then letters, digits and _");
  }
  t1_warn_of_misspelt(node, kArgumentKeys, "an argument");
  const YamlNode* type = t1_require(node, "Type", "an argument");
  const YamlNode* memory = t1_require(node, "MemoryType", "an argument");
  if (type == nullptr || memory == nullptr) return;
  if (!read_text(*type, "'Type'") || !read_text(*memory, "'MemoryType'")) return;
  const auto element = element_type(type->text);
  if (!element) {
    type->error("unknown type '" + type->text + "'", suggestion_for(type->text, data_type_names()));
  } else if (memory->text == "Scalar") {
    add_scalar(t1, node, name, element->type, to);
  } else if (memory->text == "Vector" || memory->text == "Symbol") {
    add_vector(t1, node, name, *element, to);
  } else if (memory->text == "Local") {
    add_local(t1, node, element->type);
  } else {
    memory->error("unknown memory '" + memory->text + "'",
                  suggestion_for(memory->text, {"Scalar", "Vector", "Symbol", "Local"}));
  }
}

}  // namespace

void t1_add_arguments(T1Parts& t1, const YamlNode& kernel, MapNode& study) {
  if (const YamlNode* bytes = t1_find(kernel, "SharedMemory")) {
    t1.shared_bytes =
        t1.names.read(*bytes, "'SharedMemory'", kParameterName | kSizeName, "'SharedMemory'")
            .text();
  }
  const YamlNode* list = t1_require(kernel, "Arguments", "'KernelSpecification'");
  if (list == nullptr || !expect_list(*list, "'Arguments'")) return;
  if (list->items.empty()) {
    list->error("'Arguments' is empty: the kernel could not return anything");
  }
  ArgumentNodes all;
  for (std::size_t i = 0; i < list->items.size(); ++i) add_argument(t1, *list->items[i], i, all);
  study.add("arguments", list_node(*list, std::move(all.arguments)));
  if (!all.constants.empty()) study.add("constants", list_node(*list, std::move(all.constants)));
}

}  // namespace tuner
