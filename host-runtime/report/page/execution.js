// The view of the execution.

const kindColour = name => `var(--${name})`;

/** Where the time went: by kind of step. */
function timeStack({ execution, target }, scale = 0) {
  return stack(execution.kinds.map((name, kind) => ({ name: titled(name), amount: execution.cycles[kind],
    text: timeText(execution.cycles[kind], target.clockHz), colour: kindColour(name) })), sumOf(execution.cycles), scale);
}

const stepName = cost => cost.name || `(${cost.type})`;

function balancePanel(profile) {
  const { execution, target } = profile;
  const field = make('div', {}, make('p', { className: 'note' }, 'Choose a step in the table.'));
  const root = panel('Balance of a step over the tiles', 'A step lasts as long as its slowest tile; the others wait. Maps of exchanges show the bytes that tiles move.', field);
  root.show = cost => {
    if (!cost.tiles) {
      field.replaceChildren(make('p', { className: 'note' }, `${stepName(cost)}: the page has maps of the costliest steps only.`));
      return;
    }
    const values = expanded(cost.tiles), active = values.filter(cycles => cycles > 0);
    const mean = sumOf(active) / Math.max(1, active.length), most = largest(values), isCompute = execution.kinds[cost.kind] === 'compute';
    const text = isCompute ? cycles => `${grouped(cycles)} cycles` : bytes => `${grouped(bytes)} bytes`;
    const said = isCompute ? `work; the slowest takes ${text(most)}` : `send or receive; the busiest moves ${text(most)}`;
    field.replaceChildren(
      make('p', { className: 'note' }, `${stepName(cost)}: ${grouped(active.length)} of ${grouped(values.length)} tiles ${said}, ` +
        `the mean of these tiles is ${text(mean)}.`),
      tileMap(values, { target, text }));
  };
  return root;
}

function stepsTable(profile, choose) {
  const { execution, target } = profile;
  const total = sumOf(execution.costs.map(cost => cost.ipuCycles));
  return table([
    { name: 'Step', words: true, value: stepName },
    { name: 'Share', about: 'of the time of all IPUs together', value: cost => cost.ipuCycles, text: cost => percent(cost.ipuCycles, total) },
    { name: 'Cycles', about: 'of the IPU that takes longest, each time; added up over all its runs', value: cost => cost.cycles },
    { name: 'Time', value: cost => cost.cycles, text: cost => timeText(cost.cycles, target.clockHz) },
    { name: 'Runs', value: cost => cost.runs },
    { name: 'Longest', about: 'cycles of its longest run on any IPU', value: cost => cost.longest },
    { name: 'Active tiles', value: cost => cost.activeTiles ?? -1, text: cost => (cost.works ? grouped(cost.activeTiles) : '') },
    { name: 'Tile balance', about: 'mean of all tiles as a share of the slowest tile', value: cost => cost.tileBalance ?? -1,
      text: cost => (cost.works ? percent(cost.tileBalance, 1) : '') },
    { name: 'Kind', words: true, value: cost => spaced(execution.kinds[cost.kind]), colour: cost => kindColour(execution.kinds[cost.kind]) },
  ], execution.costs, { search: true, choose, key: cost => cost.program, id: 'steps' });
}

function vertexTable({ execution }) {
  const total = sumOf(execution.vertexTypes.map(type => type.cycles));
  return table([
    { name: 'Vertex type', words: true, value: type => type.name },
    { name: 'Share', about: 'of the cycles of all vertices', value: type => type.cycles, text: type => percent(type.cycles, total) },
    { name: 'Cycles', about: 'of all its vertices in all runs', value: type => type.cycles },
    { name: 'Executions', value: type => type.executions },
    { name: 'Vertices', value: type => type.vertices },
  ], execution.vertexTypes, { id: 'vertexTypes' });
}

function waitsPanel({ execution, target }) {
  if (!execution.waits?.some(wait => wait.cycles > 0)) return null;
  return panel('IPUs that others waited for', 'At a sync point all wait for the IPU that arrives last.',
    table([
      { name: 'Arrived last', words: true, value: wait => `IPU ${wait.ipu}` },
      { name: 'Wait', value: wait => wait.cycles, text: wait => timeText(wait.cycles, target.clockHz) },
      { name: 'Cycles', about: 'that the others waited, added up', value: wait => wait.cycles },
      { name: 'Sync points', about: 'at which this IPU arrived last', value: wait => wait.steps },
    ], execution.waits.filter(wait => wait.steps > 0), { id: 'waits' }));
}

function runsPanel({ execution, target }) {
  const { runs } = execution;
  const incomplete = runs.some(run => !run.complete);
  return panel('Runs', incomplete ? 'Not all steps of a run are listed if it branched on data, or has too many.' : null, table([
    { name: 'Program', words: true, value: run => run.name || `program ${run.program}` },
    { name: 'From', value: run => -run.from, text: run => grouped(run.from) },
    { name: 'Cycles', value: run => run.to - run.from },
    { name: 'Time', value: run => run.to - run.from, text: run => timeText(run.to - run.from, target.clockHz) },
    { name: 'Steps', value: run => run.steps, text: run => grouped(run.steps) + (run.complete ? '' : ' and more') },
  ], runs, { id: 'runs' }));
}

function executionView(profile, state) {
  const { execution } = profile;
  if (!execution)
    return [panel('Execution', 'This profile has no execution. Run the program with autoReport.outputExecutionProfile and ' +
                  'debug.instrument, with copse.report, or on a model device.')];
  const balance = balancePanel(profile);
  const choose = cost => {
    state.set('step', cost.program);
    steps.mark(cost.program);
    if (cost.works) balance.show(cost);
    time.show(cost.program);
  };
  const steps = stepsTable(profile, choose);
  const chooseProgram = program => {
    const cost = execution.costs.find(one => one.program === program);
    state.set('step', program);
    steps.mark(program);
    if (cost?.works) balance.show(cost);
  };
  const time = timeline({ profile, choose: chooseProgram });
  const named = execution.costs.find(cost => String(cost.program) === state.get('step'));
  const costliest = [...execution.costs].filter(cost => cost.works).sort((a, b) => (a.kind - b.kind) || b.cycles - a.cycles)[0];
  if (named) choose(named);
  else if (costliest) balance.show(costliest);
  return [panel('Timeline', 'Zoom with the wheel, move by dragging, click a step to choose it.', time),
          panel('Steps by cost', 'Click a step to see it in the timeline, and its tiles below.', steps), balance,
          make('div', { className: 'columns' }, panel('Vertex types by cost', null, vertexTable(profile)),
               waitsPanel(profile), runsPanel(profile))];
}
