#include "device/communicator/peer_sum.cuh"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "core/errors.h"

/// Sums over two GPUs, each with a thread of its own as in a run.
namespace dropmd {
namespace {

using Words = std::vector<unsigned long long>;

struct Never {
  __device__ bool operator()() const { return false; }
};

/// Through each other's memory, or by NCCL (true).
class PeerSumTest : public testing::TestWithParam<bool> {
 protected:
  static bool by_nccl() { return GetParam(); }
  void SetUp() override {
    load_all_kernels();
    const DeviceReport report = query_devices();
    if (!report.reason.empty()) GTEST_SKIP() << report.reason;
    if (report.devices.size() < 2) GTEST_SKIP() << "there is one GPU";
    if (by_nccl()) {
      if (const std::string problem = nccl_problem(); !problem.empty()) GTEST_SKIP() << problem;
      ::setenv("DROPMD_NO_PEER_MEMORY", "1", 1);
    }
    group_ = std::make_unique<PeerGroup>(std::vector{report.devices[0].index, report.devices[1].index});
    ::unsetenv("DROPMD_NO_PEER_MEMORY");
    ASSERT_EQ(group_->nccl() != nullptr, by_nccl());
  }

  /// One of the peers, with its words on its GPU.
  struct Side {
    Side(PeerGroup& group, std::uint32_t rank)
        : stream(group.device(rank)), cuda{stream}, peer{group, rank}, d_words(stream), d_mark(stream), errors(stream) {
      d_mark.resize(1);
      d_mark.zero();
    }
    void upload(const Words& words) {
      d_words.upload(words);
      stream.synchronize("test");
    }
    Words download() const {
      Words words(d_words.size());
      d_words.download(words);
      stream.synchronize("test");
      return words;
    }

    Stream stream;
    Cuda cuda;
    Peer peer;
    DeviceBuffer<unsigned long long> d_words;
    DeviceBuffer<std::uint32_t> d_mark;
    ErrorRecord errors;
  };

  /// Calls both sides, each in its thread.
  void both(const std::function<void(Side&)>& call) {
    std::vector<std::thread> threads;
    for (std::uint32_t rank = 0; rank < 2; ++rank)
      threads.emplace_back([&, rank] {
        Side side(*group_, rank);
        call(side);
        side.stream.synchronize("test");
        group_->gather(rank, nullptr);  // neither may free its memory before the other has ended
      });
    for (std::thread& thread : threads) thread.join();
  }

  /// Returns the words of a peer for a round, of any size, even so large that sums overflow.
  static Words words_of(std::uint32_t rank, std::uint32_t round, std::size_t n) {
    std::mt19937_64 random(1000 * round + rank);
    Words words(n);
    for (unsigned long long& word : words) word = random();
    return words;
  }
  static Words sum_of(std::uint32_t round, std::size_t n) {
    Words sum = words_of(0, round, n);
    const Words other = words_of(1, round, n);
    for (std::size_t k = 0; k < n; ++k) sum[k] += other[k];
    return sum;
  }

