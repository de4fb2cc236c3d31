// From the ends of stream sockets that processes hold to pipes. A connection has two directions,
// and each that carries data is a pipe, from who writes at one side to who reads at the other.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "bpf/pipes.h"
#include "engine/model/pipe_scan.h"
#include "engine/observe/held_ends.h"

namespace pipetop::observe {

// A direction that carries data. Its id is the socket's that is written, or, if that isn't here,
// another one of the socket's that is read.
struct SocketEdge {
  PipeId id;
  uint64_t at_ns = 0;                 // CLOCK_MONOTONIC
  uint64_t queued = 0, capacity = 0;  // bytes
  SocketLink link;
};

// What is known of connections from one pass to the next. A direction is taken to carry data if the
// kernel has counted some (TCP), and more than a small part of the other direction's; if it is
// somebody's standard input or output; or if data or a reader was once seen to wait there.
class SocketEdges {
 public:
  // The edges in a pass, by id; their ends are added to `held`. `records` are of sockets only, and
  // have to live until the next call. `whole`: they are of all processes; otherwise the far sides
  // are those of the last whole pass.
  std::vector<SocketEdge> edges(std::vector<const pipes_end*> records, bool whole,
                                std::vector<HeldEnd>& held);

  // A thread waits in a read or write of a descriptor, in the pass that edges() was last asked for.
  void see_waiting(uint32_t pid, uint32_t fd, bool writing);

  // Connections in which no direction carries data, of the last whole pass.
  uint32_t idle() const { return idle_; }

 private:
  struct Known {
    uint64_t peer = 0;                   // inode; 0: it isn't here
    bool written = false;                // data was seen to go out
    bool read = false;                   // a reader was seen, or data for it
    bool is_out = false, is_in = false;  // which edges it has
    std::string name;
  };
  // A socket with the descriptors that refer to it.
  struct Socket {
    std::span<const pipes_end* const> ends;
    Known* known;

    const pipes_end& any() const { return *ends.front(); }
    const pipes_socket& facts() const { return any().socket; }
    uint64_t inode() const { return any().inode; }
    bool is_tcp() const { return any().kind == PIPES_TCP; }
  };

  void group();
  void remember();
  void pair();
  void pair_tcp();
  void decide();
  const Socket* find(uint64_t inode) const;
  bool carries_out(const Socket& from, const Socket* to) const;
  bool carries_in(const Socket& to) const;
  void add_ends(const Socket& socket, bool writing, PipeId id, std::vector<HeldEnd>& held) const;
  SocketEdge edge_of(PipeId id, const Socket* from, const Socket* to) const;

  std::vector<const pipes_end*> records_;        // by inode, process and descriptor
  std::vector<const pipes_end*> by_descriptor_;  // of AF_UNIX
  std::vector<Socket> sockets_;                  // by inode
  std::map<uint64_t, Known> known_;              // by inode
  uint32_t idle_ = 0;
};

// "10.0.0.2:9000", "[fe80::1]:22"
std::string address_text(const uint8_t (&address)[16], uint16_t port);

}  // namespace pipetop::observe
