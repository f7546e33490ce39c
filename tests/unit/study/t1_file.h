#pragma once
// A folder with a T1 file ("t1.json") and the kernel file that it names ("k.cu").

#include <string>
#include <vector>

#include "tuner/study/t1_reader.h"

namespace tuner::testing {

class T1File {
 public:
  explicit T1File(const std::string& json);
  ~T1File();
  T1File(const T1File&) = delete;
  T1File& operator=(const T1File&) = delete;

  Study accepted() const;
  std::string warnings() const;
  std::filesystem::path path() const { return folder_ / "t1.json"; }
  // The message of the InputError, without the folder; empty when the file is accepted.
  std::string complaints() const;

 private:
  std::filesystem::path folder_;
};

// Everything that a T1 file may say.
std::string whole_t1();
// One parameter B of 1, 2 and 4 (`more`: further keys of it), one buffer, and the given launch.
std::string small_t1(const std::string& launch, const std::string& more = "\"Default\": 1",
                     const std::string& condition = "");

std::string texts(const std::vector<Value>& values);

}  // namespace tuner::testing
