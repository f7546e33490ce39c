#pragma once
// Everything that is wrong with one file, collected while it is read; and with those that it
// extends, which lie behind it in one text: a node's line is that of the whole, a position that of
// a file.

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/base/error.h"

namespace tuner {

class Diagnostics {
 public:
  Diagnostics(std::string file, std::string text);

  // Behind the files before it; returns how many lines they have together.
  int append(std::string file, const std::string& text);

  const std::string& file() const { return files_.front().name; }  // the first
  const std::string& text() const { return text_; }
  bool knows(const std::string& absolute) const;  // whether the file is one of them

  Position at(int line, int column) const;
  // Byte offset of a line's column in text(), both from 1; the text's size when past its end.
  std::size_t offset_of(int line, int column) const;
  Position position_of(std::size_t offset) const;

  void error(Position where, std::string message, std::string suggestion = {});
  void warning(Position where, std::string message, std::string suggestion = {});

  bool ok() const { return errors_.empty(); }
  // In the order of the files, each once.
  std::vector<Complaint> errors() const;
  std::vector<Complaint> warnings() const;

 private:
  struct File {
    std::string name;
    int lines_before;
  };
  std::vector<Complaint> in_order(std::vector<Complaint> all) const;

  std::vector<File> files_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
  std::vector<Complaint> errors_;
  std::vector<Complaint> warnings_;
};

// A name that is not among `known`: "did you mean ...?" for a near miss, else what is known.
std::string suggestion_for(const std::string& name, const std::vector<std::string>& known);

}  // namespace tuner
