// Opens plugin files and records why a file does not fit.

#include "tuner/plugin/loader.h"

#include <dlfcn.h>

#include <algorithm>
#include <sstream>
#include <system_error>

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>

#include "tuner/base/trust.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSymbol = "tuner_plugin_v2";

// Threads, atexit handlers and tables of a module must outlive us: the handle may go.
bool stays_in_memory(const fs::path& file) {
  return ::dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
}

// Boost wraps the loader's own sentence; only that one helps a user.
std::string loader_message(const std::string& text) {
  const std::string mark = "dlerror system message: ";
  const auto from = text.find(mark);
  if (from == std::string::npos) return text;
  const auto to = text.rfind(')');
  return text.substr(from + mark.size(), to - from - mark.size());
}

std::string misfit(const void* descriptor) {
  const auto& plugin = *static_cast<const tuner_plugin*>(descriptor);
  std::ostringstream out;
  if (plugin.magic != TUNER_ABI_MAGIC) {
    out << "'" << kSymbol << "' does not start with the magic number: not a tuner plugin";
  } else if (plugin.abi_major != TUNER_ABI_MAJOR || plugin.abi_minor != TUNER_ABI_MINOR) {
    out << "made for plugin interface " << plugin.abi_major << "." << plugin.abi_minor
        << ", this program has " << TUNER_ABI_MAJOR << "." << TUNER_ABI_MINOR
        << ": build the plugin again with the headers of this tuner (tuner/plugin/sdk.h)";
  } else if (plugin.struct_size < sizeof(tuner_plugin)) {
    out << "its descriptor has " << plugin.struct_size << " bytes, it needs "
        << sizeof(tuner_plugin);
  } else if (plugin.name == nullptr || plugin.version == nullptr || plugin.get_factory == nullptr) {
    out << "its descriptor lacks a name, a version or get_factory";
  }
  return out.str();
}

// Finds what a file exports under this name, unless `misfit_of` finds something wrong with it.
Expected<const void*, std::string> exported(const fs::path& file, const char* symbol,
                                            boost::dll::load_mode::type scope,
                                            std::string (*misfit_of)(const void*)) {
  try {
    const boost::dll::shared_library library(file, boost::dll::load_mode::rtld_now | scope);
    if (!library.has(symbol)) {
      return Unexpected{std::string("exports no symbol '") + symbol +
                        "': no plugin for this tuner, or one to build again with its headers"};
    }
    const void* table = &library.get<const char>(symbol);
    std::string reason = misfit_of(table);
    if (!reason.empty()) return Unexpected{std::move(reason)};
    if (!stays_in_memory(file)) return Unexpected{std::string("cannot be kept in memory")};
    return table;
  } catch (const std::system_error& error) {
    return Unexpected{loader_message(error.what())};
  }
}

}  // namespace

PluginSearch plugin_search(const fs::path& program_directory, const std::string& environment,
                           const std::vector<fs::path>& asked) {
  PluginSearch out;
  const auto add = [&](const fs::path& directory) {
    const fs::path clean = fs::weakly_canonical(directory);
    if (std::find(out.directories.begin(), out.directories.end(), clean) == out.directories.end()) {
      out.directories.push_back(clean);
    }
  };
  const auto add_trusted = [&](const fs::path& directory) {
    const std::string reason = why_not_trusted(directory, Owner::kUserOrRoot);
    if (reason.empty()) return add(directory);
    out.ignored.push_back({directory, reason});
  };
  for (const fs::path& directory : asked) {
    if (fs::is_directory(directory)) {
      add_trusted(fs::absolute(directory));
    } else {
      out.ignored.push_back({directory, "is not a directory"});
    }
  }
  std::istringstream entries(environment);
  for (std::string entry; std::getline(entries, entry, ':');) {
    if (fs::path(entry).is_absolute()) {
      add_trusted(entry);
    } else if (!entry.empty()) {
      out.ignored.push_back({entry, "not an absolute path in TUNER_PLUGIN_PATH"});
    }
  }
  // The program's own is as trusted as the program.
  add(program_directory / ".." / "lib" / "tuner" / "plugins");
  return out;
}

fs::path module_file() {
  Dl_info found{};
  static const char here = 0;
  if (::dladdr(&here, &found) == 0 || found.dli_fname == nullptr) return {};
  return fs::weakly_canonical(found.dli_fname);
}

std::vector<fs::path> plugin_files(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code unreadable;
  for (fs::directory_iterator it(directory, unreadable), end; !unreadable && it != end;
       it.increment(unreadable)) {
    if (it->path().extension() == ".so") files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Expected<const tuner_plugin*, std::string> load_plugin(const fs::path& file) {
  std::error_code none;
  if (fs::exists(file, none) && !fs::is_regular_file(file, none)) {
    return Unexpected{std::string("is no regular file")};  // to open a pipe may take for ever
  }
  if (std::string reason = why_file_not_trusted(file); !reason.empty()) {
    return Unexpected{std::move(reason)};
  }
  const auto found = exported(file, kSymbol, boost::dll::load_mode::rtld_local, misfit);
  if (!found) return Unexpected{found.error()};
  return static_cast<const tuner_plugin*>(*found);
}

// Loads with global symbols: libraries that the module's library opens later by itself need them.
Expected<const void*, std::string> load_table(const fs::path& file, const char* symbol) {
  return exported(file, symbol, boost::dll::load_mode::rtld_global,
                  [](const void*) { return std::string(); });
}

}  // namespace tuner
