/** What is a line, or lines, of its own: words do not go on from one into another. */
const blocks = 'p, li, pre, td, th, div, h1, h2, h3, h4, h5, h6, dd, dt, section, article, header'

/** The places below a node where an expression is found in its text, also over marks inside of a line. */
export function rangesIn(root: Element, expression: RegExp, most: number): Range[] {
  const nodes: { node: Text; from: number }[] = []
  let text = ''
  let block: Element | null = null
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode() as Text | null; node !== null; node = walker.nextNode() as Text | null) {
    if (text.length > most) break
    const within = node.parentElement?.closest(blocks) ?? null
    if (within !== block) text += '\n\n'
    block = within
    nodes.push({ node, from: text.length })
    text += node.data
  }
  const ranges: Range[] = []
  let at = 0
  expression.lastIndex = 0
  for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
    const [from, to] = [match.index, expression.lastIndex]
    while (at + 1 < nodes.length && (nodes[at + 1]?.from ?? Infinity) <= from) at++
    let last = at
    while (last + 1 < nodes.length && (nodes[last + 1]?.from ?? Infinity) < to) last++
    const [first, end] = [nodes[at], nodes[last]]
    if (first === undefined || end === undefined) break
    const range = document.createRange()
    range.setStart(first.node, Math.min(from - first.from, first.node.length))
    range.setEnd(end.node, Math.min(to - end.from, end.node.length))
    ranges.push(range)
  }
  return ranges
}
