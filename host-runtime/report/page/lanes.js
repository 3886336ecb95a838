// The time of IPUs, ready to be asked for any window of it: how long each kind of step took, and
// which steps there were.

const kIdle = 5; // beside the kinds of steps
const kKinds = 6;
const kBetweenSums = 64; // steps from one stored sum to the next

/** One IPU's steps, one after another without gaps. */
class Lane {
  /** \param ends  of each step [modelled cycles], ascending; \param kinds  of each step */
  constructor(begin, ends, kinds) {
    Object.assign(this, { begin, ends, kinds });
    this.sums = new Float64Array(kKinds * Math.ceil(ends.length / kBetweenSums));
    const sum = new Float64Array(kKinds);
    let from = begin;
    for (let i = 0; i < ends.length; ++i) {
      if (i % kBetweenSums === 0) this.sums.set(sum, kKinds * i / kBetweenSums);
      sum[kinds[i]] += ends[i] - from;
      from = ends[i];
    }
  }

  get end() { return this.ends.length ? this.ends[this.ends.length - 1] : this.begin; }
  from(step) { return step === 0 ? this.begin : this.ends[step - 1]; }

  /** \returns the first step that ends after \p time */
  at(time) {
    let low = 0, high = this.ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ends[middle] > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Writes to \p sum the cycles of each kind of step before \p time. */
  spentBefore(time, sum) {
    const step = Math.min(this.at(time), this.ends.length);
    const stored = Math.min(Math.floor(step / kBetweenSums), this.sums.length / kKinds - 1);
    sum.fill(0);
    if (stored < 0) return;
    for (let kind = 0; kind < kKinds; ++kind) sum[kind] = this.sums[kKinds * stored + kind];
    for (let i = stored * kBetweenSums; i < step; ++i) sum[this.kinds[i]] += this.ends[i] - this.from(i);
    if (step < this.ends.length && time > this.from(step)) sum[this.kinds[step]] += time - this.from(step);
  }
}

/** All IPUs' lanes. Between runs, and where a run has more steps than are listed, they are idle.
 *  \returns {lanes, programs: by step of the lanes, its number in execution.programs, or -1 where they are idle} */
function lanesOf(execution) {
  const programs = [], kinds = [], places = []; // of steps in figures: -1 where the lanes are idle
  const add = place => {
    programs.push(place < 0 ? -1 : execution.steps[place]);
    kinds.push(place < 0 ? kIdle : execution.stepKinds[place]);
    places.push(place);
  };
  const idleUntil = []; // by step of the lanes, if it is an idle one
  for (const run of execution.runs) {
    idleUntil[programs.length] = run.from;
    add(-1);
    for (let i = run.firstStep; i < run.firstStep + run.steps; ++i) add(i);
    idleUntil[programs.length] = run.to;
    add(-1);
  }
  const begin = execution.runs.length ? execution.runs[0].from : 0;
  const lanes = execution.ipus.map(cycles => {
    const ends = new Float64Array(programs.length);
    let now = begin;
    for (let i = 0; i < ends.length; ++i) {
      now = places[i] < 0 ? Math.max(now, idleUntil[i]) : now + cycles[places[i]];
      ends[i] = now;
    }
    return new Lane(begin, ends, Uint8Array.from(kinds));
  });
  return { lanes, programs, begin, end: Math.max(begin, ...lanes.map(lane => lane.end)) };
}
