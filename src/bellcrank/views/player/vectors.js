// Vectors, quaternions (scalar first) and column-major matrices, as plain arrays.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (s, a) => [s * a[0], s * a[1], s * a[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => scale(1 / (norm(a) || 1), a);

/** Three columns of a rotation whose third is along a direction. */
function upright(direction) {
  const z = unit(direction);
  const [ax, ay, az] = z.map(Math.abs);
  const e = ax <= ay && ax <= az ? [1, 0, 0] : ay <= az ? [0, 1, 0] : [0, 0, 1];
  const x = unit(sub(e, scale(dot(e, z), z)));
  return [x, cross(z, x), z];
}

/** Matrix of x ↦ columns·x + shift. */
function affine(columns, shift) {
  const [a, b, c] = columns;
  return [
    a[0], a[1], a[2], 0, b[0], b[1], b[2], 0, c[0], c[1], c[2], 0,
    shift[0], shift[1], shift[2], 1,
  ];
}

/** Columns of the rotation of a unit quaternion. */
function columnsOf(q) {
  const [w, x, y, z] = q;
  return [
    [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
    [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
  ];
}

function multiply(A, B) {
  const C = new Array(16).fill(0);
  for (let j = 0; j < 4; j++)
    for (let k = 0; k < 4; k++)
      for (let i = 0; i < 4; i++) C[4 * j + i] += A[4 * k + i] * B[4 * j + k];
  return C;
}

const apply = (M, p) => [0, 1, 2, 3].map(
  (i) => M[i] * p[0] + M[4 + i] * p[1] + M[8 + i] * p[2] + M[12 + i]);

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2), d = 1 / (near - far);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (near + far) * d, -1, 0, 0, 2 * near * far * d, 0];
}

function orthographic(half, near, far) {
  const d = 1 / (near - far);
  return [1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, 2 * d, 0, 0, 0, (near + far) * d, 1];
}

function lookAt(eye, target, up) {
  const z = unit(sub(eye, target)), x = unit(cross(up, z)), y = cross(z, x);
  return [
    x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
    -dot(x, eye), -dot(y, eye), -dot(z, eye), 1,
  ];
}

/** Numbers from the text they travel in. */
function decode(text, Kind) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Kind(bytes.buffer);
}

/** A number for people: four digits, no noise. */
function shown(x) {
  if (!isFinite(x)) return "–";
  const size = Math.abs(x);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) return x.toExponential(2).replace("e+", "e");
  return (+x.toPrecision(4)).toString();
}
