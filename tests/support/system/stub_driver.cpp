// A CUDA driver that fails on request, for child processes that find it before the real one (LD_LIBRARY_PATH):
//
//   DROPMD_STUB_VERSION  the answer of cuDriverGetVersion (1000 major + 10 minor)
//   DROPMD_STUB_INIT     the answer of cuInit, a CUresult
//   DROPMD_STUB_REAL     the path of the real driver, which does everything else; without it there are no other
//                        functions
//   DROPMD_STUB_FAIL     "NAME,NAME:STATUS:N": these functions of the driver return STATUS after their first N calls;
//                        with N > 0, one function with at most six arguments, integers or pointers
//   DROPMD_STUB_FREE     the number of free bytes that cuMemGetInfo reports
//
// The CUDA runtime looks up three functions by dlsym, all others through cuGetProcAddress (CUDA driver API, "Driver
// Entry Point Access").
#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

using Status = int;  // CUresult
constexpr Status kSuccess = 0, kNotFound = 500;

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the driver's names
Status cuInit(unsigned flags);
Status cuDriverGetVersion(int* version);
Status cuGetProcAddress(const char* name, void** function, int version, std::uint64_t flags);
Status cuGetProcAddress_v2(const char* name, void** function, int version, std::uint64_t flags, int* found);
// NOLINTEND(readability-identifier-naming)
}

namespace {

int number_from(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : otherwise;
}

template <class Function>
Function* real(const char* name) {
  static void* const library = [] {
    const char* path = std::getenv("DROPMD_STUB_REAL");
    return path != nullptr ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  }();
  return library != nullptr ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

/// The value of DROPMD_STUB_FAIL.
struct Failure {
  std::string names;
  Status status = kSuccess;
  int calls_before = 0;

  Failure() {
    const char* text = std::getenv("DROPMD_STUB_FAIL");
    std::istringstream in(text != nullptr ? text : "");
    char colon = ':';
    std::getline(in, names, ':');
    in >> status >> colon >> calls_before;
    names = "," + names + ",";
  }
  bool is_of(const std::string& name) const { return names.find("," + name + ",") != std::string::npos; }
};

const Failure& failure() {
  static const Failure from_environment;
  return from_environment;
}

using Word = std::uintptr_t;
/// Integers and pointers are passed in registers; a function with fewer arguments ignores some of them.
using SixWords = Status(Word, Word, Word, Word, Word, Word);
std::atomic<SixWords*> real_function = nullptr;

Status fail_later(Word a, Word b, Word c, Word d, Word e, Word f) {
  static std::atomic<int> calls = 0;
  return calls++ < failure().calls_before ? real_function.load()(a, b, c, d, e, f) : failure().status;
}

Status little_memory(std::size_t* free, std::size_t* total) {
  const Status status = real<Status(std::size_t*, std::size_t*)>("cuMemGetInfo_v2")(free, total);
  *free = static_cast<std::size_t>(std::atoll(std::getenv("DROPMD_STUB_FREE")));
  return status;
}

template <class Function>
void* address_of(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

Status cuInit(unsigned flags) {
  const Status status = number_from("DROPMD_STUB_INIT", kSuccess);
  auto* const init = real<Status(unsigned)>("cuInit");
  return status == kSuccess && init != nullptr ? init(flags) : status;
}

Status cuDriverGetVersion(int* version) {
  if (auto* const ask = real<Status(int*)>("cuDriverGetVersion")) ask(version);
  *version = number_from("DROPMD_STUB_VERSION", *version);
  return kSuccess;
}

Status cuGetProcAddress_v2(const char* name, void** function, int version, std::uint64_t flags, int* found) {
  const std::string wanted = name;
  *function = nullptr;
  if (auto* const look_up = real<decltype(cuGetProcAddress_v2)>("cuGetProcAddress_v2"))
    if (const Status status = look_up(name, function, version, flags, found); status != kSuccess) return status;
  if (wanted == "cuInit") *function = address_of(cuInit);
  if (wanted == "cuDriverGetVersion") *function = address_of(cuDriverGetVersion);
  if (wanted == "cuGetProcAddress")
    *function = version < 12000 ? address_of(cuGetProcAddress) : address_of(cuGetProcAddress_v2);
  if (*function != nullptr && failure().is_of(wanted)) {
    SixWords* none = nullptr;
    real_function.compare_exchange_strong(none, reinterpret_cast<SixWords*>(*function));
    *function = address_of(fail_later);
  }
  if (*function != nullptr && wanted == "cuMemGetInfo" && std::getenv("DROPMD_STUB_FREE") != nullptr)
    *function = address_of(little_memory);
  return *function != nullptr ? kSuccess : kNotFound;
}

Status cuGetProcAddress(const char* name, void** function, int version, std::uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}
