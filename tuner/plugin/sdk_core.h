#pragma once
// The parts that every kind of plugin shares: errors, options, and the guard between C++ and the C
// tables.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tuner/plugin/abi.h"

namespace tuner::sdk {

// Throw this to choose the status that the host sees; any other exception becomes TUNER_INVALID
// (std::bad_alloc: TUNER_OUT_OF_MEMORY).
class Error : public std::runtime_error {
 public:
  Error(tuner_status status, const std::string& message)
      : std::runtime_error(message), status_(status) {}
  tuner_status status() const { return status_; }

 private:
  tuner_status status_;
};

inline std::string_view view(tuner_str text) {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}
inline std::string text(tuner_str from) { return std::string(view(from)); }
inline tuner_str str(std::string_view from) { return {from.data(), from.size()}; }

inline void emit(tuner_sink sink, std::string_view bytes) {
  if (sink.emit != nullptr && !bytes.empty()) sink.emit(sink.context, bytes.data(), bytes.size());
}

namespace detail {

// The number that a text is; false where it is none, or has anything around it.
template <typename T>
bool read_number(std::string_view text, T& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, number);
  return code == std::errc() && stop == end;
}

// Both ends of "1..10", included.
template <typename T>
bool read_range(std::string_view text, T& low, T& high) {
  const std::size_t dots = text.find("..");
  return dots != text.npos && read_number(text.substr(0, dots), low) &&
         read_number(text.substr(dots + 2), high);
}

template <typename T>
std::string range_misfit(std::string_view range, std::string_view value, const char* what) {
  T low{}, high{}, number{};
  if (!read_range(range, low, high)) return "what its declaration says, which is not understood";
  if (read_number(value, number) && number >= low && number <= high) return {};
  const std::size_t dots = range.find("..");
  return std::string(what) + " from " + std::string(range.substr(0, dots)) + " to " +
         std::string(range.substr(dots + 2));
}

// Describes what a value must be, such as "a whole number from 1 to 10", if the option does not
// allow the value (tuner_option_info); empty when it does.
inline std::string misfit(std::string_view allowed, std::string_view value) {
  const std::size_t blank = std::min(allowed.find(' '), allowed.size());
  const std::string_view kind = allowed.substr(0, blank);
  const std::string_view rest = allowed.substr(std::min(blank + 1, allowed.size()));
  if (kind == "integer") return range_misfit<std::int64_t>(rest, value, "a whole number");
  if (kind == "number") return range_misfit<double>(rest, value, "a number");
  const auto is_listed = [&](std::string_view list) {
    const std::string all = ", " + std::string(list) + ", ";
    return value.find(',') == value.npos && all.find(", " + std::string(value) + ", ") != all.npos;
  };
  if (kind == "flag" && !is_listed("true, on, yes, 1, false, off, no, 0")) return "true or false";
  constexpr std::string_view kOneOf = "one of ";
  if (!allowed.starts_with(kOneOf) || is_listed(allowed.substr(kOneOf.size()))) return {};
  return "one of: " + std::string(allowed.substr(kOneOf.size()));
}

}  // namespace detail

// The values of an item's options: what the user gave, else the defaults that the item declares.
// The accessors throw an Error that names the option, the value and what is allowed.
class Options {
 public:
  Options(std::span<const tuner_option_info> declared, std::span<const tuner_pair> given) {
    for (const tuner_option_info& option : declared) {
      values_.emplace_back(option.name, option.default_value);
      allowed_.emplace_back(option.allowed == nullptr ? "" : option.allowed);
    }
    for (const tuner_pair& pair : given) value_of(text(pair.key)) = text(pair.value);
  }

  const std::string& text_of(std::string_view name) const {
    return const_cast<Options*>(this)->value_of(name);
  }

