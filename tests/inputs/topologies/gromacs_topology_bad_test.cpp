#include <stdlib.h>

#include "inputs/topologies/gromacs/gromacs_topology.h"
#include "tests/inputs/bad_files.h"

namespace dropmd {
namespace {

std::string message_for(std::string_view text) {
  ::setenv("GMXLIB", "", 1);
  return message_for_text("a.top", text, [](const auto& path) { read_gromacs_topology(path, {}); });
}

/// Six lines: a force field.
constexpr const char* kField = R"([ defaults ]
1 2 yes 0.5 0.8
[ atomtypes ]
CT 12 0 A 0.3 0.5
HC 1 0 A 0.2 0.1
MW 0 0 V 0 0
)";

/// Eight lines: a molecule type.
constexpr const char* kMolecule = R"([ moleculetype ]
mol 3
[ atoms ]
1 CT 1 MOL C1 1
2 CT 1 MOL C2 1
3 HC 1 MOL H1 1
4 HC 1 MOL H2 1
5 MW 1 MOL M 1
)";

/// Whole files.
const BadFile kBadWholeFile[] = {
    {"Empty", "", "FILE:1:1: the file is empty (a GROMACS topology is expected)"},
    {"NotATopology", "HEADER    PROTEIN\n",
     "FILE:1:1: 'HEADER' before the first section (a topology begins with [ defaults ] or #include; comments begin "
     "with ;)"},
    {"OnlyComments", "; nothing\n\n", "FILE: the topology has no molecules (it must end with [ molecules ])"},
    {"BinaryData", std::string_view("[ defaults ]\n1 2\0\n", 18),
     "FILE:2:4: binary data, a NUL byte (a GROMACS topology is text)"},
    {"IncludeWithoutName", "#include\n", "FILE:1:1: #include with '' as a file name (write #include \"file.itp\")"},
    {"IncludeWithOpenQuote", "#include \"a.itp\n",
     "FILE:1:1: #include with '\"a.itp' as a file name (write #include \"file.itp\")"},
    {"IncludeOfItself", "#include \"a.top\"\n",
     "FILE:1:1: FILE includes itself (remove this line), included from FILE:1:1"},
    {"UnclosedCondition", "#ifdef A\n#ifndef B\n#endif\n",
     "FILE:1:1: this condition is not closed (it ends with #endif in the same file)"},
    {"ElseWithoutCondition", "#else\n", "FILE:1:1: #else without #ifdef or #ifndef (remove it, or add the condition)"},
    {"EndifWithoutCondition", "\n #endif ; c\n",
     "FILE:2:2: #endif without #ifdef or #ifndef (remove it, or add the condition)"},
    {"SecondElse", "#ifdef A\n#else\n#else\n#endif\n", "FILE:3:1: a second #else (the condition has one on line 2)"},
    {"ConditionWithoutName", "#ifdef ; A\n#endif\n", "FILE:1:1: #ifdef without a name (write #ifdef NAME)"},
    {"WordAfterCondition", "#ifdef A B\n#endif\n", "FILE:1:10: 'B' after #ifdef (only a comment may follow)"},
    {"DefineWithoutName", "#define\n", "FILE:1:1: #define without a name (write #define NAME VALUE)"},
    {"DefineWithArguments", "#define f(x) x\n",
     "FILE:1:9: the macro 'f(x)' has arguments (GROMACS has only macros without arguments)"},
    {"DefineThatContinues", "#define a 1 \\\n2\n",
     "FILE:1:13: a #define that continues on the next line (write it on one line)"},
    {"UndefWithoutName", "#undef\n", "FILE:1:1: #undef without a name (write #undef NAME)"},
    {"UnknownPreprocessorDirective", "#inlcude \"a.itp\"\n",
     "FILE:1:1: unknown directive '#inlcude' (did you mean 'include'?)"},
    {"ConditionOfAnExpression", "#if defined(A)\n#endif\n",
     "FILE:1:1: #if (GROMACS has only #ifdef, #ifndef, #else and #endif)"},
    {"LongMacro",
     "#define a "
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n#define b a a a a a a a a a a a a a "
     "a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a "
     "a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a \nb\n",
     "FILE:3:1: 'b': a macro expands to more than 16384 characters (write shorter values)"},
    {"AtomTypesBeforeDefaults", "[ atomtypes ]\nCT 12 0 A 0.3 0.5\n",
     "FILE:1:1: [ atomtypes ] before [ defaults ] (it must follow that section)"},
    {"DefaultsWithoutLine", "[ defaults ]\n[ atomtypes ]\nCT 12 0 A 0.3 0.5\n",
     "FILE:3:1: [ defaults ] has no line (expected: nbfunc comb-rule gen-pairs fudgeLJ fudgeQQ)"},
    {"Buckingham", "[ defaults ]\n2 1\n",
     "FILE:2:1: the nonbonded function is '2' (it must be 1, Lennard-Jones; dropmd has no Buckingham potential)"},
    {"CombinationRule", "[ defaults ]\n1 4\n",
     "FILE:2:3: the combination rule is '4' (use 1 for C6 and C12, 2 for Lorentz-Berthelot, 3 for geometric means)"},
    {"GenPairs", "[ defaults ]\n1 2 1.0 0.5\n", "FILE:2:5: gen-pairs is '1.0' (it must be yes or no)"},
    {"DefaultsTooShort", "[ defaults ]\n1\n",
     "FILE:2:2: the line ends before the combination rule (columns: nbfunc comb-rule gen-pairs fudgeLJ fudgeQQ)"},
    {"RepulsionPower", "[ defaults ]\n1 2 yes 0.5 0.8 9\n",
     "FILE:2:17: the power of the repulsion is '9' (it must be 12)"},
    {"WordAfterDefaults", "[ defaults ]\n1 2 yes 0.5 0.8 12 7\n",
     "FILE:2:20: '7' after the last column (columns: nbfunc comb-rule gen-pairs fudgeLJ fudgeQQ)"},
    {"C6WithoutC12", "[ defaults ]\n1 1\n[ atomtypes ]\nOW 16 0 A 0.003 0\n",
     "FILE:4:11: C6 without C12 attracts without limit (give C12)"},
    {"NegativeC12", "[ defaults ]\n1 1\n[ atomtypes ]\nOW 16 0 A 0.003 -1e-6\n",
     "FILE:4:11: C6 or C12 is negative (they must be at least 0)"},
    {"PairNotGenerated",
     "[ defaults ]\n1 2 no 0.5 0.8\n[ atomtypes ]\nCT 12 0 A 0.3 0.5\nHC 1 0 A 0.2 0.1\nMW 0 0 V 0 0\n[ moleculetype "
     "]\nmol 3\n[ atoms ]\n1 CT 1 MOL C1 1\n2 CT 1 MOL C2 1\n3 HC 1 MOL H1 1\n4 HC 1 MOL H2 1\n5 MW 1 MOL M 1\n[ pairs "
     "]\n1 4 1\n",
     "FILE:16:6: no parameters for the pair 1-4 (add them here, or 'CT HC 1 V W' to [ pairtypes ], or set gen-pairs to "
     "yes in [ defaults ])"},
};

