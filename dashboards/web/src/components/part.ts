import { type ComponentType, lazy, type LazyExoticComponent } from 'react'

/** How long it waits before it asks again, ms: doubled each time up to the most. */
const wait = { first: 1000, most: 30_000 }

/**
 * A part of a page whose code is loaded when it is first shown. While the code does not come, as when the server is
 * away, the fallback of the part's Suspense stays and the code is asked for again: a page that is shown is not lost.
 * The styles of the part have to be imported with its fallback, since a failed style is not loaded again.
 */
export function lazyPart<P>(
  load: () => Promise<{ default: ComponentType<P> }>,
): LazyExoticComponent<ComponentType<P>> {
  return lazy(() => loaded(load))
}

/** The result of the first load that succeeds. */
export async function loaded<T>(load: () => Promise<T>): Promise<T> {
  for (let pause = wait.first; ; pause = Math.min(2 * pause, wait.most)) {
    try {
      return await load()
    } catch {
      await new Promise((done) => setTimeout(done, pause))
    }
  }
}
