#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dropmd {

/// A JSON value; objects keep the order of their members. nlohmann-json, which prints it, costs seconds of compile time
/// in every file that includes it, so only json_text.cpp includes it.
class Json {
 public:
  struct Member;
  using List = std::vector<Json>;
  using Object = std::vector<Member>;
  using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, List, Object>;

  // NOLINTBEGIN(google-explicit-constructor): members in braces convert to JSON implicitly
  Json(bool value);
  Json(int value);
  Json(std::int64_t value);
  Json(std::uint64_t value);
  Json(double value);
  Json(const std::optional<double>& value);  ///< null without a value
  Json(std::string_view text);
  Json(const std::optional<std::string_view>& text);  ///< null without a value
  Json(const std::string& text);
  Json(const char* text);
  Json(List list);
  Json(Object members);
  Json(std::initializer_list<Member> members);
  // NOLINTEND(google-explicit-constructor)

  const Value& value() const { return value_; }

 private:
  Value value_;
};

struct Json::Member {
  std::string name;
  Json value;
};

/// Returns the number, or null for one that JSON does not have: NaN and the infinities.
inline std::optional<double> finite_or_null(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Returns a JSON document: indented, with a line end; bytes of file names that are not UTF-8 are replaced.
std::string json_text(const Json& json);

/// Returns the same in one line without a line end.
std::string json_line(const Json& json);

}  // namespace dropmd
