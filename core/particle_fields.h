#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/forms/number_rule.h"
#include "core/macros.h"
#include "core/vec3.h"

/// The per-atom fields of a run. Each field is declared once, here; particles, structures, changes of the population,
/// upload, download, sorting, checkpoint and trajectory iterate over the table.
namespace dropmd {

/// The largest id of an atom: random numbers use 31 bits for it.
inline constexpr std::uint32_t kMostAtomIds = 0x7FFFFFFF;

/// Where a checkpoint stores a field: with the structure, which steps do not change; in the state; nowhere, because the
/// field follows from others.
enum class StoredIn : std::uint8_t { structure, state, nowhere };

/// The defaults of a field; a field overrides those in which it differs.
///
/// A field whose value neither a program that adds atoms (NewAtom) nor another field determines also declares
/// `kDefault`, the value of added atoms and of structures that have none. Without it the code that adds atoms does not
/// compile.
template <class T>
struct ParticleField {
  using Value = T;  ///< type of one atom's value
  static constexpr StoredIn kStored = StoredIn::structure;
  /// Whether the field is kept in device memory, where the atoms are in spatial order.
  static constexpr bool kOnDevice = true;
  /// Whether steps change the field, so that it is downloaded with the state.
  static constexpr bool kMoves = false;
  /// Column of extended XYZ with type and count; empty: the field has none, or one that is not a plain number.
  static constexpr std::string_view kColumn = "";
  /// Whether every structure has values of the field.
  static constexpr bool kInEveryStructure = false;
  /// Whether the array of Particles may be empty; what that means is stated at the array.
  static constexpr bool kMayBeEmpty = false;
  /// The values that atoms may have, for a field of real numbers.
  static constexpr NumberRule kRule{};
  /// Whether a checkpoint may contain the value.
  static bool possible(const T&) { return true; }
};

/// Each field has `In`, which declares the field's array in a struct with one array per field, and of(), which returns
/// that array.
namespace field {

/// Position.
struct Position : ParticleField<Vec3<double>> {
  static constexpr std::string_view kName = "position";
  static constexpr StoredIn kStored = StoredIn::state;
  static constexpr bool kMoves = true;
  static constexpr std::string_view kColumn = "pos:R:3";
  static constexpr bool kInEveryStructure = true;
  template <template <class> class Array>
  struct In {
    Array<Vec3<double>> position;  ///< [n_atoms][3] length
  };
  DROPMD_HOST_DEVICE static auto& of(auto& atoms) { return atoms.position; }
  static bool possible(const Vec3<double>& value) { return is_finite(value); }
};

/// Velocity.
struct Velocity : ParticleField<Vec3<double>> {
  static constexpr std::string_view kName = "velocity";
  static constexpr StoredIn kStored = StoredIn::state;
  static constexpr bool kMoves = true;
  static constexpr std::string_view kColumn = "velo:R:3";
  template <template <class> class Array>
  struct In {
    Array<Vec3<double>> velocity;  ///< [n_atoms][3] length/time
  };
  DROPMD_HOST_DEVICE static auto& of(auto& atoms) { return atoms.velocity; }
  static bool possible(const Vec3<double>& value) { return is_finite(value); }
};

/// Partial charge.
struct Charge : ParticleField<double> {
  static constexpr std::string_view kName = "charge";
  static constexpr std::string_view kColumn = "Charge:R:1";
  template <template <class> class Array>
  struct In {
    Array<double> charge;  ///< [n_atoms] charge
  };
  DROPMD_HOST_DEVICE static auto& of(auto& atoms) { return atoms.charge; }
  static bool possible(double charge) { return number_problem(charge, kRule).empty(); }
};

/// Mass.
struct Mass : ParticleField<double> {
  static constexpr std::string_view kName = "mass";
  static constexpr std::string_view kColumn = "mass:R:1";
  static constexpr NumberRule kRule{Range::not_negative};
  template <template <class> class Array>
  struct In {
    Array<double> mass;  ///< [n_atoms] mass; 0 for virtual sites, positive for all others
  };
  DROPMD_HOST_DEVICE static auto& of(auto& atoms) { return atoms.mass; }
  static bool possible(double mass) { return number_problem(mass, kRule).empty(); }
};

/// Species of the structure.
struct Species : ParticleField<std::uint32_t> {
  static constexpr std::string_view kName = "species";
  static constexpr bool kOnDevice = false;
  static constexpr bool kInEveryStructure = true;
  template <template <class> class Array>
  struct In {
    Array<std::uint32_t> species;  ///< [n_atoms] index into Particles::species_names
  };
  static auto& of(auto& atoms) { return atoms.species; }
};

/// Species of the pair model: species with equal pair parameters share one.
struct PairSpecies : ParticleField<std::uint32_t> {
  static constexpr std::string_view kName = "pair_species";
  static constexpr StoredIn kStored = StoredIn::nowhere;
  template <template <class> class Array>
  struct In {
    /// [n_atoms] index into the species of the pair model; all 0 if all atoms are alike.
    Array<std::uint32_t> pair_species;
  };
  DROPMD_HOST_DEVICE static auto& of(auto& atoms) { return atoms.pair_species; }
};

/// Groups of atoms, as bits of Particles::groups.
enum AtomGroup : std::uint8_t {
  kInDroplet = 1,  ///< members of the droplet, by the last labels
  kInBath = 2      ///< those on which the integrator's bath acts
};

/// The groups that an atom belongs to.
struct Groups : ParticleField<std::uint8_t> {
  static constexpr std::string_view kName = "groups";
  static constexpr StoredIn kStored = StoredIn::nowhere;
  static constexpr std::uint8_t kDefault = kInDroplet | kInBath;
  static constexpr bool kMayBeEmpty = true;
  template <template <class> class Array>
  struct In {
    Array<std::uint8_t> groups;  ///< [n_atoms] sums of AtomGroup; empty: every atom belongs to all
  };
  DROPMD_HOST_DEVICE static auto& of(auto& atoms) { return atoms.groups; }
};

/// Id, by which users and random numbers refer to an atom.
struct Id : ParticleField<std::uint32_t> {
  static constexpr std::string_view kName = "id";
  static constexpr StoredIn kStored = StoredIn::state;
  // The device stores host indices instead, from which ids follow.
  static constexpr bool kOnDevice = false;
  static constexpr bool kMayBeEmpty = true;
  template <template <class> class Array>
  struct In {
    /// [n_atoms] from 1, all different; an atom keeps its id for good. Ids ascend along the atoms, except within
    /// molecules that have become others. Empty: 1 to n_atoms.
    Array<std::uint32_t> id;
  };
  static auto& of(auto& atoms) { return atoms.id; }
};

}  // namespace field

/// Base class that stands in for a field that is not chosen.
template <class Field>
struct WithoutField {};

/// A list of fields, from which structs with one array per field are built.
template <class... Fields>
struct FieldTable {
  /// A struct with the arrays of those fields for which Choice is true.
  template <template <class> class Array, template <class> class Choice>
  struct Chosen
      : std::conditional_t<Choice<Fields>::value, typename Fields::template In<Array>, WithoutField<Fields>>... {};

