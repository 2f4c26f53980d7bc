// Fit the whole map to scale into any window.
function fit(figure, extent) {
  const [left, bottom, right, top] = ['left', 'bottom', 'right', 'top'].map((k) => extent.data[k][0])
  const labels = 24  // Pixels, so that those at the border are whole.
  const metres = Math.max((right - left) / (figure.inner_width - 2 * labels),
                          (top - bottom) / (figure.inner_height - 2 * labels))
  const set = (range, centre, length) => range.setv({
    start: centre - length / 2, end: centre + length / 2,
    reset_start: centre - length / 2, reset_end: centre + length / 2})
  if (isFinite(metres) && metres > 0) {
    set(figure.x_range, (left + right) / 2, metres * figure.inner_width)
    set(figure.y_range, (bottom + top) / 2, metres * figure.inner_height)
  }
}

// Tell the server the last drawn update.
function reportDrawn(drawn, tags) {
  requestAnimationFrame(() => setTimeout(() => { drawn.tags = tags }))
}

// Show the frame of a run at a time.
function show(run, now) {
  const frame = Math.max(run.times.findLastIndex((at) => at <= now + 1e-3), 0)
  run.caption.text = run.captions[frame]
  for (const [source, data] of run.sources) source.data = data[frame]
  for (const cursor of run.cursors) cursor.location = now
}

// Play a run, or pause it.
let playing
function play(button, time) {
  clearInterval(playing)
  button.label = button.active ? '⏸ pause' : '▶ play'
  let now = time.value >= time.end ? time.start : time.value
  if (button.active) playing = setInterval(() => {
    now = Math.min(now + 0.4, time.end)
    time.value = now
    if (now >= time.end) button.active = false
  }, 100)
}

let lost = false
function connectionLost() {
  lost = true
  document.getElementById('lost').hidden = false
}

// A connection that hangs is not closed, so the server is asked now and then.
function watchServer() {
  setInterval(() => fetch('static/js/bokeh.min.js', {
    method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(4000)
  }).then(() => lost && location.reload(), connectionLost), 2000)
}
