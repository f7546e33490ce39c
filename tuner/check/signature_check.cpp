// Goes through the launches of a study, for each of the values that types may depend on.

#include "tuner/check/signature_check.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/resolve/resolve.h"
#include "tuner/source/declarations.h"
#include "tuner/source/tokens.h"

namespace tuner {
namespace {

constexpr std::size_t kMostCases = 64;
constexpr std::size_t kMostNumbers = 256;  // of a parameter that are looked at, evenly

// A configuration as far as types may depend on it.
struct Case {
  std::string values;  // "T=double"
  Configuration configuration;
};

bool is_text(const Parameter& parameter) {
  return std::ranges::all_of(parameter.values, [](const Value& value) {
    return std::holds_alternative<std::string>(value);
  });
}

// Returns all combinations of texts, which may be types, and each other value once. A range of a
// million numbers is looked at here and there: types seldom depend on one, and never on all.
std::vector<Case> cases_of(const Study& study) {
  Case first;
  for (const Parameter& parameter : study.parameters) {
    first.configuration.push_back(parameter.values.empty() ? Value{} : parameter.values.front());
  }
  std::vector<Case> all{first};
  const auto with = [&](const Case& one, std::size_t p, const Value& value) {
    Case out = one;
    out.configuration[p] = value;
    out.values +=
        (out.values.empty() ? "" : ", ") + study.parameters[p].name + "=" + to_text(value);
    return out;
  };
  for (std::size_t p = 0; p < study.parameters.size(); ++p) {
    const std::vector<Value>& values = study.parameters[p].values;
    std::vector<Case> more;
    for (const Case& one : all) {
      if (!is_text(study.parameters[p]) || values.size() * all.size() > kMostCases) continue;
      for (const Value& value : values) more.push_back(with(one, p, value));
    }
    if (!more.empty()) all = std::move(more);
  }
  const std::vector<Case> texts = all;
  for (std::size_t p = 0; p < study.parameters.size(); ++p) {
    if (is_text(study.parameters[p])) continue;
    const std::vector<Value>& values = study.parameters[p].values;
    const std::size_t step = 1 + values.size() / kMostNumbers;
    for (std::size_t i = 0; i < values.size(); i += step) {
      if (values[i] != first.configuration[p]) all.push_back(with(texts.front(), p, values[i]));
    }
  }
  return all;
}

// Macros that options define and parameters are, in so far as they may be types.
DefinedNames definitions_of(const Study& study, const Configuration& configuration,
                            const Bindings& names) {
  DefinedNames out;
  for (std::size_t p = 0; p < study.parameters.size(); ++p) {
    const auto* text = std::get_if<std::string>(&configuration[p]);
    if (text != nullptr) out[study.kernel.macro_of(study.parameters[p].name)] = *text;
  }
  bool next_defines = false;
  for (const std::string& pattern : study.kernel.options) {
    const auto written = substitute(pattern, names);
    const std::string option = written ? *written : "";
    std::string rest;
    for (const std::string start : {"-D", "--define-macro="}) {
      if (option.starts_with(start)) rest = option.substr(start.size());
    }
    if (next_defines) rest = option;
    next_defines = option == "-D" || option == "--define-macro";
    const std::size_t equals = rest.find('=');
    if (equals != std::string::npos) out[rest.substr(0, equals)] = rest.substr(equals + 1);
  }
  return out;
}

struct Launch {
  std::string who;  // "the kernel"
  std::string entry;
  std::vector<std::string> arguments;  // names; empty = all
  const SignatureReader& reader;
  const std::vector<std::pair<std::string, Value>>& instead;  // values of the configuration
};

struct Finding {
  Fit::Kind kind = Fit::Kind::kFits;
  Complaint complaint{};
};
// By the place of an argument; those of their number at the end.
using Findings = std::map<std::size_t, Finding>;

std::string given_as(const ArgumentSpec& argument) {
  if (argument.map) return "a tensor map";
  if (is_table(argument)) return "a table of addresses";
  if (is_texture(argument)) {
    const auto kind = argument.record->members.front().texture->kind;
    return kind == TextureView::Kind::kSurface ? "a surface" : "a texture";
  }
  if (argument.record && argument.record->type.empty()) return "an address";
  const bool is_number = argument.lanes == 1 && !argument.record;
  const std::string type = is_number ? std::string(name_of(argument.type)) : argument.type_name;
  return argument.is_scalar ? type : "a buffer of " + type;
}

class LaunchCheck {
 public:
  LaunchCheck(const Study& study, const Launch& launch) : study_(study), launch_(launch) {}

