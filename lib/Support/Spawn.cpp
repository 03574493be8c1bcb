//===- Spawn.cpp - Starting a child and ending its group ------------------===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between fork and exec only calls that are safe in a child of a program with
// threads: everything that allocates happens before.
//
//===----------------------------------------------------------------------===//

#include "Spawn.h"

#include <cerrno>
#include <ctime>
#include <system_error>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace egg;

namespace {
struct Pipe {
  FileDescriptor read, write;
};

/// A pipe whose ends are closed on exec and never 0, 1 or 2: this program may
/// itself run with standard streams closed.
Result<Pipe> makePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return Error(ErrorKind::Internal,
                 "cannot make a pipe: " +
                     std::generic_category().message(errno));
  Pipe made{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  for (FileDescriptor *end : {&made.read, &made.write}) {
    if (end->get() > 2)
      continue;
    int moved = ::fcntl(end->get(), F_DUPFD_CLOEXEC, 3);
    if (moved < 0)
      return Error(ErrorKind::Internal,
                   "cannot move a pipe: " +
                       std::generic_category().message(errno));
    *end = FileDescriptor(moved);
  }
  return made;
}

/// What the child tells when it cannot become the program.
struct Report {
  char step[24];
  int code;
};

struct ChildPlan {
  const char *folder;
  char **arguments;
  char **environment;
  int in, out, err, report;
  const ProcessLimits *limits;
  const sock_fprog *filter;
};

[[noreturn]] void giveUp(int fd, const char *step) {
  Report report = {};
  report.code = errno;
  for (size_t i = 0; step[i] && i + 1 < sizeof report.step; ++i)
    report.step[i] = step[i];
  ssize_t ignored = ::write(fd, &report, sizeof report);
  (void)ignored;
  ::_exit(127);
}

bool limit(int resource, uint64_t value) {
  rlimit both = {rlim_t(value), rlim_t(value)};
  return ::setrlimit(resource, &both) == 0;
}

/// Runs in the child: becomes the program or tells why not.
[[noreturn]] void becomeProgram(const ChildPlan &plan) {
  ::setpgid(0, 0);
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number)
    ::sigaction(number, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);

  if (::dup2(plan.in, 0) < 0 || ::dup2(plan.out, 1) < 0 ||
      ::dup2(plan.err, 2) < 0)
    giveUp(plan.report, "connect the pipes");
#ifdef SYS_close_range
  // Descriptors that other code opened without O_CLOEXEC stay behind.
  ::syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */);
#endif
  if (::chdir(plan.folder) != 0)
    giveUp(plan.report, "enter the folder");

  const ProcessLimits &limits = *plan.limits;
  if (!limit(RLIMIT_CORE, 0) ||
      (limits.addressSpaceBytes &&
       !limit(RLIMIT_AS, limits.addressSpaceBytes)) ||
      (limits.cpuSeconds && !limit(RLIMIT_CPU, limits.cpuSeconds)) ||
      (limits.fileBytes && !limit(RLIMIT_FSIZE, limits.fileBytes)) ||
      (limits.openFiles && !limit(RLIMIT_NOFILE, limits.openFiles)) ||
      (limits.processes && !limit(RLIMIT_NPROC, limits.processes)))
    giveUp(plan.report, "set the limits");
  if (plan.filter &&
      (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
       ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, plan.filter, 0, 0) != 0))
    giveUp(plan.report, "set the filter");
  ::execve(plan.arguments[0], plan.arguments, plan.environment);
  giveUp(plan.report, "run");
}

std::vector<char *> pointers(std::vector<std::string> &strings) {
  std::vector<char *> list;
  for (std::string &text : strings)
    list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}
} // namespace

