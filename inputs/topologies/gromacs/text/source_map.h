#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/errors.h"

namespace dropmd::gromacs {

/// A place in one of the files that make up a topology. Line and column count from 1.
struct TextPlace {
  std::uint32_t inclusion = 0;  ///< index into the inclusions of a SourceMap
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  friend bool operator==(const TextPlace&, const TextPlace&) = default;
};

/// The files of a topology, once for each time that they are included.
class SourceMap {
 public:
  /// Adds the topology itself. Returns its inclusion, which is 0.
  std::uint32_t add_topology(std::string file);
  /// Adds a file that is included at a place. Returns the index of the inclusion.
  std::uint32_t add(std::string file, const TextPlace& included_at);
  /// Number of inclusions, with the topology itself.
  std::size_t size() const { return inclusions_.size(); }
  /// Returns the names of the files, one for each inclusion.
  std::vector<std::string> files() const;

  /// The place with the file's name.
  SourcePlace place(const TextPlace& where) const;
  /// Returns ", included from FILE:LINE:COLUMN" for each #include line that leads to an inclusion, the innermost
  /// first; empty for the topology itself.
  std::string chain(std::uint32_t inclusion) const;
  /// Throws InputError: the place, the message, and how the file came to be included.
  [[noreturn]] void fail(const TextPlace& where, const std::string& message) const;
  /// The same, but throws MissingInput.
  [[noreturn]] void fail_without(const TextPlace& where, const std::string& message) const;

 private:
  struct Inclusion {
    std::string file;
    TextPlace included_at;
  };

  std::vector<Inclusion> inclusions_;
};

/// Warnings for the user, each with its place. If there are many, only the first are kept.
class WarningList {
 public:
  /// The map must outlive the list.
  explicit WarningList(const SourceMap& sources) : sources_(&sources) {}

  /// Adds "FILE:LINE:COLUMN: message".
  void add(const TextPlace& place, const std::string& message);
  /// Adds a warning that has no place.
  void add(const std::string& message);
  /// Returns the warnings, and how many were left out.
  std::vector<std::string> take();

 private:
  const SourceMap* sources_;
  std::vector<std::string> warnings_;
  std::size_t n_left_out_ = 0;
};

}  // namespace dropmd::gromacs
