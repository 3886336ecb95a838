@0x99d1ced94845e26c;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("copse::wire::schema");

using Status = import "status.capnp".Status;

struct Envelope {
  # First frame of every message between two ipuds, on IPU-Links and on sync sockets. Bulk bytes
  # never go in here: they follow as a second, raw frame of exactly `payloadBytes` bytes
  # (PROTOCOL.md).
  version @0 :UInt16;              # the sender's version; an unknown one is answered with `fault`
  epoch @1 :UInt32;                # counts resets; a message of another epoch is dropped
  from @2 :UInt32;                 # IPU at this end of the wire, not the packet's source
  to @3 :UInt32;                   # IPU at the other end of the wire
  sequence @4 :UInt64;             # packets: counts per link, direction and virtual channel, from 0;
                                   # sync messages: number of the sync point in its group, from 0
  payloadBytes @5 :UInt64;         # size of the raw frame that follows [bytes]
  payloadCheck @6 :UInt64;         # hash of that frame, 0: not computed
  channels @7 :List(Received);     # what the sender has got from the receiver: one entry per virtual channel
  union {
    packet @8 :Packet;             # bytes for an IPU, perhaps a farther one
    ack @9 :Void;                  # nothing but `channels`
    probe @10 :List(UInt64);       # next sequence per channel: asks for an `ack` now, and shows a loss at the tail
    fault @11 :Status;             # the sender cannot work with the receiver
    arrive @12 :SyncArrive;        # member to coordinator: at the sync point
    leave @13 :SyncLeave;          # coordinator to member: all are there
  }
}

struct Received {
  # One virtual channel of the reverse direction, as its receiver sees it.
  expected @0 :UInt64;             # all sequences below this one have come
  consumed @1 :UInt64;             # all below this one have left their buffer: the sender's credits
  held @2 :UInt64;                 # first sequence that came early, if above `expected`: [expected, held) is missing
}

struct Packet {
  source @0 :UInt32;               # IPU that sent it first
  destination @1 :UInt32;          # IPU that it is for
  tag @2 :UInt32;                  # number of the exchange in the image; must be what the receiver waits for
  channel @3 :UInt8;               # virtual channel on this link
}

struct SyncArrive {
  # All members leave at the latest `time` plus the latency of the group (guide, 2.7.2).
  group @0 :UInt8;                 # 1 = GS1, 2 = GS2, 3 = all IPUs
  time @1 :UInt64;                 # the sender's clock [modelled cycles]
  stop @2 :Bool;                   # the sender has failed: all members leave with its error, without waiting
  status @3 :Status;               # why, if `stop`
  step @4 :UInt32;                 # step of the control program: all members must be at the same one
}

struct SyncLeave {
  group @0 :UInt8;
  time @1 :UInt64;                 # at which every member leaves [modelled cycles]
  stop @2 :Bool;                   # a member has failed: leave with its error
  status @3 :Status;               # its error, if `stop`
}
