/** A step from a value of JSON into it: a name of an object, an index of a list. */
export type Step = string | number

/** A path as JSONPath (RFC 9535) writes it: `$.items[3].name`, `$["a b"]`. */
export function pathText(path: readonly Step[]): string {
  return `$${path.map(stepText).join('')}`
}

function stepText(step: Step): string {
  if (typeof step === 'number') return `[${step}]`
  return /^[A-Za-z_]\w*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
}

/** A path below another, as one text that is equal for equal paths alone. */
export function keyBelow(key: string, step: Step): string {
  return `${key}${typeof step === 'number' ? `#${step}` : JSON.stringify(step)}/`
}
