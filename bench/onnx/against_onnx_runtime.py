#!/usr/bin/env python3
"""Runs a model by ONNX Runtime on one thread and prints the median time of a batch.

  bench/onnx/against_onnx_runtime.py MODEL.onnx

Needs the Python packages onnxruntime and numpy, which Debian does not have. `copse onnx MODEL.onnx` prints the figure to compare with.
"""
import statistics
import sys
import time

import numpy
import onnxruntime


def main():
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
    inputs = {i.name: numpy.random.default_rng(1).random([d if isinstance(d, int) else 1 for d in i.shape], numpy.float32)
              for i in session.get_inputs()}
    seconds = []
    for _ in range(20):
        start = time.perf_counter()
        session.run(None, inputs)
        seconds.append(time.perf_counter() - start)
    print(f"ONNX Runtime {onnxruntime.__version__}, one thread: {statistics.median(seconds) * 1000:.1f} ms")


if __name__ == "__main__":
    main()
