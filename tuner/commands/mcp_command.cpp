// `tuner mcp`: tools for agents by the Model Context Protocol. The server is
// share/tuner/agents/server.py, over the protocol's official SDK for Python; it calls this program
// for each request.

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tuner/base/atomic_file.h"
#include "tuner/base/child_process.h"
#include "tuner/base/error.h"
#include "tuner/commands/commands.h"
#include "tuner/model/json_text.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

struct McpOptions {
  std::string tool;  // with `schema`: that one alone
  bool schema = false;
  std::string root = ".";
  bool allow_commands = false;
  double limit = 600;  // seconds
  std::string backend = "auto";
  std::string device = "0";
};

McpOptions parse_mcp(const Strings& words) {
  McpOptions o;
  OptionTable add;
  add("root", o.root, "agents may name files in this folder only; results are kept there, too");
  add("allow-commands", o.allow_commands,
      "studies may run code of the host: 'command', 'launcher', references in Python");
  add("limit", o.limit, "seconds for one call; a tuning ends then with what it has");
  add("backend", o.backend, "auto, cuda, cpu, ...; agents cannot choose another");
  add("device", o.device, "its number, or several (0,1), on which calls are served side by side");
  add("schema", o.schema,
      "print the tools, or that one, with the schemas of what they take and "
      "give; needs no Python");
  const auto values = add.parse(words, "tuner mcp [options]\n       tuner mcp [TOOL] --schema");
  o.tool = one_input(values, "which tool?", false);
  if (!o.tool.empty() && !o.schema) wrong_usage("a tool is named with --schema only");
  if (!(o.limit > 0)) wrong_usage("--limit must be a number of seconds");
  std::error_code error;
  if (!fs::is_directory(o.root, error)) wrong_usage("--root '" + o.root + "' is no folder");
  return o;
}

fs::path agents_folder() {
  return fs::path(executable_path()).parent_path().parent_path() / "share/tuner/agents";
}

void print_tools(const std::string& named) {
  const std::string text = read_file(agents_folder() / "tools.json");
  if (named.empty()) {
    std::cout << text;
    return;
  }
  const auto document = parse_json(text);
  Strings names;
  for (const auto& tool : document.at("tools")) {
    names.push_back(tool.at("name").get<std::string>());
    if (names.back() == named) std::cout << dump(tool, 1) << "\n";
  }
  must_be_one_of("the tool", named, names);
}

}  // namespace

int mcp_command(const Strings& words) {
  const McpOptions options = parse_mcp(words);
  if (options.schema) {
    print_tools(options.tool);
    return kExitDone;
  }
  // That of a wheel is the Python which it is installed in.
  const char* const named = std::getenv("TUNER_PYTHON");
  Strings call{named != nullptr && *named != '\0' ? named : "python3",
               (agents_folder() / "server.py").string(),
               "--program",
               executable_path(),
               "--root",
               options.root,
               "--limit",
               std::to_string(options.limit),
               "--backend",
               options.backend,
               "--device",
               options.device};
  if (options.allow_commands) call.emplace_back("--allow-commands");
  std::vector<char*> arguments;
  for (std::string& word : call) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  wrong_usage("'tuner mcp' needs Python: '" + call.front() + "' " + std::strerror(errno) +
              "; 'tuner mcp --schema' does not");
}

}  // namespace tuner
