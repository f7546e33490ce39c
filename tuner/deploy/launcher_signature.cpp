// Decides which arguments the caller of a launcher gives and which are computed.

#include "tuner/deploy/launcher_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "tuner/base/text.h"
#include "tuner/deploy/cpp_text.h"

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

std::string cpp_type_of(const ArgumentSpec& spec) {
  const TypeFacts& facts = facts_of(spec.type);
  if (spec.lanes == 1) return std::string(facts.cuda);
  const std::string vector(facts.cuda_vector);
  return vector.ends_with('2') ? vector : vector + std::to_string(spec.lanes);
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
    for (std::size_t d = 0; d < dims.size(); ++d) {
      std::string& value = sizes_[dims[d].first];
      if (value.empty()) value = out_.more_sizes.emplace_back(unused(dims[d].first, used_));
      out_.filling.lists["SIZES"].push_back({{{"DIM", model_.dims[d].name}, {"VALUE", value}}});
    }
    fill();
    return std::move(out_);
  }

 private:
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
      return one;
    }
    if (!spec.is_scalar) {
      if (spec.role == Role::kScratch) one.from = From::kScratch;
      if (spec.role == Role::kWorkspace) one.from = From::kWorkspace;
      return one;
    }
    if (spec.value.names().empty()) return one;  // the study's number stands for the caller's
    const std::string dim = is_floating(spec.type) ? std::string() : dimension_of(spec);
    if (dim.empty() || !sizes_.emplace(dim, one.name).second) one.from = From::kComputed;
    return one;
  }

  void fill() {
    out_.filling.words = {
        {"FN", model_.prefix + "_FN"}, {"SPACE", model_.space}, {"FUNCTION", out_.function}};
    std::string positive;
    for (const HeaderField& dim : model_.dims) {
      positive += (positive.empty() ? "problem." : " && problem.") + dim.name + " > 0";
    }
    out_.filling.words["POSITIVE"] = positive.empty() ? "true" : positive;
    for (const auto* list : {&out_.arguments, &out_.constants}) {
      for (const LauncherArgument& one : *list) {
        if (one.from != From::kCaller) fill(one);
      }
    }
    for (const char* kind : {"clean", "other"}) {
      if (out_.filling.lists["WORKSPACES"].empty()) break;
      const std::string& sum = sums_[kind];
      out_.filling.lists["KINDS"].push_back(
          {{{"KIND", kind}, {"SUM", sum.empty() ? "num(0)" : sum}}});
    }
    out_.filling.words["SCRATCH_SUM"] = sums_["scratch"];
    for (const char* list : {"SCRATCH", "WORKSPACES", "COMPUTED"}) {
      if (!out_.filling.lists[list].empty()) out_.filling.words["COMPUTATIONS"] = "yes";
    }
  }

  // Adds what the texts contain about an argument that the caller does not give.
  void fill(const LauncherArgument& one) {
    static const std::map<From, const char*> kLists{{From::kComputed, "COMPUTED"},
                                                    {From::kScratch, "SCRATCH"},
                                                    {From::kWorkspace, "WORKSPACES"},
                                                    {From::kMap, "MAPS"}};
    const ArgumentSpec& spec = *one.spec;
    std::vector<Filling>& list = out_.filling.lists[kLists.at(one.from)];
    const std::string number = std::to_string(list.size());
    Filling& out = list.emplace_back();
    out.words = {
        {"N", number}, {"NAME", one.name}, {"TYPE", one.type}, {"WHAT", cpp_identifier(spec.name)}};
    if (one.from == From::kComputed) out.words["VALUE"] = model_.expression(spec.value);
    if (one.from == From::kMap) fill_map(*spec.map, out.words);
    if (one.from != From::kScratch && one.from != From::kWorkspace) return;
    out.words["BYTES"] = bytes_expression(model_, spec);
    // Which memory it is in.
    const std::string kind = one.from == From::kScratch ? "scratch"
                             : spec.zero == Zero::kOnce ? "clean"
                                                        : "other";
    out.words["KIND"] = kind;
    if (spec.zero == Zero::kEach) out.words["IS_ZEROED"] = "yes";
    const char* function = one.from == From::kScratch ? "scratch_" : "workspace_";
    std::string& sum = sums_[kind];
    sum += (sum.empty() ? "detail::" : " + detail::") + (function + number) + "(n)";
  }

  void fill_map(const TensorMapSpec& map, auto& words) const {
    // The study was refused if there is none.
    const LauncherArgument& matrix = *std::ranges::find_if(
        out_.arguments, [&](const LauncherArgument& a) { return a.spec->name == map.of; });
    const auto spell = [&](const Expression& one) { return model_.expression(one); };
    words["TYPE"] = facts_of(matrix.spec->type).map;
    words["ELEMENT"] = std::to_string(size_of(matrix.spec->type));
    words["RANK"] = std::to_string(matrix.spec->shape.size());
    words["EXTENTS"] = joined(matrix.spec->shape, spell);
    words["BOX"] = joined(map.box, spell);
    words["SWIZZLE"] = map.swizzle.text().empty() ? "num(0)" : spell(map.swizzle);
    words["MATRIX"] = matrix.name;
  }

  const HeaderModel& model_;
  std::set<std::string> used_;
  std::map<std::string, std::string> sizes_;  // dimension -> text of its value
  std::map<std::string, std::string> sums_;   // of bytes, by the kind of memory
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

bool LauncherSignature::has(LauncherArgument::From from) const {
  return std::ranges::count(arguments, from, &LauncherArgument::from) > 0;
}

std::string LauncherSignature::call() const {
  std::string out;
  for (const auto* list : {&arguments, &constants}) {
    for (const LauncherArgument& one : *list) {
      if (one.from == From::kCaller) out += one.name + ", ";
    }
  }
  for (const std::string& name : more_sizes) out += name + ", ";
  return out;
}

std::string LauncherSignature::parameters() const {
  std::string out;
  for (const auto* list : {&arguments, &constants}) {
    for (const LauncherArgument& one : *list) {
      if (one.from != LauncherArgument::From::kCaller) continue;
      const bool read_only = !one.spec->is_scalar && one.spec->role == Role::kIn;
      out += (read_only ? "const " : "") + one.type + (one.spec->is_scalar ? " " : "* ") +
             one.name + ", ";
    }
  }
  for (const std::string& name : more_sizes) out += "long long " + name + ", ";
  return out;
}

std::vector<std::string> LauncherSignature::names() const {
  std::vector<std::string> out = more_sizes;
  for (const auto* list : {&arguments, &constants}) {
    for (const LauncherArgument& one : *list) out.push_back(one.name);
  }
  return out;
}

std::string LauncherSignature::list(const std::vector<std::string>& wanted,
                                    std::string_view spell) const {
  std::string out;
  const auto add = [&](const LauncherArgument& one) {
    out += replaced(std::string(spell), "@", one.name);
  };
  if (wanted.empty()) std::ranges::for_each(arguments, add);
  for (const std::string& name : wanted) {
    const auto one = std::ranges::find_if(
        arguments, [&](const LauncherArgument& a) { return a.spec->name == name; });
    if (one != arguments.end()) add(*one);
  }
  return out;
}

}  // namespace tuner
