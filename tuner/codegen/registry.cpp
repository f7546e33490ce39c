// Puts every built-in format behind the port.

#include "tuner/codegen/registry.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "tuner/base/atomic_file.h"
#include "tuner/base/error.h"
#include "tuner/choice/domain_table.h"
#include "tuner/codegen/formats.h"
#include "tuner/codegen/header.h"
#include "tuner/codegen/opencl_launcher.h"
#include "tuner/results/ranked_csv.h"
#include "tuner/results/results_json.h"
#include "tuner/results/table_text.h"

namespace tuner {
namespace {

using Results = std::vector<RankedResults>;

// A format whose export is one file.
class TextExporter : public Exporter {
 public:
  using Text = std::function<std::string(const Study&, const Results&)>;

  explicit TextExporter(Text text, std::string mark = {})
      : text_(std::move(text)), mark_(std::move(mark)) {}

  std::vector<ExportedFile> write(const Study& study, const Results& results,
                                  const std::string& output) override {
    const std::string text = text_(study, results);
    return {{output, output == "-" ? text : mark_ + text}};
  }

 private:
  Text text_;
  std::string mark_;  // the beginning of a file, by which it is known as this program's
};

// What header and launcher have in common: the table, and what an earlier export had in it.
class CodeExporter : public Exporter {
 public:
  explicit CodeExporter(const ExportSettings& settings) : settings_(settings) {}

 protected:
  // For a file that holds the table and may replace an earlier one; tells the user what is in it.
  HeaderOptions header_options(const Study& study, const Results& results,
                               const std::string& output) {
    HeaderOptions options;
    options.table.max_configurations = settings_.max_configurations;
    options.table.within = settings_.within;
    options.source_text = settings_.source_digest(study);
    options.generator = "tuner " + settings_.version;
    earlier_ = earlier_table(output, study, options);
    if (earlier_) options.table.earlier = &*earlier_;
    const TunedTable table = exported_table(study, results, options.table);
    const bool reduced = settings_.max_configurations > 0 || settings_.within > 0;
    settings_.note((reduced ? loss_report(table) : "") + kept_report(study, table));
    return options;
  }

  const ExportSettings& settings() const { return settings_; }

 private:
  // The table of the file that is about to be replaced, if it is one of the same source.
  static std::optional<TunedTable> earlier_table(const std::string& path, const Study& study,
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

  ExportSettings settings_;
  std::optional<TunedTable> earlier_;
};

class HeaderExporter : public CodeExporter {
 public:
  using CodeExporter::CodeExporter;
  std::vector<ExportedFile> write(const Study& study, const Results& results,
                                  const std::string& output) override {
    return {{output, export_header(study, results, header_options(study, results, output))}};
  }
};

class LauncherExporter : public CodeExporter {
 public:
  using CodeExporter::CodeExporter;
  std::vector<ExportedFile> write(const Study& study, const Results& results,
                                  const std::string& output) override {
    const std::filesystem::path stem = stem_of(output, study);
    const std::string header = stem.string() + ".hpp";
    LauncherOptions options;
    options.stem = stem.filename().string();
    options.header = header_options(study, results, header);
    options.source = settings().launcher_source(study);
    if (study.kernel.language == "opencl") {
      return {{header, export_opencl_launcher(study, results, options)}};
    }
    LauncherFiles files = export_launcher(study, results, options);
    return {{header, std::move(files.header)},
            {stem.string() + ".cu", std::move(files.source)},
            {stem.string() + ".inl", std::move(files.text)}};
  }

 private:
  // "out/", "out/matmul", "out/matmul.cu" -> "out/matmul_launcher" or "out/matmul".
  static std::filesystem::path stem_of(const std::string& output, const Study& study) {
    if (output == "-") {
      throw InputError(
          Complaint{{}, "a launcher is three files: name their folder or their stem with -o", ""});
    }
    std::filesystem::path stem = output;
    if (std::filesystem::is_directory(stem) || stem.filename().empty()) {
      return stem / (study.kernel.name + "_launcher");
    }
    const auto extension = stem.extension();
    return extension == ".cu" || extension == ".hpp" || extension == ".inl"
               ? stem.replace_extension()
               : stem;
  }
};

// Gives an exporter the only result that there is, or refuses.
class OneResultExporter : public Exporter {
 public:
  OneResultExporter(std::string_view format, std::unique_ptr<Exporter> exporter)
      : format_(format), exporter_(std::move(exporter)) {}

  std::vector<ExportedFile> write(const Study& study, const Results& results,
                                  const std::string& output) override {
    return exporter_->write(study, {single_result(results, format_)}, output);
  }

 private:
  std::string format_;
  std::unique_ptr<Exporter> exporter_;
};

template <typename Made>
std::unique_ptr<Exporter> make(const ExportSettings& settings) {
  return std::make_unique<Made>(settings);
}

std::unique_ptr<Exporter> make_json(const ExportSettings&) {
  return std::make_unique<TextExporter>(results_json);
}

std::unique_ptr<Exporter> make_csv(const ExportSettings&) {
  return std::make_unique<TextExporter>([](const Study& study, const Results& results) {
    return ranked_csv(results.front(), parameter_names(study.parameters));
  });
}

std::unique_ptr<Exporter> make_t4(const ExportSettings& settings) {
  return std::make_unique<TextExporter>(
      [version = settings.version](const Study& study, const Results& results) {
        return export_t4(study, results.front(), version);
      });
}

std::unique_ptr<Exporter> make_wisdom(const ExportSettings&) {
  return std::make_unique<TextExporter>(export_wisdom);
}

std::unique_ptr<Exporter> make_defines(const ExportSettings&) {
  const auto text = [](const Study& study, const Results& results) {
    return export_defines(study, results.front());
  };
  return std::make_unique<TextExporter>(text, kDefinesMark);
}

constexpr std::array<ExportFormat, 7> kFormats{{
    {"header", "a C++17 header that picks a configuration by device and problem size", false,
     make<HeaderExporter>},
    {"launcher",
     "the winning variants' source and a function that launches them (.hpp, .cu, .inl); of OpenCL "
     "one .hpp",
     false, make<LauncherExporter>},
    {"json", "everything that was measured", false, make_json},
    {"csv", "the ranked table of one device and size", true, make_csv},
    {"t4", "the community's results format (T4), one device and size", true, make_t4},
    {"wisdom", "a wisdom file of Kernel Launcher: the best of each device and size", false,
     make_wisdom},
    {"defines", "compiler options of the best configuration of one device and size", true,
     make_defines},
}};

}  // namespace

std::span<const ExportFormat> export_formats() { return kFormats; }

std::unique_ptr<Exporter> make_exporter(std::string_view name, const ExportSettings& settings) {
  const auto format = std::ranges::find(kFormats, name, &ExportFormat::name);
  if (format == kFormats.end()) return nullptr;
  std::unique_ptr<Exporter> made = format->make(settings);
  if (!format->needs_one_result) return made;
  return std::make_unique<OneResultExporter>(format->name, std::move(made));
}

}  // namespace tuner
