#pragma once

#include <memory>

#include "core/run/run_settings.h"
#include "engine/droplet/droplet_observer.h"
#include "engine/step_loop.h"

namespace dropmd {

/// Adds the observer of a droplet to a run, and what its labels change there: which molecules leave, and on which atoms
/// the bath and the recentring act. settings: with [droplet].
void follow_droplet(std::unique_ptr<DropletObserver> observer, const IntegrationSettings& settings, StepLoop& loop);

}  // namespace dropmd
