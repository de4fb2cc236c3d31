#include "engine/observe/socket_edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <list>

namespace pipetop::observe {
namespace {

constexpr uint8_t kBoth = PIPES_CAN_READ | PIPES_CAN_WRITE | PIPES_WRITABLE;

class SocketEdgesTest : public testing::Test {
 protected:
  pipes_end& add(uint64_t inode, uint32_t pid, uint32_t fd, pipes_kind kind) {
    pipes_end& end = records_.emplace_back();
    end.inode = inode;
    end.start_ns = 0;
    end.device = 8;
    end.pid = pid;
    end.fd = fd;
    end.mode = 3;
    end.kind = kind;
    end.socket.flags = kBoth;
    end.socket.memory = 1000;
    return end;
  }

  pipes_end& unix_end(uint64_t inode, uint32_t pid, uint32_t fd, uint64_t peer) {
    pipes_end& end = add(inode, pid, fd, PIPES_UNIX);
    end.socket.peer = peer;
    return end;
  }

  // 10.0.0.`from`:`port` to 10.0.0.`to`:`peer_port`
  pipes_end& tcp_end(uint64_t inode, uint32_t pid, uint8_t from, uint16_t port, uint8_t to,
                     uint16_t peer_port, uint32_t net = 1) {
    pipes_end& end = add(inode, pid, 3, PIPES_TCP);
    for (const int side : {0, 1}) {
      uint8_t(&address)[16] = end.socket.addresses[side];
      address[10] = address[11] = 0xff;
      address[12] = 10;
      address[15] = side == 0 ? from : to;
    }
    end.socket.port = port;
    end.socket.peer_port = peer_port;
    end.socket.net = net;
    return end;
  }

  std::vector<SocketEdge> edges(bool whole = true) {
    std::vector<const pipes_end*> records;
    for (const pipes_end& record : records_) records.push_back(&record);
    held_.clear();
    return sockets_.edges(records, whole, held_);
  }

  // "10:3>20:0" of each edge: who writes and who reads, by pid and descriptor.
  std::vector<std::string> flows(bool whole = true) {
    std::vector<std::string> flows;
    for (const SocketEdge& edge : edges(whole)) {
      std::string writers, readers;
      for (const HeldEnd& end : held_) {
        if (end.pipe != edge.id) continue;
        EXPECT_TRUE(end.is_socket);
        std::string& side = end.end.access == Access::write ? writers : readers;
        side += std::to_string(end.end.process.pid) + ":" + std::to_string(end.end.fd);
      }
      flows.push_back(writers + ">" + readers);
    }
    return flows;
  }

