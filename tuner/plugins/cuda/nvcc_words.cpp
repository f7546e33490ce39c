// Makes nvcc's words of a request's options, and keeps from it what its shell would obey.

#include "tuner/plugins/cuda/nvcc_words.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "tuner/plugins/programs/host_function.h"
#include "tuner/plugins/programs/make_rule.h"

namespace tuner::cuda {

// ---- what a shell takes as it is ----------------------------------------------------------------

namespace {

bool has_only(std::string_view text, std::string_view signs) {
  return std::ranges::all_of(text, [&](char c) {
    const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
    return (is_ascii && std::isalnum(c) != 0) || signs.find(c) != std::string_view::npos;
  });
}

constexpr std::string_view kInPaths = "_-./+";
constexpr std::string_view kInWords = "_-./+=,:";

// Variables that nvcc.profile puts into the commands.
constexpr std::string_view kInCommands[] = {
    "INCLUDES=", "SYSTEM_INCLUDES=", "LIBRARIES=", "PTXAS_FLAGS=", "CUDAFE_FLAGS="};

}  // namespace

bool is_harmless_path(std::string_view path) { return has_only(path, kInPaths); }

void require_harmless(const std::string& what, const std::string& path) {
  if (is_harmless_path(path)) return;
  throw sdk::Error(TUNER_UNSUPPORTED,
                   what + " '" + path +
                       "', which nvcc gives to a shell: it may have letters, digits and '_-./+' "
                       "only");
}

std::string HarmlessFolders::name_of(const std::string& folder) {
  if (is_harmless_path(folder)) return folder;
  const std::string there = std::filesystem::absolute(folder).string();
  for (const auto& [link, known] : links_) {
    if (known == there) return link;
  }
  const std::string link = scratch_.file("folder" + std::to_string(links_.size()));
  // Several texts of one request are translated in the same scratch folder.
  std::filesystem::remove(link);
  std::filesystem::create_directory_symlink(there, link);
  links_.emplace_back(link, there);
  return link;
}

std::string HarmlessFolders::undone(std::string text) const {
  // Replaces the last folder first: "folder1" begins "folder10".
  for (auto one = links_.rbegin(); one != links_.rend(); ++one) {
    const auto& [link, folder] = *one;
    for (auto at = text.find(link); at != std::string::npos;
         at = text.find(link, at + folder.size())) {
      text.replace(at, link.size(), folder);
    }
  }
  return text;
}

int run_nvcc(const std::vector<std::string>& command, const programs::ScratchDirectory& scratch,
             const std::string& log) {
  for (const std::string& word : command) {
    if (has_only(word, kInWords)) continue;
    scratch.write(log, "error: '" + word +
                           "' is not passed on to nvcc, which would give it to a shell: it may "
                           "have letters, digits and '_-./+=,:' only\n");
    return 1;
  }
  std::vector<std::string> environment = programs::child_environment(scratch.path());
  std::erase_if(environment, [](const std::string& variable) {
    return std::ranges::any_of(kInCommands,
                               [&](std::string_view name) { return variable.starts_with(name); });
  });
  return programs::run_child({command, environment, scratch.file(log)});
}

// ---- options ------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kPassedOn[] = {"-Xcompiler=", "--compiler-options="};
constexpr std::string_view kDefines[] = {"-D", "--define-macro="};
constexpr std::string_view kUndefines[] = {"-U", "--undefine-macro="};
constexpr std::string_view kHeaders[] = {"-include=", "--pre-include="};
constexpr std::string_view kArchitectures[] = {"-arch=", "--gpu-architecture="};
constexpr std::string_view kFolders[] = {"-I",
                                         "-isystem",
                                         "-iquote",
                                         "-idirafter",
                                         "--system-include=",
                                         "--include-path=",
                                         "--include-directory="};
constexpr std::string_view kRelocatable[] = {"-rdc=", "--relocatable-device-code="};
constexpr std::string_view kLibraryFolders[] = {"-L", "--library-path="};

template <std::size_t N>
bool take(const std::string& option, const std::string_view (&heads)[N], std::string& value) {
  for (const std::string_view head : heads) {
    if (!option.starts_with(head)) continue;
    value = option.substr(head.size());
    if (value.starts_with('=') && !head.ends_with('=')) value.erase(0, 1);
    return true;
  }
  return false;
}

// Takes a definition as a line of the text, whose last definition of a name is the one that counts.
std::string last_definition(const std::string& name, const std::string& replacement) {
  return "#undef " + name.substr(0, name.find('(')) + "\n" +
         programs::definition(name, replacement);
}

class Sorter {
 public:
  explicit Sorter(NvccOptions& out) : out_(out) {}

  void add(const std::string& option) {
    std::string value;
    if (preprocessor(option) || linker(option)) return;
    if (take(option, kArchitectures, value)) {
      if (value != "native") out_.arch = value;
    } else if (take(option, kRelocatable, value)) {
      out_.links = out_.links || value == "true";
    } else if (option == "-dc" || option == "--device-c") {
      out_.links = true;
    } else if (take(option, kPassedOn, value) && (preprocessor(value) || linker(value))) {
      // nvcc's own preprocessor and linker are the host's
    } else {
      out_.arguments.push_back(option);
    }
  }

  std::string headers;  // lines that follow all definitions

 private:
  bool preprocessor(const std::string& option) {
    std::string value;
    if (take(option, kDefines, value)) {
      const auto equals = value.find('=');
      out_.definitions += last_definition(
          value.substr(0, equals), equals == std::string::npos ? "1" : value.substr(equals + 1));
    } else if (take(option, kUndefines, value)) {
      out_.definitions += "#undef " + value + "\n";
    } else if (take(option, kHeaders, value)) {
      headers += "#include \"" + value + "\"\n";
    } else if (take(option, kFolders, value)) {
      out_.folders.push_back(value);
    } else {
      return false;
    }
    return true;
  }

  bool linker(const std::string& option) {
    std::string value;
    if (take(option, kLibraryFolders, value)) {
      out_.library_folders.push_back(value);
    } else if (programs::is_library(option)) {
      out_.libraries.push_back(option);
    } else {
      return false;
    }
    return true;
  }

  NvccOptions& out_;
};

}  // namespace

NvccOptions nvcc_options(const sdk::CompileRequest& request) {
  NvccOptions out;
  out.arch = request.arch;
  out.folders = request.include_dirs;
  out.links = !request.units.empty();
  out.definitions = programs::line_directive("definitions");
  for (const auto& [name, text] : request.defines) out.definitions += last_definition(name, text);
  Sorter sorter(out);
  for (const std::string& option : request.options) sorter.add(option);
  out.definitions += sorter.headers;
  return out;
}

}  // namespace tuner::cuda
