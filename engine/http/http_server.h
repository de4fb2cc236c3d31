// A small HTTP server for scrapers: GET and HEAD, one answer for each connection, and bounds for
// all that a client chooses. libmicrohttpd stays behind this.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/handles.h"

namespace pipetop {

struct ListenAddress {
  sockaddr_storage address = {};
  socklen_t size = 0;

  std::string text() const;  // "127.0.0.1:9778", "[::1]:9778"
};

// Takes "127.0.0.1:9778", "[::1]:9778" and "localhost:9778": no name is looked up. Port 0 is any.
// Throws Error.
ListenAddress parse_listen_address(std::string_view text);

struct HttpRequest {
  std::string path;    // without the query
  std::string accept;  // the header; "" if there is none
};

struct HttpAnswer {
  unsigned status = 200;
  std::string type;  // "text/html"
  std::string body;
};

class HttpServer {
 public:
  // Clients choose how many they are and how slowly they ask: one more than these ends the oldest,
  // and so does one more than this part of the descriptors that we may have beyond our own.
  static constexpr size_t kMostConnections = 64;
  static constexpr size_t kOwnDescriptors = 64, kPart = 4;
  static constexpr unsigned kIdle_s = 5;
  static constexpr uint64_t kWhole_ns = 10'000'000'000;  // from its beginning to its end
  static constexpr size_t kMostBytes = 16 << 10;         // of a request, of each connection

  using Answer = std::function<HttpAnswer(const HttpRequest&)>;

  // Throws Error if the address is in use, or not ours.
  HttpServer(const ListenAddress& address, Answer answer);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  const ListenAddress& address() const { return address_; }  // with the port that it got

  // Readable if there is something to do. Also to be called after timeout_ms(); -1: never.
  int fd() const { return epoll_.get(); }
  int timeout_ms() const;
  // Returns why a connection could not be accepted; "" if none was refused. It is tried again after
  // a while.
  std::string run();

 private:
  struct Library;

  std::string accept(uint64_t now_ns);
  void set_accepting(bool on);

  UniqueFd socket_, epoll_;
  ListenAddress address_;
  bool accepts_ = false;
  uint64_t accepts_again_ns_ = 0;
  unsigned hurries_ = 0;  // of the last runs, after which there was more to do at once
  std::unique_ptr<Library> library_;
};

}  // namespace pipetop
