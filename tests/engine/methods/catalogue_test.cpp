#include "engine/methods/catalogue.h"

#include <gtest/gtest.h>

#include "core/errors.h"
#include "engine/methods/method_parameters.h"
#include "inputs/run_file/choice_words.h"
#include "inputs/run_file/run_config.h"
#include "tests/support/charged_atoms.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/pair_models.h"
#include "tests/support/short_run.h"

/// The catalogue describes the methods as they are.
namespace dropmd {
namespace {

PairModel cut_model() { return simple_model(FormChoice{"cut", {{"cutoff", 3.0}}}, std::nullopt); }

Method on_cpu(const MethodRecord& record, double skin = 0.3) {
  Method method = exact_method({1});
  method.neighbor = record.neighbor;
  method.skin = skin;
  return method;
}

TEST(Catalogue, HasARecordForEveryWordInTheirOrder) {
  std::vector<NeighborMethod> words, records;
  for (const auto& [word, method] : kNeighborWords)
    if (method != NeighborMethod::automatic) words.push_back(method);
  for (const MethodRecord& record : method_catalogue()) {
    records.push_back(record.neighbor);
    EXPECT_FALSE(record.summary.empty()) << word_of(record.neighbor);
  }
  EXPECT_EQ(records, words);
}

TEST(Catalogue, SaysWhichMethodsNeedACutoff) {
  const ChargedAtoms atoms = fcc_ball(3);
  const PairModel plain = simple_model(FormChoice{"none"}, std::nullopt);
  for (const MethodRecord& record : method_catalogue()) {
    SCOPED_TRACE(word_of(record.neighbor));
    EXPECT_TRUE(record.suits(cut_model()));
    EXPECT_EQ(record.suits(plain), !record.needs_cutoff);
    if (record.needs_cutoff)
      EXPECT_THROW(make_pair_forces(on_cpu(record), plain, atoms.view()), InputError);
    else
      EXPECT_NO_THROW(make_pair_forces(on_cpu(record), plain, atoms.view()));
  }
}

TEST(Catalogue, SaysWhichMethodsKeepAListOnACpu) {
  const ChargedAtoms atoms = fcc_ball(5);
  const PairModel model = cut_model();
  std::vector<Vec3<double>> force(atoms.size());
  for (const MethodRecord& record : method_catalogue()) {
    SCOPED_TRACE(word_of(record.neighbor));
    const auto forces = make_pair_forces(on_cpu(record), model, atoms.view());
    forces->evaluate(atoms.position, force, Want::forces);
    EXPECT_EQ(forces->keeps_list(), record.cpu.has_skin);
    EXPECT_EQ(forces->list_positions().size(), record.cpu.has_skin ? atoms.size() : 0);
  }
}

/// On a CPU only the edge of cells is open.
TEST(Catalogue, ParametersBeginWithThoseOfTheRule) {
  RunConfig config = lj_run(verlet(0.002), 1);
  config.lennard_jones->treatment = {"cut", {{"cutoff", 3.0}}};
  const System system = build_system(config, structure_of(fcc_ball(5)));
  for (const MethodRecord& record : method_catalogue()) {
    SCOPED_TRACE(word_of(record.neighbor));
    const Method method = on_cpu(record);
    const std::vector<Method> candidates = with_each_parameter(method, system, config);
    ASSERT_FALSE(candidates.empty());
    const bool cells = record.neighbor == NeighborMethod::cells;
    EXPECT_EQ(candidates.front().cell_share, cells ? usual_cell_share(system.model) : 0);
    EXPECT_EQ(candidates.size() > 1, cells);
    for (const Method& candidate : candidates) {
      EXPECT_EQ(candidate.list_form, ListForm::automatic);
      EXPECT_LE(candidate.cell_share, longest_cell_share(system.model));
    }
    EXPECT_EQ(list_form_of(system, config, method), ListForm::automatic);
    EXPECT_FALSE(is_persistent(system, config, method));
    EXPECT_EQ(device_bytes(system, method), 0U);
  }
}

TEST(Catalogue, IsWhatIsAvailable) {
  RunConfig config;
  config.backend = Backend::cpu;
  const auto words_of = [](const std::vector<Method>& methods) {
    std::vector<std::pair<NeighborMethod, Precision>> words;
    for (const Method& method : methods) words.emplace_back(method.neighbor, method.precision);
    return words;
  };
  for (const PairModel& model : {cut_model(), simple_model(FormChoice{"none"}, std::nullopt)}) {
    std::vector<std::pair<NeighborMethod, Precision>> expected;
    for (const MethodRecord& record : method_catalogue())
      if (record.suits(model))
        for (const Precision precision : {Precision::fp64, Precision::mixed})
          expected.emplace_back(record.neighbor, precision);
    EXPECT_EQ(words_of(available_methods(config, model, 100)), expected);
  }
}

/// The usual method is the last record whose threshold is reached.
TEST(Catalogue, NamesTheUsualMethod) {
  RunConfig config;
  config.backend = Backend::cpu;
  for (const std::size_t n : {2, 100'000}) {
    EXPECT_EQ(choose_method(config, cut_model(), n).neighbor, NeighborMethod::pair_list);
    EXPECT_EQ(choose_method(config, simple_model(FormChoice{"none"}, std::nullopt), n).neighbor,
              NeighborMethod::all_pairs);
  }
  EXPECT_EQ(record_of(NeighborMethod::pair_list).cuda.usual_from, 2113U) << "measured: docs/experiments.md";
}

}  // namespace
}  // namespace dropmd
