// Reads what the study's reader wrote, and packs what the run worker needs.

#include "tuner/plugins/program/variant_text.h"

#include <filesystem>
#include <sstream>

namespace tuner::program {
namespace {

using nlohmann::json;

// "2:y.npy:float32:64x64:out"; a file's name may hold a colon.
FileArgument argument_of(const std::string& text) {
  std::vector<std::string> ends;
  std::string rest = text;
  for (int i = 0; i < 3; ++i) {
    const std::size_t colon = rest.rfind(':');
    if (colon == std::string::npos) throw sdk::Error(TUNER_INVALID, "no argument: " + text);
    ends.push_back(rest.substr(colon + 1));
    rest.resize(colon);
  }
  FileArgument out;
  out.position = std::stoul(rest);
  out.file = rest.substr(rest.find(':') + 1);
  out.is_read = ends[0] != "out";
  out.is_written = ends[0] != "in";
  std::istringstream extents(ends[1]);
  for (std::string extent; std::getline(extents, extent, 'x');) {
    out.shape.push_back(std::stoull(extent));
  }
  out.type = ends[2];
  return out;
}

}  // namespace

// By their names, in the image; what is built is no part of it.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FileArgument, position, file, type, shape, is_read, is_written)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Command, run, environment, metrics, folder, arguments)

Command command_of(const sdk::CompileRequest& request) {
  Command out;
  const std::size_t at = request.source.rfind('\n');
  const json said = json::parse(request.source.substr(at == std::string::npos ? 0 : at + 1));
  out.metrics = said.at("metrics");
  out.folder = std::filesystem::path(request.source_name).parent_path().string();
  out.sources = said.at("sources").get<std::vector<std::string>>();
  for (const std::string& option : request.options) {
    const std::size_t equals = option.find('=');
    const std::string key = option.substr(0, equals);
    const std::string value = option.substr(equals + 1);
    if (key == "build") out.build.push_back(value);
    if (key == "run") out.run.push_back(value);
    if (key == "environment") out.environment.push_back(value);
    if (key == "argument") out.arguments.push_back(argument_of(value));
  }
  return out;
}

std::string text_of(const Image& image) {
  json out = image.command;
  out["files"] = image.files;
  std::string text;
  json::to_cbor(out, text);
  return text;
}

Image image_of(std::string_view text) {
  try {
    const json from = json::from_cbor(text.begin(), text.end());
    return {from.get<Command>(), from.at("files")};
  } catch (const json::exception& error) {
    throw sdk::Error(TUNER_INVALID, std::string("no image of a program: ") + error.what());
  }
}

}  // namespace tuner::program
