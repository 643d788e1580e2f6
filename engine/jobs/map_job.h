#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/run/map_choices.h"
#include "engine/methods/method.h"
#include "maps/map_model.h"
#include "outputs/maps/map_atoms.h"

/// What the map command and a run's maps share: from a user's choices to a map.
namespace dropmd {

/// The grid that the choices mean: the given one, or one round the atoms whose points are multiples of the spacing, so
/// that grids of the same spacing share points. Throws InputError where there would be no points, more than 2³¹ along
/// an axis or more than 2⁴⁰ in all, or where there are no atoms to put it round.
MapGrid map_grid(const MapChoices& choices, std::span<const Vec3<double>> position);

/// Bytes that a map takes on the host.
double map_bytes(const MapGrid& grid, bool field);

/// Throws InputError where that many arrays like the map do not fit into this machine's memory.
void require_map_memory(const MapGrid& grid, bool field, int copies = 1);

/// Throws InputError where the unit needs what is not there, or as require_map_model().
MapModel map_model(const MapChoices& choices, const Units& units);

/// "kcal/mol/e", "kT/e at 300 K", "V"; in units lj "epsilon/q", "kT/q at ...".
std::string map_unit(const MapChoices& choices, const Units& units);

/// One line: method, form, cutoff, smallest distance.
std::string map_title(const MapChoices& choices, const Units& units);

/// On the processor of a method (choose_processor()).
std::unique_ptr<MapSum> make_map_sum(const Method& method, const MapModel& model);

/// Values with what their file says.
PotentialMap potential_map(const MapChoices& choices, const Units& units, const MapGrid& grid, MapValues values);

}  // namespace dropmd
