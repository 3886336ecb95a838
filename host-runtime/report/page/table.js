// Tables: sorted by a click on a head, searched, and no longer than somebody reads.

const kRowsAtOnce = 100;

/**
 * \param columns  [{name, about, value(row), text(row) (default: value), words, hint(row), colour(row), tone(row)}]; numbers are
 *   sorted from the largest, words from A; the first column is as wide as there is room
 * \param options  {id, search: whether there is a box, choose(row): a row was
 *   clicked, key(row): for table.mark(key)}
 */
function table(columns, rows, options = {}) {
  let sorted = columns.findIndex(column => !column.words), ascending = false, limit = kRowsAtOnce, words = '', marked = null;
  const head = make('tr'), body = make('tbody');
  const more = make('button', { onclick: () => { limit *= 10; fill(); } });
  const root = make('div');

  function shown() {
    const wanted = words.toLowerCase();
    const found = wanted ? rows.filter(row => columns.some(column => column.words &&
                                                String(column.value(row)).toLowerCase().includes(wanted))) : [...rows];
    const { value } = columns[sorted];
    const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    return found.sort((a, b) => (ascending ? 1 : -1) * order(value(a), value(b)));
  }
  function cell(column, row) {
    const value = column.value(row);
    const text = column.text ? column.text(row) : typeof value === 'number' ? grouped(value) : value;
    const one = make('td', { className: [column.words ? 'words name' : '', column.tone ? column.tone(row) : ''].join(' ').trim(),
                             data: { value } });
    if (column.colour) one.append(make('span', { className: 'chip', style: `background:${column.colour(row)}` }));
    one.append(text);
    return column.words ? hinted(one, column.hint ? column.hint(row) : text) : one;
  }
  function fill() {
    columns.forEach((column, at) => {
      head.children[at].textContent = column.name + (at === sorted ? (ascending ? ' ▴' : ' ▾') : '');
    });
    const all = shown();
    body.replaceChildren(...all.slice(0, limit).map(row => {
      const line = make('tr', {}, ...columns.map(column => cell(column, row)));
      if (options.choose) {
        line.className = 'choice' + (options.key && options.key(row) === marked ? ' chosen' : '');
        line.onclick = () => options.choose(row);
      }
      return line;
    }));
    more.hidden = all.length <= limit;
    more.textContent = `${grouped(all.length - limit)} more`;
  }

  columns.forEach((column, at) => {
    const title = make('th', { className: column.words ? 'words' : '', onclick: () => {
      ascending = at === sorted ? !ascending : Boolean(column.words);
      sorted = at;
      fill();
    } });
    head.append(column.about ? hinted(title, column.about) : title);
  });
  if (options.search)
    root.append(make('div', { className: 'controls' }, make('input', { type: 'search', placeholder: 'Search', ariaLabel: 'Search',
      oninput: event => { words = event.target.value; fill(); } })));
  root.append(make('div', { className: 'scroll' }, make('table', { id: options.id ?? '' }, make('thead', {}, head), body)), more);
  root.mark = key => { marked = key; fill(); };
  fill();
  return root;
}
