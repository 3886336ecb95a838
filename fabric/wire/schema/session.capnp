@0xd3c1f5a08be6429b;
# Messages between a host and one ipud. SESSION.md holds the meaning of each message.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("copse::wire::session_schema");
using Status = import "status.capnp".Status;
using Shape = import "rows.capnp".Shape;

struct SessionMessage {
  # First ZeroMQ frame of every message of a session. Bulk bytes never go in here: they follow as
  # raw frames, as many as `frames` has entries, each of exactly that size.
  version @0 :UInt16;             # version of the sender's protocol
  request @1 :UInt64;             # an answer carries the number of what it answers; 0: wants none, answers none
  frames @2 :List(UInt64);        # sizes of the raw frames [bytes]
  union {
    # host to ipud
    hello @3 :Hello;
    configure @4 :Configure;
    moduleQuery @5 :Hashes;       # which of these are missing? answered by `moduleNeeds`
    moduleBytes @6 :ModuleBytes;  # raw frame: the module
    load @7 :Void;                # two raw frames: the image (image.capnp) and its data
    run @8 :Run;
    stop @9 :Status;              # ends the run that is going on
    viewRead @10 :View;           # answered by `view`
    viewWrite @11 :View;          # raw frame: the packed regions
    streamRow @12 :StreamRow;     # raw frame: this ipu's part of a row
    streamDrop @13 :StreamDrop;
    transferTaken @14 :Taken;     # rows or prints of the ipu were dealt with: it may send as many more
    rows @15 :Void;               # answers `rowsRead`; raw frame: this ipu's part of the rows
    # ipud to host
    welcome @16 :Void;            # answers `hello`
    moduleNeeds @17 :Hashes;
    done @18 :Report;             # answers `run`
    view @19 :Void;               # answers `viewRead`; raw frame: the packed regions
    streamRequest @20 :Transfer;  # the ipu waits for its part of a row
    streamTaken @21 :Transfer;    # the ipu has its part of a row
    streamWrite @22 :StreamWrite; # raw frame: its part of a row
    print @23 :Transfer;          # raw frame: its part of a tensor
    rowsRead @24 :Rows;           # answered by `rows`
    rowsWrite @25 :Rows;          # raw frame: its part of the rows; answered by `ok`
    # both ways
    ok @26 :Void;                 # what was asked for is done
    fault @27 :Status;            # what was asked for failed
    heartbeat @28 :Void;
    # host to ipud, and its answer
    linkQuery @29 :Void;          # answered by `links`
    links @30 :List(Link);
    # ipud to host
    waiting @31 :Waiting;         # the ipu has been waiting for others for a while
    # host to ipud
    detach @32 :Void;             # the host gives the ipu back; answered by `ok`
    inspect @33 :Void;            # any peer may send this, whether or not the ipu is held; answered by `state`
    # ipud to host
    state @34 :State;
    ending @35 :Status;           # the ipud was told to end, by a signal
    # host to ipud
    reset @36 :Void;              # any peer may send this: ends the session of the current holder; answered by `ok`
    resetMemory @37 :Void;        # tile memory has no parity errors any more; answered by `ok`
    injectError @38 :Word;        # any peer may send this: a parity error, until a reset; answered by `ok`
    cyclesQuery @39 :Void;        # answered by `vertexCycles`
    # ipud to host
    vertexCycles @40 :List(UInt32); # compute sets whose vertices were measured; raw frame: the cycles of each vertex
    # host to ipud
    announce @41 :Share;          # what other hosts find in `state`; answered by `ok`
    # ipud to host
    progress @42 :Progress;       # progress of the current run, if the host requested it
    # host to ipud
    timesQuery @43 :Void;         # answered by `stepTimes`
    # ipud to host
    stepTimes @44 :Bool;          # whether all steps of the last run are there; raw frame: their times on the wall clock
    # both ways
    piece @45 :Void;              # raw frame: the next bytes of the raw frames of the last message that was `inPieces`
    # ipud to host
    began @47 :Began;             # a run that meets other hosts' ipus, if `run` gave a `programTime`
  }
  inPieces @46 :Bool;             # the raw frames do not follow in this message, but in messages `piece`
}

