#include <fmt/core.h>

#include "inputs/text_source.h"
#include "inputs/topologies/gromacs/force_field/force_field_sections.h"

namespace dropmd::gromacs {
namespace {

/// The names that old topologies use count, too.
bool is_one_of(std::string_view text, std::string_view number, std::string_view name) {
  if (text == number) return true;
  if (text.size() != name.size()) return false;
  for (std::size_t k = 0; k < text.size(); ++k)
    if ((text[k] | 0x20) != (name[k] | 0x20)) return false;
  return true;
}

CombinationRule read_rule(WordReader& words) {
  const TopologyWord word = words.word("the combination rule");
  if (is_one_of(word.text, "1", "Geometric")) return CombinationRule::c6_c12;
  if (is_one_of(word.text, "2", "Arithmetic")) return CombinationRule::lorentz;
  if (is_one_of(word.text, "3", "GeomSigEps")) return CombinationRule::geometric;
  words.fail(word,
             fmt::format("the combination rule is {} (use 1 for C6 and C12, 2 for Lorentz-Berthelot, 3 for geometric "
                         "means)",
                         in_quotes(word.text)));
}

}  // namespace

void read_defaults(const TopologyLine& line, ForceField& field) {
  WordReader words(line, "nbfunc comb-rule gen-pairs fudgeLJ fudgeQQ");
  if (field.defaults)
    words.fail(words.peek(),
               "a second line of [ defaults ] (a topology has one force field, and this section only once)");
  const TopologyWord function = words.word("the nonbonded function");
  if (!is_one_of(function.text, "1", "LJ"))
    words.fail(function,
               fmt::format("the nonbonded function is {} (it must be 1, Lennard-Jones; dropmd has no Buckingham "
                           "potential)",
                           in_quotes(function.text)));
  Defaults defaults;
  defaults.rule = read_rule(words);
  if (words.n_left() > 0) {
    const TopologyWord generates = words.word("gen-pairs");
    const char first = static_cast<char>(generates.text.front() | 0x20);
    if (first != 'y' && first != 'n')
      words.fail(generates, fmt::format("gen-pairs is {} (it must be yes or no)", in_quotes(generates.text)));
    defaults.generates_pairs = first == 'y';
  }
  if (words.n_left() > 0) defaults.fudge_lj = words.number("fudgeLJ");
  if (words.n_left() > 0) defaults.fudge_qq = words.number("fudgeQQ");
  if (words.n_left() > 0) {
    const TopologyWord power = words.peek();
    if (words.number("the power of the repulsion") != 12)
      words.fail(power, fmt::format("the power of the repulsion is {} (it must be 12)", in_quotes(power.text)));
  }
  words.expect_end();
  field.defaults = defaults;
}

}  // namespace dropmd::gromacs
