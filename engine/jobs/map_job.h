#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/run/map_choices.h"
#include "engine/methods/method.h"
#include "maps/map_model.h"
#include "maps/mesh/map_sample.h"
#include "outputs/maps/map_atoms.h"

/// Functions that the map command and the maps of a run share: from a user's choices to a map.
namespace dropmd {

/// Returns the grid of the choices: the given one, or one around the atoms, whose points are multiples of the spacing,
/// so that grids with the same spacing share points. Throws InputError if there would be no points, more than 2³⁰ along
/// an axis or more than 2⁴⁰ in all, or if there are no atoms.
MapGrid map_grid(const MapChoices& choices, std::span<const Vec3<double>> position);

/// Returns the bytes of host memory of a map.
double map_bytes(const MapGrid& grid, bool field);

/// Throws InputError if `copies` arrays of the size of the map do not fit in this machine's memory.
void require_map_memory(const MapGrid& grid, bool field, int copies = 1);

/// Returns the model of the map. Throws InputError if the unit needs a missing value, or as require_map_model().
MapModel map_model(const MapChoices& choices, const Units& units);

/// Returns "kcal/mol/e", "kT/e at 300 K", "V"; in units lj "epsilon/q", "kT/q at ...".
std::string map_unit(const MapChoices& choices, const Units& units);

/// Returns the mesh that a map of this model, which has one, would get. This takes direct sums for some points.
MapMeshPlan map_mesh_plan(const Method& method, const MapModel& model, const MapGrid& grid, MapCharges charges);

/// Returns the estimated time of a map by a mesh, by its cost model, in seconds.
double map_seconds(const MapMeshPlan& plan, const Method& method);

/// Returns in words the mesh of a map, without and with the memory that it needs.
std::string describe(const MapMeshResult& mesh, const Units& units);
std::string describe(const MapMeshPlan& plan, const Method& method, const Units& units);

/// Constructs the summation for the processor of a method (choose_processor()).
std::unique_ptr<MapSum> make_map_sum(const Method& method, const MapModel& model);

/// Returns the values with the text that their file needs.
PotentialMap potential_map(const MapChoices& choices, const Units& units, const MapGrid& grid, MapValues values);

}  // namespace dropmd
