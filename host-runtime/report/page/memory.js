// The view of memory.

const kBytesPerRow = 16384; // of a tile's address map

/** Tiles from the fullest to the emptiest, each a stack of what takes its memory; a line at what a tile has. */
function memoryCurve(profile, choose) {
  const { memory, target } = profile;
  const order = Uint32Array.from(memory.total.keys()).sort((a, b) => memory.total[b] - memory.total[a]);
  const used = memory.categories.map((name, at) => at).filter(at => largest(memory.byTile[at]) > 0);
  const left = 70, bottom = 20, top = 8;
  const most = Math.max(1, memory.total[order[0]] ?? 1);
  const withLimit = most > 0.4 * target.bytesPerTile, scale = (withLimit ? Math.max(most, target.bytesPerTile) : most) * 1.04;
  const rankAt = (x, width) => Math.min(order.length - 1, Math.max(0, Math.floor((x - left) / (width - left) * order.length)));
  const canvas = drawn(220, (context, width, height) => {
    const y = bytes => height - bottom - bytes / scale * (height - bottom - top);
    context.strokeStyle = colourOf('line');
    context.fillStyle = colourOf('soft');
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    for (const bytes of roundSteps(scale, 4)) {
      context.fillText(bytesText(bytes), left - 8, y(bytes));
      context.beginPath();
      context.moveTo(left, y(bytes));
      context.lineTo(width, y(bytes));
      context.stroke();
    }
    context.textAlign = 'left';
    for (let x = left; x < width; ++x) {
      const tile = order[rankAt(x, width)];
      let sum = 0;
      for (const category of used) {
        const bytes = memory.byTile[category][tile];
        context.fillStyle = categoryColour(memory.categories[category], category);
        if (bytes > 0) context.fillRect(x, y(sum + bytes), 1, y(sum) - y(sum + bytes));
        sum += bytes;
      }
    }
    if (withLimit) {
      context.fillStyle = colourOf('limit');
      context.fillRect(left, y(target.bytesPerTile), width - left, 1.5);
    }
    context.fillStyle = colourOf('soft');
    context.fillText('fullest tile', left, height - 8);
    const last = `emptiest of ${grouped(order.length)}`;
    context.fillText(last, width - context.measureText(last).width, height - 8);
  });
  const tileUnder = event => order[rankAt(placeOf(event)[0], canvas.clientWidth)];
  canvas.addEventListener('pointermove', event => {
    const tile = tileUnder(event);
    hint(event, `${capital(tileName(target, tile))}: ${bytesText(memory.total[tile])}\n` + used
      .filter(at => memory.byTile[at][tile] > 0).map(at => `${spaced(memory.categories[at])}: ${bytesText(memory.byTile[at][tile])}`).join('\n'));
  });
  canvas.addEventListener('pointerleave', () => hint(null, ''));
  canvas.addEventListener('click', event => choose(tileUnder(event)));
  canvas.style.cursor = 'pointer';
  return canvas;
}

