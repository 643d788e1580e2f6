#include "inputs/topologies/openmm/xml_element.h"

#include <fast_float/fast_float.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <system_error>
#include <utility>

#include "inputs/line_reader.h"
#include "inputs/whole_number.h"

namespace dropmd::openmm {

XmlSource::XmlSource(TextSource source) : source_(std::move(source)) {
  const pugi::xml_parse_result result =
      document_.load_buffer(source_.text.data(), source_.text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result)
    throw InputError(
        place_of(result.offset),
        fmt::format("not valid XML: {} (expected: an OpenMM System as XmlSerializer writes it)", result.description()));
}

SourcePlace XmlSource::place_of(std::ptrdiff_t offset) const {
  const auto end = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(source_.text)));
  const std::string_view before = std::string_view(source_.text).substr(0, end);
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  return {source_.file, line, before.size() - (before.rfind('\n') + 1) + 1};  // npos + 1 is 0
}

std::string_view XmlElement::text(const char* attribute) const {
  const pugi::xml_attribute found = node_.attribute(attribute);
  if (found.empty()) fail(fmt::format("<{}> has no attribute '{}'", shown(name()), attribute));
  return found.value();
}

double XmlElement::number(const char* attribute) const {
  const std::string_view word = text(attribute);
  double value = 0;
  const auto result = fast_float::from_chars(word.data(), word.data() + word.size(), value);
  if (result.ec == std::errc() && result.ptr == word.data() + word.size() && std::isfinite(value)) return value;
  // Finding the place means counting lines; done for every number, it would make reading quadratic.
  return parse_number(word, place(), fmt::format("'{}' of <{}>", attribute, shown(name())));
}

std::int64_t XmlElement::integer(const char* attribute, std::int64_t least, std::int64_t most) const {
  const std::string_view word = text(attribute);
  const auto value = whole_number<std::int64_t>(word);
  if (!value || *value < least || *value > most)
    fail(fmt::format(
        "'{}' of <{}> is {} ({})", attribute, shown(name()), in_quotes(word),
        most < least ? "there are none" : fmt::format("it must be a whole number from {} to {}", least, most)));
  return *value;
}

std::uint32_t XmlElement::particle(const char* attribute, std::size_t n_particles) const {
  return static_cast<std::uint32_t>(integer(attribute, 0, static_cast<std::int64_t>(n_particles) - 1));
}

bool XmlElement::flag(const char* attribute) const {
  const pugi::xml_attribute found = node_.attribute(attribute);
  return !found.empty() && std::strcmp(found.value(), "0") != 0;
}

std::vector<XmlElement> XmlElement::elements() const {
  std::vector<XmlElement> elements;
  for (const pugi::xml_node node : node_.children())
    if (node.type() == pugi::node_element) elements.emplace_back(*source_, node);
  return elements;
}

std::vector<XmlElement> XmlElement::items(const char* list, const char* item) const {
  const pugi::xml_node node = node_.child(list);
  if (node.empty()) fail(fmt::format("<{}> has no <{}>", shown(name()), list));
  std::vector<XmlElement> items = XmlElement(*source_, node).elements();
  for (const XmlElement& element : items)
    if (element.name() != item)
      element.fail(fmt::format("<{}> within <{}> (only <{}> is allowed)", shown(element.name()), list, item));
  return items;
}

}  // namespace dropmd::openmm
