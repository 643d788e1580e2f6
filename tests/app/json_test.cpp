#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/system/app_folder.h"

/// --json prints one object with the documented fields (docs/file-formats.md), and nothing else.
namespace dropmd {
namespace {

using OrderedJson = nlohmann::ordered_json;
using Names = std::vector<std::string>;

OrderedJson json_of(const AppFolder& folder, const std::string& line) {
  const Outcome outcome = folder.run(line);
  EXPECT_EQ(outcome.status, 0) << line << '\n' << outcome.err;
  return OrderedJson::parse(outcome.out);  // throws if anything stands before or after the object
}

Names names_of(const OrderedJson& object) {
  Names names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

TEST(JsonOutput, Energy) {
  const AppFolder folder;
  const OrderedJson json =
      json_of(folder, "dropmd energy --json --backend cpu --neighbor all-pairs inputs/samples/droplet-4139.toml");
  EXPECT_EQ(names_of(json),
            (Names{"n_atoms", "units", "backend", "device", "precision", "neighbor", "potential", "vdw", "coulomb",
                   "wall", "pairs_within_cutoff", "pairs_examined", "useful_pair_fraction", "max_force", "version"}));
  EXPECT_EQ(json["n_atoms"], 4139);
  EXPECT_EQ(json["units"], "real");
  EXPECT_EQ(json["backend"], "cpu");
  EXPECT_EQ(json["precision"], "mixed");
  EXPECT_EQ(json["neighbor"], "all-pairs");
  // OpenMM's energy of the sample and its number of pairs. OpenMM agrees to 2e-7, mixed precision to 1e-6 of sum |u|.
  EXPECT_NEAR(json["potential"].get<double>(), -21776.3462445517, 0.02);
  EXPECT_NEAR(json["pairs_within_cutoff"].get<double>(), 728991, 10);
  EXPECT_EQ(json["pairs_examined"], 4139 * 4138 / 2);
}

TEST(JsonOutput, Compare) {
  const AppFolder folder;
  const OrderedJson json = json_of(folder, "dropmd compare --json inputs/samples/lj-cluster-13.toml");
  EXPECT_EQ(names_of(json), (Names{"n_atoms", "n_sampled", "units", "reference", "truncation", "rows", "version"}));
  EXPECT_EQ(names_of(json["reference"]), (Names{"potential", "vdw", "coulomb", "wall", "pairs_within_cutoff"}));
  EXPECT_EQ(names_of(json["truncation"]), (Names{"potential", "vdw", "coulomb"}));
  ASSERT_GE(json["rows"].size(), 2U);
  for (const OrderedJson& row : json["rows"]) {
    EXPECT_EQ(names_of(row), (Names{"backend", "precision", "neighbor", "energy", "relative_energy_error",
                                    "rms_force_error", "worst_atom", "worst_force_error", "pairs_within_cutoff",
                                    "pairs_examined", "useful_pair_fraction", "microseconds", "ok"}));
    EXPECT_EQ(row["ok"], true);
    EXPECT_EQ(row["pairs_within_cutoff"], 78);
  }
}

TEST(JsonOutput, Bench) {
  const AppFolder folder;
  const OrderedJson json = json_of(folder, "dropmd bench forces --json --backend cpu --atoms 100 --threads 1");
  EXPECT_EQ(names_of(json), (Names{"what", "device", "commit", "rows"}));
  EXPECT_EQ(json["what"], "forces");
  ASSERT_FALSE(json["rows"].empty());
  for (const OrderedJson& row : json["rows"]) {
    EXPECT_EQ(row["n_atoms"], 100);
    EXPECT_GT(row["forces_us"].get<double>(), 0);
    EXPECT_TRUE(row["kernel_us"].is_null()) << "the GPU's clock, on a CPU";
  }
}

TEST(JsonOutput, BenchSort) {
  const AppFolder folder;
  const OrderedJson json =
      json_of(folder, "dropmd bench sort --json --backend cpu --lengths 8,90 --ragged 30 --keys 20000");
  EXPECT_EQ(names_of(json), (Names{"what", "device", "commit", "rows"}));
  EXPECT_EQ(json["what"], "sort");
  ASSERT_EQ(json["rows"].size(), 6U) << "two methods, three cases";
  for (const OrderedJson& row : json["rows"]) {
    EXPECT_EQ(names_of(row), (Names{"lengths", "mean_length", "longest_length", "empty_fraction", "segments", "n_keys",
                                    "backend", "device", "method", "time_us", "graph_node_us", "keys_per_s",
                                    "fraction_of_copy", "speedup_over_cub", "checked_against"}));
    EXPECT_GT(row["time_us"].get<double>(), 0);
    EXPECT_NEAR(row["keys_per_s"].get<double>() * row["time_us"].get<double>() * 1e-6, row["n_keys"].get<double>(), 1);
    EXPECT_EQ(row["checked_against"], "std::stable_sort");
    for (const char* of_gpu : {"graph_node_us", "fraction_of_copy", "speedup_over_cub"})
      EXPECT_TRUE(row[of_gpu].is_null()) << of_gpu << ", on a CPU";
  }
  EXPECT_EQ(json["rows"][0]["method"], "dropmd");
  EXPECT_EQ(json["rows"][1]["method"], "std-sort");
  EXPECT_EQ(json["rows"][2]["mean_length"], 90);
  EXPECT_EQ(json["rows"][2]["segments"], 222);
  EXPECT_EQ(json["rows"][2]["n_keys"], 19980);
  EXPECT_EQ(json["rows"][4]["lengths"], "poisson");
  EXPECT_EQ(json["rows"][4]["empty_fraction"], 0.5);
  EXPECT_GT(json["rows"][4]["longest_length"], 30);
}

TEST(JsonOutput, Run) {
  const AppFolder folder;
  const OrderedJson json = json_of(folder, "dropmd run --json inputs/samples/lj-cluster-13.toml -o out");
  EXPECT_EQ(names_of(json), (Names{"end", "steps", "time", "units", "potential", "vdw", "coulomb", "wall", "kinetic",
                                   "total", "temperature", "max_force", "seconds", "files", "version"}));
  EXPECT_EQ(json["end"], "converged");
  // Cambridge Cluster Database, six digits after the decimal point.
  EXPECT_NEAR(json["potential"].get<double>(), -44.326801, 1e-6);
  EXPECT_EQ(json["files"], (OrderedJson{"out/energy.csv", "out/final.xyz", "out/checkpoint.h5"}));
  for (const std::string file : json["files"]) EXPECT_TRUE(folder.has(file)) << file;
}

TEST(JsonOutput, Info) {
  const AppFolder folder;
  const OrderedJson json = json_of(folder, "dropmd info --json");
  EXPECT_EQ(names_of(json), (Names{"version", "commit", "compiler", "build_type", "instruction_set", "threads",
                                   "cuda_build", "cuda_architectures", "cuda_driver", "vkfft_problem", "cufft_problem",
                                   "nccl_problem", "devices", "methods", "no_gpu_because"}));
  Names methods, need_cutoffs;
  for (const OrderedJson& method : json["methods"]) {
    methods.push_back(method["neighbor"]);
    if (method["needs_cutoff"]) need_cutoffs.push_back(method["neighbor"]);
  }
  EXPECT_EQ(methods, (Names{"all-pairs", "cells", "sorted-cells", "pair-list"}));
  EXPECT_EQ(need_cutoffs, (Names{"cells", "sorted-cells", "pair-list"}));
  EXPECT_EQ(json["devices"].empty(), !json["no_gpu_because"].get<std::string>().empty());
  EXPECT_EQ(folder.run("dropmd --version").out, "dropmd " + json["version"].get<std::string>() + "\n");
}

TEST(JsonOutput, GoesToTheFileOfTheOutputOption) {
  const AppFolder folder;
  const Outcome outcome = folder.run("dropmd energy --json inputs/samples/lj-cluster-13.toml -o point.json");
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(OrderedJson::parse(folder.text("point.json"))["n_atoms"], 13);
}

}  // namespace
}  // namespace dropmd