/** Round numbers of bytes up to \p most, about \p count of them. */
function roundSteps(most, count) {
  let step = 1;
  while (most / step > count + 1) step *= 2;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

/** The ranges of a tile, in order of address: {from, bytes, name, category}. */
function rangesOf({ layouts, layoutOfTile }, tile) {
  const layout = layouts.layouts[layoutOfTile[tile] - 1] ?? [];
  const ranges = [];
  for (let i = 0, end = 0; i < layout.length; i += 3) {
    const from = end + layout[i], [, bytes, name] = layout.slice(i, i + 3);
    ranges.push({ from, bytes, name: layouts.names[name], category: layouts.categories[name] });
    end = from + bytes;
  }
  return ranges;
}

/** Tile memory line by line, 16 KiB each. */
function addressMap(memory, target, ranges) {
  const end = ranges.reduce((most, range) => Math.max(most, range.from + range.bytes), 0);
  const base = Math.min(...ranges.map(range => range.from)), lines = Math.max(1, Math.ceil((end - base) / kBytesPerRow)), lineHeight = 12, left = 74;
  const canvas = drawn(lines * lineHeight, (context, width) => {
    const perPixel = kBytesPerRow / (width - left);
    for (let line = 0; line < lines; ++line) {
      const from = base + line * kBytesPerRow;
      context.fillStyle = colourOf('idle');
      context.fillRect(left, line * lineHeight + 1, width - left, lineHeight - 2);
      context.fillStyle = colourOf('soft');
      if (line % 2 === 0) context.fillText(`0x${from.toString(16)}`, 2, line * lineHeight + 10);
    }
    for (const range of ranges) {
      context.fillStyle = categoryColour(memory.categories[range.category], range.category);
      let at = range.from - base;
      const until = at + range.bytes;
      while (at < until) {
        const line = Math.floor(at / kBytesPerRow), stop = Math.min(until, (line + 1) * kBytesPerRow);
        const x = left + (at % kBytesPerRow) / perPixel, w = (stop - at) / perPixel;
        context.fillRect(x, line * lineHeight + 1, Math.max(0.5, w - (w > 3 ? 1 : 0)), lineHeight - 2);
        at = stop;
      }
    }
  });
  canvas.addEventListener('pointermove', event => {
    const [x, y] = placeOf(event);
    const address = base + Math.floor(y / lineHeight) * kBytesPerRow + Math.floor((x - left) * kBytesPerRow / (canvas.clientWidth - left));
    const here = x < left ? [] : ranges.filter(range => range.from <= address && address < range.from + range.bytes);
    hint(event, here.slice(0, 8).map(range => `${itemName(memory, range)}: 0x${range.from.toString(16)} to ` +
      `0x${(range.from + range.bytes).toString(16)}, ${bytesText(range.bytes)}`).join('\n'));
  });
  canvas.addEventListener('pointerleave', () => hint(null, ''));
  return canvas;
}

function tileDetails(profile, tile) {
  const { memory, target } = profile;
  const ranges = rangesOf(memory, tile);
  const parts = memory.categories.map((name, at) => ({ name: titled(name), amount: memory.byTile[at][tile],
    text: bytesText(memory.byTile[at][tile]), colour: categoryColour(name, at) }));
  return [make('p', { className: 'note', data: { tile, bytes: memory.total[tile] } }, `${capital(tileName(target, tile))}: ` +
                 `${bytesText(memory.total[tile])} of ${bytesText(target.bytesPerTile)} in use`),
          stack(parts, Math.max(memory.total[tile], sumOf(parts.map(part => part.amount)))),
          ranges.length ? make('div', { style: 'margin:12px 0' }, addressMap(memory, target, ranges)) : null,
          ranges.length ? table([
            { name: 'Name', words: true, value: range => itemName(memory, range) },
            { name: 'Address', value: range => -range.from, text: range => `0x${range.from.toString(16)}` },
            { name: 'Bytes', value: range => range.bytes },
            { name: 'Category', words: true, value: range => spaced(memory.categories[range.category]),
              colour: range => categoryColour(memory.categories[range.category], range.category) },
          ], ranges, { search: true, id: 'ranges' }) : make('p', { className: 'note' }, 'The page has the addresses of the fullest tiles only; debug.loweredVarDumpFile lists all.')]
    .filter(Boolean);
}

/** \param item  with intervals [first step, last step, ...], ascending */
const isLiveAt = ({ intervals }, step) => {
  for (let i = 0; i < intervals.length && intervals[i] <= step; i += 2) if (step <= intervals[i + 1]) return true;
  return false;
};

/** Live bytes over the steps of the program, and what is alive at one of them. */
function livenessPanel(profile) {
  const { liveness } = profile.memory, { bytes, always: alwaysLive, programs, items } = liveness;
  if (bytes.length === 0) return null;
  const most = Math.max(1, alwaysLive + largest(bytes)), peak = bytes.indexOf(largest(bytes));
  const left = 70, bottom = 6, top = 8;
  let chosen = peak;
  const alive = make('div');
  const at = (x, width) => Math.min(bytes.length - 1, Math.max(0, Math.floor((x - left) / (width - left) * bytes.length)));
  const nameAt = step => { const program = profile.programs[programs[step]]; return program ? program.name || program.type : ''; };
  const canvas = drawn(180, (context, width, height) => {
    const y = amount => height - bottom - amount / (most * 1.04) * (height - bottom - top);
    context.textBaseline = 'middle';
    context.strokeStyle = colourOf('line');
    for (const amount of roundSteps(most * 1.04, 4)) {
      context.fillStyle = colourOf('soft');
      context.textAlign = 'right';
      context.fillText(bytesText(amount), left - 8, y(amount));
      context.beginPath();
      context.moveTo(left, y(amount));
      context.lineTo(width, y(amount));
      context.stroke();
    }
    context.textAlign = 'left';
    for (let x = left; x < width; ++x) {
      const first = at(x, width), last = Math.max(first, at(x + 1, width) - 1);
      let amount = 0;
      for (let step = first; step <= last; ++step) amount = Math.max(amount, bytes[step]);
      context.fillStyle = categoryColour('variable', 0);
      context.fillRect(x, y(alwaysLive + amount), 1, y(alwaysLive) - y(alwaysLive + amount));
    }
    context.fillStyle = categoryColour('constant', 0);
    context.fillRect(left, y(alwaysLive), width - left, y(0) - y(alwaysLive));
    const x = left + (chosen + 0.5) / bytes.length * (width - left);
    context.fillStyle = colourOf('limit');
    context.fillRect(x - 1, top, 2, height - top - bottom);
  });
  const describe = step => `Step ${grouped(step)}${step === peak ? ', the peak' : ''}: ${bytesText(alwaysLive + bytes[step])} alive\n${nameAt(step)}`;
  canvas.addEventListener('pointermove', event => hint(event, describe(at(placeOf(event)[0], canvas.clientWidth))));
  canvas.addEventListener('pointerleave', () => hint(null, ''));
  canvas.addEventListener('click', event => show(at(placeOf(event)[0], canvas.clientWidth)));
  canvas.style.cursor = 'pointer';
  function show(step) {
    chosen = step;
    canvas.redraw();
    const live = items.filter(item => isLiveAt(item, step)), rest = bytes[step] - sumOf(live.map(item => item.bytes));
    alive.replaceChildren(make('p', { className: 'note', style: 'margin-top:10px' }, describe(step).replace('\n', '; ') +
        (rest > 0 ? `; ${bytesText(rest)} in small things that are not listed` : '')),
      table([{ name: 'Alive at this step', words: true, value: one => itemName(profile.memory, one) }, { name: 'Category', words: true, value: one => spaced(profile.memory.categories[one.category]),
                colour: one => categoryColour(profile.memory.categories[one.category], one.category) }, { name: 'Bytes', value: one => one.bytes }],
            live, { id: 'alive' }));
  }
  show(peak);
  return panel('Live memory over the steps of the program', 'Pale: always live. Blue: live for some steps, of which those that are ' +
    'not live together share memory. Click to see what is alive at a step; the page opens at the peak.', canvas, alive);
}

function variablesPanel(profile) {
  const { variables: { largest: variables, leftOut }, categories } = profile.memory;
  const note = leftOut.count ? `The largest ${grouped(variables.length)}; ${grouped(leftOut.count)} smaller ones have ` +
    `${bytesText(leftOut.bytes)} together. ` : '';
  return panel('Variables and other things in memory', `${note}Those that are not live together may share memory.`, table([
    { name: 'Name', words: true, value: one => itemName(profile.memory, one) },
    { name: 'Bytes', value: one => one.bytes, text: one => bytesText(one.bytes) },
    { name: 'Tiles', value: one => one.tiles },
    { name: 'Most on a tile', value: one => one.most, text: one => bytesText(one.most) },
    { name: 'Category', words: true, value: one => spaced(categories[one.category]), colour: one => categoryColour(categories[one.category], one.category) },
    { name: 'Live', words: true, value: one => one.live },
    { name: 'Elements', words: true, value: one => (one.type ? `${one.type}[${one.shape.join(', ')}]` : '') },
  ], variables, { search: true, id: 'variables' }));
}

function memoryView(profile, state) {
  const { memory, target } = profile;
  const details = make('div');
  let map = null;
  const choose = tile => {
    state.set('tile', tile);
    details.replaceChildren(...tileDetails(profile, tile));
    map?.mark(tile);
  };
  const kinds = ['all', ...memory.categories.filter((name, at) => largest(memory.byTile[at]) > 0)];
  const field = make('div');
  const fullest = memory.total.indexOf(largest(memory.total));
  let tile = Number(state.get('tile') ?? fullest);
  if (!(tile >= 0 && tile < memory.total.length)) tile = fullest;
  const drawMap = kind => {
    const values = kind === 'all' ? memory.total : memory.byTile[memory.categories.indexOf(kind)];
    map = tileMap(values, { target, text: bytesText, choose, chosen: Number(state.get('tile') ?? fullest) });
    field.replaceChildren(map);
  };
  const select = make('select', { ariaLabel: 'Category', onchange: event => drawMap(event.target.value) },
                      ...kinds.map(kind => make('option', { value: kind }, kind === 'all' ? 'All categories' : titled(kind))));
  drawMap('all');
  choose(tile);
  return [panel('Memory of every tile', `The fullest tile has ${bytesText(largest(memory.total))} of ${bytesText(target.bytesPerTile)} in use. Click a tile to see what lies in it.`,
                make('div', { className: 'controls' }, select), field),
          panel('Tiles from the fullest to the emptiest', null, memoryCurve(profile, choose),
                make('div', { style: 'margin-top:8px' }, memoryStack(profile))),
          panel('One tile', null, details), livenessPanel(profile),
          panel('Where in the program it was made', 'The tree of debug contexts. Click a line to open it.', nameTree(memory.tree, bytesText)),
          variablesPanel(profile)].filter(Boolean);
}

/** What all tiles' memory is used for. */
function memoryStack({ memory }, scale = 0) {
  const parts = memory.categories.map((name, at) => ({ name: titled(name), amount: memory.byCategory[at],
    text: bytesText(memory.byCategory[at]), colour: categoryColour(name, at) }));
  return stack(parts, sumOf(memory.byCategory), scale);
}
