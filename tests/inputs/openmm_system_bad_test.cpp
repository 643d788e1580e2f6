#include <string>

#include "inputs/topologies/openmm/openmm_system.h"
#include "tests/inputs/bad_files.h"

namespace dropmd {
namespace {

const BadFile kBadFiles[] = {
    {"Empty", "", "FILE:1:1: the file is empty (an OpenMM System in XML is expected)"},
    {"NoXml", "[ defaults ]\n",
     "FILE:2:1: not valid XML: No document element found (expected: an OpenMM System as XmlSerializer writes it)"},
    {"ElementIsNotClosed", "<System>\n<Particles>\n</System>\n",
     "FILE:3:3: not valid XML: Start-end tags mismatch (expected: an OpenMM System as XmlSerializer writes it)"},
    {"ForceField", "<?xml version=\"1.0\"?>\n<ForceField>\n</ForceField>\n",
     "FILE:2:1: <ForceField> (an OpenMM <System> is expected, as XmlSerializer.serialize(system) writes it)"},
    {"UnknownPart", "<System><Particle/></System>",
     "FILE:1:9: <Particle> within <System> (known: PeriodicBoxVectors, Particles, Constraints, Forces)"},
    {"NoParticles", "<System>\n</System>", "FILE:1:1: <System> has no <Particles>"},
    {"EmptyParticles", "<System><Particles/></System>", "FILE:1:1: the system has no particles (it needs at least 1)"},
    {"NotAParticle", "<System><Particles>\n <Atom/></Particles></System>",
     "FILE:2:2: <Atom> within <Particles> (only <Particle> is allowed)"},
    {"NoMass", "<System><Particles><Particle/></Particles></System>", "FILE:1:20: <Particle> has no attribute 'mass'"},
    {"MassIsAWord", "<System><Particles><Particle mass=\"C\"/></Particles></System>",
     "FILE:1:20: 'mass' of <Particle> is 'C', not a number (expected: a decimal number such as -1.25e-3)"},
    {"MassIsNegative", "<System><Particles><Particle mass=\"-1\"/></Particles></System>",
     "FILE:1:20: particle 0 has the mass -1 (it must be at least 0)"},
    {"FixedParticle", "<System><Particles><Particle mass=\"0\"/></Particles></System>",
     "FILE:1:20: particle 0 has no mass, which fixes it in OpenMM (give it a mass and restrain it; only virtual sites "
     "have none)"},
    {"NoConstraints", "<System><Particles><Particle mass=\"1\"/></Particles></System>",
     "FILE:1:1: <System> has no <Constraints>"},
};

class BadOpenmmFile : public testing::TestWithParam<BadFile> {};

TEST_P(BadOpenmmFile, GivesItsMessage) {
  EXPECT_EQ(message_for_text("a.xml", GetParam().text, read_openmm_system), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Table, BadOpenmmFile, testing::ValuesIn(kBadFiles), bad_file_name);

/// Parts of a system, which is otherwise right: line 2 are virtual sites behind six atoms, line 3 constraints, and the
/// forces begin at line 4.
struct BadPart {
  std::string_view name;
  std::string_view sites, constraints, forces;
  std::string_view message;

  friend std::ostream& operator<<(std::ostream& out, const BadPart& part) { return out << part.name; }
};

std::string system_with(std::string_view sites, std::string_view constraints, std::string_view forces) {
  std::string text = "<System><Particles>";
  for (int k = 0; k < 6; ++k) text += "<Particle mass=\"12\"/>";
  return text + "\n" + std::string(sites) + "</Particles><Constraints>\n" + std::string(constraints) +
         "</Constraints><Forces>\n" + std::string(forces) + "</Forces></System>\n";
}

const BadPart kBadParts[] = {
    {"SiteWithMass", "<Particle mass=\"1\"><TwoParticleAverageSite p1=\"0\" p2=\"1\" w1=\"1\" w2=\"0\"/></Particle>",
     "", "", "FILE:2:1: the virtual site 6 has the mass 1 (it must be 0)"},
    {"UnknownSite", "<Particle mass=\"0\"><SymmetrySite p=\"0\"/></Particle>", "", "",
     "FILE:2:20: the virtual site SymmetrySite cannot be read (known: TwoParticleAverageSite, "
     "ThreeParticleAverageSite, "
     "OutOfPlaneSite, LocalCoordinatesSite)"},
    {"SiteWeights", "<Particle mass=\"0\"><TwoParticleAverageSite p1=\"0\" p2=\"1\" w1=\"0.5\" w2=\"0.6\"/></Particle>",
     "", "", "FILE:2:20: the weights of a virtual site have the sum 1.1 (it must be 1)"},
    {"SiteOfASite",
     "<Particle mass=\"0\"><TwoParticleAverageSite p1=\"0\" p2=\"1\" w1=\"0.5\" w2=\"0.5\"/></Particle>\n"
     "<Particle mass=\"0\"><TwoParticleAverageSite p1=\"0\" p2=\"6\" w1=\"0.5\" w2=\"0.5\"/></Particle>",
     "", "", "FILE:3:20: the virtual site 7 is constructed from the virtual site 6 (use atoms with mass)"},
    {"SiteOfOneTwice",
     "<Particle mass=\"0\"><TwoParticleAverageSite p1=\"1\" p2=\"1\" w1=\"0.5\" w2=\"0.5\"/></Particle>", "", "",
     "FILE:2:20: the virtual site 6 is constructed from particle 1 twice"},
    {"SiteInGeneralPosition",
     "<Particle mass=\"0\"><LocalCoordinatesSite p1=\"0\" p2=\"1\" p3=\"2\" pos1=\"0.1\" pos2=\"0\" pos3=\"0.1\" "
     "wo1=\"1\" "
     "wo2=\"0\" wo3=\"0\" wx1=\"-1\" wx2=\"1\" wx3=\"0\" wy1=\"-1\" wy2=\"0\" wy3=\"1\"/></Particle>",
     "", "",
     "FILE:2:20: this LocalCoordinatesSite cannot be expressed (known: a site on an axis from one particle, or in the "
     "plane of three particles; others as OutOfPlaneSite)"},
    {"SiteOfFour",
     "<Particle mass=\"0\"><LocalCoordinatesSite p1=\"0\" p2=\"1\" p3=\"2\" pos1=\"0.1\" pos2=\"0\" pos3=\"0.1\" "
     "wo1=\"1\" "
     "wo2=\"0\" wo3=\"0\" wo4=\"0\" wx1=\"-1\" wx2=\"1\" wx3=\"0\" wy1=\"-1\" wy2=\"0\" wy3=\"1\"/></Particle>",
     "", "",
     "FILE:2:20: LocalCoordinatesSite with more than three particles (known: a site on an axis from one particle, or "
     "in "
     "the plane of three particles; others as OutOfPlaneSite)"},
    {"ConstraintOfASite",
     "<Particle mass=\"0\"><TwoParticleAverageSite p1=\"0\" p2=\"1\" w1=\"0.5\" w2=\"0.5\"/></Particle>",
     "<Constraint p1=\"0\" p2=\"6\" d=\"0.1\"/>", "",
     "FILE:3:1: a constraint of particle 6, which is a virtual site (constrain atoms with mass)"},
    {"ConstraintOutOfRange", "", "<Constraint p1=\"0\" p2=\"6\" d=\"0.1\"/>", "",
     "FILE:3:1: 'p2' of <Constraint> is '6' (it must be a whole number from 0 to 5)"},
    {"ConstraintOfOne", "", "<Constraint p1=\"2\" p2=\"2\" d=\"0.1\"/>", "",
     "FILE:3:1: <Constraint> has particle 2 twice (give two different ones)"},
    {"ConstraintOfNoLength", "", "<Constraint p1=\"1\" p2=\"2\" d=\"0\"/>", "",
     "FILE:3:1: the constraint has the length 0 (it must be greater than 0)"},
    {"ForceWithoutType", "", "", "<Force/>", "FILE:4:1: <Force> has no attribute 'type'"},
    {"UnknownForce", "", "", "<Force type=\"GBSAOBCForce\"/>",
     "FILE:4:1: the force GBSAOBCForce cannot be read (known: HarmonicBondForce, HarmonicAngleForce, "
     "PeriodicTorsionForce, RBTorsionForce, CMAPTorsionForce, NonbondedForce, CustomTorsionForce, CustomBondForce, "
     "CustomNonbondedForce, CMMotionRemover)"},
    {"NoBonds", "", "", "<Force type=\"HarmonicBondForce\"/>", "FILE:4:1: <Force> has no <Bonds>"},
    {"BondIsHalf", "", "",
     "<Force type=\"HarmonicBondForce\"><Bonds>\n<Bond p1=\"0\" d=\"0.1\" k=\"1\"/></Bonds></Force>",
     "FILE:5:1: <Bond> has no attribute 'p2'"},
    {"BondLengthIsNotFinite", "", "",
     "<Force type=\"HarmonicBondForce\"><Bonds>\n  <Bond p1=\"0\" p2=\"1\" d=\"nan\" k=\"1\"/></Bonds></Force>",
     "FILE:5:3: 'd' of <Bond> is 'nan', not finite (expected: a decimal number such as -1.25e-3)"},
    {"BondLengthIsNegative", "", "",
     "<Force type=\"HarmonicBondForce\"><Bonds><Bond p1=\"0\" p2=\"1\" d=\"-1\" k=\"1\"/></Bonds></Force>",
     "FILE:4:40: the bond has a negative length (it must be at least 0)"},
    {"AngleOfTwo", "", "",
     "<Force type=\"HarmonicAngleForce\"><Angles><Angle p1=\"0\" p2=\"1\" p3=\"0\" a=\"1\" k=\"1\"/></Angles></Force>",
     "FILE:4:42: <Angle> has particle 0 twice (give 3 different ones)"},
    {"Periodicity", "", "",
     "<Force type=\"PeriodicTorsionForce\"><Torsions><Torsion p1=\"0\" p2=\"1\" p3=\"2\" p4=\"3\" periodicity=\"1.5\" "
     "phase=\"0\" k=\"1\"/></Torsions></Force>",
     "FILE:4:46: 'periodicity' of <Torsion> is '1.5' (it must be a whole number from 0 to 1000)"},
    {"OddMap", "", "", "<Force type=\"CMAPTorsionForce\"><Maps><Map size=\"3\"/></Maps><Torsions/></Force>",
     "FILE:4:38: the map has 3 angles (the number must be even, so that one of them is -180 degrees)"},
    {"MapIsCut", "", "",
     "<Force type=\"CMAPTorsionForce\"><Maps><Map size=\"2\"><Energy e=\"1\"/></Map></Maps><Torsions/></Force>",
     "FILE:4:38: the map has 1 energies, but its size is 2 (give 4 energies)"},
    {"AnglesOfAMap", "", "",
     "<Force type=\"CMAPTorsionForce\"><Maps/><Torsions><Torsion map=\"0\" a1=\"0\" a2=\"1\" a3=\"2\" a4=\"3\" "
     "b1=\"2\" "
     "b2=\"3\" b3=\"4\" b4=\"5\"/></Torsions></Force>",
     "FILE:4:49: the two angles of a CMAP term are not of five successive particles (b1 b2 b3 must be a2 a3 a4)"},
    {"NoSuchMap", "", "",
     "<Force type=\"CMAPTorsionForce\"><Maps/><Torsions><Torsion map=\"0\" a1=\"0\" a2=\"1\" a3=\"2\" a4=\"3\" "
     "b1=\"1\" "
     "b2=\"2\" b3=\"3\" b4=\"4\"/></Torsions></Force>",
     "FILE:4:49: 'map' of <Torsion> is '0' (there are none)"},
    {"TorsionFormula", "", "", "<Force type=\"CustomTorsionForce\" energy=\"k*(1+cos(theta))\"/>",
     "FILE:4:1: the energy 'k*(1+cos(theta))' of the CustomTorsionForce cannot be read (known: harmonic torsions such "
     "as "
     "'k*(theta-theta0)^2', see docs/file-formats.md)"},
    {"AnotherPi", "", "",
     "<Force type=\"CustomTorsionForce\" energy=\"k*min(dtheta, 2*3.2-dtheta)^2; dtheta=abs(theta-theta0)\"/>",
     "FILE:4:1: the energy 'k*min(dtheta, 2*3.2-dtheta)^2; dtheta=ab...' of the CustomTorsionForce cannot be read "
     "(known: harmonic torsions such as 'k*(theta-theta0)^2', see docs/file-formats.md)"},
    {"GlobalParameter", "", "",
     "<Force type=\"CustomTorsionForce\" energy=\"k*(theta-theta0)^2\"><GlobalParameters><Parameter name=\"k\" "
     "default=\"1\"/></GlobalParameters></Force>",
     "FILE:4:1: the CustomTorsionForce has GlobalParameters, on which its energy depends (write the system without "
     "them)"},
    {"ParameterIsMissing", "", "",
     "<Force type=\"CustomTorsionForce\" energy=\"k*(theta-theta0)^2\"><PerTorsionParameters><Parameter name=\"k\"/>"
     "<Parameter name=\"theta1\"/></PerTorsionParameters></Force>",
     "FILE:4:1: the CustomTorsionForce has no parameter 'theta0', which its energy contains"},
    {"NumberOfParameters", "", "",
     "<Force type=\"CustomTorsionForce\" energy=\"k*(theta-theta0)^2\"><PerTorsionParameters/></Force>",
     "FILE:4:1: the CustomTorsionForce has 0 PerTorsionParameters, but its energy contains 2"},
    {"BondFormula", "", "", "<Force type=\"CustomBondForce\" energy=\"0.25*k*(r^2-r0^2)^2\"/>",
     "FILE:4:1: the energy '0.25*k*(r^2-r0^2)^2' of the CustomBondForce cannot be read (known: "
     "'4*epsilon*((sigma/r)^12-(sigma/r)^6)' with any factor, '-C/r^6+A/r^12')"},
    {"AttractionWithoutLimit", "", "",
     "<Force type=\"CustomBondForce\" energy=\"-C/r^6+A/r^12\"><PerBondParameters><Parameter name=\"C\"/><Parameter "
     "name=\"A\"/></PerBondParameters><Bonds>\n<Bond p1=\"0\" p2=\"1\" param1=\"1\" param2=\"0\"/></Bonds></Force>",
     "FILE:5:1: C6 without C12 attracts without limit (give C12)"},
    {"FewParticles", "", "",
     "<Force type=\"NonbondedForce\" method=\"0\"><Particles><Particle q=\"0\" sig=\"1\" "
     "eps=\"0\"/></Particles></Force>",
     "FILE:4:1: the NonbondedForce has 1 particles, but the system has 6 (the numbers must be equal)"},
    {"NonbondedMethod", "", "", "<Force type=\"NonbondedForce\" method=\"9\"/>",
     "FILE:4:1: 'method' of <Force> is '9' (it must be a whole number from 0 to 5)"},
    {"Offsets", "", "", "<Force type=\"NonbondedForce\"><ParticleOffsets><Offset/></ParticleOffsets></Force>",
     "FILE:4:1: the NonbondedForce has ParticleOffsets, on which its energy depends (write the system without them)"},
    {"TermAcrossMolecules", "", "",
     "<Force type=\"HarmonicBondForce\"><Bonds><Bond p1=\"0\" p2=\"1\" d=\"1\" k=\"1\"/></Bonds></Force><Force "
     "type=\"HarmonicAngleForce\"><Angles><Angle p1=\"0\" p2=\"1\" p3=\"2\" a=\"1\" k=\"1\"/></Angles></Force>",
     "FILE: a term of the energy angle acts between particles 0 and 2 of different molecules (connect them by a bond, "
     "which may have k = 0)"},
};

class BadOpenmmPart : public testing::TestWithParam<BadPart> {};

TEST_P(BadOpenmmPart, GivesItsMessage) {
  const auto& [name, sites, constraints, forces, message] = GetParam();
  EXPECT_EQ(message_for_text("a.xml", system_with(sites, constraints, forces), read_openmm_system), message);
}

INSTANTIATE_TEST_SUITE_P(Table, BadOpenmmPart, testing::ValuesIn(kBadParts),
                         [](const auto& test) { return std::string(test.param.name); });

/// Two atoms with a NonbondedForce and a CustomNonbondedForce.
struct BadLj {
  std::string_view name;
  std::string_view particles, exceptions;  ///< of the NonbondedForce
  std::string_view custom;                 ///< line 2 and the following ones
  std::string_view message;

  friend std::ostream& operator<<(std::ostream& out, const BadLj& part) { return out << part.name; }
};

constexpr std::string_view kNeutral = "<Particle q=\"0\" sig=\"1\" eps=\"0\"/><Particle q=\"0\" sig=\"1\" eps=\"0\"/>";
constexpr std::string_view kException = "<Exception p1=\"0\" p2=\"1\" q=\"0\" sig=\"1\" eps=\"0\"/>";

#define DROPMD_TEST_TYPES "<PerParticleParameters><Parameter name=\"type\"/></PerParticleParameters>"
#define DROPMD_TEST_TABLE(name, values)                                                             \
  "<Function type=\"Discrete2DFunction\" name=\"" name "\" xsize=\"2\" ysize=\"2\"><Values>" values \
  "</Values></Function>"
#define DROPMD_TEST_VALUES "<Value v=\"1\"/><Value v=\"1\"/><Value v=\"1\"/><Value v=\"1\"/>"
#define DROPMD_TEST_TABLES                                     \
  "<Functions>" DROPMD_TEST_TABLE("acoef", DROPMD_TEST_VALUES) \
      DROPMD_TEST_TABLE("bcoef", DROPMD_TEST_VALUES) "</Functions>"
#define DROPMD_TEST_FORCE \
  "<Force type=\"CustomNonbondedForce\" energy=\"acoef(type1,type2)/r^12-bcoef(type1,type2)/r^6\">"

const BadLj kBadLj[] = {
    {"NegativeEpsilon", "<Particle q=\"0\" sig=\"1\" eps=\"-1\"/><Particle q=\"0\" sig=\"1\" eps=\"0\"/>", "", "",
     "FILE:1:134: particle 0 has a negative epsilon, or no positive sigma (epsilon must be at least 0, sigma greater "
     "than 0)"},
    {"TwoExceptions", kNeutral,
     "\n<Exception p1=\"0\" p2=\"1\" q=\"0\" sig=\"1\" eps=\"0\"/>\n<Exception p1=\"1\" p2=\"0\" q=\"0\" sig=\"1\" "
     "eps=\"0\"/>",
     "", "FILE:3:1: a second exception for the particles 0 and 1 (give only one)"},
    {"SecondNonbonded", kNeutral, "", "<Force type=\"NonbondedForce\"/>",
     "FILE:2:1: a second NonbondedForce (give one for all particles)"},
    {"Formula", kNeutral, "", "<Force type=\"CustomNonbondedForce\" energy=\"-c/r^4;c=ccoef(type1,type2)\"/>",
     "FILE:2:1: the energy '-c/r^4;c=ccoef(type1,type2)' of the CustomNonbondedForce cannot be read (known: "
     "Lennard-Jones terms of OpenMM's readers, see docs/file-formats.md)"},
    {"NoTables", kNeutral, "", DROPMD_TEST_FORCE DROPMD_TEST_TYPES "<Functions/></Force>",
     "FILE:2:1: the CustomNonbondedForce needs the functions acoef and bcoef, of equal size"},
    {"AnotherFunction", kNeutral, "",
     DROPMD_TEST_FORCE DROPMD_TEST_TYPES
     "<Functions>\n<Function type=\"Continuous1DFunction\" name=\"acoef\"/></Functions></Force>",
     "FILE:3:1: the function acoef is a Continuous1DFunction (expected: a Discrete2DFunction)"},
    {"ShortTable", kNeutral, "",
     DROPMD_TEST_FORCE DROPMD_TEST_TYPES
     "<Functions>\n" DROPMD_TEST_TABLE("acoef", "<Value v=\"1\"/>") "</Functions></Force>",
     "FILE:3:1: the function acoef has 1 values, xsize 2 and ysize 2 (expected: xsize times ysize values, with xsize "
     "equal to ysize)"},
    {"AsymmetricTable", kNeutral, "",
     DROPMD_TEST_FORCE DROPMD_TEST_TYPES "<Functions>\n" DROPMD_TEST_TABLE(
         "acoef", "<Value v=\"1\"/><Value v=\"2\"/><Value v=\"3\"/><Value v=\"1\"/>") "</Functions></Force>",
     "FILE:3:1: the function acoef differs for the types 0 and 1 and for 1 and 0 (the values must be equal)"},
    {"NegativeTable", kNeutral, "",
     DROPMD_TEST_FORCE DROPMD_TEST_TYPES
     "<Functions>" DROPMD_TEST_TABLE("acoef", "<Value v=\"1\"/><Value v=\"1\"/><Value v=\"1\"/><Value v=\"-1\"/>")
         DROPMD_TEST_TABLE("bcoef", DROPMD_TEST_VALUES) "</Functions></Force>",
     "FILE:2:1: types 1 and 1: C6 or C12 is negative (they must be at least 0)"},
    {"TypeOutOfRange", kNeutral, "",
     DROPMD_TEST_FORCE DROPMD_TEST_TYPES DROPMD_TEST_TABLES
     "<Particles>\n<Particle param1=\"0\"/><Particle param1=\"2\"/></Particles></Force>",
     "FILE:3:23: the type is 2 (it must be a whole number from 0 to 1)"},
    {"InteractionGroups", kNeutral, "",
     DROPMD_TEST_FORCE "<InteractionGroups><InteractionGroup/></InteractionGroups></Force>",
     "FILE:2:1: the CustomNonbondedForce has InteractionGroups, on which its energy depends (write the system without "
     "them)"},
    {"TwoVanDerWaalsTerms", "<Particle q=\"0\" sig=\"1\" eps=\"1\"/><Particle q=\"0\" sig=\"1\" eps=\"0\"/>", "",
     DROPMD_TEST_FORCE DROPMD_TEST_TYPES DROPMD_TEST_TABLES
     "<Particles><Particle param1=\"0\"/><Particle param1=\"1\"/></Particles><Exclusions/></Force>",
     "FILE:2:1: the NonbondedForce has van der Waals terms, too (set epsilon to 0 there, or leave out the "
     "CustomNonbondedForce)"},
    {"ExclusionIsNoException", kNeutral, "",
     DROPMD_TEST_FORCE DROPMD_TEST_TYPES DROPMD_TEST_TABLES
     "<Particles><Particle param1=\"0\"/><Particle param1=\"1\"/></Particles><Exclusions><Exclusion p1=\"1\" "
     "p2=\"0\"/></Exclusions></Force>",
     "FILE:2:1: particles 0 and 1 are an exclusion here, but not an exception of the NonbondedForce (the pairs must be "
     "the same)"},
    {"ExceptionIsNoExclusion", kNeutral, kException,
     DROPMD_TEST_FORCE DROPMD_TEST_TYPES DROPMD_TEST_TABLES
     "<Particles><Particle param1=\"0\"/><Particle param1=\"1\"/></Particles><Exclusions/></Force>",
     "FILE:2:1: particles 0 and 1 are an exception of the NonbondedForce, but not an exclusion here (the pairs must be "
     "the same)"},
};

class BadOpenmmLj : public testing::TestWithParam<BadLj> {};

TEST_P(BadOpenmmLj, GivesItsMessage) {
  const auto& [name, particles, exceptions, custom, message] = GetParam();
  const std::string text =
      "<System><Particles><Particle mass=\"1\"/><Particle mass=\"1\"/></Particles><Constraints/><Forces><Force "
      "type=\"NonbondedForce\"><Particles>" +
      std::string(particles) + "</Particles><Exceptions>" + std::string(exceptions) + "</Exceptions></Force>\n" +
      std::string(custom) + "</Forces></System>\n";
  EXPECT_EQ(message_for_text("a.xml", text, read_openmm_system), message);
}

INSTANTIATE_TEST_SUITE_P(Table, BadOpenmmLj, testing::ValuesIn(kBadLj),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace dropmd
