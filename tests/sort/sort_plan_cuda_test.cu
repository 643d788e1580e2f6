#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/vec3.h"
#include "device/device_info.h"
#include "device/graph.cuh"
#include "sort/sort_plan.cuh"

/// The GPU's plans compared byte by byte with the CPU's.
namespace dropmd {
namespace {

constexpr int kPoison = -7;
constexpr std::size_t kGuards = 32;

class SortPlanCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
    stream_ = std::make_unique<Stream>(0);
  }

  Cuda cuda() const { return {*stream_}; }

  template <class T>
  DeviceBuffer<T> uploaded(const std::vector<T>& host) const {
    DeviceBuffer<T> buffer(*stream_);
    buffer.upload(host);
    stream_->synchronize("copying test data");
    return buffer;
  }

  template <class T>
  std::vector<T> downloaded(const DeviceBuffer<T>& buffer) const {
    std::vector<T> host(buffer.size());
    buffer.download(host);
    stream_->synchronize("reading a result");
    return host;
  }

  /// [n] elements with guards after them, all poisoned.
  DeviceBuffer<int> poisoned(std::size_t n) const { return uploaded(std::vector<int>(n + kGuards, kPoison)); }

  std::unique_ptr<Stream> stream_;
};

std::vector<int> with_guards(std::vector<int> values) {
  values.insert(values.end(), kGuards, kPoison);
  return values;
}

std::vector<int> shuffled_indices(int n, std::uint32_t seed) {
  std::vector<int> indices(static_cast<std::size_t>(n));
  std::iota(indices.begin(), indices.end(), 0);
  std::shuffle(indices.begin(), indices.end(), std::mt19937(seed));
  return indices;
}

/// Sources in random order, some of them out of range.
std::vector<int> awkward_sources(int n, std::uint32_t seed) {
  std::vector<int> source = shuffled_indices(n, seed);
  std::mt19937 random(seed + 1);
  const int wrong[] = {-1, n, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()};
  for (int& s : source)
    if (random() % 50 == 0) s = wrong[random() % 4];
  return source;
}

