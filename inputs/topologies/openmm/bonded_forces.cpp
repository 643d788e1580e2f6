#include <fmt/core.h>

#include <array>
#include <utility>

#include "inputs/topologies/openmm/system_reading.h"
#include "inputs/topologies/topology_units.h"

namespace dropmd::openmm {
namespace {

template <std::size_t n>
AtomNumbers<n> read_atoms(const XmlElement& element, const std::array<const char*, n>& attributes,
                          std::size_t n_atoms) {
  AtomNumbers<n> atoms{};
  for (std::size_t k = 0; k < n; ++k) {
    atoms[k] = element.particle(attributes[k], n_atoms);
    for (std::size_t other = 0; other < k; ++other)
      if (atoms[other] == atoms[k])
        element.fail(
            fmt::format("<{}> has particle {} twice (give {} different ones)", shown(element.name()), atoms[k], n));
  }
  return atoms;
}

constexpr std::array<const char*, 3> kThree = {"p1", "p2", "p3"};
constexpr std::array<const char*, 4> kFour = {"p1", "p2", "p3", "p4"};

template <class Term>
std::vector<Term>& terms_of(SystemReading& reading) {
  return std::get<std::vector<Term>>(reading.model.topology.terms);
}

/// Reads a map of OpenMM, whose first index runs fastest and whose angles begin at 0.
CmapGrid read_map(const XmlElement& map) {
  constexpr std::int64_t kLargest = 360;  // steps of a degree
  const std::int64_t size = map.integer("size", 2, kLargest);
  if (size % 2 != 0)
    map.fail(fmt::format("the map has {} angles (the number must be even, so that one of them is -180 degrees)", size));
  const std::vector<XmlElement> values = map.elements();
  const auto n = static_cast<std::size_t>(size);
  if (values.size() != n * n)
    map.fail(fmt::format("the map has {} energies, but its size is {} (give {} energies)", values.size(), size, n * n));
  CmapGrid grid;
  grid.size = static_cast<std::uint32_t>(size);
  grid.energy.reserve(n * n);
  for (std::size_t phi = 0; phi < n; ++phi)
    for (std::size_t psi = 0; psi < n; ++psi) {
      const std::size_t first = (phi + n / 2) % n, second = (psi + n / 2) % n;
      grid.energy.push_back(kcal_of(values[first + n * second].number("e")));
    }
  return grid;
}

}  // namespace

void read_harmonic_bonds(const XmlElement& force, SystemReading& reading) {
  for (const XmlElement& bond : force.items("Bonds", "Bond")) {
    const AtomPair atoms = read_pair(bond, reading.n_atoms);
    const double k = stiffness_of(bond.number("k")), length = angstrom_of(bond.number("d"));
    if (length < 0) bond.fail("the bond has a negative length (it must be at least 0)");
    reading.connections.push_back(atoms);
    if (k != 0) terms_of<HarmonicBond>(reading).push_back({atoms, k, length});
  }
}

void read_harmonic_angles(const XmlElement& force, SystemReading& reading) {
  for (const XmlElement& angle : force.items("Angles", "Angle")) {
    const AtomNumbers<3> atoms = read_atoms(angle, kThree, reading.n_atoms);
    const double k = kcal_of(angle.number("k")), value = angle.number("a");
    if (k != 0) terms_of<HarmonicAngle>(reading).push_back({atoms, k, value});
  }
}

void read_periodic_torsions(const XmlElement& force, SystemReading& reading) {
  constexpr std::int64_t kMost = 1000;
  for (const XmlElement& torsion : force.items("Torsions", "Torsion")) {
    const AtomNumbers<4> atoms = read_atoms(torsion, kFour, reading.n_atoms);
    const double k = kcal_of(torsion.number("k")), phase = torsion.number("phase");
    const auto multiplicity = static_cast<std::int32_t>(torsion.integer("periodicity", 0, kMost));
    if (k != 0) terms_of<PeriodicDihedral>(reading).push_back({atoms, k, phase, multiplicity});
  }
}

void read_rb_torsions(const XmlElement& force, SystemReading& reading) {
  constexpr std::array<const char*, 6> kCoefficients = {"c0", "c1", "c2", "c3", "c4", "c5"};
  for (const XmlElement& torsion : force.items("Torsions", "Torsion")) {
    RyckaertBellemans term{.atom = read_atoms(torsion, kFour, reading.n_atoms)};
    for (std::size_t k = 0; k < term.c.size(); ++k) term.c[k] = kcal_of(torsion.number(kCoefficients[k]));
    terms_of<RyckaertBellemans>(reading).push_back(term);
  }
}

void read_cmap_torsions(const XmlElement& force, SystemReading& reading) {
  std::vector<CmapGrid>& grids = reading.model.topology.cmap_grids;
  const std::size_t first_grid = grids.size();
  for (const XmlElement& map : force.items("Maps", "Map")) grids.push_back(read_map(map));
  const auto n_maps = static_cast<std::int64_t>(grids.size() - first_grid);
  for (const XmlElement& torsion : force.items("Torsions", "Torsion")) {
    const auto phi = read_atoms<4>(torsion, {"a1", "a2", "a3", "a4"}, reading.n_atoms);
    const auto psi = read_atoms<4>(torsion, {"b1", "b2", "b3", "b4"}, reading.n_atoms);
    if (phi[1] != psi[0] || phi[2] != psi[1] || phi[3] != psi[2])
      torsion.fail("the two angles of a CMAP term are not of five successive particles (b1 b2 b3 must be a2 a3 a4)");
    const auto grid = static_cast<std::uint32_t>(torsion.integer("map", 0, n_maps - 1));
    terms_of<CmapDihedrals>(reading).push_back(
        {{phi[0], phi[1], phi[2], phi[3], psi[3]}, static_cast<std::uint32_t>(first_grid) + grid});
  }
}

}  // namespace dropmd::openmm
