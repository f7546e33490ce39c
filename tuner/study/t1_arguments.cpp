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

std::string extent_text(const T1Reader& t1, const std::string& axis) {
  const std::string& extent = t1.problem[static_cast<std::size_t>(axis.front() - '0')];
  return extent.empty() ? "no_such_extent" : extent;
}

// "max(tile)" of the parameter's values; empty when there is no such parameter.
std::optional<std::string> text_over_values(T1Reader& t1, const std::string& function,
                                            const std::string& name) {
  const auto& all = t1.study.parameters;
  const auto parameter =
      std::find_if(all.begin(), all.end(), [&](const Parameter& p) { return p.name == name; });
  if (parameter == all.end()) return std::nullopt;
  if (function == "len") return std::to_string(parameter->values.size());
  if (parameter->values.size() > 1 && std::ranges::find(t1.extents, name) == t1.extents.end()) {
    t1.extents.push_back(name);
  }
  const auto less = [](const Value& a, const Value& b) { return to_number(a) < to_number(b); };
  const auto ends = std::minmax_element(parameter->values.begin(), parameter->values.end(), less);
  return to_text(function == "max" ? *ends.second : *ends.first);
}

// Replaces the parts of a size that T1 alone knows: there, the name of a parameter is the list of
// its values, as in "ProblemSize[0] + max(filter_width) - 1".
std::string size_text(T1Reader& t1, const YamlNode& node) {
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
                ? extent_text(t1, (*part)[1].str())
                : text_over_values(t1, (*part)[2].str(), (*part)[3].str()).value_or(part->str());
  }
  return text.append(rest, node.text.end());
}

Expression read_size(T1Reader& t1, const YamlNode& node, int width) {
  if (!node.is_scalar()) {
    node.error("'Size' must be a number or an expression, not " + kind_of(node));
    return {};
  }
  YamlNode written = node;
  written.text = size_text(t1, node);
  if (width > 1) written.text = fmt::format("({}) * {}", written.text, width);
  return t1.names.read(written, "'Size'", kSizeName, "the size of a buffer");
}

// "DataSource" of a generated fill: an expression in i.
void read_generator(T1Reader& t1, const YamlNode& argument, FillSpec& fill) {
  const YamlNode* source = t1_require(argument, "DataSource", "a generated argument");
  if (source == nullptr) return;
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
  if (line) {
    fill = {FillSpec::Kind::kSequence, first, step, {}};
  } else {
    fill.kind = FillSpec::Kind::kFormula;
    read_formula(t1, *source, fill);
  }
}

void read_random(FillSpec& fill, DataType type, std::optional<double> value) {
  const double high = value && *value > 0 ? *value : 1.0;
  fill = is_floating(type) ? FillSpec{FillSpec::Kind::kUniform, 0, high, {}}
                           : FillSpec{FillSpec::Kind::kIntegers, 0, std::floor(high), {}};
}

void read_fill(T1Reader& t1, const YamlNode& node, ArgumentSpec& argument) {
  std::optional<double> value;
  if (const YamlNode* given = t1_find(node, "FillValue")) {
    value = read_number(*given, "'FillValue'");
  }
  const YamlNode* type = t1_find(node, "FillType");
  const std::string name = type == nullptr ? "Constant" : type->text;
  if (name == "Constant") {
    if (value && *value != 0) argument.fill = {FillSpec::Kind::kConstant, *value, 0, {}};
  } else if (name == "Random") {
    read_random(argument.fill, argument.type, value);
  } else if (name == "Generator") {
    read_generator(t1, node, argument.fill);
  } else if (name == "BinaryRaw") {
    const YamlNode* source = t1_require(node, "DataSource", "an argument read from a file");
    if (source == nullptr) return;
    const auto path = read_data_file(t1, *source, kSizeName, "'DataSource'");
    if (path) argument.fill = FillSpec::of_file(*path);
  } else {
    type->error("the fill '" + name + "' is not understood",
                "Constant, Random, Generator and BinaryRaw are");
  }
}

void read_access(const YamlNode& node, ArgumentSpec& argument) {
  const YamlNode* access = t1_find(node, "AccessType");
  const YamlNode* output = t1_find(node, "Output");
  const bool is_output = output != nullptr && output->text != "0" && output->text != "false";
  const std::string name = access == nullptr ? "ReadWrite" : access->text;
  if (name == "WriteOnly") {
    // Other tuners fill such a buffer all the same, and there are kernels that add to it.
    argument.role = t1_find(node, "FillType") == nullptr ? Role::kOut : Role::kInOut;
  } else if (name == "ReadWrite" || (name == "ReadOnly" && is_output)) {
    argument.role = Role::kInOut;
  } else if (name != "ReadOnly") {
    access->error("unknown access '" + name + "'",
                  suggestion_for(name, {"ReadOnly", "WriteOnly", "ReadWrite"}));
  }
}

