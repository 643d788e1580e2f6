#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "inputs/topologies/gromacs/directives.h"
#include "inputs/topologies/gromacs/text/topology_line.h"

/// The functions of interactions: what the number in the column `func` means. The numbers and parameters are those of
/// the table "Details of [moleculetype] directives" of the GROMACS manual.
namespace dropmd::gromacs {

constexpr std::size_t kMostParameters = 6;

/// A function that dropmd has.
struct InteractionFunction {
  Directive directive;  ///< the section within a molecule type: bonds, angles
  int number;
  std::string_view name;
  std::string_view columns;  ///< names of the parameters: "b0 k"
  std::size_t n_parameters;
  bool has_state_b;  ///< whether a line may repeat the parameters for state B of a perturbation
};

/// Parameters of an interaction in GROMACS' units.
struct Parameters {
  std::array<double, kMostParameters> value{};
  TextPlace place;  ///< of the line

  double operator[](std::size_t k) const { return value[k]; }
};

/// Reads the function's number, which is 1 where the line ends before it. `directive`: the section of interactions to
/// which the line's section belongs (bonds for bondtypes). Throws InputError for functions that dropmd does not have.
const InteractionFunction& read_function(WordReader& words, Directive directive);

/// The same for a line of parameters by types. Returns nullptr for functions that GROMACS has but dropmd does not,
/// which matter only if an interaction uses them.
const InteractionFunction* read_type_function(WordReader& words, Directive directive);

/// The function of a section with that number, which must exist.
const InteractionFunction& function_of(Directive directive, int number);

/// Reads the parameters that are left in a line; nullopt if there are none. Parameters of state B must equal those of
/// state A, since there is no free-energy perturbation.
std::optional<Parameters> read_parameters(WordReader& words, const InteractionFunction& function);

}  // namespace dropmd::gromacs
