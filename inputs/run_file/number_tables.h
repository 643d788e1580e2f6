#pragma once

#include <limits>
#include <string_view>
#include <tuple>

#include "core/forms/number_rule.h"
#include "core/run/physics_settings.h"
#include "inputs/run_file/run_config.h"

/// The plain numbers of a run file, by section. The reader, the writer of resolved runs and the check of settings made
/// in code (engine/model/possible_settings.h) take keys and ranges from these tables. Forms describe their keys, such
/// as a timestep, themselves (core/forms/form.h).
namespace dropmd {

/// A key, the values that its number may take, and the member that holds it. Rule: NumberRule or WholeRule.
template <class Holder, class Number, class Rule>
struct NumberSetting {
  std::string_view key;
  Rule rule;
  Number Holder::*member;
};

template <class Holder, class Number>
constexpr NumberSetting<Holder, Number, NumberRule> real_number(std::string_view key, NumberRule rule,
                                                                Number Holder::*member) {
  return {key, rule, member};
}
template <class Holder, class Number>
constexpr NumberSetting<Holder, Number, WholeRule> whole_number(std::string_view key, WholeRule rule,
                                                                Number Holder::*member) {
  return {key, rule, member};
}

/// Calls use(setting) for each setting of a table, in its order.
template <class Table, class Use>
constexpr void for_each_number(const Table& table, const Use& use) {
  std::apply([&](const auto&... setting) { (use(setting), ...); }, table);
}

inline constexpr WholeRule kIntRule{0, std::numeric_limits<int>::max()};
inline constexpr WholeRule kIntervalRule{0};  ///< of steps; 0: never

/// [system]
inline constexpr std::tuple kSystemNumbers{real_number("mass", {Range::positive}, &RunConfig::mass),
                                           real_number("temperature", {Range::not_negative}, &RunConfig::temperature),
                                           whole_number("random-seed", {}, &RunConfig::random_seed)};

/// [system] with a topology.
inline constexpr std::tuple kTopologyNumbers{
    real_number("hydrogen-mass", {Range::positive}, &TopologySettings::hydrogen_mass)};

/// [lennard-jones], [[species]] and [[pair]].
template <class Holder>
inline constexpr std::tuple kLennardJonesNumbers{real_number("epsilon", {Range::not_negative}, &Holder::epsilon),
                                                 real_number("sigma", {Range::positive}, &Holder::sigma)};

/// [[species]]
inline constexpr std::tuple kSpeciesNumbers{real_number("mass", {Range::positive}, &SpeciesConfig::mass),
                                            real_number("charge", {}, &SpeciesConfig::charge)};

/// [born-mayer] and its [[pair]].
inline constexpr std::tuple kBornMayerNumbers{real_number("A", {Range::not_negative}, &BornMayerValues::a),
                                              real_number("rho", {Range::positive}, &BornMayerValues::rho),
                                              real_number("sigma", {Range::not_negative}, &BornMayerValues::sigma),
                                              real_number("C", {Range::not_negative}, &BornMayerValues::c),
                                              real_number("D", {Range::not_negative}, &BornMayerValues::d)};

/// [coulomb] of the form "exact".
inline constexpr std::tuple kCoulombNumbers{
    real_number("accuracy", {Range::positive}, &CoulombSettings::accuracy),
    real_number("mesh-cutoff", {Range::positive}, &CoulombSettings::mesh_cutoff),
    real_number("mesh-spacing", {Range::positive}, &CoulombSettings::mesh_spacing),
    whole_number("mesh-order", {4, 8}, &CoulombSettings::mesh_order),
    whole_number("mesh-every", {1, 100}, &CoulombSettings::mesh_every)};

/// [neighbor]; the reader also accepts the word "auto" for a skin.
inline constexpr std::tuple kNeighborNumbers{real_number("skin", {Range::not_negative}, &RunConfig::skin)};

/// [engine]
inline constexpr std::tuple kEngineNumbers{whole_number("device", kIntRule, &RunConfig::device),
                                           whole_number("multiprocessors", kIntRule, &RunConfig::multiprocessors),
                                           whole_number("threads", kIntRule, &RunConfig::threads)};

/// [run]
inline constexpr std::tuple kRunNumbers{whole_number("steps", {}, &RunConfig::steps),
                                        whole_number("recenter-every", kIntervalRule, &RunConfig::recenter_every)};

/// [droplet]
inline constexpr std::tuple kDropletNumbers{
    real_number("link-distance", {Range::positive}, &DropletSettings::link_distance),
    whole_number("every", {1}, &DropletSettings::every),
    real_number("remove-beyond", {Range::positive}, &DropletSettings::remove_beyond),
    whole_number("profile-every", kIntervalRule, &DropletSettings::profile_every),
    real_number("surface-tension", {Range::positive}, &DropletSettings::surface_tension)};

/// [output]
inline constexpr std::tuple kOutputNumbers{
    whole_number("energy-every", kIntervalRule, &RunConfig::energy_every),
    whole_number("trajectory-every", kIntervalRule, &RunConfig::trajectory_every),
    whole_number("checkpoint-every", kIntervalRule, &RunConfig::checkpoint_every),
    real_number("checkpoint-minutes", {Range::not_negative}, &RunConfig::checkpoint_minutes)};

}  // namespace dropmd
