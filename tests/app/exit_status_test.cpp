#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "device/device_info.h"
#include "tests/support/system/app_folder.h"

/// Exit statuses and the messages that come with them.
namespace dropmd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kClusterRun = "inputs/samples/lj-cluster-13-langevin.toml";

/// A failing command line: its status and a part of its message.
struct FailingLine {
  std::string line;
  int status;
  std::string message;
};

void expect_failures(const AppFolder& folder, const std::vector<FailingLine>& failures) {
  for (const FailingLine& failure : failures) {
    const Outcome outcome = folder.run(failure.line);
    EXPECT_EQ(outcome.status, failure.status) << failure.line << '\n' << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("dropmd: error: ")) << failure.line;
    EXPECT_THAT(outcome.err, HasSubstr(failure.message)) << failure.line;
    EXPECT_EQ(outcome.out, "") << failure.line;
  }
}

TEST(ExitStatus, Usage) {
  const AppFolder folder;
  const std::string run = std::string("dropmd run ") + kClusterRun;
  expect_failures(
      folder, {{"dropmd", 2, "no command given"},
               {"dropmd enrgy x.drop", 2, "unknown command 'enrgy' (did you mean 'energy'?)"},
               {"dropmd --versoin", 2, "(did you mean '--version'?)"},
               {"dropmd run", 2, "no input file given (dropmd run FILE)"},
               {"dropmd run a.drop b.drop", 2, "more than one input file: 'a.drop' and 'b.drop'"},
               {"dropmd help generate weather", 2, "help explains one command (dropmd help generate)"},
               {"dropmd help run energy", 2, "help explains one command (dropmd help run)"},
               {"dropmd info extra", 2, "unexpected word 'extra'"},
               {run + " --step 5", 2, "dropmd run has no option '--step' (did you mean '--steps'?)"},
               {run + " --precison=double", 2, "(did you mean '--precision'?)"},
               {run + " -z", 2, "dropmd run has no option '-z' (dropmd help run lists the options)"},
               {run + " --steps many", 2, "--steps: 'many' is not a whole number"},
               {run + " --steps 1.5", 2, "--steps: '1.5' is not a whole number (such as 100 or 1e6)"},
               {run + " --steps 15e-1", 2, "--steps: '15e-1' is not a whole number"},
               {run + " --steps -1e3", 2, "--steps -1e3 is too small (at least 0)"},
               {"dropmd bench sort --keys -1", 2, "--keys -1 is too small (at least 1)"},
               {run + " --dry-run --max-hours 0", 2, "--max-hours 0 is out of range"},
               {run + " --dry-run --self-check 0", 2, "--self-check 0 is too small"},
               {run + " --steps 1e19", 2, "--steps 1e19 is out of range"},
               {run + " --steps 1e6x", 2, "--steps: '1e6x' is not a whole number"},
               {run + " --seed -3", 2, "--seed -3 is too small (at least 0)"},
               {run + " --timestep 0", 2, "--timestep 0 is out of range (it must be a finite number, more than 0"},
               {run + " --set steps", 2, "--set: 'steps' is not a setting (write --set SECTION.KEY=VALUE"},
               {run + " --set .steps=1", 2, "--set: '.steps=1' is not a setting"},
               {run + " --set=", 2, "--set is empty"},
               {"dropmd rnu", 2, "unknown command 'rnu' (did you mean 'run'?)"},
               {run + " --steps -1", 2, "--steps -1 is too small (at least 0)"},
               {run + " --steps 99999999999999999999", 2, "--steps 99999999999999999999 is out of range"},
               {run + " --threads -2", 2, "--threads -2 is too small"},
               {run + " --threads 100000", 2, "--threads: 100000 threads are too many"},
               {run + " --devices 0,1 --device 0", 2, "--devices and --device cannot be combined"},
               {run + " --devices 0,1 --backend cpu", 2, "--devices and --backend cpu cannot be combined"},
               {run + " --devices 1,1", 2, "--devices names a GPU twice"},
               {run + " --precision doubel", 2, "--precision: unknown word 'doubel' (did you mean 'double'?)"},
               {run + " --neighbor all_pairs", 2, "(did you mean 'all-pairs'?)"},
               {run + " --wall quadratic", 2, "--wall: unknown form 'quadratic' (did you mean 'quartic'?)"},
               {run + " --output=", 2, "--output is empty"},
               {run + " -o", 2, "missing an argument"},
               {run + " --self-check 0", 2, "--self-check 0 is too small (at least 1)"},
               {"dropmd run --resume x.h5 --wall none", 2, "--resume and --wall cannot be combined"},
               {"dropmd run --resume x.h5 --dry-run", 2, "--dry-run and --resume cannot be combined"},
               {"dropmd run --resume=", 2, "--resume is empty"},
               {"dropmd bench force", 2, "unknown operation 'force' (did you mean 'forces'?)"},
               {"dropmd bench weather", 2, "unknown operation 'weather' (known: forces, map, mesh, sort, step)"},
               {"dropmd bench forces --atoms 500,1", 2, "--atoms 1 is too small (at least 2)"},
               {"dropmd bench forces --atoms 1e11", 2, "--atoms 100000000000 is too large (at most "},
               {"dropmd bench step --atoms 500,1e11", 2, "--atoms 100000000000 is too large (at most "},
               {"dropmd bench map --atoms 99999999999", 2, "--atoms 99999999999 is too large (at most "},
               {"dropmd bench forces --lengths 8", 2, "bench forces does not use --lengths (it is for bench sort)"},
               {"dropmd bench sort --precision mixed", 2, "bench sort does not use --precision"},
               {"dropmd bench sort --methods cub-segmented-srot", 2, "(did you mean 'cub-segmented-sort'?)"},
               {"dropmd bench sort --backend cpu --methods copy", 2, "none of them runs with --backend cpu"},
               {"dropmd bench sort --lengths 8,0", 2, "--lengths 0 is too small (at least 1)"},
               {"dropmd bench sort --lengths 65537", 2, "--lengths 65537 is too large (at most 65536)"},
               {"dropmd bench sort --lengths eight", 2, "--lengths: 'eight' is not a whole number"},
               {"dropmd bench sort --keys 9 --segments 9", 2, "--keys and --segments cannot be combined"},
               {"dropmd bench sort --lengths 1024 --segments 1000000", 2, "are too many keys (at most 500000000)"},
               {"dropmd bench sort --json -o sort.csv", 2, "cannot be combined"},
               {"dropmd generate droplet", 2, "needs an output file"},
               {"dropmd generate droplet --atoms 9 --radius 3 -o x.drop", 2, "cannot be combined"},
               {"dropmd generate droplet --density 0 -o x.drop", 2,
                "--density 0 is out of range (it must be a finite number, more than 0"},
               {"dropmd generate droplet --radius nan -o x.drop", 2, "--radius nan is out of range"},
               {"dropmd generate droplet --charge x -o x.drop", 2, "--charge: 'x' is not a number"},
               {"dropmd generate droplet --atoms 10000000000000 -o x.drop", 2, "too large"},
               {"dropmd generate droplet --vapour 0.5 -o x.drop", 2, "--vapour and --vapour-radius belong together"},
               {"dropmd generate droplet --vapour 1 --vapour-radius 90 -o x.drop", 2, "--vapour 1 is out of range"},
               {"dropmd generate droplet --radius 9 --vapour 0.5 --vapour-radius 90 -o x.drop", 2,
                "--vapour is a share of --atoms"},
               {"dropmd generate droplet --lattice bcc -o x.drop", 2, "unknown word 'bcc' (known: fcc, sc, random)"}});
}

