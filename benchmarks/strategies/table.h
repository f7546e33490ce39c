#pragma once
// What a study prints.

#include <ostream>
#include <string>
#include <vector>

namespace tuner::bench {

struct Row {
  std::string label;           // of the strategy with its options
  std::vector<double> scores;  // one for each recording
  // By the clock of compile workers, else empty: the score in the eighth of the budget where it is
  // lowest, for each recording.
  std::vector<double> least_eighths;
  double milliseconds = 0;  // own computing per proposal, on the worst recording

  double mean() const;
};

// Markdown, best mean first; recordings are numbered and listed below.
void print_table(std::ostream& out, std::vector<Row> rows, const std::vector<std::string>& names);

// For each group of recordings, the row that is best on all others is judged on it. Returns the
// mean over the recordings, and says which row was chosen for which group.
double print_nested(std::ostream& out, const std::vector<Row>& rows,
                    const std::vector<std::string>& groups);

}  // namespace tuner::bench
