#include "engine/observe/socket_edges.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "engine/base/text.h"

namespace pipetop::observe {
namespace {

// Of an id's device: the side that writes isn't here, so that the id is of the one that reads.
constexpr uint32_t kFromOutside = 1u << 31;
// What is less than this part of the other direction's bytes only answers it.
constexpr double kAnswers = 0.05;

using Address = std::array<uint8_t, 16>;

auto order_of(const pipes_end* record) {
  return std::tuple(record->inode, record->pid, record->fd);
}

auto descriptor_of(const pipes_end* record) { return std::tuple(record->pid, record->fd); }

PipeId id_of(const pipes_end& record, bool from_outside) {
  PipeId id = pipe_of(record);
  if (from_outside) id.device |= kFromOutside;
  return id;
}

bool has(const pipes_socket& socket, unsigned flag) { return (socket.flags & flag) != 0; }

// Who has a socket as standard input reads it, and who has it as output or error writes to it.
bool may_use(const pipes_end& end, bool writing) {
  if (!has(end.socket, writing ? PIPES_CAN_WRITE : PIPES_CAN_READ)) return false;
  if (end.fd > STDERR_FILENO) return true;
  return (end.fd != STDIN_FILENO) == writing;
}

bool is_standard(std::span<const pipes_end* const> ends, bool writing) {
  return std::ranges::any_of(ends, [&](const pipes_end* end) {
    return end->fd <= unsigned(STDERR_FILENO) && may_use(*end, writing);
  });
}

bool may_use(std::span<const pipes_end* const> ends, bool writing) {
  return std::ranges::any_of(ends, [&](const pipes_end* end) { return may_use(*end, writing); });
}

bool only_answers(uint64_t bytes, uint64_t others) {
  return double(bytes) < kAnswers * double(others);
}

struct TcpPlace {
  Address address;
  uint16_t port;
  Address peer_address;
  uint16_t peer_port;
  uint32_t net;
  size_t socket;