double egg::now() {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

Result<Spawned> egg::spawn(const ProcessOptions &options) {
  if (options.arguments.empty())
    return Error(ErrorKind::Internal, "no program is given to be run");
  for (const std::string &text : options.arguments)
    if (text.find('\0') != std::string::npos)
      return Error(ErrorKind::Internal,
                   "an argument of '" + options.arguments[0].substr(0, 200) +
                       "' holds a zero byte");

  Spawned child;
  child.folder = options.folder;
  if (child.folder.empty()) {
    EGG_ASSIGN(TempDir made, TempDir::create());
    child.folder = made.path();
    child.ownFolder.emplace(std::move(made));
  }
  std::vector<std::string> arguments = options.arguments;
  std::vector<std::string> environment;
  bool namesTmp = false;
  for (const auto &[name, value] : options.environment) {
    if (name.empty() || name.find('=') != std::string::npos ||
        (name + value).find('\0') != std::string::npos)
      return Error(ErrorKind::Internal, "the environment variable '" +
                                            name.substr(0, 200) +
                                            "' has a name or a value that "
                                            "cannot be passed on");
    namesTmp |= name == "TMPDIR";
    environment.push_back(name + "=" + value);
  }
  if (!namesTmp && child.ownFolder)
    environment.push_back("TMPDIR=" + child.folder);
  std::vector<char *> argumentList = pointers(arguments);
  std::vector<char *> environmentList = pointers(environment);

  ChildPlan plan = {};
  plan.folder = child.folder.c_str();
  plan.arguments = argumentList.data();
  plan.environment = environmentList.data();
  plan.limits = &options.limits;
  if (options.limits.forbidProcesses) {
    plan.filter = noProcessFilter();
    if (!plan.filter)
      return Error(ErrorKind::Unsupported,
                   "this system has no filter that forbids processes");
  }
  EGG_ASSIGN(Pipe in, makePipe());
  EGG_ASSIGN(Pipe out, makePipe());
  EGG_ASSIGN(Pipe err, makePipe());
  EGG_ASSIGN(Pipe report, makePipe());
  plan.in = in.read.get();
  plan.out = out.write.get();
  plan.err = err.write.get();
  plan.report = report.write.get();

  // No signal handler of this program may run in the child before it has reset
  // them.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t pid = ::fork();
  if (pid == 0)
    becomeProgram(plan);
  int forkCode = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0)
    return Error(ErrorKind::Internal,
                 "cannot start a process: " +
                     std::generic_category().message(forkCode));
  // Both sides set the group, so that it stands whoever runs first.
  ::setpgid(pid, pid);
  in.read.reset();
  out.write.reset();
  err.write.reset();
  report.write.reset();

  Report told = {};
  ssize_t count;
  do {
    count = ::read(report.read.get(), &told, sizeof told);
  } while (count < 0 && errno == EINTR);
  if (count != 0) {
    endGroup(pid);
    told.step[sizeof told.step - 1] = 0;
    bool missing = std::string_view(told.step) == "run" &&
                   (told.code == ENOENT || told.code == EACCES ||
                    told.code == ENOTDIR || told.code == ENOEXEC);
    return Error(missing ? ErrorKind::MissingTool : ErrorKind::Internal,
                 "cannot " + std::string(told.step) + " of '" +
                     options.arguments[0] + "' in '" + child.folder +
                     "': " + std::generic_category().message(told.code));
  }
  child.pid = pid;
  child.in = std::move(in.write);
  child.out = std::move(out.read);
  child.err = std::move(err.read);
  for (const FileDescriptor *fd : {&child.in, &child.out, &child.err})
    ::fcntl(fd->get(), F_SETFL, ::fcntl(fd->get(), F_GETFL) | O_NONBLOCK);
  return child;
}

bool egg::hasEnded(int pid) {
  siginfo_t info = {};
  int code;
  do {
    code = ::waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT);
  } while (code != 0 && errno == EINTR);
  return code != 0 || info.si_pid == pid;
}

ProcessEnd egg::endGroup(int pid) {
  ::kill(-pid, SIGKILL);
  // The group may not stand yet if the child has not run.
  ::kill(pid, SIGKILL);
  int status = 0;
  pid_t reaped;
  do {
    reaped = ::waitpid(pid, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  ProcessEnd end;
  if (reaped == pid && WIFEXITED(status)) {
    end.code = WEXITSTATUS(status);
  } else {
    end.how = ProcessEnd::How::Signalled;
    end.code = reaped == pid ? WTERMSIG(status) : SIGKILL;
  }
  return end;
}
