// Captures are read and sorted by their numbers; those of one size after the first are kept apart.

#include "tuner/commands/captured_folder.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <tuple>
#include <vector>

#include "tuner/base/error.h"
#include "tuner/drafting/captured_launches.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

// Reads the captures of a folder, or the one that it is. Throws InputError where there are none.
std::vector<CapturedLaunch> captures_in(const fs::path& folder) {
  std::vector<fs::path> folders;
  std::error_code failed;
  if (fs::exists(folder / "capture.json", failed)) folders.push_back(folder);
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (fs::exists(at->path() / "capture.json", failed)) folders.push_back(at->path());
  }
  if (folders.empty()) {
    reject(folder, "holds no captured launch",
           "'tuner capture --kernel NAME --sizes 5 -- PROGRAM' writes some");
  }
  std::ranges::sort(folders, {}, [](const fs::path& one) {
    const std::string name = one.filename();
    const std::size_t dash = name.rfind('-') + 1;
    return std::tuple(name.substr(0, dash), name.size() - dash, name);
  });
  std::vector<CapturedLaunch> out;
  for (const fs::path& one : folders) out.push_back(read_capture(one));
  return out;
}

}  // namespace

void take_captured(const fs::path& captured, DraftRequest& request) {
  const std::vector<CapturedLaunch> all = captures_in(captured);
  const auto first = std::ranges::find_if(all, [&](const CapturedLaunch& one) {
    if (!request.kernel.empty()) return is_launch_of(one, request.kernel);
    DraftRequest asked = request;
    asked.kernel = base_name(one);
    try {
      return is_launch_of(one, kernel_to_draft(asked));
    } catch (const InputError&) {
      return false;
    }
  });
  if (first == all.end()) {
    reject(captured, "holds no launch of a kernel in " + request.source_name,
           "it has " + base_name(all.front()));
  }
  request.kernel = base_name(*first);
  for (const CapturedLaunch& one : all) {
    const auto is_as_large = [&](const CapturedLaunch& other) { return are_as_large(one, other); };
    if (one.mangled != first->mangled) continue;
    if (std::ranges::any_of(request.captured, is_as_large)) {
      request.as_large.push_back(one);
      continue;
    }
    request.captured.push_back(one);
  }
  request.changed = changed_parameters(request.captured);
}

}  // namespace tuner