TEST(ExitStatus, Input) {
  const AppFolder folder;
  folder.write("count.drop", "title\n2\n5\n0 0 0 1\n");
  folder.write("word.drop", "title\n2\n5\n0 0 0 1\n1 x 0 1\n");
  folder.write("empty.toml", "");
  folder.write("plain.txt", "");
  folder.write("threads.toml", "units = \"lj\"\n[system]\nstructure = \"word.drop\"\n[engine]\nthreads = 100000\n");
  folder.write("lost.toml", "units = \"real\"\n[system]\nstructure = \"nowhere.gro\"\n");
  folder.write("topology.toml",
               "units = \"real\"\nsystem.structure = \"inputs/samples/peptide.gro\"\nsystem.topology = \"no.top\"\n");
  folder.write("keys.toml", "units = \"real\"\ntitel = \"x\"\n[system]\nstructure = \"word.drop\"\nmas = 1\n");
  expect_failures(
      folder,
      {{"dropmd energy threads.toml", 3, "threads.toml: 100000 threads are too many"},
       {"dropmd energy nowhere.drop", 3, "nowhere.drop: no such file"},
       {"dropmd energy lost.toml", 3,
        "dropmd: error: lost.toml:3:13: no such file: 'nowhere.gro' (check the path; a re"},
       {"dropmd run lost.toml --dry-run", 3, "dropmd: error: lost.toml:3:13: no such file"},
       {"dropmd map lost.toml -o x.dx", 3, "dropmd: error: lost.toml:3:13: no such file"},
       {"dropmd run topology.toml", 3, "dropmd: error: topology.toml:3:19: no such file: 'no.top'"},
       {std::string("dropmd run --set system.structure=no.xyz ") + kClusterRun, 3,
        "dropmd: error: --set system.structure=no.xyz: no such file: "},
       {"dropmd energy inputs", 3, "inputs: "},
       {"dropmd energy plain.txt", 3, "plain.txt: neither a run file nor a structure (known extensions: .toml"},
       {"dropmd energy count.drop", 3, "dropmd: error: count.drop:2:1: "},
       {"dropmd run word.drop", 3, "dropmd: error: word.drop:5:3: y is 'x', not a number"},
       {"dropmd run empty.toml", 3, "empty.toml:1:1: the file is empty"},
       {"dropmd compare keys.toml", 3, "dropmd: error: keys.toml:5:1: unknown key 'mas' in [system]"},
       {"dropmd compare keys.toml", 3, "dropmd: error: keys.toml:2:1: unknown key 'titel'"},
       {std::string("dropmd run --set wall.form=quartik ") + kClusterRun, 3,
        "dropmd: error: --set wall.form=quartik: unknown form 'quartik' in [wall] (did you mean 'quartic'?)"},
       {std::string("dropmd run --set neighbor.metod=cells ") + kClusterRun, 3,
        "dropmd: error: --set neighbor.metod=cells: unknown key 'metod' in [neighbor] (did you mean 'method'?)"},
       {std::string("dropmd run --set walll.form=none ") + kClusterRun, 3,
        "dropmd: error: --set walll.form=none: unknown section [walll] (did you mean [wall]?)"},
       {std::string("dropmd run --set coulomb.form=cut ") + kClusterRun, 3,
        "--set coulomb.form=cut: form 'cut' in [coulomb] needs 'cutoff'"},
       {std::string("dropmd run --set species.Ar.mass=3 ") + kClusterRun, 3, "there is no [[species]] named 'Ar'"},
       {std::string("dropmd run --timestep 2 --set integrator.form=descent ") + kClusterRun, 3,
        "--timestep 2: 'timestep' in [integrator] is not used by form 'descent'"},
       {std::string("dropmd energy --neighbor cells ") + kClusterRun, 3,
        "dropmd: error: neighbor method 'cells' needs a cutoff"},
       {std::string("dropmd run --set neighbor.method=cells ") + kClusterRun, 3,
        "dropmd: error: --set neighbor.method=cells: neighbor method 'cells' needs a cutoff"},
       {"dropmd generate droplet --atoms 300 --lattice random --min-distance 3 -o x.drop", 3, "of 300 atoms fit"},
       {"dropmd generate droplet --atoms 300 --vapour 0.5 --vapour-radius 9 -o x.drop", 3,
        "only 0 of 150 atoms of the vapour fit around a droplet of radius 7.9"}});
  EXPECT_FALSE(folder.has("x.drop"));
}

