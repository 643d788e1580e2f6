#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "python/arrays.h"
#include "python/interpreter.h"
#include "python/session.h"

/// What functions of a session in Python have in common.
namespace dropmd::python {

using Vectors = std::optional<VectorsIn>;
using Numbers = std::optional<NumbersIn>;
using Names = std::optional<std::vector<std::string>>;

inline GivenAtoms atoms_of(const Vectors& positions, const Vectors& velocities, const Numbers& masses,
                           const Numbers& charges, const Names& species,
                           const std::optional<std::string>& topology_name = std::nullopt) {
  GivenAtoms atoms;
  if (positions) atoms.position = vectors_of(*positions);
  if (velocities) atoms.velocity = vectors_of(*velocities);
  if (masses) atoms.mass = numbers_of(*masses);
  if (charges) atoms.charge = numbers_of(*charges);
  atoms.species = species;
  atoms.topology_name = topology_name;
  return atoms;
}

/// Does work with the simulation while other threads of Python run. The work must not touch objects of Python: a
/// handler of a signal may want the simulation.
template <class Work>
auto aside(Session& session, const Work& work) {
  const InterpreterReleased released;
  return session.with(work);
}

}  // namespace dropmd::python
