// pipetop export as a program: a real pipe, a real socket, a real file.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/handles.h"
#include "engine/http/http_server.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"
#include "engine/tests/support/few_descriptors.h"
#include "engine/tests/support/scratch_directory.h"
#include "engine/tests/support/test_pipe.h"
#include "tui/command_line/tests/program.h"

namespace pipetop::tui {
namespace {

// The exporter, as it is started by those arguments, listening at any port.
class Exporting : public Program {
 public:
  explicit Exporting(std::vector<std::string> more = {}) : Program(words(std::move(more))) {}
  // Started by another program, which execs it.
  Exporting(const std::string& path, std::vector<std::string> before)
      : Program(path, through(std::move(before))) {}

  // Empty: it listens nowhere.
  UniqueFd connect() {
    if (!wait_until([&] { return err().find("/metrics\n") != std::string::npos; })) return {};
    const size_t begin = err().find("http://") + 7;
    const ListenAddress to =
        parse_listen_address(err().substr(begin, err().find("/metrics", begin) - begin));
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to.address), to.size) != 0)
      return {};
    return fd;
  }

  // What it answers; "" if it doesn't.
  std::string get(const std::string& path) {
    const UniqueFd fd = connect();
    if (!fd) return {};
    const std::string request = fmt::format("GET {} HTTP/1.1\r\nHost: test\r\n\r\n", path);
    EXPECT_EQ(::write(fd.get(), request.data(), request.size()), ssize_t(request.size()));
    std::string answer;
    char buffer[65536];
    for (ssize_t got; (got = ::read(fd.get(), buffer, sizeof buffer)) > 0;)
      answer.append(buffer, size_t(got));
    return answer;
  }

  // Of the first series whose name and labels hold all of these.
  std::optional<double> value(const std::string& name, const std::vector<std::string>& labels) {
    const std::string all = get("/metrics");
    for (size_t at = 0; (at = all.find("\n" + name, at)) != all.npos; ++at) {
      const std::string line = all.substr(at + 1, all.find('\n', at + 1) - at - 1);
      const auto has = [&](const std::string& label) { return line.find(label) != line.npos; };
      if (std::ranges::all_of(labels, has))
        return std::strtod(line.c_str() + line.rfind(' '), nullptr);
    }
    return {};
  }

 private:
  static std::vector<std::string> words(std::vector<std::string> more) {
    std::vector<std::string> all = {"export", "--listen", "127.0.0.1:0", "--interval", "1s"};
    std::ranges::move(more, std::back_inserter(all));
    return all;
  }
  static std::vector<std::string> through(std::vector<std::string> before) {
    before.emplace_back(PIPETOP_PROGRAM);
    std::ranges::move(words({}), std::back_inserter(before));
    return before;
  }
};

void rename_self(const char* name) { ::prctl(PR_SET_NAME, name); }

TEST(ExportProgram, CountsTheBytesOfARealPipe) {
  constexpr size_t kBytes = 100 << 20;
  Exporting exporter;
  ASSERT_NE(exporter.get("/"), "") << exporter.err();
  TestPipe pipe;
  const ForeignProcess writer([&] {
    rename_self("pt_writer");
    pipe.out.reset();
    const std::string page(65536, 'x');
    for (size_t sent = 0; sent < kBytes; sent += page.size())
      if (::write(pipe.in.get(), page.data(), page.size()) != ssize_t(page.size())) ::_exit(1);
  });
  const ForeignProcess reader([&] {
    rename_self("pt_reader");
    pipe.in.reset();
    static char buffer[65536];
    for (size_t got = 0; got < kBytes;) {
      const ssize_t bytes = ::read(pipe.out.get(), buffer, sizeof buffer);
      if (bytes <= 0) ::_exit(1);
      got += size_t(bytes);
    }
  });
  pipe.in.reset();
  pipe.out.reset();
  const std::vector<std::string> labels = {"pipeline=\"pt_writer|pt_reader\"",
                                           "writer=\"pt_writer\"", "reader=\"pt_reader\""};
  double bytes = 0;
  EXPECT_TRUE(eventually([&] {
    bytes = exporter.value("pipetop_pipe_bytes_total", labels).value_or(0);
    return bytes >= 0.95 * double(kBytes);
  })) << bytes;
  EXPECT_LE(bytes, 1.05 * double(kBytes));
  EXPECT_EQ(exporter.value("pipetop_pipe_capacity_bytes", labels), 65536);
  EXPECT_EQ(exporter.value("pipetop_pipe_queued_bytes", labels), 0);
  EXPECT_TRUE(eventually([&] {
    return exporter.value("pipetop_pipe_empty_seconds_total", labels).value_or(0) > 1;
  })) << "nothing has moved since";
  EXPECT_EQ(exporter.value("pipetop_left_out_ends", {}), 0);
  EXPECT_GT(exporter.value("process_resident_memory_bytes", {}), 1e6);
  exporter.send(SIGTERM);
  EXPECT_EQ(exporter.wait(), 128 + SIGTERM);
}

TEST(ExportProgram, OnlyItsPagesAreThere) {
  Exporting exporter;
  EXPECT_NE(exporter.get("/").find("<a href=\"/metrics\">"), std::string::npos);
  EXPECT_TRUE(exporter.get("/../etc/passwd").starts_with("HTTP/1.1 404"));
  const std::string metrics = exporter.get("/metrics");
  EXPECT_TRUE(metrics.starts_with("HTTP/1.1 200 OK\r\n")) << metrics;
  EXPECT_NE(metrics.find("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"),
            metrics.npos);
}

