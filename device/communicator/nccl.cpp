#include "device/communicator/nccl.h"

#include "core/errors.h"

#if DROPMD_HAS_NCCL
#include <nccl.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "device/communicator/run_ranks.h"
#include "device/run_time/shared_library.h"
#endif

namespace dropmd {

#if DROPMD_HAS_NCCL

namespace {

/// The functions of the library.
struct Library {
  decltype(&ncclGetVersion) get_version = nullptr;
  decltype(&ncclGetErrorString) get_error_string = nullptr;
  decltype(&ncclCommInitAll) comm_init_all = nullptr;
  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRank) comm_init_rank = nullptr;
  decltype(&ncclCommDestroy) comm_destroy = nullptr;
  decltype(&ncclCommAbort) comm_abort = nullptr;
  decltype(&ncclAllReduce) all_reduce = nullptr;
  std::string problem;

  Library() {
    const SharedLibrary shared("libnccl.so.2");
    if (!shared.loaded())
      problem = "libnccl.so.2 not found (install libnccl2, or set LD_LIBRARY_PATH to its folder)";
    else if (!(shared.find("ncclGetVersion", get_version) && shared.find("ncclGetErrorString", get_error_string) &&
               shared.find("ncclCommInitAll", comm_init_all) && shared.find("ncclGetUniqueId", get_unique_id) &&
               shared.find("ncclCommInitRank", comm_init_rank) && shared.find("ncclCommDestroy", comm_destroy) &&
               shared.find("ncclCommAbort", comm_abort) && shared.find("ncclAllReduce", all_reduce)))
      problem = "libnccl.so.2 is too old (install a newer libnccl2)";
  }

  void require(ncclResult_t result, const char* doing) const {
    if (result != ncclSuccess) throw DeviceError(std::string(doing) + ": NCCL: " + get_error_string(result));
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

}  // namespace

std::string nccl_problem() { return library().problem; }

std::string nccl_version() {
  int version = 0;
  if (!nccl_problem().empty() || library().get_version(&version) != ncclSuccess) return {};
  return std::to_string(version / 10000) + '.' + std::to_string(version / 100 % 100) + '.' +
         std::to_string(version % 100);
}

struct NcclPeers::Communicators {
  std::vector<ncclComm_t> of_rank;  ///< null: in another process
  std::atomic<bool> abandoned{false};
  std::jthread aborting;

  template <class Call>
  void for_each(const Call& call) const {
    for (ncclComm_t communicator : of_rank)
      if (communicator != nullptr) call(communicator);
  }
};

namespace {

void require_nccl() {
  if (const std::string problem = nccl_problem(); !problem.empty())
    throw DeviceError("NCCL cannot be used: " + problem);
}

}  // namespace

NcclPeers::NcclPeers(const std::vector<int>& devices) : communicators_(std::make_unique<Communicators>()) {
  require_nccl();
  std::vector<ncclComm_t> of_rank(devices.size());
  library().require(library().comm_init_all(of_rank.data(), static_cast<int>(devices.size()), devices.data()),
                    "connecting GPUs");
  communicators_->of_rank = std::move(of_rank);
}

NcclPeers::NcclPeers(RunRanks& ranks) : communicators_(std::make_unique<Communicators>()) {
  require_nccl();
  ncclUniqueId id{};
  if (ranks.rank() == 0) library().require(library().get_unique_id(&id), "naming a group of GPUs");
  const std::string of_first = ranks.gather({id.internal, sizeof(id.internal)}).front();
  std::memcpy(id.internal, of_first.data(), sizeof(id.internal));
  ncclComm_t own{};
  library().require(library().comm_init_rank(&own, ranks.size(), id, ranks.rank()), "connecting the GPUs of ranks");
  communicators_->of_rank.resize(static_cast<std::size_t>(ranks.size()));
  communicators_->of_rank[static_cast<std::size_t>(ranks.rank())] = own;
}

NcclPeers::~NcclPeers() {
  if (communicators_->abandoned) return;
  communicators_->for_each([](ncclComm_t communicator) { library().comm_destroy(communicator); });
}

void NcclPeers::sum(std::uint32_t rank, void* stream, unsigned long long* d_words, std::size_t n_words) const {
  if (communicators_->abandoned) throw DeviceError("another GPU of the run failed");
  library().require(library().all_reduce(d_words, d_words, n_words, ncclUint64, ncclSum, communicators_->of_rank[rank],
                                         static_cast<cudaStream_t>(stream)),
                    "summing over GPUs");
}

void NcclPeers::abandon() noexcept {
  if (communicators_->abandoned.exchange(true)) return;
  // It ends the sums at once, but then waits for the graphs that contain any, which the caller destroys later.
  communicators_->aborting = std::jthread([communicators = communicators_.get()] {
    communicators->for_each([](ncclComm_t communicator) { library().comm_abort(communicator); });
  });
}

#else

std::string nccl_problem() { return "this build has no NCCL (nccl.h, of libnccl-dev, was not found)"; }
std::string nccl_version() { return {}; }

struct NcclPeers::Communicators {};

NcclPeers::NcclPeers(const std::vector<int>&) { throw DeviceError("NCCL cannot be used: " + nccl_problem()); }
NcclPeers::NcclPeers(RunRanks&) { throw DeviceError("NCCL cannot be used: " + nccl_problem()); }
NcclPeers::~NcclPeers() = default;
void NcclPeers::sum(std::uint32_t, void*, unsigned long long*, std::size_t) const {}
void NcclPeers::abandon() noexcept {}

#endif

}  // namespace dropmd
