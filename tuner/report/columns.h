#pragma once
// Columns of a table as compact JSON: the same text is written once, and each row is one character.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tuner {

// {"values":[...],"codes":"..."}: the different texts, numbers by size and then words, and for each
// row the number of its text, in as many characters of kCodeLetters as `width` says (1 unless it is
// there).
nlohmann::ordered_json coded_column(const std::vector<std::string>& rows);

// Ninety characters that JSON and HTML leave as they are.
extern const std::string kCodeLetters;

// Numbers with so many digits that count; NaN is null.
nlohmann::ordered_json number_column(const std::vector<double>& rows, int digits);

// The place of each row's text among the sorted different ones, which `values` becomes.
std::vector<std::uint32_t> codes_of(const std::vector<std::string>& rows,
                                    std::vector<std::string>& values);

}  // namespace tuner
