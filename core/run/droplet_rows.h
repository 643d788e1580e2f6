#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/vec3.h"

namespace dropmd {

/// A value that is not known: the temperature of a vapour without molecules, a share of an unknown limit.
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// A row of droplet.csv. Units are the run's.
struct DropletRow {
  std::int64_t step = 0;
  double time = 0;
  std::size_t clusters = 0;              ///< number of clusters, the droplet among them
  std::size_t molecules = 0, atoms = 0;  ///< of the droplet
  double charge = 0, mass = 0;
  Vec3<double> centre{};             ///< centre of mass
  double radius = 0;                 ///< equimolar
  double temperature = kUnknown;     ///< of the motion relative to that of the centre
  std::size_t vapour_molecules = 0;  ///< all others
  double vapour_temperature = kUnknown;
  double rayleigh_share = kUnknown;  ///< the charge's magnitude over Rayleigh's limit
  Vec3<double> gyration{};           ///< principal values of the gyration tensor by mass, descending, length²
};

/// A row of profile.csv: a shell about the droplet's centre. Units are the run's.
struct ProfileRow {
  std::int64_t step = 0;
  double r = 0;                   ///< middle of the shell
  std::vector<double> density{};  ///< number of molecules over volume, by name
  double temperature = kUnknown;  ///< of the motion relative to that of the droplet's centre
  double charge_density = 0;      ///< charge over volume
  double potential = 0;           ///< energy over charge, mean over the sphere of radius r
};

/// What happened to molecules between two labels.
enum class DropletEventKind : std::uint8_t {
  evaporated,  ///< they left the droplet
  condensed,   ///< they came back to it, or joined it
  ejected,     ///< they left the droplet, and there are ions among them
  removed      ///< they left the run
};

/// The words of droplet events.
inline constexpr std::string_view kDropletEventNames[] = {"evaporated", "condensed", "ejected", "removed"};

/// A row of events.csv: molecules that left the droplet together, or one that joined it. Units are the run's.
struct DropletEvent {
  std::int64_t step = 0;
  double time = 0;
  DropletEventKind kind{};
  std::uint32_t molecule = 0;  ///< id of the ion of the largest charge; without ions the smallest id
  std::string name;            ///< of that molecule
  double charge = 0;           ///< of all of them
  Vec3<double> centre{};       ///< centre of mass of all of them
  Vec3<double> velocity{};     ///< of that centre
  double kinetic = 0;          ///< kinetic energy of all their atoms
  std::size_t molecules = 0;   ///< their number
};

/// How many events of a kind there were, and how many molecules took part in them.
struct DropletEventCount {
  std::size_t events = 0, molecules = 0;
};
/// In the order of DropletEventKind.
using DropletEventCounts = std::array<DropletEventCount, std::size(kDropletEventNames)>;

}  // namespace dropmd
