#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dropmd {

/// A JSON value; the names of an object keep their order. nlohmann-json, which prints it, takes a compiler seconds in
/// every file that includes it; so json_text.cpp alone does.
class Json {
 public:
  struct Member;
  using List = std::vector<Json>;
  using Object = std::vector<Member>;
  using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, List, Object>;

  // NOLINTBEGIN(google-explicit-constructor): what stands in a list of members becomes JSON by itself
  Json(bool value);
  Json(int value);
  Json(std::int64_t value);
  Json(std::uint64_t value);
  Json(double value);
  Json(const std::optional<double>& value);  ///< null for none
  Json(std::string_view text);
  Json(const std::optional<std::string_view>& text);  ///< null for none
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

/// A JSON document as printed: indented, a line end behind it, bytes of file names that are no UTF-8 replaced.
std::string json_text(const Json& json);

/// The same in one line without an end.
std::string json_line(const Json& json);

}  // namespace dropmd
