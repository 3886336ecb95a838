// The view of what leaves the chips: IPU-Links, streams, remote buffers.

const kMostDrawn = 64; // IPUs of the ladder

/** The partition as a ladder: IPUs 2r and 2r+1 are rung r. Lines are as thick as their links are busy. */
function ladder({ exchange, target }) {
  const ipus = Math.min(kMostDrawn, target.ipus * target.replicas), rungs = Math.ceil(ipus / 2);
  const links = exchange.links.filter(link => link.from < ipus && link.to < ipus);
  const stepX = 176, width = Math.max(1, rungs) * stepX + 50, height = 220;
  const place = ipu => [70 + Math.floor(ipu / 2) * stepX, ipu % 2 === 0 ? 50 : 170];
  const svgName = 'http://www.w3.org/2000/svg';
  const draw = (tag, attributes, ...children) => {
    const element = document.createElementNS(svgName, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const svg = draw('svg', { viewBox: `0 0 ${width} ${height}`, style: ipus <= 16 ? `width:100%;max-width:${width}px` : `width:${width}px` });
  const pairs = new Map(); // both directions of a link are one line
  const pairOf = (a, b) => {
    const ends = [Math.min(a, b), Math.max(a, b)], key = ends.join();
    if (!pairs.has(key)) pairs.set(key, { ends, directions: [] });
    return pairs.get(key);
  };
  for (let ipu = 0; ipu < ipus; ++ipu)
    for (const to of ipu % 2 === 0 ? [ipu + 1, ipu + 2] : [ipu + 2])
      if (to < ipus) pairOf(ipu, to);
  for (const link of links) pairOf(link.from, link.to).directions.push(link);
  for (const { ends: [a, b], directions } of pairs.values()) {
    const [x1, y1] = place(a), [x2, y2] = place(b);
    const busiest = Math.max(0, ...directions.map(link => link.busy)), bytes = sumOf(directions.map(link => link.bytes));
    const seam = Math.abs(Math.floor(a / 2) - Math.floor(b / 2)) > 1; // of a torus
    const bend = y1 < 110 ? 8 : height - 8;
    const line = draw('path', { d: seam ? `M${x1} ${y1} C${x1 - 40} ${bend} ${x2 + 40} ${bend} ${x2} ${y2}` : `M${x1} ${y1} L${x2} ${y2}`, fill: 'none',
      stroke: bytes ? 'var(--globalExchange)' : 'var(--line)', 'stroke-width': bytes ? 2 + 12 * busiest : 2 });
    svg.append(hinted(line, directions.map(link => `IPU ${link.from} to IPU ${link.to}: ${bytesText(link.bytes)}, busy ` +
      `${percent(link.busy, 1)} of the time`).join('\n') || `IPU ${a} to IPU ${b}: nothing was sent`));
    if (bytes && !seam) {
      const middle = [(x1 + x2) / 2, (y1 + y2) / 2], vertical = x1 === x2;
      svg.append(draw('text', { x: middle[0] + (vertical ? 10 : 0), y: middle[1] + (vertical ? 4 : y1 < 110 ? -12 : 22),
        'text-anchor': vertical ? 'start' : 'middle' }, `${bytesText(bytes)}, ${percent(busiest, 1)}`));
    }
  }
  for (let ipu = 0; ipu < ipus; ++ipu) {
    const [x, y] = place(ipu);
    svg.append(draw('rect', { x: x - 26, y: y - 15, width: 52, height: 30, rx: 5, fill: 'var(--panel)', stroke: 'var(--soft)' }),
               draw('text', { x, y: y + 4, 'text-anchor': 'middle' }, `IPU ${ipu}`));
  }
  return make('div', { style: 'overflow-x:auto' }, svg);
}

function linksPanel(profile) {
  const { links } = profile.exchange, ipus = profile.target.ipus * profile.target.replicas;
  if (!links.length)
    return panel('IPU-Links', ipus > 1 ? 'The program sent nothing from one IPU to another.' : 'The program runs on one IPU, without links.');
  const note = 'Lines are as thick as their links are busy: the share of the time in which the busier direction sends.' +
    (ipus > kMostDrawn ? ` The first ${kMostDrawn} of ${grouped(ipus)} IPUs are drawn; the table has all links.` : '');
  return panel('IPU-Links', note,
    ladder(profile), table([
      { name: 'Link', words: true, value: link => `IPU ${link.from} to IPU ${link.to}` },
      { name: 'Bytes', value: link => link.bytes, text: link => bytesText(link.bytes) },
      { name: 'Busy', about: 'share of the time of all runs', value: link => link.busy, text: link => percent(link.busy, 1) },
    ], links, { id: 'links' }));
}

function hostPanel(title, rows, clockHz, id) {
  if (!rows?.length) return panel(title, 'The program has none, or they moved nothing.');
  return panel(title, null, table([
    { name: 'Name', words: true, value: row => row.name },
    { name: 'Bytes', value: row => row.bytes, text: row => bytesText(row.bytes) },
    { name: 'Copies', value: row => row.copies },
    { name: 'Stall', about: 'cycles in which tiles waited for its copies', value: row => row.stall },
    { name: 'Time', value: row => row.stall, text: row => timeText(row.stall, clockHz) },
    ...(rows.some(row => row.direction) ? [{ name: 'Direction', words: true, value: row => row.direction }] : []),
  ], rows, { id }));
}

const linksView = profile => [linksPanel(profile), hostPanel('Streams', profile.exchange.streams, profile.target.clockHz, 'streams'),
                              hostPanel('Remote buffers', profile.exchange.remoteBuffers, profile.target.clockHz, 'remoteBuffers')];
