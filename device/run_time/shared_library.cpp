#include "device/run_time/shared_library.h"

#include <dlfcn.h>

namespace dropmd {

SharedLibrary::SharedLibrary(const std::string& name) {
  for (const char* const folder : {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"})
    if (handle_ == nullptr) handle_ = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

void* SharedLibrary::symbol(const char* name) const { return handle_ == nullptr ? nullptr : dlsym(handle_, name); }

}  // namespace dropmd