  std::unique_ptr<PeerGroup> group_;
};

INSTANTIATE_TEST_SUITE_P(Ways, PeerSumTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Nccl" : "Memory"; });

TEST_P(PeerSumTest, GivesBothTheSums) {
  for (const std::size_t n : {1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1000, 4097, 1'000'003}) {
    SCOPED_TRACE(n);
    both([&](Side& side) {
      side.d_words.resize(n);
      const PeerSum sum(side.cuda, side.peer, side.d_words.data(), n);
      for (std::uint32_t round = 0; round < 5; ++round) {
        side.upload(words_of(side.peer.rank, round, n));
        sum(side.cuda);
        EXPECT_EQ(side.download(), sum_of(round, n)) << "round " << round;
      }
    });
  }
}

/// In a run nothing waits between sums: a GPU may be ahead of the other by what is enqueued.
TEST_P(PeerSumTest, GivesBothTheSumsOfManyRounds) {
  constexpr std::uint32_t kRounds = 40;
  constexpr std::size_t kWords = 3001;
  both([&](Side& side) {
    side.upload(words_of(side.peer.rank, 0, kWords));
    const PeerSum sum(side.cuda, side.peer, side.d_words.data(), kWords);
    for (std::uint32_t round = 0; round < kRounds; ++round) sum(side.cuda);
    Words expected = sum_of(0, kWords);
    for (unsigned long long& word : expected) word <<= kRounds - 1;  // each round doubles the sum
    EXPECT_EQ(side.download(), expected);
  });
}

TEST_P(PeerSumTest, LeavesOutWhatIsNotWanted) {
  both([&](Side& side) {
    side.upload(words_of(side.peer.rank, 0, 100));
    const PeerSum sum(side.cuda, side.peer, side.d_words.data(), 100);
    sum(side.cuda, Never{});
    EXPECT_EQ(side.download(), words_of(side.peer.rank, 0, 100));
    sum(side.cuda);
    EXPECT_EQ(side.download(), sum_of(0, 100));
  });
}

/// A mark on one GPU is enough, and counts once. NCCL adds up all words in any case.
TEST_P(PeerSumTest, LeavesOutRareWordsWithoutAMark) {
  constexpr std::size_t kWords = 300, kRare = 110;
  both([&](Side& side) {
    side.d_words.resize(kWords);
    const PeerSum sum(side.cuda, side.peer, side.d_words.data(), kWords, {kRare, side.d_mark.data()});
    for (const bool marked : {false, true, false}) {
      const Words mine = words_of(side.peer.rank, 3, kWords);
      side.upload(mine);
      if (marked && side.peer.rank == 1) side.d_mark.upload(std::vector<std::uint32_t>{1});
      sum(side.cuda);
      Words expected = sum_of(3, kWords);
      if (!marked && !by_nccl()) std::copy(mine.end() - kRare, mine.end(), expected.end() - kRare);
      EXPECT_EQ(side.download(), expected) << marked;
    }
  });
}

__global__ void report_kernel(ErrorRecordView errors) { errors.report(7, 123); }

TEST_P(PeerSumTest, GivesBothTheFaultOfOne) {
  both([&](Side& side) {
    side.upload(Words(64, 1));
    const ErrorRecordView errors = side.errors.view();
    const PeerSum sum(side.cuda, side.peer, side.d_words.data(), 64, {}, &errors);
    sum(side.cuda);
    EXPECT_FALSE(side.errors.read());
    if (side.peer.rank == 1) report_kernel<<<1, 1, 0, side.cuda.get()>>>(errors);
    sum(side.cuda);
    const std::optional<DeviceFault> fault = side.errors.read();
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->code, 7);
    EXPECT_EQ(fault->index, 123);
    EXPECT_TRUE(side.errors.any());
  });
}

__global__ void work_kernel(long long microseconds) {
  const std::uint64_t end = peer_balance::nanoseconds() + 1000 * static_cast<std::uint64_t>(microseconds);
  while (peer_balance::nanoseconds() < end) {
  }
}

/// A GPU that takes longer for its other work gets less of the divided work, down to nothing; both know the same
/// division.
TEST_P(PeerSumTest, DividesWorkByTime) {
  if (by_nccl()) GTEST_SKIP() << "NCCL tells no times";
  std::uint32_t middle[2] = {};
  both([&](Side& side) {
    const PeerBalance balance(side.stream, side.peer);
    side.upload(Words(100, 1));
    const PeerSum sum(side.cuda, side.peer, side.d_words.data(), 100, {}, nullptr, &balance);
    for (int round = 0; round < 60; ++round) {
      work_kernel<<<1, 1, 0, side.cuda.get()>>>(side.peer.rank == 1 ? 3000 : 200);
      sum(side.cuda, InAnyCase{}, round > 0);
    }
    DROPMD_CUDA(cudaMemcpyAsync(&middle[side.peer.rank], balance.share().bounds + 1, sizeof(std::uint32_t),
                                cudaMemcpyDeviceToHost, side.cuda.get()),
                "test");
    side.stream.synchronize("test");
  });
  EXPECT_EQ(middle[0], middle[1]);
  EXPECT_EQ(middle[0], WorkShare::kWhole) << "the first has all";
}

/// Otherwise a GPU would wait for ever for one that has failed.
TEST_P(PeerSumTest, EndsWhenAPeerIsGone) {
  std::vector<std::unique_ptr<Side>> sides;
  std::vector<std::unique_ptr<PeerSum>> sums(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    sides.push_back(std::make_unique<Side>(*group_, rank));
    sides.back()->upload(Words(10, 1));
  }
  std::thread other(
      [&] { sums[1] = std::make_unique<PeerSum>(sides[1]->cuda, sides[1]->peer, sides[1]->d_words.data(), 10); });
  sides[0]->stream.activate();
  sums[0] = std::make_unique<PeerSum>(sides[0]->cuda, sides[0]->peer, sides[0]->d_words.data(), 10);
  other.join();
  sides[0]->stream.activate();
  (*sums[0])(sides[0]->cuda);
  EXPECT_EQ(cudaStreamQuery(sides[0]->stream.get()), cudaErrorNotReady);
  group_->abandon();
  sides[0]->stream.synchronize("test");
  EXPECT_THROW(group_->gather(0, nullptr), DeviceError);
}

TEST(PeerGroup, RefusesGpusThatAreNotThere) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  EXPECT_THROW(PeerGroup({0, 99}), DeviceError);
}

}  // namespace
}  // namespace dropmd
