// Packs columns.

#include "tuner/report/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace tuner {
namespace {

using Json = nlohmann::ordered_json;

// Numbers come before words, smallest first.
bool goes_before(const std::string& a, const std::string& b) {
  const auto number = [](const std::string& text, double& value) {
    char* end = nullptr;
    value = std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0' && std::isfinite(value);
  };
  double left = 0;
  double right = 0;
  const bool left_is = number(a, left);
  const bool right_is = number(b, right);
  if (left_is != right_is) return left_is;
  return left_is && left != right ? left < right : a < b;
}

}  // namespace

const std::string kCodeLetters = [] {
  std::string letters;
  for (char c = '!'; c <= '~'; ++c) {
    if (c != '"' && c != '\\' && c != '<' && c != '&') letters += c;
  }
  return letters;
}();

std::vector<std::uint32_t> codes_of(const std::vector<std::string>& rows,
                                    std::vector<std::string>& values) {
  values = rows;
  std::ranges::sort(values, goes_before);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::map<std::string_view, std::uint32_t> places;
  for (std::size_t i = 0; i < values.size(); ++i) {
    places.emplace(values[i], static_cast<std::uint32_t>(i));
  }
  std::vector<std::uint32_t> codes;
  codes.reserve(rows.size());
  for (const std::string& row : rows) codes.push_back(places.at(row));
  return codes;
}

Json coded_column(const std::vector<std::string>& rows) {
  std::vector<std::string> values;
  const std::vector<std::uint32_t> codes = codes_of(rows, values);
  const std::size_t base = kCodeLetters.size();
  const std::size_t width = values.size() <= base ? 1 : values.size() <= base * base ? 2 : 3;
  std::string text;
  text.reserve(codes.size() * width);
  for (const std::uint32_t code : codes) {
    if (width > 2) text += kCodeLetters[code / (base * base)];
    if (width > 1) text += kCodeLetters[code / base % base];
    text += kCodeLetters[code % base];
  }
  Json out{{"values", values}};
  if (width > 1) out["width"] = width;
  out["codes"] = text;
  return out;
}

Json number_column(const std::vector<double>& rows, int digits) {
  Json out = Json::array();
  for (const double value : rows) {
    if (!std::isfinite(value)) {
      out.push_back(nullptr);
    } else if (value == std::floor(value) && std::abs(value) < 1e15) {
      out.push_back(static_cast<std::int64_t>(value));
    } else {
      // The shortest text of the rounded number: a double keeps 15 digits.
      out.push_back(std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr));
    }
  }
  return out;
}

}  // namespace tuner
