import { timeoutManager, type ManagedTimerId } from '@tanstack/react-query'

/**
 * Turns off the polling of all queries in a test file, which counts the requests: on a slow machine a test lasts longer
 * than the interval. A file calls it before its first test.
 */
export function turnOffPolls(): void {
  timeoutManager.setTimeoutProvider<ManagedTimerId>({
    setTimeout: (callback, delay) => setTimeout(callback, delay),
    clearTimeout: (id) => clearTimeout(id as ReturnType<typeof setTimeout> | undefined),
    setInterval: () => 0,
    clearInterval: () => undefined,
  })
}