  // Reads an option whose declaration says what it allows ("integer 1..10", "number 0..1", "one of
  // a, b"); throws for anything else. T is a type of whole numbers, double, or std::string.
  template <typename T>
  T get(std::string_view name) const {
    const std::string& value = text_of(name);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].first != name) continue;
      const std::string wanted = detail::misfit(allowed_[i], value);
      if (!wanted.empty()) throw bad(name, value, wanted);
    }
    if constexpr (std::is_same_v<T, std::string>) {
      return value;
    } else {
      T number{};
      if (!detail::read_number(value, number)) throw bad(name, value, "a number that fits");
      return number;
    }
  }

  // Read options whose declarations set no limits; throw for a value outside of the given ones.
  std::int64_t integer(std::string_view name, std::int64_t low, std::int64_t high) const {
    return parsed<std::int64_t>(name, low, high, "a whole number");
  }

  double number(std::string_view name, double low, double high) const {
    return parsed<double>(name, low, high, "a number");
  }

  bool flag(std::string_view name) const {
    const std::string& value = text_of(name);
    const std::string wanted = detail::misfit("flag", value);
    if (!wanted.empty()) throw bad(name, value, wanted);
    return value == "true" || value == "on" || value == "yes" || value == "1";
  }

  const std::string& choice(std::string_view name,
                            std::initializer_list<std::string_view> allowed) const {
    const std::string& value = text_of(name);
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return value;
    std::string list;
    for (const std::string_view one : allowed)
      list += (list.empty() ? "" : ", ") + std::string(one);
    throw bad(name, value, "one of: " + list);
  }

 private:
  template <typename T>
  T parsed(std::string_view name, T low, T high, const char* what) const {
    const std::string& value = text_of(name);
    T number{};
    if (detail::read_number(value, number) && number >= low && number <= high) return number;
    throw bad(name, value, what + (" from " + shortest(low) + " to " + shortest(high)));
  }

  template <typename T>
  static std::string shortest(T number) {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
  }

  static Error bad(std::string_view name, const std::string& value, const std::string& allowed) {
    return {TUNER_INVALID,
            "option '" + std::string(name) + "' is '" + value + "': it must be " + allowed};
  }

  std::string& value_of(std::string_view name) {
    std::string known;
    for (auto& [key, value] : values_) {
      if (key == name) return value;
      known += (known.empty() ? "" : ", ") + key + "=" + value;
    }
    throw Error(TUNER_INVALID, "unknown option '" + std::string(name) + "'" +
                                   (known.empty() ? "; there are none" : "; there are: " + known));
  }

  std::vector<std::pair<std::string, std::string>> values_;
  std::vector<std::string> allowed_;  // of each
};

namespace detail {

inline int report(tuner_sink error, tuner_status status, const char* message) {
  emit(error, message);
  return status;
}

// Runs `body`; nothing that it throws leaves.
template <typename Body>
int guarded(tuner_sink error, Body&& body) noexcept {
  try {
    body();
    return TUNER_OK;
  } catch (const Error& e) {
    return report(error, e.status() == TUNER_OK ? TUNER_INVALID : e.status(), e.what());
  } catch (const std::bad_alloc&) {
    return report(error, TUNER_OUT_OF_MEMORY, "out of host memory");
  } catch (const std::exception& e) {
    return report(error, TUNER_INVALID, e.what());
  } catch (...) {
    return report(error, TUNER_INVALID, "the plugin threw something that is no std::exception");
  }
}

template <typename T>
std::span<const tuner_option_info> options_of() {
  if constexpr (requires { T::kOptions; }) {
    return T::kOptions;
  } else {
    return {};
  }
}

template <typename T>
inline const tuner_item_info kInfo{sizeof(tuner_item_info), T::kName, T::kSummary,
                                   options_of<T>().data(),
                                   static_cast<std::uint32_t>(options_of<T>().size())};

template <typename... T>
const tuner_item_info* info_of(std::uint32_t item) {
  const tuner_item_info* const all[] = {&kInfo<T>...};
  return item < sizeof...(T) ? all[item] : nullptr;
}

// The item-th of functions that were made of one template.
template <typename Signature, typename... Functions>
Signature* pick(std::uint32_t item, Functions... functions) {
  Signature* const all[] = {functions...};
  if (item >= sizeof...(Functions)) throw Error(TUNER_INVALID, "no such item");
  return all[item];
}

template <typename Base, typename One, typename SetupOf>
std::unique_ptr<Base> make_one(std::span<const tuner_pair> given, SetupOf& setup_of) {
  const Options options(options_of<One>(), given);
  if constexpr (std::is_constructible_v<One, decltype(setup_of(options))>) {
    return std::make_unique<One>(setup_of(options));
  } else {
    return std::make_unique<One>();
  }
}

// An object of the item-th type, of what `setup_of` makes of its options or, where it takes
// nothing, of nothing.
template <typename Base, typename... T, typename SetupOf = std::identity>
std::unique_ptr<Base> make(std::uint32_t item, std::span<const tuner_pair> given,
                           SetupOf setup_of = {}) {
  using Maker = std::unique_ptr<Base>(std::span<const tuner_pair>, SetupOf&);
  return pick<Maker>(item, make_one<Base, T, SetupOf>...)(given, setup_of);
}

template <typename Base>
void destroy(void* self) {
  guarded({}, [&] { delete static_cast<Base*>(self); });
}

}  // namespace detail
}  // namespace tuner::sdk
