#pragma once

#include <memory>

#include "core/run/run_settings.h"
#include "engine/droplet/droplet_observer.h"
#include "engine/step_loop.h"

namespace dropmd {

/// What becomes of a run from which molecules are removed when a single rigid one is left, such as a water or an atom.
enum class OnceDry { ends, goes_on };

/// Adds the observer of a droplet to a run, and makes its labels decide which molecules leave and on which atoms the
/// bath and the recentring act. settings: with [droplet].
void follow_droplet(std::unique_ptr<DropletObserver> observer, const IntegrationSettings& settings, StepLoop& loop,
                    OnceDry once_dry);

}  // namespace dropmd
