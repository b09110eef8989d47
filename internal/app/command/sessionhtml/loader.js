const read = async (id) => {
  const bytes = Uint8Array.from(atob(document.getElementById(id).content.textContent), (c) => c.charCodeAt(0))
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text()
}
const add = async (kind, id) => {
  const element = document.createElement(kind)
  element.textContent = await read(id)
  document.head.append(element)
}
add('style', 'style').then(() => add('script', 'player'))
