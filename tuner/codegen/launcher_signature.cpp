// Decides which arguments the caller of a launcher gives and which are computed.

#include "tuner/codegen/launcher_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "tuner/codegen/cpp_text.h"

namespace tuner {
namespace {

using From = LauncherArgument::From;

// Names of the generated function's own.
constexpr std::array<const char*, 13> kReserved{
    "stream", "scratch", "state",     "problem", "plan",    "done", "held",
    "words",  "list",    "next_list", "next",    "variant", "begun"};

std::string unused(const std::string& wanted, std::set<std::string>& used) {
  std::string name = cpp_identifier(wanted);
  while (!used.insert(name).second) name += '_';
  return name;
}

std::string_view cpp_type_of(DataType type) {
  constexpr std::array<std::string_view, 14> kTypes{
      "float",         "double",        "__half",        "__nv_bfloat16", "std::int8_t",
      "std::int16_t",  "std::int32_t",  "std::int64_t",  "std::uint8_t",  "std::uint16_t",
      "std::uint32_t", "std::uint64_t", "__nv_fp8_e4m3", "__nv_fp8_e5m2"};
  return kTypes.at(static_cast<std::size_t>(type));
}

// A vector as CUDA names it: of complex numbers and halves it has its own names.
std::string cpp_type_of(const ArgumentSpec& spec) {
  if (spec.lanes == 1) return std::string(cpp_type_of(spec.type));
  if (spec.type == DataType::kFloat16) return "__half2";
  if (spec.type == DataType::kBFloat16) return "__nv_bfloat162";
  constexpr std::array<std::string_view, 12> kVectors{"float", "double", "",     "",
                                                      "char",  "short",  "int",  "longlong",
                                                      "uchar", "ushort", "uint", "ulonglong"};
  return std::string(kVectors.at(static_cast<std::size_t>(spec.type))) + std::to_string(spec.lanes);
}

class Signature {
 public:
  Signature(const HeaderModel& model, const std::vector<std::string>& reserved)
      : model_(model), used_(kReserved.begin(), kReserved.end()) {
    used_.insert(reserved.begin(), reserved.end());
  }

  LauncherSignature make() {
    const Study& study = *model_.study;
    out_.function = cpp_identifier(study.kernel.name);
    for (const ArgumentSpec& spec : study.arguments) out_.arguments.push_back(argument(spec));
    for (const ArgumentSpec& spec : study.constants) out_.constants.push_back(argument(spec));
    const auto& dims = model_.table->entries.front().size.dims;
    for (const auto& [name, extent] : dims) {
      if (size_known(name)) continue;
      out_.more_sizes.push_back(unused(name, used_));
      out_.sizes.emplace_back(name, out_.more_sizes.back());
    }
    return std::move(out_);
  }

 private:
  bool size_known(const std::string& dim) const {
    return std::ranges::any_of(out_.sizes, [&](const auto& one) { return one.first == dim; });
  }

  // The dimension whose value the scalar is, if it is no more than that.
  std::string dimension_of(const ArgumentSpec& spec) const {
    const auto& names = spec.value.names();
    if (names.size() != 1 || spec.value.text() != names.front()) return {};
    const auto& dims = model_.table->entries.front().size.dims;
    const bool is_dim =
        std::ranges::any_of(dims, [&](const auto& dim) { return dim.first == names.front(); });
    return is_dim ? names.front() : std::string();
  }

  LauncherArgument argument(const ArgumentSpec& spec) {
    LauncherArgument one{&spec, From::kCaller, cpp_type_of(spec), unused(spec.name, used_)};
    if (spec.map) {
      one.from = From::kMap;
      out_.has_maps = true;
      return one;
    }
    if (!spec.is_scalar) {
      if (spec.role == Role::kScratch) one.from = From::kScratch;
      if (spec.role == Role::kWorkspace) one.from = From::kWorkspace;
      out_.has_scratch = out_.has_scratch || spec.role == Role::kScratch;
      out_.has_workspaces = out_.has_workspaces || spec.role == Role::kWorkspace;
      return one;
    }
    if (spec.value.names().empty()) return one;  // the study's number stands for the caller's
    const std::string dim = is_floating(spec.type) ? std::string() : dimension_of(spec);
    if (dim.empty() || size_known(dim)) {
      one.from = From::kComputed;
    } else {
      out_.sizes.emplace_back(dim, one.name);
    }
    return one;
  }

  const HeaderModel& model_;
  std::set<std::string> used_;
  LauncherSignature out_;
};

}  // namespace

LauncherSignature launcher_signature(const HeaderModel& model,
                                     const std::vector<std::string>& reserved) {
  return Signature(model, reserved).make();
}

bool has_fixed_shape(const ArgumentSpec& spec) {
  return std::ranges::all_of(spec.shape,
                             [](const Expression& extent) { return extent.names().empty(); });
}

std::string bytes_expression(const HeaderModel& model, const ArgumentSpec& spec) {
  std::string text =
      fmt::format("num({})", size_of(spec.type) * static_cast<std::size_t>(spec.lanes));
  for (const Expression& one : spec.shape) text += " * " + model.expression(one);
  return text;
}

bool LauncherSignature::keeps_constants() const {
  return std::ranges::any_of(constants, [](const auto& one) { return !one.spec->is_scalar; });
}

bool LauncherSignature::has_computed() const {
  const auto is = [](const LauncherArgument& one) {
    return one.from == LauncherArgument::From::kComputed;
  };
  return std::ranges::any_of(arguments, is) || std::ranges::any_of(constants, is);
}

std::string LauncherSignature::parameters(bool with_defaults) const {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  for (const auto* list : {&arguments, &constants}) {
    for (const LauncherArgument& one : *list) {
      if (one.from != LauncherArgument::From::kCaller) continue;
      const bool read_only = one.spec->role == Role::kIn;
      add(one.spec->is_scalar ? one.type + " " + one.name
                              : (read_only ? "const " : "") + one.type + "* " + one.name);
    }
  }
  for (const std::string& name : more_sizes) add("long long " + name);
  add(std::string("cudaStream_t stream") + (with_defaults ? " = nullptr" : ""));
  if (has_scratch)
    add(std::string("const scratch_space& scratch") + (with_defaults ? " = {}" : ""));
  return out;
}

}  // namespace tuner
