// Learns from trials of drafts.

#include "tuner/commands/draft_lessons.h"

#include <algorithm>
#include <utility>

namespace tuner {
namespace {

using End = DraftTrial::End;

constexpr std::int64_t kMostRoom = 64, kMostRoomOfOne = 1 << 16, kSmallest = 4096, kLess = 64,
                       kFewest = 4;
constexpr std::int64_t kUsualShared = 48 << 10, kMostShared = 192 << 10;

// Makes all buffers larger: what a kernel reads behind them may be poison, or another buffer.
bool ask_for_room(DraftRequest& request) {
  if (request.room_of(kEvery) >= kMostRoom) return false;
  request.room[kEvery] = request.room_of(kEvery) * 8;
  return true;
}

bool learn_of_unwritten(const DraftTrial& trial, DraftRequest& request) {
  if (trial.is_verified) return request.unwritten.insert(trial.name).second;  // an input
  if (request.unwritten.empty()) return request.unwritten.insert(trial.name).second;
  request.unwritten.insert(kEvery);
  return !std::exchange(request.positive, true) || ask_for_room(request);
}

// Compares an output in any order, as kernels need that append to it; else, if it is one of
// several, not at all.
bool learn_of_unsteady(const std::string& output, const DraftedStudy& draft,
                       DraftRequest& request) {
  if (output.empty()) return false;
  if (!draft.reads_clock && request.any_order.insert(output).second) return true;
  const bool is_first = draft.outputs > 1 && request.unsteady.insert(output).second;
  if (is_first) request.any_order.erase(output);
  return is_first;
}

bool learn_of_wrong(const DraftTrial& trial, const DraftedStudy& draft, DraftRequest& request) {
  if (request.unwritten.insert(kEvery).second) return true;
  const bool may_be_behind = !draft.reads_clock && request.room_of(kEvery) == 1;
  if (may_be_behind && ask_for_room(request)) return true;
  return learn_of_unsteady(trial.name, draft, request);
}

}  // namespace

bool DraftLessons::ask_for_less(const DraftedStudy& draft, DraftRequest& request) {
  if (std::exchange(request.whole, false)) return true;
  if (!draft.has_extents || draft.smaller >= kSmallest) return false;
  request.smaller = draft.smaller * kLess;
  return true;
}

bool DraftLessons::learn_of_crash(const DraftTrial& trial, const DraftedStudy& draft,
                                  DraftRequest& request) {
  if (trial.times > 1) {
    // One that is still too small is read in steps: nobody knows how far.
    const std::int64_t now = request.room_of(trial.name);
    const std::int64_t times = now * (now > 1 ? trial.times * trial.times : trial.times);
    if (times <= kMostRoomOfOne) return request.room[trial.name] = times, true;
  }
  // Numbers that are places elsewhere, or lengths, are out of bounds.
  if (draft.has_whole_inputs && !std::exchange(request.small, true)) {
    return request.room.clear(), true;
  }
  return ask_for_room(request) || ask_for_less(draft, request);
}

bool DraftLessons::learn(const DraftTrial& trial, const DraftedStudy& draft,
                         DraftRequest& request) {
  if (trial.end == End::kUnwritten) return learn_of_unwritten(trial, request);
  if (trial.is_race) {  // two threads may write to one place only since the draft says so
    if (draft.has_whole_inputs && !std::exchange(request.distinct, true)) return true;
    return learn_of_unsteady(trial.name, draft, request);
  }
  const bool fails = trial.end == End::kCrash || trial.end == End::kWrong;
  if (fails && draft.has_numbers && !with_numbers_) {
    with_numbers_ = trial;
    return request.keeps_numbers = true;
  }
  if (request.keeps_numbers && with_numbers_ && trial.end == with_numbers_->end) {  // no help
    request.keeps_numbers = false;
    return learn(DraftTrial(*with_numbers_), draft, request);
  }
  switch (trial.end) {
    case End::kRounding:
      return request.atol.emplace(trial.name, trial.atol).second;
    case End::kWrong:
      return learn_of_wrong(trial, draft, request);
    case End::kCrash:
      return learn_of_crash(trial, draft, request);
    case End::kShared:
      if (draft.has_guessed_shared && request.shared < kMostShared) {
        return request.shared = std::max(kUsualShared, 2 * request.shared), true;
      }
      if (request.fewer < kFewest) return request.fewer *= 2, true;
      return ask_for_less(draft, request);
    case End::kSlow:
      return ask_for_less(draft, request);
    default:
      return false;
  }
}

}  // namespace tuner
