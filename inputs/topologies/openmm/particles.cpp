#include <fmt/core.h>

#include "inputs/topologies/openmm/system_reading.h"
#include "inputs/topologies/topology_units.h"

namespace dropmd::openmm {

AtomPair read_pair(const XmlElement& element, std::size_t n_atoms) {
  const AtomPair pair{element.particle("p1", n_atoms), element.particle("p2", n_atoms)};
  if (pair[0] == pair[1])
    element.fail(fmt::format("<{}> has particle {} twice (give two different ones)", shown(element.name()), pair[0]));
  return pair;
}

void read_particles(const XmlElement& system, SystemReading& reading) {
  const std::vector<XmlElement> particles = system.items("Particles", "Particle");
  if (particles.empty()) system.fail("the system has no particles (it needs at least 1)");
  reading.n_atoms = particles.size();
  std::uint32_t number = 0;
  for (const XmlElement& particle : particles) {
    const double mass = particle.number("mass");
    const std::vector<XmlElement> sites = particle.elements();
    if (mass < 0) particle.fail(fmt::format("particle {} has the mass {} (it must be at least 0)", number, mass));
    if (mass == 0 && sites.empty())
      particle.fail(
          fmt::format("particle {} has no mass, which fixes it in OpenMM (give it a mass and restrain it; "
                      "only virtual sites have none)",
                      number));
    if (sites.size() > 1) particle.fail(fmt::format("particle {} is constructed twice", number));
    if (mass > 0 && !sites.empty())
      particle.fail(fmt::format("the virtual site {} has the mass {} (it must be 0)", number, mass));
    reading.model.mass.push_back(mass);
    ++number;
  }
  reading.model.charge.assign(reading.n_atoms, 0);
  number = 0;
  for (const XmlElement& particle : particles) {
    for (const XmlElement& site : particle.elements()) read_virtual_site(site, number, reading);
    ++number;
  }
}

void read_constraints(const XmlElement& system, SystemReading& reading) {
  for (const XmlElement& element : system.items("Constraints", "Constraint")) {
    const AtomPair pair = read_pair(element, reading.n_atoms);
    for (const std::uint32_t atom : pair)
      if (reading.model.mass[atom] == 0)
        element.fail(
            fmt::format("a constraint of particle {}, which is a virtual site (constrain atoms with mass)", atom));
    const double length = element.number("d");
    if (length <= 0) element.fail(fmt::format("the constraint has the length {} (it must be greater than 0)", length));
    reading.model.topology.constraints.push_back({pair, angstrom_of(length)});
    reading.connections.push_back(pair);
  }
}

}  // namespace dropmd::openmm