  void run(const std::vector<Case>& cases, SignatureComplaints& out) {
    std::map<std::size_t, std::vector<std::pair<const Case*, Finding>>> all;
    std::size_t looked_at = 0;
    std::set<std::string> seen;
    const auto instead = values_instead();
    for (const Case& one : cases) {
      Configuration configuration = one.configuration;
      for (const auto& [place, value] : instead) configuration[place] = *value;
      const Bindings names =
          bindings_of(study_, configuration, DeviceFacts{}, study_.sizes.front());
      const auto entry = substitute(launch_.entry, names);
      const DefinedNames defined = definitions_of(study_, configuration, names);
      if (!entry || !seen.insert(key(*entry, defined)).second) continue;
      ++looked_at;
      give(names);
      for (auto& [place, finding] : best(launch_.reader.of(*entry, defined))) {
        all[place].emplace_back(&one, std::move(finding));
      }
    }
    for (const auto& [place, found] : all) tell(found, looked_at, out);
  }

 private:
  // The arguments of a configuration with these names.
  void give(const Bindings& names) {
    arguments_.clear();
    const auto places = positions_of(study_.arguments, launch_.arguments, "", names);
    if (!places) return;
    for (const std::uint32_t one : *places) arguments_.push_back(&study_.arguments[one]);
  }

  static std::string key(const std::string& entry, const DefinedNames& defined) {
    std::string out = entry;
    for (const auto& [name, text] : defined) out += "\n" + name + "=" + text;
    return out;
  }

  // The places of the parameters that the launch gives other values.
  std::vector<std::pair<std::size_t, const Value*>> values_instead() const {
    std::map<std::string_view, const Value*> values;
    for (const auto& [name, value] : launch_.instead) values[name] = &value;
    std::vector<std::pair<std::size_t, const Value*>> out;
    for (std::size_t p = 0; p < study_.parameters.size(); ++p) {
      const auto found = values.find(study_.parameters[p].name);
      if (found != values.end()) out.emplace_back(p, found->second);
    }
    return out;
  }

  // Returns the findings about the declaration that fits best.
  Findings best(const std::vector<Signature>& declared) const {
    std::optional<Findings> best;
    const auto badness = [](const Findings& all) {
      std::size_t sum = 0;
      for (const auto& [place, one] : all) sum += one.kind == Fit::Kind::kWrong ? 1000 : 1;
      return sum;
    };
    for (const Signature& one : declared) {
      Findings findings = compared(one);
      if (!best || badness(findings) < badness(*best)) best = std::move(findings);
    }
    return best.value_or(Findings{});
  }

  Findings compared(const Signature& signature) const {
    Findings out;
    const auto& taken = signature.parameters;
    if (taken.size() != arguments_.size()) {
      out[arguments_.size()] = {Fit::Kind::kWrong, count_complaint(signature)};
      return out;
    }
    for (std::size_t i = 0; i < taken.size(); ++i) {
      if (arguments_[i]->is_captured) continue;  // as the application passed it
      Fit fit = fit_of(*arguments_[i], taken[i]);
      if (fit.kind == Fit::Kind::kFits) continue;
      if (fit.kind == Fit::Kind::kWrong && may_be_meant(*arguments_[i], taken[i])) {
        fit = {Fit::Kind::kDoubtful, "right only if the kernel looks at them so"};
      }
      out[i] = {fit.kind, {arguments_[i]->where, message(i, signature), fit.advice}};
    }
    return out;
  }

  // Numbers of the same width, or what a pointer points to, may be looked at as what they are.
  bool may_be_meant(const ArgumentSpec& argument, const SignatureParameter& parameter) const {
    const ParameterType& type = parameter.types.front();
    if (argument.map || argument.record || type.kind != ParameterType::Kind::kNumbers) return false;
    if (type.pointers != (argument.is_scalar ? 0 : 1)) return false;
    const auto taken = data_type_named(type.element.name);
    if (argument.is_scalar && taken && size_of(*taken) != size_of(argument.type)) return false;
    return launch_.reader.reinterprets_as(std::string(name_of(argument.type)));
  }

  std::string kernel() const {
    const std::string name = launch_.entry.substr(0, launch_.entry.find('<'));
    return launch_.who + " '" + name + "'";
  }
  static std::string place(const Signature& signature) {
    return " (" + std::filesystem::path(signature.file).filename().string() + ":" +
           std::to_string(signature.line) + ")";
  }

  std::string message(std::size_t i, const Signature& signature) const {
    const SignatureParameter& parameter = signature.parameters[i];
    const ParameterType& type = parameter.types.front();
    std::string out = "argument '" + arguments_[i]->name + "' is " + given_as(*arguments_[i]) +
                      ", but parameter " + std::to_string(i + 1) + " of " + kernel() + " is '" +
                      parameter.text + "'";
    const bool is_alias = parameter.text.find(type.c_type) == std::string::npos;
    if (is_alias && !type.c_type.empty()) {
      out += ", that is " + type.c_type + std::string(static_cast<std::size_t>(type.pointers), '*');
    }
    return out + place(signature);
  }

