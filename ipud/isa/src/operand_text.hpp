#pragma once

#include "isa/instruction.hpp"

namespace copse::isa {

/// Parses an operand in the syntax of instructions.def, such as "mDelta+=[15:12]". At compile time
/// only: a syntax error is not a constant expression.
class OperandText {
public:
  constexpr explicit OperandText(std::string_view text) : rest_(text) {}

  constexpr OperandInfo read() {
    OperandInfo info;
    const std::size_t bracket = rest_.find('[');
    readHead(info, rest_.substr(0, bracket));
    readPieces(info, rest_.substr(bracket + 1, rest_.size() - bracket - 2));
    return info;
  }

private:
  static constexpr void readHead(OperandInfo &info, std::string_view head) {
    if (head == "zimm")
      info.kind = OperandKind::Unsigned;
    else if (head == "simm")
      info.kind = OperandKind::Signed;
    else if (head == "immz")
      info.kind = OperandKind::High;
    else if (head == "addr")
      info.kind = OperandKind::CodeAddress;
    else if (head == "csr")
      info.kind = OperandKind::Csr;
    else if (head == "ucsr")
      info.kind = OperandKind::UpperCsr;
    else if (head == "body")
      info.kind = OperandKind::RepeatBody;
    else
      readRegister(info, head);
  }

  static constexpr void readRegister(OperandInfo &info, std::string_view head) {
    info.kind = head.front() == 'm' ? OperandKind::MainRegister : OperandKind::AuxRegister;
    head.remove_prefix(1);
    info.suffix = takeSuffix(head);
    info.registers = 1;
    takeGroup(info, head);
    info.name = head;
    if (head == "Q")
      info.registers = 3;
    const bool isDestination = head == "D" || head == "D0" || head == "D1" || head == "Q";
    info.isRead = !isDestination;
    info.isWritten = isDestination || head == "DS" || info.suffix != Suffix::None;
  }

  static constexpr Suffix takeSuffix(std::string_view &head) {
    constexpr struct {
      std::string_view text;
      Suffix suffix;
    } kSuffixes[] = {
        {"+=", Suffix::Step}, {"++", Suffix::Increment}, {"@", Suffix::At}, {">>", Suffix::Shift}};
    for (const auto &s : kSuffixes)
      if (head.ends_with(s.text)) {
        head.remove_suffix(s.text.size());
        return s.suffix;
      }
    return Suffix::None;
  }

  static constexpr void takeGroup(OperandInfo &info, std::string_view &head) {
    const std::size_t colon = head.find(':');
    if (colon == std::string_view::npos)
      return;
    const std::string_view group = head.substr(colon + 1);
    head = head.substr(0, colon);
    if (group == "2" || group == "4")
      info.registers = static_cast<std::uint8_t>(group.front() - '0');
    else if (group == "B")
      info.broadcast = Broadcast::Element;
    else if (group == "BL")
      info.broadcast = Broadcast::Lower;
    else if (group == "BU")
      info.broadcast = Broadcast::Upper;
    else
      throw "unknown group";
  }

  static constexpr void readPieces(OperandInfo &info, std::string_view text) {
    while (!text.empty()) {
      const unsigned high = takeNumber(text);
      text.remove_prefix(1); // ':'
      const unsigned low = takeNumber(text);
      if (!text.empty())
        text.remove_prefix(1); // ','
      BitRange &piece = info.pieces.at(info.pieceCount++);
      piece.low = static_cast<std::uint8_t>(low);
      piece.width = static_cast<std::uint8_t>(high - low + 1);
      info.bits = static_cast<std::uint8_t>(info.bits + piece.width);
    }
  }

  static constexpr unsigned takeNumber(std::string_view &text) {
    unsigned n = 0;
    if (text.empty() || text.front() < '0' || text.front() > '9')
      throw "a number is missing";
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
      n = n * 10 + static_cast<unsigned>(text.front() - '0');
      text.remove_prefix(1);
    }
    return n;
  }

  std::string_view rest_;
};

} // namespace copse::isa
