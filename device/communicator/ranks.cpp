#include "device/communicator/ranks.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <thread>

#include "core/clock.h"

#if DROPMD_HAS_MPI
#include <mpi.h>
#endif

namespace dropmd {

namespace {

/// Returns the number that an environment variable holds; 0 if it does not exist or is not a number.
int number_in_environment(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return 0;
  int number = 0;
  const std::string_view whole(text);
  std::from_chars(whole.data(), whole.data() + whole.size(), number);
  return number;
}

}  // namespace

bool Ranks::launched() {
  // Open MPI; MPICH, Intel MPI and others with its process manager; MVAPICH2; srun, for each job step.
  constexpr std::array kSizes{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"};
  for (const char* const name : kSizes)
    if (number_in_environment(name) > 1) return true;
  return false;
}

Ranks::Letter Ranks::wait_for_letter() {
  constexpr auto kBetween = std::chrono::milliseconds(2);
  for (;;) {
    if (std::optional<Letter> letter = receive()) return *letter;
    std::this_thread::sleep_for(kBetween);
  }
}

#if DROPMD_HAS_MPI

// A failing MPI call ends the job with a message of its own: MPI_ERRORS_ARE_FATAL, the default.

std::string Ranks::problem() { return {}; }

/// Words of the first rank have a channel of their own, so that it can send one whatever the others are gathering.
struct Ranks::Channels {
  MPI_Comm words{};

  Channels() { MPI_Comm_dup(MPI_COMM_WORLD, &words); }
  ~Channels() { MPI_Comm_free(&words); }
  Channels(const Channels&) = delete;
  Channels& operator=(const Channels&) = delete;
};

Ranks::Ranks() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  if (provided < MPI_THREAD_SERIALIZED) {
    MPI_Finalize();
    throw UsageError(
        "this MPI cannot be used by several threads (it does not provide MPI_THREAD_SERIALIZED; use another MPI)");
  }
  channels_ = std::make_unique<Channels>();
}

Ranks::~Ranks() {
  channels_.reset();
  MPI_Finalize();
}

namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

/// Returns whether a request completes in time. Until it does, the other processes may be busy: this one leaves the
/// processor to them after a moment.
bool completes(MPI_Request& request, double seconds) {
  constexpr double kMoment = 1e-3;
  const double begin = steady_seconds();
  for (;;) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    const double passed = steady_seconds() - begin;
    if (done != 0 || passed > seconds) return done != 0;
    if (passed > kMoment) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace

std::vector<std::string> Ranks::gather(const std::string& text) {
  const std::lock_guard lock(in_use_);
  const int length = static_cast<int>(text.size());
  std::vector<int> lengths(static_cast<std::size_t>(size_)), begins(lengths.size());
  MPI_Request request{};
  MPI_Iallgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
  completes(request, kForever);
  int total = 0;
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    begins[k] = total;
    total += lengths[k];
  }
  std::string all(static_cast<std::size_t>(total), '\0');
  MPI_Iallgatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(), MPI_CHAR, MPI_COMM_WORLD,
                  &request);
  completes(request, kForever);
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < lengths.size(); ++k)
    texts.push_back(all.substr(static_cast<std::size_t>(begins[k]), static_cast<std::size_t>(lengths[k])));
  return texts;
}

bool Ranks::hear_first(double seconds) {
  MPI_Request request{};
  MPI_Ibcast(&word_, sizeof(word_), MPI_BYTE, 0, channels_->words, &request);
  if (!completes(request, seconds)) return false;
  first_has_left_ = word_.left;
  return true;
}

void Ranks::take_from_first(void* bytes, std::size_t n) {
  const std::lock_guard lock(in_use_);
  word_.number = ++n_words_;
  word_.n = n;
  std::memcpy(word_.bytes, bytes, n);
  hear_first(kForever);
  if (first_has_left_) throw RanksLeft();
  if (word_.number != n_words_ || word_.n != n)
    throw std::logic_error("the ranks of the run are no longer at the same call (a defect in dropmd)");
  std::memcpy(bytes, word_.bytes, n);
}

bool Ranks::end_run(double seconds) {
  const std::lock_guard lock(in_use_);
  if (rank_ == 0) word_.left = true;
  if (!first_has_left_) hear_first(seconds);
  if (!first_has_left_) return false;
  MPI_Request request{};
  MPI_Ibarrier(channels_->words, &request);
  return completes(request, seconds);
}

void Ranks::end_job(ExitStatus status) { MPI_Abort(MPI_COMM_WORLD, static_cast<int>(status)); }

void Ranks::send(int to, const std::string& text) {
  const std::lock_guard lock(in_use_);
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, 0, MPI_COMM_WORLD);
}

std::optional<Ranks::Letter> Ranks::receive() {
  const std::lock_guard lock(in_use_);
  int there = 0, length = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return std::nullopt;
  MPI_Get_count(&status, MPI_CHAR, &length);
  Letter letter{status.MPI_SOURCE, std::string(static_cast<std::size_t>(length), '\0')};
  MPI_Recv(letter.text.data(), length, MPI_CHAR, letter.from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return letter;
}

#else

std::string Ranks::problem() { return "it was built without MPI"; }

Ranks::Ranks() {
  throw UsageError(
      "several processes were started by mpirun or srun, but this dropmd was built without MPI (start one "
      "process, or build where MPI is installed: libopenmpi-dev)");
}

struct Ranks::Channels {};

Ranks::~Ranks() = default;

std::vector<std::string> Ranks::gather(const std::string& text) { return {text}; }

void Ranks::take_from_first(void*, std::size_t) {}

bool Ranks::end_run(double) { return true; }

void Ranks::end_job(ExitStatus) {}

void Ranks::send(int, const std::string&) {}

std::optional<Ranks::Letter> Ranks::receive() { return std::nullopt; }

#endif

}  // namespace dropmd