  auto tie() const { return std::tie(address, port, peer_address, peer_port); }
};

Address address_of(const uint8_t (&bytes)[16]) {
  Address address{};
  std::memcpy(address.data(), bytes, sizeof(bytes));
  return address;
}

std::string name_of(const pipes_end& record) {
  const pipes_socket& socket = record.socket;
  if (record.kind == PIPES_TCP) return address_text(socket.addresses[1], socket.peer_port);
  const bool is_abstract = has(socket, PIPES_ABSTRACT);
  const bool is_whole = socket.name_bytes <= sizeof(socket.name);
  std::string name(socket.name, is_whole ? socket.name_bytes : sizeof(socket.name));
  if (is_abstract) std::ranges::replace(name, '\0', '@');  // as ss shows it
  if (!is_whole) name.insert(0, is_abstract ? "@..." : "...");
  return one_line(name);
}

}  // namespace

std::string address_text(const uint8_t (&address)[16], uint16_t port) {
  constexpr std::array<uint8_t, 12> kIpv4 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  char text[INET6_ADDRSTRLEN] = "";
  if (std::memcmp(address, kIpv4.data(), kIpv4.size()) == 0) {
    inet_ntop(AF_INET, address + kIpv4.size(), text, sizeof(text));
    return fmt::format("{}:{}", text, port);
  }
  inet_ntop(AF_INET6, address, text, sizeof(text));
  return fmt::format("[{}]:{}", text, port);
}

void SocketEdges::group() {
  std::ranges::sort(records_, {}, order_of);
  by_descriptor_.clear();
  for (const pipes_end* record : records_)
    if (record->kind == PIPES_UNIX) by_descriptor_.push_back(record);
  std::ranges::sort(by_descriptor_, {}, descriptor_of);
  sockets_.clear();
  for (size_t begin = 0, end = 0; begin < records_.size(); begin = end) {
    while (end < records_.size() && records_[end]->inode == records_[begin]->inode) ++end;
    sockets_.push_back({std::span(records_).subspan(begin, end - begin), nullptr});
  }
}

// What is in no whole pass any more is forgotten.
void SocketEdges::remember() {
  std::map<uint64_t, Known> before = std::exchange(known_, {});
  for (Socket& socket : sockets_) {
    auto found = before.extract(socket.inode());
    const bool is_new = found.empty();
    Known& known = known_[socket.inode()];
    if (is_new)
      known.name = name_of(socket.any());
    else
      known = std::move(found.mapped());
    known.peer = 0;
    socket.known = &known;
  }
}

const SocketEdges::Socket* SocketEdges::find(uint64_t inode) const {
  const auto found = std::ranges::lower_bound(sockets_, inode, {}, &Socket::inode);
  return inode != 0 && found != sockets_.end() && found->inode() == inode ? &*found : nullptr;
}

void SocketEdges::pair() {
  for (Socket& socket : sockets_)
    if (!socket.is_tcp() && find(socket.facts().peer)) socket.known->peer = socket.facts().peer;
  pair_tcp();
}

// By their addresses: in the same network namespace, or in the only other one that fits.
void SocketEdges::pair_tcp() {
  std::vector<TcpPlace> places;
  for (size_t i = 0; i < sockets_.size(); ++i) {
    if (!sockets_[i].is_tcp()) continue;
    const pipes_socket& facts = sockets_[i].facts();
    places.push_back({address_of(facts.addresses[0]), facts.port, address_of(facts.addresses[1]),
                      facts.peer_port, facts.net, i});
  }
  const auto by_place = [](const TcpPlace& a, const TcpPlace& b) { return a.tie() < b.tie(); };
  std::ranges::sort(places, by_place);
  for (const TcpPlace& place : places) {
    const TcpPlace mirrored{place.peer_address, place.peer_port, place.address, place.port, 0, 0};
    const auto [first, last] = std::equal_range(places.begin(), places.end(), mirrored, by_place);
    auto peer =
        std::find_if(first, last, [&](const TcpPlace& other) { return other.net == place.net; });
    if (peer == last && last - first == 1) peer = first;
    if (peer != last && peer->socket != place.socket)
      sockets_[place.socket].known->peer = sockets_[peer->socket].inode();
  }
}

bool SocketEdges::carries_out(const Socket& from, const Socket* to) const {
  if (!may_use(from.ends, true) || (to && !may_use(to->ends, false))) return false;
  const pipes_socket& facts = from.facts();
  if (from.is_tcp()) {
    const uint64_t sent = facts.sent + facts.queued;
    return sent > 0 && !only_answers(sent, facts.received);
  }
  Known& known = *from.known;
  known.written =
      known.written || facts.used > 0 || is_standard(from.ends, true) ||
      (to && (has(to->facts(), PIPES_UNREAD) || is_standard(to->ends, false) || to->known->read));
  return known.written;
}

// From who isn't here.
bool SocketEdges::carries_in(const Socket& to) const {
  if (!may_use(to.ends, false)) return false;
  const pipes_socket& facts = to.facts();
  if (to.is_tcp())
    return facts.received > 0 && !only_answers(facts.received, facts.sent + facts.queued);
  Known& known = *to.known;
  known.read = known.read || has(facts, PIPES_UNREAD) || is_standard(to.ends, false);
  return known.read;
}

void SocketEdges::add_ends(const Socket& socket, bool writing, PipeId id,
                           std::vector<HeldEnd>& held) const {
  for (const pipes_end* end : socket.ends)
    if (may_use(*end, writing))
      held.push_back({id,
                      {process_of(*end), static_cast<int>(end->fd),
                       writing ? Access::write : Access::read, (end->flags & O_NONBLOCK) != 0},
                      nullptr,
                      true});
}

SocketEdge SocketEdges::edge_of(PipeId id, const Socket* from, const Socket* to) const {
  SocketEdge edge;
  edge.id = id;
  SocketLink& link = edge.link;
  const Socket& looked_at = from ? *from : *to;
  const pipes_socket& facts = looked_at.facts();
  edge.at_ns = facts.at_ns;
  link.tcp = looked_at.is_tcp();
  link.name = looked_at.known->name;
  link.from_outside = !from;
  if (to) link.read_inode = to->inode();
  if (from) {
    edge.queued = facts.queued + (link.tcp && to ? to->facts().unread : 0);
    edge.capacity = link.memory = facts.memory;
    link.used = facts.used;
    link.writable = has(facts, PIPES_WRITABLE);
    link.full = has(facts, PIPES_FULL);
    link.peer_full = has(facts, PIPES_PEER_FULL);
    link.retries = facts.retries;
    link.empty = to ? !has(to->facts(), PIPES_UNREAD) : facts.queued == 0;
    if (link.tcp) link.bytes = facts.sent;
  } else {
    edge.queued = facts.unread;
    edge.capacity = link.memory = facts.receive_memory;
    link.used = facts.unread;
    link.full = link.peer_full = has(facts, PIPES_WINDOW_SHUT);
    link.writable = !link.full;
    link.empty = !has(facts, PIPES_UNREAD);
    if (link.tcp) link.bytes = facts.received;
  }
  return edge;
}

std::vector<SocketEdge> SocketEdges::edges(std::vector<const pipes_end*> records, bool whole,
                                           std::vector<HeldEnd>& held) {
  records_ = std::move(records);
  group();
  if (whole) remember();
  for (Socket& socket : sockets_) {
    const auto found = known_.find(socket.inode());
    socket.known = found == known_.end() ? nullptr : &found->second;
  }
  // One that is new is an edge of nothing until a pass over all has found its far side.
  std::erase_if(sockets_, [](const Socket& socket) { return !socket.known; });
  if (whole) pair();
  if (whole) decide();
  std::vector<SocketEdge> edges;
  for (const Socket& socket : sockets_) {
    const Socket* peer = find(socket.known->peer);
    if (socket.known->is_out) {
      const PipeId id = id_of(socket.any(), false);
      add_ends(socket, true, id, held);
      if (peer) add_ends(*peer, false, id, held);
      edges.push_back(edge_of(id, &socket, peer));
    }
    if (socket.known->is_in) {
      const PipeId id = id_of(socket.any(), true);
      add_ends(socket, false, id, held);
      edges.push_back(edge_of(id, nullptr, &socket));
    }
  }
  std::ranges::sort(edges, {}, &SocketEdge::id);
  return edges;
}

void SocketEdges::decide() {
  for (Socket& socket : sockets_) {
    const Socket* peer = find(socket.known->peer);
    socket.known->is_out = carries_out(socket, peer);
    socket.known->is_in = !peer && carries_in(socket);
  }
  idle_ = 0;
  for (const Socket& socket : sockets_) {
    const Socket* peer = find(socket.known->peer);
    const bool carries =
        socket.known->is_out || socket.known->is_in || (peer && peer->known->is_out);
    if (!carries && (!peer || socket.inode() < peer->inode())) ++idle_;
  }
}

void SocketEdges::see_waiting(uint32_t pid, uint32_t fd, bool writing) {
  const auto found =
      std::ranges::lower_bound(by_descriptor_, std::tuple(pid, fd), {}, descriptor_of);
  if (found == by_descriptor_.end() || descriptor_of(*found) != std::tuple(pid, fd)) return;
  if (const Socket* socket = find((*found)->inode))
    (writing ? socket->known->written : socket->known->read) = true;
}

}  // namespace pipetop::observe
