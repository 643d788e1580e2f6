#include "inputs/water/water_topology.h"

#include <fmt/core.h>

namespace dropmd {

namespace {

constexpr double kNmPerAngstrom = 0.1, kKilojoulePerKilocalorie = 4.184;

std::string header(const WaterComposition& droplet, std::string_view title) {
  std::string text = fmt::format("; {}\n; Water: {}, {}.\n", title, droplet.model.title, droplet.model.source);
  if (!droplet.ions.empty())
    text += fmt::format(
        "; Ions: Joung and Cheatham, J. Phys. Chem. B 112, 9020 (2008), Table 5, the set for {}.\n"
        "; Their charges are not scaled.\n",
        droplet.model.ions == IonSet::tip4pew ? "TIP4P-Ew (there is none for TIP4P/2005)" : droplet.model.title);
  return text +
         "\n[ defaults ]\n"
         "; 1: Lennard-Jones; 2: sigma and epsilon, Lorentz-Berthelot mixing. The factors of 1-4 pairs are AMBER's; "
         "no\n"
         "; molecule here has such pairs.\n"
         "; nbfunc comb-rule gen-pairs fudgeLJ fudgeQQ\n"
         "  1      2         yes       0.5     0.83333333\n";
}

std::string atom_types(const WaterComposition& droplet) {
  const WaterModel& water = droplet.model;
  std::string text =
      "\n[ atomtypes ]\n"
      "; name at.num      mass  charge ptype   sigma (nm)  epsilon (kJ/mol)\n";
  const auto add = [&](std::string_view name, int number, double mass, char kind, double sigma, double epsilon) {
    text += fmt::format("  {:<5}{:>6} {:>10.4f}  0.0     {} {:>14.10f} {:>15.10f}\n", name, number, mass, kind,
                        kNmPerAngstrom * sigma, epsilon);
  };
  add("OW", 8, kOxygenMass, 'A', water.sigma, water.epsilon);
  add("HW", 1, kHydrogenMass, 'A', 0, 0);
  if (water.has_site()) add("MW", 0, 0, 'V', 0, 0);
  for (const IonCount& kind : droplet.ions)
    add(kind.ion.name, kind.ion.atomic_number, kind.ion.mass, 'A', kind.ion.sigma(),
        kKilojoulePerKilocalorie * kind.ion.epsilon);
  return text;
}

std::string water_molecule(const WaterModel& water) {
  constexpr std::array<std::string_view, 4> kTypes{"OW", "HW", "HW", "MW"};
  constexpr std::array kMasses{kOxygenMass, kHydrogenMass, kHydrogenMass, 0.0};
  std::string text = fmt::format(
      "\n[ moleculetype ]\n"
      "; name nrexcl\n"
      "  {}  2\n"
      "\n[ atoms ]\n"
      "; nr type resnr residue atom cgnr  charge      mass\n",
      kWaterResidue);
  const std::vector<double> charges = water.charges();
  for (std::size_t k = 0; k < water.size(); ++k)
    text += fmt::format("  {}  {}   1     {}     {:<4} 1    {:>7.4f} {:>9.4f}\n", k + 1, kTypes[k], kWaterResidue,
                        kWaterAtomNames[k], charges[k], kMasses[k]);
  text += fmt::format(
      "\n[ settles ]\n"
      "; rigid: O-H and H-H in nm\n"
      "; O funct doh     dhh\n"
      "  1 1     {:.5f} {:.15f}\n",
      kNmPerAngstrom * water.bond, kNmPerAngstrom * water.hydrogen_distance());
  if (water.has_site())
    text += fmt::format(
        "\n[ virtual_sites3 ]\n"
        "; M = O + a (H1 - O) + b (H2 - O), {:.5f} nm from O\n"
        "; site from  funct a                 b\n"
        "  4    1 2 3 1     {:.15f} {:.15f}\n",
        kNmPerAngstrom * water.site_distance, water.site_coefficient(), water.site_coefficient());
  return text + (water.has_site() ? "\n[ exclusions ]\n  1 2 3 4\n  2 1 3 4\n  3 1 2 4\n  4 1 2 3\n"
                                  : "\n[ exclusions ]\n  1 2 3\n  2 1 3\n  3 1 2\n");
}

std::string ion_molecule(const IonModel& ion) {
  return fmt::format(
      "\n[ moleculetype ]\n"
      "; name nrexcl\n"
      "  {:<3}  1\n"
      "\n[ atoms ]\n"
      "; nr type resnr residue atom cgnr  charge      mass\n"
      "  1  {:<3}  1     {:<3}     {:<4} 1    {:>4.1f} {:>12.4f}\n",
      ion.residue, ion.name, ion.residue, ion.residue, double(ion.charge), ion.mass);
}

}  // namespace

std::size_t WaterComposition::molecules() const {
  std::size_t n = waters;
  for (const IonCount& kind : ions) n += kind.count;
  return n;
}

std::size_t WaterComposition::atoms() const { return molecules() - waters + waters * model.size(); }

double WaterComposition::charge() const {
  double sum = 0;
  for (const IonCount& kind : ions) sum += kind.ion.charge * static_cast<double>(kind.count);
  return sum;
}

std::string water_topology(const WaterComposition& composition, std::string_view title) {
  std::string text = header(composition, title) + atom_types(composition) + water_molecule(composition.model);
  for (const IonCount& kind : composition.ions) text += ion_molecule(kind.ion);
  text += fmt::format(
      "\n[ system ]\n"
      "{}\n"
      "\n[ molecules ]\n"
      "; in the order of the structure\n"
      "  {:<3} {}\n",
      title, kWaterResidue, composition.waters);
  for (const IonCount& kind : composition.ions) text += fmt::format("  {:<3} {}\n", kind.ion.residue, kind.count);
  return text;
}

}  // namespace dropmd
