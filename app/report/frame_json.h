#pragma once

#include <string>

#include "app/json_text.h"
#include "app/report/run_folder.h"
#include "core/units.h"
#include "inputs/structures/structure.h"

namespace dropmd {

/// The first and the last frame of a run for the 3-D views of a report. A part that is missing has a reason instead.
struct FramesJson {
  Json::List frames;
  std::string no_frames;  ///< why there are none
  std::string damage;     ///< what is wrong with the trajectory, though there are frames; empty: nothing
};

/// Returns a frame: {label, note, atoms, kinds, centre, scale, position, kind}. `kinds` are species with name, element,
/// radius (length) and count; `position` is base64 of Int16, [atoms shown][3], where a value times `scale` plus the
/// centre is the position (length); `kind` is base64 of Uint8. Virtual sites (mass 0) are left out, and if there are
/// more than `most` atoms, choose_atoms() chooses a part.
Json frame_json(const Structure& structure, UnitSystem units, const std::string& label, std::size_t most);

/// Returns the first frame (of the trajectory, else the structure that the run began with) and the last one (of the
/// checkpoint or of the trajectory, whichever is later, else the final structure).
FramesJson frames_json(const RunFolder& folder, UnitSystem units);

}  // namespace dropmd
