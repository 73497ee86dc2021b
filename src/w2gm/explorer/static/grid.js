// Points of the plane in square cells, to find the one nearest to the pointer among hundreds of thousands.

const POINTS_A_CELL = 4;
const COLUMNS = 4; // numbers of a row of the table: x, y and two more

export class Grid {
  constructor(table) {
    const count = table.length / COLUMNS;
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let row = 0; row < table.length; row += COLUMNS) {
      left = Math.min(left, table[row]);
      right = Math.max(right, table[row]);
      low = Math.min(low, table[row + 1]);
      high = Math.max(high, table[row + 1]);
    }
    this.table = table;
    this.left = left;
    this.low = low;
    this.side = Math.sqrt(((right - left || 1) * (high - low || 1) * POINTS_A_CELL) / count);
    this.wide = Math.floor((right - left) / this.side) + 1;
    this.tall = Math.floor((high - low) / this.side) + 1;
    // Counting sort: `first[cell]` is where the cell's points begin in `order`.
    this.first = new Uint32Array(this.wide * this.tall + 1);
    const cells = new Uint32Array(count);
    for (let point = 0; point < count; point += 1) {
      cells[point] = this.column(table[point * COLUMNS]) + this.wide * this.line(table[point * COLUMNS + 1]);
      this.first[cells[point] + 1] += 1;
    }
    for (let cell = 0; cell < this.first.length - 1; cell += 1) this.first[cell + 1] += this.first[cell];
    const next = this.first.slice();
    this.order = new Uint32Array(count);
    for (let point = 0; point < count; point += 1) {
      this.order[next[cells[point]]] = point;
      next[cells[point]] += 1;
    }
  }

  column(x) {
    return Math.max(0, Math.min(this.wide - 1, Math.floor((x - this.left) / this.side)));
  }

  line(y) {
    return Math.max(0, Math.min(this.tall - 1, Math.floor((y - this.low) / this.side)));
  }

  // The point nearest to (x, y) within the radius, -1 for none.
  nearest(x, y, radius) {
    let best = -1;
    let least = radius * radius;
    for (let line = this.line(y - radius); line <= this.line(y + radius); line += 1) {
      for (let column = this.column(x - radius); column <= this.column(x + radius); column += 1) {
        const cell = column + this.wide * line;
        for (let place = this.first[cell]; place < this.first[cell + 1]; place += 1) {
          const point = this.order[place];
          const square = (this.table[point * COLUMNS] - x) ** 2 + (this.table[point * COLUMNS + 1] - y) ** 2;
          if (square < least) {
            least = square;
            best = point;
          }
        }
      }
    }
    return best;
  }
}