/// [n] elements of random bytes.
template <class T>
std::vector<T> random_payload(int n, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> payload(static_cast<std::size_t>(n));
  auto* bytes = reinterpret_cast<unsigned char*>(payload.data());
  for (std::size_t i = 0; i < payload.size() * sizeof(T); ++i) bytes[i] = static_cast<unsigned char>(random());
  return payload;
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// An element of a given size and alignment.
template <std::size_t Size, std::size_t Align>
struct alignas(Align) Blob {
  unsigned char bytes[Size];
};

template <class T>
class SortPlanPayload : public SortPlanCuda {};
using Payloads = ::testing::Types<std::uint8_t, std::uint16_t, float, double, float4, Vec3<float>, Vec3<double>,
                                  std::array<float, 4>, Blob<3, 1>, Blob<6, 2>, Blob<20, 4>, Blob<48, 16>, Blob<64, 32>,
                                  Blob<160, 8>>;
TYPED_TEST_SUITE(SortPlanPayload, Payloads);

TYPED_TEST(SortPlanPayload, MovesAsTheCpuDoes) {
  for (const int n : {0, 1, 31, 32, 33, 255, 256, 257, 1000, 70'001}) {
    const std::vector<int> source = awkward_sources(n, 3);
    const auto in = random_payload<TypeParam>(n, 4);
    // 32 elements after the end must not change.
    auto expected = random_payload<TypeParam>(n + 32, 5);
    const auto d_source = this->uploaded(source);
    const auto d_in = this->uploaded(in);
    const auto d_out = this->uploaded(expected);
    apply_permutation(this->cuda(), SortPlan::permutation(d_source.data(), n),
                      Payload<TypeParam>{d_in.data(), d_out.data()});
    apply_permutation(Cpu{2}, SortPlan::permutation(source.data(), n), Payload<TypeParam>{in.data(), expected.data()});
    EXPECT_TRUE(same_bytes(this->downloaded(d_out), expected)) << n;
  }
}

TEST_F(SortPlanCuda, MovesSeveralArraysAtOnce) {
  constexpr int kIn = 5000, kOut = 12'345;  // a source may be used more than once
  std::vector<int> source(kOut);
  std::mt19937 random(8);
  for (int& s : source) s = static_cast<int>(random() % kIn);
  const auto charge = random_payload<float>(kIn, 1);
  const auto position = random_payload<Vec3<double>>(kIn, 2);
  const auto local = random_payload<Vec3<float>>(kIn, 3);
  auto charge_out = random_payload<float>(kOut, 4);
  auto position_out = random_payload<Vec3<double>>(kOut, 5);
  auto local_out = random_payload<Vec3<float>>(kOut, 6);
  const auto d_source = uploaded(source);
  const auto d_charge = uploaded(charge), d_charge_out = uploaded(charge_out);
  const auto d_position = uploaded(position), d_position_out = uploaded(position_out);
  const auto d_local = uploaded(local), d_local_out = uploaded(local_out);
  apply_permutation(cuda(), SortPlan{d_source.data(), kOut, kIn}, Payload<float>{d_charge.data(), d_charge_out.data()},
                    Payload<Vec3<double>>{d_position.data(), d_position_out.data()},
                    Payload<Vec3<float>>{d_local.data(), d_local_out.data()});
  apply_permutation(Cpu{1}, SortPlan{source.data(), kOut, kIn}, Payload<float>{charge.data(), charge_out.data()},
                    Payload<Vec3<double>>{position.data(), position_out.data()},
                    Payload<Vec3<float>>{local.data(), local_out.data()});
  EXPECT_TRUE(same_bytes(downloaded(d_charge_out), charge_out));
  EXPECT_TRUE(same_bytes(downloaded(d_position_out), position_out));
  EXPECT_TRUE(same_bytes(downloaded(d_local_out), local_out));
}

/// Molecules of random sizes, some without atoms, and atoms that belong to no molecule.
struct System {
  int n_molecules;
  std::vector<int> molecule_of_atom;

  int n_atoms() const { return static_cast<int>(molecule_of_atom.size()); }
};

System random_system(int n_molecules, int max_size, int n_single, std::uint32_t seed) {
  std::mt19937 random(seed);
  System system{n_molecules, {}};
  for (int m = 0; m < n_molecules; ++m)
    system.molecule_of_atom.insert(system.molecule_of_atom.end(), random() % static_cast<std::uint32_t>(max_size + 1),
                                   m);
  const int none[] = {-1, n_molecules, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()};
  for (int i = 0; i < n_single; ++i) system.molecule_of_atom.push_back(none[i % 4]);
  std::shuffle(system.molecule_of_atom.begin(), system.molecule_of_atom.end(), random);
  return system;
}

std::vector<System> systems() {
  return {random_system(0, 0, 0, 1),     random_system(0, 0, 5, 2),       random_system(3, 0, 0, 3),
          random_system(1, 7, 0, 4),     random_system(300, 3, 17, 5),    random_system(256, 4, 0, 6),
          random_system(9, 5000, 40, 7), random_system(50'000, 4, 999, 8)};
}

TEST_F(SortPlanCuda, GroupsAtomsAsTheCpuDoes) {
  SortPlanWorkspace workspace(cuda(), {200'000, 50'000, 0});
  for (const System& system : systems()) {
    std::vector<int> offsets(static_cast<std::size_t>(system.n_molecules) + 1);
    std::vector<int> atoms(system.molecule_of_atom.size());
    group_by_molecule(Cpu{1}, system.molecule_of_atom.data(), system.n_atoms(), system.n_molecules,
                      {offsets.data(), atoms.data()});
    const auto d_ids = uploaded(system.molecule_of_atom);
    const auto d_offsets = poisoned(offsets.size());
    const auto d_atoms = poisoned(atoms.size());
    group_by_molecule(cuda(), d_ids.data(), system.n_atoms(), system.n_molecules, {d_offsets.data(), d_atoms.data()},
                      workspace);
    EXPECT_EQ(downloaded(d_offsets), with_guards(offsets)) << system.n_molecules;
    EXPECT_EQ(downloaded(d_atoms), with_guards(atoms)) << system.n_molecules;
  }
}

/// Base atoms: those of the system's molecules, each in `copies` arrays, and its single atoms; sorted in random order.
struct Bases {
  std::vector<int> molecule;
  std::vector<int> permutation;
  std::vector<int> offsets;

  Segments segments(const int* where) const {
    return Segments::ragged(where, static_cast<int>(offsets.size()) - 1, static_cast<int>(molecule.size()));
  }
};

Bases random_bases(const System& system, int copies, bool faulty, std::uint32_t seed) {
  Bases bases;
  std::mt19937 random(seed);
  for (int copy = 0; copy < copies; ++copy)
    for (int m = 0; m < system.n_molecules; ++m) bases.molecule.push_back(m);
  for (int atom = 0; atom < system.n_atoms(); ++atom)
    if (const int m = system.molecule_of_atom[static_cast<std::size_t>(atom)]; m < 0 || m >= system.n_molecules)
      bases.molecule.push_back(~atom);
  std::shuffle(bases.molecule.begin(), bases.molecule.end(), random);
  const int n = static_cast<int>(bases.molecule.size());
  bases.permutation = faulty ? awkward_sources(n, seed) : shuffled_indices(n, seed);
  bases.offsets = {0};
  while (bases.offsets.back() < n)
    bases.offsets.push_back(std::min(n, bases.offsets.back() + static_cast<int>(random() % 60)));
  if (faulty) {
    bases.offsets.insert(bases.offsets.begin(), std::numeric_limits<int>::min());
    bases.offsets.push_back(std::numeric_limits<int>::max());
    for (int& m : bases.molecule)
      if (random() % 40 == 0) m = random() % 2 == 0 ? system.n_molecules : ~system.n_atoms();
  }
  return bases;
}

/// A system and its base atoms in device memory.
struct DeviceSystem {
  DeviceBuffer<int> offsets, atoms, molecule, permutation, segment_offsets;
};

class SortPlanMolecules : public SortPlanCuda {
 protected:
  struct Lists {
    std::vector<int> offsets, atoms;
  };

  static Lists lists_of(const System& system) {
    Lists lists{std::vector<int>(static_cast<std::size_t>(system.n_molecules) + 1),
                std::vector<int>(system.molecule_of_atom.size())};
    group_by_molecule(Cpu{1}, system.molecule_of_atom.data(), system.n_atoms(), system.n_molecules,
                      {lists.offsets.data(), lists.atoms.data()});
    return lists;
  }

  DeviceSystem uploaded_system(const Lists& lists, const Bases& bases) const {
    return {uploaded(lists.offsets), uploaded(lists.atoms), uploaded(bases.molecule), uploaded(bases.permutation),
            uploaded(bases.offsets)};
  }

  static SortedBases sorted_bases(const Bases& bases, const DeviceSystem& d) {
    return {bases.segments(d.segment_offsets.data()), d.permutation.data(), d.molecule.data()};
  }
  static MoleculesView molecules(const System& system, const DeviceSystem& d) {
    return {d.offsets.data(), d.atoms.data(), system.n_molecules, system.n_atoms()};
  }

  /// The CPU's answer: atoms [capacity] over poison, and offsets.
  static std::pair<std::vector<int>, std::vector<int>> expected(const System& system, const Lists& lists,
                                                                const Bases& bases, int capacity) {
    std::vector<int> atoms(static_cast<std::size_t>(capacity), kPoison);
    std::vector<int> offsets(bases.offsets.size());
    expand_molecules(Cpu{1}, {bases.segments(bases.offsets.data()), bases.permutation.data(), bases.molecule.data()},
                     {lists.offsets.data(), lists.atoms.data(), system.n_molecules, system.n_atoms()},
                     {atoms.data(), capacity, offsets.data()});
    return {atoms, offsets};
  }
};

TEST_F(SortPlanMolecules, ExpandAsOnTheCpu) {
  SortPlanWorkspace workspace(cuda(), {0, 0, 200'000});
  for (const System& system : systems())
    for (const bool faulty : {false, true}) {
      constexpr int kCopies = 2;
      const Lists lists = lists_of(system);
      const Bases bases = random_bases(system, kCopies, faulty, 9);
      const DeviceSystem d = uploaded_system(lists, bases);
      for (const int capacity : {kCopies * system.n_atoms(), system.n_atoms() / 2}) {
        const auto [atoms, offsets] = expected(system, lists, bases, capacity);
        const auto d_atoms = poisoned(atoms.size());
        const auto d_offsets = poisoned(offsets.size());
        expand_molecules(cuda(), sorted_bases(bases, d), molecules(system, d),
                         {d_atoms.data(), capacity, d_offsets.data()}, workspace);
        EXPECT_EQ(downloaded(d_atoms), with_guards(atoms)) << system.n_molecules << ' ' << faulty << ' ' << capacity;
        EXPECT_EQ(downloaded(d_offsets), with_guards(offsets)) << system.n_molecules << ' ' << faulty;
      }
    }
}

TEST_F(SortPlanMolecules, ExpandUniformSegments) {
  const System system = random_system(600, 4, 0, 12);
  const Lists lists = lists_of(system);
  Bases bases = random_bases(system, 1, false, 13);
  const DeviceSystem d = uploaded_system(lists, bases);
  const Segments segments = Segments::uniform(20, 30);
  std::vector<int> atoms(system.molecule_of_atom.size(), kPoison), offsets(21);
  expand_molecules(Cpu{1}, {segments, bases.permutation.data(), bases.molecule.data()},
                   {lists.offsets.data(), lists.atoms.data(), system.n_molecules, system.n_atoms()},
                   {atoms.data(), system.n_atoms(), offsets.data()});
  SortPlanWorkspace workspace(cuda(), {0, 0, 600});
  const auto d_atoms = poisoned(atoms.size()), d_offsets = poisoned(offsets.size());
  expand_molecules(cuda(), {segments, d.permutation.data(), d.molecule.data()}, molecules(system, d),
                   {d_atoms.data(), system.n_atoms(), d_offsets.data()}, workspace);
  EXPECT_EQ(downloaded(d_atoms), with_guards(atoms));
  EXPECT_EQ(downloaded(d_offsets), with_guards(offsets));
}

/// Everything is in one graph, which is launched twice: no call waits or allocates.
TEST_F(SortPlanMolecules, MayBeCapturedInAGraph) {
  const System system = random_system(3000, 4, 100, 14);
  const Lists lists = lists_of(system);
  const Bases bases = random_bases(system, 1, false, 15);
  const auto [atoms, offsets] = expected(system, lists, bases, system.n_atoms());
  const auto payload = random_payload<Vec3<double>>(system.n_atoms(), 16);
  auto payload_out = payload;
  apply_permutation(Cpu{1}, SortPlan::permutation(atoms.data(), system.n_atoms()),
                    Payload<Vec3<double>>{payload.data(), payload_out.data()});

  const DeviceSystem d = uploaded_system(lists, bases);
  const auto d_ids = uploaded(system.molecule_of_atom);
  const auto d_payload = uploaded(payload), d_payload_out = uploaded(payload);
  const auto d_atoms = poisoned(atoms.size()), d_offsets = poisoned(offsets.size());
  const auto d_list_offsets = poisoned(lists.offsets.size()), d_list_atoms = poisoned(lists.atoms.size());
  SortPlanWorkspace workspace(cuda(), {system.n_atoms(), system.n_molecules, static_cast<int>(bases.molecule.size())});

  const Graph graph(cuda(), [&] {
    group_by_molecule(cuda(), d_ids.data(), system.n_atoms(), system.n_molecules,
                      {d_list_offsets.data(), d_list_atoms.data()}, workspace);
    expand_molecules(cuda(), sorted_bases(bases, d),
                     {d_list_offsets.data(), d_list_atoms.data(), system.n_molecules, system.n_atoms()},
                     {d_atoms.data(), system.n_atoms(), d_offsets.data()}, workspace);
    apply_permutation(cuda(), SortPlan::permutation(d_atoms.data(), system.n_atoms()),
                      Payload<Vec3<double>>{d_payload.data(), d_payload_out.data()});
  });
  for (int launch = 0; launch < 2; ++launch) graph.launch(cuda());
  stream_->synchronize("running a graph");
  EXPECT_EQ(downloaded(d_list_offsets), with_guards(lists.offsets));
  EXPECT_EQ(downloaded(d_list_atoms), with_guards(lists.atoms));
  EXPECT_EQ(downloaded(d_atoms), with_guards(atoms));
  EXPECT_EQ(downloaded(d_offsets), with_guards(offsets));
  EXPECT_TRUE(same_bytes(downloaded(d_payload_out), payload_out));
}

TEST_F(SortPlanCuda, WorkBeyondTheLimitsIsRefused) {
  SortPlanWorkspace workspace(cuda(), {10, 4, 4});
  EXPECT_THROW(group_by_molecule(cuda(), nullptr, 11, 4, {}, workspace), std::invalid_argument);
  EXPECT_THROW(group_by_molecule(cuda(), nullptr, 10, 5, {}, workspace), std::invalid_argument);
  EXPECT_THROW(expand_molecules(cuda(), {Segments::uniform(1, 5), nullptr, nullptr}, {}, {}, workspace),
               std::invalid_argument);
  EXPECT_THROW(SortPlanWorkspace(cuda(), {-1, 0, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace dropmd
