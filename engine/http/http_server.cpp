#include "engine/http/http_server.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/base/text.h"

namespace pipetop {
namespace {

constexpr int kBacklog = 128;
// A client that is ready and can't be read would take a CPU.
constexpr unsigned kMostHurries = 100;
constexpr int kBreath_ms = 10;

[[noreturn]] void no_address(std::string_view text) {
  throw Error(fmt::format(
      "\"{}\" is no address to listen at: give for example 127.0.0.1:9778 or [::1]:9778", text));
}

MHD_Result send_answer(MHD_Connection* connection, const HttpAnswer& answer) {
  MHD_Response* const response = MHD_create_response_from_buffer(
      answer.body.size(), const_cast<char*>(answer.body.data()), MHD_RESPMEM_MUST_COPY);
  if (!response) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer.type.c_str());
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  if (answer.status == MHD_HTTP_METHOD_NOT_ALLOWED)
    MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
  const MHD_Result result = MHD_queue_response(connection, answer.status, response);
  MHD_destroy_response(response);
  return result;
}

// Passes need descriptors, too, however many clients there are.
size_t most_connections() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  const size_t others = limit.rlim_cur - std::min(limit.rlim_cur, HttpServer::kOwnDescriptors);
  return std::clamp<size_t>(others / HttpServer::kPart, 1, HttpServer::kMostConnections);
}

bool watch(const UniqueFd& epoll, int fd) {
  epoll_event event = {.events = EPOLLIN, .data = {}};
  return ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

}  // namespace

std::string ListenAddress::text() const {
  char host[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    ::inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof host);
    return fmt::format("[{}]:{}", host, ntohs(v6.sin6_port));
  }
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
  ::inet_ntop(AF_INET, &v4.sin_addr, host, sizeof host);
  return fmt::format("{}:{}", host, ntohs(v4.sin_port));
}

ListenAddress parse_listen_address(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos) no_address(text);
  const auto port = parse_all<uint16_t>(text.substr(colon + 1));
  std::string host(text.substr(0, colon));
  if (!port) no_address(text);
  if (host == "localhost") host = "127.0.0.1";
  ListenAddress address;
  auto& v4 = reinterpret_cast<sockaddr_in&>(address.address);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address.address);
  if (host.size() > 2 && host.starts_with('[') && host.ends_with(']')) {
    if (::inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &v6.sin6_addr) != 1)
      no_address(text);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(*port);
    address.size = sizeof v6;
  } else {
    if (::inet_pton(AF_INET, host.c_str(), &v4.sin_addr) != 1) no_address(text);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(*port);
    address.size = sizeof v4;
  }
  return address;
}

// The library's side: it calls back.
struct HttpServer::Library {
  // A connection, from when it was accepted.
  struct Client {
    MHD_Connection* connection;
    uint64_t since_ns;
  };

  ~Library() {
    if (daemon) MHD_stop_daemon(daemon);
  }

  Answer answer;
  size_t most = 0;
  MHD_Daemon* daemon = nullptr;
  std::vector<Client> clients;  // oldest first

  static Library& self_of(void* self) { return *static_cast<Library*>(self); }

  // It sees the end of the connection then, and forgets it.
  static void shut(const Client& client) {
    const auto* const info =
        MHD_get_connection_info(client.connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (info) ::shutdown(info->connect_fd, SHUT_RDWR);
  }

  static void notify(void* self, MHD_Connection* connection, void** /*socket_context*/,
                     MHD_ConnectionNotificationCode code) {
    std::vector<Client>& clients = self_of(self).clients;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
      std::erase_if(clients, [&](const Client& c) { return c.connection == connection; });
      return;
    }
    clients.push_back({connection, monotonic_ns()});
    if (clients.size() > self_of(self).most) shut(clients[clients.size() - self_of(self).most - 1]);
  }