TEST(ExportProgram, AFileThatCantBeWrittenIsTriedAgain) {
  const ScratchDirectory scratch;
  const std::string folder = scratch.file("collector"), file = folder + "/pipetop.prom";
  Exporting exporter({"--textfile", file});
  const auto errors = [&] {
    return exporter.value("pipetop_textfile_errors_total", {}).value_or(0);
  };
  EXPECT_TRUE(eventually([&] { return errors() >= 2; })) << "the first one, too";
  std::filesystem::create_directory(folder);
  EXPECT_TRUE(eventually([&] { return !content_of(file).empty(); }));
  EXPECT_TRUE(content_of(file).ends_with("\n"));
  std::filesystem::rename(folder, folder + ".away");
  const double before = errors();
  EXPECT_TRUE(eventually([&] { return errors() >= before + 2; }));
  std::filesystem::create_directory(folder);
  EXPECT_TRUE(eventually([&] { return !content_of(file).empty(); }));
  exporter.send(SIGINT);
  EXPECT_EQ(exporter.wait(), 128 + SIGINT);
  const std::string message = file + ": No such file or directory";
  EXPECT_NE(exporter.err().find(message), std::string::npos) << exporter.err();
  EXPECT_EQ(exporter.err().find(message), exporter.err().rfind(message)) << "once is enough";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    EXPECT_EQ(entry.path(), file) << "no half file";
}

TEST(ExportProgram, APassWithoutDescriptorsIsSaidCountedAndTriedAgain) {
  for (const std::vector<std::string>& flags : {std::vector<std::string>(), {"--no-bpf"}}) {
    Exporting exporter(flags);
    ASSERT_NE(exporter.get("/metrics"), "");
    EXPECT_EQ(exporter.value("pipetop_scan_errors_total", {}), 0);
    {
      const FewDescriptors none(0, exporter.pid());
      EXPECT_TRUE(exporter.wait_for("a pass failed, its values stay as they were: "));
      EXPECT_TRUE(exporter.wait_for("Too many open files; raise the limit of open files"));
    }
    const auto errors = exporter.value("pipetop_scan_errors_total", {});
    EXPECT_GE(errors.value_or(0), 1);
    EXPECT_TRUE(exporter.value("pipetop_pipes", {})) << "as before";
    exporter.send(SIGTERM);
    EXPECT_EQ(exporter.wait(), 128 + SIGTERM);
  }
}

// Passes have descriptors, whoever connects. util-linux.
TEST(ExportProgram, ConnectionsThatNeverAskTakeNoPassItsDescriptors) {
  Exporting exporter("/usr/bin/prlimit", {"--nofile=64:64"});
  ASSERT_NE(exporter.get("/metrics"), "") << exporter.err();
  std::vector<UniqueFd> idle;
  for (int i = 0; i < 120; ++i) idle.push_back(exporter.connect());
  for (int passes = 0; passes < 2; ++passes) {
    const auto cost_s = [&] { return exporter.value("pipetop_scan_seconds", {}); };
    const auto before_s = cost_s();
    ASSERT_TRUE(before_s) << exporter.err();
    EXPECT_TRUE(eventually([&] { return cost_s().value_or(*before_s) != *before_s; }))
        << exporter.err();
  }
  const auto errors = exporter.value("pipetop_scan_errors_total", {});
  exporter.catch_up();
  EXPECT_EQ(errors, 0) << exporter.err();
  exporter.send(SIGTERM);
  EXPECT_EQ(exporter.wait(), 128 + SIGTERM) << exporter.err();
}

// libmicrohttpd has no other way to wait: what is asked meanwhile is answered later.
TEST(ExportProgram, WhileEpollFailsItGoesOn) {
  if (PIPETOP_SANITIZED) GTEST_SKIP() << "leaks can't be looked for in what is traced";
  const auto exporting = [](const std::string& how) {
    // -D: it stays our child, and strace looks on.
    return std::vector<std::string>{"-D", "-qq",
                                    "-o", "/dev/null",
                                    "-e", "trace=?epoll_wait,epoll_pwait",
                                    "-e", "inject=?epoll_wait,epoll_pwait:error=" + how};
  };
  for (const char* error : {"EINTR", "ENOMEM"}) {
    Exporting exporter("/usr/bin/strace", exporting(std::string(error) + ":when=3..60"));
    EXPECT_NE(exporter.get("/metrics"), "") << exporter.err();
    exporter.send(SIGTERM);
    EXPECT_EQ(exporter.wait(), 128 + SIGTERM) << exporter.err();
    Exporting deaf("/usr/bin/strace", exporting(std::string(error) + ":when=3+"));
    EXPECT_TRUE(deaf.wait_for("listening")) << deaf.err();
    deaf.send(SIGTERM);
    EXPECT_EQ(deaf.wait(), 128 + SIGTERM) << deaf.err();
  }
}

TEST(ExportProgram, MistakesAreClearAtOnce) {
  const auto error_of = [](std::vector<std::string> words, int status) {
    Program program(std::move(words));
    EXPECT_EQ(program.wait(), status) << program.err();
    return program.err();
  };
  Exporting first;
  ASSERT_NE(first.get("/"), "");
  const size_t begin = first.err().find("http://") + 7;
  const std::string address =
      first.err().substr(begin, first.err().find("/metrics", begin) - begin);
  EXPECT_EQ(error_of({"export", "--listen", address}, 3),
            "pipetop: listening at " + address + ": Address already in use\n");
  EXPECT_NE(error_of({"export", "--textfile", "x.txt"}, 1).find("give x.txt.prom"),
            std::string::npos);
  EXPECT_NE(error_of({"export", "--listen", "here"}, 1).find("--listen: \"here\" is no address"),
            std::string::npos);
}

}  // namespace
}  // namespace pipetop::tui
