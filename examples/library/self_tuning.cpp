// A program that tunes something of its own, without running `tuner`: it asks for configurations,
// measures them itself, and keeps the best. With a second word it has `tuner` measure the study and
// prints the best.
//
//   self_tuning STUDY [RESULTS]

#include <tuner/tuner.h>

#include <cstdio>
#include <string>

namespace {

std::string text_of(const libtuner::Configuration& configuration) {
  std::string out;
  for (const auto& [name, value] : configuration) {
    out += name + "=";
    if (const auto* number = std::get_if<std::int64_t>(&value)) out += std::to_string(*number);
    if (const auto* text = std::get_if<std::string>(&value)) out += *text;
    out += " ";
  }
  return out;
}

// Stands for what the program would measure: the best tile is 16.
double cost_of(const libtuner::Configuration& configuration) {
  const auto tile = static_cast<double>(std::get<std::int64_t>(configuration.at(0).second));
  return tile < 16 ? 16 / tile : tile / 16;
}

void ask_and_tell(const libtuner::Study& study) {
  libtuner::SearchSettings settings;
  settings.strategy = "genetic";
  settings.options = {{"population", "4"}};
  libtuner::Search search(study, settings);
  for (int i = 0; i < 12; ++i) {
    for (const auto& question : search.ask())
      search.tell(question.number, cost_of(question.configuration));
  }
  std::printf("asked and told: %s\n", text_of(search.best()->configuration).c_str());
}

void run(const libtuner::Study& study, const std::string& results) {
  libtuner::RunSettings settings;
  settings.results = results;
  settings.evaluations = 6;
  int trials = 0;
  libtuner::Listener listener;
  listener.trial = [&](const libtuner::Trial&, double) { ++trials; };
  for (const libtuner::Ranking& one : libtuner::run(study, settings, listener)) {
    std::printf("%s: %s, of %d trials\n", one.size.c_str(),
                text_of(one.trials.at(0).configuration).c_str(), trials);
  }
  std::printf("%zu bytes of JSON\n", libtuner::exported(study, results, "json").size());
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  try {
    const libtuner::Study study = libtuner::Study::load(words[1]);
    ask_and_tell(study);
    if (count > 2) run(study, words[2]);
  } catch (const libtuner::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
