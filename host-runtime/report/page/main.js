// Opens the page. The part of the address after # says what is shown: #execution&step=17, of the
// second profile with &profile=1.

const kViews = [
  ['overview', 'Overview', overviewView],
  ['memory', 'Memory', memoryView],
  ['execution', 'Execution', executionView],
  ['links', 'Links and streams', linksView],
];

/** What the address says; set() notes a choice there without showing the view again. */
function addressState() {
  const [view, ...rest] = location.hash.slice(1).split('&');
  const values = new Map(rest.map(one => one.split('=')));
  return {
    view, get: name => values.get(name),
    set(name, value) {
      values.set(name, String(value));
      const text = [...values].map(([key, one]) => `&${key}=${one}`).join('');
      history.replaceState(null, '', `#${location.hash.slice(1).split('&')[0] || 'overview'}${text}`);
    },
  };
}

/** Typed arrays and lanes in the place of runs of numbers. */
function prepare(profile) {
  const { memory, execution } = profile;
  memory.byTile = memory.tiles.map(expanded);
  memory.total = new Float64Array(memory.byTile[0].length);
  for (const bytes of memory.byTile) bytes.forEach((one, tile) => { memory.total[tile] += one; });
  memory.withGaps = expanded(memory.tilesWithGaps);
  memory.layoutOfTile = expanded(memory.layouts.ofTile);
  memory.liveness.bytes = expanded(memory.liveness.bytes);
  if (!execution) return;
  for (const cost of execution.costs) Object.assign(cost, profile.programs[cost.program], { works: 'activeTiles' in cost });
  profile.time = lanesOf(execution);
}

function show(profiles) {
  const state = addressState(), two = profiles.length === 2;
  const views = two ? [['compare', 'Compare', () => compareView(profiles)], ...kViews] : kViews;
  const [name, , build] = views.find(([one]) => one === state.view) ?? views[0];
  const at = two && state.get('profile') === '1' ? 1 : 0;
  const profile = profiles[at];
  const ofProfile = which => (two && which === 1 ? '&profile=1' : '');
  document.getElementById('tabs').replaceChildren(...views.map(([one, title]) =>
    make('a', { href: `#${one}${one === 'compare' ? '' : ofProfile(at)}`, className: one === name ? 'chosen' : '' }, title)));
  const { target } = profile;
  const size = `${target.ipus * target.replicas} IPUs` + (target.replicas > 1 ? ` (${target.replicas} replicas of ${target.ipus})` : '') +
    ` of ${grouped(target.tilesPerIpu)} tiles`;
  document.getElementById('which').replaceChildren(...(two ? profiles.map((one, i) => make('span', { style: 'margin-right:16px' },
    make('button', { className: name !== 'compare' && i === at ? 'chosen' : '', onclick: () => { location.hash = `${name === 'compare' ? 'overview' : name}${ofProfile(i)}`; } }, 'AB'[i]),
    ` ${one.name}`)) : [`${profile.name} · ${target.ipus * target.replicas === 1 ? size.replace('IPUs', 'IPU') : size} · ${target.type}`]));
  document.getElementById('view').replaceChildren(...build(profile, state));
  hint(null, '');
  document.documentElement.dataset.view = name;
}

addEventListener('error', event => {
  document.documentElement.dataset.error = event.message;
  document.getElementById('view').prepend(panel('This page has failed', event.message));
});
addEventListener('unhandledrejection', event => { throw event.reason; });

async function open() {
  const { profiles } = await readFigures();
  profiles.forEach(prepare);
  addEventListener('hashchange', () => { show(profiles); scrollTo(0, 0); });
  show(profiles);
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}
open();
