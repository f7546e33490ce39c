// Parses the command line of `tuner report`.

#include "tuner/app/report_options.h"

#include <cmath>
#include <cstdlib>

#include "tuner/app/parse_words.h"

namespace tuner {
namespace {

namespace po = boost::program_options;

// "gflops=67000"
MetricLimit parse_limit(const std::string& text) {
  const auto equals = text.find('=');
  MetricLimit limit{text.substr(0, equals)};
  char* end = nullptr;
  if (equals != std::string::npos) limit.value = std::strtod(text.c_str() + equals + 1, &end);
  if (limit.metric.empty() || end == nullptr || *end != '\0' || !(limit.value > 0) ||
      !std::isfinite(limit.value)) {
    wrong_usage("--limit takes METRIC=NUMBER such as gflops=67000, not '" + text + "'");
  }
  return limit;
}

}  // namespace

ReportOptions parse_report(const Words& words) {
  ReportOptions o;
  Words limits;
  po::options_description visible("options");
  auto add = visible.add_options();
  add("help,h", "show this");
  add("output,o", po::value(&o.output), "the HTML file to write ('-' for standard output)");
  add("results", po::value(&o.results)->default_value("results"),
      "folder of the results, with a STUDY");
  add("size", po::value(&o.size), "only this problem size, such as M=1024,N=1024");
  add("device", po::value(&o.device), "only this device (part of its name)");
  add("title", po::value(&o.title), "of the page; default: the kernels' names");
  add("limit", po::value(&limits)->composing(),
      "what a metric can reach at best on the device, such as gflops=67000: the report then says "
      "which share of it was reached; may be repeated");
  add("force", po::bool_switch(&o.force),
      "replace the named file even if tuner has not written it");
  const auto values =
      parse_words(words, "tuner report STUDY|DIR... -o FILE.html [options]", visible);
  o.targets = inputs(values);
  if (o.output.empty()) wrong_usage("where to? Name the HTML file with -o FILE.html");
  for (const std::string& text : limits) o.limits.push_back(parse_limit(text));
  return o;
}

}  // namespace tuner