class BadTopologyWholeFile : public testing::TestWithParam<BadFile> {};

TEST_P(BadTopologyWholeFile, IsRefused) { EXPECT_EQ(message_for(std::string(GetParam().text)), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(Table, BadTopologyWholeFile, testing::ValuesIn(kBadWholeFile), bad_file_name);

/// What follows the force field; its first line is line 7.
const BadFile kBadForceField[] = {
    {"UnknownSection", "[ bondtype ]\n", "FILE:7:1: unknown section [ bondtype ] (did you mean 'bondtypes'?)"},
    {"UnknownSectionFarFromAll", "[ water ]\n",
     "FILE:7:1: unknown section [ water ] (expected: a section of GROMACS, such as [ atoms ])"},
    {"SectionWithoutBracket", "[ bondtypes\n", "FILE:7:1: a section without ] (write [ name ])"},
    {"WordAfterSection", "[ bondtypes ] CT CT 1 0.1 100\n",
     "FILE:7:1: 'CT CT 1 0.1 100' after the name of the section [ bondtypes ] (begin a new line)"},
    {"DefaultsTwice", "[ defaults ]\n1 2\n",
     "FILE:8:1: a second line of [ defaults ] (a topology has one force field, and this section only once)"},
    {"AtomTypeTooShort", "[ atomtypes ]\nOW 16 0 A 0.3\n",
     "FILE:8:14: the line ends before epsilon or C12 (columns: name [bonded type] [atomic number] mass charge ptype V "
     "W)"},
    {"AtomTypeMassIsAWord", "[ atomtypes ]\nOW m 0 A 0.3 0.5\n",
     "FILE:8:4: the mass is 'm', not a number (expected: a decimal number such as -1.25e-3)"},
    {"AtomTypeNegativeMass", "[ atomtypes ]\nOW -1 0 A 0.3 0.5\n", "FILE:8:4: the mass is -1 (it must be at least 0)"},
    {"AtomTypeOfAShell", "[ atomtypes ]\nOW 16 0 S 0.3 0.5\n",
     "FILE:8:9: the particle type 'S' is a shell (dropmd has no polarisable shells; use A or V)"},
    {"AtomTypeOfUnknownParticle", "[ atomtypes ]\nOW 16 0 Q 0.3 0.5\n",
     "FILE:8:9: the particle type is 'Q' (use A for an atom, V or D for a virtual site)"},
    {"AtomTypeNegativeEpsilon", "[ atomtypes ]\nOW 16 0 A 0.3 -0.5\n",
     "FILE:8:11: epsilon is negative (it must be at least 0; a negative sigma switches the attraction off)"},
    {"UnknownTypeOfNonbondParams", "[ nonbond_params ]\nCT CX 1 0.3 0.5\n",
     "FILE:8:4: unknown atom type 'CX' (add it to [ atomtypes ])"},
    {"UnknownLongTypeOfNonbondParams",
     "[ atomtypes ]\nopls_135 12 0 A 0.3 0.5\n[ nonbond_params ]\nCT opls_315 1 0.3 0.5\n",
     "FILE:10:4: unknown atom type 'opls_315' (did you mean 'opls_135'?)"},
    {"BuckinghamOfNonbondParams", "[ nonbond_params ]\nCT CT 2 0.3 0.5 1\n",
     "FILE:8:7: function '2' of [ nonbond_params ] (it must be 1, Lennard-Jones)"},
    {"NonbondParamsTooShort", "[ nonbond_params ]\nCT CT 1 0.3\n",
     "FILE:8:12: the line ends before epsilon or C12 (columns: i j func V W)"},
    {"NonbondParamsTooLong", "[ nonbond_params ]\nCT CT 1 0.3 0.5 0.3 0.5\n",
     "FILE:8:17: '0.3' after the last column (columns: i j func V W)"},
    {"PairTypesOfStateB", "[ pairtypes ]\nCT CT 1 0.3 0.5 0.3 0.6\n",
     "FILE:8:17: parameters of state B that differ from those of state A (dropmd has no free-energy perturbation: "
     "leave them out)"},
    {"UnknownBondedType", "[ bondtypes ]\nCT CX 1 0.15 1000\n",
     "FILE:8:4: unknown bonded type 'CX' (add it to [ atomtypes ])"},
    {"UnknownBondFunction", "[ bondtypes ]\nCT CT 77 0.15 1000\n",
     "FILE:8:7: '77' is not a function of [ bonds ] (functions: 1 harmonic bond, 5 connection)"},
    {"BondFunctionIsAWord", "[ bondtypes ]\nCT CT CT 1 0.15 1000\n",
     "FILE:8:7: 'CT' is not a function of [ bonds ] (functions: 1 harmonic bond, 5 connection)"},
    {"BondTypeWithoutParameters", "[ bondtypes ]\nCT CT 1\n",
     "FILE:8:8: the parameters of function 1 are missing (b0 k)"},
    {"BondTypeWithOneParameter", "[ bondtypes ]\nCT CT 1 0.15\n",
     "FILE:8:9: function 1 needs 2 parameters, but 1 are given (b0 k)"},
    {"BondTypeOfStateB", "[ bondtypes ]\nCT CT 1 0.15 1000 0.15 1100\n",
     "FILE:8:24: parameters of state B that differ from those of state A (dropmd has no free-energy perturbation: "
     "leave them out)"},
    {"BondParameterIsAWord", "[ bondtypes ]\nCT CT 1 0.15 kb\n",
     "FILE:8:14: a parameter is 'kb', not a number (expected: a decimal number such as -1.25e-3)"},
    {"DihedralWithSeparateTerms", "[ dihedraltypes ]\nCT CT CT CT 9 0 1 1\nHC CT CT HC 9 0 1 1\nCT CT CT CT 9 0 1 2\n",
     "FILE:10:1: these types have other parameters on line 8 (all terms of a dihedral of function 9 must be on "
     "consecutive lines, with the types in the same order)"},
    {"DihedralTypesTooFew", "[ dihedraltypes ]\nCT CT CT 9 0 1 1\n",
     "FILE:8:10: unknown bonded type '9' (add it to [ atomtypes ])"},
    {"CmapOfDifferentSizes", "[ cmaptypes ]\nCT CT CT CT CT 1 2 3 1 2 3 4 5 6\n",
     "FILE:8:20: the grid has 2 and 3 angles (the numbers must be equal)"},
    {"CmapWithFewValues", "[ cmaptypes ]\nCT CT CT CT CT 1 2 2 1 2 \\\n3\n",
     "FILE:8:1: a grid of 2 by 2 angles needs 4 values, but 3 are given (continue lines with \\)"},
    {"TypesAfterMolecules", "[ moleculetype ]\nm 3\n[ bondtypes ]\nCT CT 1 0.1 100\n",
     "FILE:9:1: [ bondtypes ] after [ moleculetype ] (parameters of the force field must come before the first "
     "molecule type)"},
    {"BondsBeforeAtoms", "[ moleculetype ]\nm 1\n[ bonds ]\n",
     "FILE:9:1: [ bonds ] before [ atoms ] (it must follow that section)"},
};

class BadTopologyForceField : public testing::TestWithParam<BadFile> {};

TEST_P(BadTopologyForceField, IsRefused) {
  EXPECT_EQ(message_for(kField + std::string(GetParam().text)), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Table, BadTopologyForceField, testing::ValuesIn(kBadForceField), bad_file_name);

/// What follows the force field and the molecule type; its first line is line 15.
const BadFile kBadMolecule[] = {
    {"NoMolecules", "[ system ]\nt\n", "FILE: the topology has no molecules (it must end with [ molecules ])"},
    {"MoleculesBeforeSystem", "[ molecules ]\nmol 1\n",
     "FILE:15:1: [ molecules ] before [ system ] (it must follow that section)"},
    {"NoAtomsAtAll", "[ virtual_sites1 ]\n5 1 1\n[ system ]\nt\n[ molecules ]\nmol 0\n",
     "FILE: the topology has no atoms (list molecules in [ molecules ])"},
    {"MoleculeTypeTwice", "[ moleculetype ]\nmol 2\n",
     "FILE:16:1: a second molecule type 'mol' (each needs a name of its own)"},
    {"MoleculeTypeWithoutNrexcl", "[ moleculetype ]\nwater\n",
     "FILE:16:6: the line ends before nrexcl (columns: name nrexcl)"},
    {"NegativeNrexcl", "[ moleculetype ]\nwater -1\n",
     "FILE:16:7: nrexcl is '-1' (it must be a whole number from 0 to 100)"},
    {"MoleculeTypeWithoutAtoms",
     "[ virtual_sites1 ]\n5 1 1\n[ moleculetype ]\nwater 2\n[ system ]\nt\n[ molecules ]\nwater 1\n",
     "FILE:18:1: the molecule type 'water' has no atoms (add [ atoms ])"},
    {"UnknownMoleculeType", "[ virtual_sites1 ]\n5 1 1\n[ system ]\nt\n[ molecules ]\nSOL 1\n",
     "FILE:20:1: unknown molecule type 'SOL' (add its [ moleculetype ], or include its file)"},
    {"MoleculesWithoutCount", "[ virtual_sites1 ]\n5 1 1\n[ system ]\nt\n[ molecules ]\nmol\n",
     "FILE:20:4: the line ends before the number of molecules (columns: name number)"},
    {"NegativeCount", "[ virtual_sites1 ]\n5 1 1\n[ system ]\nt\n[ molecules ]\nmol -1\n",
     "FILE:20:5: the number of molecules is '-1' (it must be a whole number from 0 to 9223372036854775807)"},
    {"CountIsNoWholeNumber", "[ virtual_sites1 ]\n5 1 1\n[ system ]\nt\n[ molecules ]\nmol 1e3\n",
     "FILE:20:5: the number of molecules is '1e3' (it must be a whole number from 0 to 9223372036854775807)"},
    {"TooManyMolecules", "[ virtual_sites1 ]\n5 1 1\n[ system ]\nt\n[ molecules ]\nmol 429496730\n",
     "FILE:20:1: 429496730 molecules of 5 atoms make more than 2147483647 atoms (use fewer molecules)"},
    {"AbsurdlyManyMolecules", "[ virtual_sites1 ]\n5 1 1\n[ system ]\nt\n[ molecules ]\nmol 9223372036854775807\n",
     "FILE:20:1: 9223372036854775807 molecules of 5 atoms make more than 2147483647 atoms (use fewer molecules)"},
    {"AtomNumberSkipped", "[ atoms ]\n7 CT 1 MOL C 1\n",
     "FILE:16:1: the atom's number is '7' (it must be 6: atoms are numbered one after another)"},
    {"UnknownAtomType", "[ atoms ]\n6 OW 1 MOL C 1\n", "FILE:16:3: unknown atom type 'OW' (add it to [ atomtypes ])"},
    {"ResidueNumber", "[ atoms ]\n6 CT x1 MOL C 1\n",
     "FILE:16:6: the residue's number is 'x1' (it must be a whole number)"},
    {"AtomTooShort", "[ atoms ]\n6 CT 1 MOL C\n",
     "FILE:16:13: the line ends before the charge group (columns: nr type resnr residue atom cgnr [charge [mass]])"},
    {"ChargeIsNotFinite", "[ atoms ]\n6 CT 1 MOL C 1 inf\n",
     "FILE:16:16: the charge is 'inf', not finite (expected: a decimal number such as -1.25e-3)"},
    {"NegativeMass", "[ atoms ]\n6 CT 1 MOL C 1 0 -12\n", "FILE:16:18: the mass is -12 (it must be at least 0)"},
    {"StateBOfAnAtom", "[ atoms ]\n6 CT 1 MOL C 1 0 12 HC 0 1\n",
     "FILE:16:21: a type for state B (dropmd has no free-energy perturbation: end the line after the mass)"},
    {"MassIsZero", "[ atoms ]\n6 CT 1 MOL C 1 0 0\n[ virtual_sites1 ]\n5 1 1\n[ system ]\nt\n[ molecules ]\nmol 1\n",
     "FILE:16:1: the mass of atom C 6 is 0 (it must be greater than 0, except for virtual sites)"},
    {"SiteWithMass",
     "[ atoms ]\n6 MW 1 MOL M2 1 0 1\n[ virtual_sites1 ]\n5 1 1\n6 1 1\n[ system ]\nt\n[ molecules ]\nmol 1\n",
     "FILE:16:1: the virtual site M2 6 has the mass 1 (it must be 0)"},
    {"SiteThatIsNotConstructed", "[ system ]\nt\n[ molecules ]\nmol 1\n",
     "FILE:14:1: the virtual site M 5 is not constructed (add it to a section [ virtual_sites ], or use a type with "
     "particle type A)"},
    {"AtomWithMassAsSite", "[ virtual_sites1 ]\n5 1 1\n4 1 1\n[ system ]\nt\n[ molecules ]\nmol 1\n",
     "FILE:13:1: the virtual site H2 4 has the mass 1 (it must be 0)"},
    {"SiteTwice", "[ virtual_sites1 ]\n5 1 1\n[ virtual_sites2 ]\n5 1 2 1 0.5\n[ system ]\nt\n[ molecules ]\nmol 1\n",
     "FILE:18:1: the virtual site 5 is constructed twice (once is enough)"},
    {"SiteOfASite",
     "[ atoms ]\n6 MW 1 MOL M2 1\n[ virtual_sites1 ]\n5 1 1\n6 5 1\n[ system ]\nt\n[ molecules ]\nmol 1\n",
     "FILE:19:1: the parent 5 is a virtual site itself (construct sites from atoms with mass)"},
    {"SiteWithoutParameters", "[ virtual_sites2 ]\n5 1 2 1\n",
     "FILE:16:8: a virtual site without its parameters (give a; dropmd does not derive them from bonds)"},
    {"SiteWithAFewParameters", "[ virtual_sites3 ]\n5 1 2 3 4 0.1 0.1\n",
     "FILE:16:11: function 4 needs 3 parameters, but 2 are given (a b c)"},
    {"SiteOfOldFunction", "[ virtual_sites4 ]\n5 1 2 3 4 1 0.1 0.1 0.1\n",
     "FILE:16:11: function 1 of [ virtual_sites4 ] is the site 4fd, which dropmd does not have (functions: 2 fixed "
     "distance (4fdn))"},
    {"SiteOfNegativeFunction", "[ virtual_sites3 ]\n5 1 2 3 -4\n",
     "FILE:16:9: function -4 derives its parameters from bonds (give function 4 with parameters)"},
    {"WeightedSiteWithoutParents", "[ virtual_sitesn ]\n5 1\n",
     "FILE:16:4: a virtual site without parents (columns: site func parents)"},
    {"WeightedSiteWithoutWeight", "[ virtual_sitesn ]\n5 3 1 0.5 2\n",
     "FILE:16:12: the line ends before the weight (columns: site func parents)"},
    {"WeightedSiteOfNoWeight", "[ virtual_sitesn ]\n5 3 1 0 2 0\n",
     "FILE:16:1: the weights of a virtual site are all 0 (give masses or weights greater than 0)"},
    {"WeightedSiteOfNegativeWeight", "[ virtual_sitesn ]\n5 3 1 -1 2 0\n",
     "FILE:16:7: a weight is -1 (it must be at least 0)"},
    {"WeightedSiteOfItself", "[ virtual_sitesn ]\n5 1 1 5\n",
     "FILE:16:7: a virtual site is its own parent (choose other atoms)"},
    {"BondOfUnknownAtom", "[ bonds ]\n1 6 1\n",
     "FILE:16:3: the number of an atom is '6' (it must be a whole number from 1 to 5)"},
    {"BondOfAnAtomWithItself", "[ bonds ]\n1 1 1\n",
     "FILE:16:3: atom 1 occurs twice in an interaction (choose different atoms)"},
    {"BondAtomIsAWord", "[ bonds ]\nC1 C2 1\n",
     "FILE:16:1: the number of an atom is 'C1' (it must be a whole number from 1 to 5)"},
    {"BondWithoutParameters", "[ bonds ]\n1 2 1\n",
     "FILE:16:6: no parameters for atoms 1-2 (CT-CT) and function 1 (add them here, b0 k, or 'CT CT 1 b0 k' to [ "
     "bondtypes ])"},
    {"MorseBond", "[ bonds ]\n1 2 3 0.1 100 1\n",
     "FILE:16:5: function 3 of [ bonds ] is the Morse bond, which dropmd does not have (functions: 1 harmonic bond, 5 "
     "connection)"},
    {"BondOfNegativeLength", "[ bonds ]\n1 2 1 -0.1 100\n",
     "FILE:16:7: the length of a bond is -0.1 nm (it must be at least 0)"},
    {"ConnectionWithParameters", "[ bonds ]\n1 2 5 0.1\n",
     "FILE:16:7: '0.1' after function 5, which has no parameters (end the line)"},
    {"BondWithUndefinedMacro", "[ bonds ]\n1 2 1 gb_2 100\n",
     "FILE:16:7: a parameter is 'gb_2', not a number (expected: a decimal number such as -1.25e-3)"},
    {"BondOfStateB", "[ bonds ]\n1 2 1 0.1 100 0.2 100\n",
     "FILE:16:15: parameters of state B that differ from those of state A (dropmd has no free-energy perturbation: "
     "leave them out)"},
    {"AngleWithoutParameters", "[ angles ]\n1 2 3 1\n",
     "FILE:16:8: no parameters for atoms 1-2-3 (CT-CT-HC) and function 1 (add them here, theta0 k, or 'CT CT HC 1 "
     "theta0 k' to [ angletypes ])"},
    {"QuarticAngle", "[ angles ]\n1 2 3 6 1 2 3 4 5 6\n",
     "FILE:16:7: function 6 of [ angles ] is the quartic angle, which dropmd does not have (functions: 1 harmonic "
     "angle, 5 Urey-Bradley angle)"},
    {"DihedralWithoutParameters", "[ dihedrals ]\n3 1 2 4 9\n",
     "FILE:16:10: no parameters for atoms 3-1-2-4 (HC-CT-CT-HC) and function 9 (add them here, phi_s k n, or 'HC CT CT "
     "HC 9 phi_s k n' to [ dihedraltypes ])"},
    {"DihedralOfUnknownFunction", "[ dihedrals ]\n3 1 2 4 7\n",
     "FILE:16:9: '7' is not a function of [ dihedrals ] (functions: 1 periodic dihedral, 2 harmonic improper, 3 "
     "Ryckaert-Bellemans dihedral, 4 periodic improper, 5 Fourier dihedral, 9 periodic dihedral with several terms)"},
    {"DihedralMultiplicity", "[ dihedrals ]\n3 1 2 4 1 180 2 1.5\n",
     "FILE:16:11: the multiplicity is 1.5 (it must be a whole number up to 99)"},
    {"FourierWithFive", "[ dihedrals ]\n3 1 2 4 5 1 2 3 4 5\n",
     "FILE:16:11: function 5 needs 4 parameters, but 5 are given (F1 F2 F3 F4)"},
    {"CmapWithoutGrid", "[ cmap ]\n3 1 2 4 5 1\n",
     "FILE:16:1: no grid for atoms 3-1-2-4-5 (HC-CT-CT-HC-MW) (add one for these types to [ cmaptypes ])"},
    {"ConstraintWithoutParameters", "[ constraints ]\n1 2 1\n",
     "FILE:16:6: no parameters for atoms 1-2 (CT-CT) and function 1 (add them here, b0, or 'CT CT 1 b0' to [ "
     "constrainttypes ])"},
    {"ConstraintOfNoLength", "[ constraints ]\n1 2 1 0\n",
     "FILE:16:7: a constrained length is 0 nm (it must be greater than 0)"},
    {"ConstraintTwice",
     "[ constraints ]\n1 2 1 0.15\n2 1 2 0.16\n[ virtual_sites1 ]\n5 1 1\n[ system ]\nt\n[ molecules ]\nmol 1\n",
     "FILE:17:1: atoms 1 and 2 are constrained a second time (line 16 already does this)"},
    {"ConstraintOfASite",
     "[ constraints ]\n1 5 1 0.15\n[ virtual_sites1 ]\n5 1 1\n[ system ]\nt\n[ molecules ]\nmol 1\n",
     "FILE:16:1: a constraint of atom 5, which is a virtual site (constrain atoms with mass)"},
    {"SettleAtTheEnd", "[ settles ]\n4 1 0.1 0.16\n",
     "FILE:16:1: [ settles ] needs atoms 4 to 6, but the molecule type has 5 (two hydrogens must follow the oxygen)"},
    {"SettleThatIsNoTriangle", "[ settles ]\n1 1 0.1 0.2\n",
     "FILE:16:5: doh is 0.1 nm and dhh 0.2 nm, which is not a triangle (dhh must be less than twice doh)"},
    {"SettleWithoutLengths", "[ settles ]\n1 1\n",
     "FILE:16:4: the line ends before the parameters (columns: OW func doh dhh)"},
    {"PairOfTwoWithoutParameters", "[ pairs ]\n1 4 2\n",
     "FILE:16:6: function 2 of [ pairs ] needs its parameters (fudgeQQ qi qj V W)"},
    {"PairWithNegativeEpsilon", "[ pairs ]\n1 4 1 0.3 -1\n",
     "FILE:16:7: epsilon is negative (it must be at least 0; a negative sigma switches the attraction off)"},
    {"PairOfUnknownFunction", "[ pairs ]\n1 4 3\n",
     "FILE:16:5: '3' is not a function of [ pairs ] (functions: 1 Lennard-Jones and Coulomb, 2 Lennard-Jones and "
     "Coulomb with own charges)"},
    {"FlatBottomedRestraint", "[ position_restraints ]\n1 2 1 0.1 100\n",
     "FILE:16:3: function 2 of [ position_restraints ] is the flat-bottomed restraint, which dropmd does not have "
     "(functions: 1 harmonic restraint)"},
    {"RestraintWithoutParameters", "[ position_restraints ]\n1 1\n",
     "FILE:16:4: the line ends before the parameters (columns: i func kx ky kz)"},
    {"ExclusionsBeforeBonds", "[ exclusions ]\n1 2\n",
     "FILE:15:1: [ exclusions ] before [ bonds ] or [ constraints ] or [ settles ] (it must follow that section)"},
    {"ExclusionOfUnknownAtom", "[ bonds ]\n[ exclusions ]\n1 9\n",
     "FILE:17:3: the number of an atom is '9' (it must be a whole number from 1 to 5)"},
    {"BondsOfASecondMoleculeBeforeAtoms", "[ moleculetype ]\nm 1\n[ bonds ]\n1 2 1\n",
     "FILE:18:1: the molecule type has no atoms yet ([ atoms ] comes first)"},
    {"BondsAfterMolecules", "[ virtual_sites1 ]\n5 1 1\n[ system ]\nt\n[ molecules ]\nmol 1\n[ bonds ]\n1 2 1\n",
     "FILE:22:1: [ bonds ] outside a molecule type (begin one with [ moleculetype ])"},
    {"UnsupportedSection", "[ dihedral_restraints ]\n1 2 3 4 1 180 0 10\n",
     "FILE:16:1: dropmd has no interactions of [ dihedral_restraints ] (remove its lines)"},
    {"BondBetweenMolecules",
     "[ virtual_sites1 ]\n5 1 1\n[ system ]\nt\n[ molecules ]\nmol 1\n[ intermolecular_interactions ]\n[ bonds ]\n1 2 "
     "1 0.1 100\n",
     "FILE:23:1: [ bonds ] in [ intermolecular_interactions ] (only [ pairs ], [ angles ] and [ dihedrals ] may act "
     "between molecules)"},
    {"LineBetweenMolecules",
     "[ virtual_sites1 ]\n5 1 1\n[ system ]\nt\n[ molecules ]\nmol 1\n[ intermolecular_interactions ]\n1 2 1 0.1 100\n",
     "FILE:22:1: [ intermolecular_interactions ] has no lines (begin a section such as [ angles ])"},
    {"MoleculesAfterInteractions",
     "[ virtual_sites1 ]\n5 1 1\n[ system ]\nt\n[ molecules ]\nmol 1\n[ intermolecular_interactions ]\n[ molecules "
     "]\nmol 1\n",
     "FILE:23:1: molecules after [ intermolecular_interactions ] (the topology must end with it)"},
};

class BadTopologyMolecule : public testing::TestWithParam<BadFile> {};

TEST_P(BadTopologyMolecule, IsRefused) {
  EXPECT_EQ(message_for(std::string(kField) + kMolecule + std::string(GetParam().text)), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Table, BadTopologyMolecule, testing::ValuesIn(kBadMolecule), bad_file_name);

}  // namespace
}  // namespace dropmd
