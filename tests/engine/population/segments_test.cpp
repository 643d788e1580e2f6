#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/errors.h"
#include "engine/jobs/resume.h"
#include "engine/jobs/run_job.h"
#include "engine/model/form_catalog.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/run_file.h"
#include "outputs/checkpoint/checkpoint_file.h"
#include "outputs/structures/structure_file.h"
#include "tests/outputs/output_files.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/processors.h"
#include "tests/support/system/temp_folder.h"

/// A run whose population changes twice: ten atoms leave at step 1,000 and five are added at step 2,000.
namespace dropmd {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kRemoval = 1'000, kAddition = 2'000, kLast = 2'500;

std::vector<PopulationAction> actions() {
  const auto remove = [](const System& system) {  // removes those farthest to one side
    std::multimap<double, std::uint32_t> by_x;
    const Particles& p = system.particles;
    for (std::size_t i = 0; i < p.size(); ++i) by_x.emplace(p.position[i].x, p.id_of(i));
    PopulationChange change;
    for (auto it = by_x.begin(); change.removed.size() < 10; ++it) change.removed.push_back(it->second);
    return change;
  };
  const auto add = [](const System&) {
    PopulationChange change;
    for (int k = 0; k < 5; ++k)
      change.added.push_back(
          {.position = {8.0, 2.0 * k, 0}, .velocity = {-0.5, 0, 0}, .mass = 1, .charge = 0.1 * k, .species = "X"});
    return change;
  };
  return {{kRemoval, remove}, {kAddition, add}};
}

class Segments : public OnProcessors {
 protected:
  void SetUp() override {
    OnProcessors::SetUp();
    if (IsSkipped()) return;
    const RunConfig config = lj_run(verlet(0.004), 1);
    const System system = build_system(config, structure_of(fcc_ball(6)));
    Particles particles = system.particles;
    for (std::size_t i = 0; i < particles.size(); ++i) particles.charge[i] = i % 2 == 0 ? 0.2 : -0.2;
    particles.velocity.clear();
    write_structure_file(folder_.path() / "start.xyz", {.particles = particles}, true);
  }

  /// Makes the run up to step `last`, from its start where `from` is null. Returns the bookings.
  std::vector<PopulationBooking> make(const std::string& integrator, const std::string& out, std::int64_t last,
                                      const ResumedRun* from = nullptr,
                                      const std::vector<PopulationAction>& given = actions()) const {
    RunConfig config = from != nullptr ? from->config : config_of(integrator, out);
    config.steps = last;
    RunHooks hooks;
    hooks.actions = given;
    hooks.self_check_every = 100;
    std::vector<PopulationBooking> bookings;
    hooks.booked = [&](const PopulationBooking& booking) { bookings.push_back(booking); };
    const RunSummary summary = run_job(config, hooks, from != nullptr ? &from->from : nullptr);
    EXPECT_EQ(summary.end, RunEnd::finished);
    EXPECT_EQ(summary.self_check.value().violation, "");
    return bookings;
  }
  void resume(const std::string& integrator, const std::string& out, std::int64_t last,
              const std::vector<PopulationAction>& given = actions()) const {
    const ResumedRun from = resume_run(folder_.path() / out, std::nullopt, {});
    make(integrator, out, last, &from, given);
  }
  /// The reason why the run in `out` cannot resume with these actions; empty if it can.
  std::string refusal(const std::string& out, const std::vector<PopulationAction>& given) const {
    const std::string before = text(out, "energy.csv");
    try {
      resume("", out, kLast, given);
    } catch (const InputError& error) {
      EXPECT_EQ(text(out, "energy.csv"), before) << "no file is touched";
      return error.what();
    }
    return {};
  }

  fs::path file(const std::string& out, const std::string& name) const { return folder_.path() / out / name; }
  std::string text(const std::string& out, const std::string& name) const { return read_text(file(out, name)); }

