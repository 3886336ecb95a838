#include "zmtp_handshake.hpp"

#include "zmtp_frame.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <strings.h>
#include <utility>

namespace copse::fabric::zmtp {
namespace {

constexpr std::size_t kGreetingBytes = 64, kMechanismAt = 12, kMechanismBytes = 20, kServerAt = 32;
constexpr std::byte kSignatureBegin{0xFF}, kSignatureEnd{0x7F}, kMajor{3};

// Sizes and offsets of CURVE's commands, names included.
constexpr std::size_t kHelloBytes = 200, kHelloKeyAt = 80, kHelloNonceAt = 112, kHelloBoxAt = 120;
constexpr std::size_t kSignedZeros = 64;
constexpr std::size_t kInitiateCookieAt = 9, kInitiateNonceAt = 105, kInitiateBoxAt = 113;
constexpr std::size_t kVouchNonceAt = 32, kVouchAt = 48, kVouchBytes = 80,
                      kInitiateMetadataAt = 128;

constexpr std::string_view kHelloNonce = "CurveZMQHELLO---", kWelcomeNonce = "WELCOME-",
                           kInitiateNonce = "CurveZMQINITIATE", kVouchNonce = "VOUCH---",
                           kReadyNonce = "CurveZMQREADY---";

using Bytes = std::vector<std::byte>;
using View = std::span<const std::byte>;

void append(Bytes &to, View bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }
void append(Bytes &to, std::string_view text) { append(to, std::as_bytes(std::span(text))); }

/// Appends a name with its length before it.
void appendName(Bytes &to, std::string_view name) {
  to.push_back(static_cast<std::byte>(name.size()));
  append(to, name);
}

bool isCommand(View command, std::string_view name) {
  return command.size() > name.size() && std::to_integer<std::size_t>(command[0]) == name.size() &&
         std::memcmp(command.data() + 1, name.data(), name.size()) == 0;
}

std::size_t bigEndian(View bytes) {
  std::size_t value = 0;
  for (const std::byte byte : bytes)
    value = value << 8 | std::to_integer<std::size_t>(byte);
  return value;
}

Bytes errorCommand() {
  Bytes body;
  appendName(body, "ERROR");
  appendName(body, "400"); // ZAP's code for an unknown key
  return commandFrame(body);
}

} // namespace

std::vector<std::byte> commandFrame(View body) {
  Bytes frame(headerBytesFor(body.size()));
  putHeader(frame.data(), kCommand, body.size());
  append(frame, body);
  return frame;
}

Handshake::Handshake(std::shared_ptr<const Admission> admission)
    : admission_(std::move(admission)) {}

std::vector<std::byte> Handshake::greeting() const {
  Bytes bytes(kGreetingBytes);
  bytes[0] = kSignatureBegin;
  bytes[9] = kSignatureEnd;
  bytes[10] = kMajor;
  const std::string_view mechanism = admission_->keys ? "CURVE" : "NULL";
  std::memcpy(bytes.data() + kMechanismAt, mechanism.data(), mechanism.size());
  bytes[kServerAt] = static_cast<std::byte>(admission_->keys ? 1 : 0);
  return bytes;
}

Handshake::Step Handshake::refuse(std::string why) {
  why_ = std::move(why);
  buffer_.clear();
  return Step::Refused;
}

Handshake::Step Handshake::put(View &bytes, Bytes &answer) {
  for (;;) {
    const std::size_t wanted = bytesWanted();
    // Reads not one byte more: messages may follow the handshake at once.
    const std::size_t taken = std::min(bytes.size(), wanted - buffer_.size());
    append(buffer_, bytes.first(taken));
    bytes = bytes.subspan(taken);
    if (const Step step = checkBegin(); step == Step::Refused)
      return step;
    if (buffer_.size() < wanted)
      return Step::WantMore;
    if (bytesWanted() > wanted)
      continue; // the header of a frame is complete, and says how much follows
    const Step step = stage_ == Stage::Greeting
                          ? readGreeting(answer)
                          : readCommand(View(buffer_).subspan(headerAt(buffer_)->bytes), answer);
    if (step != Step::WantMore)
      return step;
    buffer_.clear();
  }
}

/// Returns the size of the greeting or command at the front of the buffer, as far as the buffer
/// shows it.
std::size_t Handshake::bytesWanted() const {
  if (stage_ == Stage::Greeting)
    return kGreetingBytes;
  if (const auto header = headerAt(buffer_))
    return header->bytes + static_cast<std::size_t>(header->body);
  const bool isLong = !buffer_.empty() && (buffer_[0] & kLong) != std::byte{0};
  return isLong ? kLongHeaderBytes : kShortHeaderBytes;
}

/// Refuses the peer as soon as its bytes are wrong.
Handshake::Step Handshake::checkBegin() {
  if (buffer_.empty())
    return Step::WantMore;
  if (stage_ == Stage::Greeting)
    return buffer_[0] == kSignatureBegin ? Step::WantMore
                                         : refuse("it does not speak ZeroMQ's protocol");
  if ((buffer_[0] & ~kLong) != kCommand)
    return refuse("it sends something else than commands before it has authenticated");
  const auto header = headerAt(buffer_);
  if (header && header->body > kMostBytes - header->bytes)
    return refuse("it declares a command of " + std::to_string(header->body) +
                  " bytes before it has authenticated");
  return Step::WantMore;
}

Handshake::Step Handshake::readGreeting(Bytes &answer) {
  if ((buffer_[9] & std::byte{1}) == std::byte{0} || buffer_[10] < kMajor)
    return refuse("it speaks an old version of ZeroMQ's protocol, or another one");
  std::string mechanism(reinterpret_cast<const char *>(buffer_.data()) + kMechanismAt,
                        kMechanismBytes);
  mechanism.resize(std::min(mechanism.find('\0'), mechanism.size()));
  const bool hasKeys = admission_->keys != nullptr;
  if (mechanism != (hasKeys ? "CURVE" : "NULL")) {
    if (mechanism == "NULL")
      return refuse("it has no keys, and this cluster has");
    if (mechanism == "CURVE")
      return refuse("it has keys, and this cluster has none");
    return refuse("it asks for another mechanism than CURVE and NULL");
  }
  if (hasKeys) {
    stage_ = Stage::Hello;
    return Step::WantMore;
  }
  stage_ = Stage::Ready;
  Bytes ready;
  appendName(ready, "READY");
  append(ready, ownMetadata());
  append(answer, commandFrame(ready));
  return Step::WantMore;
}

Handshake::Step Handshake::readCommand(View command, Bytes &answer) {
  switch (stage_) {
  case Stage::Hello:
    return readHello(command, answer);
  case Stage::Initiate:
    return readInitiate(command, answer);
  case Stage::Ready:
    return readReady(command);
  case Stage::Greeting:
  case Stage::Done:
    break;
  }
  return refuse("it goes on after the handshake");
}

Handshake::Step Handshake::readHello(View command, Bytes &answer) {
  if (command.size() != kHelloBytes || !isCommand(command, "HELLO") || command[6] != std::byte{1} ||
      command[7] != std::byte{0})
    return refuse("its first command is not CURVE's HELLO");
  std::copy_n(command.begin() + kHelloKeyAt, peerKey_.size(), peerKey_.begin());
  const auto nonce = command.subspan<kHelloNonceAt, curve::kShortNonceBytes>();
  longTerm_ = admission_->keys->curveKey(peerKey_);
  const auto zeros =
      longTerm_ ? longTerm_->open(command.subspan(kHelloBoxAt), kHelloNonce, nonce) : std::nullopt;
  if (!zeros || *zeros != Bytes(kSignedZeros))
    return refuse("it connects with the key of another node than " + admission_->keys->self());
  received_ = curve::numberOf(nonce);

  own_.emplace();
  messages_ = curve::SharedKey::of(peerKey_, own_->secretKey);
  if (!messages_)
    return refuse("its key is not a valid public key");
  curve::fillRandomly(cookie_);
  std::array<std::byte, curve::kLongNonceBytes> welcomeNonce{};
  curve::fillRandomly(welcomeNonce);
  Bytes secrets;
  append(secrets, View(own_->publicKey));
  append(secrets, View(cookie_));
  Bytes welcome;
  appendName(welcome, "WELCOME");
  append(welcome, View(welcomeNonce));
  append(welcome, longTerm_->seal(secrets, kWelcomeNonce, welcomeNonce));
  append(answer, commandFrame(welcome));
  stage_ = Stage::Initiate;
  return Step::WantMore;
}

Handshake::Step Handshake::readInitiate(View command, Bytes &answer) {
  if (command.size() < kInitiateBoxAt + curve::kTagBytes + kInitiateMetadataAt ||
      !isCommand(command, "INITIATE") ||
      !std::equal(cookie_.begin(), cookie_.end(), command.begin() + kInitiateCookieAt))
    return refuse("its second command is not CURVE's INITIATE");
  const auto nonce = command.subspan<kInitiateNonceAt, curve::kShortNonceBytes>();
  const auto content = messages_->open(command.subspan(kInitiateBoxAt), kInitiateNonce, nonce);
  if (!content || curve::numberOf(nonce) <= received_)
    return refuse("its INITIATE is not what the peer of this connection would send");
  received_ = curve::numberOf(nonce);

  // The vouch proves that the peer has the secret key of the public key that it names.
  const View plain(*content);
  const auto key = plain.first<curve::kKeyBytes>();
  const auto vouchKey = curve::SharedKey::of(key, own_->secretKey);
  const auto vouch = vouchKey ? vouchKey->open(plain.subspan(kVouchAt, kVouchBytes), kVouchNonce,
                                               plain.subspan(kVouchNonceAt, curve::kLongNonceBytes))
                              : std::nullopt;
  if (!vouch || !std::equal(peerKey_.begin(), peerKey_.end(), vouch->begin()) ||
      admission_->keys->nameOf(View(*vouch).subspan(curve::kKeyBytes)) != admission_->keys->self())
    return refuse("it does not prove that its key is its own");
  name_ = admission_->keys->nameOf(key);
  if (!mayEnter(name_)) {
    append(answer, errorCommand());
    return refuse(name_.empty() ? "its key is not known here"
                                : "it has the key of " + name_ + ", which may not connect here");
  }
  if (const Step step = checkMetadata(plain.subspan(kInitiateMetadataAt)); step == Step::Refused)
    return step;

  const auto readyNonce = curve::bytesOfNumber(++sent_);
  Bytes ready;
  appendName(ready, "READY");
  append(ready, View(readyNonce));
  append(ready, messages_->seal(ownMetadata(), kReadyNonce, readyNonce));
  append(answer, commandFrame(ready));
  stage_ = Stage::Done;
  return Step::Done;
}

Handshake::Step Handshake::readReady(View command) {
  constexpr std::string_view kName = "READY";
  if (!isCommand(command, kName))
    return refuse("its first command is not READY");
  if (const Step step = checkMetadata(command.subspan(1 + kName.size())); step == Step::Refused)
    return step;
  stage_ = Stage::Done;
  return Step::Done;
}

/// Checks the properties: a name, its length before it, and a value with four bytes of length.
Handshake::Step Handshake::checkMetadata(View metadata) {
  std::string type;
  while (!metadata.empty()) {
    const auto nameBytes = std::to_integer<std::size_t>(metadata[0]);
    if (metadata.size() < 1 + nameBytes + 4)
      return refuse("its metadata are cut");
    const std::string name(reinterpret_cast<const char *>(metadata.data()) + 1, nameBytes);
    const std::size_t valueBytes = bigEndian(metadata.subspan(1 + nameBytes, 4));
    metadata = metadata.subspan(1 + nameBytes + 4);
    if (metadata.size() < valueBytes)
      return refuse("its metadata are cut");
    if (::strcasecmp(name.c_str(), "Socket-Type") == 0)
      type.assign(reinterpret_cast<const char *>(metadata.data()), valueBytes);
    metadata = metadata.subspan(valueBytes);
  }
  const auto &types = admission_->peerTypes;
  if (std::find(types.begin(), types.end(), type) == types.end())
    return refuse("its socket is of another type than " + types.front());
  return Step::Done;
}

std::vector<std::byte> Handshake::ownMetadata() const {
  Bytes metadata;
  appendName(metadata, "Socket-Type");
  for (const std::size_t shift : {24, 16, 8, 0})
    metadata.push_back(static_cast<std::byte>(admission_->ownType.size() >> shift & 0xFF));
  append(metadata, admission_->ownType);
  return metadata;
}

/// Returns true if a peer may enter. A node may connect to itself, for its own health check.
bool Handshake::mayEnter(const std::string &name) const {
  return !name.empty() && (name == admission_->keys->self() ||
                           std::find(admission_->roles.begin(), admission_->roles.end(),
                                     roleOf(name)) != admission_->roles.end());
}

Admitted Handshake::admitted() const { return {name_, messages_, sent_, received_}; }

} // namespace copse::fabric::zmtp