void read_scalar(T1Reader& t1, const YamlNode& node, ArgumentSpec& argument) {
  argument.is_scalar = true;
  if (const YamlNode* value = t1_require(node, "FillValue", "a scalar argument")) {
    argument.value =
        t1.names.read(*value, "'FillValue'", kParameterName | kSizeName, "the value of a scalar");
  }
}

void read_vector(T1Reader& t1, const YamlNode& node, int width, ArgumentSpec& argument) {
  if (const YamlNode* size = t1_require(node, "Size", "a vector argument")) {
    Expression extent = read_size(t1, *size, width);
    if (!extent.empty()) argument.shape.push_back(std::move(extent));
  }
  read_fill(t1, node, argument);
  read_access(node, argument);
}

// KTT's "Local": so much more dynamic shared memory, which in OpenCL the kernel's __local argument
// is.
void add_local(T1Reader& t1, const YamlNode& node, const ArgumentSpec& argument) {
  const YamlNode* size = t1_require(node, "Size", "a local argument");
  if (size == nullptr) return;
  const Expression extent = t1.names.read(*size, "'Size'", kParameterName | kSizeName, "'Size'");
  if (extent.empty()) return;
  Expression& bytes = t1.study.launch.dynamic_shared_bytes;
  const std::string more = fmt::format("({}) * {}", extent.text(), size_of(argument.type));
  auto sum =
      Expression::parse(bytes.empty() ? more : "(" + bytes.text() + ") + " + more, extent.origin());
  if (sum) bytes = std::move(*sum);
}

void read_argument(T1Reader& t1, const YamlNode& node, std::size_t index) {
  if (!expect_map(node, "an argument")) return;
  ArgumentSpec argument;
  argument.where = node.where();
  argument.name = fmt::format("argument{}", index);
  if (const YamlNode* name = t1_find(node, "Name")) {
    argument.name = read_text(*name, "'Name'").value_or("");
    argument.where = name->where();
  }
  const YamlNode* type = t1_require(node, "Type", "an argument");
  const YamlNode* memory = t1_require(node, "MemoryType", "an argument");
  if (type == nullptr || memory == nullptr) return;
  const auto element = element_type(type->text);
  if (!element) {
    type->error("unknown type '" + type->text + "'", suggestion_for(type->text, data_type_names()));
    return;
  }
  argument.type = element->type;
  const YamlNode* kind = t1_find(node, "MemType");
  const bool is_constant = kind != nullptr && kind->text == "Constant";
  if (memory->text == "Scalar") {
    read_scalar(t1, node, argument);
  } else if (memory->text == "Vector" || memory->text == "Symbol") {
    read_vector(t1, node, element->width, argument);
  } else if (memory->text == "Local") {
    return add_local(t1, node, argument);
  } else {
    memory->error("unknown memory '" + memory->text + "'",
                  suggestion_for(memory->text, {"Scalar", "Vector", "Symbol", "Local"}));
    return;
  }
  static const NameForm kIdentifier("[A-Za-z_][A-Za-z0-9_]*");
  if (!kIdentifier.fits(argument.name)) {
    t1.error(argument.where, "'" + argument.name + "' cannot be a name",
             "a letter or _, then letters, digits and _");
  }
  // Kernel Tuner copies constant memory to its symbol and passes it to the kernel as well. In
  // OpenCL it is an argument alone.
  const bool has_symbols = !t1.study.kernel.is_opencl();
  if ((is_constant && has_symbols) || memory->text == "Symbol") {
    argument.role = Role::kIn;
    t1.study.constants.push_back(argument);
  }
  if (memory->text != "Symbol") t1.study.arguments.push_back(std::move(argument));
}

}  // namespace

void t1_read_arguments(T1Reader& t1, const YamlNode& kernel) {
  const YamlNode* list = t1_require(kernel, "Arguments", "'KernelSpecification'");
  if (list == nullptr || !expect_list(*list, "'Arguments'")) return;
  for (std::size_t i = 0; i < list->items.size(); ++i) read_argument(t1, *list->items[i], i);
  if (list->items.empty()) {
    list->error(
        "'Arguments' is empty: the kernel could not return "
        "anything");
  }
  const auto& all = t1.study.arguments;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto twin = std::find_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const ArgumentSpec& a) { return a.name == all[i].name; });
    if (twin != all.begin() + static_cast<std::ptrdiff_t>(i)) {
      t1.error(all[i].where,
               "'" + all[i].name + "' is already on line " + std::to_string(twin->where.line));
    }
  }
}

}  // namespace tuner