 private:
  RunConfig config_of(const std::string& integrator, const std::string& out) const {
    const std::string backend = on_cpu() ? "cpu" : "cuda", precision = is_mixed() ? "mixed" : "double";
    const fs::path path = folder_.write(
        "run.toml",
        "units = \"lj\"\n[system]\nstructure = \"start.xyz\"\nmass = 1\ntemperature = 0.35\n[lennard-jones]\n"
        "epsilon = 1\nsigma = 1\ncutoff = 2.5\n[coulomb]\nform = \"smoothed\"\ncutoff = 3\n[engine]\nbackend = \"" +
            backend + "\"\nprecision = \"" + precision + "\"\n[integrator]\n" + integrator +
            "[run]\nsteps = 2500\nrecenter = \"mass\"\nrecenter-every = 50\nremove-momentum = \"both\"\n[output]\n"
            "directory = \"" +
            out + "\"\nenergy-every = 100\ntrajectory-every = 250\ncheckpoint-every = 100000\nfinal = \"final.xyz\"\n");
    RunConfig config = read_run_file(path, form_catalog());
    config.output_directory = folder_.path() / out;
    return config;
  }

  TempFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Processors, Segments, all_processors(), name_of_processor);

constexpr const char* kIntegrators[] = {
    "form = \"velocity-verlet\"\ntimestep = 0.004\n",
    "form = \"langevin\"\ntimestep = 0.004\ntemperature = 0.35\nfriction = 0.2\n",
    "form = \"csvr\"\ntimestep = 0.004\ntemperature = 0.35\nrelaxation = 0.5\n",
    "form = \"velocity-verlet\"\ntimestep = 0.004\n[neighbor]\nmethod = \"pair-list\"\nskin = 0.3\n",
};

TEST_P(Segments, ResumedAnywhereTheyEndInTheSameBytes) {
  for (const char* const integrator : kIntegrators) {
    SCOPED_TRACE(integrator);
    make(integrator, "whole", kLast);
    for (const std::int64_t stop : {std::int64_t{500}, kRemoval, std::int64_t{1'500}, kAddition, std::int64_t{2'300}}) {
      SCOPED_TRACE(stop);
      const std::string out = "stopped";
      fs::remove_all(file(out, ""));
      make(integrator, out, stop);
      resume(integrator, out, kLast);
      for (const char* const name : {"energy.csv", "ledger.csv", "trajectory.xyz", "final.xyz"})
        EXPECT_TRUE(text(out, name) == text("whole", name)) << name;
      const Checkpoint a = read_checkpoint(file(out, "checkpoint.h5")),
                       b = read_checkpoint(file("whole", "checkpoint.h5"));
      EXPECT_EQ(a.state.id, b.state.id);
      EXPECT_EQ(a.state.next_id, b.state.next_id);
      EXPECT_EQ(a.state.n_dof, b.state.n_dof);
      EXPECT_TRUE(a.state.booked == b.state.booked);
      EXPECT_EQ(a.state.carried, b.state.carried);
      EXPECT_EQ(a.mass, b.mass);
      EXPECT_EQ(a.state.position, b.state.position);
      EXPECT_EQ(a.state.velocity, b.state.velocity);
      EXPECT_EQ(a.state.device.host_index, b.state.device.host_index);
      if (HasFailure()) return;
    }
    fs::remove_all(file("whole", ""));
  }
}

/// A run does not resume without the actions that it still has to take.
TEST_P(Segments, AreNotResumedWithoutTheirActions) {
  const std::vector<PopulationAction> all = actions(), first{all[0]}, second{all[1]};
  make(kIntegrators[0], "whole", kLast);
  make(kIntegrators[0], "out", 500);
  EXPECT_EQ(read_checkpoint(file("out", "checkpoint.h5")).population_actions,
            (std::vector<std::int64_t>{kRemoval, kAddition}));
  EXPECT_EQ(refusal("out", {}), file("out", "checkpoint.h5").string() +
                                    ": the run of this checkpoint removes or adds atoms at step 1000, 2000 after it, "
                                    "by actions of the program that wrote it; the resumed run has such actions at no "
                                    "step (resume it with that program and the same actions)");
  EXPECT_THAT(refusal("out", first), testing::HasSubstr("has such actions at step 1000 "));
  resume(kIntegrators[0], "out", 1'500);
  EXPECT_THAT(refusal("out", first), testing::HasSubstr("at step 2000 after it"));
  resume(kIntegrators[0], "out", 2'300, second);  // the first action has been taken
  EXPECT_EQ(read_checkpoint(file("out", "checkpoint.h5")).population_actions, std::vector<std::int64_t>{});
  resume(kIntegrators[0], "out", kLast, {});
  for (const char* const name : {"energy.csv", "ledger.csv", "trajectory.xyz", "final.xyz"})
    EXPECT_TRUE(text("out", name) == text("whole", name)) << name;
}

/// A run cannot resume with actions that it did not have, since its files have no columns for them.
TEST_P(Segments, ARunWithoutActionsIsGivenNone) {
  const char* const integrator = kIntegrators[1];  // a bath, so there is a ledger
  make(integrator, "whole", 1'200, nullptr, {});
  make(integrator, "out", 500, nullptr, {});
  EXPECT_EQ(read_checkpoint(file("out", "checkpoint.h5")).population_actions, std::nullopt);
  EXPECT_THAT(refusal("out", actions()), testing::HasSubstr("at no step after it"));
  std::vector<PopulationAction> past = actions();
  past.resize(1);
  past.front().step = 100;
  resume(integrator, "out", 1'200, past);
  for (const char* const name : {"energy.csv", "ledger.csv", "trajectory.xyz", "final.xyz"})
    EXPECT_TRUE(text("out", name) == text("whole", name)) << name;
}

/// Such a checkpoint records that there were actions, but not at which steps; a program that knows them passes them.
TEST_P(Segments, ACheckpointOfAnOlderVersionIsResumed) {
  make(kIntegrators[1], "whole", kLast);
  for (const bool with_actions : {true, false}) {
    fs::remove_all(file("out", ""));
    make(kIntegrators[1], "out", 500);
    Checkpoint older = read_checkpoint(file("out", "checkpoint.h5"));
    older.population_actions.reset();
    write_checkpoint(file("out", "checkpoint.h5"), older);
    resume(kIntegrators[1], "out", kLast, with_actions ? actions() : std::vector<PopulationAction>{});
    const auto lines_until_removal = [&](const std::string& out) {
      const std::string csv = text(out, "ledger.csv");
      return csv.substr(0, csv.find("\n1100,"));
    };
    EXPECT_EQ(lines_until_removal("out"), lines_until_removal("whole"));
    const std::string trajectory = text("out", "trajectory.xyz");
    std::size_t n_frames = 0;
    for (std::size_t at = 0; (at = trajectory.find(":id:I:1", at)) != std::string::npos; ++at) ++n_frames;
    EXPECT_EQ(n_frames, 11U) << "every frame has the column";
    if (with_actions) {
      EXPECT_TRUE(trajectory == text("whole", "trajectory.xyz"));
    }
  }
}

/// The ids of the atoms, by frame.
std::map<std::size_t, std::vector<std::uint32_t>> ids_of_frames(const std::string& trajectory) {
  std::map<std::size_t, std::vector<std::uint32_t>> frames;
  std::istringstream lines(trajectory);
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t n = std::stoul(line);
    std::getline(lines, line);
    EXPECT_THAT(line, testing::HasSubstr(":id:I:1"));
    std::vector<std::uint32_t>& ids = frames[frames.size()];
    for (std::size_t i = 0; i < n; ++i) {
      std::getline(lines, line);
      ids.push_back(static_cast<std::uint32_t>(std::stoul(line.substr(line.rfind(' ')))));
    }
  }
  return frames;
}

TEST_P(Segments, OutputsSayWhichAtomsThereAre) {
  const std::vector<PopulationBooking> bookings = make(kIntegrators[0], "out", kLast);
  ASSERT_EQ(bookings.size(), 2U);
  EXPECT_EQ(bookings[0].step, kRemoval);
  EXPECT_EQ(bookings[0].id.size(), 10U);
  EXPECT_DOUBLE_EQ(bookings[0].mass, 10);
  EXPECT_EQ(bookings[1].step, kAddition);
  EXPECT_NEAR(bookings[1].charge, 0.1 + 0.2 + 0.3 + 0.4, 1e-12);
  const auto n = static_cast<std::uint32_t>(fcc_ball(6).size());
  EXPECT_EQ(bookings[1].id, (std::vector<std::uint32_t>{n + 1, n + 2, n + 3, n + 4, n + 5}));
  auto frames = ids_of_frames(text("out", "trajectory.xyz"));
  ASSERT_EQ(frames.size(), 11U);
  for (auto& [frame, ids] : frames) {
    const std::int64_t step = 250 * static_cast<std::int64_t>(frame);
    EXPECT_EQ(ids.size(), step <= kRemoval ? n : step <= kAddition ? n - 10 : n - 5) << step;
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    EXPECT_EQ(std::count(ids.begin(), ids.end(), bookings[0].id.front()), step <= kRemoval ? 1 : 0) << step;
  }
  EXPECT_EQ(std::count_if(frames[10].begin(), frames[10].end(), [&](std::uint32_t id) { return id > n; }), 5);
}

/// Columns of energy.csv or ledger.csv by name.
std::map<std::string, std::vector<double>> columns_of(const std::string& csv) {
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  while (line.starts_with('#')) std::getline(lines, line);
  std::vector<std::string> names;
  std::istringstream head(line);
  for (std::string name; std::getline(head, name, ',');) names.push_back(name);
  std::map<std::string, std::vector<double>> columns;
  while (std::getline(lines, line)) {
    std::istringstream row(line);
    std::string word;
    for (std::size_t k = 0; std::getline(row, word, ','); ++k) columns[names.at(k)].push_back(std::stod(word));
  }
  return columns;
}

/// The total energy changes by the bookings and by nothing else: ledger.csv says what left and came, and the conserved
/// energy changes by the error of the integrator alone.
TEST_P(Segments, ConservedContinuesAcrossChanges) {
  for (const char* const integrator : {kIntegrators[0], kIntegrators[1]}) {
    SCOPED_TRACE(integrator);
    const std::vector<PopulationBooking> bookings = make(integrator, "out", kLast);
    ASSERT_EQ(bookings.size(), 2U);
    auto ledger = columns_of(text("out", "ledger.csv")), energy = columns_of(text("out", "energy.csv"));
    fs::remove_all(file("out", ""));
    for (const char* const name : {"step", "total", "conserved"}) EXPECT_EQ(ledger[name], energy[name]) << name;
    const std::vector<double>& conserved = ledger["conserved"];
    ASSERT_EQ(conserved.size(), 26U);
    double drift = 0;
    for (std::size_t k = 0; k < conserved.size(); ++k) {
      const double step = ledger["step"][k];
      EXPECT_EQ(ledger["removed"][k], step > kRemoval ? bookings[0].energy : 0) << step;
      EXPECT_EQ(ledger["added"][k], step > kAddition ? bookings[1].energy : 0) << step;
      double sum = 0, size = std::abs(ledger["total"][k]);
      for (const std::string_view cause : kCauseNames) {
        const auto column = ledger.find(std::string(cause));
        if (column == ledger.end()) continue;
        sum += column->second.at(k);
        size += std::abs(column->second.at(k));
      }
      EXPECT_NEAR(conserved[k], ledger["total"][k] - sum, 1e-12 * size) << step;
      if (step > kRemoval) drift = std::max(drift, std::abs(conserved[k] - conserved[10]));
    }
    EXPECT_GT(std::abs(bookings[0].energy), 5) << "what left was bound";
    EXPECT_GT(std::abs(bookings[1].energy), 0.1) << "what came was moving";
    EXPECT_LT(drift, 0.01 * std::abs(bookings[0].energy)) << "since the last row before the first change";
  }
}

}  // namespace
}  // namespace dropmd
