import type { Player } from './player'

/** The speeds that the player offers. */
export const speeds = [0.1, 0.25, 0.5, 1, 1.5, 2, 4, 8, 16, 32, 64, 100]

/** The longest silence that is played where silences are skipped, ms. */
export const skippedTo = 1000

/** How far the arrows go, ms. */
const leap = 5000

/** What keys do besides the controls of the player. */
export interface Actions {
  help(): void
  marker(back: boolean): void
  find(): void
}

/** What the keys do, for people, in the order of the help. */
export const keyHelp: readonly { keys: string[]; does: string }[] = [
  { keys: ['Space', 'K'], does: 'Play or pause' },
  { keys: ['←', '→'], does: 'Five seconds back or on' },
  { keys: [',', '.'], does: 'One frame back or on' },
  { keys: ['<', '>'], does: 'Slower or faster' },
  { keys: ['0', '…', '9'], does: 'To a tenth of the session' },
  { keys: ['Home', 'End'], does: 'To the start or the end' },
  { keys: ['Shift M', 'M'], does: 'To the marker before or after: tools, errors, nodes, notes, alerts' },
  { keys: ['S'], does: 'Skip silence, or do not' },
  { keys: ['R'], does: 'At the end begin again, or do not' },
  { keys: ['L'], does: 'To the present of a running session' },
  { keys: ['F', 'Ctrl F'], does: 'Find words in the session' },
  { keys: ['?'], does: 'This help' },
]

/** The next speed that is offered, up or down. */
export function nextSpeed(speed: number, up: boolean): number {
  const next = up ? speeds.find((s) => s > speed) : speeds.findLast((s) => s < speed)
  return next ?? speed
}

/** Does what a key asks for; false if it asks for nothing. */
export function obeyKey(key: string, player: Player, actions: Actions): boolean {
  const state = player.state()
  if (/^[0-9]$/.test(key)) {
    player.seek((state.duration * Number(key)) / 10)
    return true
  }
  switch (key) {
    case ' ':
    case 'k':
    case 'K':
      if (state.playing) player.pause()
      else player.play()
      return true
    case 'ArrowLeft':
    case 'ArrowRight':
      player.seek(state.offset + (key === 'ArrowLeft' ? -leap : leap))
      return true
    case ',':
    case '.':
      player.step(key === ',' ? -1 : 1)
      return true
    case '<':
    case '>':
      player.setSpeed(nextSpeed(state.speed, key === '>'))
      return true
    case 'Home':
      player.seek(0)
      return true
    case 'End':
      if (state.running) player.goLive()
      else player.seek(state.duration)
      return true
    case 'm':
    case 'M':
      actions.marker(key === 'M')
      return true
    case 's':
    case 'S':
      player.setIdleLimit(state.idleLimit === null ? skippedTo : null)
      return true
    case 'r':
    case 'R':
      player.setLoop(!state.loop)
      return true
    case 'l':
    case 'L':
      player.goLive()
      return true
    case 'f':
    case 'F':
      actions.find()
      return true
    case '?':
      actions.help()
      return true
  }
  return false
}

/** Whether a key belongs to what has the focus: a field, a menu, or a button that it presses. */
export function isTaken(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true
  const { target } = event
  if (!(target instanceof Element)) return false
  if (
    target.closest(
      'input, textarea, select, [contenteditable=""], [contenteditable="true"], [role="menu"], [role="dialog"]',
    ) !== null
  )
    return true
  return event.key === ' ' && target.closest('button, a, summary, [role="button"], [role="tab"]') !== null
}
