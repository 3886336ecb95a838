// A figure of every tile as a map: a field for each IPU, a cell for each tile, row by row.

/**
 * \param values   by tile over all IPUs
 * \param options  {target, text(value), most: value of the darkest colour (default: the largest), choose(tile), chosen}
 */
function tileMap(values, options) {
  const { target, text } = options;
  const perIpu = target.tilesPerIpu, ipus = Math.max(1, Math.round(values.length / perIpu));
  const across = Math.max(1, Math.ceil(Math.sqrt(perIpu * 5.6 / Math.min(ipus, 4)))), down = Math.ceil(perIpu / across);
  const most = Math.max(1, options.most ?? largest(values));
  let chosen = options.chosen ?? -1;

  /** Cells are whole pixels, and fields stand in rows that fill the width. */
  function layout(width) {
    const label = 18, gap = 10;
    const perRow = Math.min(ipus, 8);
    const cell = Math.max(1, Math.min(14, Math.floor((width / perRow - gap) / across)));
    return { label, gap, perRow, cell, fieldWidth: across * cell + gap, fieldHeight: down * cell + label + gap };
  }
  const heightFor = width => {
    const { perRow, fieldHeight } = layout(width);
    return Math.ceil(ipus / perRow) * fieldHeight;
  };
  const placeOfIpu = (ipu, { perRow, fieldWidth, fieldHeight, label }) =>
    [(ipu % perRow) * fieldWidth, Math.floor(ipu / perRow) * fieldHeight + label];

  function draw(context, width) {
    const where = layout(width), scale = devicePixelRatio || 1, side = Math.max(1, Math.round(where.cell * scale));
    const colours = ramp();
    for (let ipu = 0; ipu < ipus; ++ipu) {
      const [left, top] = placeOfIpu(ipu, where);
      const image = context.createImageData(across * side, down * side), data = new Uint32Array(image.data.buffer);
      for (let tile = 0; tile < perIpu && ipu * perIpu + tile < values.length; ++tile) {
        const share = Math.min(1, values[ipu * perIpu + tile] / most), pixel = colours[Math.round(255 * share)];
        const x = (tile % across) * side, y = Math.floor(tile / across) * side, border = side > 4 ? 1 : 0;
        for (let row = y; row < y + side - border; ++row)
          data.fill(pixel, row * image.width + x, row * image.width + x + side - border);
      }
      context.putImageData(image, Math.round(left * scale), Math.round(top * scale));
      context.fillStyle = colourOf('soft');
      context.fillText(`IPU ${ipu}`, left, top - 5);
    }
    if (chosen >= 0) {
      const [left, top] = placeOfIpu(Math.floor(chosen / perIpu), where), tile = chosen % perIpu;
      context.strokeStyle = colourOf('limit');
      context.lineWidth = 2;
      context.strokeRect(left + (tile % across) * where.cell - 1, top + Math.floor(tile / across) * where.cell - 1,
                         where.cell + 2, where.cell + 2);
    }
  }

  const canvas = drawn(heightFor(1000), draw);
  const fit = () => {
    const height = heightFor(canvas.clientWidth);
    if (canvas.style.height !== `${height}px`) canvas.style.height = `${height}px`;
  };
  const redraw = canvas.redraw;
  canvas.redraw = () => { fit(); redraw(); };

  function under(event) {
    const where = layout(canvas.clientWidth), [x, y] = placeOf(event);
    const column = Math.floor(x / where.fieldWidth), row = Math.floor(y / where.fieldHeight);
    const cellX = Math.floor((x - column * where.fieldWidth) / where.cell);
    const cellY = Math.floor((y - row * where.fieldHeight - where.label) / where.cell);
    const ipu = row * where.perRow + column, tile = cellY * across + cellX;
    if (column >= where.perRow || ipu >= ipus || cellX < 0 || cellX >= across || cellY < 0 || tile >= perIpu) return -1;
    return ipu * perIpu + tile;
  }
  canvas.addEventListener('pointermove', event => {
    const tile = under(event);
    hint(event, tile < 0 ? '' : `${capital(tileName(target, tile))}: ${text(values[tile])}`);
  });
  canvas.addEventListener('pointerleave', () => hint(null, ''));
  if (options.choose) {
    canvas.style.cursor = 'pointer';
    canvas.addEventListener('click', event => {
      const tile = under(event);
      if (tile >= 0) options.choose(tile);
    });
  }
  const scaleBar = make('div', { className: 'legend', style: 'margin-top:4px' }, '0 ',
    make('i', { style: 'width:120px;background:linear-gradient(90deg,var(--low),var(--high))' }), text(most));
  const root = make('div', {}, canvas, scaleBar);
  root.mark = tile => { chosen = tile; canvas.redraw(); };
  return root;
}