/// The name of a file may hold bytes that a terminal obeys: here, to write in red and to set the terminal's title.
TEST(ExitStatus, NamesOfFilesGiveNoCommandsToATerminal) {
  const AppFolder folder;
  const std::string red = "a\x1b[31m\x1b]0;b\x07";
  const auto shows = [&](const std::vector<std::string>& words, int status) {
    std::vector<std::string> line{DROPMD_BINARY};
    line.insert(line.end(), words.begin(), words.end());
    const Outcome outcome = ChildProcess(folder.path(), line).wait();
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr("a?[31m?]0;b?"));
    EXPECT_THAT(outcome.out + outcome.err, testing::Not(HasSubstr("\x1b")));
  };
  shows({"run", red + ".toml"}, 3);
  shows({"energy", red + ".drop"}, 3);
  shows({"run", kClusterRun, "--steps", "2", "-q", "-o", "/dev/null/" + red}, 6);
  shows({"run", kClusterRun, "--steps", "2", "-o", red}, 0);
  shows({"run", kClusterRun, "--steps", "2", "-o", red}, 6);  // it exists
  shows({"generate", "droplet", "--atoms", "5", "-o", red + ".drop"}, 0);
}

TEST(ExitStatus, NoUsableGpu) {
  if (!query_devices().devices.empty()) GTEST_SKIP() << "this machine has a usable GPU";
  const AppFolder folder;
  expect_failures(folder, {{std::string("dropmd energy --backend cuda ") + kClusterRun, 4, query_devices().reason}});
  const Outcome fallback = folder.run(std::string("dropmd energy ") + kClusterRun);
  EXPECT_EQ(fallback.status, 0);
  EXPECT_THAT(fallback.err, HasSubstr("dropmd: running on the CPU: no usable GPU (dropmd info says why)\n"));
}

