// Elements of the page: made, hinted at, written as text.

/** An element with properties and children; strings become text, so names of a program are never markup. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === 'style') element.style.cssText = value;
    else if (name === 'data') Object.assign(element.dataset, value);
    else element[name] = value;
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

function panel(title, note, ...children) {
  return make('section', { className: 'panel' }, title ? make('h2', {}, title) : null,
              note ? make('p', { className: 'note' }, note) : null, ...children);
}

const grouped = number => Math.round(number).toLocaleString('en-US');

function bytesText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (Math.abs(bytes) >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    ++unit;
  }
  return `${unit === 0 ? Math.round(bytes) : bytes.toFixed(Math.abs(bytes) < 10 ? 2 : 1)} ${units[unit]}`;
}

function percent(part, whole) {
  if (!whole) return '0 %';
  const share = 100 * part / whole;
  return `${share.toFixed(Math.abs(share) < 9.95 && share !== 0 ? 1 : 0)} %`;
}

/** \param clockHz  of the tiles */
function timeText(cycles, clockHz) {
  const seconds = cycles / clockHz;
  for (const [unit, size] of [['s', 1], ['ms', 1e-3], ['µs', 1e-6]])
    if (seconds >= size) return `${(seconds / size).toPrecision(3)} ${unit}`;
  return `${(seconds / 1e-9).toPrecision(3)} ns`;
}

/** A colour of the style sheet, by its name there. */
const colourOf = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** The colour as red, green, blue: three numbers up to 255. \p colour is one of the style sheet's, #rrggbb. */
const partsOf = colour => [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16));

/** The colour as a pixel of ImageData, seen as 32 bits. */
function pixelOf(colour) {
  const [red, green, blue] = partsOf(colour);
  return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}

/** Pixels from the low to the high colour of the style sheet, shape [256]. */
function ramp() {
  const low = partsOf(colourOf('low')), high = partsOf(colourOf('high'));
  return Uint32Array.from({ length: 256 }, (_, i) => {
    const [red, green, blue] = low.map((from, part) => Math.round(from + (high[part] - from) * i / 255));
    return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
  });
}

/** Shows \p text beside the pointer; nothing without a text. */
function hint(event, text) {
  const box = document.getElementById('hint');
  box.hidden = !text;
  if (!text) return;
  box.textContent = text;
  const right = event.clientX + 16 + box.offsetWidth > innerWidth;
  const below = event.clientY + 16 + box.offsetHeight > innerHeight;
  box.style.left = `${Math.max(4, right ? event.clientX - 12 - box.offsetWidth : event.clientX + 16)}px`;
  box.style.top = `${Math.max(4, below ? event.clientY - 12 - box.offsetHeight : event.clientY + 16)}px`;
}

function hinted(element, text) {
  element.addEventListener('pointermove', event => hint(event, text));
  element.addEventListener('pointerleave', () => hint(null, ''));
  return element;
}

/** A canvas of \p height [CSS pixels], drawn again whenever its width changes.
 *  \param draw  (context, width, height) in CSS pixels */
function drawn(height, draw) {
  const canvas = make('canvas', { style: `height:${height}px` });
  canvas.redraw = () => {
    const width = canvas.clientWidth, tall = canvas.clientHeight, scale = devicePixelRatio || 1;
    if (width === 0) return;
    const pixels = [Math.round(width * scale), Math.round(tall * scale)];
    if (canvas.width !== pixels[0] || canvas.height !== pixels[1]) [canvas.width, canvas.height] = pixels;
    const context = canvas.getContext('2d');
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, tall);
    context.font = '12px system-ui, "DejaVu Sans", sans-serif';
    draw(context, width, tall);
  };
  new ResizeObserver(() => requestAnimationFrame(() => canvas.redraw())).observe(canvas);
  return canvas;
}

/** Where the pointer is on its canvas [CSS pixels]. */
function placeOf(event) {
  const box = event.currentTarget.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

/** One bar whose parts are shares of a whole, and what each part is.
 *  \param parts  [{name, amount, colour, text}]; \param scale  what the full width stands for, if that is more than the whole */
function stack(parts, whole, scale = 0) {
  const bar = make('div', { className: 'stack' });
  const legend = make('div', { className: 'legend' });
  for (const part of parts.filter(one => one.amount > 0)) {
    const text = `${part.name}: ${part.text}, ${percent(part.amount, whole)}`;
    bar.append(hinted(make('i', { style: `flex:${part.amount} 0 0;background:${part.colour}` }), text));
    legend.append(make('span', { data: { name: part.name, amount: part.amount } },
                       make('i', { style: `background:${part.colour}` }), `${part.name} `,
                       make('b', {}, percent(part.amount, whole)), ` ${part.text}`));
  }
  const rest = Math.max(whole, scale) - parts.reduce((sum, part) => sum + part.amount, 0);
  if (rest > 0) bar.append(make('i', { style: `flex:${rest} 0 0` }));
  return make('div', {}, bar, legend);
}

/** The largest of something as bars.
 *  \param rows  [{name, amount, text, colour, choose}] */
function bars(rows) {
  const most = Math.max(1, ...rows.map(row => row.amount));
  const list = make('div', { className: 'bars' });
  for (const row of rows) {
    const name = row.choose ? make('button', { className: 'link name', style: 'text-align:left', onclick: row.choose }, row.name)
                            : make('span', { className: 'name' }, row.name);
    list.append(hinted(name, row.name),
                make('div', { className: 'bar', style: `width:${Math.max(0.5, 100 * row.amount / most)}%;background:${row.colour}` }),
                make('span', { className: 'amount' }, row.text));
  }
  return list;
}