  using Flows = std::vector<std::string>;
  std::list<pipes_end> records_;
  uint64_t last_inode_ = 100;
  std::vector<HeldEnd> held_;
  SocketEdges sockets_;
};

TEST_F(SocketEdgesTest, APairWithoutDataIsIdleAndOnce) {
  unix_end(100, 10, 3, 101);
  unix_end(101, 20, 3, 100);
  EXPECT_EQ(flows(), Flows{});
  EXPECT_EQ(sockets_.idle(), 1u);
}

TEST_F(SocketEdgesTest, DataMakesADirectionAnEdgeAndItStaysOne) {
  pipes_end& writer = unix_end(100, 10, 3, 101);
  unix_end(101, 20, 4, 100);
  writer.socket.used = 700;
  EXPECT_EQ(flows(), Flows{"10:3>20:4"});
  EXPECT_EQ(sockets_.idle(), 0u);
  writer.socket.used = 0;
  EXPECT_EQ(flows(), Flows{"10:3>20:4"});
  EXPECT_EQ(flows(false), Flows{"10:3>20:4"});
}

TEST_F(SocketEdgesTest, AReaderThatWaitsIsSeenByTheNextPass) {
  unix_end(100, 10, 3, 101);
  unix_end(101, 20, 4, 100);
  EXPECT_EQ(flows(), Flows{});
  sockets_.see_waiting(20, 5, false);  // something else
  EXPECT_EQ(flows(), Flows{});
  sockets_.see_waiting(20, 4, false);
  EXPECT_EQ(flows(), Flows{"10:3>20:4"});
}

// A child's stdio: what it has as standard input it only reads, and so on.
TEST_F(SocketEdgesTest, StandardDescriptorsTellTheDirection) {
  unix_end(100, 10, 21, 101);
  unix_end(101, 20, 0, 100);
  unix_end(200, 10, 23, 201);
  unix_end(201, 20, 1, 200);
  EXPECT_EQ(flows(), (Flows{"10:21>20:0", "20:1>10:23"}));
  EXPECT_EQ(sockets_.idle(), 0u);
}

TEST_F(SocketEdgesTest, WhatWasShutDownIsNoEdge) {
  pipes_end& writer = unix_end(100, 10, 3, 101);
  unix_end(101, 20, 4, 100);
  writer.socket.used = 700;
  writer.socket.flags = PIPES_CAN_READ;
  EXPECT_EQ(flows(), Flows{});
}

TEST_F(SocketEdgesTest, TcpIsPairedByItsAddresses) {
  pipes_end& client = tcp_end(100, 10, 1, 40000, 2, 9000);
  pipes_end& server = tcp_end(101, 20, 2, 9000, 1, 40000, 2);  // in another namespace
  client.socket.sent = server.socket.received = 1'000'000;
  client.socket.received = server.socket.sent = 1'000;  // only answers
  server.socket.unread = 5;
  server.socket.flags |= PIPES_UNREAD;
  client.socket.queued = 40;
  EXPECT_EQ(flows(), Flows{"10:3>20:3"});
  const SocketEdge edge = edges().front();
  EXPECT_EQ(edge.link.name, "10.0.0.2:9000");
  EXPECT_EQ(edge.link.bytes, 1'000'000u);
  EXPECT_EQ(edge.link.read_inode, 101u);
  EXPECT_EQ(edge.queued, 45u);
  EXPECT_FALSE(edge.link.empty);
  client.socket.received = server.socket.sent = 500'000;
  EXPECT_EQ(flows(), (Flows{"10:3>20:3", "20:3>10:3"}));
}

// Containers have the same addresses.
TEST_F(SocketEdgesTest, TheSameAddressesInTwoNamespacesArePairedInEach) {
  uint64_t inode = 100;
  for (const uint32_t net : {1, 2}) {
    tcp_end(inode++, 10 * net, 1, 40000, 1, 9000, net).socket.sent = 1000;
    tcp_end(inode++, 10 * net + 1, 1, 9000, 1, 40000, net).socket.received = 1000;
  }
  EXPECT_EQ(flows(), (Flows{"10:3>11:3", "20:3>21:3"}));
}

TEST_F(SocketEdgesTest, AFarSideThatIsNotHere) {
  pipes_end& client = tcp_end(100, 10, 1, 40000, 9, 80);
  client.socket.sent = 100;
  client.socket.received = 1'000'000;
  EXPECT_EQ(flows(), Flows{">10:3"});
  const SocketEdge edge = edges().front();
  EXPECT_TRUE(edge.link.from_outside);
  EXPECT_EQ(edge.link.bytes, 1'000'000u);
  EXPECT_NE(edge.id, (PipeId{8, 100})) << "what it writes has that id";
  client.socket.sent = 1'000'000;
  EXPECT_EQ(flows(), (Flows{"10:3>", ">10:3"}));
}

TEST_F(SocketEdgesTest, InAPassOverSomeTheFarSideIsThatOfTheLastWholeOne) {
  pipes_end& client = tcp_end(100, 10, 1, 40000, 2, 9000);
  client.socket.sent = 1000;
  tcp_end(101, 20, 2, 9000, 1, 40000).socket.received = 1000;
  EXPECT_EQ(flows(), Flows{"10:3>20:3"});
  records_.pop_back();
  EXPECT_EQ(flows(false), Flows{"10:3>"});
  EXPECT_EQ(edges(false).front().id, (PipeId{8, 100}));
  tcp_end(102, 10, 1, 40001, 3, 9000).socket.sent = 1000;
  EXPECT_EQ(flows(false), Flows{"10:3>"}) << "what is new waits for a pass over all";
}

TEST_F(SocketEdgesTest, Names) {
  // In memory that somebody else has used before.
  const auto name_of = [&](std::string_view name, uint8_t flags = 0) {
    pipes_end& end = unix_end(++last_inode_, 10, 1, 0);
    std::memset(end.socket.name, 'x', sizeof(end.socket.name));
    const size_t kept = std::min(name.size(), sizeof(end.socket.name));
    std::memcpy(end.socket.name, name.end() - kept, kept);
    end.socket.name_bytes = uint8_t(name.size());
    end.socket.flags |= flags;
    return edges().back().link.name;
  };
  using namespace std::literals;
  EXPECT_EQ(name_of(""), "");
  EXPECT_EQ(name_of("/run/a.sock"), "/run/a.sock");
  EXPECT_EQ(name_of("\0abstract"sv, PIPES_ABSTRACT), "@abstract");
  EXPECT_EQ(name_of("\0"sv, PIPES_ABSTRACT), "@") << "it is a name";
  EXPECT_EQ(name_of("\0\0a\0\0"sv, PIPES_ABSTRACT), "@@a@@") << "as ss shows it";
  EXPECT_EQ(name_of("/23456789/123456789/123456789/12"), "/23456789/123456789/123456789/12");
  EXPECT_EQ(name_of("/run/a/23456789/123456789/123456789"), "...n/a/23456789/123456789/123456789");
  EXPECT_EQ(name_of("/run/23456789/123456789/123456789/12"), ".../23456789/123456789/123456789/12")
      << "it begins elsewhere";
  EXPECT_EQ(name_of("\0a\0b/23456789/123456789/123456789/12"sv, PIPES_ABSTRACT),
            "@.../23456789/123456789/123456789/12");
  const uint8_t address[16] = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  EXPECT_EQ(address_text(address, 22), "[fe80::1]:22");
}

}  // namespace
}  // namespace pipetop::observe