TEST(ExitStatus, Physics) {
  const AppFolder folder;
  folder.write("same.drop", "title\n3\n5\n1 1 1 1\n4 4 4 1\n1 1 1 -1\n");
  expect_failures(folder, {{"dropmd energy same.drop", 5, "atoms 1 and 3 are 0 sigma apart, at (1, 1, 1)"},
                           {"dropmd run -q same.drop", 5, "step 0, time 0: atoms 1 and 3"}});
}

TEST(ExitStatus, TimestepTooLarge) {
  const AppFolder folder;
  folder.write("fast.toml",
               "units = \"lj\"\n[system]\nstructure = \"inputs/samples/lj-cluster-13.xyz\"\n"
               "[lennard-jones]\nepsilon = 1\nsigma = 1\n[integrator]\ntimestep = 0.5\n"
               "[output]\ndirectory = \"fast-out\"\nenergy-every = 1\nfinal = \"final.xyz\"\n");
  const Outcome outcome = folder.run("dropmd run -q fast.toml");
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.err, StartsWith("dropmd: error: step 1, time 0.5 tau: atom "));
  for (const char* part :
       {" moved ", " sigma in one step", "; force (", "; nearest neighbour: atom ", " at a distance of "})
    EXPECT_THAT(outcome.err, HasSubstr(part));
  const std::string rows = folder.text("fast-out/energy.csv");
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 3) << "two header lines and step 0";
  EXPECT_FALSE(folder.has("fast-out/final.xyz"));
}

TEST(ExitStatus, ExistingOutputIsKeptWithoutForce) {
  const AppFolder folder;
  const std::string run = std::string("dropmd run -q --steps 2 -o out ") + kClusterRun;
  const std::string energy = std::string("dropmd energy -q -o point.txt ") + kClusterRun;
  const std::string generate = "dropmd generate droplet -q --atoms 10 -o ten.drop";
  for (const std::string& line : {run, energy, generate}) EXPECT_EQ(folder.run(line).status, 0) << line;
  for (const char* name : {"out/final.xyz", "point.txt", "ten.drop"}) folder.write(name, "precious");
  expect_failures(folder, {{run, 6, " exists (use --force"},
                           {energy, 6, "point.txt exists (use --force"},
                           {generate, 6, "ten.drop exists (use --force"}});
  for (const char* name : {"out/final.xyz", "point.txt", "ten.drop"}) EXPECT_EQ(folder.text(name), "precious");
  for (const std::string& line : {run, energy, generate}) EXPECT_EQ(folder.run(line + " --force").status, 0) << line;
  for (const char* name : {"out/final.xyz", "point.txt", "ten.drop"}) EXPECT_NE(folder.text(name), "precious");
}

/// Otherwise it would be found only when the run ends.
TEST(ExitStatus, AFinalStructureThatCannotBeWrittenIsFoundBeforeTheFirstStep) {
  namespace fs = std::filesystem;
  const AppFolder folder;
  const std::string run = std::string("dropmd run -q --steps 2 -o out ") + kClusterRun;
  const auto expect_early = [&](const std::string& line, const std::string& message) {
    expect_failures(folder, {{line, 6, message}});
    EXPECT_EQ(folder.text("out/energy.csv"), "");
  };
  fs::create_directory(folder.path() / "out");
  fs::create_symlink("nowhere/final.xyz", folder.path() / "out/final.xyz");
  expect_early(run, "out/final.xyz is a link to a file that does not exist (use --force to overwrite it");
  EXPECT_EQ(folder.run(run + " --force").status, 0);
  EXPECT_THAT(folder.text("out/final.xyz"), StartsWith("13\n")) << "in the place of the link";
  fs::remove_all(folder.path() / "out");
  fs::create_directories(folder.path() / "out/final.xyz");
  expect_early(run + " --force", "out/final.xyz: cannot create the file: Is a directory");
}

