// The first view: what takes the memory and the time, in ten seconds.

function card(label, figure, detail, data) {
  return make('div', { className: 'panel card', data }, make('div', { className: 'label' }, label),
              make('div', { className: 'figure' }, figure), make('div', { className: 'detail' }, detail));
}

/** Sentences that say where to look first. */
function findings(profile) {
  const { memory, execution, target } = profile, said = [];
  const say = (text, view) => said.push(make('li', {}, text, ' ', make('a', { href: view }, 'Show')));
  const most = largest(memory.total), fullest = memory.total.indexOf(most);
  if (most > target.bytesPerTile)
    say(`${grouped(memory.total.filter(bytes => bytes > target.bytesPerTile).length)} tiles have more than their ` +
        `${bytesText(target.bytesPerTile)} of memory.`, `#memory&tile=${fullest}`);
  const mean = sumOf(memory.total) / Math.max(1, memory.total.length);
  if (most > 4 * mean && most > target.bytesPerTile / 10)
    say(`${capital(tileName(target, fullest))} holds ${bytesText(most)}, ${(most / mean).toFixed(0)} times the mean of all tiles.`,
        `#memory&tile=${fullest}`);
  if (!execution) return said;
  const total = sumOf(execution.cycles), share = name => execution.cycles[execution.kinds.indexOf(name)] / Math.max(1, total);
  const exchange = share('internalExchange') + share('globalExchange');
  if (exchange > 0.4) say(`Exchange takes ${percent(exchange, 1)} of the time.`, '#execution');
  if (share('hostExchange') > 0.3) say(`Tiles wait for the host for ${percent(share('hostExchange'), 1)} of the time.`, '#links');
  const late = [...execution.waits ?? []].sort((a, b) => b.cycles - a.cycles)[0];
  if (share('sync') > 0.1)
    say(`Sync takes ${percent(share('sync'), 1)} of the time` + (late?.cycles > 0 ? `; most waits are for IPU ${late.ipu}.` : '.'), '#execution');
  const uneven = [...execution.costs].filter(cost => cost.kind === 0 && cost.tileBalance < 0.5 && cost.cycles > total / 10)
    .sort((a, b) => b.cycles * (1 - b.tileBalance) - a.cycles * (1 - a.tileBalance))[0];
  if (uneven)
    say(`${stepName(uneven)} takes ${percent(uneven.cycles, total)} of the time, with a tile balance of ${percent(uneven.tileBalance, 1)}: ` +
        'most tiles wait for a few.', `#execution&step=${uneven.program}`);
  return said;
}

function overviewView(profile) {
  const { memory, execution, target } = profile;
  const go = hash => () => { location.hash = hash; };
  const most = largest(memory.total), fullest = memory.total.indexOf(most), all = sumOf(memory.total);
  const cards = [
    card('Fullest tile', `${bytesText(most)}`, `${percent(most, target.bytesPerTile)} of its memory: ${tileName(target, fullest)}`, { figure: 'fullest', value: most }),
    card('Memory of all tiles', bytesText(all), `${percent(all, target.bytesPerTile * memory.total.length)} of ${grouped(memory.total.length)} tiles`, { figure: 'memory', value: all }),
  ];
  if (execution) {
    const total = sumOf(execution.cycles), compute = execution.cycles[0];
    cards.unshift(card('Time', timeText(total, target.clockHz), `${grouped(total)} cycles in ${grouped(execution.runs.length)} ` +
                       `${execution.runs.length === 1 ? 'run' : 'runs'}`, { figure: 'cycles', value: total }),
                  card('Compute', percent(compute, total), `of the time; the rest is exchange, the host and sync`, { figure: 'compute', value: compute }));
  }
  const said = findings(profile);
  const costs = [...execution?.costs ?? []].sort((a, b) => b.ipuCycles - a.ipuCycles).slice(0, 10);
  const ofAllIpus = sumOf((execution?.costs ?? []).map(cost => cost.ipuCycles));
  const variables = memory.variables.largest.slice(0, 10);
  return [make('div', { className: 'cards' }, ...cards),
    said.length ? panel('Look here first', null, make('ul', { className: 'findings' }, ...said)) : null,
    make('div', { className: 'columns' },
      execution ? panel('Where the time goes', null, timeStack(profile)) : null,
      panel('Where the memory goes', null, memoryStack(profile))),
    make('div', { className: 'columns' },
      execution ? panel('Costliest steps', null, bars(costs.map(cost => ({ name: stepName(cost), amount: cost.ipuCycles,
        text: `${percent(cost.ipuCycles, ofAllIpus)}  ${timeText(cost.ipuCycles / execution.ipus.length, target.clockHz)}`,
        colour: kindColour(execution.kinds[cost.kind]), choose: go(`execution&step=${cost.program}`) })))) : null,
      variables.length ? panel('Largest things in memory', null, bars(variables.map(one => ({ name: itemName(memory, one), amount: one.bytes,
        text: bytesText(one.bytes), colour: categoryColour(memory.categories[one.category], one.category), choose: go('memory') })))) : null,
    ),
    panel('Memory of every tile', null, tileMap(memory.total, { target, text: bytesText, choose: tile => go(`memory&tile=${tile}`)() })),
  ].filter(Boolean);
}
