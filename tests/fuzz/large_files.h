#pragma once

#include <array>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

/// Files of any length that demand much from few bytes: many mistakes, long lines, deep nesting.
namespace dropmd {

/// The pattern of a file's lines. In `repeated`, @ becomes a number that counts up.
struct LargeFile {
  std::string_view name;
  std::string_view reading;  ///< its name in tests/fuzz/hostile_readings.h
  std::string_view begin, repeated, end;
  std::string_view before_begin{};  ///< what several files begin with

  friend std::ostream& operator<<(std::ostream& out, const LargeFile& file) { return out << file.name; }

  /// A file of about n bytes.
  std::string text(std::size_t n) const {
    std::string text(before_begin);
    text += begin;
    for (std::size_t number = 0; text.size() + end.size() < n; ++number)
      for (const char c : repeated) {
        if (c == '@')
          text += std::to_string(number);
        else
          text += c;
      }
    return text += end;
  }
};

/// A topology up to the first atom of a molecule type.
constexpr std::string_view kMolecule =
    "[defaults]\n1 2 yes\n[atomtypes]\nA 1 0 A 1 1\n[moleculetype]\nm 3\n[atoms]\n1 A 1 A A 1\n";
constexpr std::string_view kField = kMolecule.substr(0, kMolecule.find("[moleculetype]"));
constexpr std::string_view kSystem = "<System><Particles><Particle mass='1'/></Particles><Constraints/><Forces>";
constexpr std::string_view kAtomRecord = "ATOM      1  OW  HOH A   1       1.000   2.000   3.000\n";

constexpr std::string_view kCifModels =
    "data_x\nloop_\n_atom_site.label_atom_id\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n"
    "_atom_site.pdbx_PDB_model_num\n";

constexpr LargeFile kLargeFiles[] = {
    {"TooManyAtoms", "droplet_file", "t\n99999999999\n1\n", "\n", ""},
    {"AtomsAndBlankLines", "droplet_file", "t\n1\n1\n0 0 0 0\n", " \n", "x"},
    {"LongNumber", "droplet_file", "t\n1\n1\n0 0 0 0", "0", ""},
    {"LongWord", "droplet_file", "t\n1\n1\n0 0 0 ", "x", ""},
    {"LongRadius", "droplet_file", "t\n1\n-", "1", ""},
    {"ManyWords", "droplet_file", "t\n1\n1\n", "1 ", ""},
    {"ManyFrames", "extended_xyz", "", "1\n\nA 0 0 0\n", ""},
    {"FramesOfNothing", "extended_xyz", "", "1\n\n\n", ""},
    {"BlankLines", "extended_xyz", "1\nt\nA 0 0 0\n", "\n", "x"},
    {"BlankFirstLines", "extended_xyz", "", "\n", "1\n"},
    {"ManyPairs", "extended_xyz", "1\n", "@= ", "\nA 0 0 0\n"},
    {"ManyEqualSigns", "extended_xyz", "1\n", "=", "\nA 0 0 0\n"},
    {"OpenValues", "extended_xyz", "1\n", "a=\" b=[ ", "\nA 0 0 0\n"},
    {"ManyColons", "extended_xyz", "1\nProperties=", ":", "\nA 0 0 0\n"},
    {"ManyColumns", "extended_xyz", "1\nProperties=pos:R:3", ":@:S:1", "\n0 0 0\n"},
    {"WideColumns", "extended_xyz", "1\nProperties=pos:R:3", ":@:S:65535", "\n0 0 0\n"},
    {"ManySpecies", "extended_xyz", "", "1\n\nA 0 0 0\n@ 0 0 0\n", ""},
    {"ManyFlags", "extended_xyz", "1\npbc=\"", "F ", "\"\nA 0 0 0\n"},
    {"TooManyGroAtoms", "gro_file", "t\n99999999999\n", "\n", ""},
    {"LinesAfterAFrame", "gro_file", "t\n1\n    1SOL     OW    1   0.1   0.2   0.3\n0 0 0\n", "x\n", ""},
    {"LongBox", "gro_file", "t\n1\n    1SOL     OW    1   0.1   0.2   0.3\n", "0 ", "\n"},
    {"PointsOfALine", "gro_file", "t\n1\n    1SOL     OW    1 ", ".", "\n0 0 0\n"},
    {"ManyAtomRecords", "pdb_file", "", kAtomRecord, ""},
    {"ManyBoxes", "pdb_file", "", "CRYST1   30\n", kAtomRecord},
    {"ManyTitles", "pdb_file", "", "TITLE     x\n", ""},
    {"ManyModels", "pdb_file", "", "ATOM      1  OW  HOH A   1       1.000   2.000   3.000\nMODEL\n", ""},
    {"ManyUnknownRecords", "pdb_file", "", "@\n", ""},
    {"ManyItems", "cif_file", "data_x loop_\n", "_a@\n", ""},
    {"ManyValues", "cif_file", "data_x loop_ _a\n", "1 ", ""},
    {"ManyQuotes", "cif_file", "data_x loop_ _a\n", "'x'y' ", ""},
    {"ManyTextFields", "cif_file", "data_x loop_ _a", "\n;x\n;", ""},
    {"ManyBlocks", "cif_file", "", "data_@\n", ""},
    {"ManyCells", "cif_file", "data_x\n", "_cell.length_a 30\n", ""},
    {"ManyCifComments", "cif_file", "", "#\n", "data_x"},
    {"ManyCifAtoms", "cif_file",
     "data_x loop_ _atom_site.label_atom_id _atom_site.Cartn_x _atom_site.Cartn_y _atom_site.Cartn_z\n", "@ 1 2 3\n",
     ""},
    {"ManyCifModels", "cif_frames", "", "A 1 2 3 @\n", "", kCifModels},
    {"AtomsOfACifModel", "cif_frames", "", "@ 1 2 3 1\n", "", kCifModels},
    {"CommentsOfACifModel", "cif_frames", "", "#\n", "A 1 2 3 1\n", kCifModels},
    {"ItemsOfCifModels", "cif_frames", "data_x\nloop_\n", "_atom_site.a@\n", "1\n"},
    {"NestedElements", "openmm_system", "", "<a>", ""},
    {"ManyElements", "openmm_system", "<System><Particles>", "<a/>", "</Particles></System>"},
    {"ManyAttributes", "openmm_system", "<System><Particles><Particle", " a=''", "/></Particles></System>"},
    {"ManyParticles", "openmm_system", "<System><Particles>", "<Particle mass='1@'/>",
     "<Particle mass='1'/></Particles><Constraints/><Forces/></System>"},
    {"ManyForces", "openmm_system", "", "<Force type='CMMotionRemover'/>", "</Forces></System>", kSystem},
    {"ManyTerms", "openmm_system",
     "<System><Particles><Particle mass='1'/><Particle mass='1'/></Particles><Constraints/><Forces><Force "
     "type='HarmonicBondForce'><Bonds>",
     "<Bond p1='0' p2='1' k='1' d='1'/>", "</Bonds></Force></Forces></System>"},
    {"LongFormula", "openmm_system", "<Force type='CustomBondForce' energy='", "1", "'/></Forces></System>", kSystem},
    {"ManyRows", "choices_file", "step,neighbor,skin\n", "@,cells,0\n", ""},
    {"ManyCommas", "choices_file", "step,neighbor,skin\n", ",", "\n"},
    {"ManyComments", "choices_file", "", "#\n", ""},
    {"UnknownKeys", "run_file", "", "@=0\n", ""},
    {"UnknownKeysOfASection", "run_file", "[run]\n", "@=0\n", ""},
    {"UnknownKeysInALine", "run_file", "run={", "@=0,", "a=0}"},
    {"UnknownSections", "run_file", "", "[@]\n", ""},
    {"UnknownSectionsByDots", "run_file", "", "@.a=0\n", ""},
    {"UnknownListItems", "run_file", "a=[", "{},", "{}]"},
    {"UnknownListItemsOfALongName", "run_file",
     "a12345678901234567890123456789012345678901234567890123456789012345678901234567890=[", "{},", "{}]"},
    {"ListItems", "run_file", "species=[", "{},", "{}]"},
    {"EqualSpecies", "run_file", "species=[", "{name=\"\"},", "{}]"},
    {"ManySpeciesItems", "run_file", "", "[[species]]\nname=\"@\"\n", ""},
    {"EqualPairs", "run_file", "pair=[", "{species=[\"\",\"\"]},", "{}]"},
    {"ManyPairItems", "run_file", "", "[[pair]]\nspecies=[\"@\",\"\"]\n", ""},
    {"Brackets", "run_file", "a=", "[", ""},
    {"Braces", "run_file", "a=", "{a=", ""},
    {"BracketsOfManyLines", "run_file", "a=", "[\n", ""},
    {"HeaderBrackets", "run_file", "", "[", ""},
    {"NestedHeaders", "run_file", "", "[a.b.c.d.e.f.g.h.@]\n", ""},
    {"DottedKey", "run_file", "a", ".a", "=0"},
    {"DottedKeysWithSpaces", "run_file", "a", " . a", "=0"},
    {"DottedKeysInALine", "run_file", "a={", "a@.b=0,", "b=0}"},
    {"LongString", "run_file", "title=\"", "x", "\""},
    {"LongEscapes", "run_file", "title=\"", "\\u00e9", "\""},
    {"LongKey", "run_file", "", "x", "=0"},
    {"LongComment", "run_file", "#", "x", ""},
    {"LongNumberOfARun", "run_file", "a=", "1", ""},
    {"NumbersOfAList", "run_file", "a=[", "0,", "]"},
    {"StringsOfAList", "run_file", "pair=[{species=[", "\"\",", "]}]"},
    {"CodePoints", "run_file", "title=\"", "\xC3\xA9", "\"\nx"},
    {"ManyMacros", "gromacs_topology", "", "#define a@ 1\n", "a1"},
    {"MacrosOfMacros", "gromacs_topology", "[defaults]\n1 2\n[atomtypes]\n[implicit_genborn_params]\n#define a0 0\n",
     "#define a@ a0 a0\na@\n", ""},
    {"OneMacroOften", "gromacs_topology",
     "[defaults]\n1 2\n[atomtypes]\n[implicit_genborn_params]\n#define a 0123456789\n", "a\n", ""},
    {"OpenConditions", "gromacs_topology", "", "#ifdef A\n", ""},
    {"ManyConditions", "gromacs_topology", "", "#ifdef A@\n#endif\n", "x"},
    {"ManyContinuations", "gromacs_topology", "", "\\\n", "x"},
    {"ManySections", "gromacs_topology", "[defaults]\n", "[ defaults ]\n", ""},
    {"LongSection", "gromacs_topology", "[", "x ", "]\n"},
    {"LongWordOfATopology", "gromacs_topology", "", "x", ""},
    {"ManyAtomTypes", "gromacs_topology", "[defaults]\n1 2\n[atomtypes]\n", "A@ 1 0 A 1 1\n", "x"},
    {"EqualAtomTypes", "gromacs_topology", "[defaults]\n1 2\n[atomtypes]\n", "A @ 0 A 1 1\n", "x"},
    {"ManyDihedralTypes", "gromacs_topology", "[dihedraltypes]\n", "A A A A 1 0 @ 1\n", "x", kField},
    {"ManyTermsOfADihedral", "gromacs_topology", "[dihedraltypes]\n", "A A A A 9 0 @ 1\n", "x", kField},
    {"ManyNonbondParams", "gromacs_topology", "[nonbond_params]\n", "A A 1 1 @\n", "x", kField},
    {"LargeGrid", "gromacs_topology", "[cmaptypes]\nA A A A A 1 360 360", "\\\n 0", "", kField},
    {"ManyMoleculeTypes", "gromacs_topology", "[moleculetype]\n", "m@ 1\n", "[system]\n[molecules]\nM1 1\n", kField},
    {"ManyAtomsOfAMolecule", "gromacs_topology", "", "2 A 1 A A 1\n", "", kMolecule},
    {"ManyBonds", "gromacs_topology", "2 A 1 A A 1\n[bonds]\n", "1 2 5\n", "[system]\n[molecules]\nm 16\n", kMolecule},
    {"ManyRestraints", "gromacs_topology", "[position_restraints]\n", "1 1 0 0 0\n", "[system]\n[molecules]\nm 16\n",
     kMolecule},
    {"ManyParents", "gromacs_topology", "2 A 1 A A 1 0 0\n[virtual_sitesn]\n2 1", " 1",
     "\n[system]\n[molecules]\nm 1\n", kMolecule},
    {"ManyExclusions", "gromacs_topology", "2 A 1 A A 1\n[bonds]\n[exclusions]\n1", " 2",
     "\n[system]\n[molecules]\nm 16\n", kMolecule},
    {"ManyEntriesOfMolecules", "gromacs_topology", "[system]\n[molecules]\n", "m 0\n", "m 1\n", kMolecule},
    {"SameKeyInALine", "run_file", "a={", "a.a@=0,", "b=0}"},
};

}  // namespace dropmd
