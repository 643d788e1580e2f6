#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/macros.h"
#include "core/vec3.h"

/// The per-atom fields of a run. Each is declared here, once; particles, upload, download, sorting, checkpoint and
/// trajectory loop over the table.
namespace dropmd {

/// The largest id: those of random numbers have 31 bits.
inline constexpr std::uint32_t kMostAtomIds = 0x7FFFFFFF;

/// Where a checkpoint has a field: with the structure, which steps leave as it is; in the state; nowhere, since it
/// follows from others.
enum class StoredIn : std::uint8_t { structure, state, nowhere };

/// What most fields are; a field says what is different.
template <class T>
struct ParticleField {
  using Value = T;
  static constexpr StoredIn kStored = StoredIn::structure;
  /// Lies in device memory, where the atoms are in spatial order.
  static constexpr bool kOnDevice = true;
  /// Steps change it: it is downloaded with the state.
  static constexpr bool kMoves = false;
  /// Its column of extended XYZ with type and count; empty: it has none, or one that is no plain number.
  static constexpr std::string_view kColumn = "";
  /// Whether a checkpoint may have the value.
  static bool possible(const T&) { return true; }
};

/// `In` declares the field in whatever holds one array per field; of() is that array.
namespace field {

struct Position : ParticleField<Vec3<double>> {
  static constexpr std::string_view kName = "position";
  static constexpr StoredIn kStored = StoredIn::state;
  static constexpr bool kMoves = true;
  static constexpr std::string_view kColumn = "pos:R:3";
  template <template <class> class Array>
  struct In {
    Array<Vec3<double>> position;  ///< length
  };
  DROPMD_HOST_DEVICE static auto& of(auto& atoms) { return atoms.position; }
  static bool possible(const Vec3<double>& value) { return is_finite(value); }
};

struct Velocity : ParticleField<Vec3<double>> {
  static constexpr std::string_view kName = "velocity";
  static constexpr StoredIn kStored = StoredIn::state;
  static constexpr bool kMoves = true;
  static constexpr std::string_view kColumn = "velo:R:3";
  template <template <class> class Array>
  struct In {
    Array<Vec3<double>> velocity;  ///< length/time
  };
  DROPMD_HOST_DEVICE static auto& of(auto& atoms) { return atoms.velocity; }
  static bool possible(const Vec3<double>& value) { return is_finite(value); }
};

struct Charge : ParticleField<double> {
  static constexpr std::string_view kName = "charge";
  static constexpr std::string_view kColumn = "Charge:R:1";
  template <template <class> class Array>
  struct In {
    Array<double> charge;
  };
  DROPMD_HOST_DEVICE static auto& of(auto& atoms) { return atoms.charge; }
  static bool possible(double charge) { return std::isfinite(charge); }
};

struct Mass : ParticleField<double> {
  static constexpr std::string_view kName = "mass";
  static constexpr std::string_view kColumn = "mass:R:1";
  template <template <class> class Array>
  struct In {
    Array<double> mass;
  };
  DROPMD_HOST_DEVICE static auto& of(auto& atoms) { return atoms.mass; }
  static bool possible(double mass) { return std::isfinite(mass) && mass > 0; }
};

struct Species : ParticleField<std::uint32_t> {
  static constexpr std::string_view kName = "species";
  static constexpr bool kOnDevice = false;
  template <template <class> class Array>
  struct In {
    Array<std::uint32_t> species;  ///< index into the names of the species
  };
  static auto& of(auto& atoms) { return atoms.species; }
};

struct PairSpecies : ParticleField<std::uint32_t> {
  static constexpr std::string_view kName = "pair_species";
  static constexpr StoredIn kStored = StoredIn::nowhere;
  template <template <class> class Array>
  struct In {
    Array<std::uint32_t> pair_species;  ///< index into the species of the pair model; zeros if all atoms are alike
  };
  DROPMD_HOST_DEVICE static auto& of(auto& atoms) { return atoms.pair_species; }
};

struct Id : ParticleField<std::uint32_t> {
  static constexpr std::string_view kName = "id";
  static constexpr StoredIn kStored = StoredIn::state;
  static constexpr bool kOnDevice = false;  // by host index there, where it does not follow from that
  template <template <class> class Array>
  struct In {
    Array<std::uint32_t> id;  ///< ascending, from 1; an atom keeps its own for good. Empty: 1 .. n_atoms
  };
  static auto& of(auto& atoms) { return atoms.id; }
};

}  // namespace field

/// Instead of a field that a choice of fields leaves out.
template <class Field>
struct WithoutField {};

template <class... Fields>
struct FieldTable {
  /// Arrays of the fields of which Choice says true.
  template <template <class> class Array, template <class> class Choice>
  struct Chosen
      : std::conditional_t<Choice<Fields>::value, typename Fields::template In<Array>, WithoutField<Fields>>... {};

  /// visit(field): a value of each field's type, in order.
  template <class Visit>
  static constexpr void for_each(const Visit& visit) {
    (visit(Fields{}), ...);
  }
};

using ParticleFields = FieldTable<field::Position, field::Velocity, field::Charge, field::Mass, field::Species,
                                  field::PairSpecies, field::Id>;

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

/// As for_each, of the fields of which Choice says true.
template <template <class> class Choice, class Visit>
constexpr void for_each_field(const Visit& visit) {
  ParticleFields::for_each([&]<class Field>(Field field) {
    if constexpr (Choice<Field>::value) visit(field);
  });
}

/// std::vector by its elements alone.
template <class T>
using FieldVector = std::vector<T>;

template <template <class> class Choice>
using FieldVectors = ParticleFields::Chosen<FieldVector, Choice>;

}  // namespace dropmd
