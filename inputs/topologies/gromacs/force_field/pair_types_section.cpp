#include <fmt/core.h>

#include "inputs/text_source.h"
#include "inputs/topologies/gromacs/force_field/force_field_sections.h"

namespace dropmd::gromacs {
namespace {

/// Reads V and W, which may be repeated for state B in [ pairtypes ].
LjNumbers read_lj_numbers(WordReader& words, Directive section, CombinationRule rule) {
  const TopologyWord first = words.peek();
  LjNumbers numbers;
  numbers.v = words.number("sigma or C6");
  numbers.w = words.number("epsilon or C12");
  if (const auto fault = fault_of(rule, numbers)) words.fail(first, *fault);
  const TopologyWord more = words.peek();
  if (section == Directive::pairtypes && words.n_left() == 2 &&
      LjNumbers{words.number("sigma or C6"), words.number("epsilon or C12")} != numbers)
    words.fail(more,
               "parameters of state B that differ from those of state A (dropmd has no free-energy "
               "perturbation: leave them out)");
  words.expect_end();
  return numbers;
}

}  // namespace

void read_pair_type_line(const TopologyLine& line, Directive section, ForceField& field, WarningList& warnings) {
  WordReader words(line, "i j func V W");
  const TextPlace place = words.peek().place;
  const std::uint32_t a = read_atom_type(words, field);
  const std::uint32_t b = read_atom_type(words, field);
  const TopologyWord function = words.word("the function's number");
  if (function.text != "1")
    words.fail(function, fmt::format("function {} of [ {} ] (it must be 1, Lennard-Jones)", in_quotes(function.text),
                                     name_of(section)));
  const PairType pair{read_lj_numbers(words, section, field.defaults->rule), place};
  auto& pairs = section == Directive::pairtypes ? field.pair_types : field.nonbond_params;
  const auto [found, is_new] = pairs.emplace(key_of(std::array{a, b}), pair);
  if (is_new || found->second.lj == pair.lj) return;
  warnings.add(place,
               fmt::format("these parameters replace earlier ones of [ {} ] for the same types", name_of(section)));
  found->second = pair;
}

}  // namespace dropmd::gromacs
