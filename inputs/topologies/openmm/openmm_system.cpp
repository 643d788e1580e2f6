#include "inputs/topologies/openmm/openmm_system.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "inputs/nearest_word.h"
#include "inputs/topologies/openmm/system_reading.h"

namespace dropmd {
namespace openmm {
namespace {

void read_motion_remover(const XmlElement&, SystemReading& reading) {
  reading.warn("CMMotionRemover is ignored (remove-momentum of [run] does the same)");
}

struct ForceKind {
  std::string_view type;
  void (*read)(const XmlElement& force, SystemReading& reading);
};

/// One entry per force.
constexpr std::array kForces = {
    ForceKind{"HarmonicBondForce", read_harmonic_bonds},       ForceKind{"HarmonicAngleForce", read_harmonic_angles},
    ForceKind{"PeriodicTorsionForce", read_periodic_torsions}, ForceKind{"RBTorsionForce", read_rb_torsions},
    ForceKind{"CMAPTorsionForce", read_cmap_torsions},         ForceKind{"NonbondedForce", read_nonbonded},
    ForceKind{"CustomTorsionForce", read_custom_torsions},     ForceKind{"CustomBondForce", read_custom_bonds},
    ForceKind{"CustomNonbondedForce", read_custom_nonbonded},  ForceKind{"CMMotionRemover", read_motion_remover},
};

void read_force(const XmlElement& force, SystemReading& reading) {
  const std::string_view type = force.text("type");
  const auto kind = std::find_if(kForces.begin(), kForces.end(), [&](const ForceKind& k) { return k.type == type; });
  if (kind == kForces.end()) {
    std::vector<std::string_view> known;
    for (const ForceKind& k : kForces) known.push_back(k.type);
    force.fail(fmt::format("the force {} cannot be read (known: {})", shown(type), joined(known)));
  }
  reading.is_periodic = reading.is_periodic || force.flag("usesPeriodic") || force.flag("exceptionsUsePeriodic");
  kind->read(force, reading);
}

void read_system(const XmlElement& system, SystemReading& reading) {
  if (system.name() != "System")
    system.fail(fmt::format("<{}> (an OpenMM <System> is expected, as XmlSerializer.serialize(system) writes it)",
                            shown(system.name())));
  for (const XmlElement& part : system.elements()) {
    constexpr std::array<std::string_view, 4> kParts = {"PeriodicBoxVectors", "Particles", "Constraints", "Forces"};
    if (std::find(kParts.begin(), kParts.end(), part.name()) == kParts.end())
      part.fail(
          fmt::format("<{}> within <System> (known: {})", shown(part.name()), joined({kParts.begin(), kParts.end()})));
  }
  read_particles(system, reading);
  read_constraints(system, reading);
  for (const XmlElement& force : system.items("Forces", "Force")) read_force(force, reading);
  if (reading.is_periodic)
    reading.warn("the periodic box is ignored, as boundaries are open (molecules must be whole)");
  finish_nonbonded(reading);
  finish_molecules(reading);
}

}  // namespace
}  // namespace openmm

MolecularModel read_openmm_system(const std::filesystem::path& path) {
  const openmm::XmlSource source(read_text_source(path, "an OpenMM System in XML"));
  MolecularModel model;
  model.file = source.file();
  openmm::SystemReading reading(model);
  openmm::read_system(openmm::XmlElement(source, source.root()), reading);
  return model;
}

}  // namespace dropmd
