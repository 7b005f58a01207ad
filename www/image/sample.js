const WIDTH = 960;
const HEIGHT = 640;
const HORIZON = 400;

/** How far the reflection reaches past both sides, so that its waves leave no gap there. */
const OVERHANG = 16;

/**
 * The sample picture: a landscape with the parts of a test card in it (fine spokes, shrinking squares, grey steps,
 * lettering) and a grain over all of it, so that blur, edges and histogram each have something to show.
 * Drawn anew each time, with the same grain.
 * @returns {OffscreenCanvas} 960 x 640
 */
export function drawSample() {
  const canvas = new OffscreenCanvas(WIDTH, HEIGHT);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  drawSky(context);
  drawRidge(context, { base: 330, height: 90, roughness: 1.0, colour: "#8a86a8" });
  drawRidge(context, { base: 372, height: 70, roughness: 1.7, colour: "#5c5f86" });
  drawRidge(context, { base: 398, height: 38, roughness: 2.9, colour: "#333c5c" });
  drawLake(context, canvas);
  drawSpokes(context, 132, 508, 92);
  drawSquares(context, 268, 436);
  drawSteps(context, 268, 572);
  drawLettering(context);
  addGrain(context);
  return canvas;
}

function drawSky(context) {
  const sky = context.createLinearGradient(0, 0, 0, HORIZON);
  sky.addColorStop(0, "#1d3a66");
  sky.addColorStop(0.55, "#7f8fb8");
  sky.addColorStop(0.85, "#f0b98a");
  sky.addColorStop(1, "#f7dcae");
  context.fillStyle = sky;
  context.fillRect(0, 0, WIDTH, HORIZON);
  const glow = context.createRadialGradient(690, 250, 30, 690, 250, 240);
  glow.addColorStop(0, "rgb(255 240 205 / 0.85)");
  glow.addColorStop(1, "rgb(255 240 205 / 0)");
  context.fillStyle = glow;
  context.fillRect(0, 0, WIDTH, HORIZON);
  context.fillStyle = "#fff6de";
  context.beginPath();
  context.arc(690, 250, 42, 0, 2 * Math.PI);
  context.fill();
}

function drawRidge(context, { base, height, roughness, colour }) {
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(0, HORIZON);
  for (let x = 0; x <= WIDTH; x += 2) {
    let rise = 0;
    for (let octave = 1; octave <= 6; octave++) {
      const frequency = roughness * 2 ** octave * 0.0022;
      rise += Math.abs(Math.sin(x * frequency + octave * roughness * 1.9)) / 1.75 ** octave;
    }
    context.lineTo(x, base - height * rise + height * 0.5);
  }
  context.lineTo(WIDTH, HORIZON);
  context.fill();
}

function drawLake(context, canvas) {
  for (let row = 0; row < HEIGHT - HORIZON; row++) {
    const source = HORIZON - 1 - Math.min(row * 1.4, HORIZON - 1);
    const sway = Math.sin(row * 0.9) * (1 + row * 0.02) * 2;
    context.drawImage(canvas, 0, source, WIDTH, 1, sway - OVERHANG, HORIZON + row, WIDTH + 2 * OVERHANG, 1);
  }
  const depth = context.createLinearGradient(0, HORIZON, 0, HEIGHT);
  depth.addColorStop(0, "rgb(20 40 66 / 0.25)");
  depth.addColorStop(1, "rgb(10 20 34 / 0.85)");
  context.fillStyle = depth;
  context.fillRect(0, HORIZON, WIDTH, HEIGHT - HORIZON);
}

function drawSpokes(context, x, y, radius) {
  context.fillStyle = "#f4f4f0";
  context.beginPath();
  context.arc(x, y, radius + 6, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = "#111418";
  const spokes = 36;
  for (let spoke = 0; spoke < spokes; spoke++) {
    const from = (spoke / spokes) * 2 * Math.PI;
    context.beginPath();
    context.moveTo(x, y);
    context.arc(x, y, radius, from, from + Math.PI / spokes);
    context.fill();
  }
}

function drawSquares(context, x, y) {
  let left = x;
  for (const side of [32, 16, 8, 4, 2]) {
    for (let row = 0; row < 128 / side; row++) {
      for (let column = 0; column < 64 / side; column++) {
        context.fillStyle = (row + column) % 2 === 0 ? "#f4f4f0" : "#111418";
        context.fillRect(left + column * side, y + row * side, side, side);
      }
    }
    left += 64;
  }
}

function drawSteps(context, x, y) {
  for (let step = 0; step < 16; step++) {
    const level = step * 17;
    context.fillStyle = `rgb(${level} ${level} ${level})`;
    context.fillRect(x + step * 20, y, 20, 36);
  }
}

function drawLettering(context) {
  context.fillStyle = "#f4f4f0";
  const widest = WIDTH - 628 - 40;
  context.font = "600 40px system-ui, sans-serif";
  context.fillText("steadfast-gpu", 628, 488, widest);
  context.font = "22px ui-monospace, monospace";
  context.fillText("960 × 640 pixels", 628, 524, widest);
  context.font = "13px ui-monospace, monospace";
  context.fillText("blur softens this, edges find it", 628, 552, widest);
}

function addGrain(context) {
  const image = context.getImageData(0, 0, WIDTH, HEIGHT);
  let state = 0x9e3779b9;
  for (let start = 0; start < image.data.length; start += 4) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const grain = (state >>> 24) / 8 - 16;
    image.data[start] += grain;
    image.data[start + 1] += grain;
    image.data[start + 2] += grain;
  }
  context.putImageData(image, 0, 0);
}
