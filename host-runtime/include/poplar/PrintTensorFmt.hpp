#pragma once

namespace poplar {

/// Says how program::PrintTensor writes a tensor.
struct PrintTensorFmt {
  /// The forms of floating-point numbers.
  enum class FloatFormat {
    Auto,  ///< Fixed, or Scientific where the numbers are too large, too small or too far apart
    Fixed, ///< 1.5000000
    Scientific, ///< 1.5000000e+00
    None        ///< 1.5, as a C++ stream writes it
  };

  /// Makes a format; the arguments are the members below, in their order.
  PrintTensorFmt(unsigned threshold = 1000, unsigned edge = 3, unsigned lineWidth = 75,
                 unsigned numDigits = 8, FloatFormat format = FloatFormat::Auto, char between = ' ',
                 char open = '[', char close = ']')
      : summariseThreshold(threshold), edgeItems(edge), maxLineWidth(lineWidth), digits(numDigits),
        floatFormat(format), separator(between), openBracket(open), closeBracket(close) {}

  /// Tensors of more elements are abbreviated; 0: none are.
  unsigned summariseThreshold;
  /// The elements that an abbreviation shows at each end of a dimension.
  unsigned edgeItems;
  /// Longer rows continue on the next line; 0: none do [characters].
  unsigned maxLineWidth;
  /// The digits of a number, without its exponent; integers have as many as they need. All numbers
  /// are as wide as the widest. 0: each is as short as can be.
  unsigned digits;
  /// The form of floating-point numbers.
  FloatFormat floatFormat;

  ///@{

  /// The characters between elements and around rows.
  char separator, openBracket, closeBracket;
  ///@}
};

} // namespace poplar
