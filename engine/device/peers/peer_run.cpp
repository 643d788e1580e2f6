#include "engine/device/peers/peer_run.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <mutex>
#include <type_traits>
#include <utility>

#include "core/errors.h"

namespace dropmd {

CallingThread::~CallingThread() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void CallingThread::start(std::function<void()> call) {
  {
    const std::scoped_lock lock(mutex_);
    call_ = std::move(call);
  }
  changed_.notify_all();
}

void CallingThread::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !call_; });
}

void CallingThread::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return call_ || ends_; });
    if (!call_) return;
    lock.unlock();
    call_();
    lock.lock();
    call_ = nullptr;
    changed_.notify_all();
  }
}

PeerRun::PeerRun(std::uint32_t n_peers, const std::function<std::unique_ptr<DeviceRun>(std::uint32_t)>& make,
                 std::function<void()> abandon, std::function<std::string()> describe, RunRanks* ranks)
    : abandon_(std::move(abandon)), describe_(std::move(describe)), ranks_(ranks), peers_(n_peers) {
  for (std::uint32_t rank = 0; rank < n_peers; ++rank) threads_.push_back(std::make_unique<CallingThread>());
  try {
    in_threads(n_peers, [&](std::uint32_t rank) { peers_[rank] = make(rank); });
  } catch (...) {
    end_peers();
    throw;
  }
}

PeerRun::~PeerRun() { end_peers(); }

void PeerRun::settle() noexcept {
  for (const auto& peer : peers_)
    if (peer) peer->settle();
}

/// The run of a peer ends in its own thread, where its device is the current one, once no GPU uses its memory any more.
void PeerRun::end_peers() {
  settle();
  for (std::size_t rank = 0; rank < peers_.size(); ++rank)
    threads_[rank]->start([this, rank] { peers_[rank].reset(); });
  for (const auto& thread : threads_) thread->wait();
}

template <class Call>
void PeerRun::in_threads(std::size_t n, const Call& call) {
  std::mutex mutex;
  std::exception_ptr first_failure;
  for (std::uint32_t rank = 0; rank < n; ++rank)
    threads_[rank]->start([&, rank] {
      try {
        call(rank);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (!first_failure) first_failure = std::current_exception();  // the others may fail because of it
        abandon_();
      }
    });
  for (std::size_t rank = 0; rank < n; ++rank) threads_[rank]->wait();
  if (first_failure) std::rethrow_exception(first_failure);
}

template <class Call>
auto PeerRun::of_all(const Call& call) {
  using Result = std::invoke_result_t<Call, DeviceRun&>;
  if constexpr (std::is_void_v<Result>) {
    in_threads(peers_.size(), [&](std::uint32_t rank) { call(*peers_[rank]); });
  } else {
    std::vector<std::optional<Result>> results(peers_.size());
    in_threads(peers_.size(), [&](std::uint32_t rank) { results[rank] = call(*peers_[rank]); });
    return results;
  }
}

template <class Call>
auto PeerRun::of_first(const Call& call) {
  using Result = std::invoke_result_t<Call, DeviceRun&>;
  if constexpr (std::is_void_v<Result>) {
    in_threads(1, [&](std::uint32_t) { call(first()); });
  } else {
    std::optional<Result> result;
    in_threads(1, [&](std::uint32_t) { result = call(first()); });
    return std::move(*result);
  }
}

bool PeerRun::upload(const Particles& particles, std::int64_t step) {
  return *of_all([&](DeviceRun& run) { return run.upload(particles, step); }).front();
}

void PeerRun::begin_with(std::span<const std::vector<double>> term_states) {
  of_all([&](DeviceRun& run) { run.begin_with(term_states); });
}

void PeerRun::keep() {
  of_all([](DeviceRun& run) { run.keep(); });
}

bool PeerRun::start(std::int64_t last, const StepWants& wants) {
  return *of_all([&](DeviceRun& run) { return run.start(last, wants); }).front();
}

namespace {

/// What peers must agree on.
struct Digest {
  std::int64_t step;
  std::uint64_t energy;  ///< bits of the total energy; 0: not computed
  std::uint64_t broken;

  bool operator==(const Digest&) const = default;
};

Digest digest_of(const DeviceRun::Progress& progress) {
  return {progress.step, progress.energies ? std::bit_cast<std::uint64_t>(progress.energies->energies.total()) : 0,
          progress.broken ? 1U : 0U};
}

}  // namespace

DeviceRun::Progress PeerRun::finish() {
  const auto results = of_all([](DeviceRun& run) { return run.finish(); });
  const Progress& progress = *results.front();
  std::vector<Digest> digests;
  for (const std::optional<Progress>& of_peer : results) digests.push_back(digest_of(*of_peer));
  if (ranks_ != nullptr) digests = ranks_->gather_values(digests.front());
  const bool agree =
      std::all_of(digests.begin(), digests.end(), [&](const Digest& of_peer) { return of_peer == digests.front(); });
  if (!agree) {
    abandon_();  // those that go on would wait for the others
    throw DeviceError("the GPUs of the run obtained different results for step " + std::to_string(progress.step) +
                      " (a fault in one of them, or a defect in dropmd: resume on one GPU, from the last checkpoint)");
  }
  return progress;
}

void PeerRun::download(Particles& particles, std::span<Vec3<double>> force) {
  of_first([&](DeviceRun& run) { run.download(particles, force); });
}

std::vector<Vec3<double>> PeerRun::slow_force() {
  return of_first([](DeviceRun& run) { return run.slow_force(); });
}

std::vector<double> PeerRun::internal_state() {
  return of_first([](DeviceRun& run) { return run.internal_state(); });
}

void PeerRun::load_internal_state(std::span<const double> internal_state) {
  of_all([&](DeviceRun& run) { run.load_internal_state(internal_state); });
}

Bookings PeerRun::bookings() {
  return of_first([](DeviceRun& run) { return run.bookings(); });
}

void PeerRun::set_bookings(const Bookings& bookings) {
  of_all([&](DeviceRun& run) { run.set_bookings(bookings); });
}

void PeerRun::set_reordering(const ReorderInterval& reordering) {
  of_all([&](DeviceRun& run) { run.set_reordering(reordering); });
}

void PeerRun::add_to(RunState& state) {
  of_first([&](DeviceRun& run) { run.add_to(state); });
}

bool PeerRun::resume_from(const Particles& particles, const RunState& state) {
  return *of_all([&](DeviceRun& run) { return run.resume_from(particles, state); }).front();
}

void PeerRun::set_groups(const Particles& particles, std::size_t n_dof) {
  of_all([&](DeviceRun& run) { run.set_groups(particles, n_dof); });
}

std::vector<std::uint32_t> PeerRun::cluster_labels(const ClusterLinks& links) {
  return of_first([&](DeviceRun& run) { return run.cluster_labels(links); });
}

ForceField::Result PeerRun::energies() {
  return *of_all([](DeviceRun& run) { return run.energies(); }).front();
}

double PeerRun::largest_force() {
  return *of_all([](DeviceRun& run) { return run.largest_force(); }).front();
}

}  // namespace dropmd
