#include "wire/rows.hpp"

#include "frame_reader.hpp"
#include "schema/rows.capnp.h"
#include "status_codec.hpp"

#include "wire/overloaded.hpp"

namespace copse::wire::rows {
namespace {

std::string text(capnp::Text::Reader from) { return {from.begin(), from.size()}; }
unsigned countOf(const auto &list) { return static_cast<unsigned>(list.size()); }

/// \param to  must have the length of \p from
void writeShapes(capnp::List<rows_schema::Shape>::Builder to,
                 const std::vector<BufferShape> &from) {
  for (unsigned i = 0; i < to.size(); ++i) {
    to[i].setHandle(from[i].handle);
    to[i].setRowBytes(from[i].rowBytes);
    to[i].setRows(from[i].rows);
  }
}

std::vector<BufferShape> readShapes(capnp::List<rows_schema::Shape>::Reader from) {
  std::vector<BufferShape> shapes;
  for (const auto shape : from) {
    const auto handle = shape.getHandle();
    shapes.push_back(
        {std::string(handle.begin(), handle.size()), shape.getRowBytes(), shape.getRows()});
  }
  return shapes;
}

void writeOpen(rows_schema::Open::Builder to, const Open &from) {
  to.setName(from.name);
  to.setReplicas(from.replicas);
  writeShapes(to.initBuffers(countOf(from.buffers)), from.buffers);
}

Open readOpen(rows_schema::Open::Reader from) {
  return {text(from.getName()), from.getReplicas(), readShapes(from.getBuffers())};
}

void writeAccess(rows_schema::Access::Builder to, const Access &from) {
  to.setStore(from.store);
  to.setBuffer(from.buffer);
  to.setReplica(from.replica);
  auto parts = to.initParts(countOf(from.parts));
  for (unsigned i = 0; i < parts.size(); ++i) {
    parts[i].setRow(from.parts[i].row);
    parts[i].setOffset(from.parts[i].offset);
    parts[i].setBytes(from.parts[i].bytes);
  }
}

Access readAccess(rows_schema::Access::Reader from) {
  Access to{from.getStore(), from.getBuffer(), from.getReplica(), {}};
  to.parts.reserve(from.getParts().size());
  for (const auto part : from.getParts())
    to.parts.push_back({part.getRow(), part.getOffset(), part.getBytes()});
  return to;
}

void writeReport(capnp::List<rows_schema::Counter>::Builder to, const Report &from) {
  for (unsigned i = 0; i < to.size(); ++i) {
    to[i].setName(from.counters[i].name);
    to[i].setValue(from.counters[i].value);
  }
}

Report readReport(capnp::List<rows_schema::Counter>::Reader from) {
  Report to;
  for (const auto counter : from)
    to.counters.push_back({text(counter.getName()), counter.getValue()});
  return to;
}

void writeBody(rows_schema::RowsMessage::Builder to, const Body &body) {
  std::visit(Overloaded{
                 [&](const Open &m) { writeOpen(to.initOpen(), m); },
                 [&](const Read &m) { writeAccess(to.initRead(), m); },
                 [&](const Write &m) { writeAccess(to.initWrite(), m); },
                 [&](const Counters &) { to.setCounters(); },
                 [&](const Opened &m) { to.setOpened(m.store); },
                 [&](const Rows &) { to.setRows(); },
                 [&](const Ok &) { to.setOk(); },
                 [&](const UnknownStore &) { to.setUnknownStore(); },
                 [&](const Report &m) { writeReport(to.initReport(countOf(m.counters)), m); },
                 [&](const Fault &m) { write(to.initFault(), m.status); },
             },
             body);
}

Result<Body> readBody(rows_schema::RowsMessage::Reader from) {
  using Which = rows_schema::RowsMessage::Which;
  switch (from.which()) {
  case Which::OPEN:
    return Body{readOpen(from.getOpen())};
  case Which::READ:
    return Body{Read{readAccess(from.getRead())}};
  case Which::WRITE:
    return Body{Write{readAccess(from.getWrite())}};
  case Which::COUNTERS:
    return Body{Counters{}};
  case Which::OPENED:
    return Body{Opened{from.getOpened()}};
  case Which::ROWS:
    return Body{Rows{}};
  case Which::OK:
    return Body{Ok{}};
  case Which::UNKNOWN_STORE:
    return Body{UnknownStore{}};
  case Which::REPORT:
    return Body{readReport(from.getReport())};
  case Which::FAULT:
    return Body{Fault{read(from.getFault())}};
  }
  return Status{Code::BadFrame, "bad rows header: a message that this build does not know"};
}

} // namespace

std::vector<std::byte> encode(const Header &header) {
  capnp::MallocMessageBuilder message;
  auto root = message.initRoot<rows_schema::RowsMessage>();
  root.setVersion(kVersion);
  root.setRequest(header.request);
  root.setPayloadBytes(header.payloadBytes);
  writeBody(root, header.body);
  return flatten(message);
}

Result<Header> decode(std::span<const std::byte> frame) {
  if (frame.size() > kMaxHeaderBytes)
    return Status{Code::BadFrame,
                  "bad rows header: " + std::to_string(frame.size()) + " bytes are too many"};
  // Each part is visited a few times at most.
  const std::uint64_t words = 8 * frame.size() / sizeof(capnp::word) + 64;
  return readFrame("rows header", frame, words, [](capnp::MessageReader &reader) -> Result<Header> {
    const auto root = reader.getRoot<rows_schema::RowsMessage>();
    if (root.getVersion() != kVersion)
      return Status{Code::BadFrame, "rows protocol version " + std::to_string(root.getVersion()) +
                                        " is not " + std::to_string(kVersion)};
    auto body = readBody(root);
    if (!body)
      return body.status();
    return Header{root.getRequest(), root.getPayloadBytes(), std::move(*body)};
  });
}

} // namespace copse::wire::rows
