// The timeline: a lane for each IPU. From afar a pixel shows how its cycles divide among kinds of
// steps; from near, steps.

const kGutter = 58, kAxis = 24, kMostBoxes = 3000;

/** \param profile  with its lanes as `time`; \param choose  (program): somebody clicked a step */
function timeline({ profile, choose }) {
  const { time: { lanes, programs, begin, end }, execution, target } = profile;
  const laneHeight = Math.max(18, Math.min(44, Math.floor(420 / lanes.length)));
  const window_ = { from: begin, to: Math.max(end, begin + 1) };
  const names = [...execution.kinds, 'idle'];
  let marked = -1;

  const height = kAxis + lanes.length * (laneHeight + 3);
  const canvas = drawn(height, (context, width) => draw(context, width));
  const overview = drawn(30, (context, width) => drawOverview(context, width));
  const where = make('span', { className: 'note', style: 'margin:0' });

  const scaleOf = width => (window_.to - window_.from) / Math.max(1, width - kGutter);
  const timeAt = (x, width) => window_.from + (x - kGutter) * scaleOf(width);

  /** Moves the window, in the whole and no finer than a few cycles. */
  function look(from, to) {
    const least = Math.min(16, end - begin), span = Math.min(Math.max(to - from, least), end - begin);
    const middle = (from + to) / 2;
    window_.from = Math.min(Math.max(middle - span / 2, begin), end - span);
    window_.to = window_.from + span;
    canvas.redraw();
    overview.redraw();
    where.textContent = `${timeText(span, target.clockHz)} of ${timeText(end - begin, target.clockHz)}, ` +
                        `cycles ${grouped(window_.from)} to ${grouped(window_.to)}`;
  }
  const zoom = (factor, around) =>
    look(around - (around - window_.from) * factor, around + (window_.to - around) * factor);

  /** Fills a picture whose columns are stacks of kinds; one lane after another. */
  function fillColumns(context, from, to, left, top, width, rowHeight, gap, some) {
    const scale = devicePixelRatio || 1, columns = Math.round(width * scale), rows = Math.round(rowHeight * scale);
    if (columns < 1) return;
    const pixels = names.map(name => pixelOf(colourOf(name)));
    const before = new Float64Array(kKinds), after = new Float64Array(kKinds);
    some.forEach((lane, index) => {
      const image = context.createImageData(columns, rows), data = new Uint32Array(image.data.buffer);
      const cyclesPerColumn = (to - from) / columns;
      lane.spentBefore(from, before);
      for (let column = 0; column < columns; ++column) {
        lane.spentBefore(from + (column + 1) * cyclesPerColumn, after);
        let total = 0, row = 0, sum = 0;
        for (let kind = 0; kind < kKinds; ++kind) total += after[kind] - before[kind];
        for (let kind = 0; kind < kKinds && total > 0; ++kind) {
          sum += after[kind] - before[kind];
          for (const until = Math.round(rows * sum / total); row < until; ++row) data[row * columns + column] = pixels[kind];
        }
        before.set(after);
      }
      context.putImageData(image, Math.round(left * scale), Math.round((top + index * (rowHeight + gap)) * scale));
    });
  }

  function drawBoxes(context, lane, top, width, colours) {
    const scale = scaleOf(width);
    context.save();
    context.beginPath();
    context.rect(kGutter, top, width - kGutter, laneHeight);
    context.clip();
    context.textBaseline = 'middle';
    for (let step = lane.at(window_.from); step < lane.ends.length && lane.from(step) < window_.to; ++step) {
      const x = kGutter + (lane.from(step) - window_.from) / scale, w = (lane.ends[step] - lane.from(step)) / scale;
      context.fillStyle = colours[lane.kinds[step]];
      context.fillRect(x, top, Math.max(w - (w > 4 ? 1 : 0), 0.5), laneHeight);
      if (programs[step] === marked && marked >= 0) {
        context.strokeStyle = colourOf('ink');
        context.lineWidth = 2;
        context.strokeRect(x + 1, top + 1, Math.max(w - 3, 1), laneHeight - 2);
      }
      if (w > 48 && programs[step] >= 0) {
        const visible = Math.max(x, kGutter) + 5, room = Math.min(x + w, width) - visible - 4;
        const text = shortened(profile.programs[programs[step]].name || names[lane.kinds[step]], room / 7.4);
        context.fillStyle = lane.kinds[step] === 4 || lane.kinds[step] === 1 ? '#1c2330' : '#ffffff';
        if (room > 24) context.fillText(text, visible, top + laneHeight / 2);
      }
    }
    context.restore();
  }

  function draw(context, width) {
    drawAxis(context, width);
    const visible = lanes.reduce((sum, lane) => sum + lane.at(window_.to) - lane.at(window_.from) + 1, 0);
    if (visible > kMostBoxes)
      fillColumns(context, window_.from, window_.to, kGutter, kAxis, width - kGutter, laneHeight, 3, lanes);
    context.textBaseline = 'middle';
    const colours = names.map(colourOf);
    lanes.forEach((lane, index) => {
      const top = kAxis + index * (laneHeight + 3);
      if (visible <= kMostBoxes) drawBoxes(context, lane, top, width, colours);
      context.fillStyle = colourOf('soft');
      context.fillText(`IPU ${index}`, 4, top + laneHeight / 2);
    });
  }

  function drawAxis(context, width) {
    const unitSpan = (window_.to - window_.from) / Math.max(2, Math.floor((width - kGutter) / 120));
    const seconds = unitSpan / target.clockHz, power = 10 ** Math.floor(Math.log10(seconds));
    const step = [1, 2, 5, 10].find(one => one * power >= seconds) * power * target.clockHz;
    context.fillStyle = colourOf('soft');
    context.strokeStyle = colourOf('line');
    context.textBaseline = 'alphabetic';
    for (let tick = Math.ceil((window_.from - begin) / step) * step + begin; tick <= window_.to; tick += step) {
      const x = kGutter + (tick - window_.from) / scaleOf(width);
      context.beginPath();
      context.moveTo(x, 16);
      context.lineTo(x, height);
      context.stroke();
      const text = tick - begin < step / 2 ? '0' : timeText(tick - begin, target.clockHz);
      if (x + context.measureText(text).width < width) context.fillText(text, x + 3, 13);
    }
  }

  function drawOverview(context, width) {
    fillColumns(context, begin, Math.max(end, begin + 1), kGutter, 4, width - kGutter, 22, 0, lanes.slice(0, 1));
    const x = time_ => kGutter + (time_ - begin) / Math.max(1, end - begin) * (width - kGutter);
    context.strokeStyle = colourOf('ink');
    context.lineWidth = 2;
    context.strokeRect(x(window_.from) + 1, 2, Math.max(3, x(window_.to) - x(window_.from) - 2), 26);
    context.fillStyle = colourOf('soft');
    context.textBaseline = 'middle';
    context.fillText('whole', 4, 15);
  }

  /** \returns {lane, step} under the pointer, or null */
  function under(event) {
    const [x, y] = placeOf(event), index = Math.floor((y - kAxis) / (laneHeight + 3));
    if (x < kGutter || y < kAxis || index >= lanes.length) return null;
    const step = lanes[index].at(timeAt(x, canvas.clientWidth));
    return step < programs.length ? { index, lane: lanes[index], step } : null;
  }

  function describe({ index, lane, step }) {
    const cycles = lane.ends[step] - lane.from(step), kind = names[lane.kinds[step]];
    if (programs[step] < 0) return `IPU ${index}: idle for ${grouped(cycles)} cycles`;
    const program = profile.programs[programs[step]];
    const lines = [program.name || program.type, `IPU ${index}: ${spaced(kind)}, ${grouped(cycles)} cycles ` +
      `(${timeText(cycles, target.clockHz)}), from ${grouped(lane.from(step))}`];
    if (kind === 'sync' && lanes.length > 1) {
      const group = program.syncGroups?.find(members => members.includes(index)) ?? lanes.map((_, at) => at);
      const latest = group.reduce((last, at) => (lanes[at].from(step) > lanes[last].from(step) ? at : last), index);
      if (lanes[latest].from(step) > lane.from(step))
        lines.push(`IPU ${latest} arrived last, ${grouped(lanes[latest].from(step) - lane.from(step))} cycles later`);
    }
    return lines.join('\n');
  }

  let grabbed = null;
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    const [x] = placeOf(event), width = canvas.clientWidth;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = event.deltaX * scaleOf(width);
      look(window_.from + by, window_.to + by);
    } else {
      zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 240))), timeAt(x, width));
    }
  }, { passive: false });
  canvas.addEventListener('pointerdown', event => {
    canvas.setPointerCapture(event.pointerId);
    grabbed = { x: placeOf(event)[0], from: window_.from, to: window_.to, moved: false };
  });
  canvas.addEventListener('pointermove', event => {
    if (grabbed) {
      const by = (grabbed.x - placeOf(event)[0]) * scaleOf(canvas.clientWidth);
      grabbed.moved = grabbed.moved || Math.abs(grabbed.x - placeOf(event)[0]) > 3;
      if (grabbed.moved) look(grabbed.from + by, grabbed.to + by);
      return;
    }
    const found = under(event);
    hint(event, found ? describe(found) : '');
  });
  canvas.addEventListener('pointerup', event => {
    const found = grabbed && !grabbed.moved ? under(event) : null;
    grabbed = null;
    if (found && programs[found.step] >= 0) choose(programs[found.step]);
  });
  canvas.addEventListener('pointerleave', () => hint(null, ''));
  canvas.addEventListener('dblclick', () => look(begin, end));
  const centre = event => {
    const share = (placeOf(event)[0] - kGutter) / Math.max(1, overview.clientWidth - kGutter);
    const middle = begin + share * (end - begin), half = (window_.to - window_.from) / 2;
    look(middle - half, middle + half);
  };
  overview.addEventListener('pointerdown', event => { overview.setPointerCapture(event.pointerId); centre(event); });
  overview.addEventListener('pointermove', event => { if (event.buttons & 1) centre(event); });

  const button = (text, action) => make('button', { onclick: action }, text);
  const middle = () => (window_.from + window_.to) / 2;
  const legend = make('div', { className: 'legend' }, ...names.map(name =>
    make('span', {}, make('i', { style: `background:var(--${name})` }), titled(name))));
  const root = make('div', { className: 'timeline' },
    make('div', { className: 'controls' }, button('+', () => zoom(0.5, middle())), button('−', () => zoom(2, middle())),
         button('Whole', () => look(begin, end)), where), overview, canvas, legend);
  /** Shows the first time that \p program runs, with its surroundings. */
  root.show = program => {
    marked = program;
    const step = programs.indexOf(program);
    if (step < 0) return;
    const from = Math.min(...lanes.map(lane => lane.from(step))), to = Math.max(...lanes.map(lane => lane.ends[step]));
    const margin = Math.max((to - from) * 1.5, 200);
    look(from - margin, to + margin);
  };
  root.look = look;
  look(begin, end);
  return root;
}

/** At most \p most characters; the end of a debug path tells more than its beginning. */
function shortened(name, most) {
  if (name.length <= most) return name;
  return most < 3 ? '' : `…${name.slice(name.length - Math.floor(most) + 1)}`;
}
