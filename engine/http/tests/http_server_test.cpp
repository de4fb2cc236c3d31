// Real connections to a server in this process.
#include "engine/http/http_server.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/few_descriptors.h"

namespace pipetop {
namespace {

struct HttpServerTest : testing::Test {
  UniqueFd connect() const {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const ListenAddress& to = server.address();
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to.address), to.size), 0);
    return fd;
  }
  // Lets the server work while it has something to do: what was sent to a loopback address is
  // there.
  void serve() {
    for (pollfd p{server.fd(), POLLIN, 0}; ::poll(&p, 1, 1) > 0;) server.run();
  }
  // What it sends until it closes the connection; "..." at the end if it doesn't.
  std::string answer_to(const std::string& request) {
    const UniqueFd fd = connect();
    EXPECT_EQ(::write(fd.get(), request.data(), request.size()), ssize_t(request.size()));
    serve();
    return rest_of(fd);
  }
  static std::string rest_of(const UniqueFd& fd) {
    std::string text;
    char buffer[4096];
    for (ssize_t got; (got = ::recv(fd.get(), buffer, sizeof buffer, MSG_DONTWAIT)) != 0;) {
      if (got < 0) return text + "...";
      text.append(buffer, size_t(got));
    }
    return text;
  }

  int asked = 0;
  HttpServer server{parse_listen_address("127.0.0.1:0"), [this](const HttpRequest& request) {
                      ++asked;
                      const bool found = request.path == "/metrics";
                      return HttpAnswer{found ? 200u : 404u, "text/plain",
                                        found ? "accept: " + request.accept : "no such page\n"};
                    }};
};

TEST(ListenAddressTest, OnlyNumbersAndLocalhost) {
  for (const char* good : {"127.0.0.1:9778", "0.0.0.0:80", "[::1]:9778"})
    EXPECT_EQ(parse_listen_address(good).text(), good);
  EXPECT_EQ(parse_listen_address("localhost:1").text(), "127.0.0.1:1");
  for (const char* bad : {"", ":9778", "9778", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "host:1",
                          "127.0.0.1:70000", "::1:9778", "[::1]", "1.2.3:4", "127.0.0.1:-1"})
    EXPECT_THROW(parse_listen_address(bad), Error) << bad;
}

TEST_F(HttpServerTest, AnswersWhatWasAsked) {
  const std::string answer =
      answer_to("GET /metrics?x=1 HTTP/1.1\r\nHost: a\r\nAccept: text/plain\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\naccept: text/plain")) << answer;
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
  const std::string head = answer_to("HEAD /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(head.ends_with("\r\n\r\n")) << head;
  EXPECT_TRUE(answer_to("GET / HTTP/1.0\r\n\r\n").starts_with("HTTP/1.1 404"));
}

