#include "tuner/app/import_options.h"

#include <boost/program_options.hpp>
#include <iostream>

#include "tuner/base/error.h"

namespace tuner {

ImportOptions parse_import(const Words& words) {
  namespace po = boost::program_options;
  ImportOptions o;
  po::options_description visible("options");
  auto add = visible.add_options();
  add("help,h", "show this");
  add("results", po::value(&o.results)->default_value("results"), "folder of the results");
  add("output,o", po::value(&o.output), "write a T1 file, or a recording's space, as YAML study");
  add("study", po::value(&o.study), "the study that imported results belong to");
  add("kernel", po::value(&o.kernel), "its name, instead of what the file says");
  add("device", po::value(&o.device), "its name, instead of what the file says");
  add("size", po::value(&o.size), "problem size of a recording, such as M=1024,N=1024");
  add("objective", po::value(&o.objective)->default_value("time"),
      "what a recording's results are: time (milliseconds) or a quantity in it");
  po::options_description all;
  all.add(visible);
  all.add_options()("input", po::value<Words>(&o.files));
  po::positional_options_description positional;
  positional.add("input", -1);
  po::variables_map values;
  try {
    po::store(
        po::command_line_parser(words)
            .options(all)
            .positional(positional)
            .style(po::command_line_style::unix_style ^ po::command_line_style::allow_guessing)
            .run(),
        values);
    po::notify(values);
  } catch (const po::unknown_option& error) {
    Words names;
    for (const auto& option : visible.options()) names.push_back("--" + option->long_name());
    throw InputError(Complaint{{},
                               "unknown option '" + error.get_option_name() + "'",
                               did_you_mean(error.get_option_name(), names)});
  } catch (const po::error& error) {
    throw InputError(Complaint{{}, error.what(), ""});
  }
  if (values.count("help") > 0) {
    std::cout << "usage: tuner import FILE... [options]\n\n"
                 "FILE is a T1 benchmark (becomes a YAML study), a Kernel Tuner cache, T4 results\n"
                 "(both also .gz), a ranked CSV of this program, or another results folder or\n"
                 "tuner.sqlite. Imported results are marked and never taken for measured ones.\n\n"
              << visible;
    throw HelpShown{};
  }
  if (o.files.empty())
    throw InputError(Complaint{{}, "which file? Give its path (see --help)", ""});
  return o;
}

}  // namespace tuner
