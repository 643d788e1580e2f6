#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inputs/topologies/gromacs/interaction_functions.h"
#include "inputs/topologies/gromacs/text/macros.h"
#include "inputs/topologies/gromacs/text/source_map.h"

/// Parameters of bonded interactions for bonded types of atoms, as [ bondtypes ] and similar sections give them.
namespace dropmd::gromacs {

/// Names and their numbers, in order of appearance.
class NameTable {
 public:
  /// Returns the number of a name, which is added if it is new.
  std::uint32_t add(std::string_view name);
  std::optional<std::uint32_t> find(std::string_view name) const;
  const std::string& name(std::uint32_t number) const { return names_[number]; }
  std::size_t size() const { return names_.size(); }
  std::vector<std::string_view> names() const { return {names_.begin(), names_.end()}; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t, StringHash, std::equal_to<>> numbers_;
};

/// Any type: X in [ dihedraltypes ].
constexpr std::uint32_t kAnyType = 0xFFFFFFFF;

/// Bonded types of up to five atoms; unused ones are 0.
using TypeKey = std::array<std::uint32_t, 5>;

struct TypeKeyHash {
  std::size_t operator()(const TypeKey& key) const;
};

/// Returns the key of an interaction's types, which is the same in both directions.
TypeKey key_of(std::span<const std::uint32_t> types);

/// Parameters for the types of two or three atoms, for one function.
class BondedTypeTable {
 public:
  /// Adds parameters; later ones replace earlier ones, with a warning if they differ.
  void add(std::span<const std::uint32_t> types, const Parameters& parameters, WarningList& warnings);
  /// Returns the parameters of the types; nullptr: there are none.
  const Parameters* find(std::span<const std::uint32_t> types) const;

 private:
  std::unordered_map<TypeKey, Parameters, TypeKeyHash> parameters_;
};

/// Parameters of dihedrals for one kind of function. Types may be kAnyType.
class DihedralTypeTable {
 public:
  using Types = std::array<std::uint32_t, 4>;

  /// Adds parameters. With `may_repeat`, consecutive entries for the same types are terms of one dihedral; without it
  /// later parameters replace earlier ones, with a warning if they differ. Throws InputError for terms that are not
  /// consecutive.
  void add(const Types& types, const Parameters& parameters, bool may_repeat, const SourceMap& sources,
           WarningList& warnings);
  /// Returns all terms of the types: those of the first entry among the matches with the fewest kAnyType. Empty if
  /// nothing matches.
  std::vector<const Parameters*> find(const Types& types) const;

 private:
  struct Entry {
    Types types;
    Parameters parameters;
  };

  std::vector<Entry> entries_;
  std::unordered_map<TypeKey, std::size_t, TypeKeyHash> first_;  ///< of the entries for a key, which are consecutive
  std::size_t n_terms_from(std::size_t first) const;
};

}  // namespace dropmd::gromacs
