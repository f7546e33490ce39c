#pragma once
// Texts that carry a study's `command`: the text in a compile request, and the image that is made
// of it.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/plugin/sdk.h"

namespace tuner::program {

// An argument of the study that is a file of the program's.
struct FileArgument {
  std::size_t position = 0;  // among the study's arguments
  std::string file;          // in the variant's folder
  std::string type;          // "float32"
  std::vector<std::uint64_t> shape;
  bool is_read = false;     // by the program: written before it runs
  bool is_written = false;  // by the program
};

struct Command {
  std::vector<std::string> build;        // words; empty: nothing is built
  std::vector<std::string> run;          // words
  std::vector<std::string> environment;  // "BX=32"
  std::vector<FileArgument> arguments;
  nlohmann::json metrics;            // as the study's reader writes them
  std::string folder;                // of the study; absolute
  std::vector<std::string> sources;  // files of that folder, relative to it
};

// The request's source is one line of JSON behind others that name the sources; its options are
// KEY=WORD: build, run, environment, argument.
Command command_of(const sdk::CompileRequest& request);

// Everything that a run needs: the command without its building, and the folder's files.
struct Image {
  Command command;
  nlohmann::json files;  // variant_folder.h
};
std::string text_of(const Image& image);
Image image_of(std::string_view text);  // throws sdk::Error (TUNER_INVALID)

}  // namespace tuner::program
