#include "app/json_text.h"

#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace dropmd {

namespace {

using Printed = nlohmann::ordered_json;

Printed printed(const Json& json) {
  return std::visit(
      [](const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, Json::List>) {
          Printed list = Printed::array();
          for (const Json& item : value) list.push_back(printed(item));
          return list;
        } else if constexpr (std::is_same_v<Value, Json::Object>) {
          Printed object = Printed::object();
          for (const auto& [name, member] : value) object[name] = printed(member);
          return object;
        } else {
          return Printed(value);
        }
      },
      json.value());
}

}  // namespace

Json::Json(bool value) : value_(value) {}

Json::Json(int value) : value_(std::int64_t{value}) {}

Json::Json(std::int64_t value) : value_(value) {}

Json::Json(std::uint64_t value) : value_(value) {}

Json::Json(double value) : value_(value) {}

Json::Json(const std::optional<double>& value) {
  if (value) value_ = *value;
}

Json::Json(std::string_view text) : value_(std::string(text)) {}

Json::Json(const std::optional<std::string_view>& text) {
  if (text) value_ = std::string(*text);
}

Json::Json(const std::string& text) : value_(text) {}

Json::Json(const char* text) : value_(std::string(text)) {}

Json::Json(List list) : value_(std::move(list)) {}

Json::Json(Object members) : value_(std::move(members)) {}

Json::Json(std::initializer_list<Member> members) : value_(Object(members)) {}

std::string json_text(const Json& json) {
  return printed(json).dump(2, ' ', false, Printed::error_handler_t::replace) + '\n';
}

std::string json_line(const Json& json) {
  return printed(json).dump(-1, ' ', false, Printed::error_handler_t::replace);
}

}  // namespace dropmd
