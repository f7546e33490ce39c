// Puts the page together.

#include "tuner/report/page.h"

#include <string_view>

#include "tuner/codec/json_text.h"
#include "tuner/report/page_text.h"
#include "tuner/report/set_json.h"

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

std::string html_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// JSON that may stand in a script element: nothing in it ends the element or begins a comment.
std::string inert(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

// Each word once, left to right: what is put in is not looked at again.
std::string filled(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string>>& words) {
  std::string out;
  while (!text.empty()) {
    std::size_t first = std::string_view::npos;
    const std::pair<std::string_view, std::string>* found = nullptr;
    for (const auto& word : words) {
      const std::size_t at = text.find(word.first);
      if (at < first) {
        first = at;
        found = &word;
      }
    }
    out += text.substr(0, first);
    if (found == nullptr) break;
    out += found->second;
    text.remove_prefix(first + found->first.size());
  }
  return out;
}

Json json_of(const ReportData& data) {
  Json sets = Json::array();
  for (const ReportSet& set : data.sets) sets.push_back(json_of(set));
  Json limits = Json::object();
  for (const MetricLimit& limit : data.limits) limits[limit.metric] = limit.value;
  return {{"tuner", data.version}, {"title", data.title}, {"limits", limits}, {"sets", sets}};
}

}  // namespace

std::string report_page(const ReportData& data) {
  return kReportMark + html_of(data.version) + "; do not edit. -->\n" +
         filled(kPageText, {{"TUNER_TITLE", html_of(data.title)},
                            {"TUNER_STYLE", std::string(kStyleText)},
                            {"TUNER_DATA", inert(dump(json_of(data)))},
                            {"TUNER_SCRIPT", std::string(kScriptText)}});
}

}  // namespace tuner
