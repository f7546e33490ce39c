#pragma once
// What the store knows of one size, while that size is tuned.

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/model/trial.h"
#include "tuner/space/search_space.h"

namespace tuner {

// Earlier trials by configuration, so that a resumed run asks the database once.
class TrialMemory {
 public:
  explicit TrialMemory(const std::vector<Trial>& trials);

  // Those that belong to the space, with their index there.
  std::vector<Trial> in(const SearchSpace& space) const;
  void replace(const Trial& trial);
  // Those whose samples come from an earlier final: they cannot be paired with the new ones.
  std::vector<Trial> earlier_finalists(const std::vector<Trial>& now) const;
  // What this run did not come by, as far as it belongs to the space: it competes all the same.
  void add_others(const SearchSpace& space, std::vector<Trial>& trials) const;
  // Those that the space does not have.
  std::vector<Trial> outside(const SearchSpace& space) const;
  // What does not belong to the space, of which only a part may be searched: it is ranked beside
  // the rest, with indices behind those of the space.
  void add_outsiders(const SearchSpace& space, std::vector<Trial>& trials) const;

 private:
  std::vector<Trial> known_;  // in the order in which they were measured
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace tuner
