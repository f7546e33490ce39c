// Puts every built-in format behind the port.

#include "tuner/deploy/registry.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/deploy/domain_table.h"
#include "tuner/deploy/family.h"
#include "tuner/deploy/formats.h"
#include "tuner/deploy/header.h"
#include "tuner/deploy/table_text.h"
#include "tuner/files/ranked_csv.h"
#include "tuner/files/results_json.h"
#include "tuner/model/file_marks.h"

namespace tuner {
namespace {

using Results = std::vector<RankedResults>;
using Files = std::vector<ExportedFile>;

// Reads the table in `path`, which is about to be replaced; nothing unless it is of the same
// source.
std::optional<TunedTable> earlier_table(const std::string& path, const Study& study,
                                        const HeaderOptions& options) {
  if (!std::filesystem::is_regular_file(path)) return std::nullopt;
  try {
    ExportedTable earlier = read_table_comment(read_file(path), path);
    if (earlier.kernel != study.kernel.name || earlier.source_hash != source_hash(options)) {
      return std::nullopt;
    }
    return std::move(earlier.table);
  } catch (const InputError&) {
    return std::nullopt;  // whatever it was, it is to be replaced
  }
}

// Calls make(table, options) for code that holds the table and goes to `path`, where an earlier
// export may be; reports to the user what is in it.
template <typename Make>
Files with_table(const ExportSettings& settings, const Study& study, const Results& results,
                 const std::string& path, const Make& make) {
  HeaderOptions options;
  options.source_text = settings.source_digest(study);
  options.generator = "tuner " + settings.version;
  const std::optional<TunedTable> earlier = earlier_table(path, study, options);
  TableOptions wanted{settings.max_configurations, settings.within};
  if (earlier) wanted.earlier = &*earlier;
  const TunedTable table = exported_table(study, results, wanted);
  const bool reduced = settings.max_configurations > 0 || settings.within > 0;
  settings.note((reduced ? loss_report(table) : "") + kept_report(study, table));
  return make(table, std::move(options));
}

Files header_file(const ExportSettings& settings, const Study& study, const Results& results,
                  const std::string& output) {
  return with_table(settings, study, results, output,
                    [&](const TunedTable& table, const HeaderOptions& options) {
                      return Files{{output, export_header(study, table, options)}};
                    });
}

// "out/", "out/matmul", "out/matmul.cu" -> "out/matmul_launcher" or "out/matmul".
std::filesystem::path launcher_stem(const std::string& output, const Study& study) {
  if (output == "-") {
    throw InputError(
        Complaint{{}, "a launcher is three files: name their folder or their stem with -o", ""});
  }
  std::filesystem::path stem = output;
  if (std::filesystem::is_directory(stem) || stem.filename().empty()) {
    return stem / (study.kernel.name + "_launcher");
  }
  const auto extension = stem.extension();
  return extension == ".cu" || extension == ".hpp" || extension == ".inl" ? stem.replace_extension()
                                                                          : stem;
}

// Calls make(table, options) for a launcher with this stem, as with_table() does.
template <typename Make>
Files with_launcher(const ExportSettings& settings, const Study& study, const Results& results,
                    const std::filesystem::path& stem, const Make& make) {
  return with_table(settings, study, results, stem.string() + ".hpp",
                    [&](const TunedTable& table, HeaderOptions options) {
                      return make(table,
                                  LauncherOptions{std::move(options), stem.filename().string(),
                                                  settings.launcher_source(study)});
                    });
}

Files files_of(LauncherFiles&& launcher, const std::filesystem::path& stem) {
  return {{stem.string() + ".hpp", std::move(launcher.header)},
          {stem.string() + ".cu", std::move(launcher.source)},
          {stem.string() + ".inl", std::move(launcher.text)}};
}

Files launcher_files(const ExportSettings& settings, const Study& study, const Results& results,
                     const std::string& output) {
  const std::filesystem::path stem = launcher_stem(output, study);
  const auto make = [&](const TunedTable& table, const LauncherOptions& all) {
    if (study.kernel.is_opencl()) {
      return Files{{stem.string() + ".hpp", export_opencl_launcher(study, table, all)}};
    }
    return files_of(export_launcher(study, table, all), stem);
  };
  return with_launcher(settings, study, results, stem, make);
}

Files json_file(const ExportSettings&, const Study& study, const Results& results,
                const std::string& output) {
  return {{output, results_json(study, results)}};
}

Files csv_file(const ExportSettings&, const Study& study, const Results& results,
               const std::string& output) {
  return {{output, ranked_csv(results.front(), parameter_names(study.parameters))}};
}

Files t4_file(const ExportSettings& settings, const Study& study, const Results& results,
              const std::string& output) {
  return {{output, export_t4(study, results.front(), settings.version)}};
}

Files wisdom_file(const ExportSettings&, const Study& study, const Results& results,
                  const std::string& output) {
  return {{output, export_wisdom(study, results)}};
}

// Begins with the mark by which it is known as this program's; what is shown needs none.
Files defines_file(const ExportSettings&, const Study& study, const Results& results,
                   const std::string& output) {
  const std::string text = export_defines(study, results.front());
  return {{output, output == "-" ? text : kDefinesMark + text}};
}

constexpr std::array<ExportFormat, 7> kFormats{{
    {"header", "a C++17 header that picks a configuration by device and problem size", false,
     header_file},
    {"launcher",
     "the winning variants' source and a function that launches them (.hpp, .cu, .inl); of OpenCL "
     "one .hpp",
     false, launcher_files},
    {"json", "everything that was measured", false, json_file},
    {"csv", "the ranked table of one device and size", true, csv_file},
    {"t4", "the community's results format (T4), one device and size", true, t4_file},
    {"wisdom", "a wisdom file of Kernel Launcher: the best of each device and size", false,
     wisdom_file},
    {"defines", "compiler options of the best configuration of one device and size", true,
     defines_file},
}};

class BuiltIn : public Exporter {
 public:
  BuiltIn(const ExportFormat& format, const ExportSettings& settings)
      : format_(format), settings_(settings) {}

