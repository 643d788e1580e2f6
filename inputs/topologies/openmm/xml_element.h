#pragma once

#include <cstddef>
#include <cstdint>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.h"
#include "inputs/text_source.h"

/// Elements of an XML file, with their places for messages.
namespace dropmd::openmm {

/// An XML file that has been read. Its elements refer to it.
class XmlSource {
 public:
  /// Throws InputError if the text is not well-formed XML.
  explicit XmlSource(TextSource source);
  XmlSource(const XmlSource&) = delete;
  XmlSource& operator=(const XmlSource&) = delete;

  const std::string& file() const { return source_.file; }
  /// The outermost element.
  pugi::xml_node root() const { return document_.document_element(); }
  /// Returns the place of a byte of the text.
  SourcePlace place_of(std::ptrdiff_t offset) const;

 private:
  TextSource source_;
  pugi::xml_document document_;
};

/// An element of an XML file. All functions throw InputError where the file is wrong.
class XmlElement {
 public:
  XmlElement(const XmlSource& source, pugi::xml_node node) : source_(&source), node_(node) {}

  std::string_view name() const { return node_.name(); }
  /// The place of the element's beginning.
  SourcePlace place() const { return source_->place_of(node_.offset_debug() - 1); }
  [[noreturn]] void fail(const std::string& message) const { throw InputError(place(), message); }

  /// Returns the text of an attribute, which the element must have.
  std::string_view text(const char* attribute) const;
  /// Returns a finite number.
  double number(const char* attribute) const;
  /// Returns a whole number from `least` to `most`.
  std::int64_t integer(const char* attribute, std::int64_t least, std::int64_t most) const;
  /// Returns the number of a particle, which must be less than n_particles; in OpenMM as in dropmd numbers count from
  /// 0.
  std::uint32_t particle(const char* attribute, std::size_t n_particles) const;
  bool has_attribute(const char* attribute) const { return !node_.attribute(attribute).empty(); }
  /// Whether the element has the attribute with a value other than "0".
  bool flag(const char* attribute) const;

  /// Returns all elements within this one.
  std::vector<XmlElement> elements() const;
  /// Returns the elements within the element `list`, which must exist; all of them must be called `item`.
  std::vector<XmlElement> items(const char* list, const char* item) const;
  /// Whether there is an element of that name with elements within.
  bool has_items(const char* list) const { return !node_.child(list).first_child().empty(); }

 private:
  const XmlSource* source_;
  pugi::xml_node node_;
};

}  // namespace dropmd::openmm
