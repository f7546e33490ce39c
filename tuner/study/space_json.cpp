// Reads a search space from a JSON file.

#include "tuner/study/space_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tuner/base/atomic_file.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;  // parameters keep the order of the file

class SpaceReader {
 public:
  SpaceReader(const std::string& text, std::string file) : text_(text), file_(std::move(file)) {}

  SpaceDefinition run() {
    const Json root = parse();
    if (root.is_object() && root.contains("parameters")) {
      read_neutral(root);
    } else {
      complain("neither a space (\"parameters\") nor a T1 file (\"ConfigurationSpace\")");
    }
    if (!complaints_.empty()) throw InputError(std::move(complaints_), text_);
    return std::move(out_);
  }

 private:
  void complain(std::string message) {
    complaints_.push_back({{file_, 0, 0}, std::move(message), ""});
  }

  Json parse() {
    try {
      return Json::parse(text_);
    } catch (const Json::parse_error& error) {
      Position where{file_, 1, 1};
      const std::size_t end = error.byte > 0 ? std::min(error.byte - 1, text_.size()) : 0;
      for (std::size_t i = 0; i < end; ++i) {
        where.column = text_[i] == '\n' ? 1 : where.column + 1;
        where.line += text_[i] == '\n' ? 1 : 0;
      }
      complaints_.push_back({where, "this is not JSON", ""});
    } catch (const Json::out_of_range&) {  // a number; it does not say where
      complain("a number is too large");
    }
    throw InputError(std::move(complaints_), text_);
  }

  // A place in the file by the first appearance of a quoted string: JSON values carry none.
  Position find(const std::string& quoted) const {
    Position where{file_, 0, 0};
    const std::size_t at = text_.find(Json(quoted).dump());
    if (at == std::string::npos) return where;
    where.line = 1;
    where.column = 2;  // after the quote
    for (std::size_t i = 0; i < at; ++i) {
      where.column = text_[i] == '\n' ? 2 : where.column + 1;
      where.line += text_[i] == '\n' ? 1 : 0;
    }
    return where;
  }

  void read_neutral(const Json& root) {
    const Json& parameters = root["parameters"];
    if (!parameters.is_object()) return complain("\"parameters\" must map names to lists");
    for (const auto& [name, values] : parameters.items()) add_parameter(name, values);
    if (!root.contains("constraints")) return;
    if (!root["constraints"].is_array()) return complain("\"constraints\" must be a list");
    for (const Json& constraint : root["constraints"]) add_constraint(constraint);
  }

  void add_parameter(const std::string& name, const Json& values) {
    Parameter parameter;
    parameter.name = name;
    parameter.where = find(name);
    if (values.is_array()) {
      for (const Json& value : values) add_value(parameter, value);
    } else {
      return complain(fmt::format("the values of '{}' must be a list", name));
    }
    out_.parameters.push_back(std::move(parameter));
  }

  void add_value(Parameter& parameter, const Json& value) {
    if (value.is_boolean()) {
      parameter.values.emplace_back(value.get<bool>());
    } else if (value.is_number_unsigned() && value.get<std::uint64_t>() >> 63 != 0) {
      complain(fmt::format("a value of '{}' does not fit in 64 bits", parameter.name));
    } else if (value.is_number_integer()) {
      parameter.values.emplace_back(value.get<std::int64_t>());
    } else if (value.is_number_float()) {
      parameter.values.emplace_back(value.get<double>());
    } else if (value.is_string()) {
      parameter.values.emplace_back(value.get<std::string>());
      if (value.get<std::string>().find('\0') != std::string::npos) {
        complain(fmt::format("a value of '{}' holds a NUL character", parameter.name));
      }
    } else {
      complain(
          fmt::format("a value of '{}' is neither number, text, true nor false", parameter.name));
    }
  }

  void add_constraint(const Json& constraint) {
    if (!constraint.is_string()) return complain("a constraint must be an expression in text");
    const auto text = constraint.get<std::string>();
    auto parsed = Expression::parse(text, find(text));
    if (parsed) {
      out_.constraints.push_back(std::move(*parsed));
    } else {
      complaints_.push_back(std::move(parsed.error()));
    }
  }

  const std::string& text_;
  std::string file_;
  SpaceDefinition out_;
  std::vector<Complaint> complaints_;
};

}  // namespace

SpaceDefinition parse_space_json(const std::string& text, const std::string& file) {
  return SpaceReader(text, file).run();
}

SpaceDefinition read_space_json(const std::filesystem::path& path) {
  return parse_space_json(read_file(path), path.string());
}

}  // namespace tuner
