#include "command_help.hpp"

#include <string>

namespace copse::tools {
namespace {

constexpr const char *kPrograms = "Run programs", *kResults = "Look at what there is",
                     *kClusters = "Manage clusters";

const struct {
  const char *command, *group, *examples;
} kCommands[] = {
    {"run", kPrograms,
     "  copse run ./program                      on the cluster of copse up, else on IPUs of its "
     "own\n"
     "  copse run --ipus 8 ./program --epochs 3  what stands behind the program is the program's\n"
     "  copse run --clock modelled ./program     its clocks show what the IPUs would take\n"
     "  copse run --execution modelled --clock modelled ./program    at once: nothing is computed"},
    {"scale", kPrograms,
     "  copse scale --replicas 1,2,4,...,1024 --samples 16 -- ./train --replicas {}\n"
     "  copse scale --batch 1,2,4,...,64 --pods pod16,bow-pod16 -- ./infer --batch {}"},
    {"check", kPrograms,
     "  copse check ./program\n"
     "  copse check --suppress 'Legacy*' --json ./program"},
    {"debug", kPrograms,
     "  copse debug ./program                    stops before the first vertex\n"
     "  copse debug --break Scale:2 ./program    before vertices Scale of tile 2"},
    {"trace", kPrograms,
     "  copse trace --tile 0 --worker 0 ./program\n"
     "  copse trace --statistics ./program"},
    {"onnx", kPrograms, "  copse onnx model.onnx --input x=x.npy --output results"},
    {"devices", kResults,
     "  copse devices --json\n"
     "  COPSE_IPUS=4 copse devices"},
    {"report", kResults,
     "  copse report report/profile.pop --open\n"
     "  copse report before/profile.pop after/profile.pop -o compared.html"},
    {"options", kResults,
     "  copse options                            all of them\n"
     "  copse options timeout                    those with this word in their names"},
    {"objdump", kResults, "  copse objdump --target ipu2 codelets.gp"},
    {"accuracy", kResults, "  copse accuracy --json"},
    {"up", kClusters,
     "  copse up --ipus 8 --topology torus\n"
     "  copse up --ipus 2 --transport tcp        with keys, as every user reaches loopback"},
    {"status", kClusters,
     "  copse status --json\n"
     "  copse status --watch --interval 5"},
    {"down", kClusters, "  copse down"},
    {"keys", kClusters, "  copse keys --cluster lab.json"},
    {"ipujob", kClusters, "  copse ipujob job.yaml | kubectl create -f -"},
    {"inject", kClusters, "  copse inject --ipu 1 --tile 5 --address 0x4c190"},
};

} // namespace

void completeHelp(CLI::App &copse) {
  for (const auto &[command, group, examples] : kCommands)
    copse.get_subcommand(command)->group(group)->footer(std::string("Examples:\n") + examples);
  copse.footer("Examples:\n"
               "  copse run ./program\n"
               "  copse check ./program\n"
               "  copse up --ipus 8\n\n"
               "copse help COMMAND, or copse COMMAND --help, lists the options of a command.");
}

} // namespace copse::tools