  Complaint count_complaint(const Signature& signature) const {
    const auto& taken = signature.parameters;
    const std::string count = std::to_string(taken.size());
    const std::string given = std::to_string(arguments_.size());
    std::string text = kernel() + " takes " + count +
                       (taken.size() == 1 ? " argument, not " : " arguments, not ") + given;
    std::string more;
    if (taken.size() > arguments_.size()) {
      more = ": none is given for '" + missing(signature) + "'";
    }
    const Position where = arguments_.empty() ? study_.kernel.where : surplus(signature).where;
    return {where, text + more + place(signature), ""};
  }

  // The first parameter that no argument is named like, or that behind the last argument.
  std::string missing(const Signature& signature) const {
    for (const SignatureParameter& one : signature.parameters) {
      const bool named = std::ranges::any_of(
          arguments_, [&](const ArgumentSpec* argument) { return argument->name == one.name; });
      if (!named && all_named(signature)) return one.text;
    }
    return signature.parameters[arguments_.size()].text;
  }
  bool all_named(const Signature& signature) const {
    return std::ranges::all_of(arguments_, [&](const ArgumentSpec* argument) {
      return std::ranges::find(signature.parameters, argument->name, &SignatureParameter::name) !=
             signature.parameters.end();
    });
  }
  // The first argument that is too much; where there are too few, the last.
  const ArgumentSpec& surplus(const Signature& signature) const {
    const std::size_t behind = std::min(signature.parameters.size(), arguments_.size() - 1);
    return *arguments_[behind];
  }

  // An error where no configuration can be right; else at most a warning.
  static void tell(const std::vector<std::pair<const Case*, Finding>>& found, std::size_t cases,
                   SignatureComplaints& out) {
    const auto wrong = std::ranges::count_if(
        found, [](const auto& one) { return one.second.kind == Fit::Kind::kWrong; });
    const auto& [first, finding] = found.front();
    Complaint complaint = finding.complaint;
    if (static_cast<std::size_t>(wrong) == cases) {
      out.errors.push_back(std::move(complaint));
      return;
    }
    if (found.size() < cases && !first->values.empty()) {
      complaint.message += ", where " + first->values;
    }
    out.warnings.push_back(std::move(complaint));
  }

  const Study& study_;
  const Launch& launch_;
  std::vector<const ArgumentSpec*> arguments_;
};

}  // namespace

namespace {

void warn_of_tile_kernels(const Study& study, const std::vector<SourceText>& sources,
                          SignatureComplaints& out) {
  const bool has_some = std::ranges::any_of(sources, [](const SourceText& one) {
    return mentions(tokens_of(one.text), "__tile_global__");
  });
  if (!has_some) return;
  out.warnings.push_back({study.kernel.where,
                          "the source has a kernel of CUDA Tile C++ (__tile_global__), which CUDA "
                          "13.3 and later compile if asked to: no compiler is asked to here",
                          "a kernel of threads, __global__"});
}

}  // namespace

SignatureComplaints check_signatures(const Study& study, std::vector<SourceText> kernel,
                                     std::vector<SourceText> reference) {
  SignatureComplaints out;
  const bool own_source = !reference.empty();
  warn_of_tile_kernels(study, kernel, out);
  const SignatureReader of_kernel(std::move(kernel));
  const SignatureReader of_reference(std::move(reference));
  const std::vector<Case> cases = cases_of(study);
  const std::vector<std::pair<std::string, Value>> as_it_is;
  std::vector<Launch> launches{
      {"the kernel", study.kernel.entry, study.launch_arguments, of_kernel, as_it_is}};
  for (const NextLaunchSpec& next : study.then) {
    launches.push_back({"the kernel", next.entry, next.arguments, of_kernel, as_it_is});
  }
  if (study.reference && study.reference->is_launched()) {
    const ReferenceSpec& one = *study.reference;
    const SignatureReader& reader = own_source ? of_reference : of_kernel;
    launches.push_back({"the reference", one.entry, one.arguments, reader, one.configuration});
    for (const NextLaunchSpec& next : one.then) {
      launches.push_back({"the reference", next.entry, next.arguments, reader, one.configuration});
    }
  }
  for (const Launch& launch : launches) LaunchCheck(study, launch).run(cases, out);
  const std::string reference_at = of_kernel.texture_reference();
  if (!reference_at.empty()) {
    out.warnings.push_back({study.kernel.where,
                            "the source has a texture reference (" + reference_at +
                                "), which CUDA 12 has removed: no current compiler takes it",
                            "a parameter cudaTextureObject_t, and 'texture: {of: BUFFER}'"});
  }
  return out;
}

}  // namespace tuner
