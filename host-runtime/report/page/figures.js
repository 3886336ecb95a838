// What C++ worked out, and what only the page needs of that. README.md of this folder's module
// lists the figures.

/** \returns the figures that stand in the page: gzip in base64 of JSON */
async function readFigures() {
  const coded = atob(document.getElementById('figures').textContent);
  const bytes = new Uint8Array(coded.length);
  for (let i = 0; i < coded.length; ++i) bytes[i] = coded.charCodeAt(i);
  const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(text).text());
}

/** Numbers of runs [length, value, length, value, ...]. */
function expanded(runs) {
  let length = 0;
  for (let i = 0; i < runs.length; i += 2) length += runs[i];
  const values = new Float64Array(length);
  let at = 0;
  for (let i = 0; i < runs.length; i += 2) {
    values.fill(runs[i + 1], at, at + runs[i]);
    at += runs[i];
  }
  return values;
}

const largest = values => values.reduce((most, value) => Math.max(most, value), 0);
const sumOf = values => values.reduce((sum, value) => sum + value, 0);

/** The tile as people name it. \param tile  number over all IPUs of a replica */
const tileName = (target, tile) =>
  `tile ${tile % target.tilesPerIpu}` + (target.ipus > 1 ? ` of IPU ${Math.floor(tile / target.tilesPerIpu)}` : '');

/** Things without a name are named by their category. \param one  with a category */
const itemName = ({ categories }, one) => one.name || `(${spaced(categories[one.category])})`;

/** Words of people for names of figures: "vertexInstanceState" -> "vertex instance state". */
const spaced = name => name.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`);
const capital = words => words[0].toUpperCase() + words.slice(1);
const titled = name => capital(spaced(name));

// Colours that people who confuse red and green tell apart too; memory has more uses than there are
// such colours, so kinds of code are shades of one.
const kCategoryColours = {
  variable: '#2f74d0', constant: '#8ab8ef', message: '#1f8a70', rearrangement: '#7cc4ae', stack: '#8791a1',
  vertexInstanceState: '#e5a52a', vertexFieldData: '#f0cb7d', vectorListDescriptor: '#a0623a', controlCode: '#d6572f', vertexCode: '#8b5bc7',
};
const kOtherColours = ['#b0417c', '#7a9a2b', '#4aa3b5', '#d88bb4', '#95a5b8'];
const categoryColour = (name, at) => kCategoryColours[name] ?? kOtherColours[at % kOtherColours.length];