struct Hello {
  heartbeatMs @0 :UInt32;         # silence after which either side gives the other up [wall-clock ms]
  host @1 :Text;                  # the host program, for people: "digits (pid 12 on node7)"
  token @2 :UInt64;               # random number of a host program, with which it may resume its own session; 0: none
}
struct State {
  pid @0 :Int64;
  holder @1 :Text;                # `Hello.host` of the holder; empty: the ipu is free
  sessions @2 :UInt64;            # begun since the ipud started
  running @3 :Bool;               # a request of the host is being done
  links @4 :List(Link);
  heard @5 :UInt64;               # messages of the holder so far
  share @6 :List(Share);          # what the holder has announced: at most one
  runs @7 :UInt64;                # runs of all sessions; the following counts are over all sessions, too
  steps @8 :UInt64;               # executed steps of control programs
  modelledCycles @9 :UInt64;
  bytesFromHost @10 :UInt64;      # bytes of streams
  bytesToHost @11 :UInt64;
}
struct Progress {
  steps @0 :UInt64;               # executed steps of control programs
  now @1 :UInt64;                 # [modelled cycles]
  trip @2 :UInt64;                # current iteration of the outermost loop
  trips @3 :UInt64;               # 0: not known
}
struct Share {                    # the replicas that one of several host programs runs
  partition @0 :Text;             # host programs with the same name share one
  first @1 :UInt32;               # its first replica
  number @2 :UInt32;              # number of its replicas
  replicas @3 :UInt32;            # replicas of all host programs
  ticket @4 :UInt64;              # random number of this load
  stage @5 :UInt8;                # copse::wire::session::ShareStage
  epoch @6 :UInt32;               # agreed
  tickets @7 :List(UInt64);       # tickets of all shares, in the order of their replicas; empty unless `first` is 0
  traits @8 :List(Trait);
  links @9 :List(Text);           # endpoints of its ipus
  syncs @10 :List(Text);
  names @11 :List(Text);          # as in Configure
  failure @12 :Status;
}
struct Trait {                    # what must be the same in all of them
  name @0 :Text;
  value @1 :Text;
}
struct Word {                     # a word of tile memory
  tile @0 :UInt32;
  address @1 :UInt32;
}
struct Configure {
  self @0 :UInt32;                # number in the partition
  epoch @1 :UInt32;               # number of this configuration: links and barriers drop messages of earlier epochs
  replica @2 :UInt32;
  replicas @3 :UInt32;
  ipusPerReplica @4 :UInt32;
  topology @5 :UInt8;             # copse::wire::Topology
  links @6 :List(Text);           # link endpoint of every ipu of the partition
  syncs @7 :List(Text);           # sync endpoint of every ipu of the partition
  groups @8 :List(Group);
  machineModel @9 :Text;          # JSON
  threads @10 :UInt32;
  syncTimeoutMs @11 :UInt32;
  workerSeed @12 :UInt64;         # seed of the order in which the vertices of a tile run; 0: the order of the image
  names @13 :List(Text);          # name of every ipu of the partition in its cluster's keys; none: there are no keys
  rowStore @14 :RowStore;
}
struct RowStore {                 # the program's remote buffers, at an rbufd
  endpoint @0 :Text;              # empty: rows are asked of the host
  name @1 :Text;
  buffers @2 :List(Shape);
}
struct Group {
  group @0 :UInt8;                # copse::wire::SyncGroup
  members @1 :List(UInt32);
}
struct Hashes {
  sha256 @0 :List(Text);          # in hexadecimal
}
struct ModuleBytes {
  sha256 @0 :Text;
  name @1 :Text;
}
struct Run {
  program @0 :UInt32;
  start @1 :UInt64;               # the clocks of all ipus are at least here when it begins [modelled cycles]
  meets @2 :Bool;                 # begins and ends together with the ipus of other host programs
  tells @3 :Bool;                 # `progress` is sent instead of `heartbeat`
  times @4 :Bool;                 # its steps are timed, for `timesQuery`
  programTime @5 :UInt64;         # the host program's clock [modelled ns since 1970]; 0: its clocks are real
}
struct Began {
  start @0 :UInt64;               # latest start of all hosts' ipus [modelled cycles]
  programTime @1 :UInt64;         # latest `Run.programTime` of all hosts
}
struct Report {
  start @0 :UInt64;               # [modelled cycles]
  end @1 :UInt64;                 # [modelled cycles]
  gs1 @2 :UInt64;                 # sync points that it has left since it was configured, by group
  gs2 @3 :UInt64;
  all @4 :UInt64;
  endOfAll @5 :UInt64;            # latest end of all ipus of all hosts, if the run meets [modelled cycles]
}
struct Waiting {
  group @0 :UInt8;                # copse::wire::SyncGroup
  point @1 :UInt64;               # number of the sync point since it was configured
  where @2 :Text;                 # the step, for people
}
struct Link {                     # what went over one IPU-Link since `configure`
  neighbour @0 :UInt32;           # number in the partition
  packetsSent @1 :UInt64;
  bytesSent @2 :UInt64;
  packetsReceived @3 :UInt64;
  bytesReceived @4 :UInt64;
  forwarded @5 :UInt64;           # packets of those received: for other ipus
  resent @6 :UInt64;
  repeats @7 :UInt64;
  refused @8 :UInt64;
}
struct View {
  view @0 :UInt32;
}
struct Transfer {
  number @0 :UInt64;              # number of this host transfer within the run; the same on all ipus of a replica
  exchange @1 :UInt32;            # index into Image::hostExchanges; unused in a print
  index @2 :UInt32;               # index of the transfer in the exchange; or index into Image::prints
  at @3 :UInt64;                  # the ipu's clock when it asks, or when the row has left [modelled cycles]
}
struct StreamWrite {
  number @0 :UInt64;              # as in Transfer
  exchange @1 :UInt32;
  index @2 :UInt32;
  takenBefore @3 :Bool;           # also says streamTaken of the transfer right before it
  at @4 :UInt64;                  # as in Transfer
}
struct Taken {
  rows @0 :UInt32 = 1;            # how many were dealt with since the host last said so
}
struct StreamRow {
  stream @0 :UInt32;
  sequence @1 :UInt64;            # number of the row within the stream, since the load
  prefetched @2 :Bool;            # the host had it before the ipu asked
  taken @3 :UInt32;               # rows of this ipu that the host has taken since it last said so
}
struct StreamDrop {
  stream @0 :UInt32;              # rows that were sent ahead and not used are void
}
struct Rows {
  copy @0 :UInt32;                # index into Image::remoteCopies
  rows @1 :List(UInt32);
}
