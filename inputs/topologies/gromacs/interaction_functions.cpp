#include "inputs/topologies/gromacs/interaction_functions.h"

#include <fmt/core.h>

#include <string>

#include "inputs/text_source.h"

namespace dropmd::gromacs {
namespace {

using enum Directive;

constexpr InteractionFunction kFunctions[] = {
    {bonds, 1, "harmonic bond", "b0 k", 2, true},
    {bonds, 5, "connection", "", 0, false},
    {constraints, 1, "constraint", "b0", 1, true},
    {constraints, 2, "constraint without exclusions", "b0", 1, true},
    {angles, 1, "harmonic angle", "theta0 k", 2, true},
    {angles, 5, "Urey-Bradley angle", "theta0 k r13 kUB", 4, true},
    {dihedrals, 1, "periodic dihedral", "phi_s k n", 3, true},
    {dihedrals, 2, "harmonic improper", "xi0 k", 2, true},
    {dihedrals, 3, "Ryckaert-Bellemans dihedral", "C0 C1 C2 C3 C4 C5", 6, true},
    {dihedrals, 4, "periodic improper", "phi_s k n", 3, true},
    {dihedrals, 5, "Fourier dihedral", "F1 F2 F3 F4", 4, true},
    {dihedrals, 9, "periodic dihedral with several terms", "phi_s k n", 3, true},
    {cmap, 1, "CMAP", "", 0, false},
    {pairs, 1, "Lennard-Jones and Coulomb", "V W", 2, true},
    {pairs, 2, "Lennard-Jones and Coulomb with own charges", "fudgeQQ qi qj V W", 5, false},
    {settles, 1, "SETTLE", "doh dhh", 2, false},
    {virtual_sites1, 1, "at an atom", "", 0, false},
    {virtual_sites2, 1, "linear (2)", "a", 1, false},
    {virtual_sites2, 2, "fixed distance (2fd)", "d", 1, false},
    {virtual_sites3, 1, "in the plane (3)", "a b", 2, false},
    {virtual_sites3, 2, "fixed distance (3fd)", "a d", 2, false},
    {virtual_sites3, 3, "fixed angle and distance (3fad)", "theta d", 2, false},
    {virtual_sites3, 4, "out of the plane (3out)", "a b c", 3, false},
    {virtual_sites4, 2, "fixed distance (4fdn)", "a b c", 3, false},
    {virtual_sitesn, 1, "centre of geometry", "", 0, false},
    {virtual_sitesn, 2, "centre of mass", "", 0, false},
    {virtual_sitesn, 3, "weights", "", 0, false},
    {position_restraints, 1, "harmonic restraint", "kx ky kz", 3, true},
};

/// A function that GROMACS has but dropmd does not.
struct OtherFunction {
  Directive directive;
  int number;
  std::string_view name;
};

constexpr OtherFunction kOthers[] = {
    {bonds, 2, "the bond of GROMOS-96"},
    {bonds, 3, "the Morse bond"},
    {bonds, 4, "the cubic bond"},
    {bonds, 6, "the harmonic potential without exclusions"},
    {bonds, 7, "the FENE bond"},
    {bonds, 8, "a tabulated bond"},
    {bonds, 9, "a tabulated bond without exclusions"},
    {bonds, 10, "a restraint potential"},
    {angles, 2, "the angle of GROMOS-96"},
    {angles, 3, "the cross term of two bonds"},
    {angles, 4, "the cross term of a bond and an angle"},
    {angles, 6, "the quartic angle"},
    {angles, 8, "a tabulated angle"},
    {angles, 9, "the linear angle"},
    {angles, 10, "the restricted bending potential"},
    {dihedrals, 8, "a tabulated dihedral"},
    {dihedrals, 10, "the restricted dihedral"},
    {dihedrals, 11, "the combined bending-torsion potential"},
    {virtual_sites4, 1, "the site 4fd"},
    {position_restraints, 2, "the flat-bottomed restraint"},
};

std::string known_functions(Directive directive) {
  std::string text;
  for (const InteractionFunction& function : kFunctions)
    if (function.directive == directive)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", function.number, function.name);
  return text;
}

const InteractionFunction* find_function(Directive directive, int number) {
  for (const InteractionFunction& function : kFunctions)
    if (function.directive == directive && function.number == number) return &function;
  return nullptr;
}

const OtherFunction* find_other(Directive directive, int number) {
  for (const OtherFunction& other : kOthers)
    if (other.directive == directive && other.number == number) return &other;
  return nullptr;
}

/// Returns 0 for words that are not function numbers.
int function_number(const TopologyWord& word) {
  constexpr std::size_t kMostDigits = 3;
  if (!is_integer(word.text) || word.text.size() > kMostDigits) return 0;
  return std::stoi(std::string(word.text));
}

[[noreturn]] void fail_for_function(const WordReader& words, const TopologyWord& word, Directive directive) {
  std::string what = fmt::format("{} is not a function of [ {} ]", in_quotes(word.text), name_of(directive));
  if (const OtherFunction* const other = find_other(directive, function_number(word)))
    what = fmt::format("function {} of [ {} ] is {}, which dropmd does not have", other->number, name_of(directive),
                       other->name);
  words.fail(word, fmt::format("{} (functions: {})", what, known_functions(directive)));
}

}  // namespace

const InteractionFunction& function_of(Directive directive, int number) { return *find_function(directive, number); }

const InteractionFunction& read_function(WordReader& words, Directive directive) {
  const InteractionFunction* const first = find_function(directive, 1);
  if (first != nullptr && words.n_left() == 0) return *first;
  const TopologyWord word = words.word("the function's number");
  const int number = function_number(word);
  if (const InteractionFunction* const function = find_function(directive, number)) return *function;
  fail_for_function(words, word, directive);
}

const InteractionFunction* read_type_function(WordReader& words, Directive directive) {
  const TopologyWord word = words.word("the function's number");
  const int number = function_number(word);
  const InteractionFunction* const function = find_function(directive, number);
  if (function == nullptr && find_other(directive, number) == nullptr) fail_for_function(words, word, directive);
  return function;
}

std::optional<Parameters> read_parameters(WordReader& words, const InteractionFunction& function) {
  const TopologyWord first = words.peek();
  const std::size_t n = words.n_left(), n_wanted = function.n_parameters;
  if (n == 0) return std::nullopt;
  if (n_wanted == 0)
    words.fail(first, fmt::format("{} after function {}, which has no parameters (end the line)", in_quotes(first.text),
                                  function.number));
  const bool has_state_b = function.has_state_b && n == 2 * n_wanted;
  if (n != n_wanted && !has_state_b)
    words.fail(first, fmt::format("function {} needs {} parameters, but {} are given ({})", function.number, n_wanted,
                                  n, function.columns));
  Parameters parameters;
  parameters.place = first.place;
  for (std::size_t k = 0; k < n_wanted; ++k) parameters.value[k] = words.number("a parameter");
  for (std::size_t k = 0; has_state_b && k < n_wanted; ++k) {
    const TopologyWord word = words.peek();
    if (words.number("a parameter") != parameters.value[k])
      words.fail(word,
                 "parameters of state B that differ from those of state A (dropmd has no free-energy "
                 "perturbation: leave them out)");
  }
  return parameters;
}

}  // namespace dropmd::gromacs
