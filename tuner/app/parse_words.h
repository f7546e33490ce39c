#pragma once
// What the parse functions of all commands share.

#include <boost/program_options.hpp>
#include <string>

#include "tuner/app/options.h"

namespace tuner {

// Throws InputError without a position.
[[noreturn]] void wrong_usage(const std::string& message, const std::string& suggestion = {});

// Throws InputError with the nearest word.
void must_be_one_of(const std::string& option, const std::string& value, const Words& allowed);

// Of workers or devices. Throws InputError unless there are 1 to 1024.
void must_be_some(const std::string& option, unsigned count);

// --color, whose value is `choice`.
void add_color_option(boost::program_options::options_description& options, std::string& choice);

// --per, and --no-verify where there is a place for it: what T1 files do not say of right answers.
void add_t1_options(boost::program_options::options_description& options, Words& per,
                    bool* no_verify = nullptr);

// "5%" or "0.05". Throws InputError.
double parse_share(const std::string& option, const std::string& text);

// Parses `words` against the visible options and positionals called "input". Prints the help after
// `usage` and throws HelpShown when that is asked for; throws InputError on wrong usage.
boost::program_options::variables_map parse_words(
    const Words& words, const std::string& usage,
    const boost::program_options::options_description& visible);

// All positionals.
Words inputs(const boost::program_options::variables_map& values);
// The only one; empty when there is none and none is required.
std::string one_input(const boost::program_options::variables_map& values, const std::string& what,
                      bool required);

}  // namespace tuner