  static MHD_Result handle(void* self, MHD_Connection* connection, const char* url,
                           const char* method, const char* /*version*/, const char* /*upload*/,
                           size_t* /*upload_size*/, void** /*request*/) {
    const std::string_view verb = method;
    if (verb != MHD_HTTP_METHOD_GET && verb != MHD_HTTP_METHOD_HEAD)
      return send_answer(connection, {MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain", "GET or HEAD\n"});
    const char* const accept =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
    // Nothing may be thrown through the library.
    HttpAnswer found;
    const std::string why = failure_of([&] {
      found = self_of(self).answer({url, accept ? accept : ""});
    });
    return send_answer(
        connection,
        why.empty() ? found : HttpAnswer{MHD_HTTP_INTERNAL_SERVER_ERROR, "text/plain", why});
  }

  static void log(void* /*self*/, const char* /*format*/, va_list /*values*/) {}
};

HttpServer::HttpServer(const ListenAddress& address, Answer answer)
    : socket_(::socket(address.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      address_(address),
      library_(std::make_unique<Library>()) {
  const auto fail = [&] {
    throw SystemError(fmt::format("listening at {}", address.text()), errno);
  };
  auto* const bound = reinterpret_cast<sockaddr*>(&address_.address);
  const int on = 1;
  if (socket_.get() < 0) fail();
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.address.ss_family == AF_INET6)
    ::setsockopt(socket_.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (::bind(socket_.get(), bound, address_.size) != 0) fail();
  if (::listen(socket_.get(), kBacklog) != 0) fail();
  if (::getsockname(socket_.get(), bound, &address_.size) != 0) fail();
  library_->answer = std::move(answer);
  library_->most = most_connections();
  library_->daemon = MHD_start_daemon(
      MHD_USE_EPOLL | MHD_USE_ERROR_LOG | MHD_USE_NO_LISTEN_SOCKET, 0, nullptr, nullptr,
      &Library::handle, library_.get(), MHD_OPTION_EXTERNAL_LOGGER, &Library::log,
      nullptr,                                                                   // clients' errors
      MHD_OPTION_CONNECTION_LIMIT, static_cast<unsigned>(2 * kMostConnections),  // while they end
      MHD_OPTION_CONNECTION_TIMEOUT, kIdle_s,                                    //
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, size_t{kMostBytes},                    //
      MHD_OPTION_NOTIFY_CONNECTION, &Library::notify, library_.get(), MHD_OPTION_END);
  if (!library_->daemon) throw Error("libmicrohttpd can't be started", Exit::refused);
  epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  const MHD_DaemonInfo* const info =
      MHD_get_daemon_info(library_->daemon, MHD_DAEMON_INFO_EPOLL_FD);
  if (!epoll_ || !info || !watch(epoll_, info->listen_fd)) fail();
  set_accepting(true);
}

HttpServer::~HttpServer() = default;

void HttpServer::set_accepting(bool on) {
  if (on == accepts_) return;
  if (on)
    accepts_ = watch(epoll_, socket_.get());
  else
    accepts_ = ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket_.get(), nullptr) != 0;
}

// One that can't be accepted would be there again at once, and for as long as we lack a descriptor:
// the library would ask without a pause. Those that give way to it are closed by the library's next
// run.
std::string HttpServer::accept(uint64_t now_ns) {
  constexpr uint64_t kPause_ns = kSecond;
  if (now_ns < accepts_again_ns_) return {};
  set_accepting(true);
  while (accepts_) {
    // One gives way first, or those that are on their way out would take the descriptors of passes.
    if (library_->clients.size() > library_->most) return {};
    sockaddr_storage from = {};
    socklen_t size = sizeof from;
    auto* const address = reinterpret_cast<sockaddr*>(&from);
    const int client = ::accept4(socket_.get(), address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client < 0 && (errno == EAGAIN || errno == ECONNABORTED)) return {};
    if (client < 0) break;
    MHD_add_connection(library_->daemon, client, address, size);
  }
  std::string why = SystemError("accept4", errno).what();
  set_accepting(false);
  accepts_again_ns_ = now_ns + kPause_ns;
  return why;
}

int HttpServer::timeout_ms() const {
  unsigned long long wait_ms = 0;
  int64_t least_ms = -1;
  if (MHD_get_timeout(library_->daemon, &wait_ms) == MHD_YES)
    least_ms = int64_t(std::min<unsigned long long>(wait_ms, 1000 * kIdle_s));
  if (least_ms == 0 && hurries_ > kMostHurries) least_ms = kBreath_ms;
  if (library_->clients.empty() && accepts_) return int(least_ms);
  uint64_t end_ns = accepts_ ? UINT64_MAX : accepts_again_ns_;
  for (const Library::Client& client : library_->clients)
    end_ns = std::min(end_ns, client.since_ns + kWhole_ns);
  const uint64_t now_ns = monotonic_ns();
  const int64_t left_ms = end_ns <= now_ns ? 0 : int64_t((end_ns - now_ns) / kMs) + 1;
  return int(least_ms < 0 ? left_ms : std::min(least_ms, left_ms));
}

std::string HttpServer::run() {
  const uint64_t now_ns = monotonic_ns();
  for (Library::Client& client : library_->clients) {
    if (client.since_ns + kWhole_ns > now_ns) continue;
    Library::shut(client);
    client.since_ns = now_ns;  // it is on its way out
  }
  std::string why = accept(now_ns);
  MHD_run(library_->daemon);
  unsigned long long wait_ms = 0;
  const bool hurries = MHD_get_timeout(library_->daemon, &wait_ms) == MHD_YES && wait_ms == 0;
  hurries_ = hurries ? hurries_ + 1 : 0;
  return why;
}

}  // namespace pipetop
