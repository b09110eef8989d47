// Returns the text of a template of the file, which is gzip in base 85 as write.go encodes it, unless the
// template has the attribute plain.
globalThis.tapedeckText = async (id) => {
  const template = document.getElementById(id)
  const text = template.content.textContent
  if (template.hasAttribute('plain')) return text
  const digit = (c) => ({ 118: 27, 119: 5 })[c] ?? c - 33
  const bytes = new Uint8Array(Math.floor((text.length * 4) / 5))
  for (let i = 0, at = 0; i < text.length; i += 5) {
    let value = 0
    for (let j = i; j < i + 5; j++) value = value * 85 + (j < text.length ? digit(text.charCodeAt(j)) : 84)
    for (let shift = 24; shift >= 0 && at < bytes.length; shift -= 8) bytes[at++] = value >>> shift
  }
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text()
}
const add = async (kind, id) => {
  const element = document.createElement(kind)
  element.textContent = await globalThis.tapedeckText(id)
  document.head.append(element)
}
add('style', 'style').then(() => add('script', 'player'))
