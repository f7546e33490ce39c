// Prints how soon a search was how good.

#include "tuner/commands/first_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tuner/base/text.h"
#include "tuner/commands/options.h"
#include "tuner/files/ranked_table.h"
#include "tuner/files/results_json.h"
#include "tuner/model/json_text.h"

namespace tuner {

std::vector<std::size_t> question_counts(const std::string& text) {
  std::vector<std::size_t> counts;
  for (const std::string& word : split(text, ',')) {
    std::size_t count = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, code] = std::from_chars(word.data(), end, count);
    if (code != std::errc() || stop != end || count == 0) {
      wrong_usage("--first takes numbers of questions such as 1,8,32, not '" + text + "'");
    }
    counts.push_back(count);
  }
  return counts;
}

namespace {

using Json = nlohmann::ordered_json;

Json first_json(const StoredResults& results, const std::vector<std::size_t>& counts) {
  Json out{{"kernel", results.kernel},
           {"device", results.ranked.device.name},
           {"label", results.ranked.size.label()},
           {"size", json_of(results.ranked.size)},
           {"questions", results.ranked.trials.size()},
           {"first", Json::array()},
           {"advice", json_of(results.ranked.advice)}};
  for (const FirstLoss& one : first_losses(results, counts)) {
    out["first"].push_back({{"questions", one.questions},
                            {"asked", one.asked},
                            {"loss", one.loss ? Json(*one.loss) : Json(nullptr)}});
  }
  return out;
}

}  // namespace

void print_first(const std::vector<StoredResults>& all, const std::vector<std::size_t>& counts,
                 bool as_json) {
  if (as_json) {
    Json sets = Json::array();
    for (const StoredResults& one : all) sets.push_back(first_json(one, counts));
    std::cout << dump(sets, 2) << "\n";
    return;
  }
  std::size_t width = 4;
  for (const StoredResults& one : all) width = std::max(width, one.ranked.size.label().size());
  std::string place;
  for (const StoredResults& one : all) {
    const std::string here = one.kernel + " on " + one.ranked.device.name;
    if (here != place) {
      std::cout << for_terminal(here) << ": from the best found, after so many questions\n"
                << fmt::format("  {:{}}", "size", width);
      for (const std::size_t count : counts) std::cout << fmt::format("  {:>13}", count);
      std::cout << fmt::format("  {:>9}\n", "questions");
      place = here;
    }
    std::cout << fmt::format("  {:{}}", for_terminal(one.ranked.size.label()), width);
    for (const FirstLoss& loss : first_losses(one, counts)) {
      std::cout << fmt::format("  {:>13}", loss.asked ? loss_text(loss.loss) : "not asked");
    }
    std::cout << fmt::format("  {:>9}\n", one.ranked.trials.size());
    for (const std::string& line : advice_lines(one.ranked)) std::cout << "    " << line << "\n";
  }
}

}  // namespace tuner