  Files write(const Study& study, const Results& results, const std::string& output) override {
    if (!format_.needs_one_result) return format_.write(settings_, study, results, output);
    const Results one{single_result(results, std::string(format_.name))};
    return format_.write(settings_, study, one, output);
  }

 private:
  const ExportFormat& format_;
  ExportSettings settings_;
};

}  // namespace

namespace {

// Looks at one result of each study: whole tables take long.
void refuse_other_functions(const std::vector<ExportedStudy>& studies) {
  std::vector<FamilyMember> members;
  for (const auto& [study, results] : studies) {
    if (study.kernel.is_opencl()) reject_export(study, "a family is of CUDA kernels");
    refuse_what_no_launcher_has(study);
    const auto valid =
        std::ranges::find_if(results, [](const auto& one) { return one.ranked > 0; });
    TableOptions alone;
    alone.spares = false;
    members.push_back({&study, "", tuned_table(study, {valid, std::next(valid)}, alone)});
  }
  check_family(members);
}

}  // namespace

Files family_files(const ExportSettings& settings, const std::vector<ExportedStudy>& studies,
                   const std::string& output) {
  std::filesystem::path header = output;
  if (output == "-" || std::filesystem::is_directory(header) || header.filename().empty()) {
    throw InputError(Complaint{
        {}, "the function of a family is called like its file: name it with -o FOLDER/NAME", ""});
  }
  if (header.extension() == ".hpp") header.replace_extension();
  refuse_other_functions(studies);
  Files files;
  std::vector<FamilyMember> members;
  for (const ExportedStudy& exported : studies) {
    const Study& study = exported.study;
    const std::vector<RankedResults>& results = exported.results;
    const std::filesystem::path stem = header.parent_path() / (study.kernel.name + "_launcher");
    const auto make = [&](const TunedTable& table, const LauncherOptions& all) {
      LauncherFiles made = export_launcher(study, table, all);
      members.push_back({&study, stem.filename().string(), table, made.is_sized});
      return files_of(std::move(made), stem);
    };
    Files own = with_launcher(settings, study, results, stem, make);
    std::ranges::move(own, std::back_inserter(files));
  }
  Family family = export_family(members, {header.filename().string(), "tuner " + settings.version});
  settings.note(family.notes);
  files.insert(files.begin(), {header.string() + ".hpp", std::move(family.header)});
  return files;
}

std::span<const ExportFormat> export_formats() { return kFormats; }

std::unique_ptr<Exporter> make_exporter(std::string_view name, const ExportSettings& settings) {
  const auto format = std::ranges::find(kFormats, name, &ExportFormat::name);
  return format == kFormats.end() ? nullptr : std::make_unique<BuiltIn>(*format, settings);
}

}  // namespace tuner
