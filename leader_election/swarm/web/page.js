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
