#pragma once
// Nouns as JSON and back, made from their field lists (model/fields.h).
//
// There are two kinds of documents. nlohmann::json is for the wire: CBOR holds bytes, infinities
// and NaN as they are. nlohmann::ordered_json is for texts: it keeps the order of the lists, and
// what has to be read back exactly goes through exact() and plain() of model/json_text.h.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tuner/model/fields.h"

namespace tuner {

template <typename Json>
inline constexpr bool kHoldsBytes = std::same_as<Json, nlohmann::json>;

// How decode() treats a field that the document does not have.
enum class Missing { kRefused, kKept };

namespace codec {

template <typename T, template <typename...> typename Kind>
inline constexpr bool kIs = false;
template <template <typename...> typename Kind, typename... Of>
inline constexpr bool kIs<Kind<Of...>, Kind> = true;

template <typename Json, typename Byte>
Json binary(const Byte* data, std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  return Json::binary(std::move(bytes));
}

template <typename T>
inline constexpr bool kIsArray = false;
template <typename T, std::size_t N>
inline constexpr bool kIsArray<std::array<T, N>> = true;

// The library would turn any number into one, though 1e24 has no meaning as a whole number.
template <typename Whole, typename Json>
Whole whole_number(const Json& json) {
  // Throws unless it is one.
  json.template get_ref<const typename Json::number_integer_t&>();
  return json.template get<Whole>();
}

}  // namespace codec

template <typename Json, typename T>
Json encoded(const T& field) {
  if constexpr (HasFields<const T>) {
    Json out = Json::object();
    for_each_field(
        field, [&](const char* name, const auto& member) { out[name] = encoded<Json>(member); });
    return out;
  } else if constexpr (codec::kIs<T, Bytes>) {
    if constexpr (!kHoldsBytes<Json>) return field.text;
    return codec::binary<Json>(field.text.data(), field.text.size());
  } else if constexpr (std::same_as<T, std::vector<std::byte>>) {
    return codec::binary<Json>(field.data(), field.size());
  } else if constexpr (codec::kIs<T, std::optional>) {
    return field ? encoded<Json>(*field) : Json(nullptr);
  } else if constexpr (codec::kIs<T, Figure>) {
    return Json(field.value());
  } else if constexpr (codec::kIs<T, std::pair>) {
    return Json::array({encoded<Json>(field.first), encoded<Json>(field.second)});
  } else if constexpr (codec::kIs<T, std::vector>) {
    Json out = Json::array();
    for (const auto& one : field) out.push_back(encoded<Json>(one));
    return out;
  } else if constexpr (std::same_as<T, TrialState> && !kHoldsBytes<Json>) {
    return Json(name_of(field));
  } else if constexpr (std::is_enum_v<T>) {
    return Json(static_cast<std::underlying_type_t<T>>(field));
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    return Json(field.string());
  } else {
    return Json(field);
  }
}

// Throws nlohmann's exceptions on anything missing or of the wrong type.
template <typename Json, typename T>
void decode(const Json& json, T&& field, Missing missing = Missing::kRefused) {
  using Plain = std::remove_cvref_t<T>;
  if constexpr (HasFields<Plain>) {
    const auto& members = json.template get_ref<const typename Json::object_t&>();
    for_each_field(field, [&](const char* name, auto&& member) {
      const auto found = members.find(name);
      if (found != members.end()) return decode(found->second, member, missing);
      if (missing == Missing::kRefused) json.at(name);  // throws
    });
  } else if constexpr (codec::kIs<Plain, Bytes>) {
    const auto& bytes = json.get_binary();
    field.text.assign(bytes.begin(), bytes.end());
  } else if constexpr (std::same_as<Plain, std::vector<std::byte>>) {
    const auto& bytes = json.get_binary();
    field.resize(bytes.size());
    if (!bytes.empty()) std::memcpy(field.data(), bytes.data(), bytes.size());
  } else if constexpr (codec::kIs<Plain, std::optional>) {
    field.reset();
    if (!json.is_null()) decode(json, field.emplace(), missing);
  } else if constexpr (codec::kIs<Plain, Figure>) {
    field = Plain(json.template get<double>());
  } else if constexpr (codec::kIs<Plain, std::pair>) {
    decode(json.at(0), field.first, missing);
    decode(json.at(1), field.second, missing);
  } else if constexpr (codec::kIs<Plain, std::vector>) {
    field.clear();
    for (const Json& one : json.template get_ref<const typename Json::array_t&>()) {
      decode(one, field.emplace_back(), missing);
    }
  } else if constexpr (codec::kIsArray<Plain>) {
    for (std::size_t i = 0; i < field.size(); ++i) decode(json.at(i), field[i], missing);
  } else if constexpr (std::is_enum_v<Plain>) {
    field = static_cast<Plain>(codec::whole_number<std::underlying_type_t<Plain>>(json));
  } else if constexpr (std::is_integral_v<Plain> && !std::same_as<Plain, bool>) {
    field = codec::whole_number<Plain>(json);
  } else if constexpr (std::same_as<Plain, std::filesystem::path>) {
    field = json.template get<std::string>();
  } else {
    json.get_to(field);
  }
}

}  // namespace tuner
