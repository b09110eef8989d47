// The player of tapedeck {{.Version}}, for a page of your own: a script element with src="player.js",
// data-recording="run.json" and data-height="640" where the player is to be.
// "tapedeck export SESSION --format player" writes run.json. The player is in a frame at the place of the
// script, without access to the page, and loads nothing.
;(() => {
  const script = document.currentScript
  if (script === null) throw new Error('tapedeck: player.js is a classic script, without type="module"')
  const { recording, height = '640' } = script.dataset
  const say = (text) => {
    const note = document.createElement('p')
    note.setAttribute('role', 'alert')
    note.textContent = `tapedeck player: ${text}`
    script.after(note)
  }
  if (document.head.contains(script)) throw new Error('tapedeck: put player.js into the body, where the player is to be')
  if (recording === undefined || recording === '') return say('the script lacks data-recording, the address of a recording')
  if (!/^[1-9][0-9]{0,4}$/.test(height)) return say(`data-height="${height}" is not a number of pixels`)

  const show = (read) => {
    if (!Array.isArray(read?.frames) || typeof read.session?.id !== 'string')
      return say(`${recording} is not a recording: "tapedeck export SESSION --format player" writes one`)
    const frame = document.createElement('iframe')
    frame.title = `Recording ${read.session.title || read.session.id}`
    frame.setAttribute('sandbox', 'allow-scripts')
    frame.style.cssText = `border: 0; display: block; width: 100%; height: ${height}px`
    const text = JSON.stringify(read).replace(/[<&]/g, (c) => (c === '<' ? '\\u003c' : '\\u0026'))
    frame.srcdoc = {{.Head}} + text + {{.Tail}}
    script.after(frame)
  }
  fetch(new URL(recording, document.baseURI))
    .then((response) => {
      if (!response.ok) throw new Error(`the server answers ${response.status}`)
      return response.text()
    })
    .then((text) => {
      let read = null
      try {
        read = JSON.parse(text)
      } catch {
        // Said as any other file that is no recording.
      }
      show(read)
    })
    .catch((error) => say(`${recording} cannot be loaded: ${error.message}`))
})()
