// Compares what the compiler receives for each configuration of a table.

#include "tuner/deploy/launcher_variants.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "tuner/base/error.h"
#include "tuner/base/text.h"
#include "tuner/resolve/resolve.h"

namespace tuner {

void reject_export(const Study& study, const std::string& message) {
  throw InputError({Complaint{study.kernel.where, message, ""}}, study.text);
}

void refuse_what_no_launcher_has(const Study& study) {
  if (!study.is_runnable())
    reject_export(study, "a launcher needs the study's kernel, launch and arguments");
  if (!study.rounds.repeat.empty()) {
    reject_export(
        study,
        "a launcher makes each launch once, and this study has 'repeat': write the loop yourself, "
        "with the configuration of a header");
  }
  for (const ArgumentSpec& one : study.arguments) {
    if (one.choice) {
      reject_export(study,
                    "a launcher is a function of one type for each argument, and the type of '" +
                        one.name + "' is the parameter '" + one.choice->parameter +
                        "': export a header, and launch the kernel yourself");
    }
    if (!one.record && !one.is_beside) continue;
    reject_export(
        study, "a launcher passes numbers and buffers, and '" + one.name +
                   "' is a struct, a vector, an address, a texture or a surface: launch the kernel "
                   "yourself, with the configuration of a header");
  }
}

namespace {

// Places in study.then of the launches that may follow with this configuration: all but those whose
// `when` is false whatever the size and the device.
std::vector<std::size_t> possible_launches(const Study& study, const Configuration& configuration) {
  Bindings names;
  for (std::size_t p = 0; p < study.parameters.size(); ++p) {
    names[study.parameters[p].name] = configuration.at(p);
  }
  for (const NamedExpression& derived : study.derived) {
    if (auto value = derived.expression.evaluate(names)) names[derived.name] = *value;
  }
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < study.then.size(); ++i) {
    const auto follows = takes_part(study.then[i], names);
    if (!follows || *follows) places.push_back(i);  // or only a size or a device can tell
  }
  return places;
}

using NextLaunches = std::vector<NextLaunchPlan>;  // of them only the names

NextLaunches launches_at(const Study& study, const std::vector<std::size_t>& places) {
  NextLaunches then;
  for (const std::size_t i : places) then.push_back({study.then[i].entry, {}, {}});
  return then;
}

CompileRequest request_of(const Study& study, const Configuration& configuration,
                          const NextLaunches& then, const ProblemSize& size,
                          const DeviceFacts& device) {
  // A space of this one configuration gives the names that entry and options may use.
  SpaceDefinition alone = definition_of_one(study, configuration, size, device);
  alone.constraints.clear();
  auto request =
      compile_request(study, SearchSpace::build(std::move(alone)), configuration, then, device, "");
  if (!request) reject_export(study, request.error());
  return std::move(*request);
}

// The architecture that an option names ("sm_90a"), if it is one of those.
std::optional<std::string> architecture_of(const std::string& option) {
  for (const std::string_view head : {"--gpu-architecture=", "-arch="}) {
    if (option.starts_with(head)) return option.substr(head.size());
  }
  return std::nullopt;
}

// Takes the architecture out of the options: for which one a launcher is compiled is its user's
// to say. Returns the one named last, or the device's.
std::string take_architecture(CompileRequest& request) {
  std::string architecture = request.arch;
  std::erase_if(request.options, [&](const std::string& option) {
    const auto named = architecture_of(option);
    if (named) architecture = *named;
    return named.has_value();
  });
  return architecture;
}

bool same_program(const CompileRequest& a, const CompileRequest& b) {
  return a.entry == b.entry && a.options == b.options && a.then == b.then;
}

class VariantsMaker {
 public:
  VariantsMaker(const Study& study, const TunedTable& table, const RelevantDefines& relevant_to)
      : study_(study), table_(table), relevant_to_(relevant_to) {}

  LauncherVariants make() {
    const ProblemSize& first = table_.entries.front().size;
    ProblemSize other = first;
    for (auto& [name, extent] : other.dims) extent = 2 * extent + 1;
    bool by_size = false;
    for (const Configuration& one : table_.configurations) {
      by_size = by_size || !same_program(request(one, first), request(one, other));
    }
    if (!by_size) {
      for (const Configuration& one : table_.configurations) {
        out_.of_configuration.push_back(add(one, first));
      }
      return std::move(out_);
    }
    for (const TunedEntry& one : table_.entries) {
      const auto is = [&](const SizedVariant& known) {
        return known.configuration == one.configuration && known.size == one.size;
      };
      if (std::ranges::any_of(out_.of_size, is)) continue;
      out_.of_size.push_back(
          {one.configuration, one.size, add(table_.configurations[one.configuration], one.size)});
    }
    return std::move(out_);
  }

 private:
  // Makes the request to the compiler, which must be the same for every device. Throws InputError.
  CompileRequest request(const Configuration& configuration, const ProblemSize& size) {
    const NextLaunches then = launches_at(study_, possible_launches(study_, configuration));
    const DeviceFacts& device = table_.devices[table_.entries.front().device];
    CompileRequest made = request_of(study_, configuration, then, size, device);
    architecture_ = take_architecture(made);
    DeviceFacts another;
    another.multiprocessors = device.multiprocessors + 1;
    another.arch = device.arch;
    CompileRequest elsewhere = request_of(study_, configuration, then, size, another);
    take_architecture(elsewhere);
    if (!same_program(made, elsewhere)) {
      reject_export(study_,
                    "a launcher holds variants for all devices: 'entry' and 'options' must not "
                    "depend on them");
    }
    return made;
  }

  // The variant's place, a new one where none is the same.
  std::size_t add(const Configuration& configuration, const ProblemSize& size) {
    const CompileRequest told = request(configuration, size);
    if (!out_.all.empty() && told.options != out_.options) {
      reject_export(study_,
                    "a launcher is compiled once: 'options' must not depend on parameters or the "
                    "size");
    }
    out_.options = told.options;
    if (comes_before(out_.architecture, architecture_)) out_.architecture = architecture_;
    LauncherVariant variant{told.defines, told.entry, {}};
    const std::vector<std::size_t> places = possible_launches(study_, configuration);
    for (std::size_t i = 0; i < places.size(); ++i) {
      variant.then.emplace_back(places[i], told.then[i]);
    }
    if (relevant_to_) {
      const auto relevant = relevant_to_(told);
      std::erase_if(variant.defines,
                    [&](const auto& one) { return !relevant.contains(one.first); });
    }
    const auto known = std::ranges::find(out_.all, variant);
    const auto place = static_cast<std::size_t>(known - out_.all.begin());
    if (known == out_.all.end()) out_.all.push_back(std::move(variant));
    return place;
  }

  const Study& study_;
  const TunedTable& table_;
  const RelevantDefines& relevant_to_;
  std::string architecture_;  // of the last request
  LauncherVariants out_;
};

}  // namespace

LauncherVariants launcher_variants(const Study& study, const TunedTable& table,
                                   const RelevantDefines& relevant_to) {
  return VariantsMaker(study, table, relevant_to).make();
}

}  // namespace tuner
