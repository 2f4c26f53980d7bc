// Show the frame of a run at a time.
function show(run, now) {
  const frame = Math.max(run.times.findLastIndex((at) => at <= now + 1e-3), 0)
  run.caption.text = run.captions[frame]
  for (const [source, data] of run.sources) source.data = data[frame]
  run.cursor.location = now
}

for (const at of document.querySelectorAll('button.at'))
  at.onclick = () => Bokeh.documents[0].get_model_by_name('guides').value = Number(at.value)
