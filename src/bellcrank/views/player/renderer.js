// Surfaces, floor and lines on a WebGL2 canvas, with one light that throws soft shadows.

const SHADED = `#version 300 es
in vec3 position; in vec3 normal;
uniform mat4 model, view, light; uniform mat3 turn; uniform float lift;
out vec3 p; out vec3 n; out vec4 s;
void main() {
  vec4 w = model * vec4(position, 1.0);
  p = w.xyz; n = turn * normal;
  s = light * vec4(p + lift * n / max(length(n), 1e-9), 1.0); gl_Position = view * w;
}`;

const SHADOW = `
uniform highp sampler2DShadow depths; uniform float texel;
float lit(vec4 s) {
  vec3 c = s.xyz / s.w * 0.5 + 0.5;
  if (any(lessThan(c, vec3(0.0))) || any(greaterThan(c, vec3(1.0)))) return 1.0;
  float sum = 0.0;
  for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++)
    sum += texture(depths, vec3(c.xy + 1.4 * texel * vec2(i, j), c.z - 0.0008));
  return sum / 9.0;
}`;

const SURFACE = `#version 300 es
precision highp float;
in vec3 p; in vec3 n; in vec4 s; out vec4 colour;
uniform vec3 base, eye, sun, up; uniform float opacity, dark;
${SHADOW}
void main() {
  vec3 N = normalize(n), V = normalize(eye - p), H = normalize(V + sun);
  if (dot(N, V) < 0.0) N = -N;
  float day = max(dot(N, sun), 0.0) * mix(0.25, 1.0, lit(s));
  float sky = 0.5 + 0.5 * dot(N, up);
  vec3 body = pow(base, vec3(2.2));
  vec3 c = body * (mix(vec3(0.20, 0.19, 0.20), vec3(0.52, 0.55, 0.60), sky) + 0.78 * day);
  c += (0.10 * day) * pow(max(dot(N, H), 0.0), 42.0);
  c += mix(0.03, 0.09, dark) * pow(1.0 - max(dot(N, V), 0.0), 3.0);
  colour = vec4(pow(c, vec3(1.0 / 2.2)), 1.0) * opacity;
}`;

const DEPTH_ONLY = `#version 300 es
precision highp float; out vec4 c; void main() { c = vec4(1.0); }`;

const FLOOR = `#version 300 es
precision highp float;
in vec3 p; in vec3 n; in vec4 s; out vec4 colour;
uniform vec3 middle, line, eye, e1, e2; uniform float cell, reach, shade;
${SHADOW}
float grid(vec2 x, float step) {
  vec2 g = abs(fract(x / step - 0.5) - 0.5) / max(fwidth(x / step), vec2(1e-5));
  return 1.0 - min(min(g.x, g.y), 1.0);
}
void main() {
  vec3 d = p - middle; vec2 x = vec2(dot(p, e1), dot(p, e2));
  float far = length(d) / reach;
  float fade = 1.0 - smoothstep(0.9, 3.4, far);
  float soft = clamp(abs(dot(normalize(eye - p), cross(e1, e2))) * 5.0, 0.0, 1.0);
  float a = (0.30 * grid(x, cell) + 0.42 * grid(x, 5.0 * cell)) * fade * soft;
  float dim = (1.0 - lit(s)) * shade * fade;
  colour = vec4(line * a * (1.0 - dim), a + dim - a * dim);
}`;

const RIBBON = `#version 300 es
in vec3 from, to; in vec2 corner;
uniform mat4 view; uniform vec2 screen; uniform float width, nearer;
void main() {
  vec4 a = view * vec4(from, 1.0), b = view * vec4(to, 1.0);
  vec2 d = (b.xy / b.w - a.xy / a.w) * screen;
  float l = length(d);
  vec2 across = l > 1e-4 ? vec2(-d.y, d.x) / l : vec2(0.0, 1.0);
  vec2 along = l > 1e-4 ? d / l : vec2(1.0, 0.0);
  vec4 at = corner.x < 0.5 ? a : b;
  vec2 shift = (across * corner.y + along * (corner.x - 0.5) * 0.5) * width / screen;
  gl_Position = vec4(at.xy + shift * at.w, at.z - nearer * at.w, at.w);
}`;

