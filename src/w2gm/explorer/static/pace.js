// How much is drawn while something moves: all of it where frames come fast enough, less where they do not.

const SLOW = 24; // milliseconds between frames: at 60 a second they are 17 apart
const FAST = 18;
const LEAST = 0.05;

export class Pace {
  constructor() {
    this.share = 1;
    this.last = -Infinity;
  }

  // The share to draw in a frame that begins now.
  next(now) {
    const between = now - this.last;
    this.last = now;
    if (between === Infinity) return this.share;
    if (between > SLOW) this.share = Math.max(LEAST, this.share / 2);
    else if (between < FAST) this.share = Math.min(1, this.share * 1.1);
    return this.share;
  }

  // The movement has ended: the time until the next frame tells nothing.
  rest() {
    this.last = -Infinity;
  }
}
