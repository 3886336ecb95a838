// The parts of libpoplar.so are static libraries; a shared library needs a source file of its own.
