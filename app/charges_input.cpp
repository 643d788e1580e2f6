#include "app/charges_input.h"

#include <fmt/core.h>

#include <algorithm>

#include "app/shared_options.h"
#include "engine/model/system.h"
#include "engine/molecules/molecules.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/bare_structure.h"
#include "inputs/structures/structure_file.h"

namespace dropmd {

void add_units_option(OptionTable& options) {
  options.add({}, {{"units", "real | lj, for files without units, such as .xtc and .pdb", "WORD"}});
}

std::optional<UnitSystem> units_of_structure(const GivenOptions& options, const Structure& structure) {
  if (!options.has("units")) return structure.units;
  const UnitSystem given = word_option(options, "units", kUnitWords);
  if (structure.units && *structure.units != given)
    throw InputError(structure.units_place,
                     fmt::format("the structure is in units {}, but --units says {} (leave --units out, or convert the "
                                 "structure)",
                                 units_of(*structure.units).name, units_of(given).name));
  return given;
}

/// Whether runs in any units write their numbers to files of this kind, which do not say the units.
static bool has_numbers_of_run(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  return extension == ".pdb" || extension == ".ent" || extension == ".cif" || extension == ".mmcif";
}

ChargesInput read_charges_input(const GivenOptions& options, std::string_view command) {
  const std::filesystem::path file = input_file(options, command);
  if (!has_structure_format(file)) {
    RunConfig config = load_config(file);
    if (config.temperature) config.temperature = 0;  // a map needs no velocities
    if (options.has("units")) throw UsageError("--units is for bare structures (a run file states its units)");
    Structure structure = read_structure(config);
    auto molecules = read_molecules(config, structure);
    return {std::move(config), std::move(structure), std::move(molecules)};
  }
  Structure structure = read_structure_file(file);
  if (options.has("units") && has_numbers_of_run(file)) structure.units.reset();
  const std::optional<UnitSystem> units = units_of_structure(options, structure);
  structure.units = units;
  if (!units && file.extension() != ".drop")
    throw InputError(
        {file.string(), 2},
        "the structure does not state its units (add units=real or units=lj to this line, or give --units real|lj)");
  RunConfig config = charges_alone_config(file, units.value_or(UnitSystem::lj));
  // Without their topology virtual sites cannot be told from atoms.
  if (std::find(structure.mass.begin(), structure.mass.end(), 0.0) != structure.mass.end()) {
    structure.mass.clear();
    structure.momentum.clear();
  }
  const bool has_masses = !structure.mass.empty();
  return {std::move(config), std::move(structure), nullptr, units.has_value(), has_masses};
}

}  // namespace dropmd
