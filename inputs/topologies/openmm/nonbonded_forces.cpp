#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "inputs/topologies/openmm/system_reading.h"
#include "inputs/topologies/topology_units.h"

namespace dropmd::openmm {

void note_cutoff(const XmlElement& force, SystemReading& reading) {
  constexpr std::array kMethods = {"NoCutoff", "CutoffNonPeriodic", "CutoffPeriodic", "Ewald", "PME", "LJPME"};
  const std::int64_t method = force.has_attribute("method") ? force.integer("method", 0, std::ssize(kMethods) - 1) : 0;
  if (method == 0) return;
  if (method > 1) reading.is_periodic = true;
  reading.warn(fmt::format(
      "the method {} of the {} and its cutoff are ignored ([lennard-jones] and [coulomb] of the run file set them)",
      kMethods.at(static_cast<std::size_t>(method)), force.text("type")));
}

void read_nonbonded(const XmlElement& force, SystemReading& reading) {
  if (reading.nonbonded) force.fail("a second NonbondedForce (give one for all particles)");
  require_no_parameters(force);
  if (force.has_attribute("includeDirectSpace") && !force.flag("includeDirectSpace"))
    force.fail("the NonbondedForce leaves out its direct space (set includeDirectSpace=\"1\")");
  reading.nonbonded = force;
  note_cutoff(force, reading);

  const std::vector<XmlElement> particles = force.items("Particles", "Particle");
  if (particles.size() != reading.n_atoms)
    force.fail(fmt::format("the NonbondedForce has {} particles, but the system has {} (the numbers must be equal)",
                           particles.size(), reading.n_atoms));
  for (std::size_t i = 0; i < particles.size(); ++i) {
    reading.model.charge[i] = particles[i].number("q");
    const double sigma = particles[i].number("sig"), epsilon = particles[i].number("eps");
    if (epsilon < 0 || (epsilon > 0 && sigma <= 0))
      particles[i].fail(fmt::format(
          "particle {} has a negative epsilon, or no positive sigma (epsilon must be at least 0, sigma greater than 0)",
          i));
    // Without epsilon, sigma has no meaning.
    reading.sigma_epsilon.push_back(epsilon > 0 ? std::array{sigma, epsilon} : std::array{0.0, 0.0});
  }

  auto& pairs = std::get<std::vector<BondedPair>>(reading.model.topology.terms);
  for (const XmlElement& exception : force.items("Exceptions", "Exception")) {
    const AtomPair given = read_pair(exception, reading.n_atoms), atoms = ordered(given[0], given[1]);
    const double charges = exception.number("q"), sigma = exception.number("sig"), epsilon = exception.number("eps");
    if (epsilon < 0 || (epsilon > 0 && sigma <= 0))
      exception.fail("epsilon is negative, or sigma not positive (epsilon must be at least 0, sigma greater than 0)");
    const bool has_terms = charges != 0 || epsilon > 0;
    if (!reading.exceptions.insert(atoms).second)
      exception.fail(fmt::format("a second exception for the particles {} and {} (give only one)", atoms[0], atoms[1]));
    if (!has_terms) continue;
    BondedPair pair{.atom = atoms, .charges = charges};
    if (epsilon > 0) pair.lj = {kcal_of(epsilon), angstrom_of(sigma), true};
    pairs.push_back(pair);
  }
}

}  // namespace dropmd::openmm
