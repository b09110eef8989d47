import { cleanup, configure } from '@testing-library/react'
import { afterEach } from 'vitest'

// Waiting for what comes has no bound of its own, since a loaded machine is slow: a test that waits
// in vain fails by its time limit.
configure({ asyncUtilTimeout: 55_000 })

// What components use of a browser and jsdom lacks. Tests without a page do not load it.
if (typeof window !== 'undefined') {
  // The files of a worker share a window.
  window.history.replaceState(null, '', '/')
  window.localStorage.clear()
  window.sessionStorage.clear()
  document.body.replaceChildren()
  window.matchMedia = (query) =>
    ({
      matches: false,
      media: query,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }) as unknown as MediaQueryList
  window.ResizeObserver = class {
    observe() {
      // Nothing changes its size here.
    }
    unobserve() {
      // Nothing changes its size here.
    }
    disconnect() {
      // Nothing changes its size here.
    }
  }
  Element.prototype.scrollIntoView = () => undefined
  afterEach(() => cleanup())
}
