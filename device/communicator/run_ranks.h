#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace dropmd {

class NcclPeers;

/// The first rank of a run has ended it, and says why.
struct RanksLeft : std::runtime_error {
  RanksLeft() : std::runtime_error("the first rank has ended the run") {}
};

/// The processes that perform one run together, *ranks*, each with a GPU of its own. All of them make the same calls,
/// in the same order, and come to the same state by themselves; what depends on a clock, on signals or on outputs is
/// decided by the first one, rank 0.
class RunRanks {
 public:
  virtual ~RunRanks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Returns the texts of all ranks, by rank; they may hold any bytes.
  virtual std::vector<std::string> gather(const std::string& text) = 0;

  /// The same with values.
  template <class T>
  std::vector<T> gather_values(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> values;
    for (const std::string& bytes : gather({reinterpret_cast<const char*>(&mine), sizeof(T)}))
      std::memcpy(&values.emplace_back(mine), bytes.data(), sizeof(T));
    return values;
  }

  /// Returns what the first rank passed. Throws RanksLeft if that one cannot go on.
  template <class T>
  T from_first(T mine) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kMostBytes);
    take_from_first(&mine, sizeof(T));
    return mine;
  }

  /// Calls call() in all ranks. If call() throws in one of them, all_do() throws in all: the same exception there, and
  /// elsewhere an Error of the same kind with the message of the first rank that failed.
  void all_do(const std::function<void()>& call);

  /// Returns the connection of the GPUs of all ranks, which the first call makes by make(). It lasts until the run has
  /// ended in all ranks, since none may leave it while another one uses it.
  std::shared_ptr<NcclPeers> connection(const std::function<std::shared_ptr<NcclPeers>()>& make);

 protected:
  static constexpr std::size_t kMostBytes = 32;
  /// Replaces bytes by those of the first rank; n: at most kMostBytes.
  virtual void take_from_first(void* bytes, std::size_t n) = 0;

 private:
  std::shared_ptr<NcclPeers> connection_;
};

/// Returns what the first of the ranks passed; null: there are none, so it is what this process passed.
template <class T>
T from_first(RunRanks* ranks, T mine) {
  return ranks != nullptr ? ranks->from_first(mine) : mine;
}

}  // namespace dropmd