  /// Calls visit(field) with a value of each field's type, in order.
  template <class Visit>
  static constexpr void for_each(const Visit& visit) {
    (visit(Fields{}), ...);
  }
};

/// The fields of Particles.
using ParticleFields = FieldTable<field::Position, field::Velocity, field::Charge, field::Mass, field::Species,
                                  field::PairSpecies, field::Groups, field::Id>;

/// Whether a field declares the value of atoms for which nothing else gives one.
template <class Field>
concept HasDefault = requires {
  Field::kDefault;
};

/// Choices among the fields: all; those that steps do not change; those of a state; those in device memory; those that
/// steps change; those that a structure may have.
template <class Field>
using EveryField = std::true_type;
template <class Field>
using IsConstant = std::bool_constant<Field::kStored == StoredIn::structure>;
template <class Field>
using IsInState = std::bool_constant<Field::kStored == StoredIn::state>;
template <class Field>
using IsOnDevice = std::bool_constant<Field::kOnDevice>;
template <class Field>
using IsMoving = std::bool_constant<Field::kMoves>;
template <class Field>
using IsInStructure = std::bool_constant<Field::kStored == StoredIn::structure || Field::kMoves>;

/// Calls visit(field), in order, for the fields for which Choice is true.
template <template <class> class Choice, class Visit>
constexpr void for_each_field(const Visit& visit) {
  ParticleFields::for_each([&]<class Field>(Field field) {
    if constexpr (Choice<Field>::value) visit(field);
  });
}

/// std::vector with the default allocator, as a template of one parameter.
template <class T>
using FieldVector = std::vector<T>;

/// A struct with a std::vector for each field that is chosen.
template <template <class> class Choice>
using FieldVectors = ParticleFields::Chosen<FieldVector, Choice>;

}  // namespace dropmd
