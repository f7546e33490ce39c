// Makes a plugin's compiler table look like the port.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/base/hash.h"
#include "tuner/plugin/adapters.h"

namespace tuner {
namespace {

// The views of a request, alive as long as it.
class AbiRequest {
 public:
  explicit AbiRequest(const CompileRequest& from)
      : include_dirs_(views(from.include_dirs)),
        options_(views(from.options)),
        symbols_(views(from.symbols)),
        next_(views(from.then)),
        units_(views(from.units)) {
    for (const auto& [name, value] : from.defines) {
      defines_.push_back({to_abi(name), to_abi(value)});
    }
    request = {sizeof(tuner_compile_request),
               to_abi(from.source),
               to_abi(from.source_name),
               to_abi(from.entry),
               to_abi(from.arch),
               include_dirs_.data(),
               include_dirs_.size(),
               options_.data(),
               options_.size(),
               defines_.data(),
               defines_.size(),
               symbols_.data(),
               symbols_.size(),
               next_.data(),
               next_.size(),
               units_.data(),
               units_.size(),
               from.is_host_function ? 1U : 0U};
  }
  AbiRequest(const AbiRequest&) = delete;
  AbiRequest& operator=(const AbiRequest&) = delete;

  tuner_compile_request request{};

 private:
  static std::vector<tuner_str> views(const std::vector<std::string>& from) {
    std::vector<tuner_str> out;
    for (const std::string& one : from) out.push_back(to_abi(one));
    return out;
  }

  std::vector<tuner_str> include_dirs_, options_, symbols_, next_, units_;
  std::vector<tuner_pair> defines_;
};

// The files that a compiler names, as they are now.
class OpenedDigests {
 public:
  // Empty when one of them is not as it was at `before`, when the compiler had not begun: nobody
  // can say which of its states was read. Files get their times from a clock that ticks rarely.
  OpenedFiles states_of(const std::vector<std::string>& paths,
                        std::chrono::system_clock::time_point before) {
    std::set<std::string> seen;
    std::vector<FileState> states;
    for (const std::string& path : paths) {
      std::error_code failed;
      std::string place = std::filesystem::canonical(path, failed).string();
      if (failed) return std::nullopt;
      // A new version of a library is often a new file behind the same link.
      if (is_library_file(path))
        place = std::filesystem::absolute(path).lexically_normal().string();
      if (!seen.insert(place).second) continue;
      const auto state = digests_.of(place);
      if (!state || state->changed + kTick > before) return std::nullopt;
      states.push_back({std::move(place), state->digest});
    }
    return states;
  }

 private:
  static constexpr std::chrono::milliseconds kTick{10};
  FileDigests digests_;
};

class PluginCompiler : public Compiler {
 public:
  PluginCompiler(PluginObject<tuner_compiler> object, std::string options)
      : object_(std::move(object)), options_(std::move(options)) {}

  std::string identity() override {
    StringSink out;
    object_->identity(object_->self, out.sink());
    return out.text + options_;
  }

  Expected<Artifact, CompileFailure> compile(const CompileRequest& from) override {
    const AbiRequest abi(from);
    Artifact artifact;
    StringSink image;
    StringSink entry;
    StringSink log;
    Answer answer{&artifact, {}, false};
    const tuner_compile_sinks sinks{sizeof(tuner_compile_sinks),
                                    image.sink(),
                                    entry.sink(),
                                    log.sink(),
                                    &answer,
                                    add_symbol,
                                    set_resources,
                                    add_next_kernel,
                                    add_opened,
                                    opened_all};
    const auto start = std::chrono::steady_clock::now();
    const auto before = std::chrono::system_clock::now();
    const int status = object_->compile(object_->self, &abi.request, &sinks);
    if (status == TUNER_DEVICE_LOST) throw UnavailableError(log.text);
    if (answer.all_opened) artifact.opened = digests_.states_of(answer.opened, before);
    if (status != TUNER_OK) {
      return Unexpected{CompileFailure{log.text, status == TUNER_OUT_OF_MEMORY, artifact.opened}};
    }
    if (artifact.then.size() != from.then.size()) {
      return Unexpected{
          CompileFailure{"this compiler plugin did not name every kernel of the sequence ('then')",
                         false, artifact.opened}};
    }
    const std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - start;
    artifact.image = std::move(image.text);
    artifact.entry = std::move(entry.text);
    artifact.log = std::move(log.text);
    std::int64_t& spills = artifact.resources.spill_bytes;
    for (const NextKernel& next : artifact.then) {
      if (next.resources.spill_bytes > 0)
        spills = std::max<std::int64_t>(0, spills) + next.resources.spill_bytes;
    }
    artifact.milliseconds = spent.count();
    return artifact;
  }

 private:
  // The answer that the sinks' functions fill.
  struct Answer {
    Artifact* artifact;
    std::vector<std::string> opened;
    bool all_opened;
  };
  static Artifact& artifact_of(void* answer) { return *static_cast<Answer*>(answer)->artifact; }

  static void add_symbol(void* to, tuner_str asked, tuner_str lowered) noexcept {
    artifact_of(to).symbols.emplace_back(from_abi(asked), from_abi(lowered));
  }
  static void set_resources(void* to, const tuner_resources* from) noexcept {
    artifact_of(to).resources = from_abi(*from);
  }
  static void add_next_kernel(void* to, tuner_str lowered, const tuner_resources* from) noexcept {
    artifact_of(to).then.push_back({from_abi(lowered), from_abi(*from)});
  }
  static void add_opened(void* to, tuner_str path) noexcept {
    static_cast<Answer*>(to)->opened.push_back(from_abi(path));
  }
  static void opened_all(void* to) noexcept { static_cast<Answer*>(to)->all_opened = true; }

  PluginObject<tuner_compiler> object_;
  std::string options_;  // with which it was made, as a part of its identity
  OpenedDigests digests_;
};

}  // namespace

Expected<std::unique_ptr<Compiler>, std::string> make_plugin_compiler(const PluginItem& item,
                                                                      const OptionList& options) {
  const std::vector<tuner_pair> pairs = abi_pairs(options);
  auto made = made_by<tuner_compiler>([&](tuner_compiler* out, tuner_sink error) {
    return item.factory_as<tuner_compiler_factory>().create(item.number, pairs.data(), pairs.size(),
                                                            out, error);
  });
  if (!made) return Unexpected{made.error()};
  if (!is_whole(**made, (*made)->destroy, (*made)->identity, (*made)->compile)) {
    return Unexpected{std::string("its table is too short for this program")};
  }
  std::string made_with;
  for (const OptionValue& one : options) made_with += " " + one.name + "=" + one.value;
  return std::unique_ptr<Compiler>(
      std::make_unique<PluginCompiler>(std::move(*made), std::move(made_with)));
}

}  // namespace tuner