/// This holds for quiet runs, too, since scripts work with what they leave.
TEST(ExitStatus, AMinimiserThatDoesNotConverge) {
  const AppFolder folder;
  folder.write("fire.toml",
               "units = \"lj\"\n[system]\nstructure = \"inputs/samples/lj-cluster-13.xyz\"\n"
               "[lennard-jones]\nepsilon = 1\nsigma = 1\n[integrator]\nform = \"fire\"\nforce-tolerance = 1e-4\n");
  const Outcome few = folder.run("dropmd run -q fire.toml --steps 3 -o few");
  EXPECT_EQ(few.status, 1);
  EXPECT_THAT(few.err, AllOf(StartsWith("dropmd: error: not converged after step 3: the largest force is still "),
                             HasSubstr(" epsilon/sigma (use more --steps, ")));
  EXPECT_TRUE(folder.has("few/checkpoint.h5"));
  const Outcome more = folder.run("dropmd run -q --resume few/checkpoint.h5 --steps 5000");
  EXPECT_EQ(more.status, 0) << more.err;
}

TEST(ExitStatus, OutputThatIsAnInputIsNeverWritten) {
  const AppFolder folder;
  folder.write("run/final.drop", "title\n2\n5\n0 0 0 0\n2.5 0 0 0\n");
  expect_failures(folder, {{"dropmd run -q --force run/final.drop -o run", 6, "final.drop is an input"},
                           {"dropmd energy --force run/final.drop -o run/final.drop", 6, "final.drop is an input"},
                           {"dropmd energy run/final.drop -o new --forces ./new", 6, "new is named for two outputs"}});
  EXPECT_THAT(folder.text("run/final.drop"), StartsWith("title"));
}

/// Neither links nor indirect paths lead to an input, whatever the outputs are called.
TEST(ExitStatus, NoLinkLeadsToWritingAnInput) {
  namespace fs = std::filesystem;
  const AppFolder folder;
  const std::string structure = "title\n2\n5\n0 0 0 0\n2.5 0 0 0\n";
  folder.write("in/start.drop", structure);
  folder.write(
      "in/run.toml",
      "units = \"lj\"\n[system]\nstructure = \"../in/start.drop\"\n[lennard-jones]\nepsilon = 1\nsigma = 1\n[output]\n"
      "final = \"start.drop\"\n");
  const std::string toml = folder.text("in/run.toml");
  fs::create_directory_symlink("in", folder.path() / "linked");
  for (const char* const name : {"soft", "hard"}) fs::create_directory(folder.path() / name);
  fs::create_symlink("../in/start.drop", folder.path() / "soft/energy.csv");
  fs::create_hard_link(folder.path() / "in/start.drop", folder.path() / "hard/trajectory.xyz");
  const std::string run = "dropmd run -q --force --steps 2 in/run.toml -o ";
  expect_failures(folder, {{run + "in", 6, "in/start.drop is an input"},
                           {run + "linked", 6, "linked/start.drop is an input"},
                           {run + "soft/../in", 6, "start.drop is an input"},
                           {run + "soft", 6, "soft/energy.csv is an input"},
                           {run + "hard", 6, "hard/trajectory.xyz is an input"},
                           {"dropmd energy --force in/run.toml -o linked/run.toml", 6, "run.toml is an input"}});
  EXPECT_EQ(folder.text("in/start.drop"), structure);
  EXPECT_EQ(folder.text("in/run.toml"), toml);
}

TEST(ExitStatus, OutputCannotBeWritten) {
  const AppFolder folder;
  folder.write("file", "");
  const std::string cluster = kClusterRun;
  expect_failures(folder,
                  {{"dropmd energy -o /dev/full " + cluster, 6, "No space left on device"},
                   {"dropmd energy --forces /dev/full " + cluster, 6, "No space left on device"},
                   {"dropmd energy -o no/such/folder/x " + cluster, 6, "there is no folder no/such/folder"},
                   {"dropmd energy -o file/x " + cluster, 6, "file/x: cannot create it in its folder: Not a directory"},
                   {"dropmd run -o file " + cluster, 6, "cannot create the folder"}});
  const Outcome full = folder.run("dropmd info", "/dev/full");
  EXPECT_EQ(full.status, 6);
  EXPECT_THAT(full.err, HasSubstr("standard output could not be written"));
}

}  // namespace
}  // namespace dropmd
