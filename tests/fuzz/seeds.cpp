// Writes inputs to start from into DIR/TARGET/, one of each kind: `fuzz_seeds tests/fuzz/corpus`.
#include "file_buffer.hpp"
#include "file_format.hpp"
#include "images.hpp"
#include "random_image.hpp"
#include "saved_program.hpp"
#include "temporary_folder.hpp"
#include "tls_handshake.hpp"

#include "assembler/assembler.hpp"
#include "engine/executable_file.hpp"
#include "popc/popc.hpp"
#include "profile/profile_data.hpp"
#include "profile/profile_recorder.hpp"
#include "types/engine_options.hpp"
#include "wire/envelope.hpp"
#include "wire/image_codec.hpp"
#include "wire/rows.hpp"
#include "wire/session.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <poplar/IPUModel.hpp>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace copse;

class Corpus {
public:
  explicit Corpus(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void add(const std::string &target, const std::string &name, std::string_view bytes) const {
    std::filesystem::create_directories(folder_ / target);
    std::ofstream file(folder_ / target / name, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  void add(const std::string &target, const std::string &name,
           const std::vector<std::byte> &bytes) const {
    add(target, name, std::string_view{reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  }

private:
  std::filesystem::path folder_;
};

void addEnvelopes(const Corpus &corpus) {
  const wire::Status failure{wire::Code::Timeout, "ipu 1 is missing"};
  const decltype(wire::Envelope::body) bodies[] = {
      wire::Ack{},
      wire::Packet{{1}, {2}, 7, 1},
      wire::Probe{{3, 4}},
      wire::Fault{wire::Code::BadFrame, "what was sent"},
      wire::SyncArrive{wire::SyncGroup::GS2, {1000}, failure, 12},
      wire::SyncLeave{wire::SyncGroup::All, {2000}, {}}};
  static_assert(std::size(bodies) == std::variant_size_v<decltype(wire::Envelope::body)> - 1,
                "one of each kind but Foreign, which nobody sends");
  for (const auto &body : bodies) {
    wire::Envelope envelope;
    envelope.epoch = 5;
    envelope.from = {1};
    envelope.to = {2};
    envelope.sequence = 9;
    envelope.payloadBytes = 64;
    envelope.payloadCheck = 77;
    envelope.channels[1] = {5, 4, 8};
    envelope.body = body;
    corpus.add("envelope", "body" + std::to_string(body.index()), wire::encode(envelope));
  }
}

/// Adds two messages, with a payload and without, then bytes of a peer without a key. The fuzz
/// target encrypts the same: each record's length, with the highest bit set if it is encrypted.
void addRecordStreams(const Corpus &corpus) {
  const auto lengths = [](char header, char payload) {
    std::string record(16, '\0');
    record[0] = header;
    record[8] = payload;
    return "\x90" + record;
  };
  corpus.add("record_stream", "messages",
             lengths(4, 20) + "\x84head\x94" + std::string(20, 'p') + lengths(3, 0) +
                 "\x83"
                 "end"
                 "\x06stream");
}

/// Adds the first bytes of a neighbour: those that follow depend on the answer.
void addHandshakes(const Corpus &corpus) {
  const fabric::KeyPair own = fabric::newKeyPair(), other = fabric::newKeyPair();
  const fabric::TlsContext context(std::make_shared<fabric::Keyring>(
      "ipu-1", own,
      std::map<std::string, std::string>{{"ipu-0", other.publicKey}, {"ipu-1", own.publicKey}}));
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    std::abort();
  (void)fabric::TlsHandshake::client(context, ends[0], "ipu-0").step();
  std::string hello(4096, '\0');
  const ssize_t bytes = ::recv(ends[1], hello.data(), hello.size(), MSG_DONTWAIT);
  hello.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  corpus.add("tls_handshake", "hello", hello);
  for (const int end : ends)
    ::close(end);
}

void addSessions(const Corpus &corpus) {
  namespace session = wire::session;
  const wire::Status status{wire::Code::VertexFault, "tile 3"};
  session::Configure plan;
  plan.replicas = 2;
  plan.links = plan.syncs = {"tcp://127.0.0.1:1", "tcp://127.0.0.1:2"};
  plan.groups = {{wire::SyncGroup::GS1, {0, 1}}};
  plan.names = {"ipu-0", "ipu-1"};
  plan.machineModel = "{}";
  plan.rowStore = {"tcp://127.0.0.1:3", "digits", {{"momentum", 64, 2}}};
  const session::Transfer transfer{3, 1, 2};
  session::Share share;
  share.replicas = 2;
  share.tickets = {1, 2};
  share.traits = {{"the executable", "ab"}};
  share.links = share.syncs = {"tcp://127.0.0.1:1"};
  const session::Body bodies[] = {
      session::Heartbeat{},
      session::Hello{500, "digits", 77},
      plan,
      session::ModuleQuery{{"ab", "cd"}},
      session::ModuleBytes{"ab", "codelets.cpp"},
      session::Load{},
      session::Run{1, {10}},
      session::Stop{status},
      session::ViewRead{1},
      session::ViewWrite{2},
      session::StreamRow{1, 2, true},
      session::StreamDrop{1},
      session::TransferTaken{5},
      session::Rows{},
      session::Welcome{},
      session::ModuleNeeds{{"ab"}},
      session::Done{{1}, {2}, 5, 6, 7},
      session::View{},
      session::StreamRequest{transfer},
      session::StreamTaken{transfer},
      session::StreamWrite{transfer},
      session::Print{transfer},
      session::RowsRead{1, {2, 3}},
      session::RowsWrite{1, {2, 3}},
      session::Ok{},
      session::Fault{status},
      session::LinkQuery{},
      session::CyclesQuery{},
      session::VertexCycles{{0, 3}},
      session::TimesQuery{},
      session::StepTimes{false},
      session::Links{{{1, 2, 3, 4, 5, 6, 7, 8, 9}}},
      session::Waiting{wire::SyncGroup::GS1, 3, "step 2"},
      session::Detach{},
      session::Inspect{},
      session::State{42, "digits", 3, true, {{1, 2, 3, 4, 5, 6, 7, 8, 9}}, 5, 1, 2, 3, 4, 5, share},
      session::Reset{},
      session::Ending{status},
      session::ResetMemory{},
      session::InjectError{3, 0x4c000},
      session::Announce{share},
      session::Progress{1, {2}, 3, 4},
      session::Began{{1}, 2},
      session::Piece{}};
  static_assert(std::size(bodies) == std::variant_size_v<session::Body>, "one of each kind");
  for (const session::Body &body : bodies)
    corpus.add("session", "body" + std::to_string(body.index()),
               session::encode({7, {16, 32}, body}));
}

void addRows(const Corpus &corpus) {
  namespace rows = wire::rows;
  const rows::Access access{1, 0, 1, {{0, 0, 16}, {2, 8, 8}}};
  const rows::Body bodies[] = {rows::Ok{},
                               rows::Open{"digits", 4, {{"momentum", 4096, 2}}},
                               rows::Read{access},
                               rows::Write{access},
                               rows::Counters{},
                               rows::Opened{3},
                               rows::Rows{},
                               rows::UnknownStore{},
                               rows::Report{{{"reads", 5}}},
                               rows::Fault{{wire::Code::OutOfMemory, "disk full"}}};
  for (const rows::Body &body : bodies)
    corpus.add("rows", "body" + std::to_string(body.index()), rows::encode({7, 24, body}));
}

void addImage(const Corpus &corpus, const std::string &name, const wire::Image &image) {
  const auto dataBytes = static_cast<std::uint32_t>(image.data.size());
  std::vector<std::byte> bytes(sizeof dataBytes);
  std::memcpy(bytes.data(), &dataBytes, sizeof dataBytes);
  bytes.insert(bytes.end(), image.data.begin(), image.data.end());
  const auto frame = *wire::encodeImage(image);
  bytes.insert(bytes.end(), frame.begin(), frame.end());
  corpus.add("image", name, bytes);
}

void addImages(const Corpus &corpus) {
  addImage(corpus, "random", ipud::test::RandomImage(2).make());
  test::ImageWriter writer({"ab", "codelets.cpp"});
  writer.image.hostViews.push_back(test::ImageWriter::row(test::kWord, 1));
  writer.program({writer.vertex("add", {test::kWord, 1}), test::step(wire::Op::Sync, 2)});
  addImage(corpus, "valid", writer.image);
}

/// Returns the rest of a file after the two lines of its head.
std::string behindTwoLines(const std::string &file) {
  return file.substr(file.find('\n', file.find('\n') + 1) + 1);
}

/// Shared objects are left out: no decoder reads them, and they are long.
void addPrograms(const Corpus &corpus) {
  const std::string source = ".section .text.tile_vertex,\"ax\"\n"
                             ".globl __runCodelet_Nothing\n"
                             "__runCodelet_Nothing:\n  setzi $m0, here\nhere:\n  exitz $m0\n";
  popc::CompileOptions options;
  options.targets = {popc::Architecture::Ipu2};
  const auto modules = popc::compileSource(source, "/nothing.s", options);
  std::ostringstream assembly;
  popc::writeGp(assembly, modules);
  corpus.add("gp", "assembly", behindTwoLines(assembly.str()));

  poplar::IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 2;
  const auto executable = test::compileSample(model.createDevice().getTarget(), 2);
  auto read = engine::readExecutable(test::saved(executable));
  std::vector<popc::Module> native;
  for (auto &module : read->program.modules) {
    popc::Module shorter = *module;
    shorter.elf.resize(16);
    native.push_back(shorter);
    module = std::make_shared<const popc::Module>(std::move(shorter));
  }
  std::ostringstream gp, exe;
  popc::writeGp(gp, native);
  engine::writeExecutable(*read, exe);
  corpus.add("gp", "native", behindTwoLines(gp.str()));
  corpus.add("executable", "sample", engine::bodyOf(exe.str()));

  types::EngineOptions profiled;
  profiled.instrumentation.compute = true;
  profile::ProfileRecorder recorder(std::move(read), profiled);
  profile::RunObservations observed;
  observed.prefetched.assign(executable.getImpl().program.streams.size(), false);
  recorder.ran(0, "run", {0}, {1000}, std::move(observed));
  std::ostringstream report;
  profile::writeReport(report, recorder.report(true));
  corpus.add("profile", "sample", report.str());
}

void addStoredRows(const Corpus &corpus) {
  namespace rows = remote_buffers;
  const test::TemporaryFolder folder;
  const std::string path = folder.file("b.rows");
  const auto buffer = *rows::FileBuffer::open(path, {"b", 40, 3}, 2);
  const rows::RowPart whole{1, 0, 40};
  const std::vector<std::byte> row(40, std::byte{9});
  for (int twice = 0; twice < 2; ++twice)
    if (!buffer->write(1, {&whole, 1}, row).ok())
      std::abort();
  std::ifstream stream(path, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  corpus.add("stored_rows", "whole", std::string(1, '\0') + file);
  corpus.add("stored_rows", "records", '\1' + file.substr(rows::kHeaderBytes));
  corpus.add("stored_rows", "none", std::string(1, '\1'));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DIR\n", argv[0]);
    return 2;
  }
  const Corpus corpus(argv[1]);
  addEnvelopes(corpus);
  addRecordStreams(corpus);
  addHandshakes(corpus);
  addSessions(corpus);
  addRows(corpus);
  addImages(corpus);
  addPrograms(corpus);
  addStoredRows(corpus);
  return 0;
}
