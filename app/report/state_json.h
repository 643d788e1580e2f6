#pragma once

#include "app/json_text.h"
#include "engine/jobs/resume.h"

/// What a report shows of the state in a checkpoint besides its atoms.
namespace dropmd {

/// Returns the clusters of the state: {step, link_distance, molecules, clusters, sizes}; `sizes` are pairs of a number
/// of molecules and the number of clusters of this size, ascending. Throws as build_system().
Json clusters_json(const ResumedRun& run);

/// Returns slices of the mean potential map so far: {frames, unit, step, atom_distance, slices}. There is one
/// perpendicular to each axis, through the middle of the grid: {axis, at, u, v, origin, spacing, points, every,
/// potential, atoms}. u and v are the axes of the plane; the other numbers are pairs for these, length. `potential` is
/// base64 of Float32, [points of v][points of u]; of a fine grid it has every second, third, ... point. `atoms` is
/// base64 of Float32, [atoms up to atom_distance from the plane][3]: u, v and charge. Throws InputError if the state
/// has no such mean.
Json map_json(const ResumedRun& run);

}  // namespace dropmd
