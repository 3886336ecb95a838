@0x853ffaee93ab6129;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("copse::wire::schema");

struct Status {
  # Success, or why not: wire::Status.
  code @0 :UInt8;                  # wire::Code; a reader takes a number that it does not know for `internal`
  text @1 :Text;                   # for people: what, where, what to do
}
