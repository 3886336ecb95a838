// Program and its kinds.
#include "declares.hpp"

#include <initializer_list>
#include <iosfwd>
#include <map>
#include <poplar/Program.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace declared {

using Context = const DebugContext &;
using Cases = std::vector<std::pair<std::int32_t, Program>>;
using Replicas = std::map<unsigned, unsigned>;

VALUE(Program);
MEMBER(Program, operator==, bool(const Program &) const);
MEMBER(Program, isEmpty, bool() const);

#define PROGRAM(Class)                                                                             \
  BELOW(Class, Program);                                                                           \
  CONVERTS(Class, Program);                                                                        \
  static_assert(std::is_copy_constructible<Class>::value && std::is_copy_assignable<Class>::value, \
                #Class)

PROGRAM(Sequence);
static_assert(std::is_default_constructible<Sequence>::value, "");
MADE_FROM(Sequence, Context);
MADE_FROM(Sequence, std::initializer_list<Program>);
MADE_FROM(Sequence, std::initializer_list<Program>, Context);
MADE_FROM(Sequence, const Program &, const Program &, const Program &);
MEMBER(Sequence, add, void(const Program &));

PROGRAM(Execute);
CONVERTS(ComputeSet, Execute);
MADE_FROM(Execute, ComputeSet, Context);
MADE_FROM(Execute, ComputeSet, Tensor);
MADE_FROM(Execute, ComputeSet, Tensor, Context);

PROGRAM(Copy);
MADE_FROM(Copy, Tensor, Tensor);
MADE_FROM(Copy, Tensor, Tensor, bool);
MADE_FROM(Copy, Tensor, Tensor, bool, Context);
MADE_FROM(Copy, const DataStream &, Tensor);
MADE_FROM(Copy, const DataStream &, Tensor, bool, Context);
MADE_FROM(Copy, Tensor, const DataStream &);
MADE_FROM(Copy, Tensor, const DataStream &, bool, Context);
MADE_FROM(Copy, Tensor, const DataStream &, const char *);
MADE_FROM(Copy, const RemoteBuffer &, Tensor);
MADE_FROM(Copy, const RemoteBuffer &, Tensor, Context);
MADE_FROM(Copy, Tensor, const RemoteBuffer &, Context);
MADE_FROM(Copy, const RemoteBuffer &, Tensor, Tensor);
MADE_FROM(Copy, const RemoteBuffer &, Tensor, Tensor, Context);
MADE_FROM(Copy, Tensor, const RemoteBuffer &, Tensor, Context);

PROGRAM(Repeat);
MADE_FROM(Repeat, unsigned, const Program &);
MADE_FROM(Repeat, unsigned, const Program &, Context);
PROGRAM(RepeatWhileTrue);
MADE_FROM(RepeatWhileTrue, const Program &, Tensor, const Program &);
MADE_FROM(RepeatWhileTrue, const Program &, Tensor, const Program &, Context);
PROGRAM(RepeatWhileFalse);
MADE_FROM(RepeatWhileFalse, const Program &, Tensor, const Program &, Context);
PROGRAM(If);
MADE_FROM(If, Tensor, const Program &, const Program &);
MADE_FROM(If, Tensor, const Program &, const Program &, Context);

PROGRAM(Switch);
CONVERTS(Tensor, Switch);
MADE_FROM(Switch, Tensor, Context);
MADE_FROM(Switch, Tensor, const Program &, Context);
MADE_FROM(Switch, Tensor, const Cases &);
MADE_FROM(Switch, Tensor, const Cases &, Context);
MADE_FROM(Switch, Tensor, const Cases &, const Program &);
MADE_FROM(Switch, Tensor, const Cases &, const Program &, Context);
MEMBER(Switch, add, Switch &(std::int32_t, const Program &));
FUNCTION(Switch::switchWithBoundsChecking, Switch(Tensor, const Cases &, Context));
FUNCTION(Switch::switchWithUnreachableDefault, Switch(Tensor, Context));

PROGRAM(Call);
CONVERTS(Function, Call);
MADE_FROM(Call, Function, Context);
PROGRAM(PrintTensor);
MADE_FROM(PrintTensor, Tensor);
MADE_FROM(PrintTensor, Tensor, Context);
MADE_FROM(PrintTensor, StringRef, Tensor);
MADE_FROM(PrintTensor, StringRef, Tensor, Context);
PROGRAM(Sync);
MADE_FROM(Sync, SyncType);
MADE_FROM(Sync, SyncType, Context);
PROGRAM(WriteUndef);
MADE_FROM(WriteUndef, Tensor);
MADE_FROM(WriteUndef, Tensor, Context);
PROGRAM(CrossReplicaCopy);
MADE_FROM(CrossReplicaCopy, Tensor, Tensor, Replicas);
MADE_FROM(CrossReplicaCopy, Tensor, Tensor, Replicas, Context);
PROGRAM(AssumeEqualAcrossReplicas);
MADE_FROM(AssumeEqualAcrossReplicas, Tensor);
MADE_FROM(AssumeEqualAcrossReplicas, Tensor, Context);
MADE_FROM(AssumeEqualAcrossReplicas, ArrayRef<Tensor>, Context);
PROGRAM(Abort);
static_assert(std::is_default_constructible<Abort>::value, "");
MADE_FROM(Abort, Context);
MADE_FROM(Abort, const std::string &);
MADE_FROM(Abort, const std::string &, Context);
PROGRAM(AbortOnCondition);
MADE_FROM(AbortOnCondition, Tensor);
MADE_FROM(AbortOnCondition, Tensor, Context);
MADE_FROM(AbortOnCondition, Tensor, const std::string &);
MADE_FROM(AbortOnCondition, Tensor, const std::string &, Context);
PROGRAM(ErrorProgram);
MADE_FROM(ErrorProgram, StringRef, Tensor);
MADE_FROM(ErrorProgram, StringRef, Tensor, Context);
PROGRAM(Block);
MADE_FROM(Block, const Program &);
MADE_FROM(Block, const Program &, Context);

FUNCTION(dumpProgram, void(const Graph &, const Program &, std::ostream &));
static_assert(SyncType::INTERNAL != SyncType::EXTERNAL && SyncType::GLOBAL != SyncType::INTERNAL,
              "");

} // namespace declared