const PLAIN = `#version 300 es
precision highp float; uniform vec4 ink; out vec4 colour; void main() { colour = ink; }`;

const SHADOWS = 2048; // pixels of the map

class Renderer {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl2", {
      antialias: true, premultipliedAlpha: true, preserveDrawingBuffer: true,
    });
    if (!gl) throw new Error("This browser has no WebGL2.");
    this.gl = gl;
    this.surface = this.program(SHADED, SURFACE);
    this.depth = this.program(SHADED, DEPTH_ONLY);
    this.floor = this.program(SHADED, FLOOR);
    this.ribbon = this.program(RIBBON, PLAIN);
    this.corners = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.corners);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, -1, 0, 1, 1, -1, 1, 1]), gl.STATIC_DRAW);
    this.square = this.mesh(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]),
      new Uint16Array([0, 1, 2, 0, 2, 3]));
    this.map = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.map);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOWS, SHADOWS);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    this.frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.map, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  program(vertex, fragment) {
    const gl = this.gl, made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS))
        throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(made, shader);
    }
    ["position", "normal"].forEach((name, i) => gl.bindAttribLocation(made, i, name));
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
    const at = {};
    for (let i = 0; i < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); i++) {
      const name = gl.getActiveUniform(made, i).name;
      at[name] = gl.getUniformLocation(made, name);
    }
    return { made, at };
  }

  /** Put a surface on the card; normals are averaged over shared vertices. */
  mesh(vertices, faces) {
    const gl = this.gl, normals = new Float32Array(vertices.length);
    const at = (i) => [vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]];
    for (let k = 0; k < faces.length; k += 3) {
      const [i, j, l] = [faces[k], faces[k + 1], faces[k + 2]];
      const n = cross(sub(at(j), at(i)), sub(at(l), at(i)));
      for (const v of [i, j, l]) for (let c = 0; c < 3; c++) normals[3 * v + c] += n[c];
    }
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    [vertices, normals].forEach((data, place) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, faces, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    const kind = faces instanceof Uint16Array ? gl.UNSIGNED_SHORT : gl.UNSIGNED_INT;
    return { array, count: faces.length, kind };
  }

  /** Put a polyline on the card. */
  path(points) {
    const gl = this.gl, array = gl.createVertexArray(), { made } = this.ribbon;
    const place = (name) => gl.getAttribLocation(made, name);
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.corners);
    gl.enableVertexAttribArray(place("corner"));
    gl.vertexAttribPointer(place("corner"), 2, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, points, gl.STATIC_DRAW);
    [["from", 0], ["to", 12]].forEach(([name, offset]) => {
      gl.enableVertexAttribArray(place(name));
      gl.vertexAttribPointer(place(name), 3, gl.FLOAT, false, 12, offset);
      gl.vertexAttribDivisor(place(name), 1);
    });
    gl.bindVertexArray(null);
    return { array, count: points.length / 3 - 1 };
  }

  /** Draw a frame: things {mesh, model, colour, opacity, ghost}, paths {path, colour, …}. */
  draw(things, paths, camera, world, theme) {
    const gl = this.gl, { canvas } = this;
    const light = this.sunlight(camera, world);
    this.throwShadows(things, light);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.map);
    this.drawSurfaces(things, camera, light, world, theme);
    this.drawFloor(camera, light, world, theme);
    this.drawPaths(paths, camera);
  }

  sunlight(camera, world) {
    const side = unit(cross(world.up, camera.sight));
    const sun = unit(add(add(world.up, scale(0.45, world.sight)),
      scale(-0.4, unit(cross(world.up, world.sight)))));
    const half = 1.3 * world.reach;
    const eye = add(world.middle, scale(4 * world.reach, sun));
    const view = multiply(orthographic(half, 0.5 * world.reach, 9 * world.reach),
      lookAt(eye, world.middle, Math.abs(dot(sun, world.up)) > 0.98 ? side : world.up));
    return { sun, view };
  }

  throwShadows(things, light) {
    const gl = this.gl, { made, at } = this.depth;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    gl.viewport(0, 0, SHADOWS, SHADOWS);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.useProgram(made);
    gl.uniformMatrix4fv(at.view, false, light.view);
    for (const thing of things) {
      if (thing.ghost) continue;
      gl.uniformMatrix4fv(at.model, false, thing.model);
      this.triangles(thing.mesh);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  drawSurfaces(things, camera, light, world, theme) {
    const gl = this.gl, { made, at } = this.surface;
    gl.useProgram(made);
    this.shared(at, camera, light);
    gl.uniform3fv(at.sun, light.sun);
    gl.uniform3fv(at.up, world.up);
    gl.uniform1f(at.dark, theme.dark ? 1 : 0);
    gl.uniform1f(at.lift, 0.006 * world.reach); // so that a surface does not shade itself
    for (const thing of things) {
      const m = thing.model;
      // Of a stretched surface the normals turn with the inverse transpose, here its cofactors.
      const [a, b, c] = [m.slice(0, 3), m.slice(4, 7), m.slice(8, 11)];
      gl.uniformMatrix3fv(at.turn, false, [...cross(b, c), ...cross(c, a), ...cross(a, b)]);
      gl.uniformMatrix4fv(at.model, false, m);
      gl.uniform3fv(at.base, thing.colour.map((x) => x / 255));
      gl.uniform1f(at.opacity, thing.opacity ?? 1);
      this.triangles(thing.mesh);
    }
  }

  drawFloor(camera, light, world, theme) {
    const gl = this.gl, { made, at } = this.floor;
    const columns = upright(world.up);
    const lift = world.floor - dot(world.middle, world.up);
    const middle = add(world.middle, scale(lift, world.up));
    const size = 4 * world.reach;
    gl.useProgram(made);
    this.shared(at, camera, light);
    gl.uniformMatrix4fv(at.model, false,
      affine([scale(size, columns[0]), scale(size, columns[1]), columns[2]], middle));
    gl.uniform3fv(at.middle, middle);
    gl.uniform3fv(at.e1, columns[0]);
    gl.uniform3fv(at.e2, columns[1]);
    gl.uniform3fv(at.line, theme.grid);
    gl.uniform1f(at.cell, world.cell);
    gl.uniform1f(at.reach, world.reach);
    gl.uniform1f(at.shade, theme.dark ? 0.55 : 0.28);
    gl.depthMask(false);
    this.triangles(this.square);
    gl.depthMask(true);
  }

  drawPaths(paths, camera) {
    const gl = this.gl, { made, at } = this.ribbon;
    gl.useProgram(made);
    gl.uniformMatrix4fv(at.view, false, camera.view);
    gl.uniform2f(at.screen, this.canvas.width, this.canvas.height);
    for (const [k, { path, colour, alpha, width, count }] of paths.entries()) {
      const n = Math.min(count ?? path.count, path.count);
      if (n < 1) continue;
      gl.uniform4fv(at.ink, [...colour.map((x) => (x / 255) * alpha), alpha]);
      gl.uniform1f(at.width, width * (window.devicePixelRatio || 1));
      gl.uniform1f(at.nearer, 0.0003 + 0.0002 * k); // later ones lie on earlier ones
      gl.bindVertexArray(path.array);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, n);
    }
    gl.bindVertexArray(null);
  }

  shared(at, camera, light) {
    const gl = this.gl;
    gl.uniformMatrix4fv(at.view, false, camera.view);
    gl.uniformMatrix4fv(at.light, false, light.view);
    gl.uniform3fv(at.eye, camera.eye);
    gl.uniform1i(at.depths, 0);
    gl.uniform1f(at.texel, 1 / SHADOWS);
  }

  triangles(mesh) {
    const gl = this.gl;
    gl.bindVertexArray(mesh.array);
    gl.drawElements(gl.TRIANGLES, mesh.count, mesh.kind, 0);
  }
}
