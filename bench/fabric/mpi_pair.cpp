// The reference of claims about shared memory: mpirun -n PROCESSES mpi_pair WHAT BYTES ROUNDS
// prints seconds by the first process's clock. WHAT is "send": one of the messages that the first
// process sends to the second; "echo": half of the way there and back; "barrier": one MPI_Barrier
// of all.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <vector>

namespace {

void send(std::vector<char> &bytes, int to) {
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_CHAR, to, 0, MPI_COMM_WORLD);
}

void receive(std::vector<char> &bytes, int from) {
  MPI_Recv(bytes.data(), static_cast<int>(bytes.size()), MPI_CHAR, from, 0, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
}

void oneWay(int rank, std::vector<char> &bytes, int rounds) {
  std::vector<char> done(1);
  for (int i = 0; i < rounds; ++i)
    rank == 0 ? send(bytes, 1) : receive(bytes, 0);
  rank == 0 ? receive(done, 1) : send(done, 0);
}

void echo(int rank, std::vector<char> &bytes, int rounds) {
  for (int i = 0; i < rounds; ++i)
    if (rank == 0) {
      send(bytes, 1);
      receive(bytes, 1);
    } else {
      receive(bytes, 0);
      send(bytes, 0);
    }
}

void barrier(int rounds) {
  for (int i = 0; i < rounds; ++i)
    MPI_Barrier(MPI_COMM_WORLD);
}

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) {
    std::fprintf(stderr, "usage: mpi_pair send|echo|barrier BYTES ROUNDS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<char> bytes(std::strtoull(argv[2], nullptr, 10), 1);
  const int rounds = std::atoi(argv[3]);
  const auto run = [&](int times) {
    if (std::strcmp(argv[1], "send") == 0)
      oneWay(rank, bytes, times);
    else if (std::strcmp(argv[1], "echo") == 0)
      echo(rank, bytes, times);
    else
      barrier(times);
  };
  run(rounds / 10 + 1); // connections are made, and memory is there
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  run(rounds);
  double seconds = (MPI_Wtime() - start) / rounds;
  if (std::strcmp(argv[1], "echo") == 0)
    seconds /= 2;
  if (rank == 0)
    std::printf("%.9f\n", seconds);
  MPI_Finalize();
  return 0;
}