TEST_F(HttpServerTest, RefusesAllElseAndGoesOn) {
  const std::string post =
      answer_to("POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_TRUE(post.starts_with("HTTP/1.1 405")) << post;
  EXPECT_NE(post.find("Allow: GET, HEAD"), std::string::npos);
  const std::vector<std::string> bad = {
      "",
      "\r\n\r\n",
      "GET\r\n\r\n",
      "BREW /pot HTTP/1.1\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      std::string(100, '\0') + "\r\n\r\n",
      "GET /" + std::string(60'000, 'x') + " HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nX: " + std::string(60'000, 'y') + "\r\n\r\n",
      "GET /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
  };
  for (int i = 0; i < 100; ++i)
    for (const std::string& request : bad) {
      const std::string answer = answer_to(request);
      EXPECT_EQ(answer.find(" 200 OK"), std::string::npos) << request.substr(0, 80);
    }
  asked = 0;
  EXPECT_TRUE(answer_to("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("HTTP/1.1 200"));
  EXPECT_EQ(asked, 1);
}

TEST_F(HttpServerTest, ManyThatNeverFinishDontKeepOthersOut) {
  std::vector<UniqueFd> stalled;
  for (int i = 0; i < 500; ++i) {
    stalled.push_back(connect());
    EXPECT_EQ(::write(stalled.back().get(), "GET /metr", i % 2 * 9), i % 2 * 9);
    if (i % 50 == 49) serve();
  }
  EXPECT_TRUE(answer_to("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("HTTP/1.1 200"));
  size_t open = 0;
  for (const UniqueFd& fd : stalled) open += rest_of(fd).ends_with("...");
  EXPECT_LE(open, HttpServer::kMostConnections);
  EXPECT_GT(server.timeout_ms(), 0) << "the rest is ended when its time is over";
  EXPECT_LE(server.timeout_ms(), 10'000);
}

TEST_F(HttpServerTest, ConnectionsLeaveOthersTheirDescriptors) {
  std::optional<HttpServer> small;
  {
    const FewDescriptors few(96);
    small.emplace(parse_listen_address("127.0.0.1:0"), [](const HttpRequest&) {
      return HttpAnswer{200, "text/plain", "here"};
    });
  }
  std::vector<UniqueFd> idle;
  for (int i = 0; i < 100; ++i) {
    const ListenAddress& to = small->address();
    idle.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(idle.back().get(), reinterpret_cast<const sockaddr*>(&to.address), to.size),
              0);
  }
  for (pollfd p{small->fd(), POLLIN, 0}; ::poll(&p, 1, 1) > 0;) EXPECT_EQ(small->run(), "");
  size_t open = 0;
  for (const UniqueFd& fd : idle) open += rest_of(fd).ends_with("...");
  EXPECT_EQ(open, (96 - HttpServer::kOwnDescriptors) / HttpServer::kPart);
}

TEST_F(HttpServerTest, WithoutADescriptorForAConnectionItWaitsAndSaysWhy) {
  const UniqueFd client = connect();
  const UniqueFd last(::dup(0));
  {
    const FewDescriptors none(rlim_t(last.get()) + 1);
    const std::string why = server.run();
    EXPECT_TRUE(why.starts_with("accept4: Too many open files; ")) << why;
    pollfd p{server.fd(), POLLIN, 0};
    EXPECT_EQ(::poll(&p, 1, 0), 0) << "it would be ready for ever";
    EXPECT_GT(server.timeout_ms(), 0);
    EXPECT_LE(server.timeout_ms(), 1'000);
    EXPECT_EQ(server.run(), "") << "nor is it asked before that";
  }
  const std::string request = "GET /metrics HTTP/1.0\r\n\r\n";
  EXPECT_EQ(::write(client.get(), request.data(), request.size()), ssize_t(request.size()));
  std::string answer;
  EXPECT_TRUE(eventually([&] {
    server.run();
    serve();
    answer = rest_of(client);
    return answer.starts_with("HTTP/1.1 200");
  })) << answer;
}

TEST_F(HttpServerTest, AnAnswerThatFailsIsAnErrorOfTheServer) {
  const HttpServer::Answer fails = [](const HttpRequest&) -> HttpAnswer {
    throw Error("no memory; free some");
  };
  HttpServer failing(parse_listen_address("127.0.0.1:0"), fails);
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const ListenAddress& to = failing.address();
  ASSERT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to.address), to.size), 0);
  const std::string request = "GET / HTTP/1.0\r\n\r\n";
  EXPECT_EQ(::write(fd.get(), request.data(), request.size()), ssize_t(request.size()));
  for (pollfd p{failing.fd(), POLLIN, 0}; ::poll(&p, 1, 1) > 0;) failing.run();
  const std::string answer = rest_of(fd);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 500")) << answer;
  EXPECT_TRUE(answer.ends_with("no memory; free some")) << answer;
}

TEST_F(HttpServerTest, AnAddressInUseIsRefused) {
  try {
    const HttpServer second(server.address(), {});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              fmt::format("listening at {}: Address already in use", server.address().text()));
  }
}

}  // namespace
}  // namespace pipetop
