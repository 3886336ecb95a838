// The view of two profiles: what grew, what got slower.

/** Rows of the same name in both. \param amount  of a row; \returns [{name, a, b}], as zero where one has none */
function paired(rowsA, rowsB, name, amount) {
  const pairs = new Map();
  const add = (rows, side) => {
    for (const row of rows) {
      const key = name(row), pair = pairs.get(key) ?? { name: key, a: 0, b: 0 };
      pair[side] += amount(row);
      pairs.set(key, pair);
    }
  };
  add(rowsA, 'a');
  add(rowsB, 'b');
  return [...pairs.values()].filter(pair => pair.a > 0 || pair.b > 0);
}

const toneOf = pair => (pair.b > pair.a * 1.001 ? 'worse' : pair.b < pair.a * 0.999 ? 'better' : '');

function differences(pairs, text, what, id) {
  const signed = pair => (pair.b >= pair.a ? '+' : '−') + text(Math.abs(pair.b - pair.a));
  return table([
    { name: what, words: true, value: pair => pair.name },
    { name: 'Difference', value: pair => Math.abs(pair.b - pair.a), text: signed, tone: toneOf },
    { name: 'A', value: pair => pair.a, text: pair => text(pair.a) },
    { name: 'B', value: pair => pair.b, text: pair => text(pair.b) },
    { name: 'B / A', value: pair => (pair.a > 0 ? pair.b / pair.a : Infinity),
      text: pair => (pair.a > 0 ? (pair.b / pair.a).toFixed(2) : 'new'), tone: toneOf },
  ], pairs, { search: pairs.length > 20, id });
}

function compareView([a, b]) {
  const cycles = amount => `${grouped(amount)}`;
  const total = profile => sumOf(profile.execution.cycles);
  const compared = (label, pair, text, figure) => make('div', { className: 'panel card', data: { figure, a: pair.a, b: pair.b } }, make('div', { className: 'label' }, label),
    make('div', { className: `figure ${toneOf(pair)}` }, pair.a > 0 ? `${pair.b >= pair.a ? '+' : '−'}${percent(Math.abs(pair.b - pair.a), pair.a)}` : 'new'),
    make('div', { className: 'detail' }, `${text(pair.a)} → ${text(pair.b)}`));
  const both = Boolean(a.execution && b.execution);
  const peak = { a: largest(a.memory.total), b: largest(b.memory.total) }, all = { a: sumOf(a.memory.total), b: sumOf(b.memory.total) };
  const cards = [compared('Fullest tile', peak, bytesText, 'fullest'), compared('Memory of all tiles', all, bytesText, 'memory')];
  if (both) cards.unshift(compared('Time', { a: total(a), b: total(b) }, amount => timeText(amount, a.target.clockHz), 'cycles'));
  const longer = both ? Math.max(total(a), total(b)) : 0, larger = Math.max(all.a, all.b); // bars of one scale
  const named = ({ memory }) => memory.variables.largest.map(one => ({ key: itemName(memory, one), bytes: one.bytes }));
  const kinds = profile => profile.execution.kinds.map((name, kind) => ({ name, cycles: profile.execution.cycles[kind] }));
  const categories = profile => profile.memory.categories.map((name, at) => ({ name, bytes: profile.memory.byCategory[at] }));
  return [make('div', { className: 'cards' }, ...cards),
    make('div', { className: 'columns' },
      both ? panel('Time of A and B', null, make('p', { className: 'note' }, 'A'), timeStack(a, longer), make('p', { className: 'note', style: 'margin-top:10px' }, 'B'), timeStack(b, longer)) : null,
      panel('Memory of A and B', null, make('p', { className: 'note' }, 'A'), memoryStack(a, larger), make('p', { className: 'note', style: 'margin-top:10px' }, 'B'), memoryStack(b, larger))),
    both ? panel('Steps: cycles', 'Steps are matched by their names.', differences(
      paired(a.execution.costs, b.execution.costs, stepName, cost => cost.cycles), cycles, 'Step', 'stepDifferences')) : null,
    make('div', { className: 'columns' },
      both ? panel('Kinds of steps: cycles', null, differences(paired(kinds(a), kinds(b), one => titled(one.name), one => one.cycles), cycles, 'Kind', 'kindDifferences')) : null,
      panel('Memory: bytes', null, differences(paired(categories(a), categories(b), one => titled(one.name), one => one.bytes), bytesText, 'Category', 'categoryDifferences')),
      both ? panel('Vertex types: cycles', null, differences(paired(a.execution.vertexTypes, b.execution.vertexTypes, type => type.name, type => type.cycles),
        cycles, 'Vertex type', 'vertexDifferences')) : null),
    panel('Variables and other things: bytes', null, differences(
      paired(named(a), named(b), one => one.key, one => one.bytes), bytesText, 'Variable', 'variableDifferences')),
  ].filter(Boolean);
}
