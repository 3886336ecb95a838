@0xd1b54a32c2f9e07b;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("copse::wire::image_schema");

# The image that is loaded into one IPU. wire/image.hpp explains each field; this file only says how
# it looks in bytes.
#
# An image is two frames: a message of this schema, then a raw frame. The raw frame is Image::data:
# `dataBytes` bytes that no header precedes and nothing in the format pads or aligns, so that a
# sender need not copy them. Only two structures refer to them, each by an offset and a size in
# bytes, and ranges may overlap: InitialData (what is written to tile memory at load) and
# CodeSection (tile instructions: 32-bit little-endian words). Bytes that neither refers to are
# allowed and mean nothing. The other side checks every range before it uses one.
#
# Within the message, long arrays of small records are `Data` of little-endian 32-bit words, without
# padding, so that both sides move them with one memcpy:
#
#   Region        5 words: tile, address, bytes, count, stride
#   Move          8 words: from.tile, from.address, to.tile, to.address, bytes, count, fromStride, toStride
#   Flow          4 words: from, to, bytes (low, high)
#   HostPiece     4 words: offset (low, high), bytes (low, high)
#   VertexRecord  3 words: address, function, cycles
#   TileVertices  3 words: tile, first, count
#   TileAddress   2 words: tile, address
#   StepRange     2 words: first, count
#   Step          7 words: op + 256 * predicateBytes, index, count, body, other, predicate.tile, predicate.address
#   InitialData   7 words: a Region, offset (low, high)
#   CodeLine      3 words: address, file, line
#   GivenRange    6 words: address, bytes, field, index, elementBytes, access (1: read, 2: written)
#   NamedRange    4 words: tile, address, bytes, name
#   UndefinedRange 6 words: step, tile, address, bytes, count, stride
#
# A Data whose size is not a whole number of records is refused.

struct Image {
  format @0 :UInt32;               # version of this layout; another one is refused
  ipu @1 :UInt32;
  ipusPerReplica @2 :UInt32;
  geometry @3 :TileGeometry;
  modules @4 :List(ModuleRef);
  functions @5 :List(CodeletFunction);
  computeSets @6 :List(ComputeSet);
  exchanges @7 :List(Exchange);
  hostExchanges @8 :List(HostExchange);
  remoteCopies @9 :List(RemoteCopy);
  prints @10 :List(Print);
  hostViews @11 :List(HostView);
  messages @12 :List(Text);
  steps @13 :Data;                 # Step
  programs @14 :Data;              # StepRange
  calls @15 :Data;                 # StepRange
  initial @16 :Data;               # InitialData
  replicaIndices @17 :Data;        # TileAddress
  dataBytes @18 :UInt64;           # size of the raw frame
  architecture @19 :UInt8;         # the tiles' architecture; 0: cpu, 1: ipu1, 2: ipu2, 3: ipu21
  code @20 :List(CodeSection);
  sourceFiles @21 :List(Text);
  stacks @22 :List(UInt32);
  registers @23 :TileRegisters;
  checks @24 :CheckTables;         # only in programs that `copse check` runs
}

struct CheckTables {
  present @0 :Bool;
  names @1 :List(Text);
  givenEnds @2 :List(UInt32);
  given @3 :Data;                  # GivenRange
  variables @4 :Data;              # NamedRange
  undefined @5 :Data;              # UndefinedRange
  edgeExchanges @6 :UInt32;
}

struct TileRegisters {
  floatingPoint @0 :List(UInt32);  # tile address on each tile, or empty
  seeds @1 :List(UInt32);          # likewise
  atLoad @2 :UInt32;               # bits: INV, DIV0, OFLO, ESR, NANOO from bit 0
  raise @3 :Bool;
}

struct TileGeometry {
  tiles @0 :UInt32;
  workers @1 :UInt32;
  slotBits @2 :UInt32;
  memoryBase @3 :UInt32;
  memoryBytes @4 :UInt64;
}

struct ModuleRef {
  sha256 @0 :Text;
  name @1 :Text;
}

struct CodeletFunction {
  module @0 :UInt32;
  symbol @1 :Text;
  vertexType @2 :Text;
  multiVertex @3 :Bool;
  kind @4 :UInt8;                  # 0: native, 1: tile instructions of a worker, 2: of the supervisor, 3: native function, 4: native, on the supervisor
  entry @5 :UInt32;                # tile address of the first instruction, or where tile code finds native code; 0: nowhere
}

struct CodeSection {
  address @0 :UInt32;
  bytes @1 :UInt32;
  offset @2 :UInt64;
  tiles @3 :List(UInt32);
  symbols @4 :List(CodeSymbol);
  lines @5 :Data;                  # CodeLine
  isForNativeCode @6 :Bool;        # native code calls its functions; on no tile
}

struct CodeSymbol {
  name @0 :Text;
  address @1 :UInt32;
  bytes @2 :UInt32;
}

struct ComputeSet {
  name @0 :Text;
  tiles @1 :Data;                  # TileVertices
  vertices @2 :Data;               # VertexRecord
  hasResult @3 :Bool;
  resultTile @4 :UInt32;
  resultAddress @5 :UInt32;
}

struct Message {
  peer @0 :UInt32;
  regions @1 :Data;                # Region
  bytes @2 :UInt64;
}

struct Exchange {
  name @0 :Text;
  moves @1 :Data;                  # Move
  overlapping @2 :Bool;
  sends @3 :List(Message);
  receives @4 :List(Message);
  flows @5 :Data;                  # Flow
  replicaMap @6 :List(UInt32);
  byTile @7 :Bool;
}

struct HostView {
  regions @0 :Data;                # Region
  pieces @1 :Data;                 # HostPiece
  bytes @2 :UInt64;
  rowBytes @3 :UInt64;
}

struct StreamTransfer {
  stream @0 :UInt32;
  direction @1 :UInt8;             # 0: to the device, 1: to the host
  view @2 :HostView;
}

struct HostExchange {
  name @0 :Text;
  transfers @1 :List(StreamTransfer);
  replicaBytesToDevice @2 :UInt64;
  replicaBytesToHost @3 :UInt64;
}

struct RemoteCopy {
  name @0 :Text;
  buffer @1 :UInt32;
  direction @2 :UInt8;
  rows @3 :UInt32;
  rowBytes @4 :UInt64;
  hasOffsets @5 :Bool;
  offsets @6 :Data;                # one Region
  view @7 :HostView;
  replicaBytes @8 :UInt64;
}

struct Print {
  tensor @0 :UInt32;
  view @1 :HostView;
}
