import type { Page } from '@playwright/test'

/** Waits until no transition of colours runs: some ignore reduced motion, and others begin a frame later. */
export function settled(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    for (let still = 0; still < 2;) {
      await frame()
      const running = document.getAnimations().filter((one) => one instanceof CSSTransition)
      still = running.length === 0 ? still + 1 : 0
      await Promise.allSettled(running.map((one) => one.finished))
    }
  })
}
