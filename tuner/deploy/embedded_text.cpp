// Fills words, lists and parts into a text, line by line.

#include "tuner/deploy/embedded_text.h"

#include <string_view>

#include "tuner/base/text.h"

namespace tuner {
namespace {

struct Scope {
  const Filling& own;
  const Scope* around = nullptr;
};

template <typename Map>
const typename Map::mapped_type* found_in(const Scope* scope, Map Filling::*in,
                                          std::string_view name) {
  for (; scope != nullptr; scope = scope->around) {
    const Map& map = scope->own.*in;
    if (const auto at = map.find(name); at != map.end()) return &at->second;
  }
  return nullptr;
}

class Filler {
 public:
  Filler(std::string_view text, std::string& out) : text_(text), out_(out) {}

  // Up to the end of a section, which is returned. Not shown: the lines are passed over.
  std::string_view section(const Scope& scope, bool shown) {
    while (at_ < text_.size()) {
      const std::string_view line = text_.substr(at_, text_.find('\n', at_) - at_);
      at_ += line.size() + 1;
      const std::string_view name = line.substr(line.find(' ') + 1);
      if (line == "//end" || line == "//else") return line;
      if (line.starts_with("//each ")) {
        each(name, scope, shown);
      } else if (line.starts_with("//if ")) {
        choose(name, scope, shown);
      } else if (line.starts_with("//part ")) {
        if (shown) Filler(embedded_text(name), out_).section(scope, true);
      } else if (shown) {
        fill(line, scope);
      }
    }
    return {};
  }

 private:
  void each(std::string_view name, const Scope& scope, bool shown) {
    const std::size_t begin = at_;
    const auto* items = found_in(&scope, &Filling::lists, name);
    if (!shown || items == nullptr || items->empty()) {
      section(scope, false);
      return;
    }
    for (const Filling& item : *items) {
      at_ = begin;
      section({item, &scope}, true);
    }
  }

  void choose(std::string_view name, const Scope& scope, bool shown) {
    const auto* word = found_in(&scope, &Filling::words, name);
    const auto* list = found_in(&scope, &Filling::lists, name);
    const bool is = (word != nullptr && !word->empty()) || (list != nullptr && !list->empty());
    if (section(scope, shown && is) == "//else") section(scope, shown && !is);
  }

  void fill(std::string_view line, const Scope& scope) {
    constexpr std::string_view kMark = "TUNER_";
    const bool joins = line.ends_with('\\');
    if (joins) line.remove_suffix(1);
    for (auto mark = line.find(kMark); mark != line.npos; mark = line.find(kMark)) {
      out_ += line.substr(0, mark);
      line.remove_prefix(mark);
      std::string_view name = word_at(line, kMark.size());
      name = name.substr(0, name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"));
      const std::string* word = found_in(&scope, &Filling::words, name);
      while (word == nullptr && name.find('_') != name.npos) {  // "NAME_choice" is NAME
        name = name.substr(0, name.rfind('_'));
        word = found_in(&scope, &Filling::words, name);
      }
      const std::size_t length = kMark.size() + (word != nullptr ? name.size() : 0);
      out_ += word != nullptr ? std::string_view(*word) : kMark;
      line.remove_prefix(length);
    }
    out_ += line;
    if (!joins) out_ += '\n';
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string& out_;
};

}  // namespace

std::string filled(std::string_view text, const Filling& with) {
  std::string out;
  Filler(text, out).section({with}, true);
  return out;
}

}  // namespace tuner
