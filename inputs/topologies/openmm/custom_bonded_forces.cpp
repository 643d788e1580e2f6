#include <fmt/core.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "inputs/topologies/lj_rules.h"
#include "inputs/topologies/openmm/expressions.h"
#include "inputs/topologies/openmm/system_reading.h"
#include "inputs/topologies/topology_units.h"

namespace dropmd::openmm {
namespace {

struct TorsionFormula {
  std::string_view pattern;
  double factor;  ///< of ½ k (θ − θ₀)²; multiplied by the number at the beginning, if there is one
  bool has_number, has_pi;
};

/// Harmonic torsions. Differences are taken within ±180° in all of them: those without a minimum or a step are meant
/// for angles near 0.
constexpr std::array kTorsionFormulas = {
    // ForceField with the CHARMM force fields, DesmondDMSFile
    TorsionFormula{"k*(theta-theta0)^2", 2, false, false},
    TorsionFormula{"#*k*(theta-theta0)^2", 2, true, false},
    // CharmmPsfFile
    TorsionFormula{"k*min(dtheta,2*pi-dtheta)^2;dtheta=abs(theta-theta0);pi=#", 2, false, true},
    TorsionFormula{"#*k*min(dtheta,2*pi-dtheta)^2;dtheta=abs(theta-theta0);pi=#", 2, true, true},
    // AmberPrmtopFile
    TorsionFormula{"k*min(dtheta,2*#-dtheta)^2;dtheta=abs(theta-theta0)", 2, false, true},
    // GromacsTopFile
    TorsionFormula{
        "#*k*(thetap-theta0)^2;thetap=step(-(theta-theta0+pi))*2*pi+theta+step(theta-theta0-pi)*(-2*pi);pi=#", 2, true,
        true},
};

/// Returns the factor of ½ k (θ − θ₀)².
double factor_of_torsions(const XmlElement& force) {
  constexpr double kPiRounding = 1e-5;
  const std::string formula = without_white_space(force.text("energy"));
  for (const TorsionFormula& known : kTorsionFormulas) {
    const auto numbers = match_formula(formula, known.pattern);
    if (!numbers) continue;
    if (known.has_pi && std::abs(numbers->back() - std::numbers::pi) > kPiRounding) continue;
    return known.factor * (known.has_number ? numbers->front() : 1);
  }
  force.fail(
      fmt::format("the energy {} of the CustomTorsionForce cannot be read (known: harmonic torsions such as "
                  "'k*(theta-theta0)^2', see docs/file-formats.md)",
                  in_quotes(force.text("energy"))));
}

/// The Lennard-Jones terms of a CustomBondForce.
struct BondFormula {
  std::string_view pattern;
  std::array<std::string_view, 2> parameters;
  /// From the parameters and the number of the pattern.
  LjParameters (*lj)(const XmlElement& bond, const std::array<double, 2>& parameters, double number);
};

LjParameters from_sigma_epsilon(const XmlElement& bond, const std::array<double, 2>& p, double number) {
  const double sigma = p[0], epsilon = number / 4 * p[1];
  if (epsilon < 0 || (epsilon > 0 && sigma <= 0))
    bond.fail("epsilon is negative, or sigma not positive (epsilon must be at least 0, sigma greater than 0)");
  if (epsilon == 0) return {};
  return {kcal_of(epsilon), angstrom_of(sigma), true};
}

LjParameters from_c_a(const XmlElement& bond, const std::array<double, 2>& p, double) {
  constexpr CombinationRule kRule = CombinationRule::c6_c12;
  const LjNumbers numbers{p[0], p[1]};
  if (const auto fault = fault_of(kRule, numbers)) bond.fail(*fault);
  return lj_parameters(kRule, numbers);
}

constexpr std::array kBondFormulas = {
    BondFormula{"#*epsilon*((sigma/r)^12-(sigma/r)^6)", {"sigma", "epsilon"}, from_sigma_epsilon},  // ForceField
    BondFormula{"-C/r^6+A/r^12", {"C", "A"}, from_c_a},                                             // GromacsTopFile
};

}  // namespace

void read_custom_torsions(const XmlElement& force, SystemReading& reading) {
  require_no_parameters(force);
  const double factor = factor_of_torsions(force);
  constexpr std::array<std::string_view, 2> kParameters = {"k", "theta0"};
  const std::vector<std::string> attributes = parameter_attributes(force, "PerTorsionParameters", kParameters);
  auto& terms = std::get<std::vector<HarmonicImproper>>(reading.model.topology.terms);
  for (const XmlElement& torsion : force.items("Torsions", "Torsion")) {
    HarmonicImproper term;
    constexpr std::array<const char*, 4> kAtoms = {"p1", "p2", "p3", "p4"};
    for (std::size_t k = 0; k < 4; ++k) {
      term.atom[k] = torsion.particle(kAtoms[k], reading.n_atoms);
      for (std::size_t other = 0; other < k; ++other)
        if (term.atom[other] == term.atom[k])
          torsion.fail(fmt::format("<Torsion> has particle {} twice (give 4 different ones)", term.atom[k]));
    }
    term.k = factor * kcal_of(torsion.number(attributes[0].c_str()));
    term.angle = torsion.number(attributes[1].c_str());
    if (term.k != 0) terms.push_back(term);
  }
}

void read_custom_bonds(const XmlElement& force, SystemReading& reading) {
  require_no_parameters(force);
  const std::string formula = without_white_space(force.text("energy"));
  for (const BondFormula& known : kBondFormulas) {
    const auto numbers = match_formula(formula, known.pattern);
    if (!numbers) continue;
    const std::vector<std::string> attributes = parameter_attributes(force, "PerBondParameters", known.parameters);
    auto& terms = std::get<std::vector<BondedPair>>(reading.model.topology.terms);
    for (const XmlElement& bond : force.items("Bonds", "Bond")) {
      const AtomPair atoms = read_pair(bond, reading.n_atoms);
      const std::array<double, 2> parameters{bond.number(attributes[0].c_str()), bond.number(attributes[1].c_str())};
      const LjParameters lj = known.lj(bond, parameters, numbers->empty() ? 1 : numbers->front());
      if (lj.epsilon != 0) terms.push_back({ordered(atoms[0], atoms[1]), lj, 0});
    }
    return;
  }
  force.fail(
      fmt::format("the energy {} of the CustomBondForce cannot be read (known: "
                  "'4*epsilon*((sigma/r)^12-(sigma/r)^6)' with any factor, '-C/r^6+A/r^12')",
                  in_quotes(force.text("energy"))));
}

}  // namespace dropmd::openmm
