#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "inputs/topologies/lj_rules.h"
#include "inputs/topologies/openmm/expressions.h"
#include "inputs/topologies/openmm/system_reading.h"
#include "inputs/topologies/topology_units.h"

namespace dropmd::openmm {
namespace {

using Parameters = std::array<double, 2>;

/// How pairs follow from the parameters of two atoms.
enum class Rule {
  table,       ///< `type`: tables of C12 and C6
  root_table,  ///< `type`: tables of the root of C12 and of C6
  products,    ///< `A`, `C`: C12 = A1 A2, C6 = C1 C2
  geometric,   ///< `sigma`, `epsilon`: geometric means
  lorentz,     ///< `sigma`, `epsilon`: arithmetic mean of sigma, geometric of epsilon
};

struct Formula {
  std::string_view pattern;
  Rule rule;
};

constexpr std::array kFormulas = {
    // ForceField (LennardJonesForce), CharmmPsfFile, AmberPrmtopFile and GromacsTopFile
    Formula{"acoef(type1,type2)/r^12-bcoef(type1,type2)/r^6", Rule::table},
    Formula{"(a/r6)^2-b/r6;r6=r^6;a=acoef(type1,type2);b=bcoef(type1,type2)", Rule::root_table},
    // GromacsTopFile
    Formula{"A1*A2/r^12-C1*C2/r^6", Rule::products},
    // DesmondDMSFile, and what programs that use OpenMM write for OPLS
    Formula{"#*epsilon12*((sigma12/r)^12-(sigma12/r)^6);sigma12=sqrt(sigma1*sigma2);epsilon12=sqrt(epsilon1*epsilon2)",
            Rule::geometric},
    Formula{"#*epsilon*((sigma/r)^12-(sigma/r)^6);sigma=sqrt(sigma1*sigma2);epsilon=sqrt(epsilon1*epsilon2)",
            Rule::geometric},
    Formula{"#*epsilon*((sigma/r)^12-(sigma/r)^6);sigma=0.5*(sigma1+sigma2);epsilon=sqrt(epsilon1*epsilon2)",
            Rule::lorentz},
};

/// C6 and C12 by type: [n][n].
struct Tables {
  std::size_t n = 0;
  std::vector<LjNumbers> numbers;
};

/// Reads a Discrete2DFunction of n by n values.
std::vector<double> read_table(const XmlElement& function, std::size_t& n) {
  constexpr std::int64_t kMost = 100000;
  if (function.text("type") != "Discrete2DFunction")
    function.fail(fmt::format("the function {} is a {} (expected: a Discrete2DFunction)", shown(function.text("name")),
                              shown(function.text("type"))));
  const std::int64_t size = function.integer("xsize", 1, kMost), size_y = function.integer("ysize", 1, kMost);
  const std::vector<XmlElement> values = function.items("Values", "Value");
  if (size_y != size || static_cast<std::int64_t>(values.size()) != size * size)
    function.fail(
        fmt::format("the function {} has {} values, xsize {} and ysize {} (expected: xsize times ysize values, with "
                    "xsize equal to ysize)",
                    shown(function.text("name")), values.size(), size, size_y));
  n = static_cast<std::size_t>(size);
  std::vector<double> table;
  for (const XmlElement& value : values) table.push_back(value.number("v"));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      constexpr double kRounding = 1e-9;
      const double a = table[i + n * j], b = table[j + n * i];
      if (std::abs(a - b) > kRounding * std::max(std::abs(a), std::abs(b)))
        function.fail(
            fmt::format("the function {} differs for the types {} and {} and for {} and {} (the values must be equal)",
                        shown(function.text("name")), j, i, i, j));
    }
  return table;
}

Tables read_tables(const XmlElement& force, Rule rule) {
  std::vector<double> a, b;
  std::size_t n_a = 0, n_b = 0;
  for (const XmlElement& function : force.items("Functions", "Function")) {
    const std::string_view name = function.text("name");
    if (name == "acoef") a = read_table(function, n_a);
    if (name == "bcoef") b = read_table(function, n_b);
  }
  if (n_a == 0 || n_a != n_b) force.fail("the CustomNonbondedForce needs the functions acoef and bcoef, of equal size");
  Tables tables{.n = n_a, .numbers = {}};
  for (std::size_t k = 0; k < a.size(); ++k) {
    const LjNumbers numbers{b[k], rule == Rule::root_table ? a[k] * a[k] : a[k]};
    if (const auto fault = fault_of(CombinationRule::c6_c12, numbers))
      force.fail(fmt::format("types {} and {}: {}", k % n_a, k / n_a, *fault));
    tables.numbers.push_back(numbers);
  }
  return tables;
}

LjParameters from_c6_c12(const LjNumbers& numbers) { return lj_parameters(CombinationRule::c6_c12, numbers); }

LjParameters mean_pair(CombinationRule rule, double factor, const Parameters& a, const Parameters& b) {
  const LjNumbers numbers = combined(rule, {a[0], a[1]}, {b[0], b[1]});
  return numbers.w == 0 ? LjParameters{} : lj_parameters(rule, scaled(rule, numbers, factor));
}

/// Names of the parameters in the order of CustomLj::parameters.
std::vector<std::string_view> names_of(Rule rule) {
  switch (rule) {
    case Rule::table:
    case Rule::root_table:
      return {"type"};
    case Rule::products:
      return {"C", "A"};
    default:
      return {"sigma", "epsilon"};
  }
}

void require_possible(const XmlElement& particle, Rule rule, const Parameters& parameters, std::size_t n_types) {
  const auto [first, second] = parameters;
  if (n_types > 0 && !(first >= 0 && first < static_cast<double>(n_types) && first == std::floor(first)))
    particle.fail(fmt::format("the type is {} (it must be a whole number from 0 to {})", first, n_types - 1));
  if (rule == Rule::products && (first < 0 || second < 0 || (first > 0 && second == 0)))
    particle.fail("A or C is negative, or C is given without A (both must be at least 0)");
  if ((rule == Rule::geometric || rule == Rule::lorentz) && (second < 0 || (second > 0 && first <= 0)))
    particle.fail("epsilon is negative, or sigma not positive (epsilon must be at least 0, sigma greater than 0)");
}

/// Sets how pairs follow from parameters. number: that of the formula.
void set_pair(CustomLj& lj, Rule rule, double number, Tables tables) {
  switch (rule) {
    case Rule::table:
    case Rule::root_table:
      lj.pair = [tables = std::make_shared<const Tables>(std::move(tables))](const Parameters& a, const Parameters& b) {
        return from_c6_c12(
            tables->numbers[static_cast<std::size_t>(a[0]) + tables->n * static_cast<std::size_t>(b[0])]);
      };
      break;
    case Rule::products:
      lj.pair = [](const Parameters& a, const Parameters& b) { return from_c6_c12({a[0] * b[0], a[1] * b[1]}); };
      break;
    default:
      lj.pair = [factor = number / 4,
                 mean = rule == Rule::lorentz ? CombinationRule::lorentz : CombinationRule::geometric](
                    const Parameters& a, const Parameters& b) { return mean_pair(mean, factor, a, b); };
  }
}

}  // namespace

