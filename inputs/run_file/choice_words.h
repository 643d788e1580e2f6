#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "core/run/choices.h"
#include "inputs/run_file/run_config.h"

/// The words with which users name the choices of RunConfig, on the command line and in run files.
namespace dropmd {

/// A word and its choice.
template <class Choice>
struct ChoiceWord {
  std::string_view word;
  Choice value;
};

/// A table of words, in the order in which messages list them.
template <class Choice, std::size_t N>
using ChoiceWords = std::array<ChoiceWord<Choice>, N>;

inline constexpr ChoiceWords<UnitSystem, 2> kUnitWords{{{"real", UnitSystem::real}, {"lj", UnitSystem::lj}}};
inline constexpr ChoiceWords<Backend, 3> kBackendWords{
    {{"auto", Backend::automatic}, {"cpu", Backend::cpu}, {"cuda", Backend::cuda}}};
inline constexpr ChoiceWords<Precision, 2> kPrecisionWords{{{"mixed", Precision::mixed}, {"double", Precision::fp64}}};
inline constexpr ChoiceWords<NeighborMethod, 5> kNeighborWords{{{"auto", NeighborMethod::automatic},
                                                                {"all-pairs", NeighborMethod::all_pairs},
                                                                {"cells", NeighborMethod::cells},
                                                                {"sorted-cells", NeighborMethod::sorted_cells},
                                                                {"pair-list", NeighborMethod::pair_list}}};
inline constexpr ChoiceWords<ListForm, 4> kListFormWords{{{"auto", ListForm::automatic},
                                                          {"clusters", ListForm::clusters},
                                                          {"persistent", ListForm::persistent},
                                                          {"two-atom", ListForm::two_atom}}};
inline constexpr ChoiceWords<Mixing, 2> kMixingWords{
    {{"lorentz-berthelot", Mixing::lorentz_berthelot}, {"geometric", Mixing::geometric}}};
inline constexpr ChoiceWords<Recenter, 4> kRecenterWords{{{"geometric", Recenter::geometric},
                                                          {"mass", Recenter::mass},
                                                          {"droplet", Recenter::droplet},
                                                          {"none", Recenter::none}}};
inline constexpr ChoiceWords<RemoveMomentum, 4> kRemoveMomentumWords{{{"none", RemoveMomentum::none},
                                                                      {"linear", RemoveMomentum::linear},
                                                                      {"angular", RemoveMomentum::angular},
                                                                      {"both", RemoveMomentum::both}}};
inline constexpr ChoiceWords<BondConstraints, 2> kBondConstraintWords{
    {{"none", BondConstraints::none}, {"hydrogens", BondConstraints::hydrogens}}};

inline constexpr ChoiceWords<CoulombMethod, 3> kCoulombMethodWords{
    {{"auto", CoulombMethod::automatic}, {"direct", CoulombMethod::direct}, {"mesh", CoulombMethod::mesh}}};

inline constexpr ChoiceWords<MapMethod, 3> kMapMethodWords{
    {{"cutoff", MapMethod::cutoff}, {"direct", MapMethod::direct}, {"mesh", MapMethod::mesh}}};
inline constexpr ChoiceWords<MapUnit, 3> kMapUnitWords{
    {{"energy", MapUnit::energy}, {"kT", MapUnit::thermal}, {"V", MapUnit::volt}}};

/// Returns the choice with this word; nullopt if there is none.
template <class Words>
constexpr auto value_of_word(const Words& words, std::string_view word) {
  using Choice = decltype(words.front().value);
  const auto found = std::find_if(words.begin(), words.end(), [word](const auto& entry) { return entry.word == word; });
  return found == words.end() ? std::optional<Choice>() : std::optional<Choice>(found->value);
}

/// Returns the word for a choice, which must be in the table.
template <class Words, class Choice>
constexpr std::string_view word_of_value(const Words& words, Choice value) {
  return std::find_if(words.begin(), words.end(), [value](const auto& entry) { return entry.value == value; })->word;
}

/// Returns all words of a table, in its order.
template <class Words>
std::vector<std::string_view> all_words(const Words& words) {
  std::vector<std::string_view> list;
  list.reserve(words.size());
  for (const auto& entry : words) list.push_back(entry.word);
  return list;
}

}  // namespace dropmd
