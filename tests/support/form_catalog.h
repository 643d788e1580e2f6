#pragma once

#include "core/forms/form.h"

namespace dropmd {

/// A catalog for tests of `inputs`, which cannot include the forms of `forces` and `integrators`.
inline FormCatalog test_form_catalog() {
  const FormKey cutoff{.name = "cutoff", .unit = "length"};
  const FormKey switch_from{.name = "switch-from", .unit = "length", .less_than = "cutoff"};
  const FormKey dielectric{.name = "dielectric",
                           .unit = "1",
                           .infinity_allowed = true,
                           .required = false,
                           .default_real = 1.0,
                           .default_lj = 1.0};
  const FormKey damping{.name = "damping", .unit = "1/length"};
  const FormKey radius{.name = "radius", .unit = "length", .required = false, .note = "the droplet file's radius"};
  const auto with_defaults = [](std::string_view name, std::string_view unit, double real, double lj) {
    return FormKey{.name = name, .unit = unit, .required = false, .default_real = real, .default_lj = lj};
  };
  const FormKey timestep = with_defaults("timestep", "time", 1.0, 0.005);

  FormCatalog catalog;
  catalog.lennard_jones = {{"none", {}, "no cutoff"},
                           {"cut", {cutoff}, "plain cutoff"},
                           {"shift", {cutoff}, "energy shifted to 0"},
                           {"force-shift", {cutoff}, "energy and force shifted to 0"},
                           {"switch", {cutoff, switch_from}, "switched to 0"}};
  catalog.born_mayer = {{"none", {}, "no cutoff"},
                        {"cut", {cutoff}, "plain cutoff"},
                        {"shift", {cutoff}, "energy shifted to 0"},
                        {"force-shift", {cutoff}, "energy and force shifted to 0"}};
  catalog.coulomb = {{"exact", {}, "no cutoff"},
                     {"cut", {cutoff}, "plain cutoff"},
                     {"shift", {cutoff}, "shifted"},
                     {"smoothed", {cutoff}, "even polynomial"},
                     {"reaction-field", {cutoff, dielectric}, "reaction field"},
                     {"dsf", {cutoff, damping}, "damped shifted force"}};
  const FormKey map_cutoff = with_defaults("cutoff", "length", 12.0, 5.0);
  catalog.map = {{"cut", {map_cutoff}, "plain cutoff"},
                 {"shift", {map_cutoff}, "shifted"},
                 {"smoothed", {map_cutoff}, "even polynomial"},
                 {"reaction-field", {map_cutoff, dielectric}, "reaction field"}};
  FormKey strength{.name = "strength", .unit = "V/A", .range = Range::any};
  strength.vector = true;
  FormKey frequency = with_defaults("frequency", "1/time", 0.0, 0.0);
  frequency.range = Range::not_negative;
  catalog.fields = {{"wall",
                     {{"harmonic", {with_defaults("stiffness", "energy/length^2", 1.0, 1.0), radius}, "harmonic"},
                      {"quartic", {with_defaults("stiffness", "energy/length^3", 0.01, 0.01), radius}, "quartic"}}},
                    {"field", {{"uniform", {strength, frequency}, "uniform field"}}}};
  const FormKey temperature{.name = "temperature", .unit = "temperature", .range = Range::not_negative};
  catalog.integrator = {
      {"velocity-verlet", {timestep}, "constant energy"},
      {"langevin", {timestep, temperature, with_defaults("friction", "1/time", 0.001, 0.2)}, "constant temperature"},
      {"descent", {with_defaults("factor", "length/force", 0.01, 0.01)}, "steepest descent"},
      {"fire", {timestep, with_defaults("force-tolerance", "force", 1e-6, 1e-6)}, "minimiser"}};
  catalog.slow_force_integrators = {"velocity-verlet", "langevin"};
  catalog.written_structures = {".drop", ".xyz"};
  catalog.trajectories = {".xyz", ".test"};
  catalog.written_maps = {".dx", ".cube", ".vti"};
  return catalog;
}

}  // namespace dropmd