void read_custom_nonbonded(const XmlElement& force, SystemReading& reading) {
  const std::string formula = without_white_space(force.text("energy"));
  std::optional<std::vector<double>> numbers;
  const auto known = std::find_if(kFormulas.begin(), kFormulas.end(), [&](const Formula& candidate) {
    numbers = match_formula(formula, candidate.pattern);
    return numbers.has_value();
  });
  if (known == kFormulas.end())
    force.fail(
        fmt::format("the energy {} of the CustomNonbondedForce cannot be read (known: Lennard-Jones terms of "
                    "OpenMM's readers, see docs/file-formats.md)",
                    in_quotes(force.text("energy"))));
  if (reading.custom_lj) force.fail("a second CustomNonbondedForce with Lennard-Jones terms (give only one)");
  require_no_parameters(force);
  note_cutoff(force, reading);

  const bool has_types = known->rule == Rule::table || known->rule == Rule::root_table;
  const std::vector<std::string> attributes =
      parameter_attributes(force, "PerParticleParameters", names_of(known->rule));
  Tables tables = has_types ? read_tables(force, known->rule) : Tables{};
  CustomLj lj{.parameters = {}, .pair = {}, .exclusions = {}, .force = force};
  const std::vector<XmlElement> particles = force.items("Particles", "Particle");
  if (particles.size() != reading.n_atoms)
    force.fail(
        fmt::format("the CustomNonbondedForce has {} particles, but the system has {} (the numbers must be equal)",
                    particles.size(), reading.n_atoms));
  for (const XmlElement& particle : particles) {
    Parameters parameters{};
    for (std::size_t k = 0; k < attributes.size(); ++k) parameters[k] = particle.number(attributes[k].c_str());
    require_possible(particle, known->rule, parameters, tables.n);
    lj.parameters.push_back(parameters);
  }
  for (const XmlElement& exclusion : force.items("Exclusions", "Exclusion")) {
    const AtomPair pair = read_pair(exclusion, reading.n_atoms);
    lj.exclusions.insert(ordered(pair[0], pair[1]));
  }
  set_pair(lj, known->rule, numbers->empty() ? 1 : numbers->front(), std::move(tables));
  reading.custom_lj = std::move(lj);
}

}  // namespace dropmd::openmm
