// The reference of all_reduce claims: mpirun -n PROCESSES mpi_all_reduce BYTES ROUNDS prints the
// seconds of one MPI_Allreduce of floats, by the first process's clock.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <vector>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) {
    std::fprintf(stderr, "usage: mpi_all_reduce BYTES ROUNDS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const std::size_t elements = std::strtoull(argv[1], nullptr, 10) / sizeof(float);
  const int rounds = std::atoi(argv[2]);
  std::vector<float> data(elements, 1), sum(elements);
  const auto reduce = [&] {
    MPI_Allreduce(data.data(), sum.data(), static_cast<int>(elements), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
  };
  reduce(); // connections are made, and memory is there
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < rounds; ++i)
    reduce();
  const double seconds = (MPI_Wtime() - start) / rounds;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::printf("%.9f\n", seconds);
  MPI_Finalize();
  return 0;
}
