// Hundreds of thousands of points by WebGL 2: one buffer, one draw call, a frame only when something moved.

const COLUMNS = 4; // x, y, log-variance, log-count
export const COLOURED_BY = { variance: 2, frequency: 3 };
// From low to high; the same on light and dark ground, and in the legend of style.css.
const RAMP = [[0.2, 0.36, 0.82], [0.47, 0.3, 0.86], [0.76, 0.23, 0.6], [0.89, 0.36, 0.28], [0.93, 0.62, 0.12]];
const SAMPLE = 5000;

const VERTEX = `#version 300 es
in vec4 row;
uniform vec2 centre, scale;
uniform float size;
uniform int column;
uniform vec2 range;
uniform vec3 ramp[5];
out vec3 colour;
void main() {
  gl_Position = vec4((row.xy - centre) * scale, 0.0, 1.0);
  gl_PointSize = size * (0.6 + 0.09 * row.w);
  float place = 4.0 * clamp((row[column] - range.x) / max(range.y - range.x, 1e-6), 0.0, 1.0);
  int below = int(min(place, 3.0));
  colour = mix(ramp[below], ramp[below + 1], place - float(below));
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
in vec3 colour;
uniform float opacity;
out vec4 pixel;
void main() {
  float alpha = opacity * smoothstep(0.5, 0.35, length(gl_PointCoord - 0.5));
  pixel = vec4(colour * alpha, alpha);
}`;

export class Points {
  // table: rows of COLUMNS numbers, the most frequent word first. Throws where there is no WebGL 2.
  constructor(canvas, table) {
    this.canvas = canvas;
    this.count = table.length / COLUMNS;
    this.gl = canvas.getContext("webgl2", { antialias: false, premultipliedAlpha: true });
    if (!this.gl) throw new Error("This browser has no WebGL 2: the map cannot be drawn. Every word can be reached by its name.");
    this.ranges = Object.fromEntries(Object.entries(COLOURED_BY).map(([name, column]) => [name, middleOf(table, column)]));
    this.table = table;
    // A graphics card that was reset has forgotten everything.
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => this.prepare());
    this.prepare();
  }

  prepare() {
    const { gl } = this;
    const program = linked(gl);
    gl.useProgram(program);
    this.uniforms = Object.fromEntries(["centre", "scale", "size", "column", "range", "ramp", "opacity"].map((name) => [name, gl.getUniformLocation(program, name)]));
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, backwards(this.table), gl.STATIC_DRAW);
    const place = gl.getAttribLocation(program, "row");
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, COLUMNS, gl.FLOAT, false, 0, 0);
    gl.uniform3fv(this.uniforms.ramp, RAMP.flat());
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  // view: { x, y, scale } with the scale in CSS pixels for one unit. share: of the points, the frequent words first.
  // Returns how many were drawn.
  draw({ x, y, scale }, by, share = 1) {
    const { gl, canvas, uniforms } = this;
    const ratio = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const [wide, tall] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== wide || canvas.height !== tall) Object.assign(canvas, { width: wide, height: tall });
    gl.viewport(0, 0, wide, tall);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(uniforms.centre, x, y);
    gl.uniform2f(uniforms.scale, (2 * scale) / width, (2 * scale) / height);
    // Points grow while one zooms in, more slowly than the distances between them.
    const room = Math.sqrt((width * height) / this.count) * Math.sqrt(scale / this.scaleOfAll(width, height));
    gl.uniform1f(uniforms.size, ratio * Math.max(1.6, Math.min(9, 1.6 * room)));
    gl.uniform1f(uniforms.opacity, this.count > 20000 ? 0.6 : 0.8);
    gl.uniform1i(uniforms.column, COLOURED_BY[by]);
    gl.uniform2f(uniforms.range, ...this.ranges[by]);
    const drawn = Math.ceil(share * this.count);
    gl.drawArrays(gl.POINTS, this.count - drawn, drawn);
    return drawn;
  }

  // The scale at which nearly all points are in view.
  scaleOfAll(width, height) {
    const [left, right, low, high] = this.extent();
    return 0.92 * Math.min(width / (right - left || 1), height / (high - low || 1));
  }

  // Where nearly all points lie: [left, right, low, high]; a few outliers must not make the rest a dot.
  extent() {
    this.box ??= [...middleOf(this.table, 0, 0.002), ...middleOf(this.table, 1, 0.002)];
    return this.box;
  }
}

// The range of a column without the outermost shares, from a sample.
function middleOf(table, column, share = 0.02) {
  const count = table.length / COLUMNS;
  const step = Math.max(1, Math.floor(count / SAMPLE));
  const values = [];
  for (let row = 0; row < count; row += step) values.push(table[row * COLUMNS + column]);
  values.sort((one, other) => one - other);
  return [values[Math.floor(share * (values.length - 1))], values[Math.ceil((1 - share) * (values.length - 1))]];
}

// Rare words first, so that the frequent ones are drawn over them.
function backwards(table) {
  const turned = new Float32Array(table.length);
  for (let row = 0; row < table.length; row += COLUMNS) turned.set(table.subarray(row, row + COLUMNS), table.length - COLUMNS - row);
  return turned;
}

function linked(gl) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(`The map cannot be drawn here: ${gl.getProgramInfoLog(program)}`);
  return program;
}
