// Makes the exporter that the command line names.

#include "tuner/app/exporters.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "tuner/app/artifacts.h"
#include "tuner/app/output_guard.h"
#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/base/terminal_text.h"
#include "tuner/compile/artifact_key.h"
#include "tuner/compile/flat_source.h"
#include "tuner/exporters/formats.h"
#include "tuner/exporters/header.h"
#include "tuner/exporters/launcher.h"
#include "tuner/exporters/ranked_csv.h"
#include "tuner/exporters/results_json.h"
#include "tuner/exporters/table_text.h"
#include "tuner/exporters/wisdom.h"

namespace tuner {
namespace {

HeaderOptions header_options(const ExportOptions& options, const Study& study) {
  HeaderOptions header;
  header.table.max_configurations = options.max_configs;
  header.table.within = options.within;
  header.source_text = read_sources(study).digest;
  header.generator = "tuner " TUNER_VERSION;
  return header;
}

// The table of the file that is about to be replaced, if it is one of the same source.
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

void tell(const ExportOptions& options, const TunedTable& table) {
  if (options.max_configs > 0 || options.within > 0)
    std::cerr << lines_for_terminal(loss_report(table));
  std::cerr << lines_for_terminal(kept_report(table));
}

std::vector<ExportedFile> header_files(const ExportOptions& options, const Study& study,
                                       const std::vector<RankedResults>& results) {
  HeaderOptions header = header_options(options, study);
  const auto earlier = earlier_table(options.output, study, header);
  if (earlier) header.table.earlier = &*earlier;
  tell(options, tuned_table(study, results, header.table));
  return {{options.output, export_header(study, results, header)}};
}

// "out/", "out/matmul", "out/matmul.cu" -> "out/matmul_launcher" or "out/matmul".
std::filesystem::path launcher_stem(const ExportOptions& options, const Study& study) {
  if (options.output == "-") {
    throw InputError(
        Complaint{{}, "a launcher is two files: name their folder or their stem with -o", ""});
  }
  std::filesystem::path stem = options.output;
  if (std::filesystem::is_directory(stem) || stem.filename().empty()) {
    return stem / (study.kernel.name + "_launcher");
  }
  const auto extension = stem.extension();
  return extension == ".cu" || extension == ".hpp" ? stem.replace_extension() : stem;
}

std::vector<ExportedFile> launcher_files(const ExportOptions& options, const Study& study,
                                         const std::vector<RankedResults>& results) {
  const std::filesystem::path stem = launcher_stem(options, study);
  LauncherOptions launcher;
  launcher.header = header_options(options, study);
  launcher.stem = stem.filename().string();
  const auto earlier = earlier_table(stem.string() + ".hpp", study, launcher.header);
  if (earlier) launcher.header.table.earlier = &*earlier;
  tell(options, tuned_table(study, results, launcher.header.table));
  CompileRequest request;
  request.source = read_file(study.kernel.source);
  request.source_name = study.kernel.source.string();
  request.include_dirs = {study.kernel.source.parent_path().string()};
  request.options = study.kernel.options;
  FlatSource flat = flat_source(request.source, request.source_name, include_dirs_of(request));
  launcher.source = {std::move(flat.text), std::move(flat.headers), std::move(flat.macros)};
  const SourceBundle bundle = bundle_of(request);
  launcher.relevant = [&](const CompileRequest& one) { return relevant_defines(one, bundle); };
  LauncherFiles files = export_launcher(study, results, launcher);
  return {{stem.string() + ".hpp", std::move(files.header)},
          {stem.string() + ".cu", std::move(files.source)}};
}

std::string define_lines(const Study& study, const std::vector<RankedResults>& results) {
  return export_defines(study, single_result(results, "defines"));
}

}  // namespace

const std::vector<std::pair<std::string, std::string>>& builtin_formats() {
  static const std::vector<std::pair<std::string, std::string>> formats{
      {"header", "a C++17 header that picks a configuration by device and problem size"},
      {"launcher",
       "a .hpp/.cu pair: the winning variants' source and a function that launches them"},
      {"json", "everything that was measured"},
      {"csv", "the ranked table of one device and size"},
      {"t4", "the community's results format (T4), one device and size"},
      {"wisdom", "a wisdom file of Kernel Launcher: the best of each device and size"},
      {"defines", "compiler options of the best configuration of one device and size"}};
  return formats;
}

ExportFunction find_exporter(const ExportOptions& options, const Catalogue& catalogue) {
  using Results = std::vector<RankedResults>;
  const auto one_file = [path = options.output](auto write) -> ExportFunction {
    return [path, write](const Study& study, const Results& results) {
      return std::vector<ExportedFile>{{path, write(study, results)}};
    };
  };
  if (options.format == "header" || options.format == "launcher") {
    const auto write = options.format == "header" ? header_files : launcher_files;
    return [options, write](const Study& study, const Results& results) {
      return write(options, study, results);
    };
  }
  if (options.format == "json") return one_file(results_json);
  if (options.format == "defines") {
    const std::string mark = options.output == "-" ? "" : kDefinesMark;
    return one_file([mark](const Study& study, const Results& results) {
      return mark + define_lines(study, results);
    });
  }
  if (options.format == "wisdom") return one_file(export_wisdom);
  if (options.format == "t4") {
    return one_file([](const Study& study, const Results& results) {
      return export_t4(study, single_result(results, "t4"), TUNER_VERSION);
    });
  }
  if (options.format == "csv") {
    return one_file([](const Study& study, const Results& results) {
      return ranked_csv(single_result(results, "csv"), parameter_names(study.parameters));
    });
  }
  std::vector<std::string> known;
  for (const auto& [name, summary] : builtin_formats()) known.push_back(name);
  for (const PluginItem& item : catalogue.items(PluginKind::kExporter)) known.push_back(item.name);
  if (catalogue.find(PluginKind::kExporter, options.format) == nullptr) {
    throw InputError(
        Complaint{{},
                  "there is no format '" + options.format + "'; see 'tuner list exporters'",
                  did_you_mean(options.format, known)});
  }
  std::shared_ptr<Exporter> exporter = catalogue.make_exporter(options.format, results_json);
  return one_file([exporter](const Study& study, const Results& results) {
    return exporter->write(study, results);
  });
}

}  // namespace tuner
