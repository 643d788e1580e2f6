#include <fmt/core.h>

#include "inputs/text_source.h"
#include "inputs/topologies/gromacs/force_field/force_field_sections.h"

namespace dropmd::gromacs {
namespace {

constexpr std::string_view kColumns = "name [bonded type] [atomic number] mass charge ptype V W";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_one_letter(const TopologyWord& word) { return word.text.size() == 1 && is_letter(word.text.front()); }

/// Which optional columns a line has. The column of the particle type, a single letter, shows this.
struct OptionalColumns {
  bool bonded_type = false;
  bool atomic_number = false;
};

OptionalColumns optional_columns(const TopologyLine& line) {
  if (is_one_letter(line.word(5))) return {true, true};
  if (is_one_letter(line.word(3))) return {false, false};
  const bool has_number = is_integer(line.word(1).text);
  return {!has_number, has_number};
}

bool read_is_site(WordReader& words) {
  const TopologyWord word = words.word("the particle type");
  const char letter = word.text.size() == 1 ? static_cast<char>(word.text.front() | 0x20) : ' ';
  if (letter == 'a' || letter == 'n') return false;
  if (letter == 'v' || letter == 'd') return true;
  if (letter == 's' || letter == 'b')
    words.fail(word, fmt::format("the particle type {} is a shell (dropmd has no polarisable shells; use A or V)",
                                 in_quotes(word.text)));
  words.fail(word, fmt::format("the particle type is {} (use A for an atom, V or D for a virtual site)",
                               in_quotes(word.text)));
}

}  // namespace

void read_atom_type_line(const TopologyLine& line, ForceField& field, WarningList& warnings) {
  WordReader words(line, kColumns);
  if (!field.defaults)
    words.fail(words.peek(), "[ defaults ] has no line (expected: nbfunc comb-rule gen-pairs fudgeLJ fudgeQQ)");
  const OptionalColumns optional = optional_columns(line);
  const TopologyWord name = words.word("the name of the type");
  AtomType type;
  const TopologyWord bonded = optional.bonded_type ? words.word("the bonded type") : name;
  if (optional.atomic_number) words.integer("the atomic number", -1, 1000);
  const TopologyWord mass = words.peek();
  type.mass = words.number("the mass");
  if (type.mass < 0) words.fail(mass, fmt::format("the mass is {} (it must be at least 0)", shown(mass.text)));
  type.charge = words.number("the charge");
  type.is_site = read_is_site(words);
  const TopologyWord first = words.peek();
  type.lj.v = words.number("sigma or C6");
  type.lj.w = words.number("epsilon or C12");
  if (const auto fault = fault_of(field.defaults->rule, type.lj)) words.fail(first, *fault);
  // Up to four more columns were for implicit solvents.
  for (int k = 0; k < 4 && words.n_left() > 0; ++k) words.number("a parameter of an implicit solvent");
  words.expect_end();

  type.bonded = field.bonded_names.add(bonded.text);
  const std::uint32_t number = field.type_names.add(name.text);
  if (number == field.types.size()) {
    field.types.push_back(type);
    return;
  }
  const AtomType& old = field.types[number];
  if (old.bonded != type.bonded || old.mass != type.mass || old.charge != type.charge || old.is_site != type.is_site ||
      old.lj != type.lj)
    warnings.add(name.place, fmt::format("the atom type {} replaces an earlier one", in_quotes(name.text)));
  field.types[number] = type;
}

}  // namespace dropmd::gromacs
