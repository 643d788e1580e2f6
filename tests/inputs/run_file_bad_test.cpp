#include "inputs/run_file/run_file.h"

#include "tests/inputs/bad_files.h"
#include "tests/support/form_catalog.h"

namespace dropmd {
namespace {

/// The two lines that every run file needs. With them, the first line of an entry of the table is line 3.
constexpr std::string_view kRequired = "units = \"real\"\nsystem.structure = \"a.drop\"\n";

/// kRequired comes before the text of each entry.
const BadFile kBadRunFiles[] = {
    {"UnknownTopKey", "unit = 3\n", "FILE:3:1: unknown key 'unit' above the sections (did you mean 'units'?)"},
    {"UnknownTopKeyFarFromAll", "frobnicate = 3\n",
     "FILE:3:1: unknown key 'frobnicate' above the sections (known: title, units)"},
    {"TitleIsANumber", "title = 3\n", "FILE:3:9: 'title' is a whole number (expected: a string)"},
    {"UnknownSection", "[coulom]\n", "FILE:3:1: unknown section [coulom] (did you mean [coulomb]?)"},
    {"UnknownSectionFarFromAll", "[thermostat]\n",
     "FILE:3:1: unknown section [thermostat] (known: system, lennard-jones, born-mayer, coulomb, constraints, wall, "
     "field, "
     "neighbor, engine, integrator, run, droplet, output, map, species, pair)"},
    {"UnknownList", "[[pairs]]\n", "FILE:3:1: unknown section [[pairs]] (did you mean [[pair]]?)"},
    {"SectionAsList", "[[wall]]\nform = \"quartic\"\n", "FILE:3:1: [[wall]] is not a list (write [wall])"},
    {"ListAsSection", "[species]\nname = \"Na\"\n", "FILE:3:1: [species] is a list (write [[species]])"},
    {"SectionAsValue", "wall = \"harmonic\"\n", "FILE:3:8: 'wall' is a string (expected: a section)"},
    {"FieldWithoutStrength", "[field]\nfrequency = 0.1\n",
     "FILE:3:1: form 'uniform' in [field] needs 'strength' (a list of three numbers; unit: V/A)"},
    {"FieldOfOneNumber", "[field]\nstrength = 0.1\n",
     "FILE:4:12: 'strength' in [field] is a decimal number (expected: a list of three numbers)"},
    {"FieldOfTwoNumbers", "[field]\nstrength = [0.1, 0.2]\n",
     "FILE:4:12: 'strength' in [field] has length 2 (give three numbers: x, y and z)"},
    {"FieldIsInfinite", "[field]\nstrength = [0.0, 0.0, inf]\n",
     "FILE:4:12: a number of 'strength' in [field] is inf (it must be finite)"},
    {"MapAsList", "[[map]]\nevery = 100\n", "FILE:3:1: [[map]] is not a list (write [map])"},
    {"MassIsZero", "system.mass = 0\n", "FILE:3:15: 'mass' in [system] is 0 (it must be greater than 0)"},
    {"MassIsText", "system.mass = \"20\"\n", "FILE:3:15: 'mass' in [system] is a string (expected: a number)"},
    {"TemperatureIsNegative", "system.temperature = -1.5\n",
     "FILE:3:22: 'temperature' in [system] is -1.5 (it must be at least 0)"},
    {"TemperatureIsInfinite", "system.temperature = inf\n",
     "FILE:3:22: 'temperature' in [system] is inf (it must be finite)"},
    {"SeedIsNegative", "system.random-seed = -1\n",
     "FILE:3:22: 'random-seed' in [system] is -1 (it must be at least 0)"},
    {"SeedIsAFraction", "system.random-seed = 1.5\n",
     "FILE:3:22: 'random-seed' in [system] is a decimal number (expected: a whole number)"},
    {"SystemKeyMisspelt", "system.temprature = 100\n",
     "FILE:3:8: unknown key 'temprature' in [system] (did you mean 'temperature'?)"},
    {"EpsilonMisspelt", "[lennard-jones]\nepsilonn = 0.2\nsigma = 1\n",
     "FILE:3:1: [lennard-jones] has no 'epsilon' (give the depth of the potential, an energy)\nFILE:4:1: unknown key "
     "'epsilonn' in [lennard-jones] (did you mean 'epsilon'?)"},
    {"EpsilonIsNegative", "[lennard-jones]\nepsilon = -0.2\nsigma = 1\n",
     "FILE:4:11: 'epsilon' in [lennard-jones] is -0.2 (it must be at least 0)"},
    {"SigmaAndRMin", "[lennard-jones]\nepsilon = 0.2\nsigma = 1\nr-min = 1.1\n",
     "FILE:6:1: [lennard-jones] has both sigma and r-min (give one of them; r-min = 2^(1/6) sigma)"},
    {"NoSigma", "[lennard-jones]\nepsilon = 0.2\n",
     "FILE:3:1: [lennard-jones] has no 'sigma' (give a length; or r-min = 2^(1/6) sigma)"},
    {"NoParametersAtAll", "[lennard-jones]\n",
     "FILE:3:1: [lennard-jones] has no 'epsilon' (give the depth of the potential, an energy)\nFILE:3:1: "
     "[lennard-jones] has no 'sigma' (give a length; or r-min = 2^(1/6) sigma)"},
    {"BornMayerBesideLennardJones",
     "[lennard-jones]\nepsilon = 1\nsigma = 1\n[born-mayer]\nA = 1\nrho = 1\nC = 0\nD = 0\n",
     "FILE:6:1: [born-mayer] cannot be combined with [lennard-jones] (keep one of them: a run has one van der Waals "
     "term)"},
    {"BornMayerWithoutItsParameters", "[born-mayer]\nA = 1\nrho = 0.3\nC = 0\n",
     "FILE:3:1: [born-mayer] has no 'D' (give energy times length^8: -D/r^8; 0: none)"},
    {"BornMayerOfAnotherSign", "[born-mayer]\nA = 1\nrho = 0.3\nC = 0\nD = -11.5\n",
     "FILE:7:5: 'D' in [born-mayer] is -11.5 (it must be at least 0)"},
    {"BornMayerSwitched", "[born-mayer]\nA = 1\nrho = 0.3\nC = 0\nD = 0\nat-cutoff = \"switch\"\n",
     "FILE:8:13: unknown at-cutoff 'switch' in [born-mayer] (known: none, cut, shift, force-shift)"},
    {"BornMayerBesideSpecies", "[born-mayer]\nrho = 0.3\n[[species]]\nname = \"Na\"\n",
     "FILE:4:1: 'rho' in [born-mayer] cannot be combined with [[species]] (parameters of a pair of species belong to "
     "its [[pair]])"},
    {"BornMayerSpeciesWithEpsilon", "[born-mayer]\n[[species]]\nname = \"Na\"\nepsilon = 1\n",
     "FILE:6:1: 'epsilon' in [[species]] is not used by [born-mayer] (its parameters belong to [[pair]])"},
    {"BornMayerPairWithoutTheSection",
     "[[species]]\nname = \"Na\"\nepsilon = 1\nsigma = 1\n[[pair]]\nspecies = [\"Na\", \"Na\"]\nepsilon = 1\nsigma "
     "= 1\nA = 3\n",
     "FILE:11:1: 'A' in [[pair]] is not used by [lennard-jones] (for Born-Mayer pairs write [born-mayer] instead)"},
    {"CoulombMethodUnknown", "[coulomb]\nmethod = \"pme\"\n",
     "FILE:4:10: unknown method 'pme' in [coulomb] (known: auto, direct, mesh)"},
    {"AccuracyOfACut", "[coulomb]\nform = \"cut\"\ncutoff = 9\naccuracy = 1e-4\n",
     "FILE:6:1: 'accuracy' in [coulomb] is not used by form 'cut' (used by: exact)"},
    {"AccuracyOfNoForm", "[coulomb]\nform = \"pme\"\naccuracy = 1e-4\n",
     "FILE:4:8: unknown form 'pme' in [coulomb] (known: none, exact, cut, shift, smoothed, reaction-field, dsf)"},
    {"AccuracyOfDirectSums", "[coulomb]\nmethod = \"direct\"\naccuracy = 1e-4\n",
     "FILE:5:1: 'accuracy' in [coulomb] is not used by method 'direct' (used by: mesh)"},
    {"AccuracyTooCoarse", "[coulomb]\naccuracy = 0.5\n",
     "FILE:4:12: 'accuracy' in [coulomb] is 0.5 (it must be from 1e-10 to 0.01; below 1e-05 only in double precision)"},
    {"MeshOrderTooHigh", "[coulomb]\nmesh-order = 9\n",
     "FILE:4:14: 'mesh-order' in [coulomb] is 9 (it must be from 4 to 8)"},
    {"MeshEveryOfAnotherIntegrator", "[coulomb]\nmesh-every = 2\n[integrator]\nform = \"fire\"\n",
     "FILE:4:14: 'mesh-every' in [coulomb] is 2 with the integrator 'fire' (use velocity-verlet or langevin, or set it "
     "to 1)"},
    {"MeshEveryOfDirectSums", "[coulomb]\nmethod = \"direct\"\nmesh-every = 2\n",
     "FILE:5:1: 'mesh-every' in [coulomb] is not used by method 'direct' (used by: mesh)"},
    {"MeshEveryNever", "[coulomb]\nmesh-every = 0\n",
     "FILE:4:14: 'mesh-every' in [coulomb] is 0 (it must be from 1 to 100)"},
    {"MeshEveryDoesNotDivideEnergies", "[coulomb]\nmesh-every = 2\n[output]\nenergy-every = 25\n",
     "FILE:6:16: 'energy-every' in [output] is 25, not a multiple of 'mesh-every' in [coulomb], 2 (choose a multiple, "
     "such as 26)"},
    {"MeshEveryDoesNotDivideFrames", "[coulomb]\nmesh-every = 4\n[output]\ntrajectory-every = 9\n",
     "FILE:6:20: 'trajectory-every' in [output] is 9, not a multiple of 'mesh-every' in [coulomb], 4 (choose a "
     "multiple, such as 12)"},
    {"MeshEveryDoesNotDivideCheckpoints", "[coulomb]\nmesh-every = 4\n[output]\ncheckpoint-every = 6\n",
     "FILE:6:20: 'checkpoint-every' in [output] is 6, not a multiple of 'mesh-every' in [coulomb], 4 (choose a "
     "multiple, such as 8)"},
    {"MeshEveryDoesNotDivideRecentring", "[coulomb]\nmesh-every = 4\n[run]\nrecenter-every = 30\n",
     "FILE:6:18: 'recenter-every' in [run] is 30, not a multiple of 'mesh-every' in [coulomb], 4 (choose a multiple, "
     "such as 32)"},
    {"MeshEveryDoesNotDivideMaps", "[coulomb]\nmesh-every = 4\n[map]\nevery = 2\n",
     "FILE:6:9: 'every' in [map] is 2, not a multiple of 'mesh-every' in [coulomb], 4 (choose a multiple, such as 4)"},
    {"MeshEveryDoesNotDivideADefault", "[coulomb]\nmesh-every = 8\n[output]\nenergy-every = 0\n",
     "FILE:4:14: 'recenter-every' in [run] is 100 by default, not a multiple of 'mesh-every' in [coulomb], 8 (choose a "
     "multiple, such as 104)"},
    {"UnknownTreatment", "[lennard-jones]\nepsilon = 1\nsigma = 1\ncutoff = 3\nat-cutoff = \"shifted\"\n",
     "FILE:7:13: unknown at-cutoff 'shifted' in [lennard-jones] (did you mean 'shift'?)"},
    {"TreatmentIsABoolean", "[lennard-jones]\nepsilon = 1\nsigma = 1\ncutoff = 3\nat-cutoff = true\n",
     "FILE:7:13: 'at-cutoff' in [lennard-jones] is a boolean (expected: a string)"},
    {"TreatmentNeedsCutoff", "[lennard-jones]\nepsilon = 1\nsigma = 1\nat-cutoff = \"force-shift\"\n",
     "FILE:6:1: at-cutoff 'force-shift' in [lennard-jones] needs 'cutoff' (a number, greater than 0; unit: length)"},
    {"SwitchNeedsItsStart", "[lennard-jones]\nepsilon = 1\nsigma = 1\ncutoff = 3\nat-cutoff = \"switch\"\n",
     "FILE:7:1: at-cutoff 'switch' in [lennard-jones] needs 'switch-from' (a number, greater than 0; unit: length)"},
    {"SwitchFromBeyondCutoff",
     "[lennard-jones]\nepsilon = 1\nsigma = 1\ncutoff = 3\nat-cutoff = \"switch\"\nswitch-from = 3\n",
     "FILE:8:15: 'switch-from' in [lennard-jones] is 3 (it must be less than the cutoff, 3)"},
    {"SwitchFromWithoutSwitch", "[lennard-jones]\nepsilon = 1\nsigma = 1\ncutoff = 3\nswitch-from = 2\n",
     "FILE:7:1: 'switch-from' in [lennard-jones] is not used by at-cutoff 'cut' (used by: switch)"},
    {"CutoffWithNone", "[lennard-jones]\nepsilon = 1\nsigma = 1\ncutoff = 3\nat-cutoff = \"none\"\n",
     "FILE:6:1: 'cutoff' in [lennard-jones] is not used by at-cutoff 'none' (used by: cut, shift, force-shift, "
     "switch)"},
    {"UnknownMixing", "[lennard-jones]\nepsilon = 1\nsigma = 1\nmixing = \"lorenz-berthelot\"\n",
     "FILE:6:10: unknown mixing 'lorenz-berthelot' in [lennard-jones] (did you mean 'lorentz-berthelot'?)"},
    {"EpsilonBesideSpecies", "[lennard-jones]\nepsilon = 1\n[[species]]\nname = \"Na\"\nepsilon = 1\nsigma = 1\n",
     "FILE:4:1: 'epsilon' in [lennard-jones] cannot be combined with [[species]] (give either one for all atoms here, "
     "or one for each species)"},
    {"SpeciesWithoutName", "[[species]]\nmass = 1\n",
     "FILE:3:1: [[species]] has no 'name' (give it as in the structure file)"},
    {"SpeciesTwice", "[[species]]\nname = \"Na\"\n[[species]]\nname = \"Na\"\n",
     "FILE:6:8: a second species 'Na' (give one [[species]] for each name)"},
    {"SpeciesWithoutParameters", "[[species]]\nname = \"Na\"\nepsilon = 1\nsigma = 1\n[[species]]\nname = \"Cl\"\n",
     "FILE:7:1: [[species]] has no 'epsilon' (give the depth of the potential, an energy)\nFILE:7:1: [[species]] has "
     "no 'sigma' (give a length; or r-min = 2^(1/6) sigma)"},
    {"SpeciesKeyUnknown", "[[species]]\nname = \"Na\"\ncolour = 1\n",
     "FILE:5:1: unknown key 'colour' in [[species]] (known: name, mass, charge, epsilon, sigma, r-min)"},
    {"PairKeyUnknown",
     "[[species]]\nname = \"A\"\nepsilon = 1\nsigma = 1\n"
     "[[pair]]\nspecies = [\"A\", \"A\"]\nepsilon = 1\nsigma = 1\nmass = 1\n",
     "FILE:11:1: unknown key 'mass' in [[pair]] (known: species, epsilon, sigma, r-min)"},
    {"SpeciesMassIsNegative", "[[species]]\nname = \"Na\"\nmass = -1\n",
     "FILE:5:8: 'mass' in [[species]] is -1 (it must be greater than 0)"},
    {"SpeciesChargeIsNaN", "[[species]]\nname = \"Na\"\ncharge = nan\n",
     "FILE:5:10: 'charge' in [[species]] is nan (it must be a number)"},
    {"PairOfUnknownSpecies",
     "[[species]]\nname = \"Na\"\nepsilon = 1\nsigma = 1\n"
     "[[pair]]\nspecies = [\"Na\", \"Cl\"]\nepsilon = 1\nsigma = 1\n",
     "FILE:8:11: species 'Cl' of a pair has no [[species]] (every name of a pair needs one)"},
    {"PairTwice",
     "[[species]]\nname = \"A\"\nepsilon = 1\nsigma = 1\n[[species]]\nname = \"B\"\nepsilon = 1\nsigma = 1\n"
     "[[pair]]\nspecies = [\"A\", \"B\"]\nepsilon = 1\nsigma = 1\n"
     "[[pair]]\nspecies = [\"B\", \"A\"]\nepsilon = 1\nsigma = 1\n",
     "FILE:16:11: a second pair of 'B' and 'A' (give one [[pair]] for any two species)"},
    {"PairOfThree",
     "[[species]]\nname = \"A\"\nepsilon = 1\nsigma = 1\n"
     "[[pair]]\nspecies = [\"A\", \"A\", \"A\"]\nepsilon = 1\nsigma = 1\n",
     "FILE:8:11: 'species' in [[pair]] names 3 species (name two, which may be the same)"},
    {"PairOfNumbers",
     "[[species]]\nname = \"A\"\nepsilon = 1\nsigma = 1\n[[pair]]\nspecies = [1, 2]\nepsilon = 1\nr-min = 1\n",
     "FILE:8:11: 'species' in [[pair]] is a list (expected: a list of strings)"},
    {"PairWithoutAnything", "[[pair]]\n",
     "FILE:3:1: [[pair]] has no 'species' (give two names, such as species = [\"Na\", \"Cl\"])\nFILE:3:1: [[pair]] has "
     "no 'epsilon' (give the depth of the potential, an energy)\nFILE:3:1: [[pair]] has no 'sigma' (give a length; or "
     "r-min = 2^(1/6) sigma)"},
    {"UnknownCoulombForm", "[coulomb]\nform = \"ewald\"\n",
     "FILE:4:8: unknown form 'ewald' in [coulomb] (known: none, exact, cut, shift, smoothed, reaction-field, dsf)"},
    {"CoulombFormMisspelt", "[coulomb]\nform = \"reaction-feild\"\ncutoff = 12\n",
     "FILE:4:8: unknown form 'reaction-feild' in [coulomb] (did you mean 'reaction-field'?)"},
    {"CoulombFormIsANumber", "[coulomb]\nform = 1\ncutoff = 12\n",
     "FILE:4:8: 'form' in [coulomb] is a whole number (expected: a string)"},
    {"CoulombNeedsCutoff", "[coulomb]\nform = \"dsf\"\ndamping = 0.2\n",
     "FILE:4:1: form 'dsf' in [coulomb] needs 'cutoff' (a number, greater than 0; unit: length)"},
    {"CutoffWithExact", "[coulomb]\nform = \"exact\"\ncutoff = 12\n",
     "FILE:5:1: 'cutoff' in [coulomb] is not used by form 'exact' (used by: cut, shift, smoothed, reaction-field, "
     "dsf)"},
    {"CutoffWithTheDefaultForm", "[coulomb]\ncutoff = 12\n",
     "FILE:4:1: 'cutoff' in [coulomb] is not used by form 'exact' (used by: cut, shift, smoothed, reaction-field, "
     "dsf)"},
    {"DampingWithCut", "[coulomb]\nform = \"cut\"\ncutoff = 12\ndamping = 0.2\n",
     "FILE:6:1: 'damping' in [coulomb] is not used by form 'cut' (used by: dsf)"},
    {"CutoffIsInfinite", "[coulomb]\nform = \"cut\"\ncutoff = inf\n",
     "FILE:5:10: 'cutoff' in [coulomb] is inf (it must be finite)"},
    {"CutoffIsText", "[coulomb]\nform = \"cut\"\ncutoff = \"12 A\"\n",
     "FILE:5:10: 'cutoff' in [coulomb] is a string (expected: a number)"},
    {"CutoffIsAList", "[coulomb]\nform = \"cut\"\ncutoff = [12]\n",
     "FILE:5:10: 'cutoff' in [coulomb] is a list (expected: a number)"},
    {"CutoffIsADate", "[coulomb]\nform = \"cut\"\ncutoff = 2020-01-01\n",
     "FILE:5:10: 'cutoff' in [coulomb] is a date or time (expected: a number)"},
    {"DielectricIsZero", "[coulomb]\nform = \"reaction-field\"\ncutoff = 12\ndielectric = 0\n",
     "FILE:6:14: 'dielectric' in [coulomb] is 0 (it must be greater than 0)"},
    {"KeyWithNoCoulomb", "[coulomb]\nform = \"none\"\ncutoff = 12\n",
     "FILE:5:1: 'cutoff' in [coulomb] is not used by form 'none' (used by: cut, shift, smoothed, reaction-field, dsf)"},
    {"UnknownWall", "[wall]\nform = \"harmonik\"\n",
     "FILE:4:8: unknown form 'harmonik' in [wall] (did you mean 'harmonic'?)"},
    {"WallRadiusIsNegative", "[wall]\nradius = -40\n",
     "FILE:4:10: 'radius' in [wall] is -40 (it must be greater than 0)"},
    {"WallKeyMisspelt", "[wall]\nstifness = 1\n",
     "FILE:4:1: unknown key 'stifness' in [wall] (did you mean 'stiffness'?)"},
    {"UnknownNeighborMethod", "[neighbor]\nmethod = \"cell\"\n",
     "FILE:4:10: unknown method 'cell' in [neighbor] (did you mean 'cells'?)"},
    {"SkinIsAWord", "[neighbor]\nskin = \"thick\"\n",
     "FILE:4:8: unknown skin 'thick' in [neighbor] (known: auto, a length)"},
    {"SkinIsNegative", "[neighbor]\nskin = -1\n", "FILE:4:8: 'skin' in [neighbor] is -1 (it must be at least 0)"},
    {"SkinIsABoolean", "[neighbor]\nskin = false\n",
     "FILE:4:8: 'skin' in [neighbor] is a boolean (expected: a number)"},
    {"UnknownBackend", "[engine]\nbackend = \"gpu\"\n",
     "FILE:4:11: unknown backend 'gpu' in [engine] (known: auto, cpu, cuda)"},
    {"PrecisionMisspelt", "[engine]\nprecision = \"mixd\"\n",
     "FILE:4:13: unknown precision 'mixd' in [engine] (did you mean 'mixed'?)"},
    {"DeviceIsNegative", "[engine]\ndevice = -1\n",
     "FILE:4:10: 'device' in [engine] is -1 (it must be from 0 to 2147483647)"},
    {"ThreadsBeyondAnInt", "[engine]\nthreads = 2147483648\n",
     "FILE:4:11: 'threads' in [engine] is 2147483648 (it must be from 0 to 2147483647)"},
    {"UnknownIntegrator", "[integrator]\nform = \"leapfrog\"\n",
     "FILE:4:8: unknown form 'leapfrog' in [integrator] (known: velocity-verlet, langevin, descent, fire)"},
    {"LangevinWithoutTemperature", "[integrator]\nform = \"langevin\"\nfriction = 0.001\n",
     "FILE:4:1: form 'langevin' in [integrator] needs 'temperature' (a number, at least 0; unit: temperature)"},
    {"FrictionWithVerlet", "[integrator]\nfriction = 0.001\n",
     "FILE:4:1: 'friction' in [integrator] is not used by form 'velocity-verlet' (used by: langevin)"},
    {"FactorWithVerlet", "[integrator]\nform = \"velocity-verlet\"\nfactor = 0.01\n",
     "FILE:5:1: 'factor' in [integrator] is not used by form 'velocity-verlet' (used by: descent)"},
    {"TimestepIsZero", "[integrator]\ntimestep = 0.0\n",
     "FILE:4:12: 'timestep' in [integrator] is 0 (it must be greater than 0)"},
    {"StepsAreNegative", "[run]\nsteps = -1\n", "FILE:4:9: 'steps' in [run] is -1 (it must be at least 0)"},
    {"StepsAreAFraction", "[run]\nsteps = 1.5e0\n",
     "FILE:4:9: 'steps' in [run] is a decimal number (expected: a whole number)"},
    {"UnknownRecentering", "[run]\nrecenter = \"center\"\n",
     "FILE:4:12: unknown recenter 'center' in [run] (known: geometric, mass, droplet, none)"},
    {"UnknownMomentum", "[run]\nremove-momentum = \"all\"\n",
     "FILE:4:19: unknown remove-momentum 'all' in [run] (known: none, linear, angular, both)"},
    {"DirectoryIsEmpty", "[output]\ndirectory = \"\"\n",
     "FILE:4:13: 'directory' in [output] is empty (give a folder, \".\" for the working directory)"},
    {"EveryIsNegative", "[output]\nenergy-every = -100\n",
     "FILE:4:16: 'energy-every' in [output] is -100 (it must be at least 0)"},
    {"FinalInAFolder", "[output]\nfinal = \"there/final.drop\"\n",
     "FILE:4:9: 'final' in [output] is 'there/final.drop' (give a file name without folders: the file goes into the "
     "output directory)"},
    {"FinalOverTheTrajectory", "[output]\nfinal = \"trajectory.xyz\"\n",
     "FILE:4:9: 'final' in [output] is the trajectory's own name (choose another name, such as \"final.xyz\")"},
    {"FinalOverTheNamedTrajectory", "[output]\nfinal = \"a.xyz\"\ntrajectory = \"a.xyz\"\n",
     "FILE:4:9: 'final' in [output] is the trajectory's own name (choose another name, such as \"final.xyz\")"},
    {"TrajectoryInAFolder", "[output]\ntrajectory = \"there/a.xyz\"\n",
     "FILE:4:14: 'trajectory' in [output] is 'there/a.xyz' (give a file name without folders: the file goes into the "
     "output directory)"},
    {"TrajectoryOfUnknownFormat", "[output]\ntrajectory = \"a.xtc\"\n",
     "FILE:4:14: 'trajectory' in [output] is 'a.xtc' (choose a name that ends with .xyz or .test)"},
    {"TrajectoryWithoutAName", "[output]\ntrajectory = \"\"\n",
     "FILE:4:14: 'trajectory' in [output] is '' (choose a name that ends with .xyz or .test)"},
    {"MapOverTheTrajectory", "[output]\ntrajectory = \"a.xyz\"\n[map]\nfile = \"a.xyz\"\n",
     "FILE:6:8: 'file' in [map] is 'a.xyz', another file of the run (choose another name, such as \"potential.dx\")"},
    {"TrajectoryOverTheFinalStructure", "[output]\ntrajectory = \"final.xyz\"\n",
     "FILE:4:14: 'trajectory' in [output] is 'final.xyz', the name of the final structure (choose another name, or "
     "another 'final')"},
    {"FinalOfUnknownFormat", "[output]\nfinal = \"final.pdb\"\n",
     "FILE:4:9: 'final' in [output] is 'final.pdb' (choose a name that ends with .drop or .xyz)"},
    {"TableInASection", "[output]\nfinal = { name = \"a.drop\" }\n",
     "FILE:4:9: 'final' in [output] is a table (expected: a string)"},
    {"ColumnsCountBytes", "title = \"\u00e9\"\nsystem.\"\u00e9\" = \"\u00e9\"\n",
     "FILE:4:8: unknown key '\xC3\xA9' in [system] (known: structure, mass, temperature, random-seed, topology, "
     "include, define, "
     "hydrogen-mass)"},
    {"SyntaxNoValue", "title =\n",
     "FILE:3:8: not valid TOML: key-value pair: expected value, saw '\\n' (see https://toml.io)"},
    {"SyntaxOpenString", "title = \"a\n",
     "FILE:3:11: not valid TOML: string: unescaped control characters other than TAB (U+0009) are explicitly "
     "prohibited (see https://toml.io)"},
    {"SyntaxBareWord", "[wall]\nform = harmonic\n",
     "FILE:4:8: not valid TOML: value: could not determine value type (text must be in quotes)"},
    {"SyntaxHeaderBeginsWithADot", "[.a]\n",
     "FILE:3:2: not valid TOML: key: expected bare key starting character or string delimiter, saw '.' (see "
     "https://toml.io)"},
    {"SyntaxKeyTwice", "title = \"a\"\ntitle = \"b\"\n",
     "FILE:4:9: not valid TOML: key-value pair: cannot redefine existing string 'title' (see https://toml.io)"},
    {"SyntaxIntegerTooLarge", "[run]\nsteps = 99999999999999999999\n",
     "FILE:4:29: not valid TOML: decimal integer: '99999999999999999999' is not representable in 64 bits (see "
     "https://toml.io)"},
    {"AllAtOnceInOrder",
     "[output]\nenergy-evry = 1\nfinal = \"x\"\n[wall]\nform = \"quartc\"\n[integrator]\ntimestep = -1\nfactor = 1\n",
     "FILE:4:1: unknown key 'energy-evry' in [output] (did you mean 'energy-every'?)\nFILE:5:9: 'final' in [output] is "
     "'x' (choose a name that ends with .drop or .xyz)\nFILE:7:8: unknown form 'quartc' in [wall] (did you mean "
     "'quartic'?)\nFILE:9:12: 'timestep' in [integrator] is -1 (it must be greater than 0)\nFILE:10:1: 'factor' in "
     "[integrator] is not used by form 'velocity-verlet' (used by: descent)"},
};

class BadRunFile : public testing::TestWithParam<BadFile> {};

TEST_P(BadRunFile, GivesItsMessage) {
  const std::string text = std::string(kRequired) + std::string(GetParam().text);
  EXPECT_EQ(message_for_text("run.toml", text, [](const auto& path) { read_run_file(path, test_form_catalog()); }),
            GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Table, BadRunFile, testing::ValuesIn(kBadRunFiles), bad_file_name);

const BadFile kBadHeads[] = {
    {"Empty", "", "FILE:1:1: the file is empty (a run file is expected)"},
    {"NulByte", std::string_view("\0", 1), "FILE:1:1: binary data, a NUL byte (a run file is text)"},
    {"OnlyAComment", "# nothing\n",
     "FILE:1:1: the run file has no 'units' (units = \"real\" or units = \"lj\")\nFILE:1:1: [system] has no "
     "'structure' (structure = \"FILE\", relative to the run file)"},
    {"NoUnits", "[system]\nstructure = \"a.drop\"\n",
     "FILE:1:1: the run file has no 'units' (units = \"real\" or units = \"lj\")"},
    {"UnknownUnits", "units = \"metal\"\n[system]\nstructure = \"a.drop\"\n",
     "FILE:1:9: unknown units 'metal' in the run file (known: real, lj)"},
    {"NoStructure", "units = \"lj\"\n[system]\nmass = 1\n",
     "FILE:2:1: [system] has no 'structure' (structure = \"FILE\", relative to the run file)"},
    {"NoStructureAndNoHeader", "units = \"lj\"\n\nsystem.mass = 1\n",
     "FILE:3:1: [system] has no 'structure' (structure = \"FILE\", relative to the run file)"},
    {"SyntaxInALastLineWithoutItsEnd", "units = \"lj\"\ntitle = [1",
     "FILE:2:11: not valid TOML: array: encountered end-of-file (see https://toml.io)"},
    {"StructureIsEmpty", "units = \"lj\"\n[system]\nstructure = \"\"\n",
     "FILE:3:13: no structure format has the extension of '' (known: .drop, .xyz, .extxyz, .gro, .pdb, .ent, .cif, "
     ".mmcif)"},
    {"StructureOfUnknownFormat", "units = \"lj\"\n[system]\nstructure = \"a.mol2\"\n",
     "FILE:3:13: no structure format has the extension of 'a.mol2' (known: .drop, .xyz, .extxyz, .gro, .pdb, .ent, "
     ".cif, .mmcif)"},
    {"InvalidUtf8", "units = \"\xff\"\n",
     "FILE:1:9: not valid TOML: Encountered invalid utf-8 sequence (see https://toml.io)"},
};

class BadRunFileHead : public testing::TestWithParam<BadFile> {};

TEST_P(BadRunFileHead, GivesItsMessage) {
  EXPECT_EQ(
      message_for_text("run.toml", GetParam().text, [](const auto& path) { read_run_file(path, test_form_catalog()); }),
      GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Table, BadRunFileHead, testing::ValuesIn(kBadHeads), bad_file_name);

}  // namespace
}  // namespace dropmd
