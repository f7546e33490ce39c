// Reads the request, writes files, matches names.

#include "tuner/plugins/cuda/capture/request.h"

#include <cxxabi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>

namespace tuner::capture {

Request Request::of_environment() {
  const char* file = std::getenv("TUNER_CAPTURE");
  if (file == nullptr) throw std::runtime_error("TUNER_CAPTURE is not set");
  std::ifstream stream(file);
  const auto json = nlohmann::json::parse(stream);
  Request out;
  json.at("folder").get_to(out.folder);
  json.at("kernel").get_to(out.kernel);
  json.at("watches").get_to(out.watches);
  json.at("launch").get_to(out.launch);
  json.at("geometries").get_to(out.geometries);
  out.memory = static_cast<Memory>(json.at("memory").get<int>());
  json.at("limit").get_to(out.limit);
  return out;
}

void write_file(const std::string& path, const std::string& text) {
  const std::string beside = path + ".part";
  std::FILE* file = std::fopen(beside.c_str(), "wb");
  const bool written =
      file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (written && closed && std::rename(beside.c_str(), path.c_str()) == 0) return;
  std::remove(beside.c_str());
  throw std::runtime_error(path + " cannot be written");
}

void write_json(const std::string& path, const nlohmann::json& value) {
  write_file(path, value.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

namespace {

// Goes back to the last '*' alone, so that long names take little time.
bool fits(const char* pattern, const char* name) {
  const char* star = nullptr;
  const char* from = nullptr;
  while (*name != '\0') {
    if (*pattern == '*') {
      star = ++pattern;
      from = name;
    } else if (*pattern == *name) {
      ++pattern;
      ++name;
    } else if (star != nullptr) {
      pattern = star;
      name = ++from;
    } else {
      return false;
    }
  }
  while (*pattern == '*') ++pattern;
  return *pattern == '\0';
}

}  // namespace

bool matches(const std::string& pattern, const std::string& name) {
  return pattern.find('*') == std::string::npos ? name.find(pattern) != std::string::npos
                                                : fits(pattern.c_str(), name.c_str());
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

}  // namespace tuner::capture
