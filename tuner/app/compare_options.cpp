// Parses the command line of `tuner compare`.

#include "tuner/app/compare_options.h"

#include "tuner/app/parse_words.h"

namespace tuner {

CompareOptions parse_compare(const Words& words) {
  namespace po = boost::program_options;
  CompareOptions o;
  std::string fail_above;
  po::options_description visible("options");
  auto add = visible.add_options();
  add("help,h", "show this");
  add("size", po::value(&o.size), "only this problem size, such as M=1024,N=1024");
  add("device", po::value(&o.device), "only this device (part of its name)");
  add("fail-above", po::value(&fail_above),
      "exit with status 1 where B is slower than A by more than this, such as 3%, even at the good "
      "end of its interval");
  add("json", po::bool_switch(&o.json), "the comparison as JSON");
  const auto values = parse_words(words, "tuner compare A B [options]", visible);
  const Words given = inputs(values);
  if (given.size() != 2) {
    wrong_usage("compare what with what? Give two results folders, databases or ranked CSV files");
  }
  o.a = given[0];
  o.b = given[1];
  if (!fail_above.empty()) o.fail_above = parse_share("--fail-above", fail_above);
  return o;
}

}  // namespace tuner
