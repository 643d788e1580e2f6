#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "tests/outputs/output_files.h"

/// The program as users run it: a process with a working directory, a status and two streams.
namespace dropmd {

/// The bytes of a file; nothing for a device such as /dev/full.
inline std::string text_of(const std::filesystem::path& file) {
  return std::filesystem::is_regular_file(file) ? read_text(file) : std::string();
}

inline std::vector<std::string> words_of(std::string_view line) {
  std::istringstream in{std::string(line)};
  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

struct Outcome {
  int status = -1;  ///< as a shell reports it: 128 + signal for a killed process
  std::string out, err;
};

/// A running process, which is killed at the end of the scope if nobody waited for it.
class ChildProcess {
 public:
  /// words[0] is the program, searched on the path. Standard output goes to `out` if that is not empty.
  ChildProcess(const std::filesystem::path& folder, std::vector<std::string> words, const std::string& out = {})
      : out_(out.empty() ? (folder / ".out").string() : out), err_((folder / ".err").string()) {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ > 0) return;
    for (const int signal : {SIGINT, SIGHUP}) std::signal(signal, SIG_DFL);  // whatever the parent process set
    const int out_fd = ::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int err_fd = ::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (out_fd >= 0 && err_fd >= 0 && ::dup2(out_fd, 1) == 1 && ::dup2(err_fd, 2) == 2 && ::chdir(folder.c_str()) == 0)
      ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  ~ChildProcess() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void send(int signal) const { ::kill(pid_, signal); }

  /// Sends a signal to the processes that this one has started, such as the ranks that mpirun has started.
  void send_to_children(int signal) const {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::ifstream status(entry.path() / "status");
      const std::string parent = "PPid:\t" + std::to_string(pid_);
      for (std::string line; std::getline(status, line);)
        if (line == parent) ::kill(std::stoi(name), signal);
    }
  }

  /// Sends a signal and waits until its handler has returned or the process has ended.
  void send_and_wait(int signal) const {
    const auto holds = [&](const std::string& status, const char* set) {  // "ShdPnd:\t0000000000004000"
      const std::size_t at = status.find(set);
      return at != std::string::npos && (std::stoull(status.substr(at + 8), nullptr, 16) >> (signal - 1) & 1U) != 0;
    };
    send(signal);
    while (true) {
      const std::string status = read_text("/proc/" + std::to_string(pid_) + "/status");
      if (!holds(status, "SigPnd:") && !holds(status, "ShdPnd:") && !holds(status, "SigBlk:")) return;
      ::usleep(100);
    }
  }

  /// Stops the process until SIGCONT, and waits until it has stopped.
  void halt() const {
    send(SIGSTOP);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WEXITED | WNOWAIT);
  }

  /// Whether it is still running.
  bool running() {
    int status = 0;
    if (pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) == pid_) ended(status);
    return pid_ > 0;
  }

  Outcome wait() {
    int status = 0;
    if (pid_ > 0 && ::waitpid(pid_, &status, 0) == pid_) ended(status);
    return {status_, text_of(out_), text_of(err_)};
  }

 private:
  void ended(int status) {
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    pid_ = 0;
  }

  pid_t pid_ = 0;
  std::string out_, err_;
  int status_ = -1;
};

/// Runs a command line ("dropmd energy x.drop") in a folder and waits for its end.
inline Outcome run_line(const std::filesystem::path& folder, std::string_view line, const std::string& out = {}) {
  std::vector<std::string> words = words_of(line);
  if (words.empty() || words[0] != "dropmd") throw std::invalid_argument("no dropmd command: " + std::string(line));
  words[0] = DROPMD_BINARY;
  return ChildProcess(folder, std::move(words), out).wait();
}

}  // namespace dropmd
