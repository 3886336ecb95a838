@0xb52a9de07c1f4683;
# The messages between a host program and the daemon rbufd. ROWS.md gives the meaning of each.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("copse::wire::rows_schema");
using Status = import "status.capnp".Status;

struct RowsMessage {
  # First ZeroMQ frame of every message. Rows never go in here: they follow as one raw frame of
  # exactly `payloadBytes` bytes, or as none when that is 0.
  version @0 :UInt16;             # version of the sender's protocol
  request @1 :UInt64;             # an answer carries the number of what it answers
  payloadBytes @2 :UInt64;
  union {
    # host to rbufd
    open @3 :Open;                # answered by `opened`
    read @4 :Access;              # answered by `rows`
    write @5 :Access;             # raw frame: the parts; answered by `ok` when they are written
    counters @6 :Void;            # answered by `report`
    # rbufd to host
    opened @7 :UInt64;            # number of the store, for reads and writes
    rows @8 :Void;                # raw frame: the parts
    ok @9 :Void;
    unknownStore @10 :Void;       # no store has that number (rbufd was started anew): open it again
    report @11 :List(Counter);
    fault @12 :Status;            # what was asked for failed
  }
}

struct Open {
  name @0 :Text;                  # the store's name: buffers of one name and handle are the same rows
  replicas @1 :UInt32;
  buffers @2 :List(Shape);
}
struct Shape {
  handle @0 :Text;
  rowBytes @1 :UInt64;
  rows @2 :UInt64;                # rows per replica
}
struct Access {
  store @0 :UInt64;               # from `opened`
  buffer @1 :UInt32;              # index into Open.buffers
  replica @2 :UInt32;
  parts @3 :List(Part);           # one after another, they are the raw frame
}
struct Part {
  row @0 :UInt64;
  offset @1 :UInt64;              # [bytes] within the row
  bytes @2 :UInt64;
}
struct Counter {
  name @0 :Text;
  value @1 :UInt64;
}
