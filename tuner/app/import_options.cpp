// Parses the command line of `tuner import`.

#include "tuner/app/import_options.h"

#include "tuner/app/parse_words.h"

namespace tuner {

ImportOptions parse_import(const Words& words) {
  namespace po = boost::program_options;
  ImportOptions o;
  po::options_description visible("options");
  auto add = visible.add_options();
  add("help,h", "show this");
  add("results", po::value(&o.results)->default_value("results"), "folder of the results");
  add("output,o", po::value(&o.output), "write a T1 file, or a recording's space, as YAML study");
  add("force", po::bool_switch(&o.force), "replace that file even if tuner has not written it");
  add("study", po::value(&o.study), "the study that imported results belong to");
  add("kernel", po::value(&o.as.kernel), "its name, instead of what the file says");
  add("device", po::value(&o.as.device), "its name, instead of what the file says");
  add("size", po::value(&o.as.size), "problem size of a recording, such as M=1024,N=1024");
  add("objective", po::value(&o.objective),
      "what a recording's results are: time (milliseconds) or a quantity in it; otherwise the "
      "study's objective, or the time");
  add("maximize", po::bool_switch(&o.as.maximize),
      "without --study: more of the objective is better");
  const auto values = parse_words(
      words,
      "tuner import FILE... [options]\n\n"
      "FILE is a T1 benchmark (becomes a YAML study), a Kernel Tuner cache, T4 results\n"
      "(both also .gz), a ranked CSV of this program, or another results folder or\n"
      "tuner.sqlite. Imported results are marked and never taken for measured ones.",
      visible);
  o.files = inputs(values);
  if (o.files.empty()) wrong_usage("which file? Give its path (see --help)");
  return o;
}

}  // namespace tuner
